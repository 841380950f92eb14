//! Configuration of a PE's TCP transport.

use crate::{
    listeners::Ports,
    proof::{Secret, Terms},
};
use ferrite_engine::Pe;
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Duration,
};

/// Configuration of a PE's TCP transport.
#[derive(Clone, Debug)]
pub struct Options {
    /// Number of this PE.
    pub me: Pe,
    /// Number of PEs.
    pub size: u32,
    /// The secret that all PEs know, and whether they seal their traffic.
    pub terms: Terms,
    /// Listen only on this interface, given as a name, an address, or a network as `10.1.0.0/16`.
    pub interface: Option<String>,
    /// The ports to listen on.
    pub ports: Ports,
    /// All PEs are on this host: listen on loopback alone, unless `interface` says where.
    pub one_host: bool,
    /// How long to try to reach a peer.
    pub patience: Duration,
    /// How long a stranger has to prove itself.
    pub proof_time: Duration,
    /// Time without a sign of life of the peer's kernel after which an idle connection counts as lost.
    pub silence: Duration,
    /// Sizes of a connection's two buffers in the kernel. The kernel chooses them well by itself; tests set them to see what happens when
    /// the buffers are full.
    pub buffer_bytes: Option<usize>,
    /// Set when the fabric has failed: nothing waits for a connection any more. It orders nothing.
    pub given_up: Arc<AtomicBool>,
}

impl Options {
    /// Defaults that suit most jobs: all interfaces, 60 s to reach a peer, 5 s for a proof and for a silent host.
    pub fn new(me: Pe, size: u32, secret: [u8; 32]) -> Self {
        Options {
            me,
            size,
            terms: Terms { secret: Secret(secret), sealed: false },
            interface: None,
            ports: Ports::Any,
            one_host: false,
            patience: Duration::from_secs(60),
            proof_time: Duration::from_secs(5),
            silence: Duration::from_secs(5),
            buffer_bytes: None,
            given_up: Arc::default(),
        }
    }

    /// Whether to stop waiting for connections.
    pub fn has_given_up(&self) -> bool {
        self.given_up.load(Relaxed)
    }
}
