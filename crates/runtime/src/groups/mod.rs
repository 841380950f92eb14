//! Groups of PEs, and the handles that name them.
//!
//! | file | job |
//! |---|---|
//! | [`team`] | teams |
//! | [`context`] | contexts, each of a team |
//! | [`shape`] | the members of a team, in order |
//! | [`registry`] | maps handles to values |

pub(crate) mod context;
pub(crate) mod registry;
pub(crate) mod shape;
pub(crate) mod team;
