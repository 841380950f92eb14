//! Groups of PEs: teams, the contexts that belong to them, and the tables behind the handles of both.

pub(crate) mod context;
pub(crate) mod registry;
pub(crate) mod shape;
pub(crate) mod team;
