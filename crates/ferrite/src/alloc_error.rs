//! The error of allocations.

use core::fmt;

/// The symmetric heap has no room. All PEs get this error alike.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AllocError {
    /// Size of the request; `None` for the buffers of an aggregator.
    bytes: Option<usize>,
    on_device: bool,
}

impl AllocError {
    /// No room for a block of this size.
    pub(crate) fn of(bytes: usize) -> AllocError {
        AllocError { bytes: Some(bytes), on_device: false }
    }

    pub(crate) fn of_aggregator() -> AllocError {
        AllocError { bytes: None, on_device: false }
    }

    /// No room for a block of this size in device memory.
    pub(crate) fn of_device(bytes: usize) -> AllocError {
        AllocError { bytes: Some(bytes), on_device: true }
    }
}

impl fmt::Display for AllocError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.bytes {
            Some(bytes) => write!(f, "no room for {bytes} bytes")?,
            None => f.write_str("no room for the buffers of an aggregator")?,
        }
        f.write_str(match self.on_device {
            false => " in the symmetric heap of every PE (SHMEM_SYMMETRIC_SIZE)",
            true => " in the device heap of every PE (SHMEM_DEVICE_SYMMETRIC_SIZE)",
        })
    }
}

impl std::error::Error for AllocError {}
