//! The routines that wait for a word of this PE's memory or test it: `wait_until`, `test` and their kin. `vectors` has the routines for
//! several words.
//!
//! Every look is an acquire load of the variable, so the program sees the data that the peer has put (and fenced) before. After a look that
//! fails, the world makes progress (`wait` says when).

use crate::{
    Bits, Ctx, Site, Word, World,
    device::DeviceRoom,
    observe::{Call, Kind, Layout, Observed},
    wait::state::Awaited,
};
use core::{ffi::c_int, sync::atomic::Ordering::Acquire};
use ferrite_abi::constants::{SHMEM_CMP_EQ, SHMEM_CMP_GE, SHMEM_CMP_GT, SHMEM_CMP_LE, SHMEM_CMP_LT, SHMEM_CMP_NE};

/// # Safety
/// `ivar` is a valid, aligned word.
#[inline(always)]
pub(super) unsafe fn load<T: Word>(ivar: *const T) -> T {
    // SAFETY: the caller's promise.
    T::from_bits(T::Bits::load(unsafe { T::Bits::cell(ivar.cast_mut().cast()) }, Acquire))
}

/// The comparison of type `T` itself: signed for signed types, unsigned for unsigned.
#[inline(always)]
pub(super) fn compare<T: PartialOrd>(value: T, cmp: c_int, wanted: T) -> bool {
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
    fn may_wait_on(&self, address: usize, align: usize) -> bool {
        address != 0 && address.is_multiple_of(align) && self.live().is_some()
    }

    #[cold]
    #[inline(never)]
    fn bad_wait(&self, site: &'static Site, what: &str, address: usize, align: usize) -> ! {
        self.require_live(site);
        if address == 0 {
            self.misuse(site, format_args!("{what} is NULL; pass the address of a symmetric variable"))
        }
        self.unaligned(site, what, address, align)
    }

    /// Refuse a variable that cannot be waited for, wherever it is.
    #[inline(always)]
    pub(super) fn check_word(&self, site: &'static Site, what: &str, address: usize, align: usize) {
        if !self.may_wait_on(address, align) {
            self.bad_wait(site, what, address, align);
        }
    }

    #[inline(always)]
    pub(super) fn check_cmp(&self, site: &'static Site, cmp: c_int) {
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
        let seen = match self.words_on_device(site, what, ivar as usize, size_of::<T>()) {
            Some(room) => self.await_on_device(site, room, what, ivar, cmp, value),
            // SAFETY: passed on.
            None => unsafe { self.await_hidden(site, what, ivar, cmp, value) },
        };
        observed.gives(seen.bits().widen() as usize);
        seen
    }

    /// Wait for a word of this PE's device heap.
    fn await_on_device<T: Word>(
        &self,
        site: &'static Site,
        room: &DeviceRoom,
        what: &'static str,
        ivar: *const T,
        cmp: c_int,
        value: T,
    ) -> T {
        self.check_cmp(site, cmp);
        self.check_word(site, what, ivar as usize, size_of::<T>());
        self.note_call(site);
        self.wait_for(site, || Some(self.load_on_device(site, room, ivar)).filter(|&seen| compare(seen, cmp, value)))
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
        self.check_word(site, what, ivar as usize, size_of::<T>());
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
    pub(super) fn observe_watch<T>(
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
        self.note_call(site);
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
            self.find_peer_address(site, what, address, len, Ctx::DEFAULT, me);
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
        if self.is_observed() {
            // SAFETY: passed on.
            return unsafe { self.test_shown(site, ivar, cmp, value) };
        }
        // SAFETY: passed on.
        unsafe { self.test_hidden(site, ivar, cmp, value) }
    }

    #[cold]
    #[inline(never)]
    unsafe fn test_shown<T: Word>(&self, site: &'static Site, ivar: *const T, cmp: c_int, value: T) -> c_int {
        let observed = self.observe_watch(site, Kind::Test, ivar, 1, cmp);
        let holds = match self.words_on_device(site, "ivar", ivar as usize, size_of::<T>()) {
            Some(room) => {
                self.check_cmp(site, cmp);
                self.check_word(site, "ivar", ivar as usize, size_of::<T>());
                let holds = compare(self.load_on_device(site, room, ivar), cmp, value);
                self.looked(site, holds);
                c_int::from(holds)
            }
            // SAFETY: passed on.
            None => unsafe { self.test_hidden(site, ivar, cmp, value) },
        };
        observed.gives(holds as usize);
        holds
    }

    #[inline(always)]
    unsafe fn test_hidden<T: Word>(&self, site: &'static Site, ivar: *const T, cmp: c_int, value: T) -> c_int {
        self.check_cmp(site, cmp);
        self.check_word(site, "ivar", ivar as usize, size_of::<T>());
        // SAFETY: aligned and not null; the rest is the caller's promise.
        let holds = compare(unsafe { load(ivar) }, cmp, value);
        if !holds {
            self.require_symmetric(site, "ivar", ivar as usize, size_of::<T>());
        }
        self.looked(site, holds);
        c_int::from(holds)
    }

    /// Report that the program has looked for something, and goes on whether or not it was there.
    #[inline]
    pub(super) fn looked(&self, site: &'static Site, found: bool) {
        let live = self.require_live(site);
        if found { live.good_look() } else { live.failed_look() }
    }
}
