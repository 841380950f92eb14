//! The section about this build and its installation.

use super::report::{Row, Section};
use crate::prefix::Prefix;
use ferrite_settings::{CARRIERS, Carrier};

/// The library's name and version.
pub(super) fn title() -> String {
    format!("Ferrite {}", env!("CARGO_PKG_VERSION"))
}

/// The version and how it was built.
pub(super) fn section() -> Section {
    // This program is built for size. A reader would mistake its optimisation level for the library's.
    let profile = match env!("FERRITE_PROFILE") {
        "release" => "release: the library for speed, this command and oshrun for size".to_owned(),
        other => format!("{other} (optimisation level {})", env!("FERRITE_OPT_LEVEL")),
    };
    let rows = vec![
        Row::new("version", env!("CARGO_PKG_VERSION")),
        Row::new("specification", "OpenSHMEM 1.6"),
        Row::new("target", env!("FERRITE_TARGET")),
        Row::new("profile", profile),
        Row::new("compiler", env!("FERRITE_RUSTC")),
        Row::new("transports", transports()),
        Row::new("assertions", if cfg!(debug_assertions) { "on" } else { "off" }).only_in_all(),
    ];
    Section { key: "build", title: "Ferrite", rows }
}

/// The transports in this build: libfabric and UCX, if their headers were installed.
fn transports() -> String {
    let is_built = |carrier: Carrier| match carrier {
        Carrier::Auto | Carrier::Hardware => false,
        Carrier::Shm | Carrier::Tcp => true,
        Carrier::Libfabric => ferrite_ofi::BUILT,
        Carrier::Ucx => ferrite_ucx::BUILT,
    };
    let words = CARRIERS.into_iter().filter(|&(_, carrier)| is_built(carrier)).map(|(word, _)| word);
    words.collect::<Vec<_>>().join(", ")
}

/// The directories of the installation.
pub(super) fn paths(prefix: &Prefix) -> Section {
    let libdir = prefix.libdir();
    let rows = [
        ("prefix", prefix.root().to_owned()),
        ("bindir", prefix.bindir()),
        ("libdir", libdir.clone()),
        ("incdir", prefix.incdir()),
        ("pkglibdir", libdir.clone()),
        ("pkgconfigdir", libdir.join("pkgconfig")),
        ("cmakedir", libdir.join("cmake/OpenSHMEM")),
        ("datadir", prefix.datadir()),
    ];
    let row = |(key, path): (&str, std::path::PathBuf)| Row::new(key, path.display().to_string()).only_in_all();
    Section { key: "path", title: "Paths", rows: rows.into_iter().map(row).collect() }
}
