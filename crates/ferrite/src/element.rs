//! The types of values in symmetric memory.

use bytemuck::{AnyBitPattern, NoUninit};
use core::{cell::UnsafeCell, marker::PhantomData};
use ferrite_runtime::{Elem, Word};

/// A type whose values travel between PEs: plain data, of which every byte is initialised ([`NoUninit`], so that it can be sent) and
/// every pattern of bytes is a value ([`AnyBitPattern`], so that whatever arrives can be read).
///
/// Numbers and arrays of them are elements. A structure becomes one by bytemuck's derive:
///
/// ```
/// #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable, PartialEq, Debug)]
/// #[repr(C)]
/// struct Particle {
///     position: [f64; 3],
///     charge: f64,
/// }
///
/// use ferrite::Group;
/// ferrite::local(2, |world| {
///     let cells = world.alloc::<Particle>(8).unwrap();
///     let sent = Particle { position: [1.0, 2.0, 3.0], charge: -1.0 };
///     world.put(cells.at(3), sent, (world.my_pe() + 1) % 2);
///     world.barrier();
///     assert_eq!(cells.read(3), sent);
/// });
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot travel between PEs",
    note = "derive bytemuck::Pod: all fields are plain data, without padding, pointers, references, bool, char or enums"
)]
pub trait Element: AnyBitPattern + NoUninit {}

impl<T: AnyBitPattern + NoUninit> Element for T {}

/// The type of a block's values: an [`Element`], or one of the words that only their own operations access: [`Atomic`], [`Signal`],
/// [`Lock`].
///
/// # Safety
/// A value of all zero bytes is valid, and the type has nothing to drop.
pub unsafe trait Symmetric: 'static {}

// SAFETY: `Zeroable` and `Copy` are supertraits of `AnyBitPattern`.
unsafe impl<T: AnyBitPattern> Symmetric for T {}

/// A word that only atomics update, so that no put can race with them: see [`SymAtomic`](crate::SymAtomic).
#[repr(transparent)]
pub struct Atomic<T>(UnsafeCell<T>);

// SAFETY: all zero bytes are the number 0.
unsafe impl<T: AtomicValue> Symmetric for Atomic<T> {}

/// A word that a put updates once its data has arrived: see [`SymSignal`](crate::SymSignal).
#[repr(transparent)]
pub struct Signal(UnsafeCell<u64>);

// SAFETY: all zero bytes are the number 0.
unsafe impl Symmetric for Signal {}

/// A lock that PEs take in turns: see [`SymLock`](crate::SymLock).
#[repr(transparent)]
pub struct Lock(UnsafeCell<core::ffi::c_long>);

// SAFETY: all zero bytes are a free lock.
unsafe impl Symmetric for Lock {}

mod sealed {
    pub trait Sealed {}
    pub trait Watched {}
    pub trait Number {}
}

/// Numbers that can be read, written and exchanged atomically.
pub trait AtomicValue: Element + Word + sealed::Sealed {}

/// Numbers that can be compared and swapped, and added to, atomically.
pub trait AtomicInt: AtomicValue {}

/// Numbers whose bits can be combined atomically.
pub trait AtomicBits: AtomicInt {}

macro_rules! atomics {
    ($($t:ty: $($also:ident)*;)*) => { $(
        impl sealed::Sealed for $t {}
        impl AtomicValue for $t {}
        $( impl $also for $t {} )*
    )* };
}
atomics! {
    i32: AtomicInt AtomicBits;
    u32: AtomicInt AtomicBits;
    i64: AtomicInt AtomicBits;
    u64: AtomicInt AtomicBits;
    isize: AtomicInt AtomicBits;
    usize: AtomicInt AtomicBits;
    f32: ;
    f64: ;
}

/// A type that a program can wait for: a number that peers put, an [`Atomic`] or a [`Signal`].
pub trait Watched: Symmetric + sealed::Watched {
    /// The number that is compared.
    type Value: Word;
}

impl<T: Watchable> sealed::Watched for T {}
impl<T: Watchable> Watched for T {
    type Value = T;
}
impl<T: AtomicValue> sealed::Watched for Atomic<T> {}
impl<T: AtomicValue> Watched for Atomic<T> {
    type Value = T;
}
impl sealed::Watched for Signal {}
impl Watched for Signal {
    type Value = u64;
}

/// Plain numbers that can be waited for.
pub trait Watchable: Element + Word + sealed::Number {}
macro_rules! watchable {
    ($($t:ty)*) => { $( impl sealed::Number for $t {} impl Watchable for $t {} )* };
}
watchable!(i16 u16 i32 u32 i64 u64 isize usize f32 f64);

/// An element in the form in which the runtime moves it: its bits.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Raw<T>(pub T);

// SAFETY: every pattern of bits is a value, by `AnyBitPattern`.
unsafe impl<T: Element> Elem for Raw<T> {}

/// Makes a type not `Sync`: one thread at a time uses it.
pub(crate) type OneThread = PhantomData<core::cell::Cell<()>>;
