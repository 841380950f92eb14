//! Options that the caller sets. The environment is read elsewhere.

use ferrite_fabric::{Pe, Progress, Slingshot};
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
    /// NIC to use, by the kernel's name of it.
    pub nic: Option<String>,
    /// Domains by descending preference: the NICs nearest to this PE. They decide where the provider's rank leaves a choice.
    pub nearest: Vec<String>,
    /// NICs over which long transfers are cut, by the kernel's names of them, the nearest first.
    pub rails: Vec<String>,
    /// The user has named the rails: it is an error if one cannot be used. Otherwise the best offer is used alone if there are not several.
    pub needs_rails: bool,
    /// NICs that are not used.
    pub unwanted: Vec<String>,
    /// File of the library; `None` to search for it.
    pub library: Option<PathBuf>,
    /// Which threads make progress.
    pub progress: Progress,
    /// All PEs are on this host: waiting PEs wake each other over loopback alone.
    pub one_host: bool,
    /// PEs share cores: a waiting thread shall sleep, so that its peers run. If each PE has a core of its own, the means to be woken are
    /// not set up.
    pub crowded: bool,
    /// No peer of this host is reached through the fabric: PEs of one host map each other's memory.
    pub maps_host: bool,
    /// Number of PEs on this host.
    pub pes_on_host: usize,
    /// Whether a NIC may execute atomics.
    pub nic_atomics: bool,
    /// Maximum number of puts, gets and messages under way on an endpoint, instead of the provider's.
    pub put_depth: Option<usize>,
    /// Maximum number of atomics under way on an endpoint that a NIC executes.
    pub atomic_depth: Option<usize>,
    /// Credentials for Slingshot.
    pub slingshot: Slingshot,
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
            nic: None,
            nearest: Vec::new(),
            rails: Vec::new(),
            needs_rails: false,
            unwanted: Vec::new(),
            library: None,
            progress: Progress::default(),
            one_host: false,
            crowded: false,
            maps_host: false,
            pes_on_host: 1,
            nic_atomics: true,
            put_depth: None,
            atomic_depth: None,
            slingshot: Slingshot::default(),
            silence: Some(Duration::from_secs(60)),
        }
    }
}
