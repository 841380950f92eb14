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

    /// The directory itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The programs.
    pub fn bindir(&self) -> PathBuf {
        self.root.join("bin")
    }

    /// The headers.
    pub fn incdir(&self) -> PathBuf {
        self.root.join("include")
    }

    /// The libraries: the first of the usual directories that has one of ours.
    pub fn libdir(&self) -> PathBuf {
        let here = |directory: &PathBuf| LIBRARIES.iter().any(|name| directory.join(name).exists());
        let multiarch = format!("lib/{}-linux-gnu", env::consts::ARCH);
        let places = ["lib", "lib64", multiarch.as_str()];
        places.iter().map(|place| self.root.join(place)).find(here).unwrap_or_else(|| self.root.join("lib"))
    }

    /// Programs that only our own commands run.
    pub fn libexecdir(&self) -> PathBuf {
        self.root.join("libexec/ferrite")
    }

    /// Files that do not depend on the architecture.
    pub fn datadir(&self) -> PathBuf {
        self.root.join("share")
    }

    /// Whether the shared library is installed; where it is not, programs are linked with the static one.
    pub fn has_shared_library(&self) -> bool {
        self.libdir().join(LIBRARIES[0]).exists()
    }

    /// Whether the static library is installed.
    pub fn has_static_library(&self) -> bool {
        self.libdir().join(LIBRARIES[1]).exists()
    }
}
