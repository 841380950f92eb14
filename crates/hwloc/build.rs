//! Checks whether the hwloc probe can be linked: it needs libhwloc, version 2, with its headers.
//!
//! Without them the build continues. A warning of one line names the package, `cfg(hwloc_found)` is not set, and the
//! command `ferrite-hwloc` prints the same reason.

#[path = "../../ci/abort_on_panic.rs"]
mod abort_on_panic;

use std::{path::Path, process::Command};

const REASON: &str = "hwloc 2 was not found: install libhwloc-dev and rebuild";

/// Where the header is on machines that have no pkg-config.
const HEADERS: [&str; 2] = ["/usr/include/hwloc.h", "/usr/local/include/hwloc.h"];

fn main() {
    println!("cargo::rustc-check-cfg=cfg(hwloc_found)");
    println!("cargo::rerun-if-changed=build.rs");
    abort_on_panic::abort_on_panic("ferrite-hwloc", "../../ci");
    println!("cargo::rerun-if-env-changed=PKG_CONFIG_PATH");
    if by_pkg_config() || by_header() {
        println!("cargo::rustc-cfg=hwloc_found");
        return;
    }
    println!("cargo::warning=built without hwloc: {REASON}");
    println!("cargo::rustc-env=FERRITE_NOT_BOUND={REASON}");
    // Paths that an installation changes. They are watched only while something is missing, since every installation changes them.
    for place in ["/usr/include", "/usr/local/include"] {
        if Path::new(place).exists() {
            println!("cargo::rerun-if-changed={place}");
        }
    }
}

fn by_pkg_config() -> bool {
    let asked = Command::new("pkg-config").args(["--exists", "hwloc >= 2.0 hwloc < 3.0"]).status();
    asked.is_ok_and(|status| status.success())
}

/// The interface's version is the library's, as `0x00020900` for 2.9.
fn by_header() -> bool {
    let version = |header: &&str| {
        let text = std::fs::read_to_string(header).ok()?;
        let line = text.lines().find(|line| line.starts_with("#define HWLOC_API_VERSION"))?;
        u32::from_str_radix(line.split_whitespace().last()?.strip_prefix("0x")?, 16).ok()
    };
    HEADERS.iter().find_map(version).is_some_and(|version| version >> 16 == 2)
}
