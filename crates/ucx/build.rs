//! Learns whether UCX's headers were bound.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(bindings)");
    println!("cargo::rerun-if-env-changed=DEP_FERRITE_UCX_HEADERS_BINDINGS");
    #[expect(clippy::disallowed_methods, reason = "cargo tells its build scripts so; it is no setting of a user")]
    if std::env::var_os("DEP_FERRITE_UCX_HEADERS_BINDINGS").is_some() {
        println!("cargo::rustc-cfg=bindings");
    }
}
