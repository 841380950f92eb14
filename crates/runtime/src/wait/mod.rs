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
//! A PE that reaches peers over a transport and shares its core has a fourth way: it dozes in the transport, which wakes it as soon as a
//! message arrives. It dozes where other PEs would nap. Being woken takes longer than looking again: with 4 PEs on 2 cores, three of them
//! waiting in a barrier, a get from these took 40 us when they dozed at once, and 14 us when they yielded. A peer on the same node
//! communicates through memory and wakes nobody, so dozes are short.
//!
//! A program may also wait in a loop of its own. Loops over the test routines yield here ([`Patience::failed_look`]), since a failed test
//! shows that the program waits. A loop over `shmem_g` or `shmem_atomic_fetch` shows nothing: any other program makes the same calls, and
//! counting them would cost each a load, an addition and a store, a tenth of the call. With more PEs than cores such a loop runs until the
//! scheduler takes the core away; [`turns`] makes that happen earlier, if the user asks for it.

mod cpu_contention;
pub(crate) mod load;
pub(crate) mod mates;
pub(crate) mod state;
pub(crate) mod turns;

use core::time::Duration;
use ferrite_fabric::Doze;
use mates::Mates;
pub(crate) use state::Told;
use std::time::Instant;

/// How a world waits. Decided once, from the number of PEs and cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Patience {
    /// Looks before the PE first offers the core to others.
    spins: u32,
    /// Number of other PEs that share this PE's core.
    others: u32,
    /// Looks before a nap when other threads compute on the core.
    spins_when_contended: u32,
    /// Whether to nap even if no process computes on the core: false if every PE has a core of its own.
    naps: bool,
    /// Whether this PE moves its peers' messages itself. If so, each look makes progress.
    carries: bool,
    /// Number of naps, when other threads compute on the core, before this PE dozes in its transport: peers that store to its memory do not
    /// wake it from a doze.
    naps_before_dozing: u32,
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
/// Yields before a nap if no process computes on the core, summed over all PEs that share it: each look of one PE costs a turn of all of
/// them.
/// This takes some tens of milliseconds. When each PE made this many yields, the PEs of a job of 64 on two cores took turns for more than a
/// second. Meanwhile the launcher and the services of the transport, which had work to do, got a core as seldom as each PE did.
const YIELDS_BEFORE_NAPS: u32 = 20_000;
/// Looks before a nap when other threads compute on the core: several round trips, in case the peer happens to have a core too. Half a
/// round trip of two PEs beside six computing threads, on two cores, took 2 us with 250 and more than 100 us with 8.
const LOOKS_WHEN_CONTENDED: u32 = 250;
/// Naps, when other threads compute on the core, before a PE dozes in its transport: enough for a peer on the same node to answer.
const NAPS_BEFORE_DOZING: u32 = 16;
/// Looks, each a system call, before a PE with a core of its own offers the core to others.
const FAR_LOOKS_PER_YIELD: u32 = 256;
/// Like [`FAR_LOOKS_PER_YIELD`], when other threads compute on the core and the PE then sleeps. It is longer than a sleeping peer takes to
/// wake and answer: with fewer looks, each of two PEs sleeps because the other does. Two PEs that take turns over TCP beside two computing
/// processes, on two cores, took 7 times as long as alone with 2 looks, 5 with 16, and 2.5 with 64 or more (`ci/beside`).
const FAR_LOOKS_WHEN_CONTENDED: u32 = 64;
/// Failed looks of the program itself, where PEs share cores, before it sleeps once. The scheduler counts a yield as a whole slice: on some
/// Linux (6.18) a dozen threads that only yield keep all other threads of the machine from running, for seconds.
const LOOKS_PER_NAP: u32 = 256;
const SHORT_NAP: Duration = Duration::from_micros(50);
/// Dozes in a row that the transport may end early before the waiter lets others run. The transport may have an event that our looks do not
/// consume.
const STIRS_PER_REST: u32 = 64;
/// Looks between two checks whether the launcher has ended. A check is a system call, and takes less than a hundredth of the time of this
/// many yields.
pub(crate) const LOOKS_PER_QUESTION: u32 = 4_096;
/// Sleeps between two such checks: fewer, since a sleep is longer than a look.
const SLEEPS_PER_QUESTION: u32 = 4;
/// A nap or a doze lasts this fraction of the time waited so far: stores by peers on the same node do not end it.
const NAP_FRACTION: u32 = 64;
/// Longest doze, and longest nap of a PE that has no messages to carry.
const NAP_MAX: Duration = Duration::from_millis(10);
/// Longest nap of a PE that moves its peers' messages itself: messages do not end a nap.
const NAP_MAX_OF_CARRIERS: Duration = Duration::from_millis(1);
/// Shortest doze. It may be longer than the shortest nap, since a message from a peer ends it.
const SHORT_DOZE: Duration = Duration::from_micros(200);
/// If many PEs share a core, a PE that has yielded in vain sleeps at least this long for each of the others. A PE that wakes and finds
/// nothing takes some 30 us of the core, including the cost of the caches that it evicts. 512 PEs that napped for 10 ms each left no time
/// to the PEs that they waited for.
const SLEEP_EACH: Duration = Duration::from_micros(200);

impl Patience {
    /// Every PE has a core: spin for some tens of microseconds.
    pub const fn dedicated() -> Patience {
        Patience {
            spins: 4_000,
            others: 0,
            spins_when_contended: LOOKS_WHEN_CONTENDED,
            naps: false,
            carries: false,
            naps_before_dozing: 0,
        }
    }

    /// The network is simulated and decides which PE continues: every look calls it, and nothing depends on time.
    pub const fn simulated() -> Patience {
        Patience {
            spins: u32::MAX,
            others: 0,
            spins_when_contended: u32::MAX,
            naps: false,
            carries: true,
            naps_before_dozing: 0,
        }
    }

    /// `others` other PEs share this one's core: look a few times, then let them run.
    pub const fn shared(others: u32) -> Patience {
        Patience {
            spins: 8,
            others,
            spins_when_contended: LOOKS_WHEN_CONTENDED,
            naps: true,
            carries: false,
            naps_before_dozing: 0,
        }
    }

    /// The same for a PE that reaches peers over a transport. `maps_peers`: peers store to its memory, which does not wake it. Each look is
    /// a system call: where PEs share cores, the peer spends that time better.
    pub const fn carrying(self, maps_peers: bool) -> Patience {
        let naps_before_dozing = if maps_peers { NAPS_BEFORE_DOZING } else { 0 };
        let (spins, spins_when_contended) =
            if self.naps { (2, 2) } else { (FAR_LOOKS_PER_YIELD, FAR_LOOKS_WHEN_CONTENDED) };
        Patience { carries: true, spins, spins_when_contended, naps_before_dozing, ..self }
    }

    /// The same for messages that come over the transport alone.
    pub const fn for_carried(self) -> Patience {
        Patience { naps_before_dozing: 0, ..self }
    }

    /// Yields of this PE before it naps.
    fn yields_before_naps(self) -> u32 {
        YIELDS_BEFORE_NAPS / (1 + self.others).min(YIELDS_BEFORE_NAPS)
    }

    /// Failed looks of the program itself (`shmem_test` in a loop) between two yields.
    fn looks_per_yield(self) -> u32 {
        if self.naps { 4 } else { 4_096 }
    }

    /// Report the `failed`-th failed look of the program itself. The program may be in a loop that waits for a PE that has no core.
    pub fn failed_look(self, failed: u32) {
        if self.naps && failed.is_multiple_of(LOOKS_PER_NAP) {
            pause(SHORT_NAP);
        } else if failed.is_multiple_of(self.looks_per_yield()) {
            if cpu_contention::is_contended() {
                pause(SHORT_NAP);
            } else {
                self.make_way(&Mates::default());
            }
        }
    }

    /// Yield, and learn from the time that it took whether other threads compute on the core. Returns true if it took long.
    fn make_way(self, mates: &Mates) -> bool {
        let before = mates.all_wait();
        cpu_contention::learn_from(give_way, self.others, || before.is_some() && mates.all_wait() == before)
    }

    /// Whether every PE has a core.
    pub fn is_dedicated(self) -> bool {
        !self.naps
    }

    /// Patience for `pes_per_core` PEs on a core.
    pub fn for_load(pes_per_core: usize) -> Patience {
        if pes_per_core <= 1 { Patience::dedicated() } else { Patience::sharing(pes_per_core) }
    }

    /// Patience for PEs that share cores, even if there are enough cores.
    pub fn sharing(pes_per_core: usize) -> Patience {
        Patience::shared(pes_per_core.saturating_sub(1) as u32)
    }

    #[inline(always)]
    pub fn begin(self) -> Wait {
        Wait { patience: self, looks: 0, unasked: 0, stirs: 0, since: None, is_long: false, told: None }
    }
}

/// One wait under way.
pub(crate) struct Wait {
    patience: Patience,
    looks: u32,
    /// Looks since the last check that needs a system call ([`Wait::is_time_to_ask`]). A look that slept counts for many.
    unasked: u32,
    /// Dozes that did not begin, or ended early, since the last one that lasted its time.
    stirs: u32,
    since: Option<Instant>,
    /// The wait has let others run, or has been reported to other PEs.
    is_long: bool,
    /// The report of this wait that other PEs can read (`diagnose`).
    pub told: Option<Told>,
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

    /// True once every [`LOOKS_PER_QUESTION`] looks: the time for checks that need a system call.
    #[inline(always)]
    pub fn is_time_to_ask(&mut self) -> bool {
        let is_time = self.unasked >= LOOKS_PER_QUESTION;
        if is_time {
            self.unasked = 0;
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
        self.unasked += 1;
        if self.looks < self.spins(contended) {
            if self.looks > EAGER_LOOKS {
                relax();
            }
            return (if self.patience.carries { Moment::Progress } else { Moment::Look }, false);
        }
        if self.patience.carries && self.is_time_to_sleep(contended, self.patience.naps_before_dozing) {
            return (Moment::Doze(self.nap(SHORT_DOZE, NAP_MAX)), false);
        }
        // A PE that has a core of its own and looks by system calls yields only now and then: while it waits for an answer, peers often
        // send it requests.
        let needs_none = self.patience.carries && !self.patience.naps && !contended;
        (Moment::Progress, !needs_none || self.looks.is_multiple_of(FAR_LOOKS_PER_YIELD))
    }

    /// Number of looks without a yield.
    #[inline(always)]
    fn spins(&self, contended: bool) -> u32 {
        if contended { self.patience.spins_when_contended } else { self.patience.spins }
    }

    /// Handle the outcome of [`Moment::Doze`]. If the transport cannot be waited for, let others run. If it is always busy, let others run
    /// once in a while.
    pub fn dozed(&mut self, outcome: Doze, mates: &Mates) {
        match outcome {
            Doze::Refused => self.rest(mates),
            Doze::Through => self.stirs = 0,
            Doze::Busy | Doze::Woken => {
                self.stirs += 1;
                if self.stirs.is_multiple_of(STIRS_PER_REST) {
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
        if !self.is_time_to_sleep(contended, 0) {
            // A yield to a PE that computes takes as long as a sleep.
            if self.patience.make_way(mates) {
                self.unasked += LOOKS_PER_QUESTION / SLEEPS_PER_QUESTION;
            }
            return;
        }
        let longest = if self.patience.carries { NAP_MAX_OF_CARRIERS } else { NAP_MAX };
        pause(self.nap(SHORT_NAP, longest));
    }

    /// Duration of a nap: a small part of the time since the first sleep, within these bounds if few PEs share the core.
    fn nap(&mut self, shortest: Duration, longest: Duration) -> Duration {
        self.unasked += LOOKS_PER_QUESTION / SLEEPS_PER_QUESTION;
        let part = self.since.get_or_insert_with(now).elapsed() / NAP_FRACTION;
        part.clamp(shortest, longest).max(self.crowd_sleep())
    }

    /// Shortest sleep on a core that many PEs share, so that looks in vain take only a part of it. Zero for a PE that sleeps early because
    /// other threads compute.
    fn crowd_sleep(&self) -> Duration {
        if self.is_time_to_sleep(false, 0) { self.patience.others * SLEEP_EACH } else { Duration::ZERO }
    }

    /// Whether to sleep rather than yield: after [`Patience::yields_before_naps`] yields, or, when other threads compute on the core, after
    /// `when_contended`.
    fn is_time_to_sleep(&self, contended: bool, when_contended: u32) -> bool {
        let passed = self.looks.saturating_sub(self.spins(contended));
        self.patience.naps && passed >= self.patience.yields_before_naps() || contended && passed >= when_contended
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
            let wait = &mut Wait {
                patience,
                looks: patience.spins + YIELDS_BEFORE_NAPS,
                unasked: 0,
                stirs: 0,
                since: None,
                is_long: false,
                told: None,
            };
            (patience.begin().choose(false).0, wait.choose(false).0)
        };
        assert_eq!(last(Patience::dedicated()), (Moment::Look, Moment::Progress));
        assert_eq!(last(Patience::shared(1)), (Moment::Look, Moment::Progress));
        assert_eq!(last(Patience::dedicated().carrying(false)), (Moment::Progress, Moment::Progress));
        assert_eq!(last(Patience::shared(1).carrying(false)), (Moment::Progress, Moment::Doze(SHORT_DOZE)));
    }

    #[test]
    fn the_launcher_is_asked_for_about_as_often_by_who_sleeps() {
        let mut wait = Patience::shared(1).begin();
        let looks = (1..100_000).find(|_| {
            wait.choose(false);
            wait.is_time_to_ask()
        });
        assert_eq!(looks, Some(LOOKS_PER_QUESTION));
        let sleeps = (1..100).find(|_| {
            wait.nap(SHORT_NAP, NAP_MAX);
            wait.is_time_to_ask()
        });
        assert_eq!(sleeps, Some(SLEEPS_PER_QUESTION));
    }

    #[test]
    fn those_who_share_a_core_yield_so_often_together() {
        let first_nap = |others: u32| {
            let mut wait = Patience::shared(others).begin();
            (1..100_000).find(|_| wait.choose(false).1 && wait.is_time_to_sleep(false, 0)).unwrap()
        };
        assert_eq!([1, 31, 1_000_000].map(first_nap), [10_008, 633, 9]);
    }

    #[test]
    fn the_more_share_a_core_the_longer_each_sleeps_once_it_has_yielded_in_vain() {
        let nap = |others: u32, looks: u32| Wait { looks, ..Patience::shared(others).begin() }.nap(SHORT_NAP, NAP_MAX);
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
            (moment, rests && !wait.is_time_to_sleep(contended, 0), rests && wait.is_time_to_sleep(contended, 0))
        };
        let (yields, naps) = ((Moment::Progress, true, false), (Moment::Progress, false, true));
        let own = Patience::dedicated();
        assert_eq!([1_000, 4_000].map(|looks| at(own, looks, false)), [(Moment::Look, false, false), yields]);
        assert_eq!([100, 1_000].map(|looks| at(own, looks, true)), [(Moment::Look, false, false), naps]);
        // Over a transport a look is a system call, and the transport can wake the waiter.
        let (far, looks) = (own.carrying(false), (Moment::Progress, false, false));
        assert_eq!([255, 256, 257, 512].map(|n| at(far, n, false)), [looks, yields, looks, yields]);
        assert_eq!([63, 64].map(|n| at(far, n, true)), [looks, (Moment::Doze(SHORT_DOZE), false, false)]);
        // A PE that shares its core with other PEs leaves it to them at once.
        assert_eq!(at(Patience::shared(1).carrying(false), 2, true), (Moment::Doze(SHORT_DOZE), false, false));
        // Peers on the same node store to memory, which wakes no sleeper.
        assert_eq!(
            [64, 100].map(|n| at(own.carrying(true), n, true)),
            [naps, (Moment::Doze(SHORT_DOZE), false, false)]
        );
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
