//! The licences of the packages' content: the crates that are linked into programs and libraries, and Rust's own library.

use crate::{Result, repo};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// The packages whose programs and libraries are installed.
const INSTALLED: [&str; 4] = ["ferrite-capi", "ferrite-launcher", "ferrite-hwloc", "ferrite-benches"];

/// Prefixes of the names of licence and notice files.
const NAMES: [&str; 5] = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "COPYRIGHT"];

struct Crate {
    title: String,
    directory: PathBuf,
}

/// The list of crates, then the text of each licence once, with the crates that have it.
pub fn text() -> Result<String> {
    let crates = linked()?;
    let mut text =
        "Ferrite is under the MIT or the Apache-2.0 licence, at your choice. Its programs and libraries contain:\n\n"
            .to_owned();
    text.extend(crates.iter().map(|one| format!("{}\n", one.title)));
    text += "Rust's standard library: MIT OR Apache-2.0\n";
    let mut texts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for one in &crates {
        for found in texts_in(&one.directory)? {
            texts.entry(found).or_default().insert(one.title.clone());
        }
    }
    for (found, of) in texts {
        let of: Vec<String> = of.into_iter().collect();
        text += &format!("\n{}\n{}\n\n{}\n", "=".repeat(80), of.join("\n"), found.trim_end());
    }
    Ok(text)
}

/// The page with the licences of Rust's standard library and its dependencies, if the toolchain has it.
pub fn of_rust() -> Result<Option<PathBuf>> {
    let sysroot = repo::output(Command::new("rustc").args(["--print", "sysroot"]))?;
    let page = Path::new(sysroot.trim()).join("share/doc/rust/COPYRIGHT-library.html");
    Ok(page.is_file().then_some(page))
}

/// The licences and notices in a directory.
fn texts_in(directory: &Path) -> Result<Vec<String>> {
    let entries = fs::read_dir(directory).map_err(|e| format!("reading {}: {e}", directory.display()))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let is_text = |path: &&PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
        path.is_file() && NAMES.iter().any(|begin| name.starts_with(begin))
    };
    let lines = |text: String| text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
    Ok(paths.iter().filter(is_text).filter_map(|path| fs::read_to_string(path).ok()).map(lines).collect())
}

/// The third-party crates that are linked in, by name.
fn linked() -> Result<Vec<Crate>> {
    let mut cargo = repo::cargo();
    cargo.current_dir(repo::root()).args(["metadata", "--format-version", "1", "--locked", "--filter-platform"]);
    cargo.arg(host()?);
    let metadata: Value =
        serde_json::from_str(&repo::output(&mut cargo)?).map_err(|e| format!("cargo metadata: {e}"))?;
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let nodes: BTreeMap<String, Value> =
        list(&metadata["resolve"]["nodes"]).into_iter().map(|node| (word(&node["id"]), node)).collect();
    let packages = list(&metadata["packages"]);
    let mut wanted: Vec<String> =
        packages.iter().filter(|p| INSTALLED.contains(&&*word(&p["name"]))).map(|p| word(&p["id"])).collect();
    let mut seen = BTreeSet::new();
    while let Some(id) = wanted.pop() {
        if !seen.insert(id.clone()) {
            continue;
        }
        for dependency in list(&nodes[&id]["deps"]) {
            // Neither development nor build dependencies.
            if list(&dependency["dep_kinds"]).iter().any(|kind| kind["kind"].is_null()) {
                wanted.push(word(&dependency["pkg"]));
            }
        }
    }
    let theirs = |package: &&Value| seen.contains(&word(&package["id"])) && !package["source"].is_null();
    let describe = |package: &Value| Crate {
        title: format!("{} {}: {}", word(&package["name"]), word(&package["version"]), word(&package["license"])),
        directory: Path::new(&word(&package["manifest_path"])).parent().map(Path::to_owned).unwrap_or_default(),
    };
    Ok(packages.iter().filter(theirs).map(describe).collect())
}

/// The target of the build: this host's.
pub fn host() -> Result<String> {
    let version = repo::output(Command::new("rustc").arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "rustc -vV names no host".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_linked_crate_is_named_and_its_licence_is_there() {
        let text = text().unwrap();
        for name in ["libc ", "rustix ", "ring ", "tokio ", "clap ", "Rust's standard library"] {
            assert!(text.lines().any(|line| line.starts_with(name)), "{name}");
        }
        assert!(!text.contains("proptest "), "what only tests need is not linked");
        assert!(text.contains("Permission is hereby granted") && text.contains("Apache License"));
    }
}
