//! Build script: leaves the tables of unwinding out of oshbench.

#[path = "../ci/abort_on_panic.rs"]
mod abort_on_panic;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    abort_on_panic::abort_on_panic("oshbench", "../ci");
}
