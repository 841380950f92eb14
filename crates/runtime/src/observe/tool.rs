//! Tools: observers of other crates, which ask more of the runtime than to be shown the calls.
//!
//! A world is created with the tools that may be attached to it ([`World::with_tools`]). Each init asks each of them with the settings in
//! force ([`Tool::attach`]). The tool answers with its observer, and with what it asks of the runtime ([`Wishes`]).

use super::Observer;
use crate::{Ctx, Site, Team, World, live::Live, observe::Layout};
use core::{
    ffi::{c_int, c_long},
    ops::Deref,
    sync::atomic::Ordering::Relaxed,
};
use ferrite_bootstrap::{Boot, NodeMap};
use ferrite_fabric::Result;
use ferrite_memory::{Memory, node::NodeMemory};
use ferrite_settings::Settings;
use std::sync::Arc;

/// A tool that can be attached to worlds.
pub trait Tool: Sync {
    /// Whether the tool needs the area that the PEs of a host share for checks. If one PE needs it, all PEs of its host get it.
    fn needs_check_area(&self, _settings: &Settings) -> bool {
        false
    }

    /// Attach the tool to the world that starts, or return `None`.
    fn attach(&self, start: &Start<'_>) -> Result<Option<Attachment>>;
}

/// A world that starts: the memory of the host is mapped, and the program has not called anything yet.
pub struct Start<'s> {
    /// The settings in force.
    pub settings: &'s Settings,
    /// The memory of the host.
    pub node: &'s NodeMemory,
    /// The PE's connection to its launcher.
    pub boot: &'s dyn Boot,
}

/// An attached tool.
pub struct Attachment {
    /// Is shown the calls and the events.
    pub observer: Arc<dyn Observer>,
    /// What the tool asks of the runtime.
    pub wishes: Wishes,
}

impl Attachment {
    /// An observer that asks for nothing more.
    pub fn of(observer: impl Observer + 'static) -> Attachment {
        Attachment { observer: Arc::new(observer), wishes: Wishes::default() }
    }
}

/// What a tool asks of the runtime.
#[derive(Default)]
pub struct Wishes {
    /// Number of bytes behind each block of the heap that the program does not get, where they fit.
    pub guard_bytes: usize,
    /// Receives operations on mapped memory.
    pub delays: Option<Arc<dyn Delays>>,
    /// The tool compares the collectives of the members of a team, so the runtime does not.
    pub compares_collectives: bool,
}

impl Wishes {
    /// The wishes of two tools.
    pub(super) fn and(self, other: Wishes) -> Wishes {
        Wishes {
            guard_bytes: self.guard_bytes.max(other.guard_bytes),
            delays: self.delays.or(other.delays),
            compares_collectives: self.compares_collectives || other.compares_collectives,
        }
    }
}

/// Something of interest to tools that is not a call.
pub enum Event<'e> {
    /// Init has granted this thread level.
    Level(c_int),
    /// All PEs have started. The program has not returned from init.
    Started,
    /// The heap has a new block of `bytes` bytes for the program, with `guard` bytes behind it. No PE has its address yet.
    Block {
        /// Offset in the heap.
        offset: u64,
        /// Size that the program has asked for.
        bytes: usize,
        /// Number of bytes behind it: [`Wishes::guard_bytes`], or 0 if they did not fit.
        guard: usize,
    },
    /// The program is about to get this team.
    Team(Team),
    /// The program announces operations on a context.
    SessionStart(&'static Site, Ctx),
    /// The program has issued the announced operations.
    SessionStop(Ctx),
    /// A collective of an active set is about to begin.
    ActiveSet {
        /// The routine.
        site: &'static Site,
        /// Start, logarithm of the stride, size.
        triple: [c_int; 3],
        /// The work array, which the runtime does not use.
        psync: *const c_long,
    },
    /// The job ends because the program has misused a routine. A tool may report it and end the job in its own way.
    Misuse(&'e Site, &'e str),
    /// The process ends, and the world has not.
    Exit,
}

/// Receives operations on mapped memory, to execute them later than the runtime would.
pub trait Delays: Send + Sync {
    /// Execute an operation at once, or hold it back. `target` is its context, and the PE of the world that it goes to.
    ///
    /// # Safety
    /// The memory that the operation names is valid until a quiet, and a source until its local completion. A closure is called once, in any
    /// thread of the process.
    unsafe fn post(&self, target: (Ctx, u32), operation: Operation);

    /// Execute all operations of a context that are held back.
    fn demand(&self, ctx: Ctx);

    /// Report that this PE has often looked for a value that has not come.
    fn waits_in_vain(&self);
}

/// An operation on mapped memory of a peer.
#[expect(missing_docs, reason = "a variant describes its fields")]
pub enum Operation {
    /// Copy `len` bytes from `source` to `to`. If `later`, the put is non-blocking: its source is read at any time before local completion.
    Put { to: *mut u8, source: *const u8, len: usize, later: bool },
    /// A put, and then the update of its signal.
    PutSignal { to: Option<*mut u8>, source: *const u8, len: usize, later: bool, raise: Box<dyn FnOnce()> },
    /// Copy blocks from `source` to `to`.
    PutBlocks { to: *mut u8, source: *const u8, layout: Layout },
    /// A non-blocking get of `len` bytes from `from` to `dest`.
    Get { dest: *mut u8, from: *const u8, len: usize },
    /// An update of a word, which may store a result.
    Update(Box<dyn FnOnce()>),
}

/// A started world, as observers see it.
#[derive(Clone, Copy)]
pub struct View<'w> {
    pub(super) world: &'w World,
    pub(crate) live: &'w Live,
}

impl<'w> View<'w> {
    /// Number of this PE.
    #[inline]
    pub fn me(self) -> u32 {
        self.live.me
    }

    /// Number of PEs.
    #[inline]
    pub fn size(self) -> u32 {
        self.live.size
    }

    /// The symmetric memory.
    #[inline]
    pub fn memory(self) -> &'w Memory {
        &self.live.memory
    }

    /// Whether an address is in the device heap.
    pub fn is_in_device_heap(self, address: usize) -> bool {
        self.device_room().is_some_and(|room| room.contains(address))
    }

    /// The hosts of the PEs.
    pub fn nodes(self) -> &'w NodeMap {
        self.live.boot.nodes()
    }

    /// Whether PEs share cores.
    pub fn is_crowded(self) -> bool {
        self.live.coll.crowded.load(Relaxed)
    }

    /// Whether a NIC executes the job's atomics, those on near PEs included.
    pub fn nic_atomics(self) -> bool {
        self.live.far.as_ref().is_some_and(|far| far.nic_atomics())
    }

    /// Show all calls to `observer` from here on.
    pub fn attach(self, observer: Arc<dyn Observer>) {
        self.live.observers.add(observer);
        self.world.show_calls(self.live);
    }

    /// Name of what carries traffic to PEs that are not mapped, if there are any.
    pub fn far_name(self) -> Option<&'static str> {
        self.live.far.as_ref().map(|far| far.name())
    }
}

impl Deref for View<'_> {
    type Target = World;

    #[inline]
    fn deref(&self) -> &World {
        self.world
    }
}

impl World {
    /// The world, if it has started. What the view lends is not used after the last finalize, which frees it.
    #[inline]
    pub fn view(&self) -> Option<View<'_>> {
        Some(View { world: self, live: self.live()? })
    }

    /// Show an event to the observers of the started world.
    #[cold]
    #[inline(never)]
    pub(crate) fn tell(&self, event: &Event<'_>) {
        if let Some(view) = self.view() {
            view.live.observers.each().for_each(|one| one.event(view, event));
        }
    }
}
