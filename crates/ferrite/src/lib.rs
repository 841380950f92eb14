//! OpenSHMEM for Rust: programs whose processes, the PEs, reach into each other's memory.
//!
//! Each PE runs the same program. What [`World::alloc`] gives is *symmetric*: every PE has it, and every PE can put to it and get from
//! it at any other, without the other's help.
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
//! A program's `main` is `#[ferrite::main] fn main(world: &World)`, or calls [`init`]. It is run by `oshrun -n 4 target/release/ring`, by
//! another launcher, or alone. With `runner = "oshrun -n 4"` in `.cargo/config.toml` it is run by `cargo run`.
//!
//! # What is promised
//!
//! A program without `unsafe` has no undefined behaviour, whatever its PEs do to each other's memory; a race gives some bytes of the
//! old value and some of the new, and the types that travel ([`Element`]) have a meaning for all bytes.
//!
//! - Nothing refers to memory that a peer may write. It is read and written by value and by copies ([`SymSlice`] says how), but in a
//!   [phase](Group::phase): a closure between two collectives, in which no PE can reach the slice, and its owner has it as `&mut [T]`.
//! - Operations return when their buffers are the program's again. Those that do not wait exist only in a [scope](Ctx::scope), whose end
//!   is quiet, or own their buffers ([`Ctx::put_async`]).
//! - Who may use what is a matter of types. The [`World`] and teams belong to one thread at a time; [contexts](Ctx) to those that
//!   their kind admits. A team cannot be used once it is destroyed.
//! - Dropping a handle waits for nobody. Its block is reclaimed when all PEs have dropped theirs, by the next allocation. Only the
//!   world's own end waits: it is the end of the job.
//! - A mistake that types do not exclude (a PE that does not exist, collectives that do not match) ends the job with one line that
//!   names PE, function and value. In [`local`] worlds it is a panic of that PE, which ends the others.
//!
//! # What cannot be kept from compiling
//!
//! - PEs that call collectives in different orders wait for each other.
//! - A put that is not ordered by [`fence`](Ctx::fence), a signal or a barrier before a flag may be seen after it. [`sim`] finds such.
//! - A put beside a get of the same place, or beside [`SymSlice::read`] there, gives either value, or a mixture of both where it is not a
//!   number of one, two, four or eight bytes.
//! - A collective on slices returns when this PE is done. The next one that writes the same `dest` may disturb members that are not:
//!   a [`sync`](Group::sync) belongs between. [`sim`] finds that, too.
//! - Members of a collective that give different lengths may write beyond a block of another's, into other symmetric memory, as in C.
//! - Rust's memory model knows nothing of other processes. This library and the runtime access symmetric memory by instructions that
//!   the compiler neither splits, repeats nor merges, and that behave as relaxed atomics of at most eight bytes: a value that is read
//!   while a peer writes it is a mixture of old and new parts, never undefined behaviour, and each [`Element`] has a meaning for every
//!   mixture. In [`local`] worlds, whose PEs are threads of one program, the same instructions are used.
//!
//! # Where to look
//!
//! [`World`] for memory, [`Ctx`] for put, get, atomics, signals, waiting and locks, [`Group`] and [`Collective`] for teams, barriers and
//! collectives, [`World::aggregate`] for many small messages, [`local`], [`sim`] and
//! [`test`] for tests. The guide in `crates/ferrite/guide` leads from the first program to tuning.
#![deny(missing_docs)]

// The attributes' paths, and those of the examples, within this crate's own tests.
extern crate self as ferrite;

mod aggregate;
mod atomic;
mod collective;
mod context;
mod element;
mod group;
mod local;
mod lock;
mod memory;
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
pub use bytemuck;
pub use collective::Collective;
pub use context::{Ctx, DefaultContext, Kind, Private, Serialized, Shared};
pub use element::{Atomic, AtomicBits, AtomicInt, AtomicValue, Element, Lock, Signal, Symmetric, Watchable, Watched};
pub use ferrite_macros::{main, test};
pub use group::Group;
pub use local::local;
pub use lock::LockGuard;
pub use memory::{At, Span, SymAtomic, SymBox, SymLock, SymSignal, SymSlice};
pub use phase::Phase;
pub use process::init;
pub use reduce::{Integer, Number};
pub use request::{InFlight, Request, Until};
pub use scope::Scope;
pub use sim::sim;
pub use statics::Static;
pub use team::{SplitError, Team};
pub use wait::{Cmp, SignalOp};
pub use world::{AllocError, World};

/// The guide's programs, compiled and run.
#[cfg(doctest)]
mod guide {
    #![doc = include_str!("../guide/src/first.md")]
    #![doc = include_str!("../guide/src/memory.md")]
    #![doc = include_str!("../guide/src/scopes.md")]
    #![doc = include_str!("../guide/src/teams.md")]
    #![doc = include_str!("../guide/src/aggregation.md")]
    #![doc = include_str!("../guide/src/testing.md")]
    #![doc = include_str!("../guide/src/simulation.md")]
}

/// What most programs name: `use ferrite::prelude::*;`.
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

/// What the macros name.
#[doc(hidden)]
pub mod __private {
    pub use crate::{
        local::test,
        process::run,
        statics::{DECLARED, Declared},
    };
    pub use linkme;
}
