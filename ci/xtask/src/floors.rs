//! The floors: which crate may depend on which. `rooms` holds the order of modules within `crates/runtime`.
//!
//! Dependencies lead to lower floors only, and no crate depends on another crate of its own floor. So a floor can be replaced, simulated or
//! tested without the crates beside it. `crates/ARCHITECTURE.md` shows the picture; this file enforces it.

mod calls;
mod code;
mod rooms;

use crate::{Result, repo};
use serde_json::Value;
use std::collections::BTreeMap;

/// Every package of the workspace with its floor. A package that is missing here fails the test: assign it a floor.
const FLOORS: &[(&str, u8)] = &[
    ("ferrite-dl", 0),
    ("ferrite-headers", 0),
    ("ferrite-os", 0),
    ("ferrite-copy", 0),
    ("ferrite-libfabric-sys", 1),
    ("ferrite-ucx-sys", 1),
    ("ferrite-pmix-sys", 1),
    ("ferrite-otf2-sys", 1),
    ("ferrite-cuda-sys", 1),
    ("ferrite-program", 1),
    ("ferrite-registry", 1),
    ("ferrite-fabric", 2),
    ("ferrite-kernels", 2),
    ("ferrite-collectives", 2),
    ("ferrite-topology", 2),
    ("ferrite-profile", 2),
    ("ferrite-diagnose", 2),
    ("ferrite-abi", 2),
    ("ferrite-check", 2),
    ("ferrite-callgrind", 2),
    ("ferrite-callstack", 2),
    ("ferrite-device", 2),
    ("ferrite-device-standin", 2),
    ("ferrite-engine", 3),
    ("ferrite-hwloc", 3),
    ("ferrite-tcp", 4),
    ("ferrite-ofi", 4),
    ("ferrite-ucx", 4),
    ("ferrite-sim", 4),
    ("ferrite-bootstrap", 4),
    ("ferrite-conformance", 4),
    ("ferrite-memory", 5),
    ("ferrite-replay", 5),
    ("ferrite-transport", 5),
    ("ferrite-macros", 5),
    ("ferrite-settings", 6),
    ("ferrite-carriers", 7),
    ("ferrite-runtime", 8),
    ("ferrite-tools", 9),
    ("ferrite-vendors", 9),
    ("ferrite-capi", 10),
    ("ferrite-shmem", 10),
    ("ferrite-launcher", 11),
    ("ferrite-benches", 11),
    ("xtask", 11),
];

/// Check the dependencies. Also called by a test.
pub fn run() -> Result {
    let arrows = arrows(&metadata()?)?;
    let mut wrong = violations(&arrows, &floors());
    wrong.extend(linked_to_hwloc(&arrows));
    wrong.extend(strange_names(&arrows));
    let (upward, order) = rooms::check()?;
    wrong.extend(upward);
    if !wrong.is_empty() {
        return Err(wrong.join("\n"));
    }
    print!("{order}");
    Ok(())
}

fn floors() -> BTreeMap<String, u8> {
    FLOORS.iter().map(|(name, floor)| ((*name).to_owned(), *floor)).collect()
}

/// The packages of the workspace on which each package depends. Development dependencies do not count: a test may depend on any floor.
type Arrows = BTreeMap<String, Vec<String>>;

fn metadata() -> Result<Value> {
    let mut metadata = repo::cargo();
    metadata.current_dir(repo::root()).args(["metadata", "--no-deps", "--offline", "--format-version", "1"]);
    serde_json::from_str(&repo::output(&mut metadata)?).map_err(|e| format!("cargo metadata: {e}"))
}

/// The packages of the workspace that depend on `ferrite-hwloc`, and so would be linked to libhwloc. No PE may be linked to it.
fn linked_to_hwloc(arrows: &Arrows) -> Vec<String> {
    let linked = arrows.iter().filter(|(_, targets)| targets.iter().any(|to| to == "ferrite-hwloc"));
    linked.map(|(from, _)| format!("{from} depends on ferrite-hwloc, which links it to libhwloc")).collect()
}

/// The packages whose names could belong to another project on crates.io. `xtask` is never packed.
fn strange_names(arrows: &Arrows) -> Vec<String> {
    let strange = arrows.keys().filter(|name| !name.starts_with("ferrite-") && *name != "xtask");
    strange.map(|name| format!("{name}: names of packages begin with ferrite-; `[lib] name` may differ")).collect()
}

fn arrows(metadata: &Value) -> Result<Arrows> {
    let packages = metadata["packages"].as_array().ok_or("cargo metadata without packages")?;
    let name = |v: &Value| v["name"].as_str().unwrap_or_default().to_owned();
    let members: Vec<String> = packages.iter().map(name).collect();
    let depends = |package: &Value| {
        let dependencies = package["dependencies"].as_array().cloned().unwrap_or_default();
        let real = dependencies.iter().filter(|d| d["kind"].as_str() != Some("dev"));
        real.map(name).filter(|d| members.contains(d)).collect()
    };
    Ok(packages.iter().map(|package| (name(package), depends(package))).collect())
}

fn violations(arrows: &Arrows, floors: &BTreeMap<String, u8>) -> Vec<String> {
    let mut wrong = Vec::new();
    for (from, targets) in arrows {
        let Some(floor) = floors.get(from) else {
            wrong.push(format!("{from} has no floor: add it to ci/xtask/src/floors.rs"));
            continue;
        };
        for to in targets {
            if floors.get(to).is_some_and(|below| below >= floor) {
                wrong.push(format!(
                    "{from} (floor {floor}) depends on {to} (floor {}); it may depend on lower floors only",
                    floors[to]
                ));
            }
        }
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrows_go_down_only() {
        run().unwrap();
    }

    #[test]
    fn the_workspace_is_seen() {
        let arrows = arrows(&metadata().unwrap()).unwrap();
        assert!(arrows["ferrite-capi"].contains(&"ferrite-runtime".to_owned()), "{arrows:?}");
    }

    #[test]
    fn who_is_linked_to_hwloc_is_caught() {
        let arrow = |to: &str| BTreeMap::from([("a".to_owned(), vec![to.to_owned()])]);
        assert_eq!(linked_to_hwloc(&arrow("ferrite-topology")).len(), 0);
        assert_eq!(linked_to_hwloc(&arrow("ferrite-hwloc")).len(), 1);
    }

    #[test]
    fn packages_without_the_prefix_are_caught() {
        let packages = ["ucx-sys", "ferrite-ucx-sys", "xtask"].map(|name| (name.to_owned(), Vec::new()));
        assert_eq!(strange_names(&packages.into()).len(), 1);
    }

    #[test]
    fn arrows_up_and_sideways_are_caught() {
        let arrow = |from: &str, to: &str| BTreeMap::from([(from.to_owned(), vec![to.to_owned()])]);
        for (from, to) in [
            ("ferrite-fabric", "ferrite-runtime"),
            ("ferrite-fabric", "ferrite-topology"),
            ("a-newcomer", "ferrite-abi"),
        ] {
            assert_eq!(violations(&arrow(from, to), &floors()).len(), 1, "{from} -> {to}");
        }
        assert!(violations(&arrow("ferrite-capi", "ferrite-abi"), &floors()).is_empty());
    }
}
