//! Steps of a PE that has waited for long.

use super::{PUBLISH_AFTER, absent, roll_call};
use crate::{
    live::Live,
    teams::TeamState,
    wait::{
        Wait, WaitPublication,
        progress::{Diagnose, Progress},
        state::Awaited,
    },
};
use core::{sync::atomic::Ordering::Relaxed, time::Duration};
use ferrite_callstack::caller::{self, CallSite};
use ferrite_diagnose::{
    account,
    board::Board,
    entry::EntryKind,
    judge::Watch,
    record::DEPTH,
    report::{self, Difference},
    status::{Class, Phase, Seen},
    still::{LongWaits, Stillness},
};
use ferrite_os::{clock::monotonic_ns, mutex};
use ferrite_program::solitude;
use ferrite_settings::OnStall;
use rustix::system::uname;
use std::{io::Write, time::Instant};

/// Divisor of the time waited so far, which gives the interval between the looks of a wait...
const LOOK_FRACTION: u32 = 8;
/// ...within these bounds. The second keeps a proof, which takes some looks of every PE, within a second.
const LOOK_EVERY: (Duration, Duration) = (Duration::from_millis(20), Duration::from_millis(80));
/// How long the report of a proof waits for the PEs that it is about to find their places in the program. They have polled just now, so they
/// answer once they have read their debug information, which may take seconds on a busy machine.
const PLACES_WITHIN: Duration = Duration::from_secs(20);
/// How long a report waits for other PEs to find theirs: such a PE may be stopped.
const OTHER_PLACES_WITHIN: Duration = Duration::from_secs(2);
/// How long a report waits for PEs that are known to be in a call to begin to wait: they may have got there just now.
const WAITS_WITHIN: Duration = Duration::from_millis(400);
/// Maximum number of PEs that are asked for their places.
const PLACES: usize = 16;

/// Reason of a roll-call that was not requested.
const STILL: &str = "no progress";

/// State that the PE keeps between its looks.
#[derive(Default)]
pub(super) struct Looker {
    watch: Watch,
    /// Rank at which the next look begins in large teams.
    rank: u32,
    /// The proof, and when it was found.
    proof: Option<(Proof, Instant)>,
    /// The proof was reported, by this PE or another of the node.
    is_over: bool,
    still: Stillness,
    long: LongWaits,
    /// Roll-call under way: its reason, and since when places are asked for.
    roll_call: Option<(String, Instant)>,
}

enum Proof {
    /// These PEs wait for each other.
    Stuck(Vec<u32>),
    /// Members of a team have called different collectives.
    Different(Difference),
}

impl Proof {
    /// Whether the proof is about this PE.
    fn is_about(&self, pe: u32) -> bool {
        match self {
            Proof::Stuck(pes) => pes.contains(&pe),
            Proof::Different(difference) => difference.still.contains(&pe),
        }
    }

    /// Whether the PEs that are still in the reported calls have published their waits.
    fn is_all_told(&self, seen: &[Seen]) -> bool {
        match self {
            Proof::Stuck(_) => true,
            Proof::Different(difference) => {
                seen.iter().all(|one| one.waiting.is_some() || !difference.still.contains(&one.pe))
            }
        }
    }
}

impl Diagnose for Live {
    #[cold]
    #[inline(never)]
    fn diagnose(&self, wait: &mut Wait, awaited: Awaited<'_>) {
        if !self.diagnosis.is_on {
            return;
        }
        wait.lengthen(&self.wait.mates);
        let now = Instant::now();
        let publication =
            wait.publication.get_or_insert(WaitPublication { began: now, looked: now, version: None, busy: false });
        let lasted = now - publication.began;
        let pause = (lasted / LOOK_FRACTION).clamp(LOOK_EVERY.0, LOOK_EVERY.1);
        if lasted < PUBLISH_AFTER || publication.version.is_some() && now - publication.looked < pause {
            return;
        }
        publication.looked = now;
        self.publish_wait(publication, awaited);
        let Some(version) = publication.version else { return };
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
        // One PE of the node holds the roll-call.
        if self.diagnosis.boards.first().begin_turn(self.me) {
            self.call_roll(&mut looker, now);
        }
    }

    fn end_published_wait(&self, publication: &WaitPublication) {
        self.diagnosis.end_published_wait(publication);
    }
}

impl Live {
    /// Hold a roll-call that is requested or due.
    fn call_roll(&self, looker: &mut Looker, now: Instant) {
        if looker.roll_call.is_none() {
            looker.roll_call = self.reason_to_call(looker, now).map(|why| (why, now));
        }
        let Some((why, since)) = &looker.roll_call else { return };
        let seen = self.diagnosis.boards.see();
        if now - *since < OTHER_PLACES_WITHIN && !self.ask_places(&seen).is_empty() {
            return;
        }
        let host = uname();
        let place = format!("host {}", host.nodename().to_string_lossy());
        let told = report::roll_call(&seen, why, &place, monotonic_ns(), self.size);
        let lines = account::roll_call(told, &seen, |pe| self.past(pe));
        // PEs without a board here may compute.
        let is_due = why.starts_with(STILL) && seen.len() == self.size as usize;
        looker.roll_call = None;
        self.report(&lines, is_due);
    }

    fn reason_to_call(&self, looker: &mut Looker, now: Instant) -> Option<String> {
        if self.diagnosis.boards.first().take_roll_call() {
            return Some("roll-call".to_owned());
        }
        let limit = self.settings.stall_timeout?;
        let waits_long = self.settings.stall_timeout_is_set
            && looker.long.is_new(&self.diagnosis.boards.see(), limit, monotonic_ns());
        let waited = || waits_long.then(|| format!("a PE has waited for {} s", limit.as_secs_f64()));
        let is_due = looker.still.lasts(
            &self.diagnosis.boards.see(),
            |at| self.diagnosis.process(at).computed_if_asleep(),
            limit,
            now,
        );
        if self.diagnosis.boards.are_of_launcher() && self.diagnosis.boards.pes().len() < self.size as usize {
            // PEs of other hosts may compute: the launcher knows.
            let still_ms = if looker.still.holds() { limit.as_millis() as u64 } else { 0 };
            self.diagnosis.boards.first().set_still_ms(still_ms);
            return waited();
        }
        if looker.is_over {
            return None;
        }
        if is_due { Some(format!("{STILL} for {} s", limit.as_secs_f64())) } else { waited() }
    }

    /// Publish the wait. Publish it anew if other operations have begun or ended meanwhile, which changes who may end the wait.
    fn publish_wait(&self, publication: &mut WaitPublication, awaited: Awaited<'_>) {
        let diagnosis = &self.diagnosis;
        if publication.version.is_none() && diagnosis.own().is_waiting() {
            // There is room for the wait of one thread, and another thread has published its own.
            return;
        }
        // An operation under way may end another PE's wait.
        let busy = self.is_busy();
        if let Some(version) = publication.version {
            if busy == publication.busy {
                return;
            }
            diagnosis.own().end(version);
        }
        let several_threads = diagnosis.several_threads.load(Relaxed);
        publication.busy = busy;
        let class = match awaited {
            _ if busy => Class::Anyone,
            Awaited::Carried => Class::Anyone,
            Awaited::Collective(_) if !several_threads || is_alone() => Class::Collective,
            Awaited::Collective(_) => Class::Anyone,
            _ if is_alone() => Class::Peers,
            _ => Class::Anyone,
        };
        let since = monotonic_ns().saturating_sub(publication.began.elapsed().as_nanos() as u64);
        let team = if let Awaited::Collective(team) = awaited { Some(team.slot as u16) } else { None };
        publication.version = diagnosis.own().publish_wait(class, since, &self.name_of(awaited), team);
    }

    /// The routine that waits, with its arguments.
    fn name_of(&self, awaited: Awaited<'_>) -> String {
        let entered = || self.diagnosis.routine().map_or("a collective", |site| site.name);
        match awaited {
            Awaited::Routine(site) => site.name.to_owned(),
            Awaited::Entered => entered().to_owned(),
            Awaited::Carried | Awaited::Unnamed => "the completion of its communication".to_owned(),
            Awaited::Collective(team) => {
                let call = team.called(&self.diagnosis.boards, team.me as u32, team.calls());
                match call.map(|call| call.arguments()).filter(|arguments| !arguments.is_empty()) {
                    Some(arguments) => format!("{}({arguments})", entered()),
                    None => entered().to_owned(),
                }
            }
        }
    }

    /// Whether a PE of this node has published a wait, or has left.
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
        let waited = now - *since;
        let limit = |pe| if proof.is_about(pe) { PLACES_WITHIN } else { OTHER_PLACES_WITHIN };
        let owes = self.ask_places(&seen).into_iter().any(|pe| waited < limit(pe));
        if owes || waited < WAITS_WITHIN && !proof.is_all_told(&seen) {
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

    /// Compare this PE's last calls with the next member's. Calls that differ in root or size may complete with wrong data, and then no PE
    /// waits. Which PE is wrong is known once all members have called: until then the report is left to a later call. A tool
    /// that compares collectives finds the mistake earlier and reports more.
    #[cold]
    #[inline(never)]
    pub(super) fn compare(&self, team: &TeamState) {
        if self.diagnosis.is_on
            && !self.observers.wishes.compares_collectives
            && !absent::agrees_with_next(&self.diagnosis.boards, team)
            && let Some(difference) = absent::different(&self.diagnosis.boards, team, 0)
            && (absent::have_all_called(&self.diagnosis.boards, team, &difference)
                || self.is_last_chance(team, &difference))
            && self.diagnosis.boards.first().claim_report()
        {
            self.report(&self.told_different(&difference, &self.diagnosis.boards.see(), Awaited::Entered), true);
        }
    }

    /// Report about calls that differ. If the PEs have gone on since, they no longer publish the call sites. Then the report names the
    /// PE that noticed the difference, and its call site.
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

    /// Whether no later call would compare these calls.
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
        // One PE of the node looks at all of its PEs; the others only publish their own state.
        if !self.diagnosis.boards.first().begin_turn(self.me) {
            looker.watch = Watch::default();
            return None;
        }
        let seen = self.diagnosis.boards.see();
        let stuck = looker.watch.proves(&seen, seen.len() == self.size as usize)?;
        Some(Proof::Stuck(stuck.into_iter().map(|at| seen[at].pe).collect()))
    }

    /// The last calls of a PE, if its board is visible.
    fn past(&self, pe: u32) -> Vec<String> {
        self.diagnosis.boards.of(pe).map(Board::past).unwrap_or_default()
    }

    /// Ask waiting PEs for their places in the program. Return those that have yet to answer.
    fn ask_places(&self, seen: &[Seen]) -> Vec<u32> {
        let mut owed = Vec::new();
        for (index, waiting) in
            seen.iter().enumerate().filter_map(|(index, one)| Some((index, one.waiting.as_ref()?))).take(PLACES)
        {
            let status = &self.diagnosis.boards.at(index).status;
            status.ask(waiting.version);
            if status.owes(waiting.version) {
                owed.push(seen[index].pe);
            }
        }
        owed
    }

    /// Print a report. End the job if it cannot go on, or seems not to, and the user wants that.
    fn report(&self, lines: &[String], may_end: bool) {
        let text: String = lines.iter().map(|line| format!("ferrite: {line}\n")).collect();
        // One write, so that lines of PEs do not mix.
        let _ = std::io::stderr().write_all(text.as_bytes());
        if may_end && self.diagnosis.on_stall == OnStall::Abort {
            self.end_told();
        }
    }
}

/// Whether only other PEs could end this PE's wait.
fn is_alone() -> bool {
    solitude::is_alone(roll_call::is_ours(roll_call::SIGNAL).then_some(roll_call::SIGNAL))
}

/// Place at which this PE has called the library; empty if it cannot be found. The first search takes milliseconds, and memory.
fn place() -> String {
    match caller::find() {
        CallSite::UNKNOWN => String::new(),
        site => site.source().to_string(),
    }
}
