//! A lock in shared memory, of a process that may end while it has it.

use core::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};

/// Looks at a lock before its owner counts as gone.
const PATIENCE: u32 = 1 << 22;

/// Do something while the lock is held: the word is 1.
///
/// Acquire and Release: what the owner before has left is there for the next. Who has waited for too long goes on without: what the
/// locks of this crate protect is atomics, and at worst a race is missed.
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
