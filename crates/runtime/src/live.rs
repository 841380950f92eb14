//! The state of a started world. Each room owns its part and has the code for it: this file has none.

use crate::{
    agg::Aggregators,
    coll::Collectives,
    context::Contexts,
    device::DeviceRoom,
    diagnose::Diagnosis,
    end::{Ending, loss::Losses},
    extensions::Extensions,
    far::Far,
    life::neighbour::Neighbour,
    observe::Observers,
    teams::Teams,
    wait::state::WaitState,
};
use ferrite_bootstrap::Boot;
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
