//! Waiting: the only loop of this crate that does not know when it ends.
//!
//! A PE that waits for a peer has three ways to spend the time. It can spin: the answer is seen at once, but on a
//! machine with more PEs than cores the peer that must give it may be the one that is kept from running. It can
//! yield: the core goes to whoever is runnable, at the price of a system call a look. And it can nap: nothing is
//! burnt, and the answer is seen late. Measured with 8 PEs on 2 cores, a barrier takes 24 ms spinning, 8 us
//! yielding, 59 us with futexes; so a [`Wait`] spins briefly (long enough for an answer already on its way where
//! every PE has a core), then yields, and naps only when it has waited so long that a nap is a small part of it.
//!
//! A PE that reaches peers by a transport, and shares its core, has a fourth: to doze in the transport, which wakes it as soon
//! as a peer speaks. Looks cost it system calls, and whoever sleeps leaves the core to the peer that it waits for.
//! A peer on the same node speaks through memory and wakes nobody, so a doze is short.
//!
//! A program may also wait in a loop of its own. Loops over the test routines yield here ([`Patience::failed_look`]), since a test
//! that fails says that somebody waits. A loop over `shmem_g` or `shmem_atomic_fetch` says nothing: its calls are those of any
//! other program, and to count them would cost each of them a load, an addition and a store, a tenth of the call. With
//! more PEs than cores such a loop lasts until the scheduler takes the core away.

use core::time::Duration;
use std::time::Instant;

/// How a world waits; decided once, from the number of PEs and cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Patience {
    /// Looks before the core is offered to others.
    spins: u32,
    /// Whether to nap at all: not where every PE has a core of its own.
    naps: bool,
    /// Whether this PE moves its peers' messages itself: then looks are moments to make progress.
    carries: bool,
    /// After how many looks each, at first.
    looks_per_step: u32,
}

/// What to do until the next look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    /// Nothing: the time has passed.
    Look,
    /// Make progress.
    Progress,
    /// Make progress, and sleep so long at most if it made none.
    Doze(Duration),
}

/// Looks without a pause between them: the time of a cache line's way between two cores.
const EAGER_LOOKS: u32 = 64;
/// The first looks for a step of progress, where peers store. A step takes as long as some thirty of them. But a line that is read
/// all the time is also slow to come: half a round trip between near cores took 60 ns with 8, 66 with 16, 80 with 64.
const LOOKS_PER_STEP: u32 = 8;
/// Yields before the clock is read for the first time.
const YIELDS_BEFORE_NAPS: u32 = 20_000;
/// Yields of a PE before it dozes in its transport: enough for a peer on the same node to answer.
const YIELDS_BEFORE_DOZING: u32 = 16;
/// Looks of a PE with a core for itself, by system calls, until it offers the core to others.
const FAR_LOOKS_PER_YIELD: u32 = 256;
/// Failed looks of the program's own, where PEs share cores, until it sleeps for once. The scheduler counts a yield as a whole
/// slice: of some Linux (6.18) a dozen threads that only yield keep all others of the machine from running, for seconds.
const LOOKS_PER_NAP: u32 = 256;
const SHORT_NAP: Duration = Duration::from_micros(50);
/// A doze lasts no longer than this, for what peers on the same node store wakes nobody.
const DOZE_MAX: Duration = Duration::from_micros(200);
/// A nap lasts this fraction of the time waited so far...
const NAP_FRACTION: u32 = 64;
/// ...but no longer than this.
const NAP_MAX: Duration = Duration::from_millis(1);

impl Patience {
    /// Every PE has a core: spin for some tens of microseconds.
    pub const fn dedicated() -> Patience {
        Patience { spins: 4_000, naps: false, carries: false, looks_per_step: 1 }
    }

    /// PEs share cores: look a few times, then let others run.
    pub const fn shared() -> Patience {
        Patience { spins: 8, naps: true, carries: false, looks_per_step: 1 }
    }

    /// The same for a PE that reaches peers by a transport. Each look is a system call: where PEs share cores it is better
    /// spent by the peer. Where peers store to our memory themselves a look need be none, and the first looks are for that.
    pub const fn carrying(self, peers_store: bool) -> Patience {
        let looks_per_step = if peers_store { LOOKS_PER_STEP } else { 1 };
        Patience { carries: true, spins: if self.naps { 2 } else { self.spins }, looks_per_step, ..self }
    }

    /// How many looks of the program's own (`shmem_test` in a loop) may fail before the core is offered to others.
    fn looks_per_yield(self) -> u32 {
        if self.naps { 4 } else { 4_096 }
    }

    /// A look of the program's own has failed, the `failed`-th since the start: it may be in a loop that waits for a PE
    /// that has no core.
    pub fn failed_look(self, failed: u32) {
        if self.naps && failed.is_multiple_of(LOOKS_PER_NAP) {
            pause(SHORT_NAP);
        } else if failed.is_multiple_of(self.looks_per_yield()) {
            give_way();
        }
    }

    /// Whether every PE has a core.
    pub fn is_dedicated(self) -> bool {
        !self.naps
    }

    /// What suits `pes` PEs on `cores` cores.
    pub fn for_load(pes: usize, cores: usize) -> Patience {
        if pes <= cores { Patience::dedicated() } else { Patience::shared() }
    }

    /// Begin to wait.
    #[inline(always)]
    pub fn begin(self) -> Wait {
        Wait { patience: self, looks: 0, since: None }
    }

    /// Look until `ready` says so, doing `pass` between two looks.
    #[inline(always)]
    pub fn until<T>(self, mut ready: impl FnMut() -> Option<T>, mut pass: impl FnMut(&mut Wait)) -> T {
        let mut wait = self.begin();
        loop {
            if let Some(value) = ready() {
                return value;
            }
            pass(&mut wait);
        }
    }
}

/// One wait under way.
pub(crate) struct Wait {
    patience: Patience,
    looks: u32,
    since: Option<Instant>,
}

impl Wait {
    /// Pass the time until the next look.
    #[inline(always)]
    pub fn look_again(&mut self) -> Moment {
        self.looks = self.looks.saturating_add(1);
        if self.looks < self.patience.spins {
            if self.looks > EAGER_LOOKS {
                relax();
            }
            let skips = self.looks < EAGER_LOOKS && !self.looks.is_multiple_of(self.patience.looks_per_step);
            return if self.patience.carries && !skips { Moment::Progress } else { Moment::Look };
        }
        if self.patience.carries
            && self.patience.naps
            && self.looks >= self.patience.spins.saturating_add(YIELDS_BEFORE_DOZING)
        {
            return Moment::Doze(DOZE_MAX);
        }
        // Of a PE that has a core for itself and looks by system calls, most need no other beside them: who waits for an
        // answer is often asked meanwhile.
        if !self.patience.carries || self.patience.naps || self.looks.is_multiple_of(FAR_LOOKS_PER_YIELD) {
            self.rest();
        }
        Moment::Progress
    }

    /// Let others run. What [`Moment::Doze`] asks for where a transport cannot be waited for.
    #[cold]
    #[inline(never)]
    pub fn rest(&mut self) {
        if !self.patience.naps || self.looks < self.patience.spins.saturating_add(YIELDS_BEFORE_NAPS) {
            return give_way();
        }
        let since = *self.since.get_or_insert_with(now);
        let nap = (since.elapsed() / NAP_FRACTION).min(NAP_MAX);
        if nap < Duration::from_micros(20) { give_way() } else { std::thread::sleep(nap) }
    }
}

#[expect(clippy::disallowed_methods, reason = "this is the home of waiting")]
#[inline(always)]
fn relax() {
    core::hint::spin_loop();
}

#[expect(clippy::disallowed_methods, reason = "this is the home of waiting")]
fn give_way() {
    std::thread::yield_now();
}

/// Let time pass: somebody else is about to act.
#[cold]
pub(crate) fn pause(time: Duration) {
    std::thread::sleep(time);
}

fn now() -> Instant {
    Instant::now()
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::cell::Cell;
    use core::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn cores_decide() {
        assert_eq!(Patience::for_load(2, 2), Patience::dedicated());
        assert_eq!(Patience::for_load(3, 2), Patience::shared());
    }

    #[test]
    fn progress_is_made_while_waiting() {
        for patience in [Patience::dedicated(), Patience::shared()] {
            let progressed = Cell::new(0);
            let pass = |wait: &mut Wait| {
                if wait.look_again() == Moment::Progress {
                    progressed.set(progressed.get() + 1);
                }
            };
            assert_eq!(patience.until(|| (progressed.get() == 3).then_some(7), pass), 7);
        }
    }

    #[test]
    fn only_who_carries_messages_and_shares_a_core_dozes() {
        let moments = |patience: Patience| {
            let mut wait = patience.begin();
            let seen: Vec<Moment> = (0..5_000).map(|_| wait.look_again()).collect();
            (seen[0], seen[4_999])
        };
        assert_eq!(moments(Patience::dedicated()), (Moment::Look, Moment::Progress));
        assert_eq!(moments(Patience::shared()), (Moment::Look, Moment::Progress));
        assert_eq!(moments(Patience::dedicated().carrying(false)), (Moment::Progress, Moment::Progress));
        assert_eq!(moments(Patience::shared().carrying(false)), (Moment::Progress, Moment::Doze(DOZE_MAX)));
    }

    #[test]
    fn where_peers_store_the_first_looks_are_at_memory() {
        let steps = |peers_store| {
            let mut wait = Patience::dedicated().carrying(peers_store).begin();
            (0..1_000).filter(|_| wait.look_again() == Moment::Progress).count()
        };
        let skipped = (EAGER_LOOKS - 1) - (EAGER_LOOKS - 1) / LOOKS_PER_STEP;
        assert_eq!((steps(false), steps(true)), (1_000, 1_000 - skipped as usize));
    }

    #[test]
    fn more_waiters_than_cores_get_through() {
        let turn = AtomicU32::new(0);
        std::thread::scope(|scope| {
            for me in 0..16 {
                let turn = &turn;
                scope.spawn(move || {
                    for round in 0..50 {
                        let mine = round * 16 + me;
                        let ready = || (turn.load(Ordering::Acquire) == mine).then_some(());
                        Patience::shared().until(ready, |wait| {
                            let _ = wait.look_again();
                        });
                        turn.store(mine + 1, Ordering::Release);
                    }
                });
            }
        });
        assert_eq!(turn.into_inner(), 16 * 50);
    }
}
