//! The place of a PE in its job: what every [`Boot`](crate::Boot) knows, whichever protocol it learnt it by.

use crate::{NodeMap, Secret};
use ferrite_fabric::{Error, Pe, Result};

/// The place of a PE in its job.
pub struct Seat {
    pub(crate) me: Pe,
    pub(crate) nodes: NodeMap,
    /// The PEs of this PE's node, in ascending order.
    pub(crate) local: Vec<Pe>,
    pub(crate) secret: Secret,
    /// The process that took the seat. A forked child has a copy of it, and is not the PE.
    owner: u32,
}

impl Seat {
    /// The seat of the calling process as PE `me`.
    pub(crate) fn new(me: Pe, nodes: NodeMap, secret: Secret) -> Seat {
        let local = nodes.pes_of(nodes.node_of(me));
        Seat { me, nodes, local, secret, owner: std::process::id() }
    }

    /// The seat of a process before its launcher has answered.
    pub(crate) fn unknown() -> Seat {
        Seat::new(Pe(0), NodeMap::one(1), Secret::of([0; Secret::BYTES]))
    }

    /// Return an error in a child of the process that took the seat.
    pub(crate) fn check_process(&self) -> Result<()> {
        let (process, owner) = (std::process::id(), self.owner);
        if process == owner {
            return Ok(());
        }
        Err(Error::new(format!("process {process} was forked from {} ({owner}) and is not a PE", self.me)))
    }
}
