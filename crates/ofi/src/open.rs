//! Opening the fabric of a PE.

use crate::{Options, Survey, domain, rails, transport::OfiTransport};
use ferrite_engine::{Engine, Error, Rail, Result};
use ferrite_fabric::Fabric;
use libfabric_sys::Libfabric;

/// Load the library that the options name. This takes 200 ms if the library's constructors do.
fn load(options: &Options) -> Result<Libfabric> {
    libfabric_sys::open(options.library.as_deref()).map_err(|error| Error::because("loading libfabric", error))
}

/// Report libfabric's version on this machine, and its offers.
pub fn survey(options: &Options) -> Result<Survey> {
    let library = load(options)?;
    let candidates = domain::survey(&library, options)?;
    Ok(Survey { version: library.version(), candidates })
}

/// Load libfabric, open the NICs that the options name or its best offer, and start the service thread if one is needed.
pub fn open(options: Options) -> Result<Box<dyn Fabric>> {
    open_with(load(&options)?, options)
}

/// Like [`open`], with a library that is loaded already.
pub fn open_with(library: Libfabric, options: Options) -> Result<Box<dyn Fabric>> {
    if options.rails.len() > 1 {
        match Engine::open(wishes(&options), |surroundings| rails::open(&library, &options, surroundings)) {
            Ok(engine) => return Ok(Box::new(engine)),
            Err(error) if options.needs_rails => return Err(error),
            // Another provider was asked for, or the nearest NICs belong to another library.
            Err(error) => tracing::warn!(%error, "several NICs are not used; libfabric's best offer is"),
        }
    }
    Ok(Box::new(engine_with(library, options)?))
}

/// Like [`open`], but over one NIC, and return the engine with its concrete type.
pub fn engine(options: Options) -> Result<Engine<Rail<OfiTransport>>> {
    engine_with(load(&options)?, options)
}

/// Like [`engine`], with a library that is loaded already.
pub fn engine_with(library: Libfabric, options: Options) -> Result<Engine<Rail<OfiTransport>>> {
    Engine::open(wishes(&options), |surroundings| rails::open_one(library, &options, surroundings))
}

/// The engine's share of the options.
fn wishes(options: &Options) -> ferrite_engine::Options {
    let &Options { me, size, job, progress, one_host, crowded, silence, .. } = options;
    ferrite_engine::Options { me, size, job, progress, one_host, crowded, silence }
}
