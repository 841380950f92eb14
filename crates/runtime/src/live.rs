//! The state of a started world. Each room owns the part that it works on.

use crate::{
    agg::Aggregators,
    check::{Check, Delays},
    coll::Collectives,
    diagnose::Diagnosis,
    far::Far,
    groups::{context::Contexts, team::Teams},
    life::exit::Ending,
    life::neighbour::Neighbour,
    memory::Memory,
    observe::Observers,
    ops::near::Near,
    settings::Settings,
    vendor::Counters,
    wait::state::WaitState,
};
use core::{ffi::c_int, sync::atomic::Ordering::Relaxed};
use ferrite_abi::constants::SHMEM_THREAD_MULTIPLE;
use ferrite_bootstrap::Boot;
use std::sync::Arc;

/// What exists between `start` and `stop`.
///
/// Fields are dropped in the order of their declaration: contexts have streams of the fabric, and the fabric reaches the memory.
pub(crate) struct Live {
    /// This PE.
    pub me: u32,
    /// The number of PEs in the job.
    pub size: u32,
    /// What the launcher says, and the way to it.
    pub boot: Arc<dyn Boot>,
    pub settings: Settings,
    pub ending: Ending,
    /// A PE of this host whose end nobody else would notice.
    pub neighbour: Option<Neighbour>,
    pub contexts: Contexts,
    /// What reaches the PEs that are not mapped, if there are any.
    pub far: Option<Far>,
    pub memory: Memory,
    pub teams: Teams,
    pub coll: Collectives,
    pub wait: WaitState,
    pub counters: Counters,
    pub agg: Aggregators,
    pub observers: Observers,
    /// What looks for mistakes of the program, where that is wanted.
    pub check: Option<Arc<Check>>,
    pub diagnosis: Diagnosis,
}

impl Live {
    /// Let the guard see the mapped memory.
    pub fn open_near(&self, near: &Near) {
        let memory = &self.memory;
        near.heap.store(memory.heap_base(), Relaxed);
        near.statics.store(memory.statics_range().map_or(0, |(base, _)| base), Relaxed);
        near.first.store(memory.local[0], Relaxed);
        near.windows.store(memory.windows.as_ptr().cast_mut(), Relaxed);
        near.attention.store(self.attention(), Relaxed);
        near.span.store(memory.windows.len() as u32, Relaxed);
    }

    /// Who looks at the program's threads knows what they may do.
    pub fn know_level(&self, level: c_int) {
        self.diagnosis.allow_threads(level == SHMEM_THREAD_MULTIPLE);
        self.check.iter().for_each(|check| check.level.store(level, Relaxed));
    }

    /// What holds operations back, where deliveries are to be adversarial.
    pub fn delays(&self) -> Option<&Delays> {
        self.check.as_ref()?.delays.as_deref()
    }

    /// [`Near::attention`]: whether ordering needs more than this processor's own.
    pub fn attention(&self) -> u32 {
        u32::from(self.far.is_some() || !self.agg.are_none() || !self.observers.are_none())
    }

    /// Let the guard refuse everything.
    pub fn close_near(near: &Near) {
        near.span.store(0, Relaxed);
        near.attention.store(1, Relaxed);
    }

    /// Whether a NIC executes the job's atomics, near PEs' included: the processor's own would not be atomic beside them.
    pub fn nic_atomics(&self) -> bool {
        self.far.as_ref().is_some_and(|far| far.caps().nic_atomics)
    }

    /// Move what is under way: the fabric's traffic, and requests.
    #[inline(always)]
    pub fn progress(&self) {
        self.progress_far();
        self.coll.requests.progress();
        self.progress_aggregators();
    }
}
