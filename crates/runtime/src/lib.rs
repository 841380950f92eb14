//! The OpenSHMEM runtime: a [`World`] and everything it does.
//!
//! Rooms, in the order of a program's life: `phase` and `start` (init, finalize), `node` and `statics` and `heap` (the
//! memory), `near` (the guard that every communication passes), `rma`, `strided`, `amo`, `signal` (communication),
//! `order`, `p2p`, `wait`, `lock` (synchronisation), `coll` (collectives), `context`, `team`, `shape` (who is
//! numbered how), `registry` (what handles stand for), `vendor`, `pcntr`, `ct` (what other libraries offer), `query`, `misuse`, `exit` (questions and ends).

mod amo;
mod coll;
mod context;
mod copy;
mod ct;
mod elem;
mod exit;
mod far;
mod handle;
pub mod heap;
mod kept;
mod live;
mod load;
mod locality;
mod lock;
mod logging;
mod memory;
mod misuse;
mod near;
mod node;
mod order;
mod p2p;
mod pcntr;
mod phase;
mod providers;
mod query;
mod registry;
mod rivals;
mod rma;
pub mod settings;
mod shape;
mod signal;
mod start;
pub mod statics;
mod streams;
mod strided;
mod team;
mod units;
mod vendor;
mod wait;
mod world;

pub use coll::{ComplexDouble, ComplexFloat, Quad};
pub use context::{Context, SessionConfig};
pub use elem::{Bits, Elem, LongDouble, Word};
pub use handle::{Ct, Ctx, Language, Req, Site, Team};
pub use memory::BlockState;
pub use pcntr::Pcntr;
pub use phase::Plan;
pub use providers::{HOMES, Home};
pub use team::{COLOR_UNDEFINED, TeamConfig, TeamState};
pub use vendor::Gettid;
pub use world::World;

/// Bytes of scratch that each member has for a collective under way: what long messages are streamed through.
pub const SCRATCH_BYTES: usize = coll::area::SCRATCH;
