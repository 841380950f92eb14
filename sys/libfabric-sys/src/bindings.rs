//! The headers' types and constants: the ones that bindgen generates, and the ones that it cannot.
//!
//! The constants here are casts in the headers, or missing in newer headers, or errors. The headers give errors the
//! type of an enumeration that no call takes, so the errors here shadow those of the headers.

use libc::c_int;

#[allow(missing_docs, unused_qualifications, clippy::all, clippy::undocumented_unsafe_blocks)]
#[allow(non_camel_case_types, non_upper_case_globals, non_snake_case, rustdoc::all)]
mod headers {
    use libc::iovec;
    include!(concat!(env!("OUT_DIR"), "/types.rs"));
}

pub use headers::*;

/// No address; any source.
pub const FI_ADDR_UNSPEC: fi_addr_t = fi_addr_t::MAX;

macro_rules! errors {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        $( $(#[$doc])* pub const $name: c_int = headers::$name as c_int; )*
    };
}

errors! {
    /// Unspecified error.
    FI_EOTHER;
    /// The buffer is too small.
    FI_ETOOSMALL;
    /// Not permitted in this state.
    FI_EOPBADSTATE;
    /// An error waits in the queue.
    FI_EAVAIL;
    /// Flags that are not supported.
    FI_EBADFLAGS;
    /// No event queue.
    FI_ENOEQ;
    /// Not of this domain.
    FI_EDOMAIN;
    /// No completion queue.
    FI_ENOCQ;
    /// A checksum was wrong.
    FI_ECRC;
    /// A message was longer than its buffer.
    FI_ETRUNC;
    /// No such key at the target.
    FI_ENOKEY;
    /// No address vector.
    FI_ENOAV;
    /// A queue ran over.
    FI_EOVERRUN;
    /// The receiver has no buffers.
    FI_ENORX;
}
