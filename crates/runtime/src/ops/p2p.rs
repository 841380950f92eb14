//! The routines that wait for this PE's memory or test it: `wait_until`, `test` and their kin.
//!
//! Every look is an acquire load of the variable, so the program sees the data that the peer has put (and fenced) before. After a look that
//! fails, the world makes progress (`wait` says when).

use crate::{
    Bits, Ctx, Site, Word, World,
    observe::{Call, Kind, Layout, Observed},
    wait::state::Awaited,
};
use core::{ffi::c_int, sync::atomic::Ordering::Acquire};
use ferrite_abi::constants::{SHMEM_CMP_EQ, SHMEM_CMP_GE, SHMEM_CMP_GT, SHMEM_CMP_LE, SHMEM_CMP_LT, SHMEM_CMP_NE};

/// The value that a variable of a vector is compared with.
#[derive(Clone, Copy)]
enum Wanted<T> {
    /// The same value for all.
    Scalar(T),
    /// One value for each variable, at this address.
    Vector(*const T),
}

/// A vector of variables that are waited for: the arguments that the any, some and all families share.
#[derive(Clone, Copy)]
struct Watch<T> {
    ivars: *mut T,
    nelems: usize,
    status: *const c_int,
    cmp: c_int,
    wanted: Wanted<T>,
}

impl<T: Word> Watch<T> {
    /// # Safety
    /// `index` is below `nelems`, and the arrays are as long as that.
    unsafe fn included(&self, index: usize) -> bool {
        // SAFETY: the caller's promise; no array means that all are included.
        self.status.is_null() || unsafe { *self.status.add(index) } == 0
    }

    /// # Safety
    /// As for `included`.
    unsafe fn holds(&self, index: usize) -> bool {
        // SAFETY: the caller's promise.
        unsafe {
            let wanted = match self.wanted {
                Wanted::Scalar(value) => value,
                Wanted::Vector(values) => *values.add(index),
            };
            compare(load(self.ivars.add(index)), self.cmp, wanted)
        }
    }
}

/// # Safety
/// `ivar` is a valid, aligned word.
#[inline(always)]
unsafe fn load<T: Word>(ivar: *const T) -> T {
    // SAFETY: the caller's promise.
    T::from_bits(T::Bits::load(unsafe { T::Bits::cell(ivar.cast_mut().cast()) }, Acquire))
}

/// The comparison of type `T` itself: signed for signed types, unsigned for unsigned.
#[inline(always)]
fn compare<T: PartialOrd>(value: T, cmp: c_int, wanted: T) -> bool {
    match cmp {
        SHMEM_CMP_EQ => value == wanted,
        SHMEM_CMP_NE => value != wanted,
        SHMEM_CMP_GT => value > wanted,
        SHMEM_CMP_LE => value <= wanted,
        SHMEM_CMP_LT => value < wanted,
        SHMEM_CMP_GE => value >= wanted,
        _ => false,
    }
}

impl World {
    /// Whether a variable may be waited for at all: the library is initialised, the address is aligned and not null.
    #[inline(always)]
    pub(crate) fn may_wait_on(&self, address: usize, align: usize) -> bool {
        address != 0 && address.is_multiple_of(align) && self.live().is_some()
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn bad_wait(&self, site: &'static Site, what: &str, address: usize, align: usize) -> ! {
        self.require_live(site);
        if address == 0 {
            self.misuse(site, format_args!("{what} is NULL; pass the address of a symmetric variable"))
        }
        self.unaligned(site, what, address, align)
    }

    #[inline(always)]
    fn check_cmp(&self, site: &'static Site, cmp: c_int) {
        if !(SHMEM_CMP_EQ..=SHMEM_CMP_GE).contains(&cmp) {
            self.bad_cmp(site, cmp);
        }
    }

    #[cold]
    #[inline(never)]
    fn bad_cmp(&self, site: &'static Site, cmp: c_int) -> ! {
        self.require_live(site);
        self.misuse(
            site,
            format_args!(
                "cmp is {cmp}; use SHMEM_CMP_EQ, _NE, _GT, _LE, _LT or _GE ({SHMEM_CMP_EQ} to {SHMEM_CMP_GE})"
            ),
        )
    }

    /// Wait until `ivar` compares as asked.
    ///
    /// # Safety
    /// `ivar` is a symmetric variable.
    #[inline(always)]
    pub unsafe fn wait_until<T: Word>(&self, site: &'static Site, ivar: *const T, cmp: c_int, value: T) {
        // SAFETY: passed on.
        unsafe { self.await_value(site, "ivar", ivar, cmp, value) };
    }

    /// The same. Returns the value that did.
    ///
    /// # Safety
    /// `ivar` is a symmetric variable.
    #[inline(always)]
    pub unsafe fn wait_until_seen<T: Word>(&self, site: &'static Site, ivar: *const T, cmp: c_int, value: T) -> T {
        // SAFETY: passed on.
        unsafe { self.await_value(site, "ivar", ivar, cmp, value) }
    }

    /// Wait until `ivar` is no longer `value`.
    ///
    /// # Safety
    /// `ivar` is a symmetric variable.
    #[inline(always)]
    pub unsafe fn wait<T: Word>(&self, site: &'static Site, ivar: *const T, value: T) {
        // SAFETY: passed on.
        unsafe { self.await_value(site, "ivar", ivar, SHMEM_CMP_NE, value) };
    }

    /// Wait until the signal compares as asked. Returns the value that did, even if the signal has changed since.
    ///
    /// # Safety
    /// `sig_addr` is a signal.
    #[inline(always)]
    pub unsafe fn signal_wait_until(&self, site: &'static Site, sig_addr: *const u64, cmp: c_int, value: u64) -> u64 {
        // SAFETY: passed on.
        unsafe { self.await_value(site, "sig_addr", sig_addr, cmp, value) }
    }

    #[inline(always)]
    unsafe fn await_value<T: Word>(
        &self,
        site: &'static Site,
        what: &'static str,
        ivar: *const T,
        cmp: c_int,
        value: T,
    ) -> T {
        if self.is_observed() {
            // SAFETY: passed on.
            return unsafe { self.await_shown(site, what, ivar, cmp, value) };
        }
        // SAFETY: passed on.
        unsafe { self.await_hidden(site, what, ivar, cmp, value) }
    }

    #[cold]
    #[inline(never)]
    unsafe fn await_shown<T: Word>(
        &self,
        site: &'static Site,
        what: &'static str,
        ivar: *const T,
        cmp: c_int,
        value: T,
    ) -> T {
        let observed = self.observe_watch(site, Kind::Wait, ivar, 1, cmp);
        // SAFETY: passed on.
        let seen = unsafe { self.await_hidden(site, what, ivar, cmp, value) };
        observed.gives(seen.bits().widen() as usize);
        seen
    }

    #[inline(always)]
    unsafe fn await_hidden<T: Word>(
        &self,
        site: &'static Site,
        what: &'static str,
        ivar: *const T,
        cmp: c_int,
        value: T,
    ) -> T {
        self.check_cmp(site, cmp);
        if !self.may_wait_on(ivar as usize, size_of::<T>()) {
            self.bad_wait(site, what, ivar as usize, size_of::<T>());
        }
        // SAFETY: aligned and not null; the rest is the caller's promise.
        let seen = unsafe { load(ivar) };
        if compare(seen, cmp, value) {
            return seen;
        }
        // SAFETY: as above.
        unsafe { self.await_longer(site, what, ivar, cmp, value) }
    }

    /// Report a wait for this PE's memory, or a test of it, to observers.
    #[inline(always)]
    fn observe_watch<T>(
        &self,
        site: &'static Site,
        kind: Kind,
        ivars: *const T,
        nelems: usize,
        cmp: c_int,
    ) -> Observed<'_> {
        self.observe(|live| Call {
            pe: live.me as c_int,
            remote: ivars as usize,
            layout: Layout {
                block: size_of::<T>(),
                count: nelems,
                here: size_of::<T>() as isize,
                there: size_of::<T>() as isize,
            },
            root: cmp,
            ..Call::of(site, kind)
        })
    }

    #[inline(never)]
    unsafe fn await_longer<T: Word>(
        &self,
        site: &'static Site,
        what: &'static str,
        ivar: *const T,
        cmp: c_int,
        value: T,
    ) -> T {
        self.require_symmetric(site, what, ivar as usize, size_of::<T>());
        self.note_bare(site);
        self.wait_for(site, || {
            // SAFETY: checked by the caller.
            let seen = unsafe { load(ivar) };
            compare(seen, cmp, value).then_some(seen)
        })
    }

    /// Refuse memory that no other PE can change: a wait for it would never end.
    pub fn require_symmetric(&self, site: &'static Site, what: &'static str, address: usize, len: usize) {
        let me = self.require_live(site).me as c_int;
        if self.mapped.range(address, len, me).is_none() {
            self.reach(site, what, address, len, Ctx::DEFAULT, me);
        }
    }

    /// Report that the caller has looked for something that is not there yet, and will look again. Makes progress, and lets others run now
    /// and then.
    pub fn failed_look(&self, site: &'static Site) {
        self.require_live(site).failed_look();
    }

    /// Wait until `ready` returns a value. Makes progress meanwhile.
    #[inline(always)]
    pub fn wait_for<R>(&self, site: &'static Site, ready: impl FnMut() -> Option<R>) -> R {
        self.require_live(site).until(Awaited::Routine(site), ready)
    }

    /// Whether `ivar` compares as asked, now.
    ///
    /// # Safety
    /// `ivar` is a symmetric variable.
    #[inline(always)]
    pub unsafe fn test<T: Word>(&self, site: &'static Site, ivar: *const T, cmp: c_int, value: T) -> c_int {
        let observed = self.observe_watch(site, Kind::Test, ivar, 1, cmp);
        self.check_cmp(site, cmp);
        if !self.may_wait_on(ivar as usize, size_of::<T>()) {
            self.bad_wait(site, "ivar", ivar as usize, size_of::<T>());
        }
        // SAFETY: aligned and not null; the rest is the caller's promise.
        let holds = compare(unsafe { load(ivar) }, cmp, value);
        if !holds {
            self.require_symmetric(site, "ivar", ivar as usize, size_of::<T>());
        }
        self.looked(site, holds);
        observed.gives(holds.into());
        c_int::from(holds)
    }

    /// Report that the program has looked for something, and goes on whether or not it was there.
    #[inline]
    fn looked(&self, site: &'static Site, found: bool) {
        let live = self.require_live(site);
        if found { live.good_look() } else { live.failed_look() }
    }

    /// Refuse arrays that cannot be watched.
    fn check_watch<T: Word>(&self, site: &'static Site, watch: &Watch<T>) {
        self.check_cmp(site, watch.cmp);
        self.require_live(site);
        if watch.nelems == 0 {
            return;
        }
        if !self.may_wait_on(watch.ivars as usize, size_of::<T>()) {
            self.bad_wait(site, "ivars", watch.ivars as usize, size_of::<T>());
        }
        self.require_symmetric(site, "ivars", watch.ivars as usize, watch.nelems.saturating_mul(size_of::<T>()));
        if let Wanted::Vector(values) = watch.wanted
            && values.is_null()
        {
            self.misuse(site, format_args!("cmp_values is NULL, but nelems is {}", watch.nelems));
        }
    }

    /// Refuse a null array for the indices that are found.
    fn check_indices<T>(&self, site: &'static Site, watch: &Watch<T>, indices: *const usize) {
        if indices.is_null() && watch.nelems > 0 {
            self.misuse(site, format_args!("indices is NULL, but nelems is {}", watch.nelems));
        }
    }

    /// Whether all included variables hold.
    unsafe fn all_hold<T: Word>(&self, watch: &Watch<T>) -> bool {
        // SAFETY: indices below nelems; the arrays are the caller's promise.
        (0..watch.nelems).all(|i| unsafe { !watch.included(i) || watch.holds(i) })
    }

    /// Find one included variable that holds. The search begins at another place each time, so that a program which does not mask the
    /// variables it has seen still learns of all. `Err` says whether any variable is included.
    unsafe fn any_holds<T: Word>(&self, site: &'static Site, watch: &Watch<T>) -> Result<usize, bool> {
        let start = self.require_live(site).place_to_begin(watch.nelems);
        let mut included = false;
        for i in (start..watch.nelems).chain(0..start) {
            // SAFETY: indices below nelems; the arrays are the caller's promise.
            if unsafe { watch.included(i) } {
                included = true;
                // SAFETY: as above.
                if unsafe { watch.holds(i) } {
                    return Ok(i);
                }
            }
        }
        Err(included)
    }

    /// Write the indices of the included variables that hold. Returns their number, or `Err` with whether any is included.
    unsafe fn some_hold<T: Word>(&self, watch: &Watch<T>, indices: *mut usize) -> Result<usize, bool> {
        let (mut found, mut included) = (0, false);
        for i in 0..watch.nelems {
            // SAFETY: indices below nelems; `found` does not overtake `i`; the arrays are the caller's promise.
            unsafe {
                if watch.included(i) {
                    included = true;
                    if watch.holds(i) {
                        indices.add(found).write(i);
                        found += 1;
                    }
                }
            }
        }
        if found > 0 { Ok(found) } else { Err(included) }
    }

    unsafe fn watch_all<T: Word>(&self, site: &'static Site, watch: Watch<T>) {
        let _observed = self.observe_watch(site, Kind::Wait, watch.ivars, watch.nelems, watch.cmp);
        self.check_watch(site, &watch);
        let mut met = 0;
        self.note_bare(site);
        self.wait_for(site, || {
            // A variable that has held once need not be looked at again.
            // SAFETY: indices below nelems; the arrays are the caller's promise.
            while met < watch.nelems && unsafe { !watch.included(met) || watch.holds(met) } {
                met += 1;
            }
            (met == watch.nelems).then_some(())
        });
    }

    unsafe fn watch_any<T: Word>(&self, site: &'static Site, watch: Watch<T>) -> usize {
        let _observed = self.observe_watch(site, Kind::Wait, watch.ivars, watch.nelems, watch.cmp);
        self.check_watch(site, &watch);
        self.note_bare(site);
        // SAFETY: passed on.
        self.wait_for(site, || match unsafe { self.any_holds(site, &watch) } {
            Ok(index) => Some(index),
            Err(any_included) => (!any_included).then_some(usize::MAX),
        })
    }

    unsafe fn watch_some<T: Word>(&self, site: &'static Site, watch: Watch<T>, indices: *mut usize) -> usize {
        let _observed = self.observe_watch(site, Kind::Wait, watch.ivars, watch.nelems, watch.cmp);
        self.check_watch(site, &watch);
        self.check_indices(site, &watch, indices);
        self.note_bare(site);
        // SAFETY: passed on.
        self.wait_for(site, || match unsafe { self.some_hold(&watch, indices) } {
            Ok(found) => Some(found),
            Err(any_included) => (!any_included).then_some(0),
        })
    }

    unsafe fn look_all<T: Word>(&self, site: &'static Site, watch: Watch<T>) -> c_int {
        let _observed = self.observe_watch(site, Kind::Test, watch.ivars, watch.nelems, watch.cmp);
        self.check_watch(site, &watch);
        // SAFETY: passed on.
        let all = unsafe { self.all_hold(&watch) };
        self.looked(site, all);
        c_int::from(all)
    }

    unsafe fn look_any<T: Word>(&self, site: &'static Site, watch: Watch<T>) -> usize {
        let _observed = self.observe_watch(site, Kind::Test, watch.ivars, watch.nelems, watch.cmp);
        self.check_watch(site, &watch);
        // SAFETY: passed on.
        let found = unsafe { self.any_holds(site, &watch) };
        self.looked(site, found.is_ok());
        found.unwrap_or(usize::MAX)
    }

    unsafe fn look_some<T: Word>(&self, site: &'static Site, watch: Watch<T>, indices: *mut usize) -> usize {
        let _observed = self.observe_watch(site, Kind::Test, watch.ivars, watch.nelems, watch.cmp);
        self.check_watch(site, &watch);
        self.check_indices(site, &watch, indices);
        // SAFETY: passed on.
        let found = unsafe { self.some_hold(&watch, indices) };
        self.looked(site, found.is_ok());
        found.unwrap_or(0)
    }
}

macro_rules! vector_families {
    ($($(#[$doc:meta])* $scalar:ident, $vector:ident ($($extra:ident: $type:ty)?) -> $ret:ty = $body:ident;)*) => {
        impl World { $(
            $(#[$doc])*
            ///
            /// # Safety
            /// The arrays have `nelems` elements; `status` may be null.
            pub unsafe fn $scalar<T: Word>(&self, site: &'static Site, ivars: *mut T, nelems: usize, $($extra: $type,)? status: *const c_int, cmp: c_int, cmp_value: T) -> $ret {
                // SAFETY: passed on.
                unsafe { self.$body(site, Watch { ivars, nelems, status, cmp, wanted: Wanted::Scalar(cmp_value) } $(, $extra)?) }
            }

            /// The same with a value for each variable.
            ///
            /// # Safety
            /// The arrays have `nelems` elements; `status` may be null.
            pub unsafe fn $vector<T: Word>(&self, site: &'static Site, ivars: *mut T, nelems: usize, $($extra: $type,)? status: *const c_int, cmp: c_int, cmp_values: *const T) -> $ret {
                // SAFETY: passed on.
                unsafe { self.$body(site, Watch { ivars, nelems, status, cmp, wanted: Wanted::Vector(cmp_values) } $(, $extra)?) }
            }
        )* }
    };
}

vector_families! {
    /// Wait until all included variables have compared as asked.
    wait_until_all, wait_until_all_vector() -> () = watch_all;
    /// Wait until one included variable does. Returns its index, or `SIZE_MAX` if none is included.
    wait_until_any, wait_until_any_vector() -> usize = watch_any;
    /// Wait until one included variable does. Writes the indices of all that do then, and returns their number.
    wait_until_some, wait_until_some_vector(indices: *mut usize) -> usize = watch_some;
    /// Whether all included variables compare as asked.
    test_all, test_all_vector() -> c_int = look_all;
    /// The index of an included variable that compares as asked, or `SIZE_MAX`.
    test_any, test_any_vector() -> usize = look_any;
    /// Write the indices of all included variables that compare as asked, and return their number.
    test_some, test_some_vector(indices: *mut usize) -> usize = look_some;
}
