//! The OpenSHMEM runtime: a [`World`] and everything it does.
//!
//! Modules: `life` (init, finalize and other ends, reports), `memory` (the file that PEs of a node share, the heap, the static data), `ops`
//! (the guard that every communication passes, communication, order and synchronisation), `wait` (how a PE waits), `groups` (contexts,
//! teams, PE numbering, the table behind handles), `far` (PEs whose memory is not mapped), `coll` (collectives), `agg` (aggregation),
//! `observe` (observers of the program's calls), `check` (detection of program mistakes), `diagnose` (the records that a PE publishes, and
//! the report on a job that cannot go on), `settings` (the environment), `vendor` (extensions of other libraries). Beside them: `world` and
//! `live` (the state), `handle` (the program's handles), `query` (questions about the job) and `misuse` (rejection of wrong arguments).

mod agg;
pub mod check;
mod coll;
mod diagnose;
mod far;
mod groups;
mod handle;
mod life;
mod live;
mod memory;
mod misuse;
mod observe;
mod ops;
mod query;
pub mod settings;
mod vendor;
mod wait;
mod world;

pub use coll::{ComplexDouble, ComplexFloat, Quad};
pub use far::transports::{HOMES, Home};
pub use groups::{
    context::{Context, SessionConfig},
    team::{TeamConfig, TeamState},
};
pub use handle::{Agg, AggHandler, Ct, Ctx, Language, Req, Site, Team};
pub use life::phase::{Extent, Remains, StartOptions};
pub use life::{exit::watch_mistakes, last_thread::watch_main_thread};
pub use memory::{BlockState, heap, statics};
pub use ops::elem::{Bits, Elem, LongDouble, Word};
pub use vendor::{cray::COLOR_UNDEFINED, pcntr::Pcntr, sandia::Gettid};
pub use world::World;

/// Maximum number of teams that a PE can be in at once, including the library's own.
pub const TEAMS_MAX: usize = coll::area::SLOTS;

/// Bytes of scratch memory that each member has for a running collective: long messages are streamed through it.
pub const SCRATCH_BYTES: usize = coll::area::SCRATCH;
