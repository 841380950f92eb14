//! Phases: where a PE has its part of symmetric memory as a plain slice.
//!
//! # Why nobody else can reach it
//!
//! A phase takes `&mut` of the handle, and there is one handle of a block on each PE: what borrows it (a place, a span, a scope, a
//! request) has ended. So once all PEs have come to the phase of the same block, nobody can begin an operation on it; what was begun
//! before is completed by each PE before it comes: that of all contexts, and collectives whose requests were forgotten.
//!
//! That all have come to the same phase is not taken on trust. PEs exchange a word that names phase and blocks, and that no PE has
//! said before; a PE that does another collective instead cannot have said it. Within a phase there are no other collectives, so the
//! exchange at its end can meet no other either.

use crate::{Element, SymSlice, team::RawTeam};
use core::sync::atomic::Ordering::Relaxed;
use ferrite_os::mutex;
use ferrite_runtime::Site;

mod sealed {
    pub trait Sealed {
        /// Names the blocks, in a word that follows from `seed`; `None` if one of them is of another world.
        #[doc(hidden)]
        fn name(&self, world: *const (), seed: u64) -> Option<u64>;
    }
}

/// What a [phase](crate::Group::phase) can be about: `&mut SymSlice<T>`, and tuples of up to four of them.
pub trait Phase: sealed::Sealed {
    /// What the phase's closure gets.
    type Slices<'s>;

    /// # Safety
    /// Nobody else can reach the blocks during `'s`.
    #[doc(hidden)]
    unsafe fn lend<'s>(&mut self) -> Self::Slices<'s>;
}

impl<T: Element> sealed::Sealed for &mut SymSlice<T> {
    fn name(&self, world: *const (), seed: u64) -> Option<u64> {
        let ours = core::ptr::eq((&raw const **self.inner()).cast(), world);
        // A step of FNV-1a, by words.
        ours.then(|| (seed ^ self.key()).wrapping_mul(0x0100_0000_01b3))
    }
}

impl<T: Element> Phase for &mut SymSlice<T> {
    type Slices<'s> = &'s mut [T];

    unsafe fn lend<'s>(&mut self) -> &'s mut [T] {
        // SAFETY: a block of so many elements, any bytes of which are values; the rest is the caller's promise.
        unsafe { core::slice::from_raw_parts_mut(self.as_ptr(), self.len()) }
    }
}

macro_rules! tuples {
    ($(($($t:ident $n:tt),+);)*) => { $(
        impl<$($t: Phase),+> sealed::Sealed for ($($t,)+) {
            fn name(&self, world: *const (), seed: u64) -> Option<u64> {
                $( let seed = self.$n.name(world, seed)?; )+
                Some(seed)
            }
        }
        impl<$($t: Phase),+> Phase for ($($t,)+) {
            type Slices<'s> = ($($t::Slices<'s>,)+);

            unsafe fn lend<'s>(&mut self) -> Self::Slices<'s> {
                // SAFETY: passed on; handles that are borrowed at the same time are of different blocks.
                unsafe { ($(self.$n.lend(),)+) }
            }
        }
    )* };
}
tuples! {
    (A 0, B 1);
    (A 0, B 1, C 2);
    (A 0, B 1, C 2, D 3);
}

#[track_caller]
pub(crate) fn run<P: Phase, R>(raw: &RawTeam<'_>, mut slices: P, body: impl for<'s> FnOnce(P::Slices<'s>) -> R) -> R {
    static SITE: Site = Site::of_rust("Group::phase");
    let inner = raw.inner;
    inner.outside_of_phases("another phase");
    let (members, all) = (raw.size(), inner.size);
    assert!(
        members == all,
        "a phase needs all {all} PEs, and this team has {members}: the others could write meanwhile"
    );
    let number = u64::from(inner.phases.fetch_add(1, Relaxed));
    let Some(blocks) = slices.name(core::ptr::from_ref(inner).cast(), number.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    else {
        panic!("a phase is about slices of its own world");
    };
    let meet = |end: u64| {
        let _all = mutex::lock(&inner.contexts);
        // The number leads: no word is said twice.
        if !inner.rt.meet_with(&SITE, number << 33 | end << 32 | (blocks ^ blocks >> 32) & 0xffff_ffff) {
            inner.rt.misuse(&SITE, format_args!("PEs came to different phases, or to one with different slices"));
        }
    };
    meet(0);
    inner.in_phase.store(true, Relaxed);
    // SAFETY: see the essay above. A panic leaves `in_phase` set: this PE will do no collective any more.
    let result = body(unsafe { slices.lend() });
    inner.in_phase.store(false, Relaxed);
    meet(1);
    result
}
