//! The program's standard streams: how they are buffered, and when they are flushed.

use core::ffi::c_int;
use rustix::fs::{FileType, fstat};

unsafe extern "C" {
    static mut stdout: *mut libc::FILE;
    static mut stderr: *mut libc::FILE;
    fn ftrylockfile(stream: *mut libc::FILE) -> c_int;
    fn funlockfile(stream: *mut libc::FILE);
    fn __fbufsize(stream: *mut libc::FILE) -> usize;
    fn __flbf(stream: *mut libc::FILE) -> c_int;
}

/// Bytes of a line that are written at once.
const BUFFER: usize = 4096;

/// Make standard output line-buffered if it is a launcher's pipe, as it is at a terminal; by default the C library would buffer whole
/// pages. So the lines of PEs that take turns come in their order and at the time they were printed, and the output of a PE that is killed
/// is not lost. A buffer that the program has chosen stays.
pub fn print_by_lines() {
    let Ok(found) = fstat(std::io::stdout()) else { return };
    if !matches!(FileType::from_raw_mode(found.st_mode), FileType::Fifo | FileType::Socket) {
        return;
    }
    // SAFETY: the C library's own stream, used under its own lock; this does not wait for the lock.
    unsafe {
        if stdout.is_null() || ftrylockfile(stdout) != 0 {
            return;
        }
        // No buffer yet, or one of the C library's default size for such a file.
        let is_untouched = [0, found.st_blksize as usize].contains(&__fbufsize(stdout));
        if is_untouched && __flbf(stdout) == 0 {
            // Setting a new buffer flushes the old one and resets the stream; with the old buffer, glibc would continue to hold back lines
            // whose newline is written by `putc`. The buffer is in use until the process ends.
            let buffer: &'static mut [u8] = Box::leak(vec![0; BUFFER].into_boxed_slice());
            libc::setvbuf(stdout, buffer.as_mut_ptr().cast(), libc::_IOLBF, buffer.len());
        }
        funlockfile(stdout);
    }
}

/// Flush the program's output. A stream whose lock another thread holds, perhaps for ever, is skipped: `fflush` of all streams would wait
/// for it, a read of standard input included.
pub fn flush_streams() {
    // SAFETY: the C library's standard streams, each flushed under its own lock; this does not wait for the lock.
    unsafe {
        for stream in [stdout, stderr] {
            if !stream.is_null() && ftrylockfile(stream) == 0 {
                libc::fflush(stream);
                funlockfile(stream);
            }
        }
    }
}
