//! The topology of a machine as data, and the placement of a job's PEs on it.
//!
//! A [`Machine`] is read once from the kernel ([`Machine::probe`]), or written by hand ([`Machine::synthetic`]).
//! Everything else is a function of it. [`place`] takes a machine, a number of PEs and the user's two options
//! ([`MapBy`], [`BindTo`]), and returns the cpus and NICs of each PE. Only [`allowed`], [`quota`], [`quota_among`],
//! [`bind_current`] and [`try_binding`] make system calls about cpus.
//!
//! ```
//! use ferrite_topology::{Machine, MapBy, place};
//!
//! let machine = Machine::synthetic("2x[2x4]")?;
//! let placements = place(&machine, 4, MapBy::Numa, None)?;
//! assert_eq!(machine.draw(&placements[1].cpus), "[./././.|#/././.][./././.|./././.]");
//! # Ok::<(), ferrite_topology::Error>(())
//! ```
//!
//! | part | files |
//! |---|---|
//! | the machine | `machine`, `cpuset`; `probe`, `nics` and `gpus` read it, `synthetic` parses it, `listing` passes it to another program |
//! | placement | `policy`: the user's options; `place`, `rails`, `gpus`: cpus, NICs, GPUs of PEs; `unbound`: why PEs are not bound; `bind` |
//! | display | `draw`, `picture` |

#![warn(missing_docs)]
mod bind;
mod cpuset;
mod draw;
mod error;
mod gpus;
mod listing;
mod machine;
mod nics;
mod picture;
mod place;
mod policy;
mod probe;
mod rails;
mod synthetic;
mod unbound;

pub use bind::{allowed, bind_current, quota, quota_among, try_binding};
pub use cpuset::CpuSet;
pub use error::{Error, Result};
pub use gpus::{GivenGpu, Gpu, GpuMaker, GpuWish};
pub use machine::{Core, Machine, Nic, NicKind, Numa, Package};
pub use nics::{EFA, driver, sort as sort_nics};
pub use place::{Placement, place, place_programs, usable_parts};
pub use policy::{BindTo, MapBy, Resource, Wishes};
pub use probe::{Probe, Sysfs};
pub use rails::{Rails, rails};
pub use unbound::Unbound;
