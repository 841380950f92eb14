//! What is left of the fabric where UCX's headers were missing: the reason.

use crate::{Options, Survey};
use ferrite_fabric::{AddressBook, Caps, Error, Fabric, Key, Lane, Result, Segment};
use std::sync::Arc;

/// A fabric of which this build knows nothing: there is no value of this type.
#[derive(Debug)]
pub enum UcxFabric {}

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

impl UcxFabric {
    /// Says what was missing.
    pub fn new(options: Options) -> Result<Self> {
        Err(missing(&options))
    }

    /// What UCX may use.
    pub fn resources(&self) -> &[String] {
        match *self {}
    }

    /// The library's version.
    pub fn version(&self) -> (u32, u32, u32) {
        match *self {}
    }
}

impl Fabric for UcxFabric {
    fn name(&self) -> &'static str {
        match *self {}
    }

    fn caps(&self) -> &Caps {
        match *self {}
    }

    fn address(&self) -> Vec<u8> {
        match *self {}
    }

    #[allow(unsafe_code)]
    unsafe fn register(&self, _: Segment) -> Result<Key> {
        match *self {}
    }

    fn connect(&self, _: Arc<dyn AddressBook>) -> Result<()> {
        match *self {}
    }

    fn lane(&self) -> Result<Box<dyn Lane>> {
        match *self {}
    }
}
