//! HPE's spaces: a part of the device heap with a size of its own, as `shmemx_space_create` makes it.
//!
//! A thin layer over the runtime's routines of the device heap. A space counts the bytes of its blocks, and has no memory of its own: all
//! spaces share the device heap. The prototypes are read off calls of programs in Fortran; no header was at hand.

use crate::Vendors;
use core::ffi::{c_int, c_long, c_void};
use ferrite_abi::extensions::SHMEM_MTYPE_GPU;
use ferrite_os::mutex;
use ferrite_runtime::{Site, Team};
use std::{collections::HashMap, ptr, sync::Mutex};

/// `shmem_space_config_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SpaceConfig {
    /// The most bytes that are allocated from the space at once.
    pub size: usize,
    /// Kind of memory.
    pub mtype: c_int,
}

/// `shmem_space_t`: the number of a space, from 1 on.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Space(pub usize);

impl Space {
    /// The value that names no space.
    pub const NONE: Space = Space(0);
}

/// The spaces of a started world.
#[derive(Default)]
struct Spaces(Mutex<Vec<Open>>);

/// One space.
struct Open {
    size: usize,
    used: usize,
    /// The bytes of each block, by its address.
    blocks: HashMap<usize, usize>,
}

impl Vendors {
    /// Whether the members of `team` have device memory: 1 or 0.
    ///
    /// # Safety
    /// `team` is a team.
    pub unsafe fn x_query_gpu_awareness(&self, site: &'static Site, team: Team) -> c_int {
        // SAFETY: the caller's promise.
        c_int::from(unsafe { self.team_n_pes(site, team) } > 0 && self.has_device())
    }

    /// Make a space of device memory for all PEs. Returns 0, or another number if there can be no such space: the job has no device memory,
    /// the kind of memory is another, or the team is not the world. No options are known.
    ///
    /// # Safety
    /// `config` is valid for a read and `space` for a write.
    pub unsafe fn x_space_create(
        &self,
        site: &'static Site,
        team: Team,
        _options: c_long,
        config: *const SpaceConfig,
        space: *mut Space,
    ) -> c_int {
        let spaces = self.extension::<Spaces>(site);
        self.must_be_somewhere(site, "space", space);
        self.must_be_somewhere(site, "config", config.cast_mut());
        // SAFETY: the caller's promise.
        let config = unsafe { config.read() };
        if !self.has_device() || config.mtype != SHMEM_MTYPE_GPU || team != Team::WORLD {
            // SAFETY: the caller's promise.
            unsafe { space.write(Space::NONE) };
            return -1;
        }
        let mut spaces = mutex::lock(&spaces.0);
        spaces.push(Open { size: config.size, used: 0, blocks: HashMap::new() });
        // SAFETY: the caller's promise.
        unsafe { space.write(Space(spaces.len())) };
        0
    }

    /// Allocate `size` bytes of a space on all PEs. Returns null on all PEs if the space or the heap has no room.
    pub fn x_space_malloc(&self, site: &'static Site, space: Space, size: usize) -> *mut c_void {
        self.require_device_heap(site);
        let fits = self.in_space(site, space, |space| size <= space.size - space.used);
        if !fits {
            return ptr::null_mut();
        }
        let block = self.device_malloc(site, size);
        if !block.is_null() {
            self.in_space(site, space, |space| {
                space.used += size;
                space.blocks.insert(block as usize, size);
            });
        }
        block
    }

    /// Free a block of a space, once all PEs are done with it.
    ///
    /// # Safety
    /// The block is not used after this call.
    pub unsafe fn x_space_free(&self, site: &'static Site, space: Space, block: *mut c_void) {
        self.require_device_heap(site);
        if block.is_null() {
            return;
        }
        let size = self.in_space(site, space, |space| space.blocks.remove(&(block as usize)));
        let Some(size) = size else {
            self.misuse(
                site,
                format_args!("ptr {block:p} is not of this space; pass what shmemx_space_malloc returned, once"),
            );
        };
        self.in_space(site, space, |space| space.used -= size);
        // SAFETY: passed on.
        unsafe { self.device_free(site, block) };
    }

    fn in_space<T>(&self, site: &'static Site, space: Space, act: impl FnOnce(&mut Open) -> T) -> T {
        let all = self.extension::<Spaces>(site);
        let mut spaces = mutex::lock(&all.0);
        match space.0.checked_sub(1).and_then(|index| spaces.get_mut(index)) {
            Some(open) => act(open),
            None => {
                drop(spaces);
                self.misuse(
                    site,
                    format_args!("space {:#x} is not a space; pass what shmemx_space_create made", space.0),
                )
            }
        }
    }
}
