//! One host's view of its PEs, from their boards, for the survey of all hosts ([`super::survey`]).
//!
//! In a job of several hosts it reports to its parent when PEs of this host wait and nothing has changed between two looks, once for each
//! such state. It also answers the questions of a survey. The answer is given after each waiting PE has polled twice: the second poll began
//! after the question. A PE that is not running delays the answer, and nothing is concluded.

use super::agent_protocol::Up;
use super::boards::Boards;
use ferrite_diagnose::board::Board;
use ferrite_os::clock::monotonic_ns;
use std::time::Duration;
use tokio::time::Instant;

/// How often PEs are looked at. A proof takes several looks, and should be found within a second.
const LOOK_EVERY: Duration = Duration::from_millis(80);
/// Number of polls of each waiting PE before a question is answered.
const LOOKS: u64 = 2;
/// Number of PEs that are asked for their place in the program.
const PLACES: usize = 16;

/// The watch over the PEs of a host.
pub struct HostWatch {
    node: u32,
    host: String,
    /// Whether the job has other hosts.
    several: bool,
    next: Option<Instant>,
    /// The state at the last look, and the state that was last reported.
    seen: Vec<u64>,
    told: Vec<u64>,
    owed: Option<Owed>,
}

/// A question that is not yet answered.
struct Owed {
    turn: u32,
    /// Deadline for PEs to report their place in the program, if that is asked for.
    places_until: Option<Instant>,
    /// Version and number of polls of each PE's wait, at the time of the question.
    waits: Vec<(u64, u64)>,
}

impl HostWatch {
    /// Watch the PEs of this node. `several`: the job has other hosts.
    pub fn new(node: u32, host: &str, several: bool) -> Self {
        HostWatch {
            node,
            host: host.to_owned(),
            several,
            next: several.then(Instant::now),
            seen: Vec::new(),
            told: Vec::new(),
            owed: None,
        }
    }

    /// Answer question `turn` as soon as possible. `places_ms`: how long PEs may take to report their place in the program; 0: do not ask
    /// for it.
    pub fn ask(&mut self, boards: Option<&Boards>, turn: u32, places_ms: u32, now: Instant) {
        let all: Vec<&Board> = boards.into_iter().flat_map(Boards::iter).map(|(_, board)| board).collect();
        let waits: Vec<(u64, u64)> = all.iter().map(|board| (board.status.wait(), board.status.looks())).collect();
        if places_ms > 0 {
            let waiting = all.iter().zip(&waits).filter(|(_, (version, _))| *version != 0);
            waiting.take(PLACES).for_each(|(board, (version, _))| board.status.ask(*version));
        }
        let places_until = (places_ms > 0).then(|| now + Duration::from_millis(places_ms.into()));
        self.owed = Some(Owed { turn, places_until, waits });
        self.next = Some(now);
    }

    /// When to look next.
    pub fn next_timer(&self) -> Option<Instant> {
        self.next
    }

    /// Look, if it is time to. Returns the reports for the parent.
    pub fn look(&mut self, boards: Option<&Boards>, now: Instant) -> Vec<Up> {
        if self.next.is_none_or(|next| now < next) {
            return Vec::new();
        }
        let mut reports = Vec::new();
        if self.several
            && let Some(boards) = boards
        {
            reports.extend(self.stands(boards).then_some(Up::Stands));
        }
        if let Some(owed) = self.owed.take_if(|owed| owed.is_due(boards, now)) {
            reports.push(self.answer(boards, &owed));
        }
        self.next = (self.several && boards.is_some() || self.owed.is_some()).then(|| now + LOOK_EVERY);
        reports
    }

    /// Whether PEs wait, nothing has changed since the last look, and this state was not reported yet.
    fn stands(&mut self, boards: &Boards) -> bool {
        let first = boards.iter().next().map_or(0, |(_, board)| board.status.still_ms());
        let seen: Vec<u64> = boards.iter().map(|(_, board)| board.status.wait()).chain([first]).collect();
        let waits = boards.iter().any(|(_, board)| board.status.wait() != 0);
        let stands = waits && seen == self.seen && seen != self.told;
        if stands {
            self.told.clone_from(&seen);
        }
        self.seen = seen;
        stands
    }

    fn answer(&self, boards: Option<&Boards>, owed: &Owed) -> Up {
        let first = boards.and_then(|boards| boards.iter().next()).map(|(_, board)| board);
        let sight =
            |(pe, board): (ferrite_fabric::Pe, &Board)| Some(board.sight(pe.0, first?, owed.places_until.is_some()));
        let sights = boards.into_iter().flat_map(Boards::iter).filter_map(sight).collect();
        Up::Sights { turn: owed.turn, node: self.node, host: self.host.clone(), now_ns: monotonic_ns(), sights }
    }
}

impl Owed {
    fn is_due(&self, boards: Option<&Boards>, now: Instant) -> bool {
        let all = boards.into_iter().flat_map(Boards::iter).map(|(_, board)| &board.status).zip(&self.waits);
        let mut waiting = all.filter(|(_, (version, _))| *version != 0);
        match self.places_until {
            // Those that were asked.
            Some(end) => end <= now || waiting.take(PLACES).all(|(status, (version, _))| !status.owes(*version)),
            None => {
                waiting.all(|(status, (version, looks))| status.wait() != *version || status.looks() >= looks + LOOKS)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrite_diagnose::status::Class;
    use ferrite_fabric::Pe;

    #[test]
    fn state_is_reported_once_and_question_answered_after_two_looks() {
        let boards = Boards::make(vec![Pe(0), Pe(1)]).expect("this host has memory files");
        let status = |pe: usize| &boards.iter().nth(pe).unwrap().1.status;
        let mut watch = HostWatch::new(0, "h", true);
        let mut now = Instant::now();
        let mut look = |watch: &mut HostWatch| {
            now += LOOK_EVERY;
            watch.look(Some(&boards), now)
        };
        assert_eq!([look(&mut watch), look(&mut watch)], [[], []]);
        let wait = status(1).publish_wait(Class::Peers, 0, "shmem_int_wait_until", None).unwrap();
        assert_eq!([look(&mut watch), look(&mut watch), look(&mut watch)].concat(), [Up::Stands]);
        watch.ask(Some(&boards), 3, 0, Instant::now());
        assert_eq!(look(&mut watch), []);
        status(1).look(wait, None);
        assert_eq!(look(&mut watch), [], "one look may have begun before");
        status(1).look(wait, None);
        let reports = look(&mut watch);
        let [Up::Sights { turn: 3, node: 0, sights, .. }] = &reports[..] else { panic!("{reports:?}") };
        assert_eq!((sights.len(), sights[1].seen.waiting.as_ref().unwrap().version), (2, wait));
        status(1).end(wait);
        assert_eq!([look(&mut watch), look(&mut watch)], [[], []]);
    }

    /// The first PEs of the host compute, so others are asked.
    #[test]
    fn the_answer_waits_for_the_places_of_the_pes_that_were_asked() {
        let boards = Boards::make((0..=PLACES as u32).map(Pe).collect()).expect("this host has memory files");
        let status = &boards.iter().nth(PLACES).unwrap().1.status;
        let wait = status.publish_wait(Class::Peers, 0, "shmem_int_wait_until", None).unwrap();
        let mut watch = HostWatch::new(0, "h", false);
        let now = Instant::now();
        watch.ask(Some(&boards), 1, 60_000, now);
        assert_eq!(watch.look(Some(&boards), now + LOOK_EVERY), []);
        status.answer(wait, "heat.c:7");
        assert!(matches!(watch.look(Some(&boards), now + 2 * LOOK_EVERY)[..], [Up::Sights { turn: 1, .. }]));
    }

    #[test]
    fn a_host_without_boards_answers_that_it_sees_nothing() {
        let mut watch = HostWatch::new(4, "h", true);
        watch.ask(None, 1, 500, Instant::now());
        let reports = watch.look(None, Instant::now() + LOOK_EVERY);
        let [Up::Sights { node: 4, sights, .. }] = &reports[..] else { panic!("{reports:?}") };
        assert_eq!(sights[..], []);
        assert_eq!(watch.next_timer(), None);
    }
}
