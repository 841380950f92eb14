//! Check that the limit of locked memory leaves room for the memory that UCX locks by itself, as it runs. Without this room, ud of UCX 1.13
//! retries without end, with two lines for each attempt, and the job neither runs nor ends.

use crate::context::Context;
use ferrite_engine::memlock;
use ferrite_fabric::{Error, Result};
use std::{io, ptr};

/// With UCX's defaults, rc and ud of a worker take 38 MiB, 6 MiB and 2 MiB for receiving and sending. At first there are two workers: the
/// service's and a lane's.
const NEEDED_BYTES: usize = 96 << 20;

/// Lock as much memory as UCX is going to, for a moment. This is done only if a limit can be in the way. It is tried and not computed,
/// because the limit does not bind a process that may exceed it.
pub fn check(context: &Context) -> Result<()> {
    if context.is_software || memlock::limit().is_none() {
        return Ok(());
    }
    // Map through the C library, whose calls UCX watches to learn which registrations it must forget. With a direct system call, UCX would
    // keep the registration of memory that has since been reused.
    // SAFETY: this maps new memory, which nothing else uses.
    let memory = unsafe {
        let (rights, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        libc::mmap(ptr::null_mut(), NEEDED_BYTES, rights, kind, -1, 0)
    };
    if memory == libc::MAP_FAILED {
        return Err(Error::because("mapping memory to see whether it can be locked", io::Error::last_os_error()));
    }
    let what = format!("locking the {} MiB that UCX needs for itself", NEEDED_BYTES >> 20);
    // SAFETY: the memory is mapped, and unmapped after its registration, which nothing else uses.
    unsafe {
        let registered = context.register(&what, memory, NEEDED_BYTES).map(|memh| context.unmap(memh));
        libc::munmap(memory, NEEDED_BYTES);
        registered
    }
}
