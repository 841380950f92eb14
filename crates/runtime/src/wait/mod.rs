//! Waiting: the only loop of this crate that does not know when it ends.
//!
//! A PE that waits for a peer has three ways to spend the time. It can spin: the answer is seen at once, but on a
//! machine with more PEs than cores the peer that must give it may be the one that is kept from running. It can
//! yield: the core goes to whoever is runnable, at the price of a system call a look. And it can nap: nothing is
//! burnt, and the answer is seen late. Measured with 8 PEs on 2 cores, a barrier takes 24 ms spinning, 8 us
//! yielding, 59 us with futexes; so a [`Wait`] spins briefly (long enough for an answer already on its way where
//! every PE has a core), then yields, and naps only when it has waited so long that a nap is a small part of it, or when
//! others compute on its core, to whom a yield gives it for long ([`cpu_contention`]).
//!
//! A PE that reaches peers by a transport, and shares its core, has a fourth: to doze in the transport, which wakes it as soon
//! as a peer speaks. It does so where others would nap. To be woken takes longer than to look again: with 4 PEs on 2 cores, of which
//! three wait in a barrier, a get from them took 40 us where they dozed at once, and 14 where they yielded.
//! A peer on the same node speaks through memory and wakes nobody, so a doze is short.
//!
//! A program may also wait in a loop of its own. Loops over the test routines yield here ([`Patience::failed_look`]), since a test
//! that fails says that somebody waits. A loop over `shmem_g` or `shmem_atomic_fetch` says nothing: its calls are those of any
//! other program, and to count them would cost each of them a load, an addition and a store, a tenth of the call. With
//! more PEs than cores such a loop lasts until the scheduler takes the core away.

mod cpu_contention;
pub(crate) mod load;
pub(crate) mod state;

use core::time::Duration;
use ferrite_fabric::Doze;
use std::time::Instant;

/// How a world waits; decided once, from the number of PEs and cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Patience {
    /// Looks before the core is offered to others.
    spins: u32,
    /// PEs that take turns with this one on its core.
    others: u32,
    /// Looks where others compute on the core, if those are more.
    looks_when_contended: u32,
    /// Whether to nap at all: not where every PE has a core of its own.
    naps: bool,
    /// Whether this PE moves its peers' messages itself: then looks are moments to make progress.
    carries: bool,
    /// How often this PE naps, where others compute on its core, before it dozes in its transport: peers that store to its memory
    /// wake nobody.
    naps_before_dozing: u32,
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
/// Yields before a nap of a PE beside which nobody computes.
const YIELDS_BEFORE_NAPS: u32 = 20_000;
/// Looks before a nap where others compute on the core: several ways there and back, for as long as the peer happens to have a core
/// too. Half a round trip of two PEs beside six that compute, on two cores, took 2 us with 250 and more than 100 with 8.
const LOOKS_WHEN_CONTENDED: u32 = 250;
/// Naps, where others compute on the core, before a PE dozes in its transport: enough for a peer on the same node to answer.
const NAPS_BEFORE_DOZING: u32 = 16;
/// Looks of a PE with a core for itself, by system calls, until it offers the core to others.
const FAR_LOOKS_PER_YIELD: u32 = 256;
/// Failed looks of the program's own, where PEs share cores, until it sleeps for once. The scheduler counts a yield as a whole
/// slice: of some Linux (6.18) a dozen threads that only yield keep all others of the machine from running, for seconds.
const LOOKS_PER_NAP: u32 = 256;
const SHORT_NAP: Duration = Duration::from_micros(50);
/// Dozes in a row that a transport ends, until the waiter lets others run: it may have something that no look of ours takes away.
const STIRS_PER_REST: u32 = 64;
/// A doze lasts no longer than this, for what peers on the same node store wakes nobody.
const DOZE_MAX: Duration = Duration::from_micros(200);
/// A nap lasts this fraction of the time waited so far...
const NAP_FRACTION: u32 = 64;
/// ...but no longer than this.
const NAP_MAX: Duration = Duration::from_millis(1);

impl Patience {
    /// Every PE has a core: spin for some tens of microseconds.
    pub const fn dedicated() -> Patience {
        Patience {
            spins: 4_000,
            others: 0,
            looks_when_contended: 0,
            naps: false,
            carries: false,
            naps_before_dozing: 0,
        }
    }

    /// So many other PEs share this one's core: look a few times, then let them run.
    pub const fn shared(others: u32) -> Patience {
        Patience {
            spins: 8,
            others,
            looks_when_contended: LOOKS_WHEN_CONTENDED,
            naps: true,
            carries: false,
            naps_before_dozing: 0,
        }
    }

    /// The same for a PE that reaches peers by a transport; `maps_peers`: others store to its memory, and wake nobody. Each look is a
    /// system call: where PEs share cores it is better spent by the peer.
    pub const fn carrying(self, maps_peers: bool) -> Patience {
        let naps_before_dozing = if maps_peers { NAPS_BEFORE_DOZING } else { 0 };
        let spins = if self.naps { 2 } else { self.spins };
        Patience { carries: true, spins, looks_when_contended: 0, naps_before_dozing, ..self }
    }

    /// The same for what comes by the transport alone.
    pub const fn for_carried(self) -> Patience {
        Patience { naps_before_dozing: 0, ..self }
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
            if self.naps && cpu_contention::is_contended() { pause(SHORT_NAP) } else { self.make_way() }
        }
    }

    /// Yield. Of one's own core there is nothing to learn.
    fn make_way(self) {
        if self.naps { cpu_contention::learn_from(give_way, self.others) } else { give_way() }
    }

    /// Whether every PE has a core.
    pub fn is_dedicated(self) -> bool {
        !self.naps
    }

    /// What suits so many PEs a core.
    pub fn for_load(pes_per_core: usize) -> Patience {
        if pes_per_core <= 1 { Patience::dedicated() } else { Patience::sharing(pes_per_core) }
    }

    /// What suits PEs that share cores, even if there are enough.
    pub fn sharing(pes_per_core: usize) -> Patience {
        Patience::shared(pes_per_core.saturating_sub(1) as u32)
    }

    /// Begin to wait.
    #[inline(always)]
    pub fn begin(self) -> Wait {
        Wait { patience: self, looks: 0, stirs: 0, since: None }
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
    /// Dozes that were none, or ended early, since one that was not.
    stirs: u32,
    since: Option<Instant>,
}

impl Wait {
    /// How often this wait has looked.
    #[inline(always)]
    pub fn looks(&self) -> u32 {
        self.looks
    }

    /// Pass the time until the next look.
    #[inline(always)]
    pub fn look_again(&mut self) -> Moment {
        self.looks = self.looks.saturating_add(1);
        if self.looks < self.patience.spins
            || self.looks < self.patience.looks_when_contended && cpu_contention::is_contended()
        {
            if self.looks > EAGER_LOOKS {
                relax();
            }
            return if self.patience.carries { Moment::Progress } else { Moment::Look };
        }
        if self.patience.carries && self.patience.naps && self.is_time_to_sleep(self.patience.naps_before_dozing) {
            return Moment::Doze(DOZE_MAX);
        }
        // Of a PE that has a core for itself and looks by system calls, most need no other beside them: who waits for an
        // answer is often asked meanwhile.
        if !self.patience.carries || self.patience.naps || self.looks.is_multiple_of(FAR_LOOKS_PER_YIELD) {
            self.rest();
        }
        Moment::Progress
    }

    /// What came of [`Moment::Doze`]. Where a transport cannot be waited for others run all the same, and once in a while where it
    /// always has something.
    pub fn dozed(&mut self, outcome: Doze) {
        match outcome {
            Doze::Refused => self.rest(),
            Doze::Through => self.stirs = 0,
            Doze::Busy | Doze::Woken => {
                self.stirs += 1;
                if self.stirs.is_multiple_of(STIRS_PER_REST) {
                    self.rest();
                }
            }
        }
    }

    /// Let others run.
    #[cold]
    #[inline(never)]
    pub fn rest(&mut self) {
        if !self.patience.naps || !self.is_time_to_sleep(0) {
            return self.patience.make_way();
        }
        let since = *self.since.get_or_insert_with(now);
        pause((since.elapsed() / NAP_FRACTION).clamp(SHORT_NAP, NAP_MAX));
    }

    /// Whether to sleep is better than to yield: after very many times, or, where others compute on the core, after so many.
    fn is_time_to_sleep(&self, when_contended: u32) -> bool {
        let passed = self.looks.saturating_sub(self.patience.spins);
        passed >= YIELDS_BEFORE_NAPS || passed >= when_contended && cpu_contention::is_contended()
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
        assert_eq!(Patience::for_load(1), Patience::dedicated());
        assert_eq!(Patience::for_load(2), Patience::shared(1));
        assert_eq!(Patience::for_load(16), Patience::shared(15));
    }

    #[test]
    fn progress_is_made_while_waiting() {
        for patience in [Patience::dedicated(), Patience::shared(1)] {
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
        let last = |patience: Patience| {
            let wait = &mut Wait { patience, looks: patience.spins + YIELDS_BEFORE_NAPS, stirs: 0, since: None };
            (patience.begin().look_again(), wait.look_again())
        };
        assert_eq!(last(Patience::dedicated()), (Moment::Look, Moment::Progress));
        assert_eq!(last(Patience::shared(1)), (Moment::Look, Moment::Progress));
        assert_eq!(last(Patience::dedicated().carrying(false)), (Moment::Progress, Moment::Progress));
        assert_eq!(last(Patience::shared(1).carrying(false)), (Moment::Progress, Moment::Doze(DOZE_MAX)));
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
                        Patience::shared(1).until(ready, |wait| {
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
