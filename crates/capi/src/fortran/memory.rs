//! The symmetric heap for Fortran: Cray pointers, lengths in words of 32 bits, and errors by number.
//!
//! All routines are collective, and return the same result on all PEs. If `abort` is not zero, an error ends the job
//! instead.

use crate::WORLD;
use core::{
    ffi::{c_int, c_void},
    ptr,
};
use ferrite_runtime::{BlockState, Site, at_border};

/// Size of the unit of a length, in bytes.
const WORD_BYTES: usize = 4;

/// Reason for an error, with the specification's number.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Refusal {
    Length = -1,
    Memory = -2,
    Outside = -3,
    Free = -4,
    Inside = -5,
    /// A peer was lost, and losses return. The specification has no number for it.
    Lost = -6,
}

impl Refusal {
    fn text(self) -> &'static str {
        match self {
            Refusal::Length => "length is not positive; it counts words of 32 bits",
            Refusal::Memory => "the symmetric heap has no room for it; SHMEM_SYMMETRIC_SIZE sets its size",
            Refusal::Outside => "addr is not in the symmetric heap; pass what SHPALLOC gave",
            Refusal::Free => "addr is in no block, or was freed before; pass what SHPALLOC gave, once",
            Refusal::Inside => "addr is within a block; pass its start, as SHPALLOC gave it",
            Refusal::Lost => "a peer was lost",
        }
    }

    /// The error's number, unless the caller wants the job to end, which a loss that returns never does.
    fn reported(self, site: &'static Site, abort: c_int) -> c_int {
        if abort != 0 && self != Refusal::Lost {
            WORLD.misuse(site, format_args!("{}", self.text()));
        }
        self as c_int
    }
}

fn bytes(length: c_int) -> Result<usize, Refusal> {
    match usize::try_from(length) {
        Ok(words) if words > 0 => Ok(words * WORD_BYTES),
        _ => Err(Refusal::Length),
    }
}

fn block(site: &'static Site, address: *mut c_void) -> Result<(), Refusal> {
    match WORLD.block_state(site, address) {
        BlockState::Whole => Ok(()),
        BlockState::Outside => Err(Refusal::Outside),
        BlockState::Free => Err(Refusal::Free),
        BlockState::Inside => Err(Refusal::Inside),
    }
}

/// Allocate `length` words.
///
/// # Safety
/// `addr` and `errcode` may be written.
pub(super) unsafe fn shpalloc(
    site: &'static Site,
    addr: *mut *mut c_void,
    length: c_int,
    errcode: *mut c_int,
    abort: c_int,
) {
    let allocate = |bytes| match WORLD.malloc(site, bytes) {
        new if new.is_null() => Err(Refusal::Memory),
        new => Ok(new),
    };
    let got = bytes(length).and_then(|bytes| at_border(|| allocate(bytes), Err(Refusal::Lost)));
    // SAFETY: the caller's promise.
    unsafe {
        addr.write(got.unwrap_or(ptr::null_mut()));
        errcode.write(got.map_or_else(|refusal| refusal.reported(site, abort), |_| 0));
    }
}

/// Free a block.
///
/// # Safety
/// `addr` may be read and `errcode` written; the block is not used after this.
pub(super) unsafe fn shpdeallc(site: &'static Site, addr: *mut *mut c_void, errcode: *mut c_int, abort: c_int) {
    // SAFETY: the caller's promise; the block was found whole.
    unsafe {
        let free = || block(site, *addr).map(|()| WORLD.free(site, *addr));
        let done = at_border(free, Err(Refusal::Lost));
        errcode.write(done.map_or_else(|refusal| refusal.reported(site, abort), |()| 0));
    }
}

/// Change a block's length to `length` words. Status 0: it grew or shrank in its place; 1: it has moved.
///
/// # Safety
/// `addr` may be read and written, and `status` written; the old block is not used if it has moved.
pub(super) unsafe fn shpclmove(
    site: &'static Site,
    addr: *mut *mut c_void,
    length: c_int,
    status: *mut c_int,
    abort: c_int,
) {
    // SAFETY: the caller's promise; the block was found whole.
    unsafe {
        let old = *addr;
        let reallocate = |bytes| match WORLD.realloc(site, old, bytes) {
            new if new.is_null() => Err(Refusal::Memory),
            new => Ok(new),
        };
        let moved = bytes(length).and_then(|bytes| block(site, old).map(|()| bytes));
        let moved = moved.and_then(|bytes| at_border(|| reallocate(bytes), Err(Refusal::Lost)));
        if let Ok(new) = moved {
            addr.write(new);
        }
        status.write(moved.map_or_else(|refusal| refusal.reported(site, abort), |new| c_int::from(new != old)));
    }
}
