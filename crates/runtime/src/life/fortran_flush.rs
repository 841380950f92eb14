//! Flushes the buffers of Fortran units. gfortran's library keeps them for itself, so the C library's `fflush` leaves them unwritten.

use core::{
    ffi::{CStr, c_int, c_void},
    mem, ptr,
};
use std::{sync::mpsc, thread, time::Duration};

/// The subroutine FLUSH, as gfortran's library exports it.
const FLUSH: &CStr = c"_gfortran_flush_i4";

/// How long the end of a job waits for it: long enough for a slow disk, and no more than an annoyance where nothing comes of it.
const PATIENCE: Duration = Duration::from_secs(2);

/// Write what all units keep, where there are any. In a static program they are not found, and keep what they have.
///
/// The subroutine waits for the lock of each unit. A thread may hold one for ever: in a READ from a terminal, or as the one that
/// calls this, from a function in the list of a PRINT. So a thread of its own waits, and is left behind where that takes long. It
/// is for the end of a process alone: nothing else may go on with such a thread about.
pub(crate) fn flush_units() {
    // SAFETY: looks a name up among what the process has loaded.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, FLUSH.as_ptr()) };
    if found.is_null() {
        return;
    }
    // SAFETY: gfortran's library alone has this name, for a subroutine with an INTEGER by reference.
    let flush = unsafe { mem::transmute::<*mut c_void, unsafe extern "C" fn(*const c_int)>(found) };
    let (done, waits) = mpsc::channel();
    let flusher = thread::Builder::new().spawn(move || {
        // SAFETY: without a unit's number it flushes all, each under its own lock.
        unsafe { flush(ptr::null()) };
        done.send(())
    });
    // Where no thread can be had nothing can be waited for either.
    if flusher.is_ok() {
        let _ = waits.recv_timeout(PATIENCE);
    }
}
