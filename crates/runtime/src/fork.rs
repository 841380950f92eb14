//! Children that a PE forks. A child is not a PE, and must not call the library.
//!
//! A child has a copy of the library's state, but the mapped memory, sockets and launcher are its parent's. A call of the child would count
//! as one of its parent: its barrier as the parent's arrival. So the child closes its copy of the world, as finalize does: the guards
//! refuse every address, the state is out of reach, and the first routine that the child calls reports it and ends the child
//! ([`World::require_live`]). This takes one handler in the child, and no instruction in any routine.
//!
//! The handler runs after `fork` only. Children of `vfork`, `posix_spawn` and `system` do nothing but exec; a child made by the bare system
//! call is not recognised.
//!
//! [`WORLD`] and [`IS_CHILD`] belong to the process. The child has one thread, which runs the handler before it returns from `fork`, so the
//! loads there need no order; the parent's stores are ordered by the fork.

use crate::World;
use core::{
    ptr,
    sync::atomic::{AtomicBool, AtomicPtr, Ordering::Relaxed},
};
use ferrite_fabric::{Error, Result};
use ferrite_memory::statics;
use ferrite_os::mutex;
use std::sync::Mutex;

/// The world of this process; null if there is none.
static WORLD: AtomicPtr<World> = AtomicPtr::new(ptr::null_mut());
/// Held while the pointer is stored, and while a thread of the library follows it. A child of fork has one thread, and does not take it.
static OPEN: Mutex<()> = Mutex::new(());
/// Whether this process is a child of a process that had a world.
static IS_CHILD: AtomicBool = AtomicBool::new(false);

/// Whether this process was forked from a PE.
pub(crate) fn is_child() -> bool {
    IS_CHILD.load(Relaxed)
}

/// Close `world` in children that the process forks while it is open.
///
/// # Safety
/// The world is not moved until it is finalized or dropped.
pub(crate) unsafe fn close_in_children(world: &World) -> Result<()> {
    statics::call_in_children(begin).map_err(|error| Error::because("watching for children of fork", error))?;
    let _open = mutex::lock(&OPEN);
    WORLD.store(ptr::from_ref(world).cast_mut(), Relaxed);
    Ok(())
}

impl World {
    /// Make every call to the open world of this process, if there is one, leave the near path. Called from any thread.
    pub(crate) fn interrupt_open() {
        let _open = mutex::lock(&OPEN);
        // SAFETY: null, or a world that has not moved. It is not dropped before it is forgotten, which waits for the lock.
        if let Some(world) = unsafe { WORLD.load(Relaxed).as_ref() } {
            world.interrupt();
        }
    }

    /// Forget this world, which is finalized or about to be dropped.
    pub(crate) fn forget_children(&self) {
        let _open = (!is_child()).then(|| mutex::lock(&OPEN));
        let _ = WORLD.compare_exchange(ptr::from_ref(self).cast_mut(), ptr::null_mut(), Relaxed, Relaxed);
    }
}

/// Called in the child of a fork, once the child has its own static data.
fn begin() {
    IS_CHILD.store(true, Relaxed);
    // SAFETY: null, or a world that has not moved and is neither finalized nor dropped.
    if let Some(world) = unsafe { WORLD.load(Relaxed).as_ref() } {
        world.abandon();
    }
}
