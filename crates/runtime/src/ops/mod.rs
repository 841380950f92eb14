//! One-sided operations on symmetric memory, their order, and the routines that wait for them.
//!
//! | file | job |
//! |---|---|
//! | [`near`] | the guard that every operation passes: is the PE mapped, is the address symmetric? |
//! | `rma`, `strided` | puts and gets |
//! | [`amo`] | atomics |
//! | `signal` | puts with a signal |
//! | [`order`] | fence and quiet |
//! | `p2p` | `wait_until`, `test` and their kin |
//! | `lock` | distributed locks |
//! | [`elem`] | the types that these move, update and compare |

pub(crate) mod amo;
pub(crate) mod elem;
mod lock;
pub(crate) mod near;
pub(crate) mod order;
mod p2p;
mod rma;
mod signal;
mod strided;
