//! What is left of the transport where UCX's headers were missing: the reason.

use crate::{Options, Survey};
use ferrite_fabric::{Error, Fabric, Result};

/// Always the reason why this build has none.
fn missing(options: &Options) -> Error {
    match ucx_sys::open(options.library.as_deref()) {
        Ok(library) => match library {},
        Err(error) => Error::because("UCX cannot be used", error),
    }
}

/// What UCX is here: not known to this build.
pub fn survey(options: &Options) -> Result<Survey> {
    Err(missing(options))
}

/// Says what was missing.
pub fn open(options: Options) -> Result<Box<dyn Fabric>> {
    Err(missing(&options))
}
