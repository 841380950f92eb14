//! How often a lane that waits for its own operations looks after what peers ask of this PE.
//!
//! A look at either may cost a system call, and the answer that is waited for comes no sooner for looking elsewhere. Yet the
//! peer that it has to come from may itself wait for this PE. So the looks elsewhere become rarer as long as they find nothing,
//! and frequent again with the first that does.
//!
//! But never very rare. Where two PEs put at each other, and their libraries move data only while they are called, each waits for
//! the other to look: over libfabric's tcp put and quiet of both took 15 us with one look in 4, 20 with one in 8, 50 with one in 64,
//! where a put alone gained nothing beyond one in 4.

use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

/// One look elsewhere in so many, while they find something.
const FREQUENT: i32 = 2;
/// And while they do not.
const RARE: i32 = 4;
/// A look elsewhere that is due is put off by so many that have found something, since the program may be waiting for just that.
const PUT_OFF_MAX: i32 = 16;

/// The turns of one lane. Threads that share it may lose a count to each other: that is one look sooner or later.
#[derive(Debug)]
pub struct Turns {
    left: AtomicI32,
}

impl Default for Turns {
    fn default() -> Self {
        Turns { left: AtomicI32::new(FREQUENT) }
    }
}

impl Turns {
    /// To be called with each look at the lane's own operations, which has `found` so much: looks elsewhere by `serve`, if it is
    /// time, and gives the number of things that happened at both.
    #[inline]
    pub fn take(&self, found: usize, serve: impl FnOnce() -> usize) -> usize {
        let left = self.left.load(Relaxed) - 1;
        self.left.store(left, Relaxed);
        if left > if found > 0 { -PUT_OFF_MAX } else { 0 } {
            return found;
        }
        let happened = serve();
        self.left.store(if happened > 0 { FREQUENT } else { RARE }, Relaxed);
        found + happened
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// How many of so many looks, which find nothing themselves, are looks elsewhere.
    fn served(turns: &Turns, looks: i32, happened: usize) -> i32 {
        let count = Cell::new(0);
        for _ in 0..looks {
            turns.take(0, || {
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
        assert!((0..RARE).any(|_| turns.take(0, || 1) > 0));
        assert_eq!(served(&turns, 10 * FREQUENT, 1), 10);
    }

    #[test]
    fn what_is_found_comes_first_but_not_for_ever() {
        let turns = Turns::default();
        let looks = (1..1000).find(|_| turns.take(1, || 5) == 6);
        assert!(looks.is_some_and(|looks| looks > PUT_OFF_MAX && looks < 2 * PUT_OFF_MAX), "{looks:?}");
        let turns = Turns::default();
        turns.take(0, || 0);
        assert_eq!(turns.take(1, || 5), 1, "put off");
        assert_eq!(turns.take(0, || 5), 5, "until nothing is found");
    }
}
