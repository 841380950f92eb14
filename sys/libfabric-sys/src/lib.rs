//! libfabric, without linking to it: its types from the headers that were installed at build time, its functions from
//! the library that is found at run time.
//!
//! One binary runs with libfabric 1.17 and all of 2.x, or with none. Three things make that so:
//!
//! - **Nothing is linked.** [`open`] loads the library when it is called, never before, and a process that does not
//!   call it does not pay: the constructors of Debian's libfabric (of its providers' libraries, to be exact) take
//!   about 200 ms in each process. So call it only where a job has peers that nothing cheaper reaches, or where a
//!   user asked for it. The library is never closed again.
//! - **One layout.** `fi_getinfo` and its kin exist in several symbol versions, one for each layout of `fi_info` that
//!   there ever was. [`Table`] binds [`LAYOUT`], which each accepted version has; the default symbol of a newer library
//!   would write structures that are longer than those of older headers.
//! - **One interface version.** Ask `fi_getinfo` for [`API_VERSION`] and providers behave as in that version, however
//!   new they are.
//!
//! Newer headers declare fields behind the end of that layout: in `fi_info` all after `nic`, in `fi_domain_attr`
//! all after `tclass`, in `fi_cq_err_entry` `src_addr`. Do not read them. And give libfabric only an `fi_info` of its
//! own making, of `fi_getinfo` or `fi_dupinfo`: a newer library reads behind the end of what older headers declare.
//! What headers changed in place is read and written by the functions of [`headers`].
//!
//! Most of libfabric's interface is inline C: calls through a table of operations that hangs on each object. Those are
//! written here in Rust, under their own names. An entry that a provider leaves empty is answered by `-FI_ENOSYS`.
//!
//! A build without the headers, or without libclang to read them, leaves only [`open`] and [`Error`] of all this, and
//! `open` says what to install. A crate above asks for `DEP_FERRITE_LIBFABRIC_HEADERS_BINDINGS` in its build script.

// Without bindings, most of what is linked to above is not there.
#![cfg_attr(not(bindings), allow(rustdoc::broken_intra_doc_links))]

#[path = "../../error.rs"]
mod error;
#[cfg(bindings)]
#[path = "../../library.rs"]
mod library;

pub use error::Error;
use std::path::Path;

/// The header's declarations, for the compiler's eyes: nothing calls them, so nothing is linked.
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
pub mod headers;
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
    open::{API_VERSION, Libfabric, version},
};
#[cfg(bindings)]
pub use self::{
    rma::*,
    table::{LAYOUT, Table},
};

/// libfabric, of which this build knows nothing: there is no value of this type.
#[cfg(not(bindings))]
#[derive(Debug)]
pub enum Libfabric {}

/// The versions that are accepted, in prose.
pub const ACCEPTED: &str = "libfabric 1.17 to 2.x";

/// The name by which the dynamic linker finds the library.
pub const FILE: &str = "libfabric.so.1";

/// Loads libfabric from `file`, or from where the dynamic linker finds [`FILE`]. This takes as long as the library's
/// constructors do: about 200 ms for Debian's. A second call finds it loaded.
///
/// The error says in one line what is missing: the library, a function of it, or, where this crate was built without
/// them, the headers.
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
