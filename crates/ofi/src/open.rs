//! Opening the fabric of a PE.

use crate::{Options, Survey, domain, transport::OfiTransport};
use ferrite_engine::{Engine, Error, Result};
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

/// Load libfabric, open its best offer, and start the service thread if one is needed.
pub fn open(options: Options) -> Result<Box<dyn Fabric>> {
    Ok(Box::new(engine(options)?))
}

/// Like [`open`], but return the engine with its concrete type.
pub fn engine(options: Options) -> Result<Engine<OfiTransport>> {
    engine_with(load(&options)?, options)
}

/// Like [`engine`], with a library that is loaded already.
pub fn engine_with(library: Libfabric, options: Options) -> Result<Engine<OfiTransport>> {
    let Options { me, size, job, progress, one_host, crowded, silence, .. } = options;
    let wishes = ferrite_engine::Options { me, size, job, progress, one_host, crowded, silence };
    Engine::open(wishes, |surroundings| OfiTransport::open(library, &options, surroundings))
}
