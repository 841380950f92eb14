//! The NICs of a PE, each with a domain of its own.

use crate::{Options, transport::OfiTransport};
use ferrite_engine::{Cut, Error, Rail, Rails, Result, Surroundings};
use libfabric_sys::Libfabric;

/// Open a domain on the PE's only NIC: the one that the user named, or else the NIC of the best offer.
pub fn open_one(library: Libfabric, options: &Options, surroundings: &Surroundings) -> Result<Rail<OfiTransport>> {
    match &options.rails[..] {
        [nic] if options.needs_rails => open_named(library, options, surroundings, nic),
        _ => OfiTransport::open(library, options, surroundings).map(rail),
    }
}

/// Open a domain on each NIC that the options name, all of one provider.
pub fn open(library: &Libfabric, options: &Options, surroundings: &Surroundings) -> Result<Rails<OfiTransport>> {
    let mut options = options.clone();
    let mut rails: Vec<Rail<OfiTransport>> = Vec::new();
    for nic in &options.rails.clone() {
        match open_named(library.clone(), &options, surroundings, nic) {
            Ok(rail) => {
                options.provider = Some(rail.transport.provider().to_owned());
                rails.push(rail);
            }
            Err(error) if options.needs_rails => return Err(error),
            Err(error) => tracing::warn!(%error, "a NIC is not used"),
        }
    }
    Rails::join(rails, Cut::default())
}

fn open_named(
    library: Libfabric,
    options: &Options,
    surroundings: &Surroundings,
    nic: &str,
) -> Result<Rail<OfiTransport>> {
    let options = Options { nic: Some(nic.to_owned()), ..options.clone() };
    let transport = OfiTransport::open(library, &options, surroundings);
    transport.map(rail).map_err(|error| Error::because(format!("using NIC {nic}"), error))
}

fn rail(transport: OfiTransport) -> Rail<OfiTransport> {
    let (nic, network) = transport.place();
    Rail { nic: nic.to_owned(), network: network.to_owned(), transport }
}
