//! The path of the running program, and its working directory, under the names that the user knows.
//!
//! The kernel reports both with all links resolved. If /home is a link on this host and a mount on others, the resolved
//! path does not exist there, but the user's path does. Works without /proc too, which some chroots and containers
//! lack.

use crate::run::tasks::fitness;
use std::{
    env,
    ffi::{OsStr, OsString},
    fs, io, iter,
    os::unix::{ffi::OsStrExt, fs::MetadataExt},
    path::{Path, PathBuf},
};

/// The most links in a path that the kernel follows.
const LINKS_MAX: usize = 40;

/// The program's file: from the kernel, or else the file that a shell finds for the name by which the program was called.
pub fn file() -> io::Result<PathBuf> {
    env::current_exe().or_else(|error| called().ok_or(error))
}

/// The program's file as other hosts may have it: the path by which the program was called.
pub fn file_elsewhere() -> io::Result<PathBuf> {
    let file = file()?;
    let called = called().filter(|called| are_same(called, &file));
    called.map_or(Ok(file), |called| std::path::absolute(without_last_links(called)))
}

/// The names by which the program was called: the name on the command line, the names of the files that it leads to as a link, and the
/// file's own name.
pub fn names() -> impl Iterator<Item = OsString> {
    let word = env::args_os().next().map(PathBuf::from);
    let files = called().into_iter().flat_map(links).chain(file().ok());
    word.into_iter().chain(files).filter_map(|path| path.file_name().map(OsStr::to_owned))
}

/// The file that a shell runs for `name`.
pub fn on_path(name: &str) -> Option<PathBuf> {
    found(OsStr::new(name), &directory().ok()?, &variable("PATH")?)
}

/// The working directory: the value of PWD if it is correct, else the kernel's path.
pub fn directory() -> io::Result<PathBuf> {
    named(variable("PWD")).map_or_else(env::current_dir, Ok)
}

fn named(name: Option<OsString>) -> Option<PathBuf> {
    name.map(PathBuf::from).filter(|name| name.is_absolute() && are_same(name, Path::new(".")))
}

fn are_same(one: &Path, other: &Path) -> bool {
    let inode = |path: &Path| path.metadata().ok().map(|found| (found.dev(), found.ino()));
    inode(one).is_some() && inode(one) == inode(other)
}

/// Resolve the last component of a path while it is a link, since other hosts may not have the link (in /usr/local/bin). Links in other
/// components stay.
fn without_last_links(path: PathBuf) -> PathBuf {
    links(path.clone()).last().unwrap_or(path)
}

/// The path, then the path that it leads to as a link, one link after the other.
fn links(path: PathBuf) -> impl Iterator<Item = PathBuf> {
    let next = |path: &PathBuf| fs::read_link(path).ok().map(|target| path.with_file_name(target));
    iter::successors(Some(path), next).take(1 + LINKS_MAX)
}

/// The path by which the program was called.
fn called() -> Option<PathBuf> {
    found(&env::args_os().next()?, &directory().ok()?, &variable("PATH").unwrap_or_default())
}

/// The file that a shell finds for `name`, in `directory` and with this PATH.
fn found(name: &OsStr, directory: &Path, path: &OsStr) -> Option<PathBuf> {
    let runs = |file: &PathBuf| fitness(file).is_none();
    if name.as_bytes().contains(&b'/') {
        return Some(directory.join(name)).filter(runs);
    }
    env::split_paths(path).map(|entry| directory.join(entry).join(name)).find(runs)
}

#[expect(clippy::disallowed_methods, reason = "PATH and PWD are no settings: shells say by them where things are")]
fn variable(name: &str) -> Option<OsString> {
    env::var_os(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_directory_has_the_name_that_its_user_has_for_it() {
        let here = env::current_dir().unwrap();
        let link = env::temp_dir().join(format!("ferrite-own-{}", std::process::id()));
        symlink(&here, &link).unwrap();
        let named =
            [&link, &here, Path::new("/"), Path::new("/no/such"), Path::new(".")].map(|name| named(Some(name.into())));
        fs::remove_file(&link).unwrap();
        assert_eq!(named, [Some(link), Some(here), None, None, None]);
    }

    #[test]
    fn links_to_directories_stay_and_a_link_to_the_file_does_not() {
        let root = env::temp_dir().join(format!("ferrite-links-{}", std::process::id()));
        fs::create_dir_all(root.join("real/bin")).unwrap();
        fs::create_dir(root.join("local")).unwrap();
        fs::write(root.join("real/bin/program"), "").unwrap();
        for (link, target) in
            [("home", "real".into()), ("real/bin/alias", "program".into()), ("local/it", root.join("home/bin/alias"))]
        {
            symlink(target, root.join(link)).unwrap();
        }
        let paths = ["home/bin/program", "home/bin/alias", "local/it"].map(|path| without_last_links(root.join(path)));
        fs::remove_dir_all(&root).unwrap();
        assert!(paths.iter().all(|path| *path == root.join("home/bin/program")), "{paths:?}");
    }

    #[test]
    fn program_is_found_by_its_name() {
        let found = |name: &str| found(name.as_ref(), Path::new("/usr"), "/nowhere:bin:/bin".as_ref());
        for (name, file) in [
            ("sh", Some("/usr/bin/sh")),
            ("/bin/sh", Some("/bin/sh")),
            ("bin/sh", Some("/usr/bin/sh")),
            // A file that cannot be executed is no program.
            ("no-such-program-here", None),
            ("/etc/passwd", None),
            ("./bin", None),
            ("", None),
        ] {
            assert_eq!(found(name), file.map(PathBuf::from), "{name}");
        }
    }
}
