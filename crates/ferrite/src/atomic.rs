//! Atomics on the words of [`SymAtomic`](crate::SymAtomic) and slices of them.

use crate::{
    Ctx, Kind, Place,
    element::{Atomic, AtomicBits, AtomicInt, AtomicValue},
};
use ferrite_runtime::Site;

macro_rules! atomics {
    ($bound:ident: $(
        $(#[$doc:meta])*
        fn $name:ident($($value:ident: T),*) $(-> $T:ident)? = $routine:ident;
    )*) => {
        operations! { $(
            $(#[$doc])*
            #[inline(always)]
            pub fn $name<'a, T: $bound>(&self, word: impl Place<'a, Atomic<T>> $(, $value: T)*, pe: u32) $(-> $T)? {
                static SITE: Site = Site::of_rust(concat!("Ctx::", stringify!($name)));
                // SAFETY: a place within a block of words that exists on every PE; only atomics access it.
                unsafe { self.inner.rt.$routine(&SITE, self.handle(), word.into_at().at.cast::<T>() $(, $value)*, pe as i32) }
            }
        )* }
    };
}

atomics! { AtomicValue:
    /// The word's value at `pe`.
    ///
    /// ```
    /// ferrite::local(2, |world| assert_eq!(world.fetch(&world.alloc_atomic::<u64>().unwrap(), 1), 0));
    /// ```
    fn fetch() -> T = atomic_fetch;
    /// Set the word at `pe`.
    ///
    /// ```
    /// ferrite::local(2, |world| {
    ///     let word = world.alloc_atomic::<f64>().unwrap();
    ///     world.set(&word, 0.25, 1);
    ///     world.quiet();
    ///     assert_eq!(world.fetch(&word, 1), 0.25);
    /// });
    /// ```
    fn set(value: T) = atomic_set;
    /// Set the word at `pe`, and return its previous value.
    ///
    /// ```
    /// ferrite::local(2, |world| {
    ///     let words = world.alloc_atomics::<i64>(2).unwrap();
    ///     let mine = words.at(world.my_pe() as usize);
    ///     assert_eq!(world.swap(mine, 5, 0), 0);
    ///     assert_eq!(world.swap(mine, 6, 0), 5);
    /// });
    /// ```
    fn swap(value: T) -> T = atomic_swap;
}

atomics! { AtomicInt:
    /// Set the word at `pe` if it is `expected`, and return its previous value in either case.
    ///
    /// ```
    /// let winners = ferrite::local(3, |world| {
    ///     let word = world.alloc_atomic::<u32>().unwrap();
    ///     world.compare_swap(&word, 0, world.my_pe() + 1, 0) == 0
    /// });
    /// assert_eq!(winners.iter().filter(|&&won| won).count(), 1);
    /// ```
    fn compare_swap(expected: T, value: T) -> T = atomic_compare_swap;
    /// Add to the word at `pe`, wrapping, and return its previous value.
    ///
    /// ```
    /// let mut seen = ferrite::local(3, |world| world.fetch_add(&world.alloc_atomic::<u64>().unwrap(), 10, 0));
    /// seen.sort();
    /// assert_eq!(seen, [0, 10, 20]);
    /// ```
    fn fetch_add(value: T) -> T = atomic_fetch_add;
    /// Add to the word at `pe`, wrapping.
    ///
    /// ```
    /// use ferrite::Group;
    /// ferrite::local(2, |world| {
    ///     let word = world.alloc_atomic::<i32>().unwrap();
    ///     world.add(&word, -3, 1);
    ///     world.barrier();
    ///     assert_eq!(world.fetch(&word, 1), -6);
    /// });
    /// ```
    fn add(value: T) = atomic_add;
    /// Add one to the word at `pe`, wrapping, and return its previous value.
    ///
    /// ```
    /// let mut seen = ferrite::local(2, |world| world.fetch_inc(&world.alloc_atomic::<u64>().unwrap(), 1));
    /// seen.sort();
    /// assert_eq!(seen, [0, 1]);
    /// ```
    fn fetch_inc() -> T = atomic_fetch_inc;
    /// Add one to the word at `pe`, wrapping.
    ///
    /// ```
    /// use ferrite::Group;
    /// ferrite::local(2, |world| {
    ///     let word = world.alloc_atomic::<usize>().unwrap();
    ///     world.inc(&word, 1);
    ///     world.barrier();
    ///     assert_eq!(world.fetch(&word, 1), 2);
    /// });
    /// ```
    fn inc() = atomic_inc;
}

atomics! { AtomicBits:
    /// Clear the bits of the word at `pe` that are not set in `value`, and return its previous value.
    ///
    /// ```
    /// ferrite::local(1, |world| {
    ///     let word = world.alloc_atomic::<u64>().unwrap();
    ///     world.set(&word, 0b111, 0);
    ///     assert_eq!(world.fetch_and(&word, 0b101, 0), 0b111);
    ///     assert_eq!(world.fetch(&word, 0), 0b101);
    /// });
    /// ```
    fn fetch_and(value: T) -> T = atomic_fetch_and;
    /// Clear the bits of the word at `pe` that are not set in `value`.
    ///
    /// ```
    /// ferrite::local(1, |world| {
    ///     let word = world.alloc_atomic::<u64>().unwrap();
    ///     world.set(&word, 6, 0);
    ///     world.and(&word, 3, 0);
    ///     assert_eq!(world.fetch(&word, 0), 2);
    /// });
    /// ```
    fn and(value: T) = atomic_and;
    /// Set the bits of `value` in the word at `pe`, and return its previous value.
    ///
    /// ```
    /// ferrite::local(1, |world| {
    ///     let word = world.alloc_atomic::<u64>().unwrap();
    ///     assert_eq!(world.fetch_or(&word, 4, 0), 0);
    ///     assert_eq!(world.fetch(&word, 0), 4);
    /// });
    /// ```
    fn fetch_or(value: T) -> T = atomic_fetch_or;
    /// Set the bits of `value` in the word at `pe`.
    ///
    /// ```
    /// use ferrite::Group;
    /// ferrite::local(3, |world| {
    ///     let seen = world.alloc_atomic::<u64>().unwrap();
    ///     world.or(&seen, 1 << world.my_pe(), 0);
    ///     world.barrier();
    ///     assert_eq!(world.fetch(&seen, 0), 0b111);
    /// });
    /// ```
    fn or(value: T) = atomic_or;
    /// Flip the bits of `value` in the word at `pe`, and return its previous value.
    ///
    /// ```
    /// ferrite::local(1, |world| {
    ///     let word = world.alloc_atomic::<u32>().unwrap();
    ///     assert_eq!(world.fetch_xor(&word, 5, 0), 0);
    ///     assert_eq!(world.fetch_xor(&word, 5, 0), 5);
    /// });
    /// ```
    fn fetch_xor(value: T) -> T = atomic_fetch_xor;
    /// Flip the bits of `value` in the word at `pe`.
    ///
    /// ```
    /// ferrite::local(1, |world| {
    ///     let word = world.alloc_atomic::<u32>().unwrap();
    ///     world.xor(&word, 5, 0);
    ///     assert_eq!(world.fetch(&word, 0), 5);
    /// });
    /// ```
    fn xor(value: T) = atomic_xor;
}
