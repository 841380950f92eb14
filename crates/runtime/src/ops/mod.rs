//! One-sided operations on symmetric memory, their order, and the routines that wait for them.
//!
//! | file | job |
//! |---|---|
//! | `rma`, `strided` | puts and gets |
//! | [`amo`], `update` | atomics |
//! | `signal` | puts with a signal |
//! | [`order`] | fence and quiet |
//! | `p2p`, `vectors` | `wait_until`, `test` and their kin, for a word and for several |
//! | `lock` | distributed locks |
//! | `tickets` | what has become of a context's operations, for crates above |

pub(crate) mod amo;
mod lock;
pub(crate) mod order;
mod p2p;
mod rma;
mod signal;
mod strided;
mod tickets;
mod update;
mod vectors;
