//! Reading the kernel's small files: the text or number in a file, the names and numbers in a directory.

use std::{fs, path::Path};

/// The trimmed text of a file, if there is one. Linux 5.16 to 5.19 end some lists with a zero byte.
pub fn text(path: &Path) -> Option<String> {
    let blank = |c: char| c.is_whitespace() || c == '\0';
    fs::read_to_string(path).ok().map(|text| text.trim_matches(blank).to_owned())
}

/// The number in a file, if there is one.
pub fn number(path: &Path) -> Option<i64> {
    text(path)?.parse().ok()
}

/// The names in a directory; none if there is no such directory.
pub fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

/// The numbers that follow `prefix` in the names of a directory, ascending.
pub fn numbered(directory: &Path, prefix: &str) -> Vec<u32> {
    let mut numbers: Vec<u32> = names(directory)
        .iter()
        .filter_map(|name| name.strip_prefix(prefix)?.parse().ok())
        .filter(|&number: &u32| number < 65_536)
        .collect();
    numbers.sort_unstable();
    numbers
}
