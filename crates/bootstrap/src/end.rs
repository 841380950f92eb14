//! What a process does for itself where no launcher does it: say why a job ends, and draw its secret.

use ferrite_fabric::{Error, Result};
use std::io::Write;

/// Say why the job ends, where no launcher does.
pub(crate) fn say(why: &str) {
    if !why.is_empty() {
        // One write, so that lines of several processes do not mix. Nobody is left to hear of a failure.
        let _ = std::io::stderr().write_all(format!("{}\n", why.trim_end()).as_bytes());
    }
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
