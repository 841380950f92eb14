//! A lock in shared memory. The process that owns it may end without releasing it.

use core::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};

/// Number of polls of a lock after which its owner counts as gone.
const PATIENCE: u32 = 1 << 22;

/// Run `act` while the lock is held: the word is 1.
///
/// Acquire and Release: the next owner sees everything that the previous one has written. A thread that has waited for too long goes on
/// without the lock: the locks of this crate protect only atomics, and at worst a race is missed.
#[expect(
    clippy::disallowed_methods,
    reason = "held for some instructions, by threads of which none waits for the program meanwhile"
)]
pub(crate) fn locked<R>(lock: &AtomicU64, act: impl FnOnce() -> R) -> R {
    let mut looks = 0;
    while lock.compare_exchange_weak(0, 1, Acquire, Relaxed).is_err() && looks < PATIENCE {
        looks += 1;
        if looks % 1024 == 0 {
            std::thread::yield_now();
        }
        core::hint::spin_loop();
    }
    let result = act();
    lock.store(0, Release);
    result
}
