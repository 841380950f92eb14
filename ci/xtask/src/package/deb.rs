//! The Debian package, and the package with its debug symbols.
//!
//! The package installs below `/opt/ferrite`: Open MPI's packages own `/usr/bin/oshrun`, `/usr/bin/oshcc` and others, and the alternatives
//! system cannot replace a file that a package owns. A modulefile in the directory that Environment Modules searches, and a line in the
//! description, help users to add it to PATH.

use super::{Job, VERSION, symbols, tree};
use crate::{Result, debug_files, repo};
use std::{
    env, fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
};

const NAME: &str = "ferrite";
const DEBUG_NAME: &str = "ferrite-dbgsym";
const ARCHITECTURE: &str = "amd64";

/// The directory in which it is installed, without the leading slash.
const PREFIX: &str = "opt/ferrite";

/// The modulefile, in the directory that Debian's Environment Modules searches.
const MODULEFILE: &str = "usr/share/modules/modulefiles/ferrite";

/// Overrides for lintian: these findings are intended.
const OVERRIDES: &str = "\
# Open MPI's packages own the commands' names in /usr/bin.
ferrite: dir-or-file-in-opt *
# An archive without members, which gcc finds in the place of its thread sanitizer.
ferrite: no-code-sections *libtsan.a*
";

const DESCRIPTION: &str = "\
Description: OpenSHMEM 1.6 runtime and compiler wrappers
 The processing elements of an OpenSHMEM program share a symmetric memory:
 each reads, writes and updates the memory of all others directly. Ferrite
 runs programs in C, C++ and Fortran on one machine over shared memory, and
 on several over TCP, libfabric or UCX.
 .
 It is installed below /opt/ferrite; 'module load ferrite' or
 'export PATH=/opt/ferrite/bin:$PATH' makes oshcc, oshfort, oshrun and
 oshmem_info commands.
";

const DEBUG_DESCRIPTION: &str = "\
Description: debug symbols for ferrite
 Line tables of the programs and the library, for backtraces and debuggers.
";

pub fn packages(job: &Job) -> Result {
    main_package(job)?;
    debug_package(job)
}

fn main_package(job: &Job) -> Result {
    let root = job.scratch("deb")?;
    for path in tree::files(&job.tree)? {
        tree::copy(&job.tree.join(&path), &root.join(PREFIX).join(&path))?;
    }
    let modulefile = repo::read(&job.tree.join("share/modulefiles/ferrite").join(VERSION))?;
    repo::write(&root.join(MODULEFILE).join(VERSION), at_prefix(&modulefile)?)?;
    documents(job, &root, NAME, OVERRIDES)?;
    let glibc = symbols::newest_below(&job.tree)?.ok_or("nothing that is installed asks for glibc")?;
    // Until Debian 10 and Ubuntu 19.10 the library of gcc was in libgcc1.
    let control = format!(
        "Section: science\nDepends: libc6 (>= {glibc}), libgcc-s1 (>= 4.2) | libgcc1 (>= 1:4.2)\nRecommends: gcc, libc6-dev, libhwloc15\n\
         Suggests: gfortran, g++, libfabric1, libucx0, environment-modules, {DEBUG_NAME} (= {VERSION})\n{DESCRIPTION}"
    );
    build(job, &root, NAME, 9, &control)
}

fn debug_package(job: &Job) -> Result {
    let root = job.scratch("dbgsym")?;
    for path in tree::files(&job.debug)? {
        // Only the links by build id: backtraces and debuggers find debug files by them, wherever the program is.
        if let Ok(id) = path.strip_prefix(debug_files::BY_ID) {
            let to = root.join("usr/lib/debug/.build-id").join(id);
            let from = job.debug.join(&path).canonicalize().map_err(|e| format!("{}: {e}", path.display()))?;
            tree::copy(&from, &to)?;
        }
    }
    documents(job, &root, DEBUG_NAME, "")?;
    let control = format!("Section: debug\nDepends: {NAME} (= {VERSION})\n{DEBUG_DESCRIPTION}");
    // Debug files are already compressed.
    build(job, &root, DEBUG_NAME, 1, &control)
}

/// The modulefile for a place outside of the installation, with the installation's path.
fn at_prefix(modulefile: &str) -> Result<String> {
    let set = |line: &str| match line.starts_with("set root ") {
        true => format!("set root /{PREFIX}\n"),
        false => format!("{line}\n"),
    };
    let text: String = modulefile
        .lines()
        .filter(|line| !line.starts_with("# The directory is found") && !line.starts_with("#   module"))
        .map(set)
        .collect();
    if text.contains(&format!("set root /{PREFIX}\n")) {
        Ok(text)
    } else {
        Err("the modulefile has no line `set root`".to_owned())
    }
}

/// Write the files of a package in `/usr/share/doc`, and its overrides for lintian, if it has any.
fn documents(job: &Job, root: &Path, name: &str, overrides: &str) -> Result {
    if !overrides.is_empty() {
        repo::write(&root.join("usr/share/lintian/overrides").join(name), overrides)?;
    }
    let doc = root.join("usr/share/doc").join(name);
    let licence = repo::read(&repo::root().join("LICENSE-MIT"))?;
    let of_others = match name {
        NAME => format!(
            "Programs and libraries contain crates of others: /{PREFIX}/{}/licences.txt has\ntheir licences.\n",
            tree::DOC
        ),
        _ => String::new(),
    };
    let year = repo::output(Command::new("date").args(["--utc", "+%Y", &format!("--date=@{}", job.epoch)]))?;
    let copyright = format!(
        "Copyright (C) {} the Ferrite authors\n\nFerrite is under the MIT licence or, at your choice, version 2.0 of the Apache\nlicence, which is in \
         /usr/share/common-licenses/Apache-2.0.\n\n{licence}\n{of_others}",
        year.trim()
    );
    repo::write(&doc.join("copyright"), copyright)?;
    let date = format!("--date=@{}", job.epoch);
    let date = repo::output(Command::new("date").args(["--utc", "--rfc-email", &date]))?;
    let entry = format!(
        "ferrite ({VERSION}) stable; urgency=medium\n\n  * /{PREFIX}/{}/CHANGELOG.md lists the changes.\n\n -- {}  {}\n",
        tree::DOC,
        maintainer(),
        date.trim()
    );
    let changelog = doc.join("changelog");
    repo::write(&changelog, entry)?;
    repo::run(Command::new("gzip").args(["-9", "--no-name", "--force"]).arg(changelog))
}

/// The maintainer of the packages, from the variables of Debian's tools. If they are not set, the address is one that lintian reports, since
/// such packages should not be handed on.
fn maintainer() -> String {
    // The environment of Debian's tools, not a setting of the library.
    #[allow(clippy::disallowed_methods)]
    let variable = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
    let name = variable("DEBFULLNAME").unwrap_or_else(|| "The Ferrite Maintainers".to_owned());
    let address = variable("DEBEMAIL").unwrap_or_else(|| "ferrite@localhost.localdomain".to_owned());
    format!("{name} <{address}>")
}

fn build(job: &Job, root: &Path, name: &str, level: u32, control: &str) -> Result {
    let files: Vec<PathBuf> = tree::files(root)?.into_iter().filter(|path| !root.join(path).is_symlink()).collect();
    let sums = repo::output(Command::new("md5sum").current_dir(root).args(&files))?;
    let kib = |path: &PathBuf| fs::metadata(root.join(path)).map_or(0, |meta| meta.len().div_ceil(1024));
    let kib: u64 = files.iter().map(kib).sum();
    let head = format!(
        "Package: {name}\nVersion: {VERSION}\nArchitecture: {ARCHITECTURE}\nMaintainer: {}\nInstalled-Size: {kib}\nPriority: optional\n",
        maintainer()
    );
    repo::write(&root.join("DEBIAN/control"), head + control)?;
    repo::write(&root.join("DEBIAN/md5sums"), sums)?;
    modes(root)?;
    let to = job.package(&format!("{name}_{VERSION}_{ARCHITECTURE}.deb"));
    let mut dpkg = Command::new("dpkg-deb");
    dpkg.env("SOURCE_DATE_EPOCH", job.epoch.to_string()).args([
        "--root-owner-group",
        "-Zxz",
        "-Sextreme",
        &format!("-z{level}"),
        "--threads-max=1",
        "--build",
    ]);
    repo::output(dpkg.arg(root).arg(to)).map(drop)
}

/// Set the permissions of directories and files, independent of the builder's umask.
fn modes(root: &Path) -> Result {
    let set = |path: PathBuf, mode| {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).map_err(|e| format!("{}: {e}", path.display()))
    };
    set(root.to_owned(), 0o755)?;
    for path in tree::files(root)? {
        for above in path.ancestors().skip(1).filter(|above| !above.as_os_str().is_empty()) {
            set(root.join(above), 0o755)?;
        }
        let file = root.join(&path);
        if !file.is_symlink() {
            let is_program = fs::metadata(&file).is_ok_and(|meta| meta.permissions().mode() & 0o100 != 0);
            set(file, if is_program && !path.to_string_lossy().contains(".so") { 0o755 } else { 0o644 })?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_modulefile_of_the_package_names_the_directory() {
        let template = repo::read(&repo::root().join("launcher/share/share/modulefiles/ferrite/version")).unwrap();
        let text = at_prefix(&template).unwrap();
        assert!(text.starts_with("#%Module1.0\n") && text.contains("\nset root /opt/ferrite\n"), "{text}");
        assert!(!text.contains("ModulesCurrentModulefile") && !text.contains("module use"), "{text}");
        assert!(at_prefix("#%Module1.0\n").is_err());
    }
}
