//! What is left of this crate where libfabric's headers were missing when it was built: a reason.

use crate::{Candidate, Options, Survey};
use ferrite_fabric::{AddressBook, Caps, Error, Fabric, Key, Lane, Result, Segment};
use std::sync::Arc;

/// A fabric of which this build has no value.
#[derive(Debug)]
pub enum OfiFabric {}

fn missing(options: &Options) -> Error {
    match libfabric_sys::open(options.library.as_deref()) {
        Ok(library) => match library {},
        Err(error) => Error::because("loading libfabric", error),
    }
}

/// What libfabric offers on this machine: not known to this build.
pub fn survey(options: &Options) -> Result<Survey> {
    Err(missing(options))
}

impl OfiFabric {
    /// Says what was missing.
    pub fn open(options: Options) -> Result<Self> {
        Err(missing(&options))
    }

    /// What libfabric offered.
    pub fn candidates(&self) -> &[Candidate] {
        match *self {}
    }

    /// What is used and how, in a line.
    pub fn describe(&self) -> String {
        match *self {}
    }
}

impl Fabric for OfiFabric {
    fn name(&self) -> &'static str {
        match *self {}
    }

    fn caps(&self) -> &Caps {
        match *self {}
    }

    fn address(&self) -> Vec<u8> {
        match *self {}
    }

    unsafe fn register(&self, _segment: Segment) -> Result<Key> {
        match *self {}
    }

    fn connect(&self, _book: Arc<dyn AddressBook>) -> Result<()> {
        match *self {}
    }

    fn lane(&self) -> Result<Box<dyn Lane>> {
        match *self {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrite_fabric::Pe;

    #[test]
    fn the_reason_is_said() {
        let error = OfiFabric::open(Options::new(Pe(0), 1, 0)).unwrap_err().to_string();
        println!("skipped: all that runs over libfabric: {error}");
        assert!(error.starts_with("loading libfabric: built without libfabric: "), "{error}");
        survey(&Options::new(Pe(0), 1, 0)).unwrap_err();
    }
}
