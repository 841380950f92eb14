//! Whether libfabric's headers were there when its bindings were built.

fn main() {
    println!("cargo::rustc-check-cfg=cfg(bindings)");
    println!("cargo::rerun-if-env-changed=DEP_FERRITE_LIBFABRIC_HEADERS_BINDINGS");
    #[expect(clippy::disallowed_methods, reason = "cargo tells its build scripts so; it is no setting of a user")]
    if std::env::var_os("DEP_FERRITE_LIBFABRIC_HEADERS_BINDINGS").is_some() {
        println!("cargo::rustc-cfg=bindings");
    }
}
