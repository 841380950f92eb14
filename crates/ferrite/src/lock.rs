//! Locks that PEs take in turns.

use crate::{
    Ctx, Kind, Place,
    element::{Lock, OneThread},
    world::Inner,
};
use core::{ffi::c_long, marker::PhantomData};
use ferrite_runtime::Site;

/// A lock that is held until this guard is dropped. The operations that its holder issued on the default context are complete when the next
/// PE takes the lock.
///
/// A guard that a panic drops leaves the lock taken: the guarded data may be half updated, and a panic that is not caught ends the job. A
/// program that catches panics should take the lock outside the closure that may panic.
///
/// ```
/// ferrite::local(2, |world| {
///     let lock = world.alloc_lock().unwrap();
///     let held: ferrite::LockGuard<'_> = world.acquire(&lock);
///     drop(held);
/// });
/// ```
#[must_use = "the lock is free again as soon as this is dropped"]
pub struct LockGuard<'l> {
    inner: &'l Inner,
    lock: *mut c_long,
    held: PhantomData<(&'l (), OneThread, *const ())>,
}

operations! {
    /// Take the lock. PEs get it in the order in which they asked.
    ///
    /// If a PE asks for a lock that one of its threads holds, it waits for itself: a deadlock.
    ///
    /// ```
    /// use ferrite::Group;
    /// ferrite::local(3, |world| {
    ///     let (lock, count) = (world.alloc_lock().unwrap(), world.alloc_box::<u64>().unwrap());
    ///     for _ in 0..10 {
    ///         let _held = world.acquire(&lock);
    ///         world.put(&count, world.get(&count, 0) + 1, 0);
    ///     }
    ///     world.barrier();
    ///     assert_eq!(world.get(&count, 0), 30);
    /// });
    /// ```
    pub fn acquire<'l>(&'l self, lock: impl Place<'l, Lock>) -> LockGuard<'l> {
        static SITE: Site = Site::of_rust("Ctx::acquire");
        let lock = lock.into_at().at.cast();
        // SAFETY: a symmetric word that is used as a lock only, as its type guarantees.
        unsafe { self.inner.rt.set_lock(&SITE, lock) };
        LockGuard { inner: self.inner(), lock, held: PhantomData }
    }

    /// Take the lock if it is free.
    ///
    /// ```
    /// ferrite::local(1, |world| {
    ///     let lock = world.alloc_lock().unwrap();
    ///     let held = world.try_acquire(&lock).unwrap();
    ///     assert!(world.try_acquire(&lock).is_none());
    ///     drop(held);
    ///     assert!(world.try_acquire(&lock).is_some());
    /// });
    /// ```
    pub fn try_acquire<'l>(&'l self, lock: impl Place<'l, Lock>) -> Option<LockGuard<'l>> {
        static SITE: Site = Site::of_rust("Ctx::try_acquire");
        let lock = lock.into_at().at.cast();
        // SAFETY: as for `acquire`.
        let taken = unsafe { self.inner.rt.test_lock(&SITE, lock) } == 0;
        taken.then(|| LockGuard { inner: self.inner(), lock, held: PhantomData })
    }
}

impl Drop for LockGuard<'_> {
    fn drop(&mut self) {
        static SITE: Site = Site::of_rust("LockGuard::drop");
        // A panic ends the job. Releasing the lock might wait for a PE that is gone.
        if !std::thread::panicking() {
            // SAFETY: this PE holds the lock, as the guard proves.
            unsafe { self.inner.rt.clear_lock(&SITE, self.lock) }
        }
    }
}
