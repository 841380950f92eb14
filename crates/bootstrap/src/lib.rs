//! How a PE learns who it is, finds its peers, and tells the launcher how it ends.
//!
//! One [`Boot`] a PE. It belongs to the process, not to a world: it outlives `finalize`, so that the library can
//! be initialised again.
//!
//! One file a protocol: [`Launched`] speaks to our own launcher (the frames are in [`wire`]), `pmi1`, `pmi2` and
//! `pmix` to those of others ([`Served`] is what they have in common), [`Alone`] is PE 0 of 1, [`threads`] makes the
//! PEs of a world inside one process. [`detect`] picks among those that fit a process.

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
mod threads;
pub mod wire;

pub use alone::Alone;
pub use cleared::{WORKER, name_and_parent};
pub use detect::detect;
pub use end::draw_secret;
pub use kvs::{Served, Store};
pub use nodes::NodeMap;
pub use oshrun::{Launched, VARIABLE};
pub use threads::{threads, threads_on};

use ferrite_fabric::{Pe, Result};

/// What the launcher, or the lack of one, tells a PE; and the one channel that exists before any memory is shared.
///
/// Nothing here is fast, and nothing here is called between init and finalize but `announce`.
pub trait Boot: Send + Sync {
    /// Which PE this is.
    fn me(&self) -> Pe;
    /// How many there are.
    fn size(&self) -> u32;
    /// Which PEs can share memory: those of one node of this map. As small as the job is regular.
    fn nodes(&self) -> &NodeMap;
    /// The PEs of this PE's node, in ascending order, this one among them.
    fn local(&self) -> &[Pe];
    /// Sixteen bytes that all PEs of the job know, and nobody else: they name and guard its sockets.
    fn secret(&self) -> [u8; 16];
    /// Who started us: "oshrun", "alone", "MPICH's mpiexec, PMI-1", ...
    fn launcher(&self) -> &str;
    /// Say something to all peers; they see it after the next [`Boot::exchange`]. A key may be published once
    /// between two exchanges.
    fn publish(&self, key: &str, value: &[u8]) -> Result<()>;
    /// Collective over the job: all that was published before it, by anyone, can be looked up after it.
    fn exchange(&self) -> Result<()>;
    /// What `pe` last published under `key`.
    fn lookup(&self, pe: Pe, key: &str) -> Result<Vec<u8>>;
    /// From here on this PE owes the job a matching [`Boot::leave`]: to end without it is to have died.
    fn join(&self) -> Result<()>;
    /// This PE is done with its peers (finalize); it may end as it likes, or join again.
    fn leave(&self) -> Result<()>;
    /// The whole job is over, with this code and for the reason given (empty if the program asked for it). This returns
    /// at once: the caller goes on to end its process, with `code`, as quickly as it can; the launcher ends the others,
    /// and this one too if it takes long.
    fn announce(&self, code: i32, why: &str);
    /// Whether the launcher is to hear of a failing end by [`Boot::announce`] at the very end of the process, rather than
    /// before: our own launcher sees the status of every PE and gives those that announce an end the time to come to it;
    /// others end the job at once, or let the peers wait.
    fn hears_last(&self) -> bool {
        false
    }
}
