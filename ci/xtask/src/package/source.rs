//! The sources of the commit, with all crates, for builds without a network.
//!
//! The archive is compressed by xz, which Spack and EasyBuild can unpack.
//!
//! Crates for other systems than Linux are named in the lock file. Cargo requires them to exist, but never compiles them. They are included
//! without their contents, which would be four fifths of the archive.

use super::{Job, VERSION, archive, licences};
use crate::{Result, repo};
use serde_json::{Value, json};
use std::{collections::BTreeSet, fs, path::Path, process::Command};

/// Directory of the crates, below the sources.
const VENDOR: &str = "vendor";

/// Configuration that makes cargo use the crates in that directory.
const CONFIG: &str = r#"
# All crates are in `vendor`.
[source.crates-io]
replace-with = "vendored"

[source.vendored]
directory = "vendor"
"#;

/// Make the archive of sources.
pub fn package(job: &Job) -> Result {
    let root = job.scratch("source")?;
    export(&root)?;
    vendor(&root)?;
    let file = root.join(".cargo/config.toml");
    let ours = repo::read(&file)?;
    repo::write(&file, ours + CONFIG)?;
    thin_out(&root.join(VENDOR))?;
    let name = format!("ferrite-{VERSION}");
    archive::pack(&root, &name, &job.package(&format!("{name}-source.tar.xz")), &archive::XZ, job.epoch)
}

/// Export the files of the commit.
fn export(root: &Path) -> Result {
    let changed = repo::output(Command::new("git").current_dir(repo::root()).args(["status", "--porcelain"]))?;
    if !changed.is_empty() {
        println!("the source package contains the last commit, without uncommitted changes");
    }
    let tar = root.with_extension("tar");
    repo::run(Command::new("git").current_dir(repo::root()).args(["archive", "--format=tar", "HEAD", "-o"]).arg(&tar))?;
    repo::run(Command::new("tar").arg("--extract").arg("--file").arg(&tar).arg("--directory").arg(root))?;
    fs::remove_file(&tar).map_err(|e| format!("removing {}: {e}", tar.display()))
}

/// Fetch the crates of the lock file.
fn vendor(root: &Path) -> Result {
    let mut cargo = repo::cargo();
    cargo.current_dir(root).args(["vendor", "--quiet", "--locked", "--versioned-dirs", VENDOR]);
    repo::output(&mut cargo).map(drop)
}

/// Reduce the crates that Linux does not use to the files that cargo requires.
fn thin_out(vendor: &Path) -> Result {
    let used = used()?;
    let entries = fs::read_dir(vendor).map_err(|e| format!("reading {}: {e}", vendor.display()))?;
    for entry in entries.flatten() {
        if !used.contains(&entry.file_name().to_string_lossy().into_owned()) {
            hollow(&entry.path())?;
        }
    }
    Ok(())
}

/// Directory names of the crates that Linux uses.
fn used() -> Result<BTreeSet<String>> {
    let mut cargo = repo::cargo();
    cargo.current_dir(repo::root()).args(["metadata", "--format-version", "1", "--locked", "--all-features"]);
    let text = repo::output(cargo.args(["--filter-platform", &licences::host()?]))?;
    let metadata: Value = serde_json::from_str(&text).map_err(|e| format!("cargo metadata: {e}"))?;
    let packages = metadata["packages"].as_array().cloned().unwrap_or_default();
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    Ok(packages.iter().map(|package| format!("{}-{}", word(&package["name"]), word(&package["version"]))).collect())
}

/// Reduce a crate to its manifest, an empty library, and the checksum of the lock file.
fn hollow(directory: &Path) -> Result {
    let (manifest, sums) = (directory.join("Cargo.toml"), directory.join(".cargo-checksum.json"));
    let manifest = repo::read(&manifest)?;
    let known: Value = serde_json::from_str(&repo::read(&sums)?).map_err(|e| format!("{}: {e}", sums.display()))?;
    fs::remove_dir_all(directory).map_err(|e| format!("removing {}: {e}", directory.display()))?;
    repo::write(&directory.join("Cargo.toml"), with_empty_library(&manifest))?;
    repo::write(&directory.join("src/lib.rs"), "")?;
    repo::write(&sums, json!({ "files": {}, "package": known["package"] }).to_string())
}

/// Replace a manifest's targets and build script, whose files are removed, by an empty library.
fn with_empty_library(manifest: &str) -> String {
    let mut kept = String::new();
    let mut is_target = false;
    for line in manifest.lines() {
        if line.starts_with('[') {
            is_target = ["[lib]", "[[bin]]", "[[test]]", "[[bench]]", "[[example]]"].contains(&line);
        }
        if !is_target && !line.starts_with("build = ") {
            kept += line;
            kept.push('\n');
        }
    }
    kept + "\n[lib]\npath = \"src/lib.rs\"\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crates_of_other_systems_keep_their_name_and_checksum_alone() {
        let dir = repo::scratch("source-hollow").join("crate-1.0.0");
        let manifest = "[package]\nname = \"crate\"\nbuild = \"build.rs\"\n\n[lib]\nname = \"x\"\npath = \"src/x.rs\"\n\n[dependencies.other]\nversion = \"1\"\n";
        repo::write(&dir.join("Cargo.toml"), manifest).unwrap();
        repo::write(&dir.join("lib/x.lib"), "much").unwrap();
        repo::write(&dir.join(".cargo-checksum.json"), r#"{"files":{"lib/x.lib":"aa"},"package":"bb"}"#).unwrap();
        hollow(&dir).unwrap();
        let left = repo::read(&dir.join("Cargo.toml")).unwrap();
        assert_eq!(
            left,
            "[package]\nname = \"crate\"\n\n[dependencies.other]\nversion = \"1\"\n\n[lib]\npath = \"src/lib.rs\"\n"
        );
        assert!(!dir.join("lib").exists() && dir.join("src/lib.rs").exists());
        assert_eq!(repo::read(&dir.join(".cargo-checksum.json")).unwrap(), r#"{"files":{},"package":"bb"}"#);
    }

    #[test]
    fn linux_uses_its_own_crates_alone() {
        let used = used().unwrap();
        assert!(used.iter().any(|name| name.starts_with("rustix-")));
        assert!(!used.iter().any(|name| name.starts_with("windows_x86_64_msvc-")));
    }
}
