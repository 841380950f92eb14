//! Stand-in for this crate when it was built without libfabric's headers: every call reports the reason.

use crate::{Options, Survey};
use ferrite_fabric::{Error, Fabric, Result};

fn missing(options: &Options) -> Error {
    match libfabric_sys::open(options.library.as_deref()) {
        Ok(library) => match library {},
        Err(error) => Error::because("loading libfabric", error),
    }
}

/// Report why this build cannot survey libfabric.
pub fn survey(options: &Options) -> Result<Survey> {
    Err(missing(options))
}

/// Report why this build cannot open libfabric.
pub fn open(options: Options) -> Result<Box<dyn Fabric>> {
    Err(missing(&options))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrite_fabric::Pe;

    #[test]
    fn the_reason_is_said() {
        let Err(error) = open(Options::new(Pe(0), 1, 0)) else { panic!("there are no headers") };
        let error = error.to_string();
        println!("skipped: all that runs over libfabric: {error}");
        assert!(error.starts_with("loading libfabric: built without libfabric: "), "{error}");
        survey(&Options::new(Pe(0), 1, 0)).unwrap_err();
    }
}
