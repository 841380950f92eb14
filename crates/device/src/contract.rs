//! The contract of a device.

use crate::Result;
use std::{
    fmt,
    num::NonZeroU64,
    os::fd::{BorrowedFd, OwnedFd},
    ptr::NonNull,
};

/// Facts about a device, which do not change while it is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// Interface of the driver, in lower case: `cuda`.
    pub interface: &'static str,
    /// Version of the driver's interface, such as `12.4`.
    pub version: String,
    /// Name that the driver gives the device, such as `NVIDIA H100 80GB HBM3`.
    pub name: String,
    /// Number of the device among those that this process can see. Another process may give the device another number.
    pub ordinal: i32,
    /// PCI address as sysfs writes it, such as `0000:3b:00.0`. The same in all processes of the host.
    pub pci: String,
    /// Size of its memory.
    pub memory_bytes: u64,
    /// Unit of [`Device::create`], [`Device::reserve`] and [`Device::map`]: sizes and addresses are multiples of it. A power of two.
    pub granularity_bytes: usize,
    /// True if [`Device::dmabuf`] may succeed.
    pub exports_dmabuf: bool,
    /// True if a context was current when the device was opened. If not, the first visible device was opened, which is the default of a
    /// program that chooses none.
    pub was_current: bool,
}

/// Memory of a device, without an address. Created here or imported from another process; see [`Device::release`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Physical(pub NonZeroU64);

/// A queue of copies, which the device executes in the order of the calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stream(pub NonZeroU64);

/// A range of device addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// First address.
    pub base: usize,
    /// Size in bytes.
    pub bytes: usize,
}

/// The memory that an address belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Host memory that the driver does not know, or no memory at all.
    Host,
    /// Host memory that the driver has page-locked. The CPU may access it.
    PageLocked,
    /// Memory that moves between host and device (CUDA's managed memory). The CPU may access it.
    Managed,
    /// Device memory. A load or store by the CPU is a fault.
    Device {
        /// Number of the device, as in [`About::ordinal`]. Mapped memory of a peer on another device has that device's number.
        ordinal: i32,
        /// The allocation or mapping that contains the address.
        extent: Extent,
    },
}

/// One end of a copy: an address, and the memory to which it belongs. Page-locked and managed memory count as host memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// An address of host memory.
    Host(usize),
    /// An address of device memory.
    Device(usize),
}

/// A copy of `count` elements of `element_bytes` each, with a distance between the elements on both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strided {
    /// The first element to write.
    pub dest: Side,
    /// Distance from one element to the next at `dest`, at least `element_bytes`.
    pub dest_stride_bytes: usize,
    /// The first element to read.
    pub source: Side,
    /// Distance from one element to the next at `source`, at least `element_bytes`.
    pub source_stride_bytes: usize,
    /// Size of an element.
    pub element_bytes: usize,
    /// Number of elements.
    pub count: usize,
}

/// An open device.
///
/// # Threads
///
/// Any thread may call any operation, at any time. Each operation makes the device's context current for the calling thread by itself, and
/// restores the thread's former context before it returns, so callers know nothing of contexts and programs notice nothing.
///
/// # Addresses
///
/// A device address is a `usize` that no host pointer of the process equals (unified addressing). It is valid in one process only. A host
/// address is a pointer; host memory need not be page-locked.
///
/// # Order and completion
///
/// A copy or fill is posted to a stream, and is executed after all earlier ones of that stream. Streams are not ordered among each other,
/// nor with streams of the program, not even with its default stream. An operation that is posted returns without waiting, except that the
/// driver may wait or copy at once if host memory is not page-locked. Memory of a copy must stay mapped and, on the host, allocated until
/// the copy is complete.
///
/// [`mark`](Device::mark) returns the number of a point in a stream. Once [`reached`](Device::reached) returns that number or a greater
/// one, everything that was posted before the mark is complete: its effects are visible to the CPU, to copies that are posted later, and to
/// kernels that are started later. Copies are not atomic: concurrent copies to overlapping memory may mix. An aligned element of 1, 2, 4 or
/// 8 bytes is not torn if it is copied by an operation of exactly that size.
///
/// # Errors
///
/// An error names the driver's call and the driver's text. If the [`Kind`](crate::Kind) is `Lost`, all later operations fail with `Lost`
/// too; operations that give something back then succeed without effect, since it is gone with the device. An operation that was posted
/// may fail later: `reached` and `wait` then return its error.
///
/// # Limits
///
/// Zero bytes are allowed in copies and fills, which then post nothing. Elsewhere sizes are multiples of
/// [`granularity_bytes`](About::granularity_bytes), and not zero.
pub trait Device: Send + Sync + fmt::Debug {
    /// The facts about the device.
    fn about(&self) -> &About;

    // Memory of the device: reserve, create, map.

    /// Reserve a range of device addresses, without memory. It begins at a multiple of the granularity. Nothing can be copied to the range before [`map`](Device::map).
    fn reserve(&self, bytes: usize) -> Result<Extent>;

    /// Give a reserved range back. No part of it is mapped any more.
    ///
    /// # Safety
    ///
    /// `range` is a whole range that `reserve` has returned, and nothing uses its addresses any more.
    unsafe fn unreserve(&self, range: Extent) -> Result<()>;

    /// Create memory on this device, which can be exported. Its contents are undefined.
    fn create(&self, bytes: usize) -> Result<Physical>;

    /// A file descriptor that stands for the memory: another process of the host imports it. Each call returns another descriptor. An open
    /// descriptor keeps the memory alive. It is closed on exec.
    fn export(&self, memory: Physical) -> Result<OwnedFd>;

    /// The memory for which a descriptor from [`export`](Device::export) stands. The memory may be on another device of the host. The
    /// descriptor may be closed afterwards.
    fn import(&self, file: BorrowedFd<'_>) -> Result<Physical>;

    /// Give up created or imported memory. It is freed when no process has it, maps it, or has a descriptor for it.
    fn release(&self, memory: Physical) -> Result<()>;

    /// Map `memory` at a range which `reserve` has returned, or a part of one, and let this device and the driver's copies use it. Fails
    /// with `Unsupported` if this device cannot reach the memory (another device without a peer connection): nothing is mapped then.
    ///
    /// # Safety
    ///
    /// The range is reserved, and nothing is mapped there. `range.bytes` is the size of `memory`.
    unsafe fn map(&self, memory: Physical, range: Extent) -> Result<()>;

    /// Undo a call of `map`, of the same range.
    ///
    /// # Safety
    ///
    /// The range was mapped by one call, and neither copies nor kernels use it any more.
    unsafe fn unmap(&self, range: Extent) -> Result<()>;

    /// A dmabuf for mapped memory of this device, with which a NIC can register it. Fails with `Unsupported` if kernel, driver or device
    /// cannot make one. The memory stays alive while the dmabuf is open.
    fn dmabuf(&self, range: Extent) -> Result<OwnedFd>;

    /// Make visible on the device what NICs have written to its memory before the call. Needed after a transport has reported such writes
    /// as complete, before the program may rely on them. Fails with `Unsupported` if the driver cannot; NICs must not be given its memory
    /// then. Without dmabufs no NIC writes, and the call does nothing.
    fn flush_nic_writes(&self) -> Result<()>;

    /// The memory to which an address belongs. Any address is allowed; it is not accessed.
    fn classify(&self, address: usize) -> Result<Place>;

    // Memory of the host that copies use: page-locked.

    /// Allocate page-locked host memory. Its contents are undefined.
    fn allocate_host(&self, bytes: usize) -> Result<NonNull<u8>>;

    /// Free memory of [`allocate_host`](Device::allocate_host).
    ///
    /// # Safety
    ///
    /// `memory` came from `allocate_host`, and nothing uses it any more.
    unsafe fn free_host(&self, memory: NonNull<u8>) -> Result<()>;

    /// Page-lock host memory that exists, so that copies run at full speed and without waiting. `bytes` and `memory` are multiples of the
    /// host's page size.
    ///
    /// # Safety
    ///
    /// The memory is mapped and stays so until `page_unlock`.
    unsafe fn page_lock(&self, memory: NonNull<u8>, bytes: usize) -> Result<()>;

    /// Undo a call of `page_lock`.
    ///
    /// # Safety
    ///
    /// `memory` was the argument of a `page_lock`, and no copy uses the memory.
    unsafe fn page_unlock(&self, memory: NonNull<u8>) -> Result<()>;

    // Copies, in the order of a stream.

    /// Open an empty stream, which belongs to the device's context.
    fn open_stream(&self) -> Result<Stream>;

    /// Close a stream after all that was posted to it is complete: this waits.
    fn close_stream(&self, stream: Stream) -> Result<()>;

    /// Post a copy from host to device.
    ///
    /// # Safety
    ///
    /// `source` can be read and `dest` written for `bytes`, until the copy is complete; nothing writes to `source` meanwhile.
    unsafe fn copy_to_device(&self, stream: Stream, dest: usize, source: *const u8, bytes: usize) -> Result<()>;

    /// Post a copy from device to host.
    ///
    /// # Safety
    ///
    /// `source` can be read and `dest` written for `bytes`, until the copy is complete; nothing else accesses `dest` meanwhile.
    unsafe fn copy_to_host(&self, stream: Stream, dest: *mut u8, source: usize, bytes: usize) -> Result<()>;

    /// Post a copy from device to device: the same one, or another whose memory is mapped. The ranges do not overlap.
    ///
    /// # Safety
    ///
    /// `source` and `dest` are mapped for `bytes` until the copy is complete.
    unsafe fn copy_on_device(&self, stream: Stream, dest: usize, source: usize, bytes: usize) -> Result<()>;

    /// Post a copy of elements at a distance from each other. Fails with `Unsupported` if the device cannot copy with this distance, or if
    /// both sides are on the host; the caller then copies each element.
    ///
    /// # Safety
    ///
    /// As for the copy of each element.
    unsafe fn copy_strided(&self, stream: Stream, copy: &Strided) -> Result<()>;

    /// Post a fill of device memory with a byte.
    ///
    /// # Safety
    ///
    /// `dest` is mapped for `bytes` until the fill is complete.
    unsafe fn fill(&self, stream: Stream, dest: usize, byte: u8, bytes: usize) -> Result<()>;

    /// The number of the point after all that was posted to the stream so far. Numbers of a stream start at 1 and grow by 1.
    fn mark(&self, stream: Stream) -> Result<u64>;

    /// The greatest mark of the stream whose earlier operations are all complete; 0 before the first. Does not wait.
    fn reached(&self, stream: Stream) -> Result<u64>;

    /// Wait until a mark of the stream is reached. The thread makes no progress for the library meanwhile: a caller which must make
    /// progress polls `reached` instead.
    fn wait(&self, stream: Stream, mark: u64) -> Result<()>;
}
