//! Whether the limit of locked memory leaves room for what UCX locks by itself, as it goes: where it does not, ud of UCX 1.13
//! tries again without end, with two lines for each attempt, and the job neither runs nor ends.

use crate::context::Context;
use ferrite_engine::memlock;
use ferrite_fabric::{Error, Result};
use std::{io, ptr};

/// What rc and ud of a worker take for receiving and sending is 38 MiB, 6 MiB and 2 MiB with UCX's defaults; at first there are two
/// workers, the service's and that of a lane.
const NEEDED_BYTES: usize = 96 << 20;

/// Lock as much as UCX is going to, for a moment. Only where a limit can be in the way; that of a process which may exceed it
/// is not: so it is tried and not computed.
pub fn check(context: &Context) -> Result<()> {
    if context.is_software || memlock::limit().is_none() {
        return Ok(());
    }
    // By the C library, whose calls UCX watches for what it must forget: a system call of ours would leave it with a
    // registration of memory that has become somebody else's.
    // SAFETY: new memory, which nobody knows.
    let memory = unsafe {
        let (rights, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        libc::mmap(ptr::null_mut(), NEEDED_BYTES, rights, kind, -1, 0)
    };
    if memory == libc::MAP_FAILED {
        return Err(Error::because("mapping memory to see whether it can be locked", io::Error::last_os_error()));
    }
    let what = format!("locking the {} MiB that UCX needs for itself", NEEDED_BYTES >> 20);
    // SAFETY: the memory is mapped, and given back after its registration, which nobody else knows.
    unsafe {
        let registered = context.register(&what, memory, NEEDED_BYTES).map(|memh| context.unmap(memh));
        libc::munmap(memory, NEEDED_BYTES);
        registered
    }
}
