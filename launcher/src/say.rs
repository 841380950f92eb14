//! A command's own words.

use std::fmt::Display;
use std::io::Write;

/// Say a line on stderr. Nobody may be able to read it (a closed pipe, a full disk), which changes nothing else: unlike
/// `eprintln!`, this does not end the command.
pub fn say(line: impl Display) {
    // As one piece, so that nothing of others comes between.
    let _ = std::io::stderr().write_all(format!("{line}\n").as_bytes());
}
