//! The connection of a PE to its launcher: the PE learns its number, exchanges values with its peers, and reports its end.
//!
//! There is one [`Boot`] per PE. It belongs to the process, not to a world: it outlives `finalize`, so the library can
//! be initialised again.
//!
//! Each launch protocol has a file. [`Launched`] speaks to our own launcher, by the messages in [`wire`]. `pmi1`,
//! `pmi2` and `pmix` speak to other launchers; [`Served`] is their common part. [`join`] needs no launcher: processes meet at a
//! root. [`Alone`] is PE 0 of 1. [`threads`] makes the PEs of a world inside one process. [`detect`] finds the protocol of this process.
//!
//! | part | files |
//! |---|---|
//! | our launcher | `oshrun`, with `wire` (messages) in the frames of `codec`; `cleared`: a PE whose environment was cleared |
//! | other launchers | `pmi`, `pmix`, and their common part `kvs`; `page`: values as bytes; `mpich`: another library that needs the connection |
//! | no launcher | [`join`]: processes that meet at a root; `alone`, `threads`; `end`: how such a PE ends |
//! | values | `values`: values that PEs publish; `received`: those of other PEs |
//! | common | `detect` selects the protocol; `seat`: the place of a PE in its job; `host`, `nodes`: which PEs share a host; `secret`: the job's secret and its keys |
#![warn(missing_docs)]

mod alone;
mod cleared;
pub mod codec;
mod detect;
mod end;
mod host;
pub mod join;
mod kvs;
mod mpich;
mod nodes;
mod oshrun;
mod page;
pub mod pmi;
mod pmix;
mod received;
mod seat;
mod secret;
mod survivor;
mod threads;
pub mod values;
pub mod wire;

pub use alone::Alone;
pub use cleared::{WORKER, name_and_parent};
pub use detect::detect;
pub use kvs::{Served, Store};
pub use nodes::NodeMap;
pub use oshrun::{BOARDS, JOB_GROUP, Launched, VARIABLE};
pub use seat::Seat;
pub use secret::Secret;
pub use threads::{threads, threads_on};

use ferrite_fabric::{Pe, Result};
use std::{
    os::fd::BorrowedFd,
    sync::{Arc, atomic::AtomicBool},
};

/// Called once, from a thread of the library, when another PE has ended the job: with the code that it requested, or without one if it was
/// lost; and with the reason, which is empty if the program requested the end.
pub type OnEnd = Box<dyn FnOnce(Option<i32>, &str) + Send>;

/// Called from a thread of the library for each PE that is lost, if losses return ([`Boot::loss_returns`]), with the reason. Without a PE, the
/// process that connects the PEs is lost. It must not call the [`Boot`].
pub type OnLoss = Box<dyn Fn(Option<Pe>, &str) + Send>;

/// The environment variable that says what the loss of a PE does: `end` the job, or `return` from the calls of the others.
pub const ON_LOSS: &str = "SHMEM_ON_LOSS";

/// The launcher, as a PE sees it: it assigns the PE's number, and is the only channel between PEs before memory is shared.
///
/// These calls need not be fast. Between init and finalize only `announce` and `has_ended` are called.
pub trait Boot: Send + Sync {
    /// The place of this PE in the job.
    fn seat(&self) -> &Seat;
    /// This PE's number.
    fn me(&self) -> Pe {
        self.seat().me
    }
    /// The number of PEs in the job.
    fn size(&self) -> u32 {
        self.seat().nodes.size()
    }
    /// The node of each PE. The PEs of one node can share memory. The map is small for a regular job.
    fn nodes(&self) -> &NodeMap {
        &self.seat().nodes
    }
    /// The PEs of this PE's node, in ascending order, this one among them.
    fn local(&self) -> &[Pe] {
        &self.seat().local
    }
    /// The secret that only the PEs of the job know.
    fn secret(&self) -> Secret {
        self.seat().secret
    }
    /// The launcher's name: "oshrun", "alone", "MPICH's mpiexec, PMI-1", ...
    fn launcher(&self) -> &str;
    /// Publish a value to all PEs, visible after the next [`Boot::exchange`]. A key may be published once between two
    /// exchanges.
    fn publish(&self, key: &str, value: &[u8]) -> Result<()>;
    /// Make all values visible that any PE has published before. Collective over the job.
    fn exchange(&self) -> Result<()>;
    /// The value that `pe` last published under `key`. Another thread may be in an exchange meanwhile. The lookup does not wait for it, except
    /// under PMI-1 and PMI-2, whose one connection is then occupied: there a value that this PE has not read before waits for the exchange.
    fn lookup(&self, pe: Pe, key: &str) -> Result<Vec<u8>>;
    /// Take part in the job. From here on the PE must call [`Boot::leave`]: a PE that ends without it counts as dead.
    fn join(&self) -> Result<()>;
    /// Leave the job (finalize). The PE may then end with exit code 0, or join again.
    fn leave(&self) -> Result<()>;
    /// End the whole job with exit code `code`, for the reason `why` (empty if the program has requested it). Returns at once. The caller
    /// then ends its process, with `code`, as quickly as it can. The launcher ends the other processes, and this one too if it takes long.
    fn announce(&self, code: i32, why: &str);
    /// The same, if this process has printed the reason: it is not printed again on its behalf. Processes of the job that no launcher
    /// watches still print it.
    fn announce_reported(&self, code: i32, why: &str) {
        let _ = why;
        self.announce(code, "");
    }
    /// Whether the launcher has ended, if that can be known. A job does not survive its launcher. A waiting PE checks this now and then: if
    /// a wrapper is in between, the kernel does not end the PE with its launcher.
    fn has_ended(&self) -> bool {
        false
    }
    /// The launcher has ended without ending the job: end the processes that it would have ended, including this one if it is among them.
    /// Does nothing if these processes are not known.
    fn end_the_rest(&self) {}
    /// A file of the launcher in which the PEs of this node publish their state, one after the other; `None` if the launcher has no such
    /// file. The PEs define its content; the launcher reads it, also after PEs have died.
    fn boards(&self) -> Option<BorrowedFd<'_>> {
        None
    }
    /// Call `on_end` when another PE has ended the job. For a `Boot` that cannot end the processes of the job by itself; launchers do.
    fn watch(&self, _on_end: OnEnd) {}
    /// Whether the loss of another PE does not end this one: `exchange`, `lookup` and `leave` then return an error from the loss on.
    fn loss_returns(&self) -> bool {
        false
    }
    /// Call `on_loss` for each loss, also for those that are known already.
    fn watch_losses(&self, _on_loss: OnLoss) {}
    /// Whether a loss is known.
    fn has_lost(&self) -> bool {
        false
    }
    /// Leave the job after a loss, without the others. The loss of this PE is not reported to them.
    fn abandon(&self) {}
    /// Whether a failing PE must call [`Boot::announce`] at the very end of its process. Our own launcher does not need
    /// that: it sees the exit status of every PE, and gives a PE that has announced its end time to reach it. Other
    /// launchers end the job at once, or let the peers wait.
    fn hears_last(&self) -> bool {
        false
    }
    /// The flag that becomes true when one PE has ended the job, if PEs are threads that must not end their process. Waiting PEs check it
    /// and then call [`Boot::announce`], which does not return there: it unwinds.
    fn over(&self) -> Option<Arc<AtomicBool>> {
        None
    }
}
