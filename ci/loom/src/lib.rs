//! The protocols between threads of `crates/engine`, under loom. Their files are included as they are; the module `sync` gives them
//! loom's locks and atomics. One test has the protocol without its fences and must fail.
//!
//! The flags of collectives are words of memory that processes share, which loom cannot see: `ci/litmus/run` tries them on the processor
//! and `crates/sim` in every order of deliveries. The doorbell passes no memory, only datagrams.

#[path = "../../../crates/engine/src/handover.rs"]
pub mod handover;
#[path = "../../../crates/engine/src/sleeper.rs"]
pub mod sleeper;

pub use sleeper::Sleeper;

mod sync {
    pub use loom::sync::{
        Mutex,
        atomic::{AtomicBool, Ordering, fence},
    };

    /// A lock that no panic closes, as `ferrite_os::mutex` has it.
    pub fn lock<T>(mutex: &Mutex<T>) -> loom::sync::MutexGuard<'_, T> {
        mutex.lock().unwrap()
    }
}

#[cfg(test)]
mod tests {
    use super::{handover::Handover, sleeper::Sleeper};
    use loom::{
        sync::{
            Arc,
            atomic::{AtomicBool, Ordering},
        },
        thread,
    };

    /// A sleeper and two threads that leave it something. `announce` and `must_wake` are the protocol.
    fn sleeps_beside_work(announce: fn(&Both), must_wake: fn(&Both) -> bool) {
        loom::model(move || {
            let both = Arc::new(Both::default());
            let left = {
                let both = Arc::clone(&both);
                thread::spawn(move || {
                    both.work.store(true, Ordering::Relaxed);
                    must_wake(&both)
                })
            };
            announce(&both);
            let found = both.work.load(Ordering::Relaxed);
            let woken = left.join().unwrap();
            assert!(found || woken, "it sleeps beside work that was left");
        });
    }

    #[derive(Default)]
    struct Both {
        sleeper: Sleeper,
        work: AtomicBool,
        flag: AtomicBool,
    }

    #[test]
    fn a_sleeper_finds_work_or_is_woken() {
        sleeps_beside_work(|both| both.sleeper.announce(), |both| both.sleeper.must_wake());
    }

    #[test]
    #[should_panic(expected = "sleeps beside work")]
    fn without_fences_a_sleeper_sleeps_beside_work() {
        sleeps_beside_work(
            |both| both.flag.store(true, Ordering::Release),
            |both| both.flag.load(Ordering::Acquire) && both.flag.swap(false, Ordering::AcqRel),
        );
    }

    #[test]
    fn one_of_two_threads_wakes_the_sleeper() {
        loom::model(|| {
            let sleeper = Arc::new(Sleeper::default());
            sleeper.announce();
            let other = {
                let sleeper = Arc::clone(&sleeper);
                thread::spawn(move || sleeper.must_wake())
            };
            let here = sleeper.must_wake();
            assert!(here != other.join().unwrap(), "woken by both or by none");
        });
    }

    #[test]
    fn what_is_put_is_taken_once_and_in_order() {
        loom::model(|| {
            let handover = Arc::new(Handover::default());
            let putter = {
                let handover = Arc::clone(&handover);
                thread::spawn(move || [1, 2].map(|thing| handover.put(thing)))
            };
            let mut taken = Vec::new();
            handover.take(&mut taken);
            putter.join().unwrap();
            // The flag stands after the last put, whatever an earlier take has seen.
            handover.take(&mut taken);
            assert_eq!(taken, [1, 2]);
            assert!(!handover.has_any());
        });
    }

    /// An answer is put, then the sleeper is asked: the way of a served request to a lane whose thread sleeps.
    #[test]
    fn what_is_handed_over_is_found_or_wakes() {
        loom::model(|| {
            let (handover, sleeper) = (Arc::new(Handover::default()), Arc::new(Sleeper::default()));
            let putter = {
                let (handover, sleeper) = (Arc::clone(&handover), Arc::clone(&sleeper));
                thread::spawn(move || {
                    handover.put(7);
                    sleeper.must_wake()
                })
            };
            let mut taken = Vec::new();
            sleeper.announce();
            handover.take(&mut taken);
            let woken = putter.join().unwrap();
            assert!(woken || taken == [7], "the answer waits beside a sleeper");
        });
    }
}
