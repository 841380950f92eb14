//! Shortens the names in an object that will be an archive's member.
//!
//! Rust gives every function a section of its own, named after the function, and ends the function's name with a hash. So each name is in the
//! object twice, each time with 16 digits that cannot be compressed. A linker needs neither: sections may have equal names, and so may
//! private symbols, which are here for backtraces. These show them without the hash.

use crate::{
    Result,
    sizes::{layout::*, sections, u16_at, u32_at, u64_at},
};

/// What stays of a section's name: linkers know sections by these names, and by what follows them if it is one of [`MEANT`].
const KINDS: [&[u8]; 8] =
    [b".text", b".rodata", b".data.rel.ro", b".data", b".bss", b".tdata", b".tbss", b".gcc_except_table"];

/// What stays after the name of a kind: linkers gather such code in one place, and merge such constants.
const MEANT: [&[u8]; 7] = [b".unlikely", b".hot", b".startup", b".exit", b".str", b".cst", b".rel"];

/// Begin of a hash, at the end of a name; its digits and an `E` follow.
const HASH: &[u8] = b"17h";
const HASH_DIGITS: usize = 16;

/// Cut the names of sections and symbols, in their tables of strings. Tables keep their size, until a tool writes them anew.
pub fn names(object: &mut [u8]) -> Result {
    let wrong = "the object to shorten has tables that lead out of it";
    let of_sections = match u16_at(object, SECTION_OF_NAMES).ok_or(wrong)? {
        // An object with very many sections stores the number in the first section header.
        0xffff => {
            u64_at(object, SECTIONS_AT).and_then(|first| u32_at(object, first + SECTION_LINK)).ok_or(wrong)? as usize
        }
        index => index,
    };
    let headers: Vec<usize> = sections(object).ok_or(wrong)?.collect();
    for (index, at) in headers.into_iter().enumerate() {
        if u32_at(object, at + SECTION_TYPE) != Some(TYPE_STRTAB) {
            continue;
        }
        let (from, bytes) = u64_at(object, at + SECTION_OFFSET).zip(u64_at(object, at + SECTION_SIZE)).ok_or(wrong)?;
        let table = object.get_mut(from..from + bytes).ok_or(wrong)?;
        let length: fn(&mut [u8]) -> usize = if index == of_sections { section_length } else { symbol_length };
        for name in table.split_mut(|byte| *byte == 0) {
            let length = length(name);
            name[length..].fill(0);
        }
    }
    Ok(())
}

/// Length of what stays of a section's name, which may be that of its relocations.
fn section_length(name: &mut [u8]) -> usize {
    let before = if name.starts_with(b".rela.") { b".rela".len() } else { 0 };
    let own = &name[before..];
    let Some(kind) = KINDS.into_iter().find(|kind| own.starts_with(kind)) else { return name.len() };
    let more = &own[kind.len()..];
    match MEANT.into_iter().find(|meant| more.starts_with(meant)) {
        Some(b".unlikely") => before + kind.len() + b".unlikely".len(),
        Some(_) => name.len(),
        None if more.starts_with(b".") => before + kind.len(),
        None => name.len(),
    }
}

/// Length of a mangled name without its hash; an `E` takes the hash's place.
fn symbol_length(name: &mut [u8]) -> usize {
    let all = name.len();
    let Some(at) = all.checked_sub(HASH.len() + HASH_DIGITS + 1) else { return all };
    let (hash, end) = name[at..].split_at(HASH.len() + HASH_DIGITS);
    if !name.starts_with(b"_ZN") || !hash.starts_with(HASH) || end != b"E" {
        return all;
    }
    name[at] = b'E';
    at + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repo;
    use std::{fs, process::Command};

    #[test]
    fn what_linkers_do_not_need_is_cut_off() {
        let section = |name: &str| name[..section_length(&mut name.as_bytes().to_vec())].to_owned();
        for (name, short) in [
            (".text._ZN1a1bE", ".text"),
            (".rela.text.main", ".rela.text"),
            (".text.unlikely._ZN1aE", ".text.unlikely"),
            (".rela.text.unlikely.x", ".rela.text.unlikely"),
            (".data.rel.ro..Lanon.0", ".data.rel.ro"),
            (".data.rel.local", ".data.rel.local"),
            (".rodata.str1.1", ".rodata.str1.1"),
            (".rodata.cst16", ".rodata.cst16"),
            (".init_array.00099", ".init_array.00099"),
            (".textual", ".textual"),
            (".eh_frame", ".eh_frame"),
            ("", ""),
        ] {
            assert_eq!(section(name), short, "{name}");
        }
    }

    #[test]
    fn only_a_hash_at_the_end_is_one() {
        let symbol = |name: &str| {
            let mut bytes = name.as_bytes().to_vec();
            let length = symbol_length(&mut bytes);
            String::from_utf8_lossy(&bytes[..length]).into_owned()
        };
        assert_eq!(symbol("_ZN4core3fmt5write17h0123456789abcdefE"), "_ZN4core3fmt5writeE");
        for name in
            ["_ZN4core3fmt5writeE", "shmem_init", "_ZN1a17h0123456789abcdefE.llvm.1", "17h0123456789abcdefE", ""]
        {
            assert_eq!(symbol(name), name);
        }
    }

    #[test]
    fn an_object_with_shorter_names_still_links_and_runs() {
        let dir = repo::scratch("shorten");
        let source = "static __attribute__((noinline)) int _ZN1a1b17h0123456789abcdefE(int x) { return x - 3; }\n\
                      static __attribute__((noinline)) int _ZN1a1b17hfedcba9876543210E(int x) { return x + 2; }\n\
                      int main(int c, char **v) { return _ZN1a1b17h0123456789abcdefE(_ZN1a1b17hfedcba9876543210E(c)); }\n";
        repo::write(&dir.join("a.c"), source).unwrap();
        let mut cc = Command::new("cc");
        repo::run(cc.current_dir(&dir).args(["-O1", "-fno-ipa-icf", "-ffunction-sections", "-c", "a.c"])).unwrap();
        let mut object = fs::read(dir.join("a.o")).unwrap();
        names(&mut object).unwrap();
        repo::write(&dir.join("a.o"), object).unwrap();
        repo::run(Command::new("objcopy").arg(dir.join("a.o"))).unwrap();
        let said =
            |tool: &str, option: &str| repo::output(Command::new(tool).arg(option).arg(dir.join("a.o"))).unwrap();
        let (symbols, sections) = (said("nm", "--format=just-symbols"), said("readelf", "--section-headers"));
        assert_eq!(symbols.lines().filter(|name| *name == "_ZN1a1bE").count(), 2, "{symbols}");
        assert!(!sections.contains("text.main") && !sections.contains("text._ZN"), "{sections}");
        repo::run(Command::new("cc").current_dir(&dir).args(["-Wl,--gc-sections", "a.o", "-o", "a"])).unwrap();
        repo::run(&mut Command::new(dir.join("a"))).unwrap();
    }

    #[test]
    fn what_is_no_object_is_refused() {
        assert!(names(&mut []).is_err());
        assert!(names(&mut [0xff; 64]).is_err());
    }
}
