//! The OpenSHMEM runtime: a [`World`] and everything it does.
//!
//! Its modules are rooms. From the top:
//!
//! | room | job |
//! |---|---|
//! | `life` | init, finalize and other ends |
//! | `progress` | progress of the operations under way, for a PE that waits |
//! | `agg` | aggregation |
//! | `groups` | makes teams and contexts, and ends them |
//! | `heap`, `device_heap` | the routines of the symmetric heap, and of the device heap |
//! | `coll` | collectives |
//! | `ops` | communication, order and synchronisation |
//! | `query` | questions about the job |
//! | `device` | memory of GPUs |
//! | `target` | the target of an operation: from arguments to a place at another PE |
//! | `diagnose` | reports on a job that cannot go on |
//! | `context` | contexts |
//! | `far` | PEs whose memory is not mapped |
//! | `extensions` | values that crates above add to a world or a context |
//! | `misuse` | rejection of wrong arguments |
//! | `observe` | observers of the program's calls, and the interface for tools |
//! | `wait` | how a PE waits |
//! | `end` | the end of the job with a reason |
//! | `teams` | the teams of a PE |
//! | `boards` | the data that a PE publishes |
//! | `border` | the unwinding after a loss |
//! | `near`, `fork`, `area`, `handle` | the guard of the near path; children that a PE forks; the control area; the program's handles |
//!
//! An import leads further down, and so does a call of a method that another room adds to [`World`] or `Live`; methods of their fields are
//! not checked (`ci/xtask/src/floors`). A room that needs work of higher rooms declares a trait for it (`wait/progress.rs`), which one of
//! them implements. Only the state of a PE (`world` and `live`) is reached from everywhere: each room owns a part of it. `live` has no
//! functions.
#![warn(missing_docs)]

mod agg;
mod area;
mod boards;
mod border;
mod coll;
mod context;
mod device;
mod device_heap;
mod diagnose;
mod end;
mod extensions;
mod far;
mod fork;
mod groups;
mod handle;
mod heap;
mod life;
mod live;
mod misuse;
mod near;
pub mod observe;
mod ops;
mod progress;
mod query;
mod target;
mod teams;
mod wait;
mod world;

pub use border::{Lost, at_border, catch_loss, is_loss};
pub use context::{Context, SessionConfig};
pub use end::{EXIT_CODE, loss::Losses};
pub use far::Update;
pub use ferrite_fabric::Amo;
pub use ferrite_kernels::{Bits, ComplexDouble, ComplexFloat, Elem, LongDouble, Quad, Word};
pub use handle::{Agg, AggHandler, Ctx, Language, Req, Site, Team};
pub use heap::BlockState;
pub use life::join::{InitAttr, UniqueIdBytes};
pub use life::phase::{Extent, Remains, StartOptions};
pub use life::{
    exit::watch_verdict,
    last_thread::{is_last_thread, watch_main_thread},
};
pub use teams::{TeamConfig, TeamState, shape::Shape};
pub use world::World;

/// Maximum number of teams that a PE can be in at once, including the library's own.
pub const TEAMS_MAX: usize = area::SLOTS;
