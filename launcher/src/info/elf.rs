//! Reads just enough of an ELF header to tell whether this process could load a library.

use std::{fs::File, io::Read, path::Path};

/// The offset of the machine in the header.
const MACHINE_AT: usize = 18;

/// The part of the header that is read: identification, type, machine.
type Header = [u8; MACHINE_AT + 2];

fn header(path: &Path) -> Option<Header> {
    let mut header = Header::default();
    File::open(path).ok()?.read_exact(&mut header).ok()?;
    header.starts_with(b"\x7fELF").then_some(header)
}

/// Whether the file at `path` has the class, byte order and machine of this program.
pub(super) fn is_loadable(path: &Path) -> bool {
    let kind = |header: Header| (header[4], header[5], [header[MACHINE_AT], header[MACHINE_AT + 1]]);
    match (header(path), header(Path::new("/proc/self/exe"))) {
        (Some(theirs), Some(ours)) => kind(theirs) == kind(ours),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_program_is_loadable_and_a_text_is_not() {
        assert!(is_loadable(&std::env::current_exe().unwrap()));
        assert!(!is_loadable(Path::new("/proc/self/status")));
        assert!(!is_loadable(Path::new("/no/such/file")));
    }
}
