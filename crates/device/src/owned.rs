//! Owners of what a device gives by number: dropped, they give it back.

use crate::{Device, Extent, Physical, Result, Stream};
use std::{
    os::fd::{BorrowedFd, OwnedFd},
    ptr::NonNull,
    sync::Arc,
};

/// Device memory that is mapped into this process: created here, or imported from another process.
#[derive(Debug)]
pub struct Mapping {
    device: Arc<dyn Device>,
    memory: Physical,
    /// The reserved addresses. The mapped range lies in them.
    reserved: Extent,
    range: Extent,
}

impl Mapping {
    /// Create memory of `bytes`, rounded up to the device's granularity, and map it at a multiple of `align`, a power of two.
    pub fn create(device: &Arc<dyn Device>, bytes: usize, align: usize) -> Result<Self> {
        let bytes = round_up(bytes, device.about().granularity_bytes);
        Self::of(device, device.create(bytes)?, bytes, align)
    }

    /// Import the memory of another process, and map it at a multiple of `align`, a power of two. `bytes` is the length of the mapping from
    /// which the descriptor was exported.
    pub fn import(device: &Arc<dyn Device>, file: BorrowedFd<'_>, bytes: usize, align: usize) -> Result<Self> {
        Self::of(device, device.import(file)?, bytes, align)
    }

    fn of(device: &Arc<dyn Device>, memory: Physical, bytes: usize, align: usize) -> Result<Self> {
        // Reserved addresses are multiples of the unit, so a multiple of `align` is at most this far from the first.
        let spare = align.saturating_sub(device.about().granularity_bytes);
        let mapped = device.reserve(bytes.saturating_add(spare)).and_then(|reserved| {
            let range = Extent { base: reserved.base.next_multiple_of(align), bytes };
            assert!(range.base + bytes <= reserved.base + reserved.bytes, "{range:?} is in {reserved:?}");
            // SAFETY: the range is within the one that was reserved just now, and is as long as the memory.
            unsafe { device.map(memory, range) }.map(|()| (reserved, range)).inspect_err(|_| {
                // SAFETY: nothing was mapped there, so nothing uses the range. The error of `map` is the one to report.
                let _ = unsafe { device.unreserve(reserved) };
            })
        });
        match mapped {
            Ok((reserved, range)) => Ok(Self { device: Arc::clone(device), memory, reserved, range }),
            Err(error) => {
                // The first error is the one to report.
                let _ = device.release(memory);
                Err(error)
            }
        }
    }

    /// The range of addresses that the memory occupies.
    pub fn range(&self) -> Extent {
        self.range
    }

    /// A descriptor with which another process imports the memory.
    pub fn export(&self) -> Result<OwnedFd> {
        self.device.export(self.memory)
    }

    /// A dmabuf of the whole memory, with which a NIC can register it.
    pub fn dmabuf(&self) -> Result<OwnedFd> {
        self.device.dmabuf(self.range)
    }

    /// Unmap and release the memory, and report an error, which a drop would ignore.
    ///
    /// # Safety
    ///
    /// Neither copies nor kernels use the addresses any more.
    pub unsafe fn close(self) -> Result<()> {
        // Undone here; the drop must not undo it again.
        let this = std::mem::ManuallyDrop::new(self);
        // SAFETY: `this` is read once and not dropped.
        let device = unsafe { std::ptr::read(&raw const this.device) };
        give_back(&*device, this.memory, this.reserved, this.range)
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // A drop cannot report an error. The process keeps the addresses then, which does no harm.
        let _ = give_back(&*self.device, self.memory, self.reserved, self.range);
    }
}

/// Undo everything, in reverse order. Stops at the first error: a range that is still mapped is not given back.
fn give_back(device: &dyn Device, memory: Physical, reserved: Extent, range: Extent) -> Result<()> {
    // SAFETY: the owner of the mapping ends here, and it mapped this range by one call. Its user has stopped using the addresses.
    unsafe { device.unmap(range)? };
    // SAFETY: the range was reserved by one call, and nothing is mapped there any more.
    unsafe { device.unreserve(reserved)? };
    device.release(memory)
}

/// Page-locked host memory.
#[derive(Debug)]
pub struct HostBuffer {
    device: Arc<dyn Device>,
    memory: NonNull<u8>,
}

// SAFETY: the buffer owns plain memory, which any thread may use or free. Accesses go through pointers, whose users synchronise.
unsafe impl Send for HostBuffer {}
// SAFETY: as above; shared references only return the address.
unsafe impl Sync for HostBuffer {}

impl HostBuffer {
    /// Allocate `bytes`, which are not zero.
    pub fn allocate(device: &Arc<dyn Device>, bytes: usize) -> Result<Self> {
        let memory = device.allocate_host(bytes)?;
        Ok(Self { device: Arc::clone(device), memory })
    }

    /// Address of the first byte, valid until this value is dropped.
    pub fn base(&self) -> NonNull<u8> {
        self.memory
    }
}

impl Drop for HostBuffer {
    fn drop(&mut self) {
        // SAFETY: allocated by `allocate`, freed once. The user has waited for copies that use it. A drop cannot report an error.
        let _ = unsafe { self.device.free_host(self.memory) };
    }
}

/// An open stream. Dropped, it waits for what was posted to it.
#[derive(Debug)]
pub struct Queue {
    device: Arc<dyn Device>,
    stream: Stream,
}

impl Queue {
    /// Open an empty stream in the device's context.
    pub fn open(device: &Arc<dyn Device>) -> Result<Self> {
        let stream = device.open_stream()?;
        Ok(Self { device: Arc::clone(device), stream })
    }

    /// The stream, for operations of the device.
    pub fn stream(&self) -> Stream {
        self.stream
    }

    /// Wait for everything that was posted so far.
    pub fn drain(&self) -> Result<()> {
        let mark = self.device.mark(self.stream)?;
        self.device.wait(self.stream, mark)
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        // A drop cannot report an error.
        let _ = self.device.close_stream(self.stream);
    }
}

/// `bytes` rounded up to a multiple of `unit`, a power of two. At least one unit.
fn round_up(bytes: usize, unit: usize) -> usize {
    bytes.max(1).checked_next_multiple_of(unit).unwrap_or(usize::MAX & !(unit - 1))
}
