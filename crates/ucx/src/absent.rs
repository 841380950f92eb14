//! Stand-in for the transport when it was built without UCX's headers: every call reports the reason.

use crate::{Options, Survey};
use ferrite_fabric::{Error, Fabric, Result};

/// The reason why this build has no transport over UCX.
fn missing(options: &Options) -> Error {
    match ucx_sys::open(options.library.as_deref()) {
        Ok(library) => match library {},
        Err(error) => Error::because("loading UCX", error),
    }
}

/// Report why this build cannot survey UCX.
pub fn survey(options: &Options) -> Result<Survey> {
    Err(missing(options))
}

/// Report why this build cannot open UCX.
pub fn open(options: Options) -> Result<Box<dyn Fabric>> {
    Err(missing(&options))
}
