//! The error of an operation on a device, with the driver's reason.

use std::fmt;

/// Result of an operation on a device.
pub type Result<T> = std::result::Result<T, Error>;

/// Category of an error, for callers that choose another way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// There is no driver or no device: the feature cannot be used on this host.
    Absent,
    /// The driver or the device cannot do this, now or later. The caller takes another way, for example a copy through host memory.
    Unsupported,
    /// Too little memory of the device, or too few address ranges. A later call may succeed.
    OutOfMemory,
    /// The device or its context is gone: it fell off the bus, a kernel faulted, or the program has reset it. All later operations fail in
    /// the same way, and the contents of device memory are lost.
    Lost,
    /// Anything else: usually an invalid argument.
    Failed,
}

/// Why an operation failed, in one line: the driver's call, its arguments, and the driver's own text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: Kind,
    text: String,
}

impl Error {
    /// An error with its text: lower case, no full stop.
    pub fn new(kind: Kind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into() }
    }

    /// The category of the error.
    pub fn kind(&self) -> Kind {
        self.kind
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Error {}
