//! Device memory: the symmetric heap of a GPU, and operations on it and on other memory of the GPU.
//!
//! A program that requests `SHMEM_DEVICE_HOST_INIT` gets a [`DeviceRoom`] at init (`life/device.rs` opens it). From then on the guards of
//! the near path are shut, as they are for observers, so that every call takes its cold twin; a call that has a device address is handled
//! here, and every other call goes on as usual. Worlds without a room never come here: their cold twins find that there is none.
//!
//! # Where the memory is
//!
//! Each PE creates its heap on its own device. The PEs of a host that share memory map each other's heaps, so that the driver copies between
//! them (`Spot::Mapped`). The memory of other PEs is reached through host memory (`staged`): the data pass through slots of the
//! target's symmetric host heap, and the target's processor copies between a slot and its device when it is asked to (`served`).
//!
//! # Order and completion
//!
//! Every operation on device memory is complete at its target when its routine returns, also the non-blocking ones. So a quiet has nothing
//! to wait for in the device's memory, and a signal is raised after its data without more ado, whichever memory each is in. An operation that
//! a fabric carries uses the stream of its context, whose fences order it behind earlier operations on host memory.
//!
//! # Atomics
//!
//! A host cannot execute an atomic on device memory; it reads the word, changes it and writes it back. So the words of a PE's heap have a
//! lock in the control area of that PE ([`area::DEVICE_LOCK_AT`]): PEs of the host take it, and the PE itself takes it for PEs that are not
//! mapped. The lock is taken with acquire and left with release, and the driver has completed both copies in between, so each
//! update sees the one before. Atomics are atomic among operations that hosts initiate, not with respect to kernels.
//!
//! | file | job |
//! |---|---|
//! | `transfer` | puts and gets, also strided |
//! | `words` | atomics, signals, and waits for words |
//! | `staged` | the initiator's side of a transfer to a PE that is not mapped |
//! | `served` | the target's side of such transfers and of atomics |

pub(crate) mod served;
mod staged;
pub(crate) mod transfer;
mod words;

use crate::{Site, World, area, live::Live};
use core::{
    ptr::NonNull,
    sync::atomic::{
        AtomicBool, AtomicU32,
        Ordering::{Acquire, Relaxed, Release},
    },
};
use ferrite_device::{Device, Error, Extent, HostBuffer, Kind, Mapping, Place, Queue, Result, Side};
use ferrite_memory::heap::alloc::Allocator;
use ferrite_os::mutex;
use served::{STAGING_BYTES, Staging};
use std::{
    sync::{Arc, Mutex, MutexGuard, OnceLock},
    time::Duration,
};

/// Looks at a taken lock before this thread lets others run.
const SPINS: u32 = 200;
/// Pause between further looks. The holder waits for two copies of the driver, which take some microseconds.
const PAUSE: Duration = Duration::from_micros(10);

/// A PE of this host that maps its memory here.
pub(crate) struct Neighbor {
    pub pe: u32,
    /// Its device heap; `None` for this PE itself.
    pub heap: Option<Mapping>,
    /// The lock of the words of its heap, in its control area.
    pub lock: *const AtomicU32,
}

/// The device memory of a started world.
pub(crate) struct DeviceRoom {
    me: u32,
    device: Arc<dyn Device>,
    /// Copies for the program's threads, and for peers.
    queues: [Queue; 2],
    heap: Mapping,
    neighbors: Box<[Neighbor]>,
    blocks: Mutex<Allocator>,
    /// An allocation has returned null.
    has_refused: AtomicBool,
    /// Another PE has ended this one's waits.
    over: Option<Arc<AtomicBool>>,
    /// Page-locked buffers for staged transfers that no transfer uses.
    bounces: Mutex<Vec<HostBuffer>>,
    staging: OnceLock<Staging>,
}

// SAFETY: the locks are words of the control area, which stays mapped as long as the world, and are accessed by atomics only.
unsafe impl Send for DeviceRoom {}
// SAFETY: as above.
unsafe impl Sync for DeviceRoom {}

/// The requester of a copy, which waits for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum For {
    /// A routine of the program.
    Program,
    /// A peer, whose request this PE executes.
    Peer,
}

impl DeviceRoom {
    /// `over` becomes true when another PE ends this one's waits.
    pub fn new(
        me: u32,
        device: Arc<dyn Device>,
        heap: Mapping,
        neighbors: Box<[Neighbor]>,
        over: Option<Arc<AtomicBool>>,
    ) -> Result<DeviceRoom> {
        let queues = [Queue::open(&device)?, Queue::open(&device)?];
        let blocks = Mutex::new(Allocator::new(heap.range().bytes as u64));
        let (bounces, staging, has_refused) = (Mutex::default(), OnceLock::new(), AtomicBool::new(false));
        Ok(DeviceRoom { me, device, queues, heap, neighbors, blocks, has_refused, over, bounces, staging })
    }

    /// Whether another PE has ended this one's waits.
    pub fn is_over(&self) -> bool {
        self.over.as_ref().is_some_and(|over| over.load(Relaxed))
    }

    /// Add the host memory through which peers that are not mapped reach the heap.
    ///
    /// # Safety
    /// The memory has [`STAGING_BYTES`], and stays mapped as long as this.
    pub unsafe fn add_staging(&self, mut staging: Staging) {
        let base = NonNull::new(staging.base()).expect("staging memory has an address");
        // SAFETY: the caller's promise. Copies work without page-locked memory, more slowly.
        let locked = unsafe { self.device.page_lock(base, STAGING_BYTES) };
        if let Err(error) = &locked {
            tracing::info!(%error, "staging memory is not page-locked");
        }
        staging.is_locked = locked.is_ok();
        let _ = self.staging.set(staging);
    }

    /// Whether no allocation has returned null before.
    pub fn is_first_refusal(&self) -> bool {
        !self.has_refused.swap(true, Relaxed)
    }

    /// This PE's heap.
    pub fn heap(&self) -> Extent {
        self.heap.range()
    }

    /// The blocks of the heap, which are alike on all PEs.
    pub fn blocks(&self) -> MutexGuard<'_, Allocator> {
        mutex::lock(&self.blocks)
    }

    /// The host memory through which peers reach this PE's heap, if some are not mapped.
    pub fn staging(&self) -> Option<&Staging> {
        self.staging.get()
    }

    /// Whether an address is in this PE's device heap.
    #[inline]
    pub fn contains(&self, address: usize) -> bool {
        address.wrapping_sub(self.heap().base) < self.heap().bytes
    }

    /// Offset in the heap of `len` bytes of it.
    fn offset(&self, address: usize, len: usize) -> Option<u64> {
        let (offset, bytes) = (address.wrapping_sub(self.heap().base), self.heap().bytes);
        (offset < bytes && len <= bytes - offset).then_some(offset as u64)
    }

    /// Where the heap of a PE begins, if it is mapped here.
    pub fn base_of(&self, pe: u32) -> Option<usize> {
        let neighbor = self.neighbor(pe)?;
        Some(neighbor.heap.as_ref().map_or(self.heap().base, |heap| heap.range().base))
    }

    fn neighbor(&self, pe: u32) -> Option<&Neighbor> {
        self.neighbors.iter().find(|one| one.pe == pe)
    }

    /// The memory that an address belongs to, as a side of a copy, and the end of the device memory that it is in.
    fn classify(&self, address: usize) -> Result<(Side, usize)> {
        if self.contains(address) {
            return Ok((Side::Device(address), self.heap().base + self.heap().bytes));
        }
        Ok(match self.device.classify(address)? {
            Place::Device { extent, .. } => (Side::Device(address), extent.base.saturating_add(extent.bytes)),
            Place::Host | Place::PageLocked | Place::Managed => (Side::Host(address), usize::MAX),
        })
    }

    /// Copy `len` bytes, and wait until they have arrived.
    ///
    /// # Safety
    /// Both sides are valid for as many bytes, and do not overlap unless they are equal.
    pub unsafe fn copy(&self, whom: For, to: Side, from: Side, len: usize) -> Result<()> {
        let queue = &self.queues[whom as usize];
        let stream = queue.stream();
        // SAFETY: the caller's contract; the copies are waited for.
        unsafe {
            match (to, from) {
                _ if to == from => return Ok(()),
                (Side::Host(to), Side::Host(from)) => {
                    ferrite_copy::copy(to as *mut u8, from as *const u8, len);
                    return Ok(());
                }
                (Side::Host(to), Side::Device(from)) => self.device.copy_to_host(stream, to as *mut u8, from, len)?,
                (Side::Device(to), Side::Host(from)) => {
                    self.device.copy_to_device(stream, to, from as *const u8, len)?
                }
                (Side::Device(to), Side::Device(from)) => self.device.copy_on_device(stream, to, from, len)?,
            }
        }
        queue.drain()
    }

    /// Fill a part of the heap with zeros.
    pub fn zero(&self, offset: u64, len: usize) -> Result<()> {
        let queue = &self.queues[For::Program as usize];
        assert!(self.offset(self.heap().base + offset as usize, len).is_some(), "a block is within the heap");
        // SAFETY: the heap is mapped, and the range is within it.
        unsafe { self.device.fill(queue.stream(), self.heap().base + offset as usize, 0, len)? };
        queue.drain()
    }

    /// Change a word of the heap of a mapped PE, under its lock. `change` gets a copy of the word, aligned to 8 bytes. Fails if a peer was
    /// lost that may have held the lock.
    ///
    /// # Safety
    /// `address` is an aligned word of `size` bytes, at most 8, of that heap.
    pub unsafe fn update(
        &self,
        whom: For,
        pe: u32,
        address: usize,
        size: usize,
        change: impl FnOnce(*mut u8),
    ) -> Result<()> {
        let lock = self.neighbor(pe).expect("the PE of a mapped heap is a neighbor").lock;
        // SAFETY: the word lies in the control area, which outlives this.
        let Some(_held) = Held::take(unsafe { &*lock }, || self.is_over()) else {
            return Err(Error::new(Kind::Failed, "a peer was lost that may have been changing the same word"));
        };
        let (mut word, here) = (0_u64, |word: &mut u64| Side::Host((&raw mut *word) as usize));
        // SAFETY: as the caller says, and the copy has as many bytes.
        unsafe {
            self.copy(whom, here(&mut word), Side::Device(address), size)?;
            let before = word;
            change((&raw mut word).cast());
            if word == before { Ok(()) } else { self.copy(whom, Side::Device(address), here(&mut word), size) }
        }
    }

    /// Take a page-locked buffer of [`staged::BOUNCE_BYTES`].
    fn take_bounce(&self) -> Result<HostBuffer> {
        let kept = mutex::lock(&self.bounces).pop();
        kept.map_or_else(|| HostBuffer::allocate(&self.device, staged::BOUNCE_BYTES), Ok)
    }

    fn keep_bounce(&self, bounce: HostBuffer) {
        mutex::lock(&self.bounces).push(bounce);
    }
}

impl Drop for DeviceRoom {
    fn drop(&mut self) {
        if let Some(base) =
            self.staging.get().filter(|staging| staging.is_locked).map(Staging::base).and_then(NonNull::new)
        {
            // SAFETY: locked by `add_staging`, and no copy is under way. A drop cannot report an error.
            let _ = unsafe { self.device.page_unlock(base) };
        }
    }
}

/// The lock of a heap's words, while this thread holds it.
struct Held<'l>(&'l AtomicU32);

impl<'l> Held<'l> {
    /// `None` if it is not free and `is_over` says that the PE that holds it may be lost.
    fn take(lock: &'l AtomicU32, is_over: impl Fn() -> bool) -> Option<Held<'l>> {
        let mut looks = 0_u32;
        while lock.load(Relaxed) != 0 || lock.compare_exchange(0, 1, Acquire, Relaxed).is_err() {
            looks += 1;
            if looks > SPINS {
                if is_over() {
                    return None;
                }
                crate::wait::pause(PAUSE);
            }
        }
        Some(Held(lock))
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.store(0, Release);
    }
}

impl Live {
    /// The lock of the words of the device heap of the PE at `index` of this host.
    pub(crate) fn device_lock(&self, index: usize) -> *const AtomicU32 {
        self.memory.node.control(index).wrapping_add(area::DEVICE_LOCK_AT).cast_const().cast()
    }

    /// End the job because the driver or the device failed.
    #[cold]
    pub(crate) fn device_failed(&self, site: &Site, error: &Error) -> ! {
        self.die(&format!("PE {}: {}: device memory: {error}", self.me, site.name))
    }
}

impl World {
    /// Whether `len` bytes of an operand that must be symmetric are in the device heap; a range that only begins there ends the job.
    pub(crate) fn is_on_device(&self, site: &Site, what: &str, address: usize, len: usize) -> bool {
        let Some(room) = self.device_room().filter(|room| room.contains(address)) else { return false };
        if room.offset(address, len).is_none() {
            self.misuse(
                site,
                format_args!(
                    "{what} {address:#x} and {len} bytes reach beyond the end of the device heap at {:#x}; stay within what shmemg_malloc \
                     returned",
                    room.heap().base + room.heap().bytes
                ),
            );
        }
        true
    }

    /// The memory of `len` bytes of a local operand, which need not be symmetric.
    fn side(&self, site: &Site, room: &DeviceRoom, what: &str, address: usize, len: usize) -> Side {
        let live = self.require_live(site);
        // The common case, without a call of the driver.
        if live.symmetric(address, 1).is_some() {
            return Side::Host(address);
        }
        let (side, end) = room.classify(address).unwrap_or_else(|error| live.device_failed(site, &error));
        if matches!(side, Side::Device(_)) && len > end - address {
            self.misuse(
                site,
                format_args!(
                    "{what} {address:#x} and {len} bytes reach beyond the end of the device memory at {end:#x}"
                ),
            );
        }
        side
    }

    /// Whether `len` bytes of a local operand are device memory, symmetric or not.
    pub(crate) fn is_device_memory(&self, site: &Site, what: &str, address: usize, len: usize) -> bool {
        self.device_room().is_some_and(|room| matches!(self.side(site, room, what, address, len), Side::Device(_)))
    }

    /// Refuse an operand that must be host memory, if it is device memory.
    pub(crate) fn must_be_host(&self, site: &Site, what: &str, address: usize) {
        if address != 0 && self.is_device_memory(site, what, address, 1) {
            self.misuse(site, format_args!("{what} {address:#x} is device memory; pass host memory"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_that_a_lost_peer_holds_is_given_up() {
        let lock = AtomicU32::new(1);
        assert!(Held::take(&lock, || true).is_none());
        lock.store(0, Relaxed);
        assert!(Held::take(&lock, || true).is_some(), "it is free, so it can be taken whatever has happened");
        assert_eq!(lock.into_inner(), 0, "it was given back");
    }
}
