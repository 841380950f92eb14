//! The tools that Ferrite attaches to its worlds: observers of the program's calls ([`ferrite_runtime::observe`]). They use the runtime by
//! its public interface only, and the runtime does not know them.
//!
//! | module | attached | job |
//! |---|---|---|
//! | `log` | by `FERRITE_LOG`, if its lines are wanted | reports calls, and the time of collectives |
//! | `check` | by `SHMEM_CHECK` (`oshrun --check`), or in programs of `oshcc --check` | finds mistakes of the program |
//! | `profile` | by `SHMEM_PROFILE` and `SHMEM_TRACE` (`oshrun --profile`, `--trace`) | records calls for a page or a trace |

pub mod check;
mod log;
mod profile;

pub use check::Checker;
use ferrite_runtime::observe::Tool;
pub use log::Logger;
pub use profile::Profiler;

/// All tools, for [`World::with_tools`](ferrite_runtime::World::with_tools). They are shown a call in this order.
pub const ALL: &[&dyn Tool] = &[&Logger, &Checker, &Profiler];
