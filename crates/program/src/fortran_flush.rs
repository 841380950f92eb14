//! Flushes the buffers of Fortran units. gfortran's library has its own buffers, which the C library's `fflush` leaves unwritten.

use core::{
    ffi::{CStr, c_int, c_void},
    mem, ptr,
};
use std::{sync::mpsc, thread, time::Duration};

/// The subroutine FLUSH, as gfortran's library exports it.
const FLUSH: &CStr = c"_gfortran_flush_i4";

/// How long the end of a job waits for the flush: long enough for a slow disk, and merely an annoyance if the flush never ends.
const PATIENCE: Duration = Duration::from_secs(2);

/// Write the buffers of all units, if there are any. In a static program the subroutine is not found, and the buffers stay unwritten.
///
/// The subroutine waits for the lock of each unit. A thread may hold one for ever: in a READ from a terminal, or by calling this from a
/// function in the list of a PRINT. So the flush runs in a thread of its own, which is left behind if it takes too long. Call this at the
/// end of a process only: nothing else may go on while such a thread exists.
pub fn flush_units() {
    // SAFETY: looks up a name in the loaded libraries.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, FLUSH.as_ptr()) };
    if found.is_null() {
        return;
    }
    // SAFETY: only gfortran's library exports this name, for a subroutine that takes an INTEGER by reference.
    let flush = unsafe { mem::transmute::<*mut c_void, unsafe extern "C" fn(*const c_int)>(found) };
    let (done, waits) = mpsc::channel();
    let flusher = thread::Builder::new().spawn(move || {
        // SAFETY: without a unit number it flushes all units, each under its own lock.
        unsafe { flush(ptr::null()) };
        done.send(())
    });
    // If the thread could not be started, there is nothing to wait for.
    if flusher.is_ok() {
        let _ = waits.recv_timeout(PATIENCE);
    }
}
