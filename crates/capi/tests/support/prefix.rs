//! The installed library that the programs are compiled against and run with.

use super::env;
use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// An installation: `bin`, `include`, `lib`.
pub struct Prefix {
    root: PathBuf,
    identity: u64,
}

impl Prefix {
    /// The prefix of this test run: `FERRITE_PREFIX`, else `target/prefix` of the workspace.
    ///
    /// Panics if nothing is installed there, since every test would fail for that one reason.
    pub fn get() -> &'static Prefix {
        static PREFIX: OnceLock<Prefix> = OnceLock::new();
        PREFIX.get_or_init(|| {
            let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
            let root = env::get("FERRITE_PREFIX").map_or_else(|| workspace.join("target/prefix"), PathBuf::from);
            for tool in ["bin/oshcc", "bin/oshrun"] {
                assert!(
                    root.join(tool).is_file(),
                    "{} is missing: run `cargo xtask dist` first",
                    root.join(tool).display()
                );
            }
            let root = root.canonicalize().expect("the prefix was just seen");
            let identity = identity(&root);
            Prefix { root, identity }
        })
    }

    /// The path of an installed tool.
    pub fn tool(&self, name: &str) -> PathBuf {
        self.root.join("bin").join(name)
    }

    /// The directory that everything is installed below.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A hash that changes when anything changes that a compiled program depends on.
    pub fn identity(&self) -> u64 {
        self.identity
    }
}

/// Hash of the installation: headers by content, libraries and tools by size and time of change.
fn identity(root: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    root.hash(&mut hasher);
    for path in files(&root.join("include")) {
        path.hash(&mut hasher);
        fs::read(&path).unwrap_or_default().hash(&mut hasher);
    }
    for path in files(&root.join("lib")).into_iter().chain([root.join("bin/oshcc"), root.join("bin/oshc++")]) {
        if let Ok(meta) = fs::metadata(&path) {
            (path, meta.len(), meta.modified().ok()).hash(&mut hasher);
        }
    }
    hasher.finish()
}

/// All files below `directory`, in a fixed order.
pub fn files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}
