//! Bindings to libfabric without linking to it: types from the headers that are installed at build time, functions from the
//! library that is found at run time.
//!
//! One binary runs with libfabric 1.17 and all of 2.x, or without libfabric, for three reasons:
//!
//! - **Nothing is linked.** [`open`] loads the library, and nothing else does. Loading is slow: with Debian's libfabric, the
//!   constructors of its providers' libraries take about 200 ms per process. So `open` is called only if a job has peers
//!   that no cheaper transport reaches, or if the user requests it. The library is never closed.
//! - **One layout.** `fi_getinfo` and related functions have several symbol versions, one for each layout of `fi_info`.
//!   [`Table`] binds [`LAYOUT`], which every supported version has. The default symbol of a newer library would write
//!   structures that are longer than those of older headers.
//! - **One interface version.** `fi_getinfo` is asked for [`Libfabric::api_version`], at most 1.18, so newer providers behave as in that
//!   version.
//!
//! Newer headers declare fields beyond the end of that layout, which must not be read: in `fi_info` all after `nic`, in
//! `fi_domain_attr` all after `tclass`, in `fi_cq_err_entry` `src_addr`. An `fi_info` that is passed to libfabric must
//! come from `fi_getinfo` or `fi_dupinfo`, since a newer library reads beyond the structure of older headers.
//!
//! Most of libfabric's interface is inline C: calls through a table of operations in each object. The calls that Ferrite makes
//! are written here in Rust, under their own names. If a provider leaves an entry of the table empty, the call returns `-FI_ENOSYS`.
//!
//! A build without the headers, or without libclang to read them, has only [`open`] and [`Error`], and `open` says what
//! to install. The build script of a dependent crate finds out by `DEP_FERRITE_LIBFABRIC_HEADERS_BINDINGS`.
#![warn(missing_docs)]
// Without bindings, most link targets above do not exist.
#![cfg_attr(not(bindings), allow(rustdoc::broken_intra_doc_links))]

pub use dl::Error;
use std::path::Path;

/// The header's declarations, which only the compiler reads: nothing calls them, so nothing is linked.
#[cfg(bindings)]
mod declared {
    #![allow(dead_code, unused_imports)]
    use super::bindings::*;
    include!(concat!(env!("OUT_DIR"), "/declared.rs"));
}

#[cfg(bindings)]
mod atomic;
#[cfg(bindings)]
mod bindings;
#[cfg(bindings)]
mod completion;
#[cfg(bindings)]
mod endpoint;
#[cfg(bindings)]
mod message;
#[cfg(bindings)]
mod object;
#[cfg(bindings)]
mod open;
#[cfg(bindings)]
mod rma;
#[cfg(bindings)]
mod table;

#[cfg(bindings)]
pub use self::{
    atomic::*,
    bindings::*,
    completion::*,
    endpoint::*,
    message::*,
    object::*,
    open::{Libfabric, version},
};
#[cfg(bindings)]
pub use self::{
    rma::*,
    table::{LAYOUT, Table},
};

/// libfabric, in a build without its headers: there is no value of this type.
#[cfg(not(bindings))]
#[derive(Debug)]
pub enum Libfabric {}

/// The versions that are accepted, in prose.
pub const ACCEPTED: &str = "libfabric 1.17 to 2.x";

/// The name by which the dynamic linker finds the library.
pub const FILE: &str = "libfabric.so.1";

/// Loads libfabric from `file`, or from where the dynamic linker finds [`FILE`]. This takes as long as the library's constructors: about
/// 200 ms for Debian's. A second call finds it loaded.
///
/// The error names in one line what is missing: the library, a function of it, or the headers, if this crate was built without them.
pub fn open(file: Option<&Path>) -> Result<Libfabric, Error> {
    let file = file.unwrap_or(Path::new(FILE));
    #[cfg(bindings)]
    return open::load(file);
    #[cfg(not(bindings))]
    {
        let _ = file;
        Err(Error::NotBuilt { library: "libfabric", reason: env!("FERRITE_NOT_BOUND") })
    }
}
