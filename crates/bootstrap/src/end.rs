//! The last thing that a process does when its job ends, and where a secret comes from when no launcher gives one.

use ferrite_fabric::{Error, Result};
use std::io::Write;

/// End this process with `code`, saying `why` on stderr unless it is empty.
///
/// Handlers of atexit do not run: other threads are still at work on what those would tear down.
pub(crate) fn process(code: i32, why: &str) -> ! {
    if !why.is_empty() {
        // One write, so that lines of several processes do not mix. Nobody is left to hear of a failure.
        let _ = std::io::stderr().write_all(format!("{}\n", why.trim_end()).as_bytes());
    }
    // SAFETY: `_exit` has no precondition; it runs no code of this process.
    unsafe { libc::_exit(code) }
}

/// Sixteen bytes that nobody can guess.
pub(crate) fn secret() -> Result<[u8; 16]> {
    let mut secret = [0; 16];
    let mut have = 0;
    while have < secret.len() {
        match rustix::rand::getrandom(&mut secret[have..], rustix::rand::GetRandomFlags::empty()) {
            Ok(more) => have += more,
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(Error::because("drawing the job's secret from the kernel", error)),
        }
    }
    Ok(secret)
}
