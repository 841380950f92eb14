//! Lines that signal handlers print.

use core::fmt;

/// A line that is written without any allocation.
pub struct Line {
    bytes: [u8; 256],
    len: usize,
}

impl Default for Line {
    fn default() -> Line {
        Line { bytes: [0; 256], len: 0 }
    }
}

impl fmt::Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let len = text.len().min(self.bytes.len() - self.len);
        self.bytes[self.len..self.len + len].copy_from_slice(&text.as_bytes()[..len]);
        self.len += len;
        Ok(())
    }
}

impl Line {
    /// Write it to standard error.
    pub fn print(&self) {
        // SAFETY: reads `len` bytes of `bytes`.
        let _ = unsafe { libc::write(libc::STDERR_FILENO, self.bytes.as_ptr().cast(), self.len) };
    }
}
