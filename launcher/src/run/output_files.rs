//! The files of `--output-filename`: one for each stream of each PE, in one directory.
//!
//! Other users may be able to write to the directory, for example in a project. So files are opened in the directory that was made or found
//! at the start, whatever its path leads to later, and only if they are plain files: a link could lead to any file of the user, and a pipe
//! would block the writing thread. If the directory's path is itself a link of another user, it is refused.

use super::output_stream::OutputStream;
use ferrite_fabric::Pe;
use ferrite_os::files::open_directory;
use ferrite_os::signals::name_file_size_limit;
use rustix::fs::{FileType, Mode, OFlags, fstat, openat};
use rustix::io::{Errno, retry_on_intr};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

/// The directory of a job's output files.
pub struct OutputFiles {
    path: PathBuf,
    directory: OwnedFd,
}

impl OutputFiles {
    /// Make the directory, unless it exists, and an empty file for each stream of each PE.
    pub fn make(path: &Path, pes: impl Iterator<Item = Pe>) -> Result<OutputFiles, String> {
        let wrong = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        std::fs::create_dir_all(path).map_err(|error| wrong(&error))?;
        let directory = open_directory(path).map_err(|error| wrong(&error))?;
        let files = OutputFiles { path: path.to_owned(), directory };
        for pe in pes {
            for stream in [OutputStream::Out, OutputStream::Err] {
                files.open(pe, stream, OFlags::CREATE | OFlags::TRUNC)?;
            }
        }
        Ok(files)
    }

    /// Append to the file of a PE's stream. An error names the file.
    pub fn append(&self, pe: Pe, stream: OutputStream, bytes: &[u8]) -> Result<(), String> {
        // The file is opened each time: a job may have more files than descriptors.
        let mut file = self.open(pe, stream, OFlags::APPEND)?;
        file.write_all(bytes).map_err(|error| self.wrong(&name(pe, stream), &name_file_size_limit(error)))
    }

    fn open(&self, pe: Pe, stream: OutputStream, how: OFlags) -> Result<File, String> {
        let name = name(pe, stream);
        // A pipe without a reader is refused by the kernel; a pipe with a reader is refused below, for its file type.
        let flags = how | OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(0o666);
        let file = match retry_on_intr(|| openat(&self.directory, &name, flags, mode)) {
            Ok(file) => file,
            Err(Errno::LOOP) => return Err(self.wrong(&name, &"is a symbolic link, which is not followed")),
            Err(Errno::NXIO) => return Err(self.wrong(&name, &"is not a plain file")),
            Err(error) => return Err(self.wrong(&name, &error)),
        };
        let kind = fstat(&file).map(|stat| FileType::from_raw_mode(stat.st_mode));
        match kind {
            Ok(FileType::RegularFile) => Ok(file.into()),
            Ok(_) => Err(self.wrong(&name, &"is not a plain file")),
            Err(error) => Err(self.wrong(&name, &io::Error::from(error))),
        }
    }

    fn wrong(&self, name: &str, why: &dyn std::fmt::Display) -> String {
        format!("{}: {why}", self.path.join(name).display())
    }
}

/// The name of the file for a PE's stream.
fn name(pe: Pe, stream: OutputStream) -> String {
    let kind = if stream == OutputStream::Out { "out" } else { "err" };
    format!("pe.{}.{kind}", pe.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::CWD;
    use std::fs;
    use std::os::unix::fs::{lchown, symlink};

    #[test]
    fn only_plain_files_of_the_directory_are_written() {
        let place = std::env::temp_dir().join(format!("ferrite-output-files-{}", std::process::id()));
        let (directory, moved, victim) = (place.join("out"), place.join("moved"), place.join("victim"));
        fs::create_dir_all(&directory).unwrap();
        fs::write(&victim, "precious").unwrap();
        let make = || OutputFiles::make(&directory, [Pe(0)].into_iter());
        let file = directory.join("pe.0.err");
        symlink(&victim, &file).unwrap();
        assert!(make().err().unwrap().contains("pe.0.err: is a symbolic link"));
        fs::remove_file(&file).unwrap();
        rustix::fs::mknodat(CWD, &file, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        assert!(make().err().unwrap().contains("pe.0.err: is not a plain file"));
        let reader = File::options().read(true).write(true).open(&file).unwrap();
        assert!(make().err().unwrap().contains("pe.0.err: is not a plain file"));
        drop(reader);
        fs::remove_file(&file).unwrap();
        let files = make().unwrap();
        // A directory that is put in its place later is not used.
        fs::rename(&directory, &moved).unwrap();
        fs::create_dir(&directory).unwrap();
        symlink(&victim, directory.join("pe.0.out")).unwrap();
        files.append(Pe(0), OutputStream::Out, b"a").unwrap();
        files.append(Pe(0), OutputStream::Out, b"b").unwrap();
        assert_eq!(fs::read_to_string(moved.join("pe.0.out")).unwrap(), "ab");
        fs::remove_file(moved.join("pe.0.out")).unwrap();
        symlink(&victim, moved.join("pe.0.out")).unwrap();
        assert!(files.append(Pe(0), OutputStream::Out, b"c").unwrap_err().contains("is a symbolic link"));
        assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
        fs::remove_dir_all(place).unwrap();
    }

    #[test]
    fn directory_that_is_another_users_link_is_refused() {
        let place = std::env::temp_dir().join(format!("ferrite-output-link-{}", std::process::id()));
        let (real, link) = (place.join("real"), place.join("link"));
        fs::create_dir_all(&real).unwrap();
        symlink(&real, &link).unwrap();
        let make = || OutputFiles::make(&link, [Pe(0)].into_iter());
        make().unwrap();
        fs::remove_file(real.join("pe.0.out")).unwrap();
        match lchown(&link, Some(4711), None) {
            Err(_) => println!("skipped: only root can give links to other users"),
            Ok(()) => {
                assert!(make().err().unwrap().contains("link: is a symbolic link of another user"));
                assert!(!real.join("pe.0.out").exists());
            }
        }
        fs::remove_dir_all(place).unwrap();
    }
}
