//! Options that the caller sets. The environment is read elsewhere.

use ferrite_fabric::{Pe, Progress};
use std::{path::PathBuf, time::Duration};

/// How a PE takes part in the job.
#[derive(Clone, Debug)]
pub struct Options {
    /// Number of this PE.
    pub me: Pe,
    /// Number of PEs in the job.
    pub size: u32,
    /// A number that all PEs of the job share and no other job uses. Stray messages are recognised by it. It is no protection. libfabric
    /// has none: any process that can reach the endpoint of a PE can write to its memory.
    pub job: u64,
    /// Provider to use: `tcp` for any that builds on it, `tcp;ofi_rxm` for exactly that.
    pub provider: Option<String>,
    /// Fabric to use: a network, by libfabric's name of it.
    pub fabric: Option<String>,
    /// Domain to use: a NIC, by libfabric's name of it.
    pub domain: Option<String>,
    /// Domains by descending preference: the NICs nearest to this PE. They decide where the provider's rank leaves a choice.
    pub nearest: Vec<String>,
    /// File of the library; `None` to search for it.
    pub library: Option<PathBuf>,
    /// Which threads make progress.
    pub progress: Progress,
    /// All PEs are on this host: waiting PEs wake each other over loopback alone.
    pub one_host: bool,
    /// PEs share cores: a waiting thread shall sleep, so that its peers run. If each PE has a core of its own, the means to be woken are
    /// not set up.
    pub crowded: bool,
    /// Time without any sign of life after which a peer counts as lost, if something is awaited from it. Not all providers report a lost
    /// connection. `None` waits for ever, for a job whose PEs may be stopped.
    pub silence: Option<Duration>,
}

impl Options {
    /// The defaults: no preference for any provider or NIC.
    pub fn new(me: Pe, size: u32, job: u64) -> Self {
        Options {
            me,
            size,
            job,
            provider: None,
            fabric: None,
            domain: None,
            nearest: Vec::new(),
            library: None,
            progress: Progress::default(),
            one_host: false,
            crowded: false,
            silence: Some(Duration::from_secs(60)),
        }
    }
}
