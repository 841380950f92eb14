//! Groups of PEs, contexts, and the handles that name them.
//!
//! | file | job |
//! |---|---|
//! | [`team`] | teams |
//! | `contexts` | contexts |

mod contexts;
pub(crate) mod team;
