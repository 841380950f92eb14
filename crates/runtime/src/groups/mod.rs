//! Groups of PEs, and the handles that name them.
//!
//! | file | job |
//! |---|---|
//! | [`team`] | teams |

pub(crate) mod team;
