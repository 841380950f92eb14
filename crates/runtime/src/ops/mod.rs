//! One-sided operations on symmetric memory, their order, and the routines that wait for them.

pub(crate) mod amo;
pub(crate) mod elem;
mod lock;
pub(crate) mod near;
pub(crate) mod order;
mod p2p;
mod rma;
mod signal;
mod strided;
