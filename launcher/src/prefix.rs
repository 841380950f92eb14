//! The installation that the running program belongs to. Found from the program's path, so the tree can be moved.

use crate::program_path;
use std::{
    env, io,
    path::{Path, PathBuf},
};

/// An installation: the directory that holds `bin`, `include`, `lib` and `share`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prefix {
    root: PathBuf,
}

/// The file names of the library, shared and static.
const LIBRARIES: [&str; 2] = ["libsma.so", "libsma.a"];

impl Prefix {
    /// The installation whose `bin` holds the running program, after links are resolved.
    pub fn of_this_program() -> io::Result<Prefix> {
        let program = program_path::file()?.canonicalize()?;
        let root = program.parent().and_then(Path::parent).unwrap_or(Path::new("/"));
        Ok(Prefix::at(root))
    }

    /// The installation at `root`.
    pub fn at(root: impl Into<PathBuf>) -> Prefix {
        Prefix { root: root.into() }
    }

    /// The installation's root directory.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The directory of the programs.
    pub fn bindir(&self) -> PathBuf {
        self.root.join("bin")
    }

    /// The directory of the headers.
    pub fn incdir(&self) -> PathBuf {
        self.root.join("include")
    }

    /// The directory of the libraries: the first of the usual directories that has a library of ours.
    pub fn libdir(&self) -> PathBuf {
        let here = |directory: &PathBuf| LIBRARIES.iter().any(|name| directory.join(name).exists());
        let multiarch = format!("lib/{}-linux-gnu", env::consts::ARCH);
        let places = ["lib", "lib64", multiarch.as_str()];
        places.iter().map(|place| self.root.join(place)).find(here).unwrap_or_else(|| self.root.join("lib"))
    }

    /// The directory of programs that only our own commands run.
    pub fn libexecdir(&self) -> PathBuf {
        self.root.join("libexec/ferrite")
    }

    /// The directory of files that do not depend on the architecture.
    pub fn datadir(&self) -> PathBuf {
        self.root.join("share")
    }

    /// Whether the shared library is installed. If not, programs are linked with the static library.
    pub fn has_shared_library(&self) -> bool {
        self.libdir().join(LIBRARIES[0]).exists()
    }

    /// Whether the static library is installed.
    pub fn has_static_library(&self) -> bool {
        self.libdir().join(LIBRARIES[1]).exists()
    }
}
