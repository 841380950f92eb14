//! The versions of glibc's symbols that programs and libraries require, and those that glibc offers, as `objdump -T` prints them.

use super::tree;
use crate::{Result, repo};
use std::{fmt, path::Path, process::Command, str::FromStr};

/// A version of glibc; 2.28 is newer than 2.3.4.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Version(pub u32, pub u32, pub u32);

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Version(major, minor, patch) = self;
        write!(f, "{major}.{minor}")?;
        if *patch == 0 { Ok(()) } else { write!(f, ".{patch}") }
    }
}

impl FromStr for Version {
    type Err = ();

    fn from_str(text: &str) -> std::result::Result<Version, ()> {
        let mut numbers = text.split('.').map(|number| number.parse().map_err(drop));
        let mut next = || numbers.next().unwrap_or(Ok(0));
        Ok(Version(next()?, next()?, next()?))
    }
}

/// A row of the dynamic symbol table.
#[derive(PartialEq, Eq, Debug)]
pub struct Symbol {
    pub name: String,
    /// The version, if it is one of glibc's.
    pub version: Option<Version>,
    /// True if the symbol is data.
    pub is_variable: bool,
    /// True if the symbol is required rather than defined.
    is_undefined: bool,
    /// True if a required symbol may be absent at run time.
    is_weak: bool,
    pub size: u64,
}

/// The symbols that a library defines, except thread-local ones.
pub fn defined(library: &Path) -> Result<Vec<Symbol>> {
    Ok(table(library)?.into_iter().filter(|symbol| !symbol.is_undefined).collect())
}

/// The symbols that a program or a library cannot do without.
pub fn required(file: &Path) -> Result<Vec<Symbol>> {
    Ok(table(file)?.into_iter().filter(|symbol| symbol.is_undefined && !symbol.is_weak).collect())
}

/// The newest version of glibc that a program or a library requires.
pub fn newest(file: &Path) -> Result<Option<Version>> {
    Ok(table(file)?.into_iter().filter(|symbol| symbol.is_undefined).filter_map(|symbol| symbol.version).max())
}

/// The newest version of glibc that any file below a directory requires.
pub fn newest_below(root: &Path) -> Result<Option<Version>> {
    let mut all = None;
    for file in tree::elf_files(root)? {
        all = all.max(newest(&root.join(file))?);
    }
    Ok(all)
}

fn table(file: &Path) -> Result<Vec<Symbol>> {
    let text = repo::output(Command::new("objdump").arg("-T").arg(file))?;
    Ok(text.lines().filter_map(parse).collect())
}

/// Parse a row: address, seven flags, section, size, version and name. Old versions are in brackets.
fn parse(line: &str) -> Option<Symbol> {
    let (address, rest) = line.split_once(' ')?;
    u64::from_str_radix(address, 16).ok()?;
    let (flags, rest) = rest.split_at_checked(7)?;
    let words: Vec<&str> = rest.split_whitespace().collect();
    let (section, size, version, name) = match words[..] {
        [section, size, version, name] => (section, size, version, name),
        [section, size, name] => (section, size, "", name),
        _ => return None,
    };
    let version = version.trim_matches(['(', ')']).strip_prefix("GLIBC_");
    (![".tbss", ".tdata", "*ABS*"].contains(&section)).then(|| Symbol {
        name: name.to_owned(),
        version: version.and_then(|version| version.parse().ok()),
        is_variable: flags.contains('O'),
        is_undefined: section == "*UND*",
        is_weak: flags.contains('w'),
        size: u64::from_str_radix(size, 16).unwrap_or(0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_ordered_by_their_numbers() {
        let version = |text: &str| text.parse::<Version>().unwrap();
        assert!(version("2.28") > version("2.3.4") && version("2.3.4") > version("2.3"));
        assert_eq!(version("2.2.5").to_string(), "2.2.5");
        assert_eq!(version("2.28").to_string(), "2.28");
        assert!("PRIVATE".parse::<Version>().is_err());
    }

    #[test]
    fn rows_are_read() {
        let row = |line: &str| {
            parse(line).map(|symbol| (symbol.name, symbol.version, symbol.is_variable, symbol.is_undefined))
        };
        for (line, expected) in [
            (
                "0000000000089380 g    DF .text\t0000000000000eed (GLIBC_2.2.5) pthread_create",
                ("pthread_create", Some(Version(2, 2, 5)), false, false),
            ),
            (
                "000000000009be70 g   iD  .text\t0000000000000109  GLIBC_2.14  memcpy",
                ("memcpy", Some(Version(2, 14, 0)), false, false),
            ),
            (
                "00000000001db320  w   DO .bss\t0000000000000008  GLIBC_2.2.5 environ",
                ("environ", Some(Version(2, 2, 5)), true, false),
            ),
            (
                "0000000000000000      DF *UND*\t0000000000000000 (GLIBC_2.34) dlopen",
                ("dlopen", Some(Version(2, 34, 0)), false, true),
            ),
            ("0000000000000000  w   D  *UND*\t0000000000000000  Base        gettid", ("gettid", None, false, true)),
            (
                "0000000000000000      DF *UND*\t0000000000000000 (GCC_3.0)  _Unwind_Resume",
                ("_Unwind_Resume", None, false, true),
            ),
        ] {
            let (name, version, is_variable, is_undefined) = expected;
            assert_eq!(row(line), Some((name.to_owned(), version, is_variable, is_undefined)), "{line}");
        }
        assert_eq!(row("0000000000000000 g    DO *ABS*\t0000000000000000  GLIBC_2.28  GLIBC_2.28"), None);
        assert_eq!(row("0000000000000010 g    D  .tbss\t0000000000000004  GLIBC_PRIVATE errno"), None);
        assert_eq!(row("a.out:     file format elf64-x86-64"), None);
    }
}
