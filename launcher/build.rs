//! Tells the commands how they were built, for `oshmem_info` to say.

#![expect(clippy::disallowed_methods, reason = "a build script's settings are cargo's, which come by the environment")]

use std::{env, process::Command};

#[path = "../ci/abort_on_panic.rs"]
mod abort_on_panic;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    abort_on_panic::abort_on_panic("oshrun", "../ci");
    let rustc = env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let version = Command::new(rustc).arg("--version").output().ok().filter(|output| output.status.success());
    let version =
        version.map_or("unknown".to_owned(), |output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    println!("cargo::rustc-env=FERRITE_RUSTC={version}");
    for (name, from) in
        [("FERRITE_TARGET", "TARGET"), ("FERRITE_PROFILE", "PROFILE"), ("FERRITE_OPT_LEVEL", "OPT_LEVEL")]
    {
        println!("cargo::rustc-env={name}={}", env::var(from).unwrap_or_else(|_| "unknown".to_owned()));
    }
}
