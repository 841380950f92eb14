//! Names of objects from the symbol table of an ELF file.
//!
//! `dladdr` knows exported names only, and an executable exports none. Its file still lists every static, unless it was stripped. The file
//! is read when an error message needs a name, never before.

use ferrite_os::elf::{self, half, long, word};
use std::fs::File;

/// A named object of a program or library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Its name as the linker knows it.
    pub name: String,
    /// Offset in the object of the address that was looked up.
    pub offset: u64,
    /// Size of the object.
    pub size: u64,
}

/// Larger than any real table. A section that claims more is not a table.
const TABLE_MAX: u64 = 1 << 30;
const SYMBOL_SIZE: usize = 24;

/// The fields of a section that are needed here: a table, and the section of its names.
struct Section {
    kind: u32,
    at: u64,
    size: u64,
    names: usize,
}

/// Find the data object or thread-local variable of `file` that contains the link-time address `vaddr`.
///
/// Returns `None` if there is none, if the file is stripped, or if it is not a 64-bit ELF file of this machine's byte order.
pub fn object_at(file: &File, vaddr: u64, thread_local: bool) -> Option<Symbol> {
    const SYMTAB: u32 = 2;
    const DYNSYM: u32 = 11;
    let sections = sections(file)?;
    // Use the full table if there is one, else the exported names.
    let of_kind = |kind| sections.iter().find(|section| section.kind == kind);
    [SYMTAB, DYNSYM].into_iter().filter_map(of_kind).find_map(|table| {
        let symbols = read(file, table.at, table.size)?;
        let names = sections.get(table.names)?;
        let names = read(file, names.at, names.size)?;
        find(&symbols, &names, vaddr, thread_local)
    })
}

fn sections(file: &File) -> Option<Vec<Section>> {
    const ENTRY_SIZE: usize = 64;
    let header = elf::header(file)?;
    if usize::from(half(&header, 58)?) != ENTRY_SIZE {
        return None;
    }
    let count = u64::from(half(&header, 60)?);
    let table = read(file, long(&header, 40)?, count * ENTRY_SIZE as u64)?;
    let section = |entry: &[u8]| {
        let (kind, names) = (word(entry, 4)?, word(entry, 40)? as usize);
        Some(Section { kind, at: long(entry, 24)?, size: long(entry, 32)?, names })
    };
    table.chunks_exact(ENTRY_SIZE).map(section).collect()
}

fn find(symbols: &[u8], names: &[u8], vaddr: u64, thread_local: bool) -> Option<Symbol> {
    const OBJECT: u8 = 1;
    const TLS: u8 = 6;
    let wanted = if thread_local { TLS } else { OBJECT };
    symbols.chunks_exact(SYMBOL_SIZE).find_map(|symbol| {
        let (value, size) = (long(symbol, 8)?, long(symbol, 16)?);
        let defined = half(symbol, 6)? != 0;
        if symbol[4] & 15 != wanted || !defined || vaddr < value || vaddr - value >= size {
            return None;
        }
        let name = names.get(word(symbol, 0)? as usize..)?.split(|&byte| byte == 0).next()?;
        (!name.is_empty()).then(|| Symbol {
            name: String::from_utf8_lossy(name).into_owned(),
            offset: vaddr - value,
            size,
        })
    })
}

fn read(file: &File, at: u64, size: u64) -> Option<Vec<u8>> {
    elf::table(file, at, size, TABLE_MAX)
}

#[cfg(test)]
mod tests {
    use std::os::fd::{AsFd, OwnedFd};

    use proptest::prelude::*;
    use rustix::fs::{MemfdFlags, memfd_create};

    use super::*;

    fn file_of(bytes: &[u8]) -> File {
        let file: OwnedFd = memfd_create(c"elf", MemfdFlags::CLOEXEC).expect("a memfd");
        rustix::io::pwrite(file.as_fd(), bytes, 0).expect("written");
        File::from(file)
    }

    /// A header, one symbol table with one symbol, its names, and their two section headers.
    fn small_elf() -> Vec<u8> {
        let mut elf = vec![0; 64 + 24 + 8 + 3 * 64];
        let mut put = |at: usize, bytes: &[u8]| elf[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, b"\x7fELF\x02");
        put(5, &[if cfg!(target_endian = "little") { 1 } else { 2 }]);
        put(40, &96u64.to_ne_bytes());
        put(58, &64u16.to_ne_bytes());
        put(60, &3u16.to_ne_bytes());
        // The symbol: name 1, an object, section 1, at 0x1000, 40 bytes.
        put(64, &1u32.to_ne_bytes());
        put(68, &[1]);
        put(70, &1u16.to_ne_bytes());
        put(72, &0x1000u64.to_ne_bytes());
        put(80, &40u64.to_ne_bytes());
        put(88, b"\0grid\0\0\0");
        for (header, kind, at, size, names) in [(160, 2u32, 64u64, 24u64, 2u32), (224, 3, 88, 8, 0)] {
            put(header + 4, &kind.to_ne_bytes());
            put(header + 24, &at.to_ne_bytes());
            put(header + 32, &size.to_ne_bytes());
            put(header + 40, &names.to_ne_bytes());
        }
        elf
    }

    #[test]
    fn an_object_is_found_by_any_of_its_bytes() {
        let file = file_of(&small_elf());
        let grid = |offset| Some(Symbol { name: "grid".into(), offset, size: 40 });
        assert_eq!(object_at(&file, 0x1000, false), grid(0));
        assert_eq!(object_at(&file, 0x1000 + 39, false), grid(39));
        assert_eq!(object_at(&file, 0x1000 + 40, false), None);
        assert_eq!(object_at(&file, 0xfff, false), None);
        assert_eq!(object_at(&file, 0x1000, true), None, "not thread-local");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

        #[test]
        fn damaged_files_are_no_harm(changes in prop::collection::vec((0..288usize, any::<u8>()), 0..12), len in 0..288usize) {
            let mut elf = small_elf();
            for (at, byte) in changes {
                elf[at] = byte;
            }
            let _ = object_at(&file_of(&elf), 0x1000, false);
            let _ = object_at(&file_of(&elf[..len]), 0x1000, false);
        }
    }
}
