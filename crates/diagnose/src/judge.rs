//! Which PEs can never go on, concluded from the waits that all PEs report.
//!
//! PEs that compute may end any wait of [`Class::Peers`], and may come to any collective. So the PEs that can act are removed from the set
//! of all PEs, until nothing changes:
//!
//! - a PE that reports no wait, or waits for something that others than PEs may do ([`Class::Anyone`]);
//! - a PE in a collective whose absent member can act, or to which all members have come;
//! - a PE that waits for any other PE, while a PE that has not left the job can act.
//!
//! The remaining PEs wait for each other, and for PEs that have left.
//!
//! # One moment
//!
//! A PE reads the statuses one after the other, so the readings together may describe a state that never existed. [`Watch`] therefore
//! compares a set of stuck PEs with later readings. The set is proven once every PE in it is still in the same wait and has looked twice
//! since for the end of its wait, and this for [`ROUNDS`] rounds. The second of the two looks begins after the reading with which the round
//! began, and is in vain: it has found a member absent, maybe another one than the look before. All of them waited all the time, so none
//! has called a collective, and none has stored anything. A collective that still lacks a member may yet make some progress by itself, but
//! comes to rest within a few looks; the further rounds are for that.

use crate::status::{Class, Phase, Seen};

/// Number of rounds in which nothing may change.
pub const ROUNDS: u32 = 3;
/// Number of looks of each PE in a round.
const LOOKS: u64 = 2;

/// The stuck PEs, as indices into `pes`. `whole`: these are all PEs of the job.
pub fn stuck(pes: &[Seen], whole: bool) -> Vec<usize> {
    let mut can_act: Vec<bool> = pes.iter().map(|one| acts(pes, one, whole)).collect();
    loop {
        let someone = can_act.iter().any(|&acts| acts);
        let freed: Vec<usize> =
            (0..pes.len()).filter(|&at| !can_act[at] && is_freed(pes, &can_act, at, someone)).collect();
        if freed.is_empty() {
            break;
        }
        freed.into_iter().for_each(|at| can_act[at] = true);
    }
    (0..pes.len()).filter(|&at| !can_act[at] && pes[at].phase != Phase::Left).collect()
}

/// Whether a PE can act regardless of the others.
fn acts(pes: &[Seen], one: &Seen, whole: bool) -> bool {
    match (one.phase, &one.waiting) {
        (Phase::Left, _) => false,
        (Phase::Absent, _) | (Phase::Joined, None) => true,
        (Phase::Joined, Some(waiting)) => match waiting.class {
            Class::Anyone => true,
            Class::Peers => !whole,
            Class::Collective => waiting.absent.and_then(|pe| place_of(pes, pe)).is_none(),
        },
    }
}

/// Whether a PE can act because others can.
fn is_freed(pes: &[Seen], can_act: &[bool], at: usize, someone: bool) -> bool {
    let Some(waiting) = &pes[at].waiting else { return false };
    if pes[at].phase == Phase::Left {
        return false;
    }
    match waiting.class {
        Class::Collective => waiting.absent.and_then(|pe| place_of(pes, pe)).is_none_or(|absent| can_act[absent]),
        _ => someone,
    }
}

fn place_of(pes: &[Seen], pe: u32) -> Option<usize> {
    pes.iter().position(|one| one.pe == pe)
}

/// The readings of a PE, kept until they are proof.
#[derive(Debug, Default)]
pub struct Watch {
    held: Vec<Held>,
    rounds: u32,
}

/// One stuck PE, as it was when a round began.
#[derive(PartialEq, Eq, Debug)]
struct Held {
    pe: u32,
    version: u64,
    looks: u64,
}

impl Watch {
    /// Add a reading. Return the stuck PEs once they are proven to be stuck.
    pub fn proves(&mut self, pes: &[Seen], whole: bool) -> Option<Vec<usize>> {
        let stuck = stuck(pes, whole);
        let now: Vec<Held> = stuck.iter().filter_map(|&at| Held::of(&pes[at])).collect();
        let same = !now.is_empty()
            && now.len() == self.held.len()
            && now.iter().zip(&self.held).all(|(now, held)| now.is_same(held));
        if !same {
            *self = Watch { held: now, rounds: 0 };
            return None;
        }
        if now.iter().zip(&self.held).all(|(now, held)| now.looks >= held.looks + LOOKS) {
            self.rounds += 1;
            self.held = now;
        }
        (self.rounds >= ROUNDS).then_some(stuck)
    }
}

impl Held {
    fn of(seen: &Seen) -> Option<Held> {
        let waiting = seen.waiting.as_ref()?;
        Some(Held { pe: seen.pe, version: waiting.version, looks: seen.looks })
    }

    fn is_same(&self, other: &Held) -> bool {
        (self.pe, self.version) == (other.pe, other.version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::Waiting;

    fn waits(pe: u32, class: Class, absent: Option<u32>) -> Seen {
        let waiting = Waiting { version: 1, class, since_ns: 0, name: "w".into(), absent, team: None, place: None };
        Seen { pe, phase: Phase::Joined, looks: 0, waiting: Some(waiting) }
    }

    fn collective(pe: u32, absent: u32) -> Seen {
        waits(pe, Class::Collective, Some(absent))
    }

    fn complete(pe: u32) -> Seen {
        waits(pe, Class::Collective, None)
    }

    fn peers(pe: u32) -> Seen {
        waits(pe, Class::Peers, None)
    }

    fn anyone(pe: u32) -> Seen {
        waits(pe, Class::Anyone, None)
    }

    fn computes(pe: u32) -> Seen {
        Seen { pe, phase: Phase::Joined, looks: 0, waiting: None }
    }

    fn left(pe: u32) -> Seen {
        Seen { phase: Phase::Left, ..computes(pe) }
    }

    #[test]
    fn stuck_pes_are_found() {
        let none: &[usize] = &[];
        for (what, pes, whole, expected) in [
            ("one computes", vec![collective(0, 1), computes(1)], true, none),
            ("each in another team's barrier", vec![collective(0, 1), collective(1, 0)], true, &[0, 1]),
            (
                "the same, beside one that computes",
                vec![collective(0, 1), collective(1, 0), computes(2)],
                true,
                &[0, 1],
            ),
            ("a cycle of three", vec![collective(0, 1), collective(1, 2), collective(2, 0)], false, &[0, 1, 2]),
            ("a barrier that all have come to", vec![complete(0), collective(1, 0)], true, none),
            ("one has left", vec![collective(0, 1), left(1)], true, &[0]),
            ("one has left, and one computes", vec![collective(0, 1), left(1), computes(2)], true, &[0]),
            ("all wait for memory", vec![peers(0), peers(1)], true, &[0, 1]),
            ("all wait for memory, of those that are seen", vec![peers(0), peers(1)], false, none),
            ("one that waits has a thread", vec![peers(0), anyone(1)], true, none),
            ("a barrier without one that waits for memory", vec![collective(0, 1), peers(1)], true, &[0, 1]),
            ("the same, and one computes that may store", vec![collective(0, 1), peers(1), computes(2)], true, none),
            ("a wait after all others have left", vec![peers(0), left(1)], true, &[0]),
            ("an absent member that is not seen", vec![collective(0, 7)], false, none),
            (
                "a member that has not joined yet",
                vec![collective(0, 1), Seen { phase: Phase::Absent, ..computes(1) }],
                true,
                none,
            ),
            ("all have left", vec![left(0), left(1)], true, none),
            (
                "a chain to one that computes",
                vec![collective(0, 1), collective(1, 2), computes(2), left(3)],
                true,
                none,
            ),
        ] {
            assert_eq!(stuck(&pes, whole), expected, "{what}");
        }
    }

    #[test]
    fn proof_takes_looks_of_all_in_the_same_waits() {
        let at = |looks: [u64; 2], version| {
            let mut pes = vec![collective(0, 1), collective(1, 0)];
            for (pe, looks) in pes.iter_mut().zip(looks) {
                pe.looks = looks;
                pe.waiting.as_mut().unwrap().version = version;
            }
            pes
        };
        let mut watch = Watch::default();
        let mut looks = |looks, version| watch.proves(&at(looks, version), true).is_some();
        assert!(!looks([0, 0], 1));
        // One of them does not run.
        for n in 1..100 {
            assert!(!looks([n, 0], 1));
        }
        // Another wait restarts the proof.
        assert!(!looks([200, 2], 1) && !looks([202, 4], 1) && !looks([204, 6], 3));
        assert!(!looks([206, 8], 3) && !looks([208, 10], 3));
        assert!(looks([210, 12], 3));
    }

    #[test]
    fn of_two_absent_members_now_one_is_seen_and_now_the_other() {
        let mut watch = Watch::default();
        let proven = (0..10).find(|&round| {
            let mut pes = vec![collective(0, 1 + round as u32 % 2), peers(1), peers(2)];
            pes.iter_mut().for_each(|pe| pe.looks = round * 2);
            watch.proves(&pes, true).is_some()
        });
        assert_eq!(proven, Some(3));
    }

    #[test]
    fn one_that_comes_late_ends_all_doubt() {
        let mut watch = Watch::default();
        let mut pes = vec![collective(0, 1), collective(1, 0)];
        for round in 0..3 {
            pes.iter_mut().for_each(|pe| pe.looks = round * 2);
            assert_eq!(watch.proves(&pes, true), None);
        }
        pes[1].waiting = None;
        assert_eq!(watch.proves(&pes, true), None);
        assert!(watch.held.is_empty());
    }
}
