//! Phases: a PE has its part of symmetric memory as a plain slice.
//!
//! # Why no other PE can reach the slice
//!
//! A phase takes `&mut` of the handle, and each PE has one handle of a block, so everything that borrows it (a place, a span, a scope, a
//! request) has ended. Once all PEs have entered the phase of the same block, none can begin an operation on it. Before it enters, each PE
//! completes the operations that it began earlier: operations of all contexts, and collectives whose requests were forgotten.
//!
//! The runtime checks that all PEs have entered the same phase. PEs exchange words that name the phase and its blocks. No PE has sent
//! these words before; a PE that calls another collective instead cannot have sent them. There are no other collectives within a phase, so
//! the exchange at its end cannot match another one either.

use crate::{Element, SymSlice, team::RawTeam};
use core::sync::atomic::Ordering::Relaxed;
use ferrite_os::mutex;
use ferrite_runtime::Site;
use std::panic::{self, AssertUnwindSafe};

/// Maximum number of slices. Tuples may be nested, but the words that name a phase must fit a cell of the control area.
const SLICES_MAX: usize = 4;

mod sealed {
    pub trait Sealed {
        /// Append the keys of the blocks; `None` if one of them is of another world.
        #[doc(hidden)]
        fn name(&self, world: *const (), keys: &mut Vec<u64>) -> Option<()>;
    }
}

/// The slices of a [phase](crate::Group::phase): `&mut SymSlice<T>`, or a tuple of up to four of them.
pub trait Phase: sealed::Sealed {
    /// The argument of the phase's closure.
    type Slices<'s>;

    /// # Safety
    /// No other PE or thread can reach the blocks during `'s`.
    #[doc(hidden)]
    unsafe fn lend<'s>(&mut self) -> Self::Slices<'s>;
}

impl<T: Element> sealed::Sealed for &mut SymSlice<T> {
    fn name(&self, world: *const (), keys: &mut Vec<u64>) -> Option<()> {
        let ours = core::ptr::eq((&raw const **self.inner()).cast(), world);
        ours.then(|| keys.push(self.key()))
    }
}

impl<T: Element> Phase for &mut SymSlice<T> {
    type Slices<'s> = &'s mut [T];

    unsafe fn lend<'s>(&mut self) -> &'s mut [T] {
        // SAFETY: a block of `self.len()` elements, any bytes of which are values; the rest is the caller's promise.
        unsafe { core::slice::from_raw_parts_mut(self.as_ptr(), self.len()) }
    }
}

macro_rules! tuples {
    ($(($($t:ident $n:tt),+);)*) => { $(
        impl<$($t: Phase),+> sealed::Sealed for ($($t,)+) {
            fn name(&self, world: *const (), keys: &mut Vec<u64>) -> Option<()> {
                $( self.$n.name(world, keys)?; )+
                Some(())
            }
        }
        impl<$($t: Phase),+> Phase for ($($t,)+) {
            type Slices<'s> = ($($t::Slices<'s>,)+);

            unsafe fn lend<'s>(&mut self) -> Self::Slices<'s> {
                // SAFETY: the caller's promise; handles that are mutably borrowed at the same time are of different blocks.
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
    let (members, all) = (raw.n_pes(), inner.size);
    assert!(
        members == all,
        "a phase needs all {all} PEs, and this team has {members}: the others could write meanwhile"
    );
    let number = u64::from(inner.phases.fetch_add(1, Relaxed));
    let mut keys = Vec::new();
    if slices.name(core::ptr::from_ref(inner).cast(), &mut keys).is_none() {
        panic!("a phase is about slices of its own world");
    }
    assert!(keys.len() <= SLICES_MAX, "a phase is about {SLICES_MAX} slices at most, and here are {}", keys.len());
    let mut words = [0; 1 + SLICES_MAX];
    words[1..=keys.len()].copy_from_slice(&keys);
    let meet = |end: u64| {
        // Before the lock: it waits for other PEs, whose threads may wait for their lock.
        inner.rt.complete_requests(&SITE);
        {
            let _all = mutex::lock(&inner.contexts);
            inner.rt.quiet_all(&SITE);
        }
        // The first word has the number of the phase, so no exchange repeats the words of an earlier one.
        let mut words = words;
        words[0] = number << 1 | end;
        // Of the group, since another thread may call collectives of the world meanwhile.
        // SAFETY: the team is valid as long as the group.
        if !unsafe { inner.rt.meet_with(&SITE, raw.team, words) } {
            inner.rt.misuse(&SITE, format_args!("PEs came to different phases, or to one with different slices"));
        }
    };
    meet(0);
    inner.in_phase.store(true, Relaxed);
    // SAFETY: see the module's documentation. The other PEs have their slices until all PEs have reached the end, so a panic waits for
    // that, too.
    let result = panic::catch_unwind(AssertUnwindSafe(|| body(unsafe { slices.lend() })));
    inner.in_phase.store(false, Relaxed);
    meet(1);
    result.unwrap_or_else(|why| panic::resume_unwind(why))
}
