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

/// Have what is printed go out line by line where standard output is a launcher's pipe, as at a terminal: by default the C library
/// would keep whole pages back. So lines of PEs that take turns come in their order and when they were printed, and a PE that is
/// killed has said what it printed. A buffer that the program has chosen stays.
pub(crate) fn print_by_lines() {
    let Ok(found) = fstat(std::io::stdout()) else { return };
    if !matches!(FileType::from_raw_mode(found.st_mode), FileType::Fifo | FileType::Socket) {
        return;
    }
    // SAFETY: the C library's own stream, under its own lock, which is not waited for.
    unsafe {
        if stdout.is_null() || ftrylockfile(stdout) != 0 {
            return;
        }
        // No buffer yet, or one of the size that the library chooses for such a file.
        let is_untouched = [0, found.st_blksize as usize].contains(&__fbufsize(stdout));
        if is_untouched && __flbf(stdout) == 0 {
            // With a new buffer what is in the old one goes out, and the stream begins anew: in its old one glibc's would go on to
            // keep lines back that end by `putc`. It is used until the process is gone.
            let buffer: &'static mut [u8] = Box::leak(vec![0; BUFFER].into_boxed_slice());
            libc::setvbuf(stdout, buffer.as_mut_ptr().cast(), libc::_IOLBF, buffer.len());
        }
        funlockfile(stdout);
    }
}

/// Write what the program has printed so far. A stream that another thread is inside of, perhaps for ever, is left alone:
/// `fflush` of all streams would wait for it, a read of standard input included.
pub(crate) fn flush_streams() {
    // SAFETY: the C library's standard streams, each flushed under its own lock, which is not waited for.
    unsafe {
        for stream in [stdout, stderr] {
            if !stream.is_null() && ftrylockfile(stream) == 0 {
                libc::fflush(stream);
                funlockfile(stream);
            }
        }
    }
}
