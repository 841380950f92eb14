//! How often a lane that waits for its own operations looks after what peers ask of this PE.
//!
//! A look at either may cost a system call, and the answer that is waited for comes no sooner for looking elsewhere. Yet the
//! peer that it has to come from may itself wait for this PE. So the looks elsewhere become rarer as long as they find nothing,
//! and frequent again with the first that does.
//!
//! But never very rare. Where two PEs put at each other, and their libraries move data only while they are called, each waits for
//! the other to look: over libfabric's tcp put and quiet of both took 15 us with one look in 4, 20 with one in 8, 50 with one in 64,
//! where a put alone gained nothing beyond one in 4.

use std::cell::Cell;

/// One look elsewhere in so many, while they find something.
const FREQUENT: u32 = 2;
/// And while they do not.
const RARE: u32 = 4;

/// The turns of one lane.
#[derive(Debug)]
pub struct Turns {
    left: Cell<u32>,
}

impl Default for Turns {
    fn default() -> Self {
        Turns { left: Cell::new(FREQUENT) }
    }
}

impl Turns {
    /// To be called with each look at the lane's own operations: looks elsewhere by `serve`, if it is time, and gives what that
    /// gives, the number of things that happened.
    #[inline]
    pub fn take(&self, serve: impl FnOnce() -> usize) -> usize {
        let left = self.left.get() - 1;
        self.left.set(left);
        if left > 0 {
            return 0;
        }
        let happened = serve();
        self.left.set(if happened > 0 { FREQUENT } else { RARE });
        happened
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of so many looks are looks elsewhere.
    fn served(turns: &Turns, looks: u32, happened: usize) -> u32 {
        let count = Cell::new(0);
        for _ in 0..looks {
            turns.take(|| {
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
        assert!((0..RARE).any(|_| turns.take(|| 1) > 0));
        assert_eq!(served(&turns, 10 * FREQUENT, 1), 10);
    }
}
