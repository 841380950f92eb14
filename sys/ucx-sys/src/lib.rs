//! UCX's protocol layer (UCP), without linking to it: types from the headers that are installed at build time,
//! functions from the library that is found at run time.
//!
//! One binary runs with UCX 1.13 to 1.22, or without UCX. [`open`] loads the library, and nothing else does. The
//! library is never closed, since UCX hooks the allocator and does not survive being unloaded. [`Ucx::ucp_init`] makes
//! a context, and requests the interface of version 1.13. UCX's structures have a mask of the fields that are set, so
//! headers and library may differ in version, as long as only fields of 1.13 are set.
//!
//! A build without the headers, or without libclang to read them, has only [`open`] and [`Error`], and `open` says what
//! to install. The build script of a dependent crate finds out by `DEP_FERRITE_UCX_HEADERS_BINDINGS`.
#![warn(missing_docs)]
// Without bindings, most link targets above do not exist.
#![cfg_attr(not(bindings), allow(rustdoc::broken_intra_doc_links))]

pub use dl::Error;
use std::path::Path;

#[cfg(bindings)]
mod bindings {
    #![allow(missing_docs, unused_qualifications, clippy::all, clippy::undocumented_unsafe_blocks)]
    #![allow(non_camel_case_types, non_upper_case_globals, non_snake_case, rustdoc::all)]
    use libc::{sockaddr, sockaddr_storage};
    include!(concat!(env!("OUT_DIR"), "/types.rs"));
}

/// The header's declarations, which only the compiler reads: nothing calls them, so nothing is linked.
#[cfg(bindings)]
mod declared {
    #![allow(dead_code, unused_imports)]
    use super::bindings::*;
    use libc::FILE;
    include!(concat!(env!("OUT_DIR"), "/declared.rs"));
}

#[cfg(bindings)]
mod inline;
#[cfg(bindings)]
mod open;
#[cfg(bindings)]
mod table;

#[cfg(bindings)]
pub use self::{
    bindings::*,
    inline::*,
    open::{API_VERSION, Ucx},
    table::Table,
};

/// UCX, in a build without its headers: there is no value of this type.
#[cfg(not(bindings))]
#[derive(Debug)]
pub enum Ucx {}

/// The versions that are accepted, in prose.
pub const ACCEPTED: &str = "UCX 1.13 to 1.22";

/// The name by which the dynamic linker finds the library.
pub const FILE: &str = "libucp.so.0";

/// Loads UCX from `file`, or from where the dynamic linker finds [`FILE`]. A second call finds it loaded.
///
/// The error names in one line what is missing: the library, a function of it, or the headers, if this crate was built without them.
pub fn open(file: Option<&Path>) -> Result<Ucx, Error> {
    let file = file.unwrap_or(Path::new(FILE));
    #[cfg(bindings)]
    return open::load(file);
    #[cfg(not(bindings))]
    {
        let _ = file;
        Err(Error::NotBuilt { library: "UCX", reason: env!("FERRITE_NOT_BOUND") })
    }
}
