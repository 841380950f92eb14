//! Aggregation: small items and updates for the same PE travel together.
//!
//! # Why a handler may borrow
//!
//! The runtime calls a handler until the aggregator is destroyed, which takes all PEs: a body that returns ends it so, and what the
//! handler borrows is still there. A body that panics cannot wait for the others. Then the handler is taken out of its [`Slot`] under
//! the lock in which it is called, so that nothing calls it any more; the slot itself stays for ever, and items that still come
//! find it empty.
//!
//! A panic of the handler must not unwind through the runtime. The slot keeps it, and the next call of the aggregator resumes it.

use crate::{
    AllocError, At, World,
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

/// What panics carry.
type Panic = Box<dyn Any + Send>;

/// Where a handler is while items may come.
struct Slot<F> {
    /// Nothing once it is over, or after a panic.
    handler: Mutex<Option<F>>,
    failure: Failure,
}

/// The panic of a handler.
#[derive(Default)]
struct Failure {
    /// There may be one: what senders look at.
    happened: AtomicBool,
    why: Mutex<Option<Panic>>,
}

impl Failure {
    fn keep(&self, why: Panic) {
        *mutex::lock(&self.why) = Some(why);
        self.happened.store(true, Relaxed);
    }

    /// Go on with it on this thread.
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

/// Hands items to the handler of a slot.
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
            // SAFETY: one of so many values, any bits of which are one.
            handler(from as u32, unsafe { items.cast::<T>().add(at).read_unaligned() });
        }
    };
    if let Err(why) = panic::catch_unwind(AssertUnwindSafe(all)) {
        *place = None;
        slot.failure.keep(why);
    }
}

/// Sends items to handlers, many at a time: what the body of [`World::aggregate`] gets. Threads of a PE may share it.
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
    /// Send an item to `pe`, whose handler gets it. It may be kept until a [`flush`](Items::flush), a quiet of the default context or
    /// a collective.
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

    /// Return when all that this PE has sent is handled.
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

/// Updates words, many at a time: what the body of [`World::aggregate_updates`] gets. Threads of a PE may share it.
///
/// A word that is mapped is updated at once, by the same instruction as a plain atomic.
///
/// ```
/// use ferrite::Group;
/// ferrite::local(2, |world| {
///     let counts = world.atomics::<u64>(100).unwrap();
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
        pub fn $name<'w, T: $bound>(&self, word: impl Into<At<'w, Atomic<T>>>, value: T, pe: u32) {
            static SITE: Site = Site::of_rust(concat!("Updates::", stringify!($name)));
            const { assert!(size_of::<T>() == 8, "updates are of words of 64 bits") };
            let (word, value) = (word.into().at.cast::<u64>(), bits(value));
            // SAFETY: a word within a block, which every PE has and only atomics touch.
            unsafe { self.inner.rt.$routine(&SITE, self.agg, word, value, pe as c_int) }
        }
    )* };
}

/// A value of 64 bits as a word.
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
        ///     let word = world.atomic::<i64>().unwrap();
        ///     world.aggregate_updates(|updates| updates.add(&word, -5, 0)).unwrap();
        ///     assert_eq!(world.fetch(&word, 0), -10);
        /// });
        /// ```
        fn add<AtomicInt> = agg_add;
        /// Set bits of the word at `pe`.
        ///
        /// ```
        /// ferrite::local(2, |world| {
        ///     let word = world.atomic::<u64>().unwrap();
        ///     world.aggregate_updates(|updates| updates.or(&word, 1 << world.my_pe(), 1)).unwrap();
        ///     assert_eq!(world.fetch(&word, 1), 3);
        /// });
        /// ```
        fn or<AtomicBits> = agg_or;
        /// Flip bits of the word at `pe`.
        ///
        /// ```
        /// ferrite::local(2, |world| {
        ///     let word = world.atomic::<u64>().unwrap();
        ///     world.aggregate_updates(|updates| updates.xor(&word, 7, 1)).unwrap();
        ///     assert_eq!(world.fetch(&word, 1), 0);
        /// });
        /// ```
        fn xor<AtomicBits> = agg_xor;
        /// Set the word at `pe`.
        ///
        /// ```
        /// ferrite::local(2, |world| {
        ///     let words = world.atomics::<f64>(2).unwrap();
        ///     world.aggregate_updates(|updates| updates.put(words.at(world.my_pe() as usize), 0.5, 1)).unwrap();
        ///     assert_eq!(world.fetch(words.at(0), 1), 0.5);
        /// });
        /// ```
        fn put<AtomicValue> = agg_put;
    }

    /// Return when all updates of this PE are done.
    ///
    /// ```
    /// ferrite::local(2, |world| {
    ///     let word = world.atomic::<u64>().unwrap();
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
    /// Run `body`, which sends items of type `T`; each is given once to the `handler` of the PE that it was sent to, with the number
    /// of the PE that sent it. All are handled when this returns. Collective: every PE calls it, with items of the same type. An error
    /// comes on all PEs alike, and runs no body.
    ///
    /// Items of one PE for one other come in their order. Handlers run while their PE is in the library: one call at a time, on
    /// whichever of its threads is there. What they share with the body needs a lock, or comes to it when this returns.
    ///
    /// # Panics
    /// If the handler has panicked, or used the aggregator.
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
        // By hand: a body that panics leaves it.
        let slot = Box::into_raw(Box::new(Slot { handler: Mutex::new(Some(handler)), failure: Failure::default() }));
        // SAFETY: the one owner gives it up below, or never.
        let shared = unsafe { &*slot };
        // SAFETY: the slot is there until the aggregator has ended, or for ever.
        let begun = unsafe { self.begin(&SITE, size_of::<T>(), Some(handle::<T, F>), slot.cast()) };
        let mut agg = begun.inspect_err(|_| {
            // SAFETY: no aggregator has heard of it.
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

    /// Run `body`, which updates words of 64 bits; all are updated when this returns. Collective. An error comes on all PEs alike, and
    /// runs no body.
    ///
    /// Updates are in no order, and atomic with each other and with plain atomics.
    ///
    /// ```
    /// use ferrite::Group;
    /// ferrite::local(4, |world| {
    ///     let word = world.atomic::<u64>().unwrap();
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

/// Takes a handler out where a body panics.
struct Disarm<D: FnMut()>(D);

impl<D: FnMut()> Drop for Disarm<D> {
    fn drop(&mut self) {
        self.0();
    }
}
