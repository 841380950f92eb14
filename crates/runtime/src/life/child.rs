//! Children that a PE forks. None of them is a PE, and none may call the library.
//!
//! A child has a copy of the library's state, but mapped memory, sockets and the launcher are its parent's. What it called would count
//! as its parent's call: its barrier as the parent's arrival. So the child closes its copy of the world, as finalize does: the guards
//! refuse every address, the state is out of reach, and the first routine that is called finds neither and ends the child by name
//! ([`World::require_live`]). That takes one handler in the child, and no instruction of any routine.
//!
//! The handler runs after `fork` alone. The children of `vfork`, `posix_spawn` and `system` run nothing but exec; a child that a program
//! makes by the bare system call is not recognised.
//!
//! [`WORLD`] and [`IS_CHILD`] are facts of the process. The child has one thread, which runs the handler before it returns from `fork`,
//! so the loads there need no order; the parent's stores are ordered by the fork.

use crate::{World, memory::statics};
use core::{
    ptr,
    sync::atomic::{AtomicBool, AtomicPtr, Ordering::Relaxed},
};
use ferrite_fabric::{Error, Result};

/// The world of this process; null where there is none.
static WORLD: AtomicPtr<World> = AtomicPtr::new(ptr::null_mut());
/// Whether this process is a child of one that had a world.
static IS_CHILD: AtomicBool = AtomicBool::new(false);

/// Whether this process was forked from a PE.
pub(crate) fn is_child() -> bool {
    IS_CHILD.load(Relaxed)
}

impl World {
    /// Close this world in children that the process forks while it is open.
    ///
    /// # Safety
    /// The world is not moved until it is finalized or dropped.
    pub unsafe fn close_in_children(&self) -> Result<()> {
        statics::watch_forks().map_err(|error| Error::because("watching for children of fork", error))?;
        WORLD.store(ptr::from_ref(self).cast_mut(), Relaxed);
        Ok(())
    }

    /// This world is finalized, or about to go.
    pub(crate) fn forget_children(&self) {
        let _ = WORLD.compare_exchange(ptr::from_ref(self).cast_mut(), ptr::null_mut(), Relaxed, Relaxed);
    }
}

/// Called in the child of a fork, once it has static data of its own.
pub(crate) fn begin() {
    IS_CHILD.store(true, Relaxed);
    // SAFETY: null, or a world that has not moved and is neither finalized nor dropped.
    if let Some(world) = unsafe { WORLD.load(Relaxed).as_ref() } {
        world.abandon();
    }
}
