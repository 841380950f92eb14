//! Separate debug files with the line tables of the installed programs: debuggers find them, and the installed files stay small.
//!
//! The debug file of `lib/libsma.so.1` is `lib/.debug/libsma.so.1.debug`; the library's `.gnu_debuglink` names it. Debuggers and Rust's
//! backtraces look there, wherever the tree is. Links in `lib/debug/.build-id` lead to the same files by build id, as debuggers and
//! debuginfo servers expect.

use crate::{Result, inventory::Inventory, repo};
use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
};

/// The directory, beside an installed file, of its debug file.
pub const BESIDE: &str = ".debug";

/// The directory of the links by build id, below the prefix.
pub const BY_ID: &str = "lib/debug/.build-id";

/// Install the program or library `from` as `to`, stripped, with its debug file.
pub fn install(inventory: &mut Inventory, from: &Path, to: &str) -> Result {
    let (directory, name) = split(to);
    let debug = inventory.place(format!("{directory}/{BESIDE}/{name}.debug"))?;
    replace(&debug, |new| {
        let how = ["--only-keep-debug", "--compress-debug-sections=zlib", "--remove-section=.comment"];
        repo::run(Command::new("objcopy").args(how).arg(from).arg(new))
    })?;
    replace(&inventory.place(to)?, |new| {
        let mut objcopy = Command::new("objcopy");
        objcopy
            .args(["--strip-all", "--remove-section=.comment"])
            .arg(format!("--add-gnu-debuglink={}", debug.display()));
        repo::run(objcopy.arg(from).arg(new))
    })?;
    let id = build_id(from)?;
    let (head, tail) = id
        .split_at_checked(2)
        .ok_or_else(|| format!("{}: expected a build id of at least two digits, found `{id}`", from.display()))?;
    let link = inventory.place(format!("{BY_ID}/{head}/{tail}.debug"))?;
    // The target is relative to `lib/debug/.build-id/xx`.
    let target = PathBuf::from("../../../..").join(directory).join(BESIDE).join(format!("{name}.debug"));
    replace(&link, |new| symlink(&target, new).map_err(|e| format!("linking {}: {e}", new.display())))
}

fn split(to: &str) -> (&str, &str) {
    to.rsplit_once('/').expect("an installed program is in a directory")
}

/// Create the file `to` under another name and rename it. So no process sees a partial file, and a process that has opened the old file
/// keeps it.
pub fn replace(to: &Path, make: impl FnOnce(&Path) -> Result) -> Result {
    let name = to.file_name().expect("an installed file has a name").to_string_lossy();
    let new = to.with_file_name(format!("{name}.new{}", std::process::id()));
    make(&new)?;
    fs::rename(&new, to).map_err(|e| format!("renaming {} to {}: {e}", new.display(), to.display()))
}

/// The build id of a program or a library, in hexadecimal digits.
pub fn build_id(file: &Path) -> Result<String> {
    let notes = repo::output(Command::new("readelf").args(["--notes", "--wide"]).arg(file))?;
    let id = notes.split_once("Build ID: ").and_then(|(_, id)| id.split_whitespace().next()).map(str::to_owned);
    id.ok_or_else(|| format!("{} has no build id: the linker was given an option that leaves it out", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program with line tables, installed.
    fn installed(name: &str) -> PathBuf {
        let dir = repo::scratch(name);
        repo::write(&dir.join("a.c"), "int main(void) { return 0; }\n").unwrap();
        let mut cc = Command::new("cc");
        repo::run(cc.current_dir(&dir).args(["-g", "-Wl,--build-id", "a.c", "-o", "a"])).unwrap();
        let prefix = dir.join("prefix");
        let mut inventory = Inventory::open(&prefix).unwrap();
        install(&mut inventory, &dir.join("a"), "bin/a").unwrap();
        inventory.finish().unwrap();
        prefix
    }

    fn sections(file: &Path) -> String {
        repo::output(Command::new("readelf").args(["--section-headers", "--wide"]).arg(file)).unwrap()
    }

    #[test]
    fn a_program_is_stripped_and_its_lines_are_beside_it() {
        let prefix = installed("debug-files-stripped");
        let (program, debug) = (prefix.join("bin/a"), prefix.join("bin/.debug/a.debug"));
        let (left, moved) = (sections(&program), sections(&debug));
        assert!(!left.contains(".debug_line") && !left.contains(".symtab"), "{left}");
        assert!(left.contains(".gnu_debuglink"), "{left}");
        assert!(moved.contains(".debug_line") && moved.contains(".symtab"), "{moved}");
        repo::run(&mut Command::new(&program)).unwrap();
    }

    #[test]
    fn the_debug_file_is_found_by_the_build_id() {
        let prefix = installed("debug-files-id");
        let id = build_id(&prefix.join("bin/a")).unwrap();
        let by_id = prefix.join(BY_ID).join(&id[..2]).join(format!("{}.debug", &id[2..]));
        assert_eq!(by_id.canonicalize().unwrap(), prefix.join("bin/.debug/a.debug").canonicalize().unwrap());
        assert_eq!(build_id(&by_id).unwrap(), id);
    }

    #[test]
    fn a_file_without_a_build_id_is_said() {
        let dir = repo::scratch("debug-files-none");
        repo::write(&dir.join("a.c"), "int main(void) { return 0; }\n").unwrap();
        let mut cc = Command::new("cc");
        repo::run(cc.current_dir(&dir).args(["-Wl,--build-id=none", "a.c", "-o", "a"])).unwrap();
        assert!(build_id(&dir.join("a")).unwrap_err().contains("has no build id"));
    }
}
