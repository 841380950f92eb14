//! How often a lane that waits for its own operations looks after what peers ask of this PE, and after the other lanes.
//!
//! A look at either may cost a system call, and the answer that is waited for comes no sooner for looking elsewhere. Yet the
//! peer that it has to come from may itself wait for this PE. So the looks elsewhere become rarer as long as they find nothing,
//! and frequent again with the first that does.
//!
//! But never very rare. Where two PEs put at each other, and their libraries move data only while they are called, each waits for
//! the other to look: over libfabric's tcp put and quiet of both took 15 us with one look in 4, 20 with one in 8, 50 with one in 64,
//! where a put alone gained nothing beyond one in 4.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// One look elsewhere in so many, while they find something.
const FREQUENT: u32 = 2;
/// And while they do not.
const RARE: u32 = 4;
/// A look elsewhere that is due is put off by so many that have found something, since the program may be waiting for just that.
const PUT_OFF_MAX: u32 = 16;
/// One look in so many is one at the other lanes too.
const OTHERS: u32 = 64;

/// The turns of one lane. Threads that share it may lose a count to each other: that is one look sooner or later.
#[derive(Debug)]
pub struct Turns {
    /// Looks since the last one elsewhere.
    looks: AtomicU32,
    /// At which of them another is due.
    due: AtomicU32,
    /// All looks.
    all: AtomicU32,
}

impl Default for Turns {
    fn default() -> Self {
        Turns { looks: AtomicU32::new(0), due: AtomicU32::new(FREQUENT), all: AtomicU32::new(0) }
    }
}

impl Turns {
    /// To be called with each look at the lane's own operations, which has `found` so much: looks elsewhere by `serve`, if it is
    /// time, and gives the number of things that happened at both. `serve` is told how many looks there were since the last time.
    #[inline]
    pub fn take(&self, found: usize, serve: impl FnOnce(u32) -> usize) -> usize {
        let looks = self.looks.load(Relaxed) + 1;
        if looks < self.due.load(Relaxed) + if found > 0 { PUT_OFF_MAX } else { 0 } {
            self.looks.store(looks, Relaxed);
            return found;
        }
        let happened = serve(looks);
        self.looks.store(0, Relaxed);
        self.due.store(if happened > 0 { FREQUENT } else { RARE }, Relaxed);
        found + happened
    }

    /// To be called with each look at the lane's own operations: whether it is time to look at what other lanes have under way.
    #[inline]
    pub fn are_others_due(&self) -> bool {
        let all = self.all.load(Relaxed).wrapping_add(1);
        self.all.store(all, Relaxed);
        all.is_multiple_of(OTHERS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// How many of so many looks, which find nothing themselves, are looks elsewhere.
    fn served(turns: &Turns, looks: u32, happened: usize) -> u32 {
        let count = Cell::new(0);
        for _ in 0..looks {
            turns.take(0, |_| {
                count.set(count.get() + 1);
                happened
            });
        }
        count.get()
    }

    #[test]
    fn looks_that_find_nothing_become_rare_but_never_end() {
        let turns = Turns::default();
        assert_eq!(served(&turns, FREQUENT, 0), 1);
        served(&turns, 10 * RARE, 0);
        assert_eq!(served(&turns, 10 * RARE, 0), 10);
    }

    #[test]
    fn one_that_finds_something_makes_them_frequent() {
        let turns = Turns::default();
        served(&turns, 10 * RARE, 0);
        assert!((0..RARE).any(|_| turns.take(0, |_| 1) > 0));
        assert_eq!(served(&turns, 10 * FREQUENT, 1), 10);
    }

    #[test]
    fn the_other_lanes_have_their_turn() {
        let turns = Turns::default();
        assert_eq!((0..10 * OTHERS).filter(|_| turns.are_others_due()).count(), 10);
    }

    #[test]
    fn whoever_serves_is_told_of_all_looks() {
        let (turns, told) = (Turns::default(), Cell::new(0));
        let looks = 5 * RARE + FREQUENT;
        for _ in 0..looks {
            turns.take(0, |looks| {
                told.set(told.get() + looks);
                0
            });
        }
        assert_eq!(told.get(), looks);
    }

    #[test]
    fn what_is_found_comes_first_but_not_for_ever() {
        let turns = Turns::default();
        let looks = (1..1000).find(|_| turns.take(1, |_| 5) == 6);
        assert!(looks.is_some_and(|looks| looks > PUT_OFF_MAX && looks < 2 * PUT_OFF_MAX), "{looks:?}");
        let turns = Turns::default();
        turns.take(0, |_| 0);
        assert_eq!(turns.take(1, |_| 5), 1, "put off");
        assert_eq!(turns.take(0, |_| 5), 5, "until nothing is found");
    }
}
