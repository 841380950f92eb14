//! Memory of UCX's own in the place of ours.
//!
//! UCX's transports inside a machine let a peer map memory that UCX has allocated, and no other: with it a put is a store,
//! without it a message that the target's worker carries out. So pages that hold nothing yet are changed for UCX's: it
//! allocates as many, and a second mapping of them takes the place of ours. Each has its own end. UCX's mapping goes with
//! the registration, ours when its owner unmaps it.
//!
//! UCX chooses what it allocates from (`UCX_ALLOC_PRIO`). Where that cannot be shared it cannot be mapped twice either, and
//! nothing is changed. Nor is it where heaps would leave too little of /dev/shm for UCX's own queues, and for others.
//!
//! What was asked of the kernel for our pages does not hold for UCX's: neither large pages nor the NUMA node. They are on that of
//! the PE's cores as long as it has memory, since the PE touches all of them here.

use crate::context::Context;
use ferrite_fabric::{Error, Result};
use rustix::{
    fs::statvfs,
    io::Errno,
    mm::{Advice, MremapFlags, madvise, mremap, mremap_fixed, munmap},
    param::page_size,
};
use std::ffi::c_void;
use ucx_sys::*;

/// What UCX has lent.
pub struct Loan {
    /// Where we have it.
    pub base: *mut u8,
    /// Bytes.
    pub len: usize,
    /// Where UCX has it, which is how peers name it.
    pub theirs: u64,
    /// UCX's registration.
    pub memh: ucp_mem_h,
}

// SAFETY: pointers to memory that belongs to the process, which nothing here reads.
unsafe impl Send for Loan {}

impl Loan {
    /// Change the `len` bytes at `base` for memory of UCX's, as each of so many PEs does; none if UCX has nothing that can be shared.
    ///
    /// # Safety
    /// They are whole pages that hold nothing, and that nobody uses just now.
    pub unsafe fn take(context: &Context, base: *mut u8, len: usize, pes: u32) -> Result<Option<Loan>> {
        if !leaves_room(context, len, pes) {
            return Ok(None);
        }
        let Some((memh, theirs)) = allocate(context, len) else { return Ok(None) };
        // SAFETY: as the caller says; UCX's memory is as long as was asked for, at least.
        let placed = unsafe { place(theirs, base, len) };
        if let Ok(true) = placed {
            return Ok(Some(Loan { base, len, theirs: theirs.addr() as u64, memh }));
        }
        // SAFETY: nobody has a key of it, and it is nowhere.
        unsafe { context.unmap(memh) };
        placed.map(|_| None)
    }
}

/// Whether half of /dev/shm stays free. Memory of System V is not from there, but UCX may have to do without.
fn leaves_room(context: &Context, len: usize, pes: u32) -> bool {
    let has_posix = context.resources.iter().any(|resource| resource.starts_with("posix/"));
    match statvfs("/dev/shm") {
        Ok(room) if has_posix => {
            let (free, all) =
                (room.f_bavail.saturating_mul(room.f_frsize), room.f_blocks.saturating_mul(room.f_frsize));
            free.saturating_sub((len as u64).saturating_mul(pes.into())) >= all / 2
        }
        _ => true,
    }
}

/// Have UCX allocate. It says itself, on standard error, what it lacks for it.
fn allocate(context: &Context, len: usize) -> Option<(ucp_mem_h, *mut c_void)> {
    let mask = UCP_MEM_MAP_PARAM_FIELD_LENGTH | UCP_MEM_MAP_PARAM_FIELD_FLAGS;
    let params = ucp_mem_map_params_t {
        field_mask: mask.into(),
        length: len,
        flags: UCP_MEM_MAP_ALLOCATE | UCP_MEM_MAP_NONBLOCK,
        ..Default::default()
    };
    // SAFETY: the mask says what is set, which names no memory.
    let memh = unsafe { context.map("allocating memory with UCX", &params) };
    let memh = memh.inspect_err(|error| tracing::debug!("{error}")).ok()?;
    let mask = UCP_MEM_ATTR_FIELD_ADDRESS | UCP_MEM_ATTR_FIELD_LENGTH;
    let mut attr = ucp_mem_attr_t { field_mask: mask.into(), ..Default::default() };
    // SAFETY: what was allocated is there; the mask says what is asked for.
    let status = unsafe { (context.ucx.call.ucp_mem_query)(memh, &raw mut attr) };
    if status == UCS_OK && attr.length >= len {
        return Some((memh, attr.address));
    }
    // SAFETY: nobody knows it.
    unsafe { context.unmap(memh) };
    None
}

/// Map UCX's memory a second time, over ours. False, and nothing has changed, if it is not memory that can be shared.
///
/// By system calls of our own: UCX replaces the C library's `mremap` by one that forgets where the memory is to go.
///
/// # Safety
/// `theirs` is mapped for `len` bytes; `base` as for [`Loan::take`].
unsafe fn place(theirs: *mut c_void, base: *mut u8, len: usize) -> Result<bool> {
    // SAFETY: an old size of 0 leaves what is there, and maps it once more; somewhere, since a place that is asked for is
    // cleared before anything is checked. Then ours is replaced, as the caller allows, by what nobody else knows.
    unsafe {
        let Ok(second) = mremap(theirs, 0, len, MremapFlags::MAYMOVE) else { return Ok(false) };
        if !(is_same(theirs.cast(), second.cast()) && touch(second.cast(), len)) {
            let _ = munmap(second, len);
            return Ok(false);
        }
        // Once in a core file is enough. Refusal costs a longer one.
        let _ = madvise(theirs, len, Advice::LinuxDontDump);
        let moved = mremap_fixed(second, len, len, MremapFlags::MAYMOVE, base.cast());
        if moved != Ok(base.cast()) {
            let _ = munmap(second, len);
            return Err(Error::new(format!("{len} bytes of UCX's memory cannot be where they are to: {moved:?}")));
        }
    }
    Ok(true)
}

/// Whether the two are one memory: before Linux 4.14 private memory too could be mapped twice, and was two then.
///
/// # Safety
/// Both are a byte that nobody uses.
unsafe fn is_same(one: *mut u8, other: *mut u8) -> bool {
    // SAFETY: as the caller says.
    unsafe {
        one.write_volatile(1);
        let seen = other.read_volatile();
        one.write_volatile(0);
        seen == 1
    }
}

/// Touch all of it, so that what is promised of it is there. False where it is not.
///
/// # Safety
/// It is mapped, and zeros that nobody uses.
unsafe fn touch(base: *mut u8, len: usize) -> bool {
    // SAFETY: as the caller says.
    match unsafe { madvise(base.cast(), len, Advice::LinuxPopulateWrite) } {
        // Before Linux 5.14.
        Err(Errno::INVAL) => {
            // SAFETY: as the caller says.
            (0..len).step_by(page_size()).for_each(|at| unsafe { base.add(at).write_volatile(0) });
            true
        }
        done => done.is_ok(),
    }
}
