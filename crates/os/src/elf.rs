//! Tables of ELF files of 64 bits and this machine's byte order. Nothing that a file says is trusted: all reads are checked.

use std::{fs::File, os::unix::fs::FileExt};

/// Size of the header.
const HEADER_SIZE: u64 = 64;

/// The header. `None` if the file is not such an ELF file.
pub fn header(file: &File) -> Option<Vec<u8>> {
    let header = table(file, 0, HEADER_SIZE, HEADER_SIZE)?;
    let native = if cfg!(target_endian = "little") { 1 } else { 2 };
    (header.starts_with(b"\x7fELF\x02") && header[5] == native).then_some(header)
}

/// `size` bytes from `at` on, if the file has them and they are at most `max`.
pub fn table(file: &File, at: u64, size: u64, max: u64) -> Option<Vec<u8>> {
    let end = at.checked_add(size)?;
    if size > max || end > file.metadata().ok()?.len() {
        return None;
    }
    let mut bytes = vec![0; size as usize];
    file.read_exact_at(&mut bytes, at).ok()?;
    Some(bytes)
}

/// Two bytes at `at`.
pub fn half(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_ne_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

/// Four bytes at `at`.
pub fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// Eight bytes at `at`.
pub fn long(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_ne_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_beyond_the_file_are_refused() {
        let file = File::open(std::env::current_exe().unwrap()).unwrap();
        let len = file.metadata().unwrap().len();
        assert!(header(&file).is_some() && table(&file, len - 8, 8, 8).is_some());
        assert_eq!(table(&file, 0, 9, 8), None, "more than the limit");
        for (at, size) in [(len - 8, 9), (u64::MAX, 2), (0, u64::MAX), (len + 1, 0)] {
            assert_eq!(table(&file, at, size, u64::MAX), None, "{size} bytes from {at} on");
        }
        assert_eq!(header(&File::open("/proc/self/status").unwrap()), None);
    }
}
