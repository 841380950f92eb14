//! Queries about the job, its addresses and this library.

use crate::{
    Site, World,
    border::at_cold_border,
    observe::{Call, Kind},
};
use core::{
    ffi::{c_char, c_int, c_void},
    ptr,
};
use ferrite_abi::constants::{SHMEM_MAJOR_VERSION, SHMEM_MAX_NAME_LEN, SHMEM_MINOR_VERSION, SHMEM_VENDOR_STRING};

impl World {
    /// This PE's number.
    #[inline]
    pub fn my_pe(&self, site: &'static Site) -> c_int {
        self.require_live(site).me as c_int
    }

    /// Whether the job has device memory.
    pub fn has_device(&self) -> bool {
        self.device_room().is_some()
    }

    /// Number of PEs in the job.
    #[inline]
    pub fn n_pes(&self, site: &'static Site) -> c_int {
        self.require_live(site).size as c_int
    }

    /// Maximum size of the symmetric heap in bytes, the same on all PEs from init to finalize.
    pub fn heap_size(&self, site: &'static Site) -> usize {
        self.require_live(site).memory.heap().ceiling() as usize
    }

    /// Address of this PE's symmetric object at PE `pe`, for direct loads and stores; null if that PE is not mapped.
    pub fn ptr(&self, site: &'static Site, dest: *const c_void, pe: c_int) -> *mut c_void {
        if self.live().is_some()
            && let Some(place) = self.mapped.range(dest as usize, 1, pe)
        {
            return place.cast();
        }
        self.ptr_refused(site, dest as usize, pe)
    }

    #[cold]
    #[inline(never)]
    fn ptr_refused(&self, site: &'static Site, dest: usize, pe: c_int) -> *mut c_void {
        let find = || {
            self.require_live(site);
            self.device_ptr(dest, pe)
        };
        at_cold_border(site, find, ptr::null_mut())
    }

    /// The same for the device heap: a device address of this process, for kernels and for the driver's copies.
    fn device_ptr(&self, dest: usize, pe: c_int) -> *mut c_void {
        let place = self.device_room().filter(|room| room.contains(dest));
        let base = place.and_then(|room| Some((room.base_of(u32::try_from(pe).ok()?)?, room.heap().base)));
        base.map_or(ptr::null_mut(), |(there, here)| (there + (dest - here)) as *mut c_void)
    }

    /// Whether `pe` can be reached at all: 1 or 0.
    pub fn pe_accessible(&self, site: &'static Site, pe: c_int) -> c_int {
        let live = self.require_live(site);
        let reached = live.memory.is_mapped(pe) || live.far.is_some();
        c_int::from((0..live.size as i64).contains(&i64::from(pe)) && reached)
    }

    /// Whether `addr` is a symmetric object that is accessible at `pe`: 1 or 0.
    pub fn addr_accessible(&self, site: &'static Site, addr: *const c_void, pe: c_int) -> c_int {
        let live = self.require_live(site);
        let known = (0..live.size as i64).contains(&i64::from(pe));
        let far = || known && !live.memory.is_mapped(pe) && live.remote_address(addr as usize, 1, pe as u32).is_some();
        let on_device = || known && self.device_room().is_some_and(|room| room.contains(addr as usize));
        c_int::from(self.mapped.range(addr as usize, 1, pe).is_some() || far() || on_device())
    }

    /// The version of the specification that this library implements.
    ///
    /// # Safety
    /// Both are valid for writes.
    pub unsafe fn info_get_version(&self, site: &'static Site, major: *mut c_int, minor: *mut c_int) {
        self.must_be_somewhere(site, "major", major);
        self.must_be_somewhere(site, "minor", minor);
        // SAFETY: the caller's promise.
        unsafe {
            major.write(SHMEM_MAJOR_VERSION);
            minor.write(SHMEM_MINOR_VERSION);
        }
    }

    /// The name of this library.
    ///
    /// # Safety
    /// `name` is valid for writes of `SHMEM_MAX_NAME_LEN` characters.
    pub unsafe fn info_get_name(&self, site: &'static Site, name: *mut c_char) {
        self.must_be_somewhere(site, "name", name);
        let text = SHMEM_VENDOR_STRING.as_bytes();
        let len = text.len().min(SHMEM_MAX_NAME_LEN as usize - 1);
        // SAFETY: the caller's promise; `len` and the terminator fit.
        unsafe {
            ptr::copy_nonoverlapping(text.as_ptr().cast(), name, len);
            name.add(len).write(0);
        }
    }

    /// Profiling control: report the level to observers.
    pub fn pcontrol(&self, site: &'static Site, level: c_int) {
        let _observed = self.observe(|_| Call { root: level, ..Call::of(site, Kind::Control) });
        tracing::debug!(level, "pcontrol");
    }
}
