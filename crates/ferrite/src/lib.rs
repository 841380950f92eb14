//! OpenSHMEM for Rust: programs whose processes, the PEs, read and write each other's memory.
//!
//! Each PE runs the same program. [`World::alloc`] returns *symmetric* memory: the block exists on every PE, and each PE can put to it and
//! get from it on any other PE, without that PE's help.
//!
//! ```
//! use ferrite::prelude::*;
//!
//! fn ring(world: &World) {
//!     let inbox = world.alloc_box::<u64>().unwrap();
//!     let right = (world.my_pe() + 1) % world.n_pes();
//!     world.put(&inbox, u64::from(world.my_pe()), right);
//!     world.barrier();
//!     println!("PE {} has heard from PE {}", world.my_pe(), inbox.read());
//! }
//!
//! // Four PEs that are threads: in tests, examples and debuggers.
//! ferrite::local(4, ring);
//! ```
//!
//! A program's `main` is `#[ferrite::main] fn main(world: &World)`, or calls [`init`]. Start the program with
//! `oshrun -n 4 target/release/ring`, with another launcher, or alone. With `runner = "oshrun -n 4"` in `.cargo/config.toml`, `cargo run`
//! starts it on four PEs.
//!
//! # Guarantees
//!
//! A program without `unsafe` has no undefined behaviour, whatever its PEs do to each other's memory. A race yields a mixture of old and
//! new bytes, and the types that travel ([`Element`]) have a meaning for every combination of bytes.
//!
//! - No reference points to memory that a peer may write. Symmetric memory is read and written by value and by copies (see [`SymSlice`]).
//!   The one exception is a [phase](Group::phase): a closure between two collectives, in which no other PE can reach the slice, and its
//!   owner has it as `&mut [T]`.
//! - An operation returns when the program may use its buffers again. Operations that do not wait exist only in a [scope](Ctx::scope),
//!   which ends with a quiet, or own their buffers ([`Ctx::put_async`]).
//! - Types state which thread may use a handle. The [`World`] and teams belong to one thread at a time; a [context](Ctx) belongs to the
//!   threads that its kind admits. A team cannot be used once it is destroyed.
//! - Dropping a handle does not wait for other PEs. The next allocation after all PEs have dropped their handles reclaims the block. Only
//!   dropping the world waits: it ends the job.
//! - A mistake that types do not exclude (a PE that does not exist, collectives that do not match) ends the job with one line that names
//!   the PE, the function and the value. In a [`local`] world that PE panics instead, which ends the other PEs.
//!
//! # Mistakes that compile
//!
//! - PEs that call collectives in different orders wait for each other for ever.
//! - A put to a flag may be seen before an earlier put of data, unless a [`fence`](Ctx::fence), a signal or a barrier orders the two.
//!   [`sim`] finds such mistakes.
//! - A get, or a [`SymSlice::read`], that runs at the same time as a put to the same place returns either value. If the value is not a
//!   number of one, two, four or eight bytes, it may return a mixture of both.
//! - A collective on slices returns when this PE is done. Another collective that writes the same `dest` may disturb members that are not
//!   done yet: call [`sync`](Group::sync) between the two. [`sim`] finds this mistake, too.
//! - If the members of a collective pass different lengths, they may write beyond the end of another member's block, into other symmetric
//!   memory, as in C.
//! - Rust's memory model does not cover other processes. This library and the runtime access symmetric memory with instructions that the
//!   compiler neither splits, repeats nor merges, and that behave as relaxed atomics of at most eight bytes. A value that is read while a
//!   peer writes it is a mixture of old and new parts, never undefined behaviour, and each [`Element`] has a meaning for every mixture. In
//!   [`local`] worlds, whose PEs are threads of one program, the same instructions are used. Reductions and scans are the exception: they
//!   compute on `source` and `dest` as on plain memory. In a [`local`] world a put to either of them meanwhile is a data race.
//!
//! # Where to look
//!
//! [`World`] for memory, [`Ctx`] for put, get, atomics, signals, waiting and locks, [`Group`] and [`Collective`] for teams, barriers and
//! collectives, [`World::aggregate`] for many small messages, [`local`], [`sim`] and
//! [`test`] for tests. The guide in `crates/ferrite/guide` leads from the first program to tuning.
#![deny(missing_docs)]

/// The program of the README, as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

// Makes the paths in the attributes and examples resolve within this crate's own tests.
extern crate self as ferrite;

/// Operations on a context, which are methods of the [`World`] as well: it uses the default context.
macro_rules! operations {
    ($($methods:tt)*) => {
        impl<K: Kind> Ctx<'_, K> {
            $($methods)*
        }
        impl crate::World {
            $($methods)*
        }
    };
}

mod aggregate;
mod alloc_error;
mod atomic;
mod collective;
mod context;
mod device;
mod element;
mod group;
mod local;
mod lock;
mod loss;
mod memory;
mod panics;
mod phase;
mod process;
mod reduce;
#[cfg(doctest)]
mod refused;
mod request;
mod rma;
mod scope;
mod sim;
mod statics;
mod team;
mod wait;
mod world;

pub use aggregate::{Items, Updates};
pub use alloc_error::AllocError;
pub use bytemuck;
pub use collective::Collective;
pub use context::{Ctx, DefaultContext, Kind, Private, Serialized, Shared};
pub use device::{Device, DeviceSlice, Operand, SignalPlace};
pub use element::{Atomic, AtomicBits, AtomicInt, AtomicValue, Element, Lock, Signal, Symmetric, Watchable, Watched};
pub use ferrite_macros::{main, test};
pub use group::Group;
pub use local::local;
pub use lock::LockGuard;
pub use loss::{Loss, WorldError, with_world};
pub use memory::{At, Place, Places, Span, SymAtomic, SymBox, SymLock, SymSignal, SymSlice};
pub use phase::Phase;
pub use process::{JoinError, UniqueId, init};
pub use reduce::{Integer, Number};
pub use request::{InFlight, Request, Until};
pub use scope::Scope;
pub use sim::sim;
pub use statics::Static;
pub use team::{SplitError, Team};
pub use wait::{Cmp, SignalOp};
pub use world::World;

/// The guide's programs, compiled and run.
#[cfg(doctest)]
mod guide {
    #![doc = include_str!("../guide/src/first.md")]
    #![doc = include_str!("../guide/src/memory.md")]
    #![doc = include_str!("../guide/src/scopes.md")]
    #![doc = include_str!("../guide/src/teams.md")]
    #![doc = include_str!("../guide/src/aggregation.md")]
    #![doc = include_str!("../guide/src/errors.md")]
    #![doc = include_str!("../guide/src/testing.md")]
    #![doc = include_str!("../guide/src/simulation.md")]
    #![doc = include_str!("../guide/src/hosts.md")]
}

/// The names that most programs import: `use ferrite::prelude::*;`.
///
/// ```
/// use ferrite::prelude::*;
/// fn total(world: &World, mine: f64) -> f64 {
///     world.sum(mine)
/// }
/// assert_eq!(ferrite::local(2, |world| total(world, 0.5)), [1.0, 1.0]);
/// ```
pub mod prelude {
    pub use crate::{
        Atomic, Cmp, Collective, Element, Group, Lock, Signal, SignalOp, SymAtomic, SymBox, SymLock, SymSignal,
        SymSlice, Team, World,
    };
}

/// Items that the macros' expansions refer to.
#[doc(hidden)]
pub mod __private {
    pub use crate::{
        local::test,
        process::run,
        statics::{DECLARED, Declared},
    };
    pub use linkme;
}
