//! For build scripts of programs: have a panic abort the program.

#![expect(clippy::disallowed_methods, reason = "a build script's settings are cargo's, which come by the environment")]

use std::env;

/// Link a program of a release without the tables of unwinding, as `abort.ld` says. `ci` is the path from the package to this directory.
/// A linker that the builder has chosen may not know such scripts: then the program is larger.
pub fn abort_on_panic(program: &str, ci: &str) {
    let of = |name: &str| env::var(name).unwrap_or_default();
    let script = format!("{}/{ci}/abort.ld", of("CARGO_MANIFEST_DIR"));
    println!("cargo::rerun-if-changed={script}");
    if of("PROFILE") == "release" && !of("CARGO_ENCODED_RUSTFLAGS").contains("fuse-ld") {
        println!("cargo::rustc-link-arg-bin={program}=-Wl,-T,{script},--no-eh-frame-hdr");
    }
}
