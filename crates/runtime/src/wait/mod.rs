//! Waiting: the only loops of this crate without a known end.
//!
//! A PE that waits for a peer has three ways to spend the time. It can spin: it sees the answer at once, but with more PEs than cores the
//! spinning PE may keep its peer from running. It can yield: another runnable thread gets the core, at the price of a system call per look.
//! It can nap: it uses no CPU time, but sees the answer late. Measured with 8 PEs on 2 cores, a barrier takes 24 ms spinning, 8 us
//! yielding, 59 us with futexes. So a [`Wait`] spins briefly (long enough for an answer already on its way where every PE has a core), then
//! yields. It naps only when it has waited so long that a nap is a small part of the wait, or when other threads compute on its core, which
//! keep the core for long after a yield ([`cpu_contention`]). The latter can happen even on a core of its own, since other jobs and
//! programs do not know about it.
//!
//! A PE that reaches peers over a transport dozes there where other PEs would nap: a message that arrives wakes it. Being woken takes
//! longer than looking again: with 4 PEs on 2 cores, three of them waiting in a barrier, a get from these took 40 us when they dozed at
//! once, and 14 us when they yielded. A peer on the same node communicates through memory and wakes nobody, so a doze lasts no longer than
//! a nap.
//!
//! A program may also wait in a loop of its own. Loops over the test routines yield here ([`Patience::failed_look`]), since a failed test
//! shows that the program waits. A loop over `shmem_g` or `shmem_atomic_fetch` shows nothing: any other program makes the same calls, and
//! counting them would cost each a load, an addition and a store, a tenth of the call. With more PEs than cores such a loop runs until the
//! scheduler takes the core away; [`turns`] makes that happen earlier, if the user asks for it.

mod cpu_contention;
pub(crate) mod load;
pub(crate) mod mates;
pub(crate) mod progress;
pub(crate) mod state;
pub(crate) mod turns;

use core::time::Duration;
use ferrite_fabric::Doze;
use mates::Mates;
pub(crate) use state::WaitPublication;
use std::time::Instant;

/// How a world waits. Decided once, from the number of PEs and cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Patience {
    /// Looks before the PE first offers the core to others.
    spins: u32,
    /// Number of other PEs that share this PE's core.
    others: u32,
    /// Whether to nap even if no process computes on the core: false if every PE has a core of its own.
    naps: bool,
    /// Whether this PE moves its peers' messages itself. If so, each look makes progress.
    carries: bool,
}

/// The action until the next look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    /// Do nothing: the time has passed.
    Look,
    Progress,
    /// Make progress. If there was none, sleep for at most this long.
    Doze(Duration),
}

/// Looks without a pause between them: the time that a cache line takes from one core to another.
const EAGER_LOOKS: u32 = 64;
/// Looks before a nap.
///
/// - Of a waiting PE, when other threads compute on its core: several round trips, in case the peer happens to have a core too. Half a round
///   trip of two PEs beside six computing threads, on two cores, took 2 us with 250 and more than 100 us with 8.
/// - Of the program itself, when its PE shares a core: naps must come between its yields. The scheduler counts a yield as a whole slice, so
///   on some Linux (6.18) a dozen threads that only yield keep all other threads of the machine from running, for seconds.
const LOOKS: u32 = 256;
/// Looks over a transport, each a system call, before a PE with a core of its own lets others run. It is longer than a sleeping peer takes
/// to wake and answer: with fewer looks, each of two PEs sleeps because the other does. Two PEs that take turns over TCP beside two
/// computing processes, on two cores, took 7 times as long as alone with 2 looks, 5 with 16, and 2.5 with 64 or more (`ci/beside`).
/// A doze that the transport ends early is such a look: the transport may have an event that our looks do not consume.
const FAR_LOOKS: u32 = 64;
/// Yields before a nap if no process computes on the core, summed over all PEs that share it: each look of one PE costs a turn of all of
/// them.
/// This takes some tens of milliseconds. When each PE made this many yields, the PEs of a job of 64 on two cores took turns for more than a
/// second. Meanwhile the launcher and the services of the transport, which had work to do, got a core as seldom as each PE did.
const YIELDS_BEFORE_NAPS: u32 = 20_000;
/// A nap lasts this fraction of the time since the first rest: stores by peers on the same node do not end it.
const NAP_FRACTION: u32 = 64;
/// Bounds of a nap, if few PEs share the core. A PE that moves its peers' messages itself may nap, too: messages do not end a nap.
const NAP: (Duration, Duration) = (Duration::from_micros(50), Duration::from_millis(4));
/// If many PEs share a core, a PE that has yielded in vain sleeps at least this long for each of the others. A PE that wakes and finds
/// nothing takes some 30 us of the core, including the cost of the caches that it evicts. 512 PEs that napped for 10 ms each left no time
/// to the PEs that they waited for.
const SLEEP_EACH: Duration = Duration::from_micros(200);
/// Time between two checks that need a system call, such as whether the launcher has ended.
const ASK_EVERY: Duration = Duration::from_millis(2);
/// Failed looks of the program itself between two such checks.
const LOOKS_PER_QUESTION: u32 = 16 * LOOKS;

impl Patience {
    /// Every PE has a core: spin for some tens of microseconds.
    pub const fn dedicated() -> Patience {
        Patience { spins: 4_000, others: 0, naps: false, carries: false }
    }

    /// The network is simulated and decides which PE continues: every look calls it, and nothing depends on time.
    pub const fn simulated() -> Patience {
        Patience { spins: u32::MAX, others: 0, naps: false, carries: true }
    }

    /// `others` other PEs share this one's core: look a few times, then let them run.
    pub const fn shared(others: u32) -> Patience {
        Patience { spins: 8, others, naps: true, carries: false }
    }

    /// The same for a PE that reaches peers over a transport. Each look is a system call: where PEs share cores, the peer spends that time
    /// better. A simulated network decides itself how long each PE waits.
    pub const fn carrying(self) -> Patience {
        match self {
            Patience { carries: true, .. } => self,
            Patience { naps: true, .. } => Patience { carries: true, spins: 2, ..self },
            _ => Patience { carries: true, spins: FAR_LOOKS, ..self },
        }
    }

    /// Patience for `pes_per_core` PEs on a core.
    pub fn for_load(pes_per_core: usize) -> Patience {
        if pes_per_core <= 1 { Patience::dedicated() } else { Patience::sharing(pes_per_core) }
    }

    /// Patience for PEs that share cores, even if there are enough cores.
    pub fn sharing(pes_per_core: usize) -> Patience {
        Patience::shared(pes_per_core.saturating_sub(1) as u32)
    }

    /// Whether every PE has a core.
    pub fn is_dedicated(self) -> bool {
        !self.naps
    }

    /// Yields of this PE before it naps.
    fn yields_before_naps(self) -> u32 {
        YIELDS_BEFORE_NAPS / (1 + self.others).min(YIELDS_BEFORE_NAPS)
    }

    /// Looks without a yield.
    #[inline(always)]
    fn spins(self, contended: bool) -> u32 {
        // Beside other threads a PE near to its peers naps instead of yielding, and later than it would yield.
        match (contended, self.carries) {
            (true, false) => LOOKS,
            _ => self.spins,
        }
    }

    /// Report the `failed`-th failed look of the program itself (`shmem_test` in a loop). The program may wait for a PE that has no core.
    /// Returns whether it is time for checks that need a system call.
    pub fn failed_look(self, failed: u32) -> bool {
        let is_time_to_ask = failed.is_multiple_of(LOOKS_PER_QUESTION);
        let yields = if self.naps { failed.is_multiple_of(4) } else { is_time_to_ask };
        if self.naps && failed.is_multiple_of(LOOKS) || yields && cpu_contention::is_contended() {
            pause(NAP.0);
        } else if yields {
            self.make_way(&Mates::default());
        }
        is_time_to_ask
    }

    /// Yield, and learn from the time that it took whether other threads compute on the core.
    fn make_way(self, mates: &Mates) {
        let before = mates.all_wait();
        cpu_contention::learn_from(give_way, self.others, || before.is_some() && mates.all_wait() == before);
    }

    #[inline(always)]
    pub fn begin(self) -> Wait {
        Wait { patience: self, looks: 0, stirs: 0, times: None, is_long: false, publication: None }
    }
}

/// One wait under way.
pub(crate) struct Wait {
    patience: Patience,
    looks: u32,
    /// Dozes that did not begin, or ended early, since the last one that lasted its time.
    stirs: u32,
    /// None before the first rest or doze.
    times: Option<Times>,
    /// The wait has let others run, or has been reported to other PEs.
    is_long: bool,
    /// `None` until the wait is diagnosed for the first time.
    pub publication: Option<WaitPublication>,
}

/// Times of a wait that has rested.
#[derive(Clone, Copy)]
struct Times {
    /// The first rest or doze.
    since: Instant,
    /// The last check that needed a system call.
    asked: Instant,
    /// The last rest or doze.
    now: Instant,
}

impl Wait {
    /// Call `ready` until it returns a value, and `pass` between two calls.
    #[inline(always)]
    pub fn until<T>(&mut self, mut ready: impl FnMut() -> Option<T>, mut pass: impl FnMut(&mut Wait)) -> T {
        loop {
            if let Some(value) = ready() {
                return value;
            }
            pass(self);
        }
    }

    /// True once every [`ASK_EVERY`], after a rest or a doze: the time for checks that need a system call. Never in a simulated world, where
    /// no wait rests.
    #[inline(always)]
    pub fn is_time_to_ask(&mut self) -> bool {
        let Some(times) = &mut self.times else { return false };
        let is_time = times.now - times.asked >= ASK_EVERY;
        if is_time {
            times.asked = times.now;
        }
        is_time
    }

    /// Whether the end of this wait must be reported ([`Live::end_wait`](crate::live::Live::end_wait)).
    #[inline(always)]
    pub fn is_long(&self) -> bool {
        self.is_long
    }

    /// Mark the wait as long: others run now, or the wait is reported to them.
    pub fn lengthen(&mut self, mates: &Mates) {
        if !self.is_long {
            self.is_long = true;
            mates.turn();
        }
    }

    /// Pass the time until the next look.
    #[inline(always)]
    pub fn look_again(&mut self, mates: &Mates) -> Moment {
        let contended = cpu_contention::is_contended();
        let (moment, rests) = self.choose(contended);
        if rests {
            self.rest_among(contended, mates);
        } else if let Moment::Doze(_) = moment {
            self.lengthen(mates);
        }
        moment
    }

    /// Choose the action until the next look, and whether to let others run before.
    #[inline(always)]
    fn choose(&mut self, contended: bool) -> (Moment, bool) {
        // A wait may last for days. It goes on from a number of looks that is a multiple of every period.
        self.looks = self.looks.checked_add(1).unwrap_or(1 << 31);
        if self.looks < self.patience.spins(contended) {
            if self.looks > EAGER_LOOKS {
                relax();
            }
            return (if self.patience.carries { Moment::Progress } else { Moment::Look }, false);
        }
        if self.patience.carries && self.is_time_to_sleep(contended) {
            return (Moment::Doze(self.nap()), false);
        }
        // A PE that has a core of its own and looks by system calls yields only now and then: while it waits for an answer, peers often
        // send it requests.
        let needs_none = self.patience.carries && !self.patience.naps;
        (Moment::Progress, !needs_none || self.looks.is_multiple_of(FAR_LOOKS))
    }

    /// Handle the outcome of [`Moment::Doze`]. If the transport cannot be waited for, let others run. If it is always busy, let others run
    /// once in a while.
    pub fn dozed(&mut self, outcome: Doze, mates: &Mates) {
        match outcome {
            Doze::Refused => self.rest(mates),
            Doze::Through => self.stirs = 0,
            Doze::Busy | Doze::Woken => {
                self.stirs += 1;
                if self.stirs.is_multiple_of(FAR_LOOKS) {
                    self.rest(mates);
                }
            }
        }
    }

    /// Give the core to other threads for a while.
    pub fn rest(&mut self, mates: &Mates) {
        self.rest_among(cpu_contention::is_contended(), mates);
    }

    #[cold]
    #[inline(never)]
    fn rest_among(&mut self, contended: bool, mates: &Mates) {
        self.lengthen(mates);
        if self.is_time_to_sleep(contended) {
            pause(self.nap());
        } else {
            self.waited();
            self.patience.make_way(mates);
        }
    }

    /// Time since the first rest or doze.
    fn waited(&mut self) -> Duration {
        let now = now();
        let times = self.times.get_or_insert(Times { since: now, asked: now, now });
        times.now = now;
        now - times.since
    }

    /// Duration of a nap or a doze: a small part of the time since the first rest, within bounds if few PEs share the core.
    fn nap(&mut self) -> Duration {
        let part = self.waited() / NAP_FRACTION;
        part.clamp(NAP.0, NAP.1).max(self.crowd_sleep())
    }

    /// Shortest sleep on a core that many PEs share, so that looks in vain take only a part of it. Zero for a PE that sleeps early because
    /// other threads compute.
    fn crowd_sleep(&self) -> Duration {
        if self.is_time_to_sleep(false) { self.patience.others * SLEEP_EACH } else { Duration::ZERO }
    }

    /// Whether to sleep rather than yield: when other threads compute on the core, or after [`Patience::yields_before_naps`] yields.
    fn is_time_to_sleep(&self, contended: bool) -> bool {
        let yields = self.looks.saturating_sub(self.patience.spins(contended));
        contended || self.patience.naps && yields >= self.patience.yields_before_naps()
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

/// Sleep, so that another thread or PE can act.
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
                if wait.look_again(&Mates::default()) == Moment::Progress {
                    progressed.set(progressed.get() + 1);
                }
            };
            assert_eq!(patience.begin().until(|| (progressed.get() == 3).then_some(7), pass), 7);
        }
    }

    #[test]
    fn only_who_carries_messages_and_shares_a_core_dozes() {
        let last = |patience: Patience| {
            let mut wait = Wait { looks: patience.spins + YIELDS_BEFORE_NAPS, ..patience.begin() };
            (patience.begin().choose(false).0, wait.choose(false).0)
        };
        assert_eq!(last(Patience::dedicated()), (Moment::Look, Moment::Progress));
        assert_eq!(last(Patience::shared(0)), (Moment::Look, Moment::Progress));
        assert_eq!(last(Patience::dedicated().carrying()), (Moment::Progress, Moment::Progress));
        assert_eq!(last(Patience::shared(0).carrying()), (Moment::Progress, Moment::Doze(NAP.0)));
    }

    #[test]
    fn the_launcher_is_asked_for_after_rests_and_never_twice_at_once() {
        let mut wait = Patience::shared(1).begin();
        assert!(!wait.is_time_to_ask(), "it has not rested");
        wait.waited();
        assert!(!wait.is_time_to_ask(), "its first rest was just now");
        while wait.waited() < ASK_EVERY {}
        assert!(wait.is_time_to_ask());
        assert!(!wait.is_time_to_ask());
    }

    #[test]
    fn every_kind_of_wait_asks_for_the_launcher() {
        for patience in [Patience::dedicated(), Patience::shared(1)] {
            for (patience, contended) in
                [patience, patience.carrying()].into_iter().flat_map(|one| [(one, false), (one, true)])
            {
                let mut wait = patience.begin();
                let asks = (0..100_000_000).any(|_| {
                    if wait.choose(contended).1 {
                        wait.rest_among(contended, &Mates::default());
                    }
                    wait.is_time_to_ask()
                });
                assert!(asks, "{patience}, contended: {contended}");
            }
        }
    }

    #[test]
    fn those_who_share_a_core_yield_so_often_together() {
        let first_nap = |others: u32| {
            let mut wait = Patience::shared(others).begin();
            (1..100_000).find(|_| wait.choose(false).1 && wait.is_time_to_sleep(false)).unwrap()
        };
        assert_eq!([1, 31, 1_000_000].map(first_nap), [10_008, 633, 9]);
    }

    #[test]
    fn the_more_share_a_core_the_longer_each_sleeps_once_it_has_yielded_in_vain() {
        let nap = |others: u32, looks: u32| Wait { looks, ..Patience::shared(others).begin() }.nap();
        let micros = |looks| [0, 1, 31, 511].map(|others| nap(others, looks).as_micros());
        assert_eq!(micros(1 << 20), [50, 200, 6_200, 102_200]);
        assert_eq!(micros(1), [50; 4], "where others compute");
    }

    /// The action of a PE with a core of its own at its n-th look.
    #[test]
    fn who_has_a_core_of_its_own_sleeps_where_others_compute_on_it() {
        let at = |patience: Patience, looks: u32, contended: bool| {
            let mut wait = Wait { looks: looks - 1, ..patience.begin() };
            let (moment, rests) = wait.choose(contended);
            (moment, rests && !wait.is_time_to_sleep(contended), rests && wait.is_time_to_sleep(contended))
        };
        let (yields, naps) = ((Moment::Progress, true, false), (Moment::Progress, false, true));
        let own = Patience::dedicated();
        assert_eq!([1_000, 4_000].map(|looks| at(own, looks, false)), [(Moment::Look, false, false), yields]);
        assert_eq!([100, 1_000].map(|looks| at(own, looks, true)), [(Moment::Look, false, false), naps]);
        // Over a transport a look is a system call, and the transport can wake the waiter.
        let (far, looks) = (own.carrying(), (Moment::Progress, false, false));
        assert_eq!([63, 64, 65, 128].map(|n| at(far, n, false)), [looks, yields, looks, yields]);
        assert_eq!([63, 64].map(|n| at(far, n, true)), [looks, (Moment::Doze(NAP.0), false, false)]);
        // A PE that shares its core with other PEs leaves it to them at once.
        assert_eq!(at(Patience::shared(1).carrying(), 2, true), (Moment::Doze(NAP.0), false, false));
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
                        Patience::shared(1).begin().until(ready, |wait| {
                            let _ = wait.look_again(&Mates::default());
                        });
                        turn.store(mine + 1, Ordering::Release);
                    }
                });
            }
        });
        assert_eq!(turn.into_inner(), 16 * 50);
    }
}
