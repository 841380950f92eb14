//! Aggregation: small items and updates for the same PE are sent together.
//!
//! # Why a handler may borrow
//!
//! The runtime calls a handler until the aggregator is destroyed, which needs all PEs. A body that returns destroys the aggregator, while
//! the values that the handler borrows still exist. A body that panics cannot wait for the other PEs. It removes the handler from its
//! [`Slot`], under the lock that is held while the handler runs, so that nothing calls the handler any more. The slot itself is leaked, and
//! later items find it empty.
//!
//! A panic of the handler must not unwind through the runtime. The slot stores the panic, and the next call of the aggregator resumes it.

use crate::{
    AllocError, Place, World,
    element::{Atomic, AtomicBits, AtomicInt, AtomicValue, Element},
    world::Inner,
};
use core::{
    any::Any,
    ffi::{c_int, c_void},
    marker::PhantomData,
    ptr,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
};
use ferrite_os::mutex;
use ferrite_runtime::{Agg, AggHandler, Site};
use std::{
    panic::{self, AssertUnwindSafe},
    sync::Mutex,
};

/// The payload of a panic.
type Panic = Box<dyn Any + Send>;

/// The handler's place while items may arrive.
struct Slot<F> {
    /// `None` once the aggregator has ended, or after a panic.
    handler: Mutex<Option<F>>,
    failure: Failure,
}

/// The panic of a handler.
#[derive(Default)]
struct Failure {
    /// True if there may be a panic in `why`. Senders check this flag, not the mutex.
    happened: AtomicBool,
    why: Mutex<Option<Panic>>,
}

impl Failure {
    fn keep(&self, why: Panic) {
        *mutex::lock(&self.why) = Some(why);
        self.happened.store(true, Relaxed);
    }

    /// Resume the panic on this thread, if there is one.
    #[inline]
    fn resume(&self) {
        if self.happened.load(Relaxed) {
            self.resume_now();
        }
    }

    #[cold]
    fn resume_now(&self) {
        if let Some(why) = mutex::lock(&self.why).take() {
            panic::resume_unwind(why);
        }
    }
}

/// Pass items to the handler of a slot.
///
/// # Safety
/// `context` is a `Slot<F>`, and `items` are `count` values of type `T`, at any alignment.
unsafe extern "C" fn handle<T: Element, F: FnMut(u32, T)>(
    context: *mut c_void,
    items: *const c_void,
    count: usize,
    from: c_int,
) {
    // SAFETY: the caller's promise.
    let slot = unsafe { &*context.cast::<Slot<F>>() };
    let mut place = mutex::lock(&slot.handler);
    let Some(handler) = place.as_mut() else { return };
    let all = || {
        for at in 0..count {
            // SAFETY: `items` are `count` values, and any bits are a value.
            handler(from as u32, unsafe { items.cast::<T>().add(at).read_unaligned() });
        }
    };
    if let Err(why) = panic::catch_unwind(AssertUnwindSafe(all)) {
        *place = None;
        slot.failure.keep(why);
    }
}

/// Sends items to handlers, many at a time: the argument of the body of [`World::aggregate`]. Threads of a PE may share it.
///
/// ```
/// use ferrite::Group;
/// let sums = ferrite::local(3, |world| {
///     let mut sum = 0;
///     world.aggregate(|_from, number: u64| sum += number, |items| {
///         for pe in 0..world.n_pes() {
///             items.send(10, pe);
///         }
///     })?;
///     Ok::<u64, ferrite::AllocError>(sum)
/// });
/// assert_eq!(sums, [Ok(30), Ok(30), Ok(30)]);
/// ```
pub struct Items<'a, T: Element> {
    inner: &'a Inner,
    agg: Agg,
    failure: &'a Failure,
    of: PhantomData<fn(T)>,
}

impl<T: Element> Items<'_, T> {
    /// Send an item to the handler of `pe`. The library may buffer the item until a [`flush`](Items::flush), a quiet of the default context
    /// or a collective.
    ///
    /// ```
    /// ferrite::local(2, |world| {
    ///     let mut seen = Vec::new();
    ///     world.aggregate(|from, item: u8| seen.push((from, item)), |items| items.send(7, 1)).unwrap();
    ///     assert_eq!(seen.len(), 2 * world.my_pe() as usize);
    /// });
    /// ```
    #[inline]
    pub fn send(&self, item: T, pe: u32) {
        static SITE: Site = Site::of_rust("Items::send");
        // SAFETY: an item of the aggregator's size.
        unsafe { self.inner.rt.agg_send(&SITE, self.agg, (&raw const item).cast(), pe as c_int) };
        self.failure.resume();
    }

    /// Wait until every item that this PE has sent is handled.
    ///
    /// ```
    /// use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
    /// let count = AtomicU32::new(0);
    /// ferrite::local(2, |world| {
    ///     let counting = |_, _: u32| _ = count.fetch_add(1, Relaxed);
    ///     world.aggregate(counting, |items| {
    ///         let before = count.load(Relaxed);
    ///         items.send(1, 1 - world.my_pe());
    ///         items.flush();
    ///         assert!(count.load(Relaxed) > before);
    ///     }).unwrap();
    /// });
    /// ```
    pub fn flush(&self) {
        static SITE: Site = Site::of_rust("Items::flush");
        self.inner.rt.agg_flush(&SITE, self.agg);
        self.failure.resume();
    }
}

/// Updates words, many at a time: the argument of the body of [`World::aggregate_updates`]. Threads of a PE may share it.
///
/// If the word's memory is mapped into this PE, it is updated at once, with the same instruction as a plain atomic.
///
/// ```
/// use ferrite::Group;
/// ferrite::local(2, |world| {
///     let counts = world.alloc_atomics::<u64>(100).unwrap();
///     world.aggregate_updates(|updates| {
///         for i in 0..1000 {
///             updates.add(counts.at(i % 100), 1, (i % 2) as u32);
///         }
///     }).unwrap();
///     assert_eq!(world.sum((0..100).map(|i| counts.at(i).load()).sum::<u64>()), 2000);
/// });
/// ```
pub struct Updates<'a> {
    inner: &'a Inner,
    agg: Agg,
}

macro_rules! updates {
    ($($(#[$doc:meta])* fn $name:ident<$bound:ident> = $routine:ident;)*) => { $(
        $(#[$doc])*
        #[inline(always)]
        pub fn $name<'w, T: $bound>(&self, word: impl Place<'w, Atomic<T>>, value: T, pe: u32) {
            static SITE: Site = Site::of_rust(concat!("Updates::", stringify!($name)));
            const { assert!(size_of::<T>() == 8, "updates are of words of 64 bits") };
            let (word, value) = (word.into_at().at.cast::<u64>(), bits(value));
            // SAFETY: a word within a block that exists on every PE; only atomics access it.
            unsafe { self.inner.rt.$routine(&SITE, self.agg, word, value, pe as c_int) }
        }
    )* };
}

/// The bits of a 64-bit value.
#[inline(always)]
fn bits<T: Element>(value: T) -> u64 {
    bytemuck::cast(value)
}

impl Updates<'_> {
    updates! {
        /// Add to the word at `pe`, wrapping.
        ///
        /// ```
        /// ferrite::local(2, |world| {
        ///     let word = world.alloc_atomic::<i64>().unwrap();
        ///     world.aggregate_updates(|updates| updates.add(&word, -5, 0)).unwrap();
        ///     assert_eq!(world.fetch(&word, 0), -10);
        /// });
        /// ```
        fn add<AtomicInt> = agg_add;
        /// Set bits of the word at `pe`.
        ///
        /// ```
        /// ferrite::local(2, |world| {
        ///     let word = world.alloc_atomic::<u64>().unwrap();
        ///     world.aggregate_updates(|updates| updates.or(&word, 1 << world.my_pe(), 1)).unwrap();
        ///     assert_eq!(world.fetch(&word, 1), 3);
        /// });
        /// ```
        fn or<AtomicBits> = agg_or;
        /// Flip bits of the word at `pe`.
        ///
        /// ```
        /// ferrite::local(2, |world| {
        ///     let word = world.alloc_atomic::<u64>().unwrap();
        ///     world.aggregate_updates(|updates| updates.xor(&word, 7, 1)).unwrap();
        ///     assert_eq!(world.fetch(&word, 1), 0);
        /// });
        /// ```
        fn xor<AtomicBits> = agg_xor;
        /// Set the word at `pe`.
        ///
        /// ```
        /// ferrite::local(2, |world| {
        ///     let words = world.alloc_atomics::<f64>(2).unwrap();
        ///     world.aggregate_updates(|updates| updates.put(words.at(world.my_pe() as usize), 0.5, 1)).unwrap();
        ///     assert_eq!(world.fetch(words.at(0), 1), 0.5);
        /// });
        /// ```
        fn put<AtomicValue> = agg_put;
    }

    /// Wait until all updates of this PE are done.
    ///
    /// ```
    /// ferrite::local(2, |world| {
    ///     let word = world.alloc_atomic::<u64>().unwrap();
    ///     world.aggregate_updates(|updates| {
    ///         updates.add(&word, 1, 0);
    ///         updates.flush();
    ///         assert!(world.fetch(&word, 0) > 0);
    ///     }).unwrap();
    /// });
    /// ```
    pub fn flush(&self) {
        static SITE: Site = Site::of_rust("Updates::flush");
        self.inner.rt.agg_flush(&SITE, self.agg);
    }
}

impl World {
    /// Run `body`, which sends items of type `T`. The `handler` of the target PE gets each item once, with the number of the sending PE.
    /// All items are handled when this returns. Collective: every PE calls it, with items of the same type. An error is returned on all PEs
    /// alike, without running `body`.
    ///
    /// Items from one PE to another are handled in order. A handler runs while its PE is in the library: one call at a time, on any of the
    /// PE's threads that is there. State that the handler shares with the body needs a lock; the program may read it without one after this
    /// returns.
    ///
    /// # Panics
    /// If the handler panicked, or used the aggregator.
    ///
    /// ```
    /// use ferrite::Group;
    /// use std::sync::Mutex;
    /// // Each PE asks the next for a square, and answers the one before.
    /// ferrite::local(3, |world| {
    ///     let (asked, mut answer) = (Mutex::new(Vec::new()), 0);
    ///     let right = (world.my_pe() + 1) % 3;
    ///     world.aggregate(|from, number: u64| asked.lock().unwrap().push((from, number)), |asks| {
    ///         world.aggregate(|_, square: u64| answer = square, |answers| {
    ///             asks.send(u64::from(right), right);
    ///             world.barrier();
    ///             for (from, number) in asked.lock().unwrap().drain(..) {
    ///                 answers.send(number * number, from);
    ///             }
    ///         })
    ///     }).unwrap().unwrap();
    ///     assert_eq!(answer, u64::from(right * right));
    /// });
    /// ```
    pub fn aggregate<T: Element, R>(
        &self,
        handler: impl FnMut(u32, T) + Send,
        body: impl FnOnce(&Items<'_, T>) -> R,
    ) -> Result<R, AllocError> {
        const { assert!(size_of::<T>() > 0 && size_of::<T>() <= 1 << 20, "items have from 1 to 1048576 bytes") };
        self.aggregate_by(handler, body)
    }

    fn aggregate_by<T: Element, F: FnMut(u32, T) + Send, R>(
        &self,
        handler: F,
        body: impl FnOnce(&Items<'_, T>) -> R,
    ) -> Result<R, AllocError> {
        static SITE: Site = Site::of_rust("World::aggregate");
        // Owned through a raw pointer, because a body that panics leaks it.
        let slot = Box::into_raw(Box::new(Slot { handler: Mutex::new(Some(handler)), failure: Failure::default() }));
        // SAFETY: the slot is freed below, or never.
        let shared = unsafe { &*slot };
        // SAFETY: the slot exists until the aggregator has ended, or for ever.
        let begun = unsafe { self.begin(&SITE, size_of::<T>(), Some(handle::<T, F>), slot.cast()) };
        let mut agg = begun.inspect_err(|_| {
            // SAFETY: no aggregator was created with it.
            drop(unsafe { Box::from_raw(slot) });
        })?;
        let disarm = Disarm(|| *mutex::lock(&shared.handler) = None);
        let items = Items { inner: self.inner(), agg, failure: &shared.failure, of: PhantomData };
        let result = body(&items);
        self.end(&SITE, &mut agg);
        core::mem::forget(disarm);
        // SAFETY: the aggregator has ended, and nothing refers to it.
        unsafe { Box::from_raw(slot) }.failure.resume();
        Ok(result)
    }

    /// Run `body`, which updates 64-bit words. All updates are done when this returns. Collective. An error is returned on all PEs alike,
    /// without running `body`.
    ///
    /// Updates are not ordered. They are atomic with respect to each other and to plain atomics.
    ///
    /// ```
    /// use ferrite::Group;
    /// ferrite::local(4, |world| {
    ///     let word = world.alloc_atomic::<u64>().unwrap();
    ///     world.aggregate_updates(|updates| (0..4).for_each(|pe| updates.add(&word, 1, pe))).unwrap();
    ///     assert_eq!(word.load(), 4);
    /// });
    /// ```
    pub fn aggregate_updates<R>(&self, body: impl FnOnce(&Updates<'_>) -> R) -> Result<R, AllocError> {
        static SITE: Site = Site::of_rust("World::aggregate_updates");
        // SAFETY: no handler.
        let mut agg = unsafe { self.begin(&SITE, 0, None, ptr::null_mut()) }?;
        let result = body(&Updates { inner: self.inner(), agg });
        self.end(&SITE, &mut agg);
        Ok(result)
    }

    /// # Safety
    /// `handler` may be called with `context` until the aggregator has ended.
    unsafe fn begin(
        &self,
        site: &'static Site,
        item: usize,
        handler: AggHandler,
        context: *mut c_void,
    ) -> Result<Agg, AllocError> {
        self.inner().outside_of_phases(site.name);
        let mut agg = Agg::NULL;
        // SAFETY: a local to write to, and the caller's promise.
        let refused = unsafe { self.inner().rt.agg_create(site, item, handler, context, 0, &mut agg) };
        if refused == 0 { Ok(agg) } else { Err(AllocError::of_aggregator()) }
    }

    fn end(&self, site: &'static Site, agg: &mut Agg) {
        self.inner().outside_of_phases(site.name);
        // SAFETY: a local, and the body that used it has returned.
        unsafe { self.inner().rt.agg_destroy(site, agg) }
    }
}

/// Removes the handler if the body panics.
struct Disarm<D: FnMut()>(D);

impl<D: FnMut()> Drop for Disarm<D> {
    fn drop(&mut self) {
        self.0();
    }
}
