//! The Python wheel: the installation as the package `ferrite_shmem`, and its commands as scripts of the environment.
//!
//! A wheel cannot contain links, and pip removes exactly the files that it installed. So the installation is in a directory of its own,
//! other names of a command are scripts that pass on the name by which they were called, and other names of a library are linker scripts.

use super::{Job, VERSION, portable, symbols, tree};
use crate::{Result, repo};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Name of the distribution, and of the Python module.
const NAME: &str = "ferrite_shmem";

/// Files that are not in the wheel: a program linked to hwloc, which an old system may not have; modulefiles; the thousands of pages for
/// `man`, which does not search there (the HTML manual is included); the static library, a third of the rest; the benchmarks, which are
/// in the other packages; and the licences, which a wheel has in a directory of their own.
const LEFT_OUT: [&str; 9] = [
    "libexec/",
    "share/modulefiles/",
    "share/man/",
    "lib/libsma.a",
    "lib/liboshmem.a",
    "bin/oshbench",
    "share/ferrite/oshbench/",
    "share/doc/ferrite/LICENSE-",
    "share/doc/ferrite/licences.txt",
];

const MODULE: &str = include_str!("python/__init__.py");
const PACK: &str = include_str!("python/pack.py");

pub fn package(job: &Job) -> Result {
    let root = job.scratch("wheel")?;
    let module = root.join(NAME);
    let mut commands = Vec::new();
    for path in tree::files(&job.tree)? {
        let name = path.to_string_lossy();
        if LEFT_OUT.iter().any(|begin| name.starts_with(begin)) {
            continue;
        }
        if let Some(command) = name.strip_prefix("bin/") {
            commands.push(command.to_owned());
        }
        add(&job.tree, &path, &module)?;
    }
    repo::write(&module.join("__init__.py"), MODULE)?;
    let info = root.join(format!("{NAME}-{VERSION}.dist-info"));
    for name in ["LICENSE-MIT", "LICENSE-APACHE", "licences.txt"] {
        tree::copy(&job.tree.join(tree::DOC).join(name), &info.join("licenses").join(name))?;
    }
    let tag = tag(&root)?;
    repo::write(&info.join("METADATA"), metadata())?;
    repo::write(
        &info.join("WHEEL"),
        format!("Wheel-Version: 1.0\nGenerator: ferrite {VERSION}\nRoot-Is-Purelib: false\nTag: {tag}\n"),
    )?;
    let entries: String = commands.iter().map(|command| format!("{command} = {NAME}:main\n")).collect();
    repo::write(&info.join("entry_points.txt"), format!("[console_scripts]\n{entries}"))?;
    let to = job.package(&format!("{NAME}-{VERSION}-{tag}.whl"));
    let script = job.work.join("pack.py");
    repo::write(&script, PACK)?;
    let mut python = Command::new("python3");
    python.arg(script).arg(&root).arg(to).arg(job.epoch.to_string());
    repo::run(python.args(job.is_patient.then_some("patient")))
}

/// Copy a file. A link to a library becomes a linker script. A link to a command is left out, because the module finds its program.
fn add(from: &Path, path: &Path, module: &Path) -> Result {
    let target = fs::read_link(from.join(path));
    match target {
        Err(_) => tree::copy(&from.join(path), &module.join(path)),
        Ok(_) if path.starts_with("bin") => Ok(()),
        Ok(library) if path.starts_with("lib") => {
            repo::write(&module.join(path), format!("/* GNU ld script */\nINPUT ( {} )\n", library.display()))
        }
        Ok(_) => copy_contents(&from.join(path), &module.join(path)),
    }
}

/// Copy the page of the manual that a link leads to.
fn copy_contents(from: &Path, to: &Path) -> Result {
    let file: PathBuf = from.canonicalize().map_err(|e| format!("{}: {e}", from.display()))?;
    tree::copy(&file, to)
}

/// The platform tag: any Python 3, and systems whose glibc is at least as new as the programs require.
fn tag(root: &Path) -> Result<String> {
    let glibc = symbols::newest_below(root)?.unwrap_or(portable::GLIBC);
    Ok(format!("py3-none-manylinux_{}_{}_x86_64", glibc.0, glibc.1))
}

fn metadata() -> String {
    format!(
        "Metadata-Version: 2.1\nName: ferrite-shmem\nVersion: {VERSION}\n\
         Summary: Ferrite, an OpenSHMEM 1.6 runtime: oshcc, oshfort, oshrun, oshmem_info\n\
         License: MIT OR Apache-2.0\nRequires-Python: >=3.7\n\
         Classifier: License :: OSI Approved :: MIT License\nClassifier: License :: OSI Approved :: Apache Software License\n\
         Classifier: Operating System :: POSIX :: Linux\nClassifier: Topic :: System :: Distributed Computing\n\
         Keywords: openshmem,shmem,pgas,hpc\nDescription-Content-Type: text/markdown\n\n\
         Ferrite compiles OpenSHMEM programs in C, C++ and Fortran (`oshcc`, `oshc++`, `oshfort`, with the compilers that are\n\
         installed) and runs them (`oshrun -n 4 ./program`). `ferrite_shmem.prefix()` is the directory with its headers and libraries.\n"
    )
}
