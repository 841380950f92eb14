//! The simulated network as the runtime sees it.

use super::{network::Stream, turns::Turns};
use ferrite_fabric::{AddressBook, Busy, Caps, Fabric, Key, Lane, Op, Pe, Result, Segment, Stage, Ticket};
use std::sync::Arc;

/// One PE's fabric.
pub struct SimFabric {
    turns: Arc<Turns>,
    pe: u32,
    caps: Caps,
}

impl SimFabric {
    pub fn new(turns: Arc<Turns>, pe: u32) -> SimFabric {
        // The data of a put is copied when it is posted. Atomics on a PE's own words go over the network, too, so that a loop over them
        // lets other PEs run.
        let caps =
            Caps { inject_bytes_max: usize::MAX, needs_target_progress: false, nic_atomics: true, drives_nic: true };
        SimFabric { turns, pe, caps }
    }
}

impl Fabric for SimFabric {
    fn name(&self) -> &'static str {
        "simulation"
    }

    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn address(&self) -> Vec<u8> {
        Vec::new()
    }

    unsafe fn register(&self, segment: Segment) -> Result<Key> {
        self.turns.register(self.pe, segment);
        Ok(Key(Box::default()))
    }

    fn connect(&self, _: Arc<dyn AddressBook>) -> Result<()> {
        Ok(())
    }

    fn lane(&self) -> Result<Box<dyn Lane>> {
        Ok(Box::new(SimLane { turns: self.turns.clone(), stream: self.turns.new_stream(self.pe) }))
    }
}

impl Drop for SimFabric {
    fn drop(&mut self) {
        // Called before the memory is unmapped.
        self.turns.take_out(self.pe);
    }
}

struct SimLane {
    turns: Arc<Turns>,
    stream: Stream,
}

impl Lane for SimLane {
    unsafe fn post(&self, op: &Op) -> Result<Ticket, Busy> {
        // SAFETY: passed on. Memory that the operation reads is copied now, and memory that it writes is kept until the ticket is complete.
        Ok(unsafe { self.turns.issue(self.stream, op) })
    }

    fn fence(&self) {
        self.turns.fence(self.stream);
    }

    fn reached(&self, stage: Stage) -> Ticket {
        self.turns.see(|network| network.complete_up_to(self.stream, stage == Stage::Local))
    }

    fn progress(&self) -> usize {
        self.turns.progress(self.stream.pe)
    }

    fn has_reached(&self, stage: Stage, ticket: Ticket) -> bool {
        let is_local = stage == Stage::Local;
        self.turns.ask(self.stream.pe, |network| network.complete_up_to(self.stream, is_local) >= ticket)
    }

    fn is_local(&self, ticket: Ticket) -> bool {
        self.turns.ask(self.stream.pe, |network| network.is_local(self.stream, ticket))
    }

    fn is_quiet_at(&self, Pe(pe): Pe) -> bool {
        self.turns.ask(self.stream.pe, |network| network.is_quiet_at(self.stream, pe))
    }
}
