//! Sets the sizes of aliases.
//!
//! The linker gives an alias its target's address and type, but no size, and disassemblers and profilers ignore a symbol without a size.
//! This module copies the target's size into the alias's entry of an object's symbol table.

use crate::{Result, link::Alias};
use std::collections::BTreeMap;

/// Offsets and sizes in bytes of an ELF-64 header and its tables, as the format defines them.
pub mod layout {
    pub const SECTIONS_AT: usize = 0x28;
    pub const SECTION_COUNT: usize = 0x3c;
    pub const SECTION_OF_NAMES: usize = 0x3e;
    pub const SECTION_BYTES: usize = 64;
    pub const SECTION_TYPE: usize = 4;
    pub const SECTION_OFFSET: usize = 24;
    pub const SECTION_SIZE: usize = 32;
    pub const SECTION_LINK: usize = 40;
    pub const TYPE_SYMTAB: u32 = 2;
    pub const TYPE_STRTAB: u32 = 3;
    pub const SYMBOL_BYTES: usize = 24;
    pub const SYMBOL_SIZE: usize = 16;
}
use layout::*;

/// Give every alias the size of its target.
pub fn copy_to_aliases(object: &mut [u8], aliases: &[Alias]) -> Result {
    if object.get(..6) != Some(b"\x7fELF\x02\x01") {
        return Err("the joined object is not a 64-bit little-endian ELF file".to_owned());
    }
    let symbols = symbols(object).ok_or("the joined object has a symbol table that leads out of it")?;
    for Alias { name, of, .. } in aliases {
        let (Some(&alias), Some(&target)) = (symbols.get(name), symbols.get(of)) else {
            return Err(format!("the joined object lacks {name}"));
        };
        object.copy_within(target + SYMBOL_SIZE..target + SYMBOL_BYTES, alias + SYMBOL_SIZE);
    }
    Ok(())
}

/// Offset of each section's header.
pub fn sections(object: &[u8]) -> Option<impl Iterator<Item = usize> + use<>> {
    let sections = u64_at(object, SECTIONS_AT)?;
    // An object with very many sections stores their number in the first section header.
    let count = match u16_at(object, SECTION_COUNT)? {
        0 => u64_at(object, sections + SECTION_SIZE)?,
        count => count,
    };
    Some((0..count).map(move |index| sections + index * SECTION_BYTES))
}

/// Offset of each named symbol's entry.
fn symbols(object: &[u8]) -> Option<BTreeMap<String, usize>> {
    let section = |index: usize| u64_at(object, SECTIONS_AT).map(|sections| sections + index * SECTION_BYTES);
    let table = sections(object)?.find(|&at| u32_at(object, at + SECTION_TYPE) == Some(TYPE_SYMTAB))?;
    let names = u64_at(object, section(u32_at(object, table + SECTION_LINK)? as usize)? + SECTION_OFFSET)?;
    let (first, bytes) = (u64_at(object, table + SECTION_OFFSET)?, u64_at(object, table + SECTION_SIZE)?);
    object.get(first..first + bytes)?;
    (first..first + bytes)
        .step_by(SYMBOL_BYTES)
        .map(|at| {
            let name = object.get(names + u32_at(object, at)? as usize..)?;
            let name = name.split(|byte| *byte == 0).next()?;
            Some((String::from_utf8_lossy(name).into_owned(), at))
        })
        .collect()
}

/// Read an offset or a size; `None` if it is larger than the object.
pub fn u64_at(bytes: &[u8], at: usize) -> Option<usize> {
    let word = u64::from_le_bytes(bytes.get(at..at.checked_add(8)?)?.try_into().ok()?);
    usize::try_from(word).ok().filter(|word| *word <= bytes.len())
}

pub fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

pub fn u16_at(bytes: &[u8], at: usize) -> Option<usize> {
    Some(u16::from_le_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_object_is_refused() {
        assert!(copy_to_aliases(&mut [], &[]).is_err());
        assert!(copy_to_aliases(&mut b"!<arch>\n".to_vec(), &[]).is_err());
        let mut short = b"\x7fELF\x02\x01".to_vec();
        assert!(copy_to_aliases(&mut short, &[]).is_err());
        short.resize(64, 0xff);
        assert!(copy_to_aliases(&mut short, &[]).is_err());
    }
}
