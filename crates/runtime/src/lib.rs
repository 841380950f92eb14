//! The OpenSHMEM runtime: a [`World`] and everything it does.
//!
//! Rooms: `life` (init, finalize and other ends, reports), `memory` (the file that PEs of a node share, the heap, the
//! static data), `ops` (the guard that every communication passes, communication, order and synchronisation), `wait` (how a
//! PE waits), `groups` (contexts, teams, who is numbered how, what handles stand for), `far` (PEs whose memory is not mapped),
//! `coll` (collectives), `agg` (aggregation), `observe` (what sees the calls of the program), `check` (mistakes of the program), `diagnose` (what
//! a PE publishes of itself, and what is told of a job that cannot go on), `settings` (the environment), `vendor` (what other libraries offer). Beside them: `world` and `live`
//! (the state), `handle` (what a program holds), `query` and `misuse` (questions and refusals).

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

/// How many teams a PE can be in at once, those of the library's own included.
pub const TEAMS_MAX: usize = coll::area::SLOTS;

/// Bytes of scratch that each member has for a collective under way: what long messages are streamed through.
pub const SCRATCH_BYTES: usize = coll::area::SCRATCH;
