//! Writes lines to stderr.

use ferrite_os::error_text;
use std::fmt::Display;
use std::io::Write;

/// Write a line to stderr. Unlike `eprintln!`, this does not panic if stderr cannot be written (a closed pipe, a full disk).
pub fn print_line(line: impl Display) {
    // One write, so that lines of other processes do not interleave.
    let _ = std::io::stderr().write_all(error_text::plain(&format!("{line}\n")).as_bytes());
}
