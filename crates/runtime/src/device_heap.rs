//! The routines of the symmetric heap in device memory: `shmemg_malloc` and its kin. They are collective over the world.
//!
//! As in `heap`, every PE computes the block of a call by the same arithmetic. The memory is there from the start, so there is nothing to
//! agree on but the history: PEs whose calls differ would have other objects at the same offsets.

use crate::{
    Ctx, Language, Site, World,
    device::DeviceRoom,
    live::Live,
    misuse::{no_memory, place},
    observe::{Call, Kind, Layout},
};
use core::{ffi::c_void, ptr};
use ferrite_memory::{
    heap::{
        alloc::{NotABlock, Tag},
        budget::Bytes,
    },
    node::HEAP_ALIGN,
};
use ferrite_program::streams::flush_streams;
use std::io::{self, Write};

impl World {
    /// Allocate `size` bytes of device memory on all PEs. Returns null on all PEs if the heap has no room.
    pub fn device_malloc(&self, site: &'static Site, size: usize) -> *mut c_void {
        self.allocate_on_device(site, size, 1, false)
    }

    /// Allocate `count` objects of `size` zero bytes.
    pub fn device_calloc(&self, site: &'static Site, count: usize, size: usize) -> *mut c_void {
        self.allocate_on_device(site, count.saturating_mul(size), 1, true)
    }

    /// Allocate at a multiple of `alignment`. Returns null if `alignment` is not a power of two.
    pub fn device_align(&self, site: &'static Site, alignment: usize, size: usize) -> *mut c_void {
        self.require_device(site);
        if !alignment.is_power_of_two() {
            return ptr::null_mut();
        }
        self.allocate_on_device(site, size, alignment, false)
    }

    /// Free a block, once all PEs are done with it.
    ///
    /// # Safety
    /// The block is not used after this call.
    pub unsafe fn device_free(&self, site: &'static Site, block: *mut c_void) {
        let (live, room) = self.require_device(site);
        let _observed = self.observe(|_| Call {
            remote: block as usize,
            ..if block.is_null() { Call::of(site, Kind::Free) } else { Call::among_all(live, site, Kind::Free) }
        });
        if block.is_null() {
            return;
        }
        if !room.contains(block as usize) {
            self.misuse(
                site,
                format_args!("ptr {block:p} is not from the device heap; pass what shmemg_malloc returned"),
            );
        }
        let _turn = live.memory.lock_allocation();
        self.quiet(site, Ctx::DEFAULT);
        self.meet_on_device(site, live, room);
        let freed = room.blocks().free((block as usize - room.heap().base) as u64);
        if let Err(wrong) = freed {
            self.not_a_device_block(site, block, &wrong);
        }
    }

    fn allocate_on_device(&self, site: &'static Site, size: usize, align: usize, zeroed: bool) -> *mut c_void {
        let (live, room) = self.require_device(site);
        let observed = self.observe(|_| Call {
            layout: Layout::contiguous(size),
            ..if size > 0 { Call::among_all(live, site, Kind::Allocate) } else { Call::of(site, Kind::Allocate) }
        });
        if size == 0 {
            return ptr::null_mut();
        }
        let _turn = live.memory.lock_allocation();
        self.quiet(site, Ctx::DEFAULT);
        let tag = Tag { hints: 0, routine: site.name };
        // Device heaps begin at multiples of `HEAP_ALIGN`, as host heaps do.
        let offset = if align <= HEAP_ALIGN { room.blocks().alloc(size as u64, align as u64, tag) } else { None };
        match offset {
            Some(offset) if zeroed => {
                room.zero(offset, size).unwrap_or_else(|error| live.device_failed(site, &error));
            }
            Some(_) => {}
            None => room.report_refusal(live, site, size, align),
        }
        self.meet_on_device(site, live, room);
        let place = offset.map_or(ptr::null_mut(), |offset| (room.heap().base + offset as usize) as *mut c_void);
        observed.gives(place as usize);
        place
    }

    /// A barrier in which the PEs compare their calls so far.
    fn meet_on_device(&self, site: &'static Site, live: &Live, room: &DeviceRoom) {
        let history = room.blocks().history();
        // All PEs have the same bits set and the same bits clear.
        let mine = [history, !history];
        if self.agree_on(site, mine, |_, a, b| a & b) != mine {
            self.misuse(
                site,
                format_args!(
                    "the device heaps of the PEs differ now: every PE must call {} and similar routines with the same arguments \
                     and in the same order",
                    allocator(site)
                ),
            );
        }
        if live.settings.barriers_flush {
            flush_streams();
        }
    }

    /// End the job unless the program has device memory.
    pub fn require_device_heap(&self, site: &'static Site) {
        self.require_device(site);
    }

    /// The started world and its device heap. End the job if there is none.
    pub(crate) fn require_device(&self, site: &'static Site) -> (&Live, &DeviceRoom) {
        let live = self.require_live(site);
        let Some(room) = self.device_room() else {
            self.misuse(
                site,
                format_args!(
                    "there is no device heap: request SHMEM_DEVICE_HOST_INIT from shmem_init_thread, and call this only if it was granted"
                ),
            );
        };
        (live, room)
    }

    #[cold]
    fn not_a_device_block(&self, site: &'static Site, block: *mut c_void, wrong: &NotABlock) -> ! {
        self.misuse(site, format_args!("ptr {block:p} {wrong}; pass what shmemg_malloc returned, once"))
    }
}

impl DeviceRoom {
    /// Report the first allocation that returned null, on PE 0, for programs that crash on the null pointer.
    fn report_refusal(&self, live: &Live, site: &Site, size: usize, align: usize) {
        if live.me == 0 && self.is_first_refusal() {
            let usage = self.blocks().usage();
            let why = if align > HEAP_ALIGN {
                format!("blocks can be aligned to at most {}", Bytes(HEAP_ALIGN as u64))
            } else {
                "no free block of this size in the device heap; raise SHMEM_DEVICE_SYMMETRIC_SIZE".to_owned()
            };
            let [size, used, ceiling] = [size as u64, usage.live, usage.ceiling].map(Bytes);
            // A failed write is ignored: the program can still handle the failure.
            let _ = writeln!(
                io::stderr(),
                "ferrite: PE 0: {}({size}) returns {} on all PEs: {why}; in use are {used} of {ceiling} (further failures are not \
                 reported){}",
                site.name,
                no_memory(site),
                place()
            );
        }
    }
}

/// The routine that allocates device memory, in the program's language.
fn allocator(site: &Site) -> &'static str {
    if site.language == Language::Rust { "Device::alloc" } else { "shmemg_malloc" }
}
