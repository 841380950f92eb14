//! What is left of the fabric where UCX's headers were missing: the reason.

use crate::Options;
use ferrite_fabric::{AddressBook, Caps, Error, Fabric, Key, Lane, Result, Segment};
use std::sync::Arc;

/// A fabric of which this build knows nothing: there is no value of this type.
#[derive(Debug)]
pub enum UcxFabric {}

impl UcxFabric {
    /// Always the reason why this build has none.
    pub fn new(options: Options) -> Result<Self> {
        match ucx_sys::open(options.library.as_deref()) {
            Ok(library) => match library {},
            Err(error) => Err(Error::because("UCX cannot be used", error)),
        }
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
