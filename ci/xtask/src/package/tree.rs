//! Collects the files to pack from an installation: its listed files, with debug files apart, and the licences.

use super::{Job, licences};
use crate::{Result, debug_files, inventory, repo};
use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

/// The directory of licences and notices.
pub const DOC: &str = "share/doc/ferrite";

/// Fill `job.tree` and `job.debug` from the installation in `prefix`.
pub fn stage(job: &Job, prefix: &Path) -> Result {
    let list = prefix.join(inventory::LIST);
    let text = fs::read_to_string(&list).map_err(|e| {
        format!(
            "{} is not an installation with programs: {}: {e}; `cargo xtask dist` makes one",
            prefix.display(),
            list.display()
        )
    })?;
    for path in text.lines().filter(|path| *path != inventory::LIST) {
        let to = if is_debug_file(path) { &job.debug } else { &job.tree };
        copy(&prefix.join(path), &to.join(path))?;
    }
    for (file, name) in
        [("LICENSE-MIT", "LICENSE-MIT"), ("LICENSE-APACHE", "LICENSE-APACHE"), ("CHANGELOG.md", "CHANGELOG.md")]
    {
        copy(&repo::root().join(file), &job.tree.join(DOC).join(name))?;
    }
    repo::write(&job.tree.join(DOC).join("licences.txt"), licences::text()?)?;
    match licences::of_rust()? {
        Some(page) => copy(&page, &job.tree.join(DOC).join("rust-library-licences.html")),
        None => Ok(()),
    }
}

fn is_debug_file(path: &str) -> bool {
    path.starts_with(debug_files::BY_ID) || path.split('/').any(|part| part == debug_files::BESIDE)
}

/// Copy a file, or a link as a link.
pub fn copy(from: &Path, to: &Path) -> Result {
    if let Some(above) = to.parent() {
        fs::create_dir_all(above).map_err(|e| format!("creating {}: {e}", above.display()))?;
    }
    let failed = |e| format!("copying {} to {}: {e}", from.display(), to.display());
    match fs::read_link(from) {
        Ok(target) => symlink(target, to).map_err(failed),
        Err(_) => fs::copy(from, to).map(drop).map_err(failed),
    }
}

/// All files and links below a directory, as paths below it, sorted.
pub fn files(root: &Path) -> Result<Vec<PathBuf>> {
    fn walk(root: &Path, below: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
        for entry in fs::read_dir(root.join(below))? {
            let entry = entry?;
            let path = below.join(entry.file_name());
            match entry.file_type()?.is_dir() {
                true => walk(root, &path, found)?,
                false => found.push(path),
            }
        }
        Ok(())
    }
    let mut found = Vec::new();
    walk(root, Path::new(""), &mut found).map_err(|e| format!("reading {}: {e}", root.display()))?;
    found.sort();
    Ok(found)
}

/// The programs and shared libraries among the files below a directory.
pub fn elf_files(root: &Path) -> Result<Vec<PathBuf>> {
    let is_elf = |path: &PathBuf| {
        let file = root.join(path);
        !file.is_symlink() && fs::read(file).is_ok_and(|bytes| is_loaded(&bytes))
    };
    Ok(files(root)?.into_iter().filter(is_elf).collect())
}

/// True if a file is an ELF program or shared library, not a relocatable object.
fn is_loaded(bytes: &[u8]) -> bool {
    const RELOCATABLE: u8 = 1;
    bytes.starts_with(b"\x7fELF") && bytes.get(16) != Some(&RELOCATABLE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_that_are_to_be_linked_are_not_loaded() {
        let file = |kind: u8| [&b"\x7fELF\x02\x01\x01"[..], &[0; 9], &[kind, 0]].concat();
        assert!(is_loaded(&file(2)) && is_loaded(&file(3)) && !is_loaded(&file(1)) && !is_loaded(b"#!/bin/sh"));
    }

    #[test]
    fn debug_files_are_told_from_the_rest() {
        for (path, expected) in [
            ("bin/.debug/oshrun.debug", true),
            ("lib/debug/.build-id/ab/cd.debug", true),
            ("libexec/ferrite/.debug/ferrite-hwloc.debug", true),
            ("lib/libsma.so.1", false),
            ("share/doc/ferrite/html/index.html", false),
        ] {
            assert_eq!(is_debug_file(path), expected, "{path}");
        }
    }
}
