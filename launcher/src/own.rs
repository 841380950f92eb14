//! This program's own file, found also where there is no /proc: some chroots and containers have none.

use crate::run::tasks::fitness;
use std::{
    env,
    ffi::{OsStr, OsString},
    io,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

/// The file: as the kernel knows it, or as a shell would find it by the name that the program was called by.
pub fn file() -> io::Result<PathBuf> {
    env::current_exe().or_else(|error| called().ok_or(error))
}

/// The path that the program was called by.
fn called() -> Option<PathBuf> {
    found(&env::args_os().next()?, &env::current_dir().ok()?, &variable("PATH").unwrap_or_default())
}

/// The file that a name stands for in a directory, with such a PATH.
fn found(name: &OsStr, directory: &Path, path: &OsStr) -> Option<PathBuf> {
    let runs = |file: &PathBuf| fitness(file).is_none();
    if name.as_bytes().contains(&b'/') {
        return Some(directory.join(name)).filter(runs);
    }
    env::split_paths(path).map(|entry| directory.join(entry).join(name)).find(runs)
}

#[expect(clippy::disallowed_methods, reason = "PATH is no setting: it is where shells find programs")]
fn variable(name: &str) -> Option<OsString> {
    env::var_os(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_by_what_it_was_called() {
        let found = |name: &str| found(name.as_ref(), Path::new("/usr"), "/nowhere:bin:/bin".as_ref());
        for (name, file) in [
            ("sh", Some("/usr/bin/sh")),
            ("/bin/sh", Some("/bin/sh")),
            ("bin/sh", Some("/usr/bin/sh")),
            // What does not run is no program.
            ("no-such-program-here", None),
            ("/etc/passwd", None),
            ("./bin", None),
            ("", None),
        ] {
            assert_eq!(found(name), file.map(PathBuf::from), "{name}");
        }
    }
}
