//! What a PE does that has waited for long.

use super::{TELL_AFTER, Told, absent, roll_call::Stillness, solitude};
use crate::{
    groups::team::TeamState,
    live::Live,
    observe::caller::{self, CallSite},
    settings::OnStall,
    wait::{Wait, state::Awaited},
};
use core::{sync::atomic::Ordering::Relaxed, time::Duration};
use ferrite_diagnose::{
    account,
    board::Board,
    entry::EntryKind,
    judge::Watch,
    record::DEPTH,
    report::{self, Difference},
    status::{Class, Phase, Seen},
};
use ferrite_os::{clock::monotonic_ns, mutex};
use rustix::system::uname;
use std::{io::Write, time::Instant};

/// Looks of one wait are so far apart: a part of the time waited so far...
const LOOK_FRACTION: u32 = 8;
/// ...within these bounds. The second keeps a proof, which takes some looks of every PE, within a second.
const LOOK_EVERY: (Duration, Duration) = (Duration::from_millis(20), Duration::from_millis(80));
/// How long a report waits for the places in the program of PEs that are slow to find them.
const PLACES_WITHIN: Duration = Duration::from_secs(2);
/// How long a report waits for PEs to begin to wait where they are known to be: they may have got there just now.
const WAITS_WITHIN: Duration = Duration::from_millis(400);
/// How many PEs are asked for theirs.
const PLACES: usize = 16;

/// Why a roll-call is held that nobody has asked for.
const STILL: &str = "nothing has moved";

/// What the PE that looks remembers.
#[derive(Default)]
pub(super) struct Looker {
    watch: Watch,
    /// Where to look next in large teams.
    rank: u32,
    /// What is proven, and since when.
    proof: Option<(Proof, Instant)>,
    /// It was reported, by this PE or another of the node.
    is_over: bool,
    still: Stillness,
    /// A roll-call is under way: why, and since when places are asked for.
    roll_call: Option<(String, Instant)>,
}

enum Proof {
    /// These PEs wait for each other.
    Stuck(Vec<u32>),
    /// Members of a team have called different collectives.
    Different(Difference),
}

impl Proof {
    /// Whether the PEs that are still in what is told of say so themselves.
    fn is_all_told(&self, seen: &[Seen]) -> bool {
        match self {
            Proof::Stuck(_) => true,
            Proof::Different(difference) => {
                seen.iter().all(|one| one.waiting.is_some() || !difference.still.contains(&one.pe))
            }
        }
    }
}

impl Live {
    /// A wait goes on. Called now and then by who waits, at no fixed times.
    #[cold]
    #[inline(never)]
    pub(crate) fn diagnose(&self, wait: &mut Wait, awaited: Awaited<'_>) {
        if !self.diagnosis.is_on {
            return;
        }
        let now = Instant::now();
        let told = wait.told.get_or_insert(Told { began: now, looked: now, version: None, busy: false });
        let lasted = now - told.began;
        let pause = (lasted / LOOK_FRACTION).clamp(LOOK_EVERY.0, LOOK_EVERY.1);
        if lasted < TELL_AFTER || told.version.is_some() && now - told.looked < pause {
            return;
        }
        told.looked = now;
        self.tell(told, awaited);
        let Some(version) = told.version else { return };
        let Some(mut looker) = mutex::try_lock(&self.diagnosis.looker) else { return };
        let absent = match awaited {
            Awaited::Collective(team) => {
                looker.rank = looker.rank.wrapping_add(1);
                absent::absent(&self.diagnosis.boards, team, looker.rank, |pe| self.is_waiting_or_gone(pe))
            }
            _ => None,
        };
        let own = self.diagnosis.own();
        own.look(version, absent);
        if own.is_asked(version) {
            own.answer(version, &place());
        }
        self.look_around(&mut looker, awaited, now);
        // One of the node calls the roll.
        if self.diagnosis.boards.first().begin_turn(self.me) {
            self.call_roll(&mut looker, now);
        }
    }

    /// Hold a roll-call that is asked for, or due.
    fn call_roll(&self, looker: &mut Looker, now: Instant) {
        if looker.roll_call.is_none() {
            looker.roll_call = self.reason_to_call(looker, now).map(|why| (why, now));
        }
        let Some((why, since)) = &looker.roll_call else { return };
        let seen = self.diagnosis.boards.see();
        if now - *since < PLACES_WITHIN && self.ask_places(&seen) {
            return;
        }
        let host = uname();
        let place = format!("host {}", host.nodename().to_string_lossy());
        let told = report::roll_call(&seen, why, &place, monotonic_ns(), self.size);
        let lines = account::roll_call(told, &seen, |pe| self.past(pe));
        let is_due = why.starts_with(STILL);
        looker.roll_call = None;
        self.report(&lines, is_due);
    }

    fn reason_to_call(&self, looker: &mut Looker, now: Instant) -> Option<String> {
        if self.diagnosis.boards.first().take_roll_call() {
            return Some("roll-call".to_owned());
        }
        let limit = self.settings.stall_timeout?;
        let is_due = looker.still.lasts(&self.diagnosis.boards.see(), &self.diagnosis.processes(), limit, now);
        if self.diagnosis.boards.are_of_launcher() && self.diagnosis.boards.pes().len() < self.size as usize {
            // PEs of other hosts may compute: the launcher knows.
            let still_ms = if looker.still.holds() { limit.as_millis() as u64 } else { 0 };
            self.diagnosis.boards.first().set_still_ms(still_ms);
            return None;
        }
        (is_due && !looker.is_over).then(|| format!("{STILL} for {} s", limit.as_secs_f64()))
    }

    /// Publish the wait, or publish it anew where what is under way beside it has changed who may end it.
    fn tell(&self, told: &mut Told, awaited: Awaited<'_>) {
        let diagnosis = &self.diagnosis;
        // What is on its way may end another's wait.
        let busy = !self.coll.requests.are_idle() || !self.agg.are_none() || !self.far_rests();
        if let Some(version) = told.version {
            if busy == told.busy {
                return;
            }
            diagnosis.own().end(version);
        }
        let several_threads = diagnosis.several_threads.load(Relaxed);
        told.busy = busy;
        let class = match awaited {
            _ if busy => Class::Anyone,
            Awaited::Collective(_) if !several_threads || solitude::is_alone() => Class::Collective,
            Awaited::Collective(_) => Class::Anyone,
            _ if solitude::is_alone() => Class::Peers,
            _ => Class::Anyone,
        };
        let since = monotonic_ns().saturating_sub(told.began.elapsed().as_nanos() as u64);
        let team = if let Awaited::Collective(team) = awaited { Some(team.slot as u16) } else { None };
        told.version = diagnosis.own().tell(class, since, &self.name_of(awaited), team);
    }

    /// The routine that waits, with its arguments.
    fn name_of(&self, awaited: Awaited<'_>) -> String {
        let entered = || self.diagnosis.routine().map_or("a collective", |site| site.name);
        match awaited {
            Awaited::Routine(site) => site.name.to_owned(),
            Awaited::Entered => entered().to_owned(),
            Awaited::Unnamed => "the completion of its communication".to_owned(),
            Awaited::Collective(team) => {
                let call = team.called(&self.diagnosis.boards, team.me as u32, team.calls());
                match call.map(|call| call.arguments()).filter(|arguments| !arguments.is_empty()) {
                    Some(arguments) => format!("{}({arguments})", entered()),
                    None => entered().to_owned(),
                }
            }
        }
    }

    /// Whether a PE of this node is in a wait that it has told, or has left.
    fn is_waiting_or_gone(&self, pe: u32) -> bool {
        self.diagnosis.boards.of(pe).is_some_and(|board| {
            let seen = board.status.see(pe);
            seen.waiting.is_some() || seen.phase == Phase::Left
        })
    }

    fn look_around(&self, looker: &mut Looker, awaited: Awaited<'_>, now: Instant) {
        if looker.is_over {
            return;
        }
        if looker.proof.is_none() {
            looker.proof = self.prove(looker, awaited).map(|proof| (proof, now));
        }
        let Some((proof, since)) = &looker.proof else { return };
        let seen = self.diagnosis.boards.see();
        let owed = self.ask_places(&seen);
        if now - *since < PLACES_WITHIN && owed || now - *since < WAITS_WITHIN && !proof.is_all_told(&seen) {
            return;
        }
        looker.is_over = true;
        if self.diagnosis.boards.first().claim_report() {
            let lines = match proof {
                Proof::Stuck(pes) => account::stuck(&seen, pes, self.size, |pe| self.past(pe)),
                Proof::Different(difference) => self.told_different(difference, &seen, awaited),
            };
            self.report(&lines, true);
        }
    }

    /// Compare what this PE has called of late with what the next member has: calls that differ in root or size may come to an end, with
    /// wrong data, and nobody waits. Who is wrong is known once all have called: until then it is left to a later call. Who looks for mistakes anyway (`check`) finds that earlier, and says more.
    #[cold]
    #[inline(never)]
    pub(super) fn compare(&self, team: &TeamState) {
        if self.diagnosis.is_on
            && self.check.is_none()
            && !absent::agrees_with_next(&self.diagnosis.boards, team)
            && let Some(difference) = absent::different(&self.diagnosis.boards, team, 0)
            && (absent::have_all_called(&self.diagnosis.boards, team, &difference)
                || self.is_last_chance(team, &difference))
            && self.diagnosis.boards.first().claim_report()
        {
            self.report(&self.told_different(&difference, &self.diagnosis.boards.see(), Awaited::Entered), true);
        }
    }

    /// What is told of calls that differ. Where the PEs have gone on since, nobody says where in the program it was: then it is told by
    /// whom it was noticed, and where.
    fn told_different(&self, difference: &Difference, seen: &[Seen], awaited: Awaited<'_>) -> Vec<String> {
        let mut lines = report::different(difference, seen, self.size);
        if !seen.iter().any(|one| one.waiting.is_some() && difference.still.contains(&one.pe)) {
            let place =
                Some(place()).filter(|place| !place.is_empty()).map_or(String::new(), |place| format!(" ({place})"));
            let noticed = format!("  noticed by PE {} in {}{place}", self.me, self.name_of(awaited));
            lines.insert(lines.len() - 1, noticed);
        }
        account::different(lines, difference, |pe| self.past(pe))
    }

    /// Whether nobody would compare these calls later.
    fn is_last_chance(&self, team: &TeamState, difference: &Difference) -> bool {
        let last = team.called(&self.diagnosis.boards, team.me as u32, team.calls());
        let ends = last.is_some_and(|call| call.kind == EntryKind::Finalize);
        ends || difference.number + DEPTH as u64 <= team.calls() + 1
    }

    fn prove(&self, looker: &mut Looker, awaited: Awaited<'_>) -> Option<Proof> {
        let team = if let Awaited::Collective(team) = awaited { team } else { &self.teams.world };
        if let Some(difference) = absent::different(&self.diagnosis.boards, team, looker.rank) {
            return Some(Proof::Different(difference));
        }
        // One of the node looks at all of its PEs: the others but say what they are in.
        if !self.diagnosis.boards.first().begin_turn(self.me) {
            looker.watch = Watch::default();
            return None;
        }
        let seen = self.diagnosis.boards.see();
        let stuck = looker.watch.proves(&seen, seen.len() == self.size as usize)?;
        Some(Proof::Stuck(stuck.into_iter().map(|at| seen[at].pe).collect()))
    }

    /// The last calls of a PE, if its board is seen.
    fn past(&self, pe: u32) -> Vec<String> {
        self.diagnosis.boards.of(pe).map(Board::past).unwrap_or_default()
    }

    /// Ask PEs that wait where they do; whether some have yet to answer.
    fn ask_places(&self, seen: &[Seen]) -> bool {
        let mut owed = false;
        for (index, waiting) in
            seen.iter().enumerate().filter_map(|(index, one)| Some((index, one.waiting.as_ref()?))).take(PLACES)
        {
            let status = &self.diagnosis.boards.at(index).status;
            status.ask(waiting.version);
            owed |= status.owes(waiting.version);
        }
        owed
    }

    /// Tell, and end the job if it cannot go on, or seems not to, and the user wants that.
    fn report(&self, lines: &[String], may_end: bool) {
        let text: String = lines.iter().map(|line| format!("ferrite: {line}\n")).collect();
        // In one piece: lines of PEs are not to mix.
        let _ = std::io::stderr().write_all(text.as_bytes());
        if may_end && self.diagnosis.on_stall == OnStall::Abort {
            self.end_told();
        }
    }
}

/// Where this PE has called the library; empty if that cannot be found. Takes milliseconds, and memory, at first.
fn place() -> String {
    match caller::find() {
        CallSite::UNKNOWN => String::new(),
        site => site.source().to_string(),
    }
}
