//! Archives whose bytes depend only on the files and the given time, not on the builder or the build time.

use super::{Job, VERSION};
use crate::{Result, repo};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// The archive of the installation, and the archive of its debug files, which is unpacked over it.
pub fn packages(job: &Job) -> Result {
    let name = format!("ferrite-{VERSION}");
    let to = |end: &str| job.package(&format!("{name}-linux-x86_64{end}.tar.xz"));
    // Programs and the library have much code in common, and the window of 64 MB finds it. A tenth smaller than zstd's best.
    pack(&job.tree, &name, &to(""), &["xz", "-9", "--extreme", "--threads=1"], job.epoch)?;
    // Debug files are already compressed.
    pack(&job.debug, &name, &to("-debug"), &["xz", "-0", "--threads=1"], job.epoch)
}

/// Compression for files that many tools must be able to read. It uses one thread, as above: with several, the output depends on how the
/// work is divided.
pub const XZ: [&str; 3] = ["xz", "-9", "--threads=1"];

/// Pack the content of `directory` as `name/...` into the file `to`, compressed by this command.
pub fn pack(directory: &Path, name: &str, to: &Path, compression: &[&str], epoch: u64) -> Result {
    let tar: PathBuf = to.with_extension("");
    let mut command = Command::new("tar");
    command.args(["--create", "--sort=name", "--format=gnu", "--owner=root:0", "--group=root:0", "--mode=u+rw,go=rX"]);
    command.arg(format!("--mtime=@{epoch}")).arg(format!("--transform=flags=r;s,^\\.,{name},"));
    repo::run(command.arg("--file").arg(&tar).arg("--directory").arg(directory).arg("."))?;
    let packed = fs::File::create(to).map_err(|e| format!("creating {}: {e}", to.display()))?;
    let mut compress = Command::new(compression[0]);
    compress.args(&compression[1..]).args(["--quiet", "--stdout"]).arg(&tar).stdout(packed);
    repo::run(&mut compress)?;
    fs::remove_file(&tar).map_err(|e| format!("removing {}: {e}", tar.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    /// A tree with the given file mode and order of creation.
    fn tree(name: &str, files: [&str; 3], mode: u32) -> PathBuf {
        let dir = repo::scratch(name);
        for file in files {
            repo::write(&dir.join(file), file).unwrap();
            fs::set_permissions(dir.join(file), fs::Permissions::from_mode(mode)).unwrap();
        }
        dir
    }

    #[test]
    fn the_same_files_make_the_same_archive() {
        let one = tree("archive-one", ["b/z", "a", "b/c"], 0o600);
        let other = tree("archive-other", ["b/c", "b/z", "a"], 0o644);
        let out = repo::scratch("archive-out");
        let packed = |from: &Path, name: &str| {
            let to = out.join(name);
            pack(from, "ferrite", &to, &["xz"], 86400).unwrap();
            to
        };
        let (first, second) = (packed(&one, "one.tar.xz"), packed(&other, "other.tar.xz"));
        assert_eq!(fs::read(&first).unwrap(), fs::read(second).unwrap());
        let list = repo::output(Command::new("tar").args(["--list", "--file"]).arg(&first)).unwrap();
        assert_eq!(
            list.lines().collect::<Vec<_>>(),
            ["ferrite/", "ferrite/a", "ferrite/b/", "ferrite/b/c", "ferrite/b/z"]
        );
    }
}
