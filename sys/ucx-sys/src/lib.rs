//! UCX's protocol layer, without linking to it: its types from the headers that were installed at build time, its
//! functions from the library that is found at run time.
//!
//! One binary runs with UCX 1.13 to 1.22, or with none. Nothing is linked: [`open`] loads the library when it is
//! called, never before, and it is never closed again, since UCX hooks the allocator and does not survive being
//! unloaded. A context is made by [`Ucx::ucp_init`], which asks for the interface of version 1.13: structures say by a
//! mask which of their fields are set, so older libraries understand newer headers and the other way round, as long as
//! only fields of 1.13 are named.
//!
//! A build without the headers, or without libclang to read them, leaves only [`open`] and [`Error`] of all this, and
//! `open` says what to install. A crate above asks for `DEP_FERRITE_UCX_HEADERS_BINDINGS` in its build script.

// Without bindings, most of what is linked to above is not there.
#![cfg_attr(not(bindings), allow(rustdoc::broken_intra_doc_links))]

#[path = "../../error.rs"]
mod error;
#[cfg(bindings)]
#[path = "../../library.rs"]
mod library;

pub use error::Error;
use std::path::Path;

#[cfg(bindings)]
mod bindings {
    #![allow(missing_docs, unused_qualifications, clippy::all, clippy::undocumented_unsafe_blocks)]
    #![allow(non_camel_case_types, non_upper_case_globals, non_snake_case, rustdoc::all)]
    use libc::{sockaddr, sockaddr_storage};
    include!(concat!(env!("OUT_DIR"), "/types.rs"));
}

/// The header's declarations, for the compiler's eyes: nothing calls them, so nothing is linked.
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

/// UCX, of which this build knows nothing: there is no value of this type.
#[cfg(not(bindings))]
#[derive(Debug)]
pub enum Ucx {}

/// The versions that are accepted, in prose.
pub const ACCEPTED: &str = "UCX 1.13 to 1.22";

/// The name by which the dynamic linker finds the library.
pub const FILE: &str = "libucp.so.0";

/// Loads UCX from `file`, or from where the dynamic linker finds [`FILE`]. A second call finds it loaded.
///
/// The error says in one line what is missing: the library, a function of it, or, where this crate was built without
/// them, the headers.
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
