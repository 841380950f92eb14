//! What the caller may wish; the environment is read elsewhere.

use ferrite_fabric::{Pe, Progress};
use std::{path::PathBuf, time::Duration};

/// How a PE takes part.
#[derive(Clone, Debug)]
pub struct Options {
    /// Its number.
    pub me: Pe,
    /// How many there are.
    pub size: u32,
    /// A number that all PEs of the job share and no other job does: stray messages are known by it. It is no
    /// protection. libfabric has none: whoever can reach the endpoint of a PE can write to its memory.
    pub job: u64,
    /// Use this provider: `tcp` for any that builds on it, `tcp;ofi_rxm` for exactly that.
    pub provider: Option<String>,
    /// Use this fabric: a network, by libfabric's name of it.
    pub fabric: Option<String>,
    /// Use this domain: a NIC, by libfabric's name of it.
    pub domain: Option<String>,
    /// Domains by descending preference, where the provider's rank leaves the choice: the NICs nearest to this PE.
    pub nearest: Vec<String>,
    /// The library's file, if it is not to be searched for.
    pub library: Option<PathBuf>,
    /// Who makes progress.
    pub progress: Progress,
    /// All PEs are on this host: those that wait wake each other over loopback alone.
    pub one_host: bool,
    /// PEs share cores: a thread that waits shall sleep, so that its peers run. Where each has its own, what it takes to be woken is
    /// spared.
    pub crowded: bool,
    /// After how long without any sign of life a peer that something is waited for counts as lost. Not all providers
    /// tell of a connection that is gone. `None` waits for ever, for a job whose PEs may be stopped.
    pub silence: Option<Duration>,
}

impl Options {
    /// No wishes.
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
