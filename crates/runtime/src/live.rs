//! The state of a started world. Each module owns its part.

use crate::{
    agg::Aggregators,
    coll::Collectives,
    context::Contexts,
    device::DeviceRoom,
    diagnose::Diagnosis,
    end::{
        Ending,
        loss::{LossCleanup, Losses},
    },
    extensions::Extensions,
    far::Far,
    life::neighbour::Neighbour,
    near::Near,
    observe::{Delays, Observers},
    teams::Teams,
    wait::{Wait, progress::Progress, state::WaitState},
};
use core::{sync::atomic::Ordering::Relaxed, time::Duration};
use ferrite_bootstrap::Boot;
use ferrite_fabric::Error;
use ferrite_memory::Memory;
use ferrite_settings::Settings;
use std::sync::{Arc, OnceLock};

/// The state between `start` and `stop`.
///
/// Fields are dropped in the order of their declaration: contexts have streams of the fabric, and the fabric accesses the memory.
pub(crate) struct Live {
    /// This PE's number.
    pub me: u32,
    /// The number of PEs in the job.
    pub size: u32,
    /// The connection to the launcher.
    pub boot: Arc<dyn Boot>,
    pub settings: Settings,
    pub ending: Ending,
    /// The peers that are lost, if a loss does not end this PE.
    pub losses: Option<Arc<Losses>>,
    /// The watch over another PE of this host, if no launcher would report its end.
    pub neighbour: Option<Neighbour>,
    pub contexts: Contexts,
    /// The path to PEs that are not mapped, if there are any.
    pub far: Option<Far>,
    /// Device memory, once the program has requested it.
    pub device: OnceLock<Arc<DeviceRoom>>,
    pub memory: Memory,
    pub teams: Teams,
    pub coll: Collectives,
    pub wait: WaitState,
    pub extensions: Extensions,
    pub agg: Aggregators,
    pub observers: Observers,
    pub diagnosis: Diagnosis,
}

impl Live {
    /// Open the guard for the mapped memory.
    pub fn open_near(&self, near: &Near) {
        let memory = &self.memory;
        near.heap.store(memory.heap_base(), Relaxed);
        near.statics.store(memory.statics_range().map_or(0, |(base, _)| base), Relaxed);
        near.first.store(memory.local[0], Relaxed);
        near.windows.store(memory.windows.as_ptr().cast_mut(), Relaxed);
        near.slow_ordering.store(self.needs_slow_ordering(), Relaxed);
        near.span.store(memory.windows.len() as u32, Relaxed);
    }

    /// Holds operations back, if adversarial delivery is enabled.
    pub fn delays(&self) -> Option<&dyn Delays> {
        self.observers.wishes.delays.as_deref()
    }

    /// [`Near::slow_ordering`]: whether ordering needs more than this processor's own memory ordering.
    pub fn needs_slow_ordering(&self) -> u32 {
        u32::from(self.far.is_some() || !self.agg.are_none() || !self.observers.are_none())
    }

    /// Close the guard, so that it refuses every address.
    pub fn close_near(near: &Near) {
        near.span.store(0, Relaxed);
        near.slow_ordering.store(1, Relaxed);
    }

    /// Whether a NIC executes the job's atomics, those on near PEs included: the processor's own atomics would not be atomic with respect
    /// to them.
    pub fn nic_atomics(&self) -> bool {
        self.far.as_ref().is_some_and(|far| far.caps().nic_atomics)
    }
}

impl LossCleanup for Live {
    fn unpublish_wait(&self) {
        self.diagnosis.unpublish_wait();
    }

    fn abandon_fabric(&self, why: &Error) {
        self.far.iter().for_each(|far| far.abandon(why));
    }
}

impl Progress for Live {
    #[inline(always)]
    fn progress(&self) {
        self.progress_far();
        self.coll.requests.progress();
        self.progress_aggregators();
    }

    #[inline(always)]
    fn progress_or_doze(&self, wait: &mut Wait, limit: Duration) {
        // Messages that have just arrived may be the ones that the caller waits for.
        let mut happened = self.progress_far() + self.progress_aggregators();
        let idle = self.coll.requests.are_idle();
        if !idle {
            // Operations that a request has just posted are not sent yet.
            self.coll.requests.progress();
            happened += self.progress_far();
        }
        match happened {
            0 if idle => wait.dozed(self.doze_far(limit), &self.wait.mates),
            // Requests also wait for stores by peers of this node.
            0 => wait.rest(&self.wait.mates),
            _ => {}
        }
    }

    fn is_busy(&self) -> bool {
        let on_the_way = |far: &Far| !far.stream.rests() || !self.contexts.rest();
        !self.coll.requests.are_idle() || !self.agg.are_none() || self.far.as_ref().is_some_and(on_the_way)
    }

    #[inline]
    fn serves_in_calls(&self) -> bool {
        self.far.as_ref().is_some_and(|far| far.caps().needs_target_progress)
    }
}
