//! Writes files and directories to a path that the user gave: they appear there complete, or not at all.
//!
//! Other users may be able to write to the directory, as in /tmp, and may have left links there that lead to files of this user. Therefore:
//!
//! - the directory is opened once, and all calls name files relative to its descriptor;
//! - contents are written to a new file with a random name, created exclusively (`O_EXCL`), so no link is followed and no other user can
//!   take the name before;
//! - the new file is renamed to its final name. Only a file of the same kind is replaced, never a link, a device or a pipe.

use crate::signals::report_file_size_limit;
use rustix::{
    fd::{AsFd, AsRawFd, OwnedFd},
    fs::{
        Access, AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat, accessat, fstat, mkdirat, openat, readlinkat,
        renameat, statat, unlinkat,
    },
    io::{Errno, retry_on_intr},
    process::geteuid,
};
use std::{
    ffi::OsStr,
    fs::{self, File},
    hash::{BuildHasher, RandomState},
    io::{self, BufWriter, Write},
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

/// A descriptor that is used only as the base of relative names.
const DIRECTORY: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// Open a directory as the base of further calls.
///
/// If `path` itself is a symbolic link, it is followed only if it belongs to this user or to the owner of the directory that holds it. This
/// is the kernel's rule for sticky directories (`fs.protected_symlinks`), applied to all directories.
pub fn open_directory(path: &Path) -> io::Result<OwnedFd> {
    // A slash at the end would follow the link.
    let path: PathBuf = path.components().collect();
    let Some(name) = path.file_name() else { return open(CWD, &path, DIRECTORY) };
    let parent = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => open(CWD, parent, DIRECTORY)?,
        _ => open(CWD, ".", DIRECTORY)?,
    };
    let found = open(&parent, name, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC)?;
    let link = fstat(&found)?;
    match kind(&link) {
        FileType::Symlink if link.st_uid == geteuid().as_raw() || link.st_uid == fstat(&parent)?.st_uid => {
            // Read the link that was checked, whatever has the name by now.
            let target = readlinkat(&found, c"", Vec::new())?;
            open(&parent, OsStr::from_bytes(target.to_bytes()), DIRECTORY)
        }
        FileType::Symlink => Err(io::Error::other("is a symbolic link of another user, which is not followed")),
        _ => open(&parent, name, DIRECTORY | OFlags::NOFOLLOW),
    }
}

fn open(directory: impl AsFd, name: impl AsRef<Path>, flags: OFlags) -> io::Result<OwnedFd> {
    Ok(retry_on_intr(|| openat(&directory, name.as_ref(), flags, Mode::empty()))?)
}

fn kind(found: &Stat) -> FileType {
    FileType::from_raw_mode(found.st_mode)
}

/// Kind of file that is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A plain file, replaced whole.
    File,
    /// A directory, renamed whole.
    Directory,
}

/// The place of a file or directory: its directory, opened, and its name there.
pub struct Place {
    directory: OwnedFd,
    name: PathBuf,
}

impl Place {
    /// The place that `path` names.
    pub fn of(path: &Path) -> io::Result<Place> {
        let name = path.file_name().ok_or_else(|| io::Error::other("is not the name of a file"))?;
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        Ok(Place { directory: open_directory(parent.unwrap_or(Path::new(".")))?, name: name.into() })
    }

    /// Check that the directory can be written, and that nothing else than a `kind` is at the place.
    pub fn check(&self, wanted: Kind) -> io::Result<()> {
        accessat(&self.directory, ".", Access::WRITE_OK | Access::EXEC_OK, AtFlags::empty())?;
        self.check_kind(wanted)
    }

    fn check_kind(&self, wanted: Kind) -> io::Result<()> {
        let found = match statat(&self.directory, &self.name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => return Ok(()),
            found => kind(&found?),
        };
        match (found, wanted) {
            (FileType::RegularFile, Kind::File) | (FileType::Directory, Kind::Directory) => Ok(()),
            (FileType::Symlink, _) => Err(io::Error::other("is a symbolic link, which is not followed")),
            (_, Kind::File) => Err(io::Error::other("is not a plain file")),
            (_, Kind::Directory) => Err(io::Error::other("is not a directory")),
        }
    }

    /// Write a file and put it at the place. `mode` is restricted by the umask. An error leaves what was there before.
    pub fn write_file(&self, mode: u32, contents: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        self.check_kind(Kind::File)?;
        let draft = random_name();
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(mode);
        let file = retry_on_intr(|| openat(&self.directory, &draft, flags, mode))?;
        let written = report_file_size_limit(|| {
            let mut out = BufWriter::new(File::from(file));
            contents(&mut out)?;
            out.into_inner()?.sync_data()
        });
        let placed = written.and_then(|()| Ok(renameat(&self.directory, &draft, &self.directory, &self.name)?));
        placed.inspect_err(|_| _ = unlinkat(&self.directory, &draft, AtFlags::empty()))
    }

    /// Let `contents` make a directory at a path that it receives, and put the directory at the place. It replaces an older directory
    /// unless `check_older` fails for a name in that. An error leaves what was there before.
    ///
    /// The path leads through a new directory that only this user can enter: code that makes files by path may run there.
    pub fn write_directory(
        &self,
        check_older: impl Fn(&OsStr) -> io::Result<()>,
        contents: impl FnOnce(&Path) -> io::Result<()>,
    ) -> io::Result<()> {
        self.check_kind(Kind::Directory)?;
        self.check_names(check_older)?;
        let private = random_name();
        mkdirat(&self.directory, &private, Mode::RWXU)?;
        let placed = report_file_size_limit(|| self.place_directory(&private, contents));
        let _ = fs::remove_dir_all(path_through(&self.directory).join(&private));
        placed
    }

    fn place_directory(&self, private: &str, contents: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
        let private = open(&self.directory, private, DIRECTORY | OFlags::NOFOLLOW)?;
        contents(&path_through(&private).join("new"))?;
        let older = match renameat(&self.directory, &self.name, &private, "older") {
            Err(Errno::NOENT) => false,
            moved => moved.map(|()| true)?,
        };
        renameat(&private, "new", &self.directory, &self.name).map_err(|error| {
            if older {
                let _ = renameat(&private, "older", &self.directory, &self.name);
            }
            error.into()
        })
    }

    /// Check all names in the directory at the place, if there is one.
    fn check_names(&self, check: impl Fn(&OsStr) -> io::Result<()>) -> io::Result<()> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let older = match openat(&self.directory, &self.name, flags, Mode::empty()) {
            Err(Errno::NOENT) => return Ok(()),
            older => older?,
        };
        for entry in Dir::new(older)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name != b"." && name != b".." {
                check(OsStr::from_bytes(name))?;
            }
        }
        Ok(())
    }
}

/// A name that other users cannot foretell: the hasher's keys are random bytes of the system.
fn random_name() -> String {
    format!(".ferrite-{:016x}", RandomState::new().hash_one(()))
}

/// A path that leads to the directory behind a descriptor, wherever it has been moved.
fn path_through(directory: &OwnedFd) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", directory.as_raw_fd()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, chown, lchown, symlink};

    /// An empty directory of one test.
    fn scratch(name: &str) -> PathBuf {
        let directory = std::env::temp_dir().join(format!("ferrite-{name}-{}", std::process::id()));
        // An earlier process of this number may have left one.
        let _ = fs::remove_dir_all(&directory);
        fs::create_dir_all(&directory).unwrap();
        directory
    }

    fn names(directory: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn write(path: &Path, text: &str) -> io::Result<()> {
        Place::of(path)?.write_file(0o640, |out| out.write_all(text.as_bytes()))
    }

    #[test]
    fn file_is_replaced_whole_or_not_at_all() {
        let directory = scratch("whole-file");
        let path = directory.join("page");
        write(&path, "first, which is longer").unwrap();
        write(&path, "second").unwrap();
        let failed = Place::of(&path).unwrap().write_file(0o640, |out| {
            out.write_all(b"third")?;
            Err(io::Error::other("half way"))
        });
        assert_eq!(failed.unwrap_err().to_string(), "half way");
        assert_eq!(fs::read_to_string(&path).unwrap(), "second");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777 & !0o640, 0);
        assert_eq!(names(&directory), ["page"]);
        fs::remove_dir_all(directory).unwrap();
    }

    #[test]
    fn only_plain_files_are_replaced() {
        let directory = scratch("plain-file");
        let (path, victim) = (directory.join("page"), directory.join("victim"));
        fs::write(&victim, "precious").unwrap();
        let refused = |why: &str| {
            assert!(write(&path, "new").unwrap_err().to_string().contains(why));
            assert!(Place::of(&path).unwrap().check(Kind::File).unwrap_err().to_string().contains(why));
            assert_eq!((fs::read_to_string(&victim).unwrap().as_str(), names(&directory).len()), ("precious", 2));
        };
        symlink(&victim, &path).unwrap();
        refused("is a symbolic link");
        assert!(path.is_symlink());
        fs::remove_file(&path).unwrap();
        rustix::fs::mknodat(CWD, &path, FileType::Fifo, Mode::RWXU, 0).unwrap();
        refused("is not a plain file");
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        refused("is not a plain file");
        fs::remove_dir_all(directory).unwrap();
        for path in ["/no/such/page", "/", ".."] {
            assert!(Place::of(Path::new(path)).is_err(), "{path}");
        }
    }

    #[test]
    fn drafts_have_names_that_cannot_be_foretold() {
        let directory = scratch("draft");
        let mut drafts = Vec::new();
        for _ in 0..2 {
            let list = |_: &mut dyn Write| {
                drafts.extend(names(&directory));
                Ok(())
            };
            Place::of(&directory.join("page")).unwrap().write_file(0o600, list).unwrap();
            fs::remove_file(directory.join("page")).unwrap();
        }
        assert!(drafts.len() == 2 && drafts[0] != drafts[1], "{drafts:?}");
        fs::remove_dir_all(directory).unwrap();
    }

    #[test]
    fn file_goes_to_the_directory_that_was_opened() {
        let directory = scratch("moved-directory");
        let (old, moved) = (directory.join("old"), directory.join("moved"));
        fs::create_dir(&old).unwrap();
        let place = Place::of(&old.join("page")).unwrap();
        fs::rename(&old, &moved).unwrap();
        symlink("/no/such", &old).unwrap();
        place.write_file(0o600, |out| out.write_all(b"text")).unwrap();
        assert_eq!(fs::read_to_string(moved.join("page")).unwrap(), "text");
        fs::remove_dir_all(directory).unwrap();
    }

    #[test]
    fn directory_is_replaced_whole_if_it_is_an_older_one() {
        let directory = scratch("whole-directory");
        let path = directory.join("trace");
        let write = |text: &str| {
            let check = |name: &OsStr| if name == "ours" { Ok(()) } else { Err(io::Error::other("something else")) };
            Place::of(&path)?.write_directory(check, |new| {
                fs::create_dir(new)?;
                fs::write(new.join("ours"), text)
            })
        };
        write("first").unwrap();
        write("second").unwrap();
        assert_eq!(fs::read_to_string(path.join("ours")).unwrap(), "second");
        assert_eq!((names(&directory), names(&path)), (vec!["trace".to_owned()], vec!["ours".to_owned()]));
        fs::write(path.join("theirs"), "precious").unwrap();
        assert!(write("third").unwrap_err().to_string().contains("something else"));
        fs::remove_file(path.join("theirs")).unwrap();
        fs::rename(&path, directory.join("elsewhere")).unwrap();
        symlink("elsewhere", &path).unwrap();
        assert!(write("third").unwrap_err().to_string().contains("is a symbolic link"));
        assert_eq!(fs::read_to_string(path.join("ours")).unwrap(), "second");
        fs::remove_dir_all(directory).unwrap();
    }

    #[test]
    fn link_of_another_user_to_a_directory_is_not_followed() {
        let directory = scratch("directory-link");
        let (real, link) = (directory.join("real"), directory.join("link"));
        fs::create_dir(&real).unwrap();
        symlink("real", &link).unwrap();
        let opened = |path: &Path| open_directory(path).map(|fd| fstat(&fd).unwrap().st_ino);
        let number = opened(&real).unwrap();
        assert_eq!(opened(&link).unwrap(), number, "the user's own link");
        const OTHERS: u32 = 4711;
        if lchown(&link, Some(OTHERS), None).is_err() {
            println!("skipped: only root can give links to other users");
        } else {
            for path in [link.clone(), link.join(""), link.join(".")] {
                assert!(opened(&path).unwrap_err().to_string().contains("another user"), "{}", path.display());
            }
            assert!(write(&link.join("page"), "text").is_err());
            chown(&directory, Some(OTHERS), None).unwrap();
            assert_eq!(opened(&link).unwrap(), number, "a link of the directory's owner");
        }
        fs::remove_dir_all(directory).unwrap();
    }
}
