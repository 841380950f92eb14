//! How a PE takes part.

use crate::proof::{Secret, Terms};
use ferrite_engine::Pe;
use std::time::Duration;

/// How a PE takes part.
#[derive(Clone, Debug)]
pub struct Options {
    /// Its number.
    pub me: Pe,
    /// How many there are.
    pub size: u32,
    /// What they all know, and whether they seal what they send.
    pub terms: Terms,
    /// Listen only there: an interface's name, an address, or a network as `10.1.0.0/16`.
    pub interface: Option<String>,
    /// All PEs are on this host: listen on loopback alone, unless `interface` says where.
    pub one_host: bool,
    /// How long to try to reach a peer.
    pub patience: Duration,
    /// How long a stranger has to prove itself.
    pub proof_time: Duration,
    /// After how long without a sign of life, of the peer's kernel, an idle connection counts as lost.
    pub silence: Duration,
    /// Sizes of a connection's two buffers in the kernel, which chooses them well by itself: for tests of what happens
    /// when they are full.
    pub buffer_bytes: Option<usize>,
}

impl Options {
    /// What suits most: all interfaces, 60 s to reach a peer, 5 s for a proof and for a silent host.
    pub fn new(me: Pe, size: u32, secret: [u8; 32]) -> Self {
        Options {
            me,
            size,
            terms: Terms { secret: Secret(secret), sealed: false },
            interface: None,
            one_host: false,
            patience: Duration::from_secs(60),
            proof_time: Duration::from_secs(5),
            silence: Duration::from_secs(5),
            buffer_bytes: None,
        }
    }
}
