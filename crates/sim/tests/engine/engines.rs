//! Engines over one network, without the programs of a trial.

use ferrite_engine::{Engine, Limits, Options, Pe, Segment};
use ferrite_fabric::{Fabric, Progress};
use ferrite_sim::engine::{
    adversary::Seeded,
    network::{Habits, Network, SEGMENT},
    port::SimTransport,
    trial::Book,
};
use std::{
    sync::{Arc, Mutex, atomic::AtomicU64},
    time::Duration,
};

/// A network whose ports have these limits.
pub fn network(pes: usize, limits: Limits, habits: Habits) -> Arc<Mutex<Network>> {
    Arc::new(Mutex::new(Network::new(pes, limits, habits, Box::new(Seeded::new(1)))))
}

/// Make engines that are connected, and register their memory.
///
/// # Safety
/// The memory is dropped after the engines.
pub unsafe fn engines(
    network: &Arc<Mutex<Network>>,
    size: u32,
    limits: Limits,
    memory: &[AtomicU64],
    progress: Progress,
    silence: Option<Duration>,
) -> Vec<Engine<SimTransport>> {
    let open = |pe: u32| {
        let options = Options { me: Pe(pe), size, job: 0, progress, one_host: true, crowded: false, silence };
        let transport = |surroundings: &_| Ok(SimTransport::new(Arc::clone(network), surroundings, limits, 1));
        let engine = Engine::open(options, transport).unwrap();
        let segment = Segment { id: SEGMENT, base: memory.as_ptr().cast_mut().cast(), len: size_of_val(memory) };
        // SAFETY: as the caller says.
        unsafe { engine.register(segment) }.unwrap();
        engine
    };
    let engines: Vec<_> = (0..size).map(open).collect();
    let book = Arc::new(Book(engines.iter().map(Fabric::address).collect()));
    engines.iter().for_each(|engine| engine.connect(book.clone()).unwrap());
    engines
}
