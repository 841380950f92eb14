//! The memory of GPUs ("devices"): heaps that processes of a host share, and copies between host and device.
//!
//! | file | job |
//! |---|---|
//! | [`Device`] (`contract.rs`) | the contract, which a driver implements |
//! | [`Error`] (`error.rs`) | why an operation failed: the driver's call and the driver's text |
//! | [`Mapping`], [`HostBuffer`], [`Queue`] (`owned.rs`) | owners of memory and streams: dropped, they give it back |
//! | [`cuda`] | devices of CUDA's driver |
//!
//! Nothing here knows a world, a PE or a routine. Settings are values that the caller passes. No driver is loaded before it is opened by
//! name: [`cuda::open`].
//!
//! Device memory has been tested with a driver written for tests only (`crates/device-standin`), never on hardware.
#![warn(missing_docs)]

mod contract;
pub mod cuda;
mod error;
mod owned;

pub use contract::{About, Device, Extent, Physical, Place, Side, Stream, Strided};
pub use error::{Error, Kind, Result};
pub use owned::{HostBuffer, Mapping, Queue};
