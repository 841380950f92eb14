//! The routines that wait for several words of this PE's memory or test them: `wait_until_any`, `test_all` and their kin.

use super::p2p::{compare, load};
use crate::{Site, Word, World, device::DeviceRoom, observe::Kind};
use core::ffi::c_int;

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

/// Loads of a vector's variables, which may be in device memory.
#[derive(Clone, Copy)]
struct Eyes<'w> {
    world: &'w World,
    site: &'static Site,
    room: Option<&'w DeviceRoom>,
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
    unsafe fn holds(&self, eyes: Eyes<'_>, index: usize) -> bool {
        // SAFETY: the caller's promise.
        unsafe {
            let wanted = match self.wanted {
                Wanted::Scalar(value) => value,
                Wanted::Vector(values) => *values.add(index),
            };
            let ivar = self.ivars.add(index);
            let value = match eyes.room {
                None => load(ivar),
                Some(room) => eyes.world.load_on_device(eyes.site, room, ivar.cast_const()),
            };
            compare(value, self.cmp, wanted)
        }
    }
}

impl World {
    /// Refuse arrays that cannot be watched. Returns how to load the variables.
    fn check_watch<T: Word>(&self, site: &'static Site, watch: &Watch<T>) -> Eyes<'_> {
        self.check_cmp(site, watch.cmp);
        self.require_live(site);
        let mut eyes = Eyes { world: self, site, room: None };
        if watch.nelems == 0 {
            return eyes;
        }
        self.check_word(site, "ivars", watch.ivars as usize, size_of::<T>());
        let len = watch.nelems.saturating_mul(size_of::<T>());
        if self.device_room().is_some() {
            self.must_be_host(site, "status", watch.status as usize);
            eyes.room = self.words_on_device(site, "ivars", watch.ivars as usize, len);
        }
        if eyes.room.is_none() {
            self.require_symmetric(site, "ivars", watch.ivars as usize, len);
        }
        if let Wanted::Vector(values) = watch.wanted {
            if values.is_null() {
                self.misuse(site, format_args!("cmp_values is NULL, but nelems is {}", watch.nelems));
            }
            self.must_be_host(site, "cmp_values", values as usize);
        }
        eyes
    }

    /// Refuse a null array for the indices that are found.
    fn check_indices<T>(&self, site: &'static Site, watch: &Watch<T>, indices: *const usize) {
        if indices.is_null() && watch.nelems > 0 {
            self.misuse(site, format_args!("indices is NULL, but nelems is {}", watch.nelems));
        }
        self.must_be_host(site, "indices", indices as usize);
    }

    /// Whether all included variables hold.
    unsafe fn all_hold<T: Word>(&self, eyes: Eyes<'_>, watch: &Watch<T>) -> bool {
        // SAFETY: indices below nelems; the arrays are the caller's promise.
        (0..watch.nelems).all(|i| unsafe { !watch.included(i) || watch.holds(eyes, i) })
    }

    /// Find one included variable that holds. The search begins at another place each time, so that a program which does not mask the
    /// variables it has seen still learns of all. `Err` says whether any variable is included.
    unsafe fn any_holds<T: Word>(&self, eyes: Eyes<'_>, watch: &Watch<T>) -> Result<usize, bool> {
        let start = self.require_live(eyes.site).place_to_begin(watch.nelems);
        let mut included = false;
        for i in (start..watch.nelems).chain(0..start) {
            // SAFETY: indices below nelems; the arrays are the caller's promise.
            if unsafe { watch.included(i) } {
                included = true;
                // SAFETY: as above.
                if unsafe { watch.holds(eyes, i) } {
                    return Ok(i);
                }
            }
        }
        Err(included)
    }

    /// Write the indices of the included variables that hold. Returns their number, or `Err` with whether any is included.
    unsafe fn some_hold<T: Word>(&self, eyes: Eyes<'_>, watch: &Watch<T>, indices: *mut usize) -> Result<usize, bool> {
        let (mut found, mut included) = (0, false);
        for i in 0..watch.nelems {
            // SAFETY: indices below nelems; `found` does not overtake `i`; the arrays are the caller's promise.
            unsafe {
                if watch.included(i) {
                    included = true;
                    if watch.holds(eyes, i) {
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
        let eyes = self.check_watch(site, &watch);
        let mut met = 0;
        self.note_call(site);
        self.wait_for(site, || {
            // A variable that has held once need not be looked at again.
            // SAFETY: indices below nelems; the arrays are the caller's promise.
            while met < watch.nelems && unsafe { !watch.included(met) || watch.holds(eyes, met) } {
                met += 1;
            }
            (met == watch.nelems).then_some(())
        });
    }

    unsafe fn watch_any<T: Word>(&self, site: &'static Site, watch: Watch<T>) -> usize {
        let _observed = self.observe_watch(site, Kind::Wait, watch.ivars, watch.nelems, watch.cmp);
        let eyes = self.check_watch(site, &watch);
        self.note_call(site);
        // SAFETY: passed on.
        self.wait_for(site, || match unsafe { self.any_holds(eyes, &watch) } {
            Ok(index) => Some(index),
            Err(any_included) => (!any_included).then_some(usize::MAX),
        })
    }

    unsafe fn watch_some<T: Word>(&self, site: &'static Site, watch: Watch<T>, indices: *mut usize) -> usize {
        let _observed = self.observe_watch(site, Kind::Wait, watch.ivars, watch.nelems, watch.cmp);
        let eyes = self.check_watch(site, &watch);
        self.check_indices(site, &watch, indices);
        self.note_call(site);
        // SAFETY: passed on.
        self.wait_for(site, || match unsafe { self.some_hold(eyes, &watch, indices) } {
            Ok(found) => Some(found),
            Err(any_included) => (!any_included).then_some(0),
        })
    }

    unsafe fn look_all<T: Word>(&self, site: &'static Site, watch: Watch<T>) -> c_int {
        let _observed = self.observe_watch(site, Kind::Test, watch.ivars, watch.nelems, watch.cmp);
        let eyes = self.check_watch(site, &watch);
        // SAFETY: passed on.
        let all = unsafe { self.all_hold(eyes, &watch) };
        self.looked(site, all);
        c_int::from(all)
    }

    unsafe fn look_any<T: Word>(&self, site: &'static Site, watch: Watch<T>) -> usize {
        let _observed = self.observe_watch(site, Kind::Test, watch.ivars, watch.nelems, watch.cmp);
        let eyes = self.check_watch(site, &watch);
        // SAFETY: passed on.
        let found = unsafe { self.any_holds(eyes, &watch) };
        self.looked(site, found.is_ok());
        found.unwrap_or(usize::MAX)
    }

    unsafe fn look_some<T: Word>(&self, site: &'static Site, watch: Watch<T>, indices: *mut usize) -> usize {
        let _observed = self.observe_watch(site, Kind::Test, watch.ivars, watch.nelems, watch.cmp);
        let eyes = self.check_watch(site, &watch);
        self.check_indices(site, &watch, indices);
        // SAFETY: passed on.
        let found = unsafe { self.some_hold(eyes, &watch, indices) };
        self.looked(site, found.is_ok());
        found.unwrap_or(0)
    }
}

macro_rules! vector_families {
    ($($(#[$doc:meta])* fn $scalar:ident, fn $vector:ident ($($extra:ident: $type:ty)?) -> $ret:ty = $body:ident;)*) => {
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
    fn wait_until_all, fn wait_until_all_vector() -> () = watch_all;
    /// Wait until one included variable does. Returns its index, or `SIZE_MAX` if none is included.
    fn wait_until_any, fn wait_until_any_vector() -> usize = watch_any;
    /// Wait until one included variable does. Writes the indices of all that do then, and returns their number.
    fn wait_until_some, fn wait_until_some_vector(indices: *mut usize) -> usize = watch_some;
    /// Whether all included variables compare as asked.
    fn test_all, fn test_all_vector() -> c_int = look_all;
    /// The index of an included variable that compares as asked, or `SIZE_MAX`.
    fn test_any, fn test_any_vector() -> usize = look_any;
    /// Write the indices of all included variables that compare as asked, and return their number.
    fn test_some, fn test_some_vector(indices: *mut usize) -> usize = look_some;
}
