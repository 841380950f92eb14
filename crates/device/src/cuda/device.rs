//! The operations of the contract.

use super::{Cuda, classify::classify, timeline::Timeline};
use crate::{About, Device, Error, Extent, Kind, Physical, Place, Result, Side, Stream, Strided};
use cuda_sys::*;
use std::{
    ffi::{c_int, c_void},
    mem::MaybeUninit,
    num::NonZeroU64,
    os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd},
    ptr::{self, NonNull},
    sync::{Arc, PoisonError},
};

/// Memory of `device` that other processes can import.
pub(super) fn allocation_properties(device: CUdevice, serves_nics: bool) -> CUmemAllocationProp {
    CUmemAllocationProp {
        kind: CU_MEM_ALLOCATION_TYPE_PINNED,
        requested_handle_types: CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
        location: CUmemLocation { kind: CU_MEM_LOCATION_TYPE_DEVICE, id: device },
        win32_handle_metadata: ptr::null_mut(),
        compression_type: 0,
        gpu_direct_rdma_capable: u8::from(serves_nics),
        usage: 0,
        reserved: [0; 4],
    }
}

impl Device for Cuda {
    fn about(&self) -> &About {
        &self.about
    }

    fn reserve(&self, bytes: usize) -> Result<Extent> {
        let mut base: CUdeviceptr = 0;
        self.call(format_args!("cuMemAddressReserve of {bytes} bytes"), |d| {
            // SAFETY: the driver writes one address. Alignment 0 is the default, and so is the wished address.
            unsafe { (d.address_reserve)(&raw mut base, bytes, 0, 0, 0) }
        })?;
        Ok(Extent { base: base as usize, bytes })
    }

    unsafe fn unreserve(&self, range: Extent) -> Result<()> {
        let Extent { base, bytes } = range;
        self.give_back(format_args!("cuMemAddressFree of {bytes} bytes at {base:#x}"), |d| {
            // SAFETY: the caller passes a range of `reserve`.
            unsafe { (d.address_free)(base as CUdeviceptr, bytes) }
        })
    }

    fn create(&self, bytes: usize) -> Result<Physical> {
        let properties = allocation_properties(self.device, self.serves_nics);
        let mut memory: CUmemGenericAllocationHandle = 0;
        self.call(format_args!("cuMemCreate of {bytes} bytes on {}", self.about.name), |d| {
            // SAFETY: the driver reads the properties and writes one handle.
            unsafe { (d.mem_create)(&raw mut memory, bytes, &raw const properties, 0) }
        })?;
        physical("cuMemCreate", memory)
    }

    fn export(&self, memory: Physical) -> Result<OwnedFd> {
        let mut file: c_int = -1;
        self.call("cuMemExportToShareableHandle", |d| {
            // SAFETY: for this type of handle, the driver writes a `c_int`.
            unsafe {
                (d.mem_export)((&raw mut file).cast(), memory.0.get(), CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0)
            }
        })?;
        owned("cuMemExportToShareableHandle", file)
    }

    fn import(&self, file: BorrowedFd<'_>) -> Result<Physical> {
        let mut memory: CUmemGenericAllocationHandle = 0;
        self.call("cuMemImportFromShareableHandle", |d| {
            // SAFETY: for this type of handle, the pointer is the number of the descriptor. The driver writes one handle.
            unsafe {
                let number = ptr::without_provenance_mut::<c_void>(file.as_raw_fd() as usize);
                (d.mem_import)(&raw mut memory, number, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
            }
        })?;
        physical("cuMemImportFromShareableHandle", memory)
    }

    fn release(&self, memory: Physical) -> Result<()> {
        // SAFETY: a wrong handle is an error of the driver. Mappings of the memory keep it alive.
        self.give_back("cuMemRelease", |d| unsafe { (d.mem_release)(memory.0.get()) })
    }

    unsafe fn map(&self, memory: Physical, range: Extent) -> Result<()> {
        let Extent { base, bytes } = range;
        self.call(format_args!("cuMemMap of {bytes} bytes at {base:#x}"), |d| {
            // SAFETY: the caller passes a reserved range where nothing is mapped, of the size of the memory.
            unsafe { (d.mem_map)(base as CUdeviceptr, bytes, 0, memory.0.get(), 0) }
        })?;
        let access = CUmemAccessDesc {
            location: CUmemLocation { kind: CU_MEM_LOCATION_TYPE_DEVICE, id: self.device },
            flags: CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
        };
        let accessed = self.call(format_args!("cuMemSetAccess of {bytes} bytes at {base:#x}"), |d| {
            // SAFETY: mapped just now; the driver reads one description.
            unsafe { (d.mem_set_access)(base as CUdeviceptr, bytes, &raw const access, 1) }
        });
        accessed.map_err(|error| {
            // SAFETY: mapped just now, and never used. The first error is the one to report.
            let _ = unsafe { self.unmap(range) };
            unsupported(error)
        })
    }

    unsafe fn unmap(&self, range: Extent) -> Result<()> {
        let Extent { base, bytes } = range;
        self.give_back(format_args!("cuMemUnmap of {bytes} bytes at {base:#x}"), |d| {
            // SAFETY: the caller passes a range of one `map`, which nothing uses any more.
            unsafe { (d.mem_unmap)(base as CUdeviceptr, bytes) }
        })
    }

    fn dmabuf(&self, range: Extent) -> Result<OwnedFd> {
        let Extent { base, bytes } = range;
        let export = self
            .driver
            .range_handle
            .filter(|_| self.about.exports_dmabuf)
            .ok_or_else(|| Error::new(Kind::Unsupported, format!("{} cannot export a dmabuf", self.about.name)))?;
        let mut file: c_int = -1;
        let name = format_args!("cuMemGetHandleForAddressRange of {bytes} bytes at {base:#x}");
        // SAFETY: for this type of handle, the driver writes a `c_int`. A wrong range is an error of the driver.
        self.call(name, |_| unsafe {
            export((&raw mut file).cast(), base as CUdeviceptr, bytes, CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0)
        })
        .map_err(unsupported)?;
        owned("cuMemGetHandleForAddressRange", file)
    }

    fn flush_nic_writes(&self) -> Result<()> {
        if !self.about.exports_dmabuf {
            return Ok(());
        }
        // Every driver with dmabufs (11.7) has this call (11.3).
        let Some(flush) = self.driver.flush_nic_writes else {
            return Err(Error::new(Kind::Unsupported, "the driver has no cuFlushGPUDirectRDMAWrites"));
        };
        // SAFETY: the arguments are numbers.
        self.call("cuFlushGPUDirectRDMAWrites", |_| unsafe {
            flush(CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX, CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER)
        })
    }

    fn classify(&self, address: usize) -> Result<Place> {
        let _current = self.enter()?;
        self.note(classify(&self.driver, address))
    }

    fn allocate_host(&self, bytes: usize) -> Result<NonNull<u8>> {
        let mut memory: *mut c_void = ptr::null_mut();
        self.call(format_args!("cuMemHostAlloc of {bytes} bytes"), |d| {
            // SAFETY: the driver writes one pointer.
            unsafe { (d.host_alloc)(&raw mut memory, bytes, CU_MEMHOSTALLOC_PORTABLE) }
        })?;
        NonNull::new(memory.cast()).ok_or_else(|| Error::new(Kind::Failed, "cuMemHostAlloc: no address"))
    }

    unsafe fn free_host(&self, memory: NonNull<u8>) -> Result<()> {
        // SAFETY: the caller passes memory of `allocate_host`, which nothing uses any more.
        self.give_back("cuMemFreeHost", |d| unsafe { (d.host_free)(memory.as_ptr().cast()) })
    }

    unsafe fn page_lock(&self, memory: NonNull<u8>, bytes: usize) -> Result<()> {
        self.call(format_args!("cuMemHostRegister of {bytes} bytes at {memory:p}"), |d| {
            // SAFETY: the caller keeps the memory mapped until `page_unlock`.
            unsafe { (d.host_register)(memory.as_ptr().cast(), bytes, CU_MEMHOSTREGISTER_PORTABLE) }
        })
    }

    unsafe fn page_unlock(&self, memory: NonNull<u8>) -> Result<()> {
        self.give_back(format_args!("cuMemHostUnregister at {memory:p}"), |d| {
            // SAFETY: the caller passes memory of `page_lock`, which no copy uses.
            unsafe { (d.host_unregister)(memory.as_ptr().cast()) }
        })
    }

    fn open_stream(&self) -> Result<Stream> {
        let mut stream: CUstream = ptr::null_mut();
        // SAFETY: the driver writes one handle.
        self.call("cuStreamCreate", |d| unsafe { (d.stream_create)(&raw mut stream, CU_STREAM_NON_BLOCKING) })?;
        let number = NonZeroU64::new(stream.addr() as u64);
        let number = number.ok_or_else(|| Error::new(Kind::Failed, "cuStreamCreate: no stream"))?;
        let mut timelines = self.timelines.lock().unwrap_or_else(PoisonError::into_inner);
        timelines.insert(number, Arc::new(Timeline::default()));
        Ok(Stream(number))
    }

    fn close_stream(&self, stream: Stream) -> Result<()> {
        let timeline = self.timeline(stream)?;
        // SAFETY: the stream is open, since it has a timeline.
        self.give_back("cuStreamSynchronize", |d| unsafe { (d.stream_synchronize)(handle(stream)) })?;
        self.timelines.lock().unwrap_or_else(PoisonError::into_inner).remove(&stream.0);
        // SAFETY: the stream is open and empty, and has no timeline any more, so it is not closed twice.
        self.give_back("cuStreamDestroy", |d| unsafe {
            timeline.destroy(d);
            (d.stream_destroy)(handle(stream))
        })
    }

    unsafe fn copy_to_device(&self, stream: Stream, dest: usize, source: *const u8, bytes: usize) -> Result<()> {
        if bytes == 0 {
            return Ok(());
        }
        self.call(format_args!("cuMemcpyHtoDAsync of {bytes} bytes to {dest:#x}"), |d| {
            // SAFETY: the caller keeps both sides valid until the copy is complete.
            unsafe { (d.copy_to_device)(dest as CUdeviceptr, source.cast(), bytes, handle(stream)) }
        })
    }

    unsafe fn copy_to_host(&self, stream: Stream, dest: *mut u8, source: usize, bytes: usize) -> Result<()> {
        if bytes == 0 {
            return Ok(());
        }
        self.call(format_args!("cuMemcpyDtoHAsync of {bytes} bytes from {source:#x}"), |d| {
            // SAFETY: the caller keeps both sides valid until the copy is complete.
            unsafe { (d.copy_to_host)(dest.cast(), source as CUdeviceptr, bytes, handle(stream)) }
        })
    }

    unsafe fn copy_on_device(&self, stream: Stream, dest: usize, source: usize, bytes: usize) -> Result<()> {
        if bytes == 0 {
            return Ok(());
        }
        self.call(format_args!("cuMemcpyDtoDAsync of {bytes} bytes from {source:#x} to {dest:#x}"), |d| {
            // SAFETY: the caller keeps both sides mapped until the copy is complete.
            unsafe { (d.copy_on_device)(dest as CUdeviceptr, source as CUdeviceptr, bytes, handle(stream)) }
        })
    }

    unsafe fn copy_strided(&self, stream: Stream, copy: &Strided) -> Result<()> {
        if copy.count == 0 || copy.element_bytes == 0 {
            return Ok(());
        }
        let rows = self.rows(copy)?;
        let (count, bytes) = (copy.count, copy.element_bytes);
        self.call(format_args!("cuMemcpy2DAsync of {count} elements of {bytes} bytes"), |d| {
            // SAFETY: the driver reads the description; the caller keeps both sides valid until the copy is complete.
            unsafe { (d.copy_2d)(&raw const rows, handle(stream)) }
        })
    }

    unsafe fn fill(&self, stream: Stream, dest: usize, byte: u8, bytes: usize) -> Result<()> {
        if bytes == 0 {
            return Ok(());
        }
        self.call(format_args!("cuMemsetD8Async of {bytes} bytes at {dest:#x}"), |d| {
            // SAFETY: the caller keeps the memory mapped until the fill is complete.
            unsafe { (d.set_bytes)(dest as CUdeviceptr, byte, bytes, handle(stream)) }
        })
    }

    fn mark(&self, stream: Stream) -> Result<u64> {
        self.set_mark(stream)
    }

    fn reached(&self, stream: Stream) -> Result<u64> {
        self.poll_marks(stream)
    }

    fn wait(&self, stream: Stream, mark: u64) -> Result<()> {
        self.wait_for_mark(stream, mark)
    }
}

impl Cuda {
    /// A strided copy as the driver describes it: elements are rows.
    fn rows(&self, copy: &Strided) -> Result<CudaMemcpy2D> {
        let bytes = copy.element_bytes;
        // The distance of a single element has no meaning, and may be anything.
        let pitch = |stride: usize| if copy.count == 1 { bytes } else { stride };
        let (dst_pitch, src_pitch) = (pitch(copy.dest_stride_bytes), pitch(copy.source_stride_bytes));
        let on_host = matches!((copy.dest, copy.source), (Side::Host(_), Side::Host(_)));
        if on_host || dst_pitch.max(src_pitch) > self.max_pitch_bytes {
            let text = format!("cannot copy with strides of {dst_pitch} and {src_pitch} bytes in one call");
            return Err(Error::new(Kind::Unsupported, text));
        }
        // SAFETY: all members are numbers and pointers, for which zeros are valid.
        let mut rows: CudaMemcpy2D = unsafe { MaybeUninit::zeroed().assume_init() };
        match copy.source {
            Side::Host(address) => {
                (rows.src_memory_type, rows.src_host) = (memory_type::HOST, ptr::with_exposed_provenance(address));
            }
            Side::Device(address) => {
                (rows.src_memory_type, rows.src_device) = (memory_type::DEVICE, address as CUdeviceptr);
            }
        }
        match copy.dest {
            Side::Host(address) => {
                (rows.dst_memory_type, rows.dst_host) = (memory_type::HOST, ptr::with_exposed_provenance_mut(address));
            }
            Side::Device(address) => {
                (rows.dst_memory_type, rows.dst_device) = (memory_type::DEVICE, address as CUdeviceptr);
            }
        }
        (rows.src_pitch, rows.dst_pitch) = (src_pitch, dst_pitch);
        (rows.width_in_bytes, rows.height) = (bytes, copy.count);
        Ok(rows)
    }
}

impl Drop for Cuda {
    fn drop(&mut self) {
        let left: Vec<NonZeroU64> =
            self.timelines.get_mut().unwrap_or_else(PoisonError::into_inner).keys().copied().collect();
        for stream in left {
            // A drop cannot report an error.
            let _ = self.close_stream(Stream(stream));
        }
        if self.context.is_retained {
            // SAFETY: retained when the device was opened. A drop cannot report an error.
            unsafe { (self.driver.primary_release)(self.device) };
        }
    }
}

/// The driver's handle of a stream.
fn handle(stream: Stream) -> CUstream {
    ptr::without_provenance_mut(stream.0.get() as usize)
}

/// An error that means "not with this device", unless it says that the device is lost or full.
fn unsupported(error: Error) -> Error {
    match error.kind() {
        Kind::Lost | Kind::OutOfMemory => error,
        _ => Error::new(Kind::Unsupported, error.to_string()),
    }
}

fn physical(call: &str, memory: CUmemGenericAllocationHandle) -> Result<Physical> {
    let handle = NonZeroU64::new(memory).ok_or_else(|| Error::new(Kind::Failed, format!("{call}: no handle")))?;
    Ok(Physical(handle))
}

/// A descriptor that the driver has opened for us, closed on exec.
fn owned(call: &str, file: c_int) -> Result<OwnedFd> {
    if file < 0 {
        return Err(Error::new(Kind::Failed, format!("{call}: no descriptor")));
    }
    // SAFETY: the driver has opened the descriptor for the caller, which owns it.
    let file = unsafe { OwnedFd::from_raw_fd(file) };
    // SAFETY: the descriptor is open. If the flag cannot be set, a program that the process starts inherits the descriptor: no harm.
    unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETFD, libc::FD_CLOEXEC) };
    Ok(file)
}
