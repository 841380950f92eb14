//! Routines of other vendors' OpenSHMEM libraries that are more than an alias of a standard routine, above the runtime.
//!
//! [`Vendors`] is a world with these routines: its methods are those of [`World`], and the ones that the files of this crate add. State that
//! lasts between calls is an extension of the world ([`World::extension`]).
//!
//! | file | job |
//! |---|---|
//! | `cray` | Cray's atomics, signals, sessions, teams and collectives |
//! | `sandia` | Sandia OpenSHMEM's clock, node name and thread numbers |
//! | `spaces` | HPE's spaces of device memory |
//! | `pcntr`, `ct` | Sandia OpenSHMEM's counters: of operations, and at targets |
#![warn(missing_docs)]

mod cray;
mod ct;
mod pcntr;
mod sandia;
mod spaces;

use core::{ops::Deref, ptr};
pub use cray::COLOR_UNDEFINED;
pub use ct::Ct;
use ferrite_runtime::World;
pub use pcntr::{OperationCounter, Pcntr};
pub use sandia::Gettid;
pub use spaces::{Space, SpaceConfig};

/// A world with the routines of other vendors.
#[repr(transparent)]
pub struct Vendors(pub World);

impl Vendors {
    /// A world of another owner, with these routines.
    pub fn of(world: &World) -> &Vendors {
        // SAFETY: the types have the same layout.
        unsafe { &*ptr::from_ref(world).cast() }
    }
}

impl Deref for Vendors {
    type Target = World;

    #[inline(always)]
    fn deref(&self) -> &World {
        &self.0
    }
}
