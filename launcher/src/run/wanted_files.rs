//! The files of `--profile` and `--trace`. PE 0 writes them when all PEs have come to finalize. If the job is ended before that, there is
//! no file, or an older job's file remains, and the user gets a message.

use super::Refusal;
use super::options::JobOptions;
use ferrite_os::files::{Kind, Place};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A file, or a directory, that the user wants.
pub struct WantedFile {
    what: &'static str,
    path: PathBuf,
    /// The file that was there before the job.
    before: Option<Identity>,
}

/// Device and inode. PE 0 writes under another name and renames, so a new file never has the identity of the old one.
type Identity = (u64, u64);

fn identity(path: &Path) -> Option<Identity> {
    fs::metadata(path).ok().map(|file| (file.dev(), file.ino()))
}

impl WantedFile {
    /// The wanted files of a job that is about to start in `directory`. An error names the option whose file could not be written.
    pub fn of(job: &JobOptions, directory: &Path) -> Result<Vec<WantedFile>, Refusal> {
        let wanted = [("profile", &job.profile), ("trace", &job.trace)].into_iter();
        let wanted = wanted.filter_map(|(what, path)| Some((what, directory.join(path.as_ref()?))));
        wanted.map(|(what, path)| WantedFile::checked(what, path)).collect()
    }

    fn checked(what: &'static str, path: PathBuf) -> Result<WantedFile, Refusal> {
        // A trace in OTF2 is a directory.
        let is_archive = what == "trace" && path.extension().is_some_and(|extension| extension == "otf2");
        let kind = if is_archive { Kind::Directory } else { Kind::File };
        Place::of(&path)
            .and_then(|place| place.check(kind))
            .map_err(|error| Refusal::new(format!("--{what} {}: {error}", path.display())))?;
        Ok(WantedFile { what, before: identity(&path), path })
    }

    /// A message for the user, if the file was not written.
    pub fn complaint(&self) -> Option<String> {
        let older = match (self.before, identity(&self.path)) {
            (None, None) => "",
            (Some(before), Some(now)) if before == now => "; the file there is older",
            _ => return None,
        };
        let (what, path) = (self.what, self.path.display());
        Some(format!("oshrun: no {what} was written to {path}: not all PEs reached finalize{older}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_that_could_not_be_written_is_refused_by_its_option() {
        let refused = |what, path: &str| WantedFile::checked(what, path.into()).err().map(|refusal| refusal.line);
        let told = refused("profile", "/no/such/page.html").unwrap();
        assert!(told.starts_with("--profile /no/such/page.html: No such file"), "{told}");
        let told = refused("profile", "/dev/null").unwrap();
        assert_eq!(told, "--profile /dev/null: is not a plain file");
        let here = std::env::temp_dir();
        assert_eq!(refused("trace", here.join("ferrite-no-such.otf2/").to_str().unwrap()), None);
        let told = refused("trace", "/dev/null").unwrap();
        assert_eq!(told, "--trace /dev/null: is not a plain file");
    }

    #[test]
    fn missing_file_is_distinguished_from_an_old_one() {
        let directory = std::env::temp_dir().join(format!("wanted-files-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        let path = directory.join("page.html");
        let wanted = || WantedFile { what: "profile", before: identity(&path), path: path.clone() };
        let named = format!("oshrun: no profile was written to {}: not all PEs reached finalize", path.display());
        let first = wanted();
        assert_eq!(first.complaint(), Some(named.clone()));
        fs::write(&path, "").unwrap();
        assert_eq!(first.complaint(), None);
        let second = wanted();
        assert_eq!(second.complaint(), Some(named + "; the file there is older"));
        fs::write(directory.join("new"), "").unwrap();
        fs::rename(directory.join("new"), &path).unwrap();
        assert_eq!(second.complaint(), None);
        fs::remove_dir_all(&directory).unwrap();
    }
}
