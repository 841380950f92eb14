//! Mutexes of which poison is no news: what is behind them is whole at every moment at which a thread could panic, and a panic
//! ends the process, or what the thread was at.

use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

/// What the mutex guards, once nobody else has it.
#[inline]
pub fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The same, unless somebody has it.
#[inline]
pub fn try_lock<T: ?Sized>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    match mutex.try_lock() {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(guard)) => Some(guard.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}
