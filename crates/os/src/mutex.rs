//! Mutexes whose poison is ignored. The data behind them are consistent at every point at which a thread could panic, and a panic ends the
//! process or the work of the thread.

use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

/// Lock a mutex, poisoned or not.
#[inline]
pub fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Lock a mutex, poisoned or not, unless it is locked.
#[inline]
pub fn try_lock<T: ?Sized>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    match mutex.try_lock() {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(guard)) => Some(guard.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}
