//! The list of files installed under a prefix. It is stored there, so that a later installation removes files that it no longer contains,
//! and no files of others.

use crate::{Result, repo};
use std::{
    collections::BTreeSet,
    fs,
    io::ErrorKind,
    path::{Component, Path, PathBuf},
};

/// Path of the list below the prefix: it has a path on each line, including its own.
pub const LIST: &str = "share/ferrite/installed";

/// The files of an installation, as paths below its prefix.
pub struct Inventory {
    prefix: PathBuf,
    /// Files of the last installation.
    before: BTreeSet<PathBuf>,
    /// Files of this installation.
    now: BTreeSet<PathBuf>,
}

impl Inventory {
    /// Begin an installation under `prefix`, which may contain an earlier one.
    pub fn open(prefix: &Path) -> Result<Inventory> {
        let list = prefix.join(LIST);
        let text = match fs::read_to_string(&list) {
            Ok(text) => text,
            Err(e) if e.kind() == ErrorKind::NotFound => String::new(),
            Err(e) => return Err(format!("reading {}: {e}", list.display())),
        };
        let before: BTreeSet<PathBuf> = text.lines().map(PathBuf::from).collect();
        if let Some(beyond) = before.iter().find(|path| !is_below(path)) {
            let list = list.display();
            return Err(format!("{list} has `{}`, which is not below the prefix; remove that line", beyond.display()));
        }
        Ok(Inventory { prefix: prefix.to_owned(), before, now: BTreeSet::new() })
    }

    /// The place of the file `path` of this installation; creates its directory.
    pub fn place(&mut self, path: impl AsRef<Path>) -> Result<PathBuf> {
        let path = path.as_ref();
        assert!(is_below(path), "{} is no file below the prefix", path.display());
        self.now.insert(path.to_owned());
        // A file of the last installation may be where this one has a directory.
        for above in path.ancestors().skip(1) {
            if self.before.remove(above) {
                self.remove(above)?;
            }
        }
        let to = self.prefix.join(path);
        if let Some(above) = to.parent() {
            fs::create_dir_all(above).map_err(|e| format!("creating {}: {e}", above.display()))?;
        }
        Ok(to)
    }

    /// Write the file `path` of this installation.
    pub fn write(&mut self, path: impl AsRef<Path>, text: impl AsRef<[u8]>) -> Result {
        let to = self.place(path)?;
        repo::write(&to, text)
    }

    pub fn prefix(&self) -> &Path {
        &self.prefix
    }

    /// Keep the files that the last installation had below `directory`.
    pub fn keep(&mut self, directory: &str) {
        self.now.extend(self.before.iter().filter(|path| path.starts_with(directory)).cloned());
    }

    /// End the installation: remove files of the last installation that this one does not have, and directories that become empty, then
    /// write the list. If this is interrupted, the next installation does it.
    pub fn finish(mut self) -> Result {
        let list = self.place(LIST)?;
        for path in self.before.difference(&self.now) {
            self.remove(path)?;
        }
        let lines = self.now.iter().map(|path| format!("{}\n", path.display()));
        repo::write(&list, lines.collect::<String>())
    }

    /// Remove the installation under `prefix`: all files of its list, the list last, and directories that become empty. Return the number
    /// of files.
    pub fn uninstall(prefix: &Path) -> Result<usize> {
        let inventory = Inventory::open(prefix)?;
        if inventory.before.is_empty() {
            return Err(format!("{} has no installation: there is no list {LIST}", prefix.display()));
        }
        let list = Path::new(LIST);
        for path in inventory.before.iter().filter(|path| *path != list) {
            inventory.remove(path)?;
        }
        inventory.remove(list)?;
        // It stays if it has files of others.
        let _ = fs::remove_dir(prefix);
        Ok(inventory.before.len())
    }

    fn remove(&self, path: &Path) -> Result {
        let file = self.prefix.join(path);
        match fs::remove_file(&file) {
            Ok(()) => {}
            // A directory is this installation's: one before was interrupted.
            Err(e) if [ErrorKind::NotFound, ErrorKind::IsADirectory].contains(&e.kind()) => {}
            Err(e) => return Err(format!("removing {}: {e}", file.display())),
        }
        let above = path.ancestors().skip(1).filter(|above| !above.as_os_str().is_empty());
        // Directories that are not empty cannot be removed; stop at the first of them.
        above.map(|above| fs::remove_dir(self.prefix.join(above))).find(std::result::Result::is_err);
        Ok(())
    }
}

/// True if a path leads to a file below the directory that it is joined to.
fn is_below(path: &Path) -> bool {
    let mut parts = path.components();
    path.file_name().is_some() && parts.all(|part| matches!(part, Component::Normal(_)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repo::scratch;

    /// An installation of these files.
    fn install(prefix: &Path, files: &[&str]) {
        let mut inventory = Inventory::open(prefix).unwrap();
        files.iter().for_each(|file| inventory.write(file, file).unwrap());
        inventory.finish().unwrap();
    }

    fn there(prefix: &Path) -> Vec<String> {
        fn walk(at: &Path, prefix: &Path, found: &mut Vec<String>) {
            for entry in fs::read_dir(at).unwrap() {
                let path = entry.unwrap().path();
                match path.is_dir() {
                    true => walk(&path, prefix, found),
                    false => found.push(path.strip_prefix(prefix).unwrap().display().to_string()),
                }
            }
        }
        let mut found = Vec::new();
        walk(prefix, prefix, &mut found);
        found.sort();
        found
    }

    #[test]
    fn what_is_no_longer_installed_goes_and_what_others_put_stays() {
        let prefix = scratch("inventory-exact");
        install(&prefix, &["man3/a.3", "man3/b.3", "doc/old/page", "bin/tool"]);
        repo::write(&prefix.join("man3/theirs.3"), "theirs").unwrap();
        install(&prefix, &["man3/a.3", "bin/tool", "man3/c.3"]);
        assert_eq!(there(&prefix), ["bin/tool", "man3/a.3", "man3/c.3", "man3/theirs.3", LIST]);
        assert!(!prefix.join("doc").exists(), "empty directories go too");
        assert_eq!(repo::read(&prefix.join(LIST)).unwrap(), format!("bin/tool\nman3/a.3\nman3/c.3\n{LIST}\n"));
    }

    #[test]
    fn a_file_becomes_a_directory() {
        let prefix = scratch("inventory-directory");
        install(&prefix, &["modulefiles/ferrite"]);
        let mut interrupted = Inventory::open(&prefix).unwrap();
        interrupted.write("modulefiles/ferrite/0.2.9", "").unwrap();
        drop(interrupted);
        install(&prefix, &["modulefiles/ferrite/0.2.9", "modulefiles/ferrite/0.3.0"]);
        assert_eq!(there(&prefix), ["modulefiles/ferrite/0.2.9", "modulefiles/ferrite/0.3.0", LIST]);
    }

    #[test]
    fn links_go_and_what_they_lead_to_stays() {
        let prefix = scratch("inventory-links");
        let theirs = scratch("inventory-links-theirs").join("file");
        repo::write(&theirs, "theirs").unwrap();
        let mut inventory = Inventory::open(&prefix).unwrap();
        std::os::unix::fs::symlink(&theirs, inventory.place("lib/link").unwrap()).unwrap();
        inventory.finish().unwrap();
        install(&prefix, &["lib/file"]);
        assert!(prefix.join("lib/link").symlink_metadata().is_err() && theirs.exists());
    }

    #[test]
    fn a_part_leaves_the_rest() {
        let prefix = scratch("inventory-part");
        install(&prefix, &["bin/tool", "lib/one", "lib/two", "share/man/a.3"]);
        let mut inventory = Inventory::open(&prefix).unwrap();
        inventory.write("lib/one", "newer").unwrap();
        inventory.keep("bin");
        inventory.keep("share");
        inventory.finish().unwrap();
        assert_eq!(there(&prefix), ["bin/tool", "lib/one", LIST, "share/man/a.3"]);
        install(&prefix, &["lib/one"]);
        assert_eq!(there(&prefix), ["lib/one", LIST]);
    }

    #[test]
    fn uninstalling_removes_what_was_installed_and_nothing_else() {
        let prefix = scratch("inventory-uninstall");
        install(&prefix, &["bin/tool", "share/man/a.3"]);
        repo::write(&prefix.join("bin/theirs"), "theirs").unwrap();
        assert_eq!(Inventory::uninstall(&prefix).unwrap(), 3);
        assert_eq!(there(&prefix), ["bin/theirs"]);
        assert!(!prefix.join("share").exists(), "empty directories go too");
        assert!(Inventory::uninstall(&prefix).unwrap_err().contains("has no installation"));
        fs::remove_file(prefix.join("bin/theirs")).unwrap();
        fs::remove_dir(prefix.join("bin")).unwrap();
        install(&prefix, &["bin/tool"]);
        Inventory::uninstall(&prefix).unwrap();
        assert!(!prefix.exists());
    }

    #[test]
    fn what_was_removed_by_hand_is_no_matter() {
        let prefix = scratch("inventory-by-hand");
        install(&prefix, &["man3/a.3", "man3/b.3"]);
        fs::remove_dir_all(prefix.join("man3")).unwrap();
        install(&prefix, &["man3/c.3"]);
        assert_eq!(there(&prefix), ["man3/c.3", LIST]);
    }

    #[test]
    fn a_list_that_leads_elsewhere_is_refused() {
        let prefix = scratch("inventory-elsewhere");
        let theirs = scratch("inventory-theirs").join("file");
        repo::write(&theirs, "theirs").unwrap();
        for line in ["../inventory-theirs/file", theirs.to_str().unwrap(), "", ".", "lib/.."] {
            repo::write(&prefix.join(LIST), format!("lib/one\n{line}\n")).unwrap();
            let error = Inventory::open(&prefix).map(|_| ()).unwrap_err();
            assert!(error.contains("below the prefix"), "{line}: {error}");
        }
        assert!(theirs.exists());
    }
}
