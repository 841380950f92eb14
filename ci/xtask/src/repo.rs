//! Paths of the repository, and functions that run commands.

use crate::Result;
use std::{
    fs,
    path::{self, Path, PathBuf},
    process::Command,
};

/// The root of the repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the package is two directories below the root")
}

/// Build directories in unpacked sources, which are not part of the sources.
const BESIDE_SOURCES: [&str; 2] = ["target", "vendor"];

/// The directory in which cargo builds. It is absolute, because commands run in other directories.
pub fn target_dir() -> PathBuf {
    #[expect(clippy::disallowed_methods, reason = "a chore of the build reads cargo's own variable")]
    let given = std::env::var_os("CARGO_TARGET_DIR");
    let path = given.map_or_else(|| root().join("target"), PathBuf::from);
    path::absolute(&path).unwrap_or(path)
}

/// Cargo, without the variables that the cargo that runs this tool has set. Build scripts that depend on such a variable would run again,
/// and all their dependents would be compiled again: here, and when cargo is next called by hand.
pub fn cargo() -> Command {
    let mut cargo = Command::new(env!("CARGO"));
    let told = |name: &str| ["CARGO_PKG_", "CARGO_MANIFEST_"].iter().any(|prefix| name.starts_with(prefix));
    let names = std::env::vars_os().map(|(name, _)| name);
    names.filter(|name| name.to_str().is_some_and(told)).for_each(|name| _ = cargo.env_remove(name));
    cargo
}

/// Run a command. The error of a failed command shows it.
pub fn run(command: &mut Command) -> Result {
    let status = command.status().map_err(|e| format!("{command:?}: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?}: {status}")) }
}

/// Run a command and return its standard output.
pub fn output(command: &mut Command) -> Result<String> {
    let output = command.output().map_err(|e| format!("{command:?}: {e}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{command:?}: {}\n{said}", output.status));
    }
    String::from_utf8(output.stdout).map_err(|e| format!("{command:?}: {e}"))
}

/// The text of a file.
pub fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).map_err(|e| format!("reading {}: {e}", path.display()))
}

/// Write a file, and create the directories above it.
pub fn write(path: &Path, text: impl AsRef<[u8]>) -> Result {
    if let Some(above) = path.parent() {
        fs::create_dir_all(above).map_err(|e| format!("creating {}: {e}", above.display()))?;
    }
    fs::write(path, text).map_err(|e| format!("writing {}: {e}", path.display()))
}

/// The files that git tracks or would add, relative to the root. Unpacked sources are no repository; there, all their files.
pub fn files() -> Result<Vec<PathBuf>> {
    if !root().join(".git").exists() {
        let is_ours = |path: &PathBuf| !BESIDE_SOURCES.iter().any(|directory| path.starts_with(directory));
        return Ok(crate::package::tree::files(root())?.into_iter().filter(is_ours).collect());
    }
    let mut git = Command::new("git");
    git.current_dir(root()).args(["ls-files", "--cached", "--others", "--exclude-standard"]);
    Ok(output(&mut git)?.lines().map(PathBuf::from).filter(|path| root().join(path).is_file()).collect())
}

/// An empty directory for a test, below the build directory.
pub fn scratch(name: &str) -> PathBuf {
    let path = target_dir().join("xtask").join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("a directory under the build directory");
    path
}
