//! The tools that Ferrite attaches to its worlds: observers of the program's calls ([`ferrite_runtime::observe`]). They use the runtime by
//! its public interface only, and the runtime does not know them.

pub mod check;

use ferrite_runtime::observe::Tool;

/// All tools, for [`World::with_tools`](ferrite_runtime::World::with_tools).
pub const ALL: &[&dyn Tool] = &[&check::Checker];
