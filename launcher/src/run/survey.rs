//! Survey of the PEs of all hosts: finds PEs that can never go on, and reports where all PEs are. Pure: the input is the answers of hosts,
//! the output is questions to hosts and lines for the user.
//!
//! The PEs of one host see each other, and report on their own whatever the host alone can prove (`crates/runtime/src/diagnose`). The
//! survey does the same across hosts. When PEs of a host wait and nothing changes ([`Up::Stands`](super::agent_protocol::Up::Stands)), it
//! asks all hosts, in rounds: a round begins when all hosts have answered the previous one. So every answer of a round is older than every
//! answer of the next. A PE that reports the same wait in both rounds was waiting at the moment between them, and so were all other such
//! PEs. The rest is as on one host: `ferrite_diagnose::judge`.
//!
//! After a round that finds nothing, the pause before the next round doubles: a correct job whose PEs wait for each other again and again
//! is asked seldom.

use ferrite_diagnose::account;
use ferrite_diagnose::judge::{Watch, stuck};
use ferrite_diagnose::report::{self, Difference};
use ferrite_diagnose::sight::{Sight, difference, find_absent};
use ferrite_diagnose::status::{Phase, Seen};
use ferrite_os::clock::monotonic_ns;
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::Instant;

/// Pause between rounds that find nothing: initial and maximum.
const PAUSE: (Duration, Duration) = (Duration::from_millis(250), Duration::from_secs(16));
/// How long PEs may take to report their place in the program: for a proof, whose PEs have polled just now and read their debug information,
/// which may take seconds on a busy machine; and for a roll-call, which may come shortly before the end.
const PLACES_MS: u32 = 20_000;
const ROLL_CALL_MS: u32 = 600;
/// How much longer the answer of a host may take in a roll-call.
const ON_THE_WAY: Duration = Duration::from_millis(200);

/// An action for the caller.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// Send a question to all hosts.
    Ask {
        /// The number of this question.
        turn: u32,
        /// How long PEs may take to report their place in the program, in milliseconds. 0: do not ask for it.
        places_ms: u32,
    },
    /// Print these lines for the user.
    Tell(Vec<String>),
    /// End the job, which cannot go on.
    End,
}

/// The answer of one host.
struct Said {
    host: String,
    sights: Vec<Sight>,
}

/// Why hosts are asked.
enum Purpose {
    /// Look for PEs that can never go on.
    Round,
    /// Report that these PEs are stuck.
    Stuck(Vec<u32>),
    /// Report that these calls differ.
    Different(Difference),
    /// Report where all PEs are, for this reason. True if the reason is that nothing has moved for long: then the job may be ended.
    RollCall(String, bool),
}

/// The survey of a job.
pub struct Survey {
    nodes: u32,
    pes: u32,
    turn: u32,
    purpose: Option<Purpose>,
    said: BTreeMap<u32, Said>,
    asked_at: Instant,
    /// A host reported a wait after the last round began.
    wanted: bool,
    /// Earliest time of the next round, and the pause after it.
    next_round: Instant,
    pause: Duration,
    watch: Watch,
    /// A finding was reported, so there are no further rounds.
    is_over: bool,
    is_still_told: bool,
}

impl Survey {
    /// The survey of a job of this many nodes and PEs.
    pub fn new(nodes: u32, pes: u32) -> Self {
        let now = Instant::now();
        Survey {
            nodes,
            pes,
            turn: 0,
            purpose: None,
            said: BTreeMap::new(),
            asked_at: now,
            wanted: false,
            next_round: now,
            pause: PAUSE.0,
            watch: Watch::default(),
            is_over: false,
            is_still_told: false,
        }
    }

    /// A host reports that its PEs wait, and nothing changes there.
    pub fn stands(&mut self, now: Instant) -> Option<Step> {
        self.wanted = true;
        self.begin_round(now)
    }

    /// Ask where all PEs are. A round that this interrupts is repeated later, and a proof is found again.
    pub fn call_roll(&mut self, why: &str, now: Instant) -> Step {
        match self.purpose {
            None | Some(Purpose::RollCall(_, false)) => {}
            Some(Purpose::RollCall(_, true)) => (self.wanted, self.is_still_told) = (true, false),
            Some(Purpose::Round) => self.wanted = true,
            Some(Purpose::Stuck(_) | Purpose::Different(_)) => (self.wanted, self.is_over) = (true, false),
        }
        self.ask(Purpose::RollCall(why.to_owned(), false), now)
    }

    /// When to call [`Survey::on_timer`].
    pub fn next_timer(&self) -> Option<Instant> {
        match self.purpose {
            Some(Purpose::RollCall(..)) => Some(self.roll_call_ends()),
            Some(_) => None,
            None => (self.wanted && !self.is_over).then_some(self.next_round),
        }
    }

    /// Begin a round or conclude a roll-call, if it is time.
    pub fn on_timer(&mut self, now: Instant) -> Vec<Step> {
        match self.purpose {
            Some(Purpose::RollCall(..)) if self.roll_call_ends() <= now => self.conclude(now),
            _ => self.begin_round(now).into_iter().collect(),
        }
    }

    /// The job ends: report the answers that a roll-call has brought so far.
    pub fn finish(&mut self, now: Instant) -> Vec<Step> {
        if matches!(self.purpose, Some(Purpose::RollCall(..))) { self.conclude(now) } else { Vec::new() }
    }

    /// Handle the answer of `node` to question `turn`.
    pub fn said(&mut self, turn: u32, node: u32, host: String, sights: Vec<Sight>, now: Instant) -> Vec<Step> {
        if turn != self.turn || self.purpose.is_none() || node >= self.nodes {
            return Vec::new();
        }
        self.said.insert(node, Said { host, sights });
        if self.said.len() < self.nodes as usize { Vec::new() } else { self.conclude(now) }
    }

    fn roll_call_ends(&self) -> Instant {
        self.asked_at + Duration::from_millis(ROLL_CALL_MS.into()) + ON_THE_WAY
    }

    fn begin_round(&mut self, now: Instant) -> Option<Step> {
        let may = self.wanted && self.purpose.is_none() && !self.is_over && self.next_round <= now;
        may.then(|| {
            self.wanted = false;
            self.watch = Watch::default();
            self.ask(Purpose::Round, now)
        })
    }

    fn ask(&mut self, purpose: Purpose, now: Instant) -> Step {
        let places_ms = match purpose {
            Purpose::Round => 0,
            Purpose::RollCall(..) => ROLL_CALL_MS,
            Purpose::Stuck(_) | Purpose::Different(_) => PLACES_MS,
        };
        self.turn = self.turn.wrapping_add(1);
        self.said.clear();
        (self.purpose, self.asked_at) = (Some(purpose), now);
        Step::Ask { turn: self.turn, places_ms }
    }

    /// Evaluate the answers: all hosts have answered, or the time is over.
    fn conclude(&mut self, now: Instant) -> Vec<Step> {
        let hosts: Vec<String> = self.said.values().map(|said| said.host.clone()).collect();
        let is_still = self.said.values().all(|said| said.sights.iter().any(|sight| sight.still_ms > 0));
        let mut sights: Vec<Sight> =
            std::mem::take(&mut self.said).into_values().flat_map(|said| said.sights).collect();
        sights.sort_by_key(|sight| sight.seen.pe);
        find_absent(&mut sights);
        let Some(purpose) = self.purpose.take() else { return Vec::new() };
        let (lines, may_end) = match purpose {
            Purpose::Round => return self.judge(&sights, is_still, now).into_iter().collect(),
            Purpose::RollCall(why, is_due) => (roll_call(&sights, &why, &hosts, self.pes), is_due),
            Purpose::Stuck(pes) => (account::stuck(&all(&sights), &pes, self.pes, |pe| past(&sights, pe)), true),
            Purpose::Different(found) => {
                let told = report::different(&found, &all(&sights), self.pes);
                (account::different(told, &found, |pe| past(&sights, pe)), true)
            }
        };
        let ends = may_end && sights.iter().any(|sight| sight.aborts);
        [Step::Tell(lines)].into_iter().chain(ends.then_some(Step::End)).chain(self.begin_round(now)).collect()
    }

    /// Evaluate the answers of a round.
    fn judge(&mut self, sights: &[Sight], is_still: bool, now: Instant) -> Option<Step> {
        if sights.iter().any(|sight| sight.told) {
            self.is_over = true;
            return None;
        }
        if let Some(found) = difference(sights) {
            self.is_over = true;
            return Some(self.ask(Purpose::Different(found), now));
        }
        let seen: Vec<Seen> = sights.iter().map(|sight| sight.seen.clone()).collect();
        let whole = seen.len() == self.pes as usize;
        if let Some(proven) = self.watch.proves(&seen, whole) {
            self.is_over = true;
            let pes = proven.into_iter().map(|at| seen[at].pe).collect();
            return Some(self.ask(Purpose::Stuck(pes), now));
        }
        if !stuck(&seen, whole).is_empty() {
            return Some(self.ask(Purpose::Round, now));
        }
        if is_still && whole && !self.is_still_told {
            self.is_still_told = true;
            let seconds = sights.iter().map(|sight| sight.still_ms).max().unwrap_or(0) as f64 / 1e3;
            return Some(self.ask(Purpose::RollCall(format!("no progress for {seconds} s"), true), now));
        }
        self.next_round = now + self.pause;
        self.pause = (self.pause * 2).min(PAUSE.1);
        None
    }
}

/// The last calls of a PE, as reported by its host.
fn past(sights: &[Sight], pe: u32) -> Vec<String> {
    sights.iter().find(|sight| sight.seen.pe == pe).map(|sight| sight.past.clone()).unwrap_or_default()
}

fn all(sights: &[Sight]) -> Vec<Seen> {
    sights.iter().map(|sight| sight.seen.clone()).collect()
}

/// The lines of a roll-call. None if the job's processes are no PEs.
fn roll_call(sights: &[Sight], why: &str, hosts: &[String], of: u32) -> Vec<String> {
    if sights.iter().all(|sight| sight.seen.phase == Phase::Absent) {
        return Vec::new();
    }
    let place = match hosts {
        [one] => format!("host {one}"),
        several => format!("{} hosts", several.len()),
    };
    let seen = all(sights);
    let told = report::roll_call(&seen, why, &place, monotonic_ns(), of);
    let carrier = sights.iter().find(|sight| sight.seen.pe == 0).map(|sight| sight.carrier.clone());
    let mut lines = account::roll_call(told, &seen, |pe| past(sights, pe));
    lines.extend(carrier.filter(|line| !line.is_empty()));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrite_diagnose::entry::{Entry, EntryKind};
    use ferrite_diagnose::record::Called;
    use ferrite_diagnose::status::{Class, Waiting};

    /// A PE that waits in its `arrived`-th barrier of the world, and has polled `looks` times.
    fn waits(pe: u32, arrived: u64, looks: u64) -> Sight {
        let name = "shmem_barrier_all".to_owned();
        let waiting = Waiting {
            version: 1,
            class: Class::Collective,
            since_ns: 0,
            name,
            absent: None,
            team: Some(0),
            place: Some("a.c:7".into()),
        };
        let calls = vec![(arrived, Entry::bare(EntryKind::Barrier))];
        Sight {
            seen: Seen { pe, phase: Phase::Joined, looks, waiting: Some(waiting) },
            called: vec![(0, Called { key: 9, rank: pe, arrived, calls })],
            past: vec!["shmem_init".into()],
            carrier: String::new(),
            still_ms: 0,
            aborts: true,
            told: false,
        }
    }

    fn left(pe: u32) -> Sight {
        let Sight { seen, .. } = waits(pe, 1, 0);
        Sight { seen: Seen { phase: Phase::Left, waiting: None, ..seen }, ..waits(pe, 1, 0) }
    }

    fn computes(pe: u32) -> Sight {
        let Sight { seen, .. } = waits(pe, 1, 0);
        Sight { seen: Seen { waiting: None, ..seen }, ..waits(pe, 1, 0) }
    }

    /// Answer the n-th question with `shows(n)`, from two hosts. Returns the lines for the user and the number of questions.
    fn survey(shows: impl Fn(u32) -> [Vec<Sight>; 2]) -> (Vec<Step>, u32) {
        let (mut survey, now) = (Survey::new(2, 2), Instant::now());
        let mut steps: Vec<Step> = survey.stands(now).into_iter().collect();
        let (mut told, mut asked) = (Vec::new(), 0);
        while let Some(step) = steps.pop() {
            match step {
                Step::Ask { turn, .. } if asked < 50 => {
                    asked += 1;
                    let [first, second] = shows(asked);
                    assert_eq!(survey.said(turn, 0, "a".into(), first, now), []);
                    assert_eq!(survey.said(turn + 1, 1, "b".into(), vec![], now), [], "of another question");
                    steps = survey.said(turn, 1, "b".into(), second, now);
                    steps.reverse();
                }
                Step::Ask { .. } => break,
                other => told.push(other),
            }
        }
        (told, asked)
    }

    #[test]
    fn a_pe_of_another_host_that_has_left_is_named() {
        let (told, _) = survey(|n| [vec![waits(0, 2, 10 * u64::from(n))], vec![left(1)]]);
        let [Step::Tell(lines), Step::End] = &told[..] else { panic!("{told:?}") };
        assert_eq!(lines.last().unwrap(), "PE 0 waits in shmem_barrier_all (a.c:7); PE 1 has left the job: look there");
        assert!(lines.iter().any(|line| line == "  PE 1's last calls: shmem_init"), "{lines:?}");
    }

    #[test]
    fn mismatch_over_two_hosts_is_reported_at_once() {
        let mut other = waits(1, 2, 0);
        other.called[0].1.calls[0].1 = Entry::sized(EntryKind::Allocate, 4096);
        other.seen.waiting.as_mut().unwrap().name = "shmem_malloc(4096)".into();
        let (told, asked) = survey(|_| [vec![waits(0, 2, 0)], vec![other.clone()]]);
        let [Step::Tell(lines), Step::End] = &told[..] else { panic!("{told:?}") };
        assert_eq!(asked, 2);
        assert_eq!(
            lines.last().unwrap(),
            "PE 0 waits in shmem_barrier_all (a.c:7); PE 1 is in shmem_malloc(4096) (a.c:7): look there"
        );
    }

    #[test]
    fn pes_that_may_go_on_are_not_reported() {
        for (what, other) in [("computes", computes(1)), ("has come", waits(1, 2, 0))] {
            let (told, asked) = survey(|_| [vec![waits(0, 2, 0)], vec![other.clone()]]);
            assert_eq!((told, asked), (vec![], 1), "{what}");
        }
        // A PE whose polls do not advance is not known to wait.
        let (told, asked) = survey(|_| [vec![waits(0, 2, 0)], vec![left(1)]]);
        assert_eq!((told, asked), (vec![], 50));
        // Findings that PEs of a host have reported are not repeated.
        let mut told_of = waits(0, 2, 0);
        told_of.told = true;
        assert_eq!(survey(|_| [vec![told_of.clone()], vec![left(1)]]).0, []);
    }

    #[test]
    fn a_roll_call_ends_with_the_carrier_of_pe_0() {
        let carried = |pe: u32| Sight { carrier: format!("PE {pe} reaches other hosts by tcp"), ..computes(pe) };
        let lines = roll_call(&[carried(0), carried(1)], "roll-call", &["a".to_owned(), "b".to_owned()], 2);
        assert_eq!(lines.last().unwrap(), "PE 0 reaches other hosts by tcp");
        let lines = roll_call(&[computes(0), computes(1)], "roll-call", &["a".to_owned()], 2);
        assert!(!lines.iter().any(|line| line.is_empty() || line.contains("reaches")), "{lines:?}");
    }

    #[test]
    fn a_roll_call_does_not_wait_for_ever() {
        let (mut survey, now) = (Survey::new(2, 2), Instant::now());
        assert!(matches!(survey.call_roll("roll-call", now), Step::Ask { turn: 1, places_ms: ROLL_CALL_MS }));
        assert_eq!(survey.said(1, 0, "a".into(), vec![waits(0, 2, 0)], now), []);
        let end = survey.next_timer().unwrap();
        assert_eq!(survey.on_timer(now), []);
        let steps = survey.on_timer(end);
        let [Step::Tell(lines)] = &steps[..] else { panic!("{steps:?}") };
        assert_eq!(lines[0], "roll-call; host a, 1 of 2 PEs:");
        assert_eq!(survey.finish(end), []);
    }

    /// The steps for the user if the first question about places within `places` is interrupted by a roll-call. One host answers with `shows()`.
    fn interrupted(places: u32, mut shows: impl FnMut() -> Vec<Sight>) -> Vec<Step> {
        let (mut survey, now) = (Survey::new(1, 2), Instant::now());
        let mut steps: Vec<Step> = survey.stands(now).into_iter().collect();
        let (mut told, mut called) = (Vec::new(), false);
        while let Some(step) = steps.pop() {
            let Step::Ask { turn, places_ms } = step else {
                told.push(step);
                continue;
            };
            if places_ms == places && !called {
                called = true;
                steps.push(survey.call_roll("roll-call", now));
                continue;
            }
            steps = survey.said(turn, 0, "a".into(), shows(), now);
            steps.reverse();
        }
        told
    }

    #[test]
    fn a_proof_is_reported_after_a_roll_call() {
        let mut looks = 0;
        let told = interrupted(PLACES_MS, || {
            looks += 10;
            vec![waits(0, 2, looks), left(1)]
        });
        let [Step::Tell(roll_call), Step::Tell(proof), Step::End] = &told[..] else { panic!("{told:?}") };
        assert_eq!(roll_call[0], "roll-call; host a, 2 of 2 PEs:");
        assert!(proof.last().unwrap().ends_with("PE 1 has left the job: look there"), "{proof:?}");
    }

    #[test]
    fn a_host_that_stands_still_is_reported_after_a_roll_call() {
        let still = |pe| Sight { still_ms: 3_000, ..computes(pe) };
        let told = interrupted(ROLL_CALL_MS, || vec![still(0), still(1)]);
        let [Step::Tell(roll_call), Step::Tell(still), Step::End] = &told[..] else { panic!("{told:?}") };
        assert_eq!(roll_call[0], "roll-call; host a, 2 of 2 PEs:");
        assert_eq!(still[0], "no progress for 3 s; host a, 2 of 2 PEs:");
    }

    #[test]
    fn rounds_in_vain_become_seldom() {
        let (mut survey, mut now) = (Survey::new(1, 2), Instant::now());
        let mut pauses = Vec::new();
        for _ in 0..9 {
            let begin = now;
            let step = survey.stands(now).or_else(|| {
                now = survey.next_timer().unwrap();
                survey.on_timer(now).pop()
            });
            let Some(Step::Ask { turn, .. }) = step else { panic!("{step:?}") };
            pauses.push((now - begin).as_millis());
            assert_eq!(survey.said(turn, 0, "a".into(), vec![waits(0, 2, 0), computes(1)], now), []);
        }
        assert_eq!(pauses, [0, 250, 500, 1000, 2000, 4000, 8000, 16000, 16000]);
    }
}
