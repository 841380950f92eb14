//! Where the executable's writable data are, and the identity of the executable.

use std::ffi::{c_int, c_void};
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::slice;

use libc::{PF_W, PF_X, PT_GNU_RELRO, PT_LOAD, PT_NOTE, dl_phdr_info};

use crate::heap::pages::page_size;

/// Maximum number of pieces of writable data in an executable. Linkers make one or two.
pub const PIECES_MAX: usize = 8;

/// One mapped run of writable pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DataPiece {
    /// Address of the first byte, at a page's start.
    pub start: usize,
    /// Address after the last byte, at a page's end.
    pub end: usize,
    /// Pages before this address have contents from the executable's file, even if they were never touched. Untouched pages after it are
    /// zero.
    pub file_end: usize,
    /// True if the program may also execute the piece: linked with `-z execstack` or `-N`, for example.
    pub executable: bool,
}

impl DataPiece {
    /// Size in bytes.
    pub fn len(&self) -> usize {
        self.end - self.start
    }

    /// Whether it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }
}

/// The writable data of the executable: `.data`, `.bss`, COMMON; everything except data that are read-only after relocation.
///
/// A plain copyable value without an allocation behind it, because it is used where nothing may be allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    pieces: [DataPiece; PIECES_MAX],
    count: usize,
    identity: u64,
}

impl Range {
    /// The data of the running executable. `None` if it has no data, or has them in more pieces than any linker makes.
    pub fn of_executable() -> Option<Range> {
        let mut found: Option<Range> = None;
        // SAFETY: the callback gets the pointer it is declared for, and both live through the call.
        unsafe { libc::dl_iterate_phdr(Some(first_object), (&raw mut found).cast()) };
        let mut range = found.filter(|range| range.count > 0)?;
        if range.identity == 0 {
            range.identity = file_identity(range.len())?;
        }
        Some(range)
    }

    /// The address of its first byte.
    pub fn base(&self) -> usize {
        self.pieces[0].start
    }

    /// Bytes from the first to the last, including gaps between pieces: the size of a window onto the range.
    pub fn len(&self) -> usize {
        self.pieces[self.count - 1].end - self.base()
    }

    /// Whether it has no bytes. A range that was found has some.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Its pieces in ascending order.
    pub fn pieces(&self) -> &[DataPiece] {
        &self.pieces[..self.count]
    }

    /// Whether `address` is in one of its pieces.
    pub fn contains(&self, address: usize) -> bool {
        self.pieces().iter().any(|piece| (piece.start..piece.end).contains(&address))
    }

    /// A digest that is equal for PEs of the same executable and differs for others. Statics are symmetric only among PEs with equal
    /// digests. It is computed from the linker's build id, or else from the file's head and tail, and does not depend on the address at
    /// which the executable is loaded.
    pub fn identity(&self) -> u64 {
        self.identity
    }

    /// A range over the data segments `loads` (start, end of file contents, end, executable), less everything below
    /// `relro_end`. Both ends are in bytes; pages are rounded outwards.
    fn over(loads: impl Iterator<Item = (usize, usize, usize, bool)>, relro_end: usize) -> Option<Range> {
        let page = page_size();
        let mut range = Range { pieces: [DataPiece::default(); PIECES_MAX], count: 0, identity: 0 };
        for (start, file_end, end, executable) in loads {
            // The loader protects whole pages only, and leaves a last partial page of the read-only part writable.
            let start = start.max(relro_end) / page * page;
            let (file_end, end) = (file_end.next_multiple_of(page), end.next_multiple_of(page));
            if start >= end {
                continue;
            }
            let piece = DataPiece { start, end, file_end: file_end.clamp(start, end), executable };
            *range.pieces.get_mut(range.count)? = piece;
            range.count += 1;
        }
        Some(range)
    }
}

/// Look at the first object, which is the executable, and stop.
unsafe extern "C" fn first_object(info: *mut dl_phdr_info, _size: usize, found: *mut c_void) -> c_int {
    // SAFETY: `of_executable` passes a pointer of this type.
    let found = unsafe { &mut *found.cast::<Option<Range>>() };
    // SAFETY: the loader provides a valid description for the duration of the call.
    let info = unsafe { &*info };
    // SAFETY: likewise; the program headers stay mapped.
    let headers = unsafe { slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
    let address = |vaddr: u64| (info.dlpi_addr as usize).wrapping_add(vaddr as usize);
    let relro = headers.iter().find(|header| header.p_type == PT_GNU_RELRO);
    let relro_end = relro.map_or(0, |header| address(header.p_vaddr + header.p_memsz));
    let loads = headers.iter().filter(|header| header.p_type == PT_LOAD && header.p_flags & PF_W != 0).map(|header| {
        let start = address(header.p_vaddr);
        (start, start + header.p_filesz as usize, start + header.p_memsz as usize, header.p_flags & PF_X != 0)
    });
    *found = Range::over(loads, relro_end);
    if let Some(range) = found {
        let notes = headers.iter().filter(|header| header.p_type == PT_NOTE).map(|header| {
            // SAFETY: notes are part of a mapped segment.
            unsafe { slice::from_raw_parts(address(header.p_vaddr) as *const u8, header.p_memsz as usize) }
        });
        range.identity = notes.filter_map(build_id).next().map_or(0, |id| digest(&[id]));
    }
    1
}

/// The build id in a note segment: records of three words (name size, contents size, type), name and contents, each
/// padded to four bytes.
fn build_id(mut notes: &[u8]) -> Option<&[u8]> {
    const NT_GNU_BUILD_ID: u32 = 3;
    loop {
        let word = |at: usize| Some(u32::from_ne_bytes(notes.get(at..at + 4)?.try_into().ok()?));
        let (name_size, size, kind) = (word(0)? as usize, word(4)? as usize, word(8)?);
        let contents = 12 + name_size.checked_next_multiple_of(4)?;
        let end = contents.checked_add(size.checked_next_multiple_of(4)?)?;
        if kind == NT_GNU_BUILD_ID && notes.get(12..12 + name_size)? == b"GNU\0" {
            return notes.get(contents..contents + size).filter(|id| !id.is_empty());
        }
        notes = notes.get(end..)?;
    }
}

/// Identity of an executable without a build id: the file's length, its head (the program headers) and its tail (the section headers, the
/// ends of the symbol names). No two links of different programs share all of these. Device and inode would not do: they differ between
/// nodes.
fn file_identity(data_len: usize) -> Option<u64> {
    const TAIL: u64 = 64 << 10;
    let mut file = File::open("/proc/self/exe").ok()?;
    let len = file.metadata().ok()?.len();
    let mut head = [0; 4096];
    let head_len = file.read(&mut head).ok()?;
    let mut tail = vec![0; len.min(TAIL) as usize];
    let tail_at = len - tail.len() as u64;
    file.read_exact_at(&mut tail, tail_at).ok()?;
    Some(digest(&[&len.to_ne_bytes(), &data_len.to_ne_bytes(), &head[..head_len], &tail]))
}

/// FNV-1a, never zero.
fn digest(parts: &[&[u8]]) -> u64 {
    let bytes = parts.iter().flat_map(|part| part.iter());
    let hash =
        bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
    hash.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_executable_has_data_and_an_identity() {
        static mut COUNTER: u64 = 7;
        static CONSTANT: u64 = 7;
        let range = Range::of_executable().expect("a Rust executable has data");
        assert!(range.contains((&raw const COUNTER).addr()));
        assert!(!range.contains((&raw const CONSTANT).addr()), "read-only data are no part of it");
        assert!(!range.contains((&raw const range).addr()), "the stack is no part of it");
        assert_eq!(range, Range::of_executable().expect("as before"));
        assert_ne!(range.identity(), 0);
        assert_eq!(file_identity(range.len()), file_identity(range.len()));
        assert_ne!(file_identity(range.len()), file_identity(range.len() + 1));
    }

    #[test]
    fn pieces_start_after_relro_and_end_with_their_segment() {
        let page = page_size();
        let load = (10 * page + 0xd00, 13 * page + 8, 20 * page + 1, false);
        let range = Range::over([load].into_iter(), 12 * page).expect("one piece");
        let piece = DataPiece { start: 12 * page, end: 21 * page, file_end: 14 * page, executable: false };
        assert_eq!(range.pieces(), [piece]);
        assert_eq!((range.base(), range.len()), (12 * page, 9 * page));
        let partial = Range::over([load].into_iter(), 12 * page + 16).expect("one piece");
        assert_eq!(partial.base(), 12 * page, "the page that relro shares with data holds data");
        let none = Range::over([load].into_iter(), 0).expect("one piece");
        assert_eq!(none.base(), 10 * page, "without relro all is data");
        let two = [(page, 2 * page, 2 * page, false), (5 * page, 5 * page, 9 * page, true)];
        let apart = Range::over(two.into_iter(), 2 * page).expect("lld's layout");
        assert_eq!(
            apart.pieces(),
            [DataPiece { start: 5 * page, end: 9 * page, file_end: 5 * page, executable: true }]
        );
        let gap = Range::over(two.into_iter(), 0).expect("two pieces");
        assert_eq!((gap.pieces().len(), gap.len()), (2, 8 * page));
        assert!(gap.contains(page) && !gap.contains(3 * page) && gap.contains(5 * page) && !gap.contains(9 * page));
        assert_eq!(Range::over(std::iter::repeat_n(load, PIECES_MAX + 1), 0), None);
    }

    #[test]
    fn build_ids_are_found_among_notes_and_garbage_is_none() {
        let note = |name: &[u8], kind: u32, contents: &[u8]| {
            let mut bytes = Vec::new();
            for word in [name.len() as u32, contents.len() as u32, kind] {
                bytes.extend(word.to_ne_bytes());
            }
            for part in [name, contents] {
                bytes.extend(part);
                bytes.resize(bytes.len().next_multiple_of(4), 0);
            }
            bytes
        };
        let mut notes = note(b"GNU\0", 1, b"abi tag");
        notes.extend(note(b"stapsdt\0", 3, b"not an id"));
        notes.extend(note(b"GNU\0", 3, b"0123456789abcdefghi"));
        assert_eq!(build_id(&notes), Some(b"0123456789abcdefghi".as_slice()));
        for cut in 0..notes.len() - 20 {
            assert_eq!(build_id(&notes[..cut]), None);
        }
        assert_eq!(build_id(&[0xff; 64]), None);
        assert_eq!(build_id(&[0; 64]), None);
    }
}
