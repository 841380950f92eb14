//! Rust declarations from a library's installed C headers, by bindgen, for the build scripts of the crates that bind the library.
//!
//! If the headers or libclang are missing, the build continues: a warning of one line names the package, `cfg(bindings)`
//! is not set, and the crate's `open` returns the same reason. The build script of a dependent crate finds out by the
//! variable `DEP_<links>_BINDINGS`, which is set only if there are bindings.
#![warn(missing_docs)]

pub use bindgen::callbacks::IntKind;
use std::{env, error::Error, path::PathBuf};

/// Names to bind, as regular expressions.
pub struct Headers {
    /// The library, by its name in prose.
    pub library: &'static str,
    /// The first header: the one whose absence means that the headers are not installed.
    pub header: &'static str,
    /// All headers, in the order of their inclusion.
    pub headers: &'static [&'static str],
    /// Debian's package of the headers.
    pub package: &'static str,
    /// Types that are wanted; those they are made of follow.
    pub types: &'static str,
    /// Types that come from elsewhere: the `libc` crate, or by hand.
    pub foreign_types: &'static str,
    /// Constants that are wanted.
    pub constants: &'static str,
    /// Functions whose declarations the table is held against.
    pub functions: &'static str,
    /// The types of constants, which C leaves open.
    pub constant_type: fn(&str, i64) -> Option<IntKind>,
}

#[derive(Debug)]
struct Constants(fn(&str, i64) -> Option<IntKind>);

impl bindgen::callbacks::ParseCallbacks for Constants {
    fn int_macro(&self, name: &str, value: i64) -> Option<IntKind> {
        (self.0)(name, value)
    }
}

/// Writes `types.rs` and `declared.rs` into the build directory, or says why not.
pub fn bind(headers: &Headers) {
    println!("cargo::rustc-check-cfg=cfg(bindings)");
    println!("cargo::rerun-if-changed=build.rs");
    for variable in ["LIBCLANG_PATH", "BINDGEN_EXTRA_CLANG_ARGS", "CPATH", "C_INCLUDE_PATH"] {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    match generate(headers) {
        Ok(()) => {
            println!("cargo::rustc-cfg=bindings");
            println!("cargo::metadata=BINDINGS=1");
        }
        Err(reason) => {
            println!("cargo::warning=built without {}: {reason}", headers.library);
            println!("cargo::rustc-env=FERRITE_NOT_BOUND={reason}");
            watch_for_installation();
        }
    }
}

/// Paths that an installation changes: the directories of headers, and the linker's cache for libclang. They are watched only
/// while something is missing, since each other installation changes them too.
fn watch_for_installation() {
    for place in ["/usr/include", "/usr/local/include", "/etc/ld.so.cache"] {
        if PathBuf::from(place).exists() {
            println!("cargo::rerun-if-changed={place}");
        }
    }
}

fn generate(headers: &Headers) -> Result<(), String> {
    // Asked before bindgen, which would panic.
    clang_sys::load().map_err(|_| "libclang was not found: install libclang-dev and rebuild".to_owned())?;
    #[expect(clippy::disallowed_methods, reason = "cargo tells its build scripts so; it is no setting of a user")]
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("there is no OUT_DIR: run this by cargo")?);
    let types = builder(headers)
        .allowlist_type(headers.types)
        .allowlist_var(headers.constants)
        .blocklist_type(headers.foreign_types)
        .parse_callbacks(Box::new(Constants(headers.constant_type)))
        .parse_callbacks(Box::new(bindgen::CargoCallbacks::new()));
    let types = types.generate().map_err(|e| why(headers, &e))?;
    let declared = builder(headers).allowlist_function(headers.functions).allowlist_recursively(false);
    let declared = declared.generate().map_err(|e| why(headers, &e))?;
    let written = |e: &dyn Error| format!("bindings could not be written: {e}");
    types.write_to_file(out.join("types.rs")).map_err(|e| written(&e))?;
    declared.write_to_file(out.join("declared.rs")).map_err(|e| written(&e))
}

fn builder(headers: &Headers) -> bindgen::Builder {
    let text: String = headers.headers.iter().map(|header| format!("#include <{header}>\n")).collect();
    bindgen::Builder::default()
        .header_contents("ferrite.h", &text)
        .rust_edition(bindgen::RustEdition::Edition2024)
        .formatter(bindgen::Formatter::None)
        .wrap_unsafe_ops(true)
        .layout_tests(false)
        .generate_comments(false)
        .prepend_enum_name(false)
        .derive_default(true)
}

/// One line for what bindgen says in many.
fn why(headers: &Headers, error: &bindgen::BindgenError) -> String {
    let text = error.to_string();
    let header = headers.header;
    if text.contains(&format!("'{header}' file not found")) {
        return format!("{header} was not found: install {} and rebuild", headers.package);
    }
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("no reason was given");
    let compiler =
        if text.contains("file not found") { " (a C compiler's own headers are in libclang-dev)" } else { "" };
    format!("{header} could not be read: {}{compiler}", first.trim())
}
