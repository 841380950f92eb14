//! Symmetric statics: declared anywhere in the program, allocated when a world starts.
//!
//! The linker gathers the declarations ([`linkme`]). Their order is the linker's, so PEs sort them by name to agree on an order. Each
//! declaration then gets an offset, which is the same for every world of the process, and each world has one block for all of them.
//! Executables whose declarations differ from their peers' are refused.

use crate::{
    At, Span,
    element::Symmetric,
    world::{Inner, World},
};
use core::{
    marker::PhantomData,
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};
use ferrite_fabric::{Error, Result};
use ferrite_runtime as rt;
use std::sync::OnceLock;

/// All declarations of the program.
#[doc(hidden)]
#[linkme::distributed_slice]
pub static DECLARED: [&'static Declared];

/// Largest size of one declaration. It is more memory than any machine has, and small enough that the sum over all declarations does not
/// overflow.
const SIZE_MAX: usize = 1 << 48;

/// The declaration of one symmetric static.
#[doc(hidden)]
pub struct Declared {
    /// Module, file, line and name of the declaration: the key that PEs sort by.
    pub name: &'static str,
    size: usize,
    align: usize,
    offset: AtomicUsize,
}

/// A symmetric static, as [`statics!`](crate::statics) declares it: `len` values of `T` on every PE, zero when a world starts.
pub struct Static<T: Symmetric, const N: usize> {
    declared: &'static Declared,
    of: PhantomData<fn() -> T>,
}

impl Declared {
    #[doc(hidden)]
    pub const fn new<T: Symmetric, const N: usize>(name: &'static str) -> Declared {
        assert!(size_of::<T>() > 0 && N > 0, "a symmetric static has a size");
        let size = match size_of::<T>().checked_mul(N) {
            Some(size) if size <= SIZE_MAX => size,
            _ => panic!("a symmetric static is too large"),
        };
        Declared { name, size, align: align_of::<T>(), offset: AtomicUsize::new(usize::MAX) }
    }
}

impl<T: Symmetric, const N: usize> Static<T, N> {
    #[doc(hidden)]
    pub const fn of(declared: &'static Declared) -> Static<T, N> {
        Static { declared, of: PhantomData }
    }

    fn base(&self, inner: &Inner) -> *mut T {
        let Declared { size, align, ref offset, .. } = *self.declared;
        let offset = offset.load(Relaxed);
        assert!(
            offset != usize::MAX && size == size_of::<T>() * N && align == align_of::<T>(),
            "a symmetric static is declared by ferrite::statics!"
        );
        inner.statics.wrapping_add(offset).cast()
    }

    /// The static's place in this world.
    ///
    /// ```
    /// use ferrite::{Atomic, Group};
    /// ferrite::statics! { static HITS: Atomic<u64>; }
    /// ferrite::local(2, |world| {
    ///     world.inc(HITS.on(world), 0);
    ///     world.barrier();
    ///     assert_eq!(world.fetch(HITS.on(world), 0), 2);
    /// });
    /// ```
    pub fn on<'w>(&self, world: &'w World) -> At<'w, T> {
        At { at: self.base(world.inner()), handle: PhantomData }
    }

    /// The static's places in this world: all elements, if it is declared as an array.
    ///
    /// ```
    /// ferrite::statics! { static TABLE: [u32; 5]; }
    /// ferrite::local(2, |world| {
    ///     TABLE.all(world).write(&[1, 2, 3, 4, 5]);
    ///     assert_eq!(TABLE.all(world).at(4).read(), 5);
    /// });
    /// ```
    pub fn all<'w>(&self, world: &'w World) -> Span<'w, T> {
        Span::of(self.base(world.inner()), N)
    }
}

/// Declares symmetric statics: memory that every PE has from the start of its world, without an allocation.
///
/// The type is an [`Element`](crate::Element), [`Atomic`](crate::Atomic), [`Signal`](crate::Signal) or [`Lock`](crate::Lock), or an
/// array of these. Statics are zero when a world starts.
///
/// ```
/// use ferrite::{Atomic, Group, Lock};
///
/// ferrite::statics! {
///     /// How many were found.
///     pub static FOUND: Atomic<u64>;
///     static GUARD: Lock;
///     static HISTOGRAM: [Atomic<u32>; 16];
/// }
///
/// ferrite::local(3, |world| {
///     world.add(FOUND.on(world), 2, 0);
///     world.inc(HISTOGRAM.all(world).at(7), 1);
///     drop(world.acquire(GUARD.on(world)));
///     world.barrier();
///     assert_eq!(world.fetch(FOUND.on(world), 0), 6);
///     assert_eq!(world.fetch(HISTOGRAM.all(world).at(7), 1), 3);
/// });
/// ```
#[macro_export]
macro_rules! statics {
    () => {};
    ($(#[$doc:meta])* $visible:vis static $name:ident: [$type:ty; $len:expr]; $($rest:tt)*) => {
        $crate::statics! { @one [$(#[$doc])*] [$visible] $name [$type] [$len] }
        $crate::statics! { $($rest)* }
    };
    ($(#[$doc:meta])* $visible:vis static $name:ident: $type:ty; $($rest:tt)*) => {
        $crate::statics! { @one [$(#[$doc])*] [$visible] $name [$type] [1] }
        $crate::statics! { $($rest)* }
    };
    (@one [$($attributes:tt)*] [$visible:vis] $name:ident [$type:ty] [$len:expr]) => {
        $($attributes)*
        $visible static $name: $crate::Static<$type, { $len }> = {
            static DECLARED: $crate::__private::Declared = $crate::__private::Declared::new::<$type, { $len }>(
                ::core::concat!(::core::module_path!(), "::", ::core::stringify!($name), " ", ::core::file!(), ":", ::core::line!(), ":", ::core::column!()),
            );
            #[$crate::__private::linkme::distributed_slice($crate::__private::DECLARED)]
            #[linkme(crate = $crate::__private::linkme)]
            static GATHERED: &'static $crate::__private::Declared = &DECLARED;
            $crate::Static::of(&DECLARED)
        };
    };
}

/// Sort the declarations in the order that all PEs agree on, and assign their offsets. Returns the bytes for all of them, and a digest.
fn layout() -> &'static (usize, u64) {
    static LAYOUT: OnceLock<(usize, u64)> = OnceLock::new();
    LAYOUT.get_or_init(|| {
        let mut all: Vec<&Declared> = DECLARED.iter().copied().collect();
        all.sort_by_key(|one| one.name);
        let (mut end, mut digest) = (0_usize, 0xcbf2_9ce4_8422_2325_u64);
        for one in all {
            let offset = end.next_multiple_of(one.align);
            one.offset.store(offset, Relaxed);
            end = offset + one.size;
            let words = one.name.bytes().map(u64::from).chain([one.size as u64, one.align as u64]);
            digest = words.fold(digest, |digest, word| (digest ^ word).wrapping_mul(0x0100_0000_01b3));
        }
        (end, digest)
    })
}

/// Allocate the block of this world's statics. Collective.
pub(crate) fn allocate(world: &rt::World, site: &'static rt::Site) -> Result<*mut u8> {
    let &(bytes, digest) = layout();
    // SAFETY: the team of all PEs lives as long as the world.
    if !unsafe { world.meet_with(site, rt::Team::WORLD, [digest, !digest]) } {
        return Err(Error::new(
            "the PEs declare different symmetric statics; all must run programs with the same ones",
        ));
    }
    if bytes == 0 {
        return Ok(core::ptr::null_mut());
    }
    let block = world.align_zeroed(site, 4096, bytes).cast::<u8>();
    if block.is_null() {
        return Err(Error::new("the symmetric heap has no room for the program's symmetric statics"));
    }
    Ok(block)
}
