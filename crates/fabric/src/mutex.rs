//! Trying a mutex.

use std::sync::{Mutex, MutexGuard, TryLockError};

/// What the mutex guards, unless somebody has it. Poison is no news: what is behind these mutexes is whole at every moment at which
/// a thread could panic, and a panic ends the process.
#[inline]
pub fn try_lock<T>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    match mutex.try_lock() {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(guard)) => Some(guard.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}
