//! How a PE learns its number, exchanges values with its peers, and tells the launcher how it ends.
//!
//! There is one [`Boot`] per PE. It belongs to the process, not to a world: it outlives `finalize`, so the library can
//! be initialised again.
//!
//! Each launch protocol has a file. [`Launched`] speaks to our own launcher, by the messages in [`wire`]. `pmi1`,
//! `pmi2` and `pmix` speak to other launchers; [`Served`] is what they share. [`Alone`] is PE 0 of 1. [`threads`] makes
//! the PEs of a world inside one process. [`detect`] finds the protocol of this process.

mod alone;
mod cleared;
pub mod codec;
mod detect;
mod end;
mod host;
mod kvs;
mod nodes;
mod oshrun;
mod page;
pub mod pmi;
mod pmix;
mod secret;
mod threads;
pub mod wire;

pub use alone::Alone;
pub use cleared::{WORKER, name_and_parent};
pub use detect::detect;
pub use kvs::{Served, Store};
pub use nodes::NodeMap;
pub use oshrun::{BOARDS, JOB_GROUP, Launched, VARIABLE};
pub use secret::Secret;
pub use threads::{threads, threads_on};

use ferrite_fabric::{Pe, Result};
use std::{
    os::fd::BorrowedFd,
    sync::{Arc, atomic::AtomicBool},
};

/// The launcher, as a PE sees it: tells a PE its number, and is the only channel between PEs before memory is shared.
///
/// Nothing here is fast. Between init and finalize only `announce` and `has_ended` are called.
pub trait Boot: Send + Sync {
    /// This PE's number.
    fn me(&self) -> Pe;
    /// The number of PEs.
    fn size(&self) -> u32;
    /// The node of each PE. The PEs of one node can share memory. The map is small for a regular job.
    fn nodes(&self) -> &NodeMap;
    /// The PEs of this PE's node, in ascending order, this one among them.
    fn local(&self) -> &[Pe];
    /// What only the PEs of the job know.
    fn secret(&self) -> Secret;
    /// The launcher's name: "oshrun", "alone", "MPICH's mpiexec, PMI-1", ...
    fn launcher(&self) -> &str;
    /// Publish a value to all PEs, visible after the next [`Boot::exchange`]. A key may be published once between two
    /// exchanges.
    fn publish(&self, key: &str, value: &[u8]) -> Result<()>;
    /// Collective over the job: makes all values visible that any PE has published before.
    fn exchange(&self) -> Result<()>;
    /// The value that `pe` last published under `key`.
    fn lookup(&self, pe: Pe, key: &str) -> Result<Vec<u8>>;
    /// Take part in the job. From here on the PE owes a matching [`Boot::leave`]: a PE that ends without it has died.
    fn join(&self) -> Result<()>;
    /// Leave the job (finalize). The PE may then end with exit code 0, or join again.
    fn leave(&self) -> Result<()>;
    /// End the whole job with exit code `code`, for the reason `why` (empty if the program has requested it). Returns
    /// at once. The caller then ends its process, with `code`, as quickly as it can. The launcher ends the other
    /// processes, and this one too if it takes long.
    fn announce(&self, code: i32, why: &str);
    /// Whether the launcher has ended, if that can be known: whoever killed it has killed the job. Asked now and then by
    /// a PE that waits: below a wrapper the kernel does not end it with its launcher.
    fn has_ended(&self) -> bool {
        false
    }
    /// The launcher has ended without ending the job: end what it would have ended, this process too if it is part of that. Where
    /// nothing is known of such, nothing happens.
    fn end_the_rest(&self) {}
    /// A file of the launcher's for what the PEs of this PE's node publish of themselves, one after the other, if it has such. They
    /// know what is in it; the launcher reads it, also when they have died.
    fn boards(&self) -> Option<BorrowedFd<'_>> {
        None
    }
    /// Whether a failing PE must call [`Boot::announce`] at the very end of its process. Our own launcher does not need
    /// that: it sees the exit status of every PE, and gives a PE that has announced its end time to reach it. Other
    /// launchers end the job at once, or let the peers wait.
    fn hears_last(&self) -> bool {
        false
    }
    /// Where the PEs are threads that must not end their process: what becomes true when one of them has ended the job. Waiting
    /// PEs look at it, and then call [`Boot::announce`], which does not return there: it unwinds.
    fn over(&self) -> Option<Arc<AtomicBool>> {
        None
    }
}
