//! Scopes: operations in them need not be waited for one by one.

use crate::{
    Ctx, DefaultContext, Element, Kind, Place, Places, SignalOp, World,
    element::{Atomic, AtomicInt, AtomicValue, Raw, Signal},
    memory::same_length,
};
use core::marker::PhantomData;
use ferrite_runtime::Site;

/// Operations of a scope do not wait. This is the argument of the closure of [`Ctx::scope`] and [`Ctx::local_scope`].
///
/// Buffers are lent to the scope: memory that an operation reads or writes cannot be accessed before the scope has ended.
///
/// `'scope` is the lifetime of the scope, `'env` the lifetime of values outside of it, as in [`std::thread::scope`].
pub struct Scope<'scope, 'env: 'scope, K: Kind> {
    ctx: &'env Ctx<'env, K>,
    /// Invariant in both lifetimes, so that neither can be shortened or extended.
    scope: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
}

/// Waits for the scope's operations, however the closure ended.
struct AtEnd<'c, 'w, K: Kind> {
    ctx: &'c Ctx<'w, K>,
    complete: fn(&Ctx<'w, K>),
}

impl<K: Kind> Drop for AtEnd<'_, '_, K> {
    fn drop(&mut self) {
        if !self.ctx.inner.rt.is_broken_in_drop() {
            (self.complete)(self.ctx);
        }
    }
}

impl<'w, K: Kind> Ctx<'w, K> {
    /// Run `body`, in which operations need not be waited for. When this returns, all of them are complete, here and at their targets, even
    /// if `body` panics, and whatever happened to the values that the operations returned.
    ///
    /// ```
    /// use ferrite::Group;
    /// ferrite::local(2, |world| {
    ///     let words = world.alloc::<u64>(2000).unwrap();
    ///     let (low, high) = (vec![1; 1000], vec![2; 1000]);
    ///     let other = 1 - world.my_pe();
    ///     world.scope(|s| {
    ///         s.put(words.range(..1000), &low, other);
    ///         s.put(words.range(1000..), &high, other);
    ///     });
    ///     world.barrier();
    ///     assert_eq!((words.read(0), words.read(1999)), (1, 2));
    /// });
    /// ```
    pub fn scope<'env, R>(&'env self, body: impl for<'scope> FnOnce(&'scope Scope<'scope, 'env, K>) -> R) -> R
    where
        'w: 'env,
    {
        let _end = AtEnd { ctx: self, complete: Ctx::quiet };
        body(&Scope { ctx: self, scope: PhantomData, env: PhantomData })
    }

    /// Like [`scope`](Ctx::scope), but complete the operations only here: when this returns, the lent buffers may be used again, and results
    /// have arrived. Puts may still be on their way to their targets, as after [`put`](Ctx::put); [`quiet`](Ctx::quiet) completes them there.
    ///
    /// Several puts from buffers that are used again then cost one wait for the buffers, and one quiet at the end.
    ///
    /// ```
    /// use ferrite::Group;
    /// ferrite::local(2, |world| {
    ///     let rows = world.alloc::<u64>(4 * 100).unwrap();
    ///     let mut row = [0; 100];
    ///     for nth in 0..4 {
    ///         row.fill(nth as u64 + 1);
    ///         world.local_scope(|s| s.put(rows.range(nth * 100..(nth + 1) * 100), &row, 1 - world.my_pe()));
    ///     }
    ///     world.barrier();
    ///     assert_eq!((rows.read(0), rows.read(399)), (1, 4));
    /// });
    /// ```
    pub fn local_scope<'env, R>(&'env self, body: impl for<'scope> FnOnce(&'scope Scope<'scope, 'env, K>) -> R) -> R
    where
        'w: 'env,
    {
        static SITE: Site = Site::of_rust("Ctx::local_scope");
        let _end = AtEnd { ctx: self, complete: |ctx| ctx.inner.rt.local_complete(&SITE, ctx.handle()) };
        body(&Scope { ctx: self, scope: PhantomData, env: PhantomData })
    }
}

impl World {
    /// Run `body`, in which operations need not be waited for. When this returns, all of them are complete, here and at their targets, even
    /// if `body` panics, and whatever happened to the values that the operations returned.
    ///
    /// ```
    /// use ferrite::Group;
    /// ferrite::local(2, |world| {
    ///     let words = world.alloc::<u64>(2000).unwrap();
    ///     let (low, high) = (vec![1; 1000], vec![2; 1000]);
    ///     let other = 1 - world.my_pe();
    ///     world.scope(|s| {
    ///         s.put(words.range(..1000), &low, other);
    ///         s.put(words.range(1000..), &high, other);
    ///     });
    ///     world.barrier();
    ///     assert_eq!((words.read(0), words.read(1999)), (1, 2));
    /// });
    /// ```
    pub fn scope<'env, R>(
        &'env self,
        body: impl for<'scope> FnOnce(&'scope Scope<'scope, 'env, DefaultContext>) -> R,
    ) -> R {
        self.default_context().scope(body)
    }

    /// Like [`scope`](Ctx::scope), but complete the operations only here: when this returns, the lent buffers may be used again, and results
    /// have arrived. Puts may still be on their way to their targets, as after [`put`](Ctx::put); [`quiet`](Ctx::quiet) completes them there.
    ///
    /// Several puts from buffers that are used again then cost one wait for the buffers, and one quiet at the end.
    ///
    /// ```
    /// use ferrite::Group;
    /// ferrite::local(2, |world| {
    ///     let rows = world.alloc::<u64>(4 * 100).unwrap();
    ///     let mut row = [0; 100];
    ///     for nth in 0..4 {
    ///         row.fill(nth as u64 + 1);
    ///         world.local_scope(|s| s.put(rows.range(nth * 100..(nth + 1) * 100), &row, 1 - world.my_pe()));
    ///     }
    ///     world.barrier();
    ///     assert_eq!((rows.read(0), rows.read(399)), (1, 4));
    /// });
    /// ```
    pub fn local_scope<'env, R>(
        &'env self,
        body: impl for<'scope> FnOnce(&'scope Scope<'scope, 'env, DefaultContext>) -> R,
    ) -> R {
        self.default_context().local_scope(body)
    }
}

impl<'scope, K: Kind> Scope<'scope, '_, K> {
    /// Begin to copy `from` to `pe`.
    ///
    /// # Panics
    /// If the lengths differ.
    ///
    /// ```
    /// use ferrite::Group;
    /// ferrite::local(2, |world| {
    ///     let words = world.alloc::<u8>(5).unwrap();
    ///     world.scope(|s| s.put(&words, b"hello", 1));
    ///     world.barrier();
    ///     assert_eq!(world.get_vec(&words, 1), b"hello");
    /// });
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn put<T: Element>(&'scope self, to: impl Places<'scope, T>, from: &'scope [T], pe: u32) {
        static SITE: Site = Site::of_rust("Scope::put");
        let to = to.into_span();
        same_length(to.len(), from.len());
        let (dest, source) = (to.as_ptr().cast::<Raw<T>>(), from.as_ptr().cast());
        // SAFETY: both sides have the same length, and are lent until the scope's end, which completes the operation here.
        unsafe { self.ctx.inner.rt.put_nbi(&SITE, self.ctx.handle(), dest, source, from.len(), pe as i32) }
    }

    /// Begin to copy the values at `pe` to `into`.
    ///
    /// # Panics
    /// If the lengths differ.
    ///
    /// ```
    /// ferrite::local(2, |world| {
    ///     let words = world.alloc::<u64>(4).unwrap();
    ///     let (mut a, mut b) = ([1; 4], [1; 2]);
    ///     world.scope(|s| {
    ///         s.get(&words, &mut a, 0);
    ///         s.get(words.range(..2), &mut b, 1);
    ///     });
    ///     assert_eq!((a, b), ([0; 4], [0; 2]));
    /// });
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn get<T: Element>(&'scope self, from: impl Places<'scope, T>, into: &'scope mut [T], pe: u32) {
        static SITE: Site = Site::of_rust("Scope::get");
        let from = from.into_span();
        same_length(from.len(), into.len());
        let (dest, source) = (into.as_mut_ptr().cast::<Raw<T>>(), from.as_ptr().cast::<Raw<T>>().cast_const());
        // SAFETY: as for `put`.
        unsafe { self.ctx.inner.rt.get_nbi(&SITE, self.ctx.handle(), dest, source, into.len(), pe as i32) }
    }

    /// Begin to copy `from` to `pe`, and then to update the signal there.
    ///
    /// # Panics
    /// If the lengths differ.
    ///
    /// ```
    /// use ferrite::{Cmp, SignalOp};
    /// ferrite::local(2, |world| {
    ///     let (words, signal) = (world.alloc::<u64>(2).unwrap(), world.alloc_signal().unwrap());
    ///     world.scope(|s| {
    ///         s.put_signal(&words, &[1, 2], &signal, SignalOp::Set(1), 1 - world.my_pe());
    ///     });
    ///     world.wait_until(&signal, Cmp::Eq(1));
    ///     assert_eq!(words.to_vec(), [1, 2]);
    /// });
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn put_signal<T: Element>(
        &'scope self,
        to: impl Places<'scope, T>,
        from: &'scope [T],
        signal: impl Place<'scope, Signal>,
        op: SignalOp,
        pe: u32,
    ) {
        static SITE: Site = Site::of_rust("Scope::put_signal");
        let to = to.into_span();
        same_length(to.len(), from.len());
        let (dest, source) = (to.as_ptr().cast::<Raw<T>>(), from.as_ptr().cast());
        let (word, (value, op), len) = (signal.into_at().at.cast::<u64>(), op.parts(), from.len());
        // SAFETY: as for `put`; `word` is a signal.
        unsafe {
            self.ctx.inner.rt.put_signal_nbi(&SITE, self.ctx.handle(), dest, source, len, word, value, op, pe as i32);
        }
    }

    /// Order the operations issued before against later ones, at each PE.
    ///
    /// ```
    /// use ferrite::Cmp;
    /// ferrite::local(2, |world| {
    ///     let (data, flag) = (world.alloc::<u64>(100).unwrap(), world.alloc_box::<u64>().unwrap());
    ///     let (sent, one) = ([7; 100], [1]);
    ///     world.scope(|s| {
    ///         s.put(&data, &sent, 1 - world.my_pe());
    ///         s.fence();
    ///         s.put(&flag, &one, 1 - world.my_pe());
    ///     });
    ///     world.wait_until(&flag, Cmp::Eq(1));
    ///     assert_eq!(data.read(99), 7);
    /// });
    /// ```
    pub fn fence(&self) {
        self.ctx.fence();
    }

    /// Wait for all operations issued so far.
    ///
    /// ```
    /// ferrite::local(2, |world| {
    ///     let word = world.alloc_box::<u64>().unwrap();
    ///     let five = [5];
    ///     world.scope(|s| {
    ///         s.put(&word, &five, 0);
    ///         s.quiet();
    ///         assert_eq!(world.get(&word, 0), 5);
    ///     });
    /// });
    /// ```
    pub fn quiet(&self) {
        self.ctx.quiet();
    }
}

macro_rules! fetching {
    ($bound:ident: $($(#[$doc:meta])* fn $name:ident($($value:ident: T),*) = $routine:ident;)*) => {
        impl<'scope, K: Kind> Scope<'scope, '_, K> { $(
            $(#[$doc])*
            #[inline(always)]
            pub fn $name<T: $bound>(
                &'scope self, word: impl Place<'scope, Atomic<T>> $(, $value: T)*, old: &'scope mut T, pe: u32,
            ) {
                static SITE: Site = Site::of_rust(concat!("Scope::", stringify!($name)));
                let word = word.into_at().at.cast::<T>();
                // SAFETY: `word` is an atomic; the place for the old value is lent until the scope's end, which completes it here.
                unsafe { self.ctx.inner.rt.$routine(&SITE, self.ctx.handle(), old, word $(, $value)*, pe as i32) }
            }
        )* }
    };
}

fetching! { AtomicValue:
    /// Begin to read the word at `pe`.
    ///
    /// ```
    /// ferrite::local(2, |world| {
    ///     let word = world.alloc_atomic::<u64>().unwrap();
    ///     let mut value = 1;
    ///     world.scope(|s| s.fetch(&word, &mut value, 1));
    ///     assert_eq!(value, 0);
    /// });
    /// ```
    fn fetch() = atomic_fetch_nbi;
    /// Begin to set the word at `pe`; `old` gets its previous value.
    ///
    /// ```
    /// ferrite::local(1, |world| {
    ///     let word = world.alloc_atomic::<u64>().unwrap();
    ///     let mut old = 1;
    ///     world.scope(|s| s.swap(&word, 4, &mut old, 0));
    ///     assert_eq!((old, word.load()), (0, 4));
    /// });
    /// ```
    fn swap(value: T) = atomic_swap_nbi;
}
fetching! { AtomicInt:
    /// Begin to add to the word at `pe`; `old` gets its previous value.
    ///
    /// ```
    /// ferrite::local(1, |world| {
    ///     let words = world.alloc_atomics::<u64>(4).unwrap();
    ///     let mut old = [9; 4];
    ///     world.scope(|s| {
    ///         for (i, old) in old.iter_mut().enumerate() {
    ///             s.fetch_add(words.at(i), 2, old, 0);
    ///         }
    ///     });
    ///     assert_eq!(old, [0; 4]);
    /// });
    /// ```
    fn fetch_add(value: T) = atomic_fetch_add_nbi;
    /// Begin to set the word at `pe` if it is `expected`; `old` gets its previous value.
    ///
    /// ```
    /// ferrite::local(1, |world| {
    ///     let word = world.alloc_atomic::<u32>().unwrap();
    ///     let mut old = 9;
    ///     world.scope(|s| s.compare_swap(&word, 0, 5, &mut old, 0));
    ///     assert_eq!((old, word.load()), (0, 5));
    /// });
    /// ```
    fn compare_swap(expected: T, value: T) = atomic_compare_swap_nbi;
}
