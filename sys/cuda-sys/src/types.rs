//! Types and numbers of CUDA's driver interface.

use libc::{c_int, c_uint, c_void};

/// Status of a call.
pub type CUresult = c_int;
/// Number of a device among the visible ones.
pub type CUdevice = c_int;
/// A context: the state of a process on a device.
pub type CUcontext = *mut c_void;
/// A stream.
pub type CUstream = *mut c_void;
/// An event.
pub type CUevent = *mut c_void;
/// A device address.
pub type CUdeviceptr = u64;
/// Memory without an address.
pub type CUmemGenericAllocationHandle = u64;

/// Values of [`CUresult`].
pub mod result {
    use super::CUresult;

    pub const SUCCESS: CUresult = 0;
    pub const INVALID_VALUE: CUresult = 1;
    pub const OUT_OF_MEMORY: CUresult = 2;
    pub const NOT_INITIALIZED: CUresult = 3;
    pub const DEINITIALIZED: CUresult = 4;
    pub const STUB_LIBRARY: CUresult = 34;
    pub const DEVICE_UNAVAILABLE: CUresult = 46;
    pub const NO_DEVICE: CUresult = 100;
    pub const INVALID_DEVICE: CUresult = 101;
    pub const INVALID_CONTEXT: CUresult = 201;
    pub const ECC_UNCORRECTABLE: CUresult = 214;
    pub const PEER_ACCESS_UNSUPPORTED: CUresult = 217;
    pub const INVALID_PTX: CUresult = 218;
    pub const NVLINK_UNCORRECTABLE: CUresult = 220;
    pub const INVALID_HANDLE: CUresult = 400;
    pub const NOT_FOUND: CUresult = 500;
    pub const NOT_READY: CUresult = 600;
    pub const ILLEGAL_ADDRESS: CUresult = 700;
    pub const LAUNCH_TIMEOUT: CUresult = 702;
    pub const CONTEXT_IS_DESTROYED: CUresult = 709;
    pub const ASSERT: CUresult = 710;
    pub const HOST_MEMORY_ALREADY_REGISTERED: CUresult = 712;
    pub const HOST_MEMORY_NOT_REGISTERED: CUresult = 713;
    pub const HARDWARE_STACK_ERROR: CUresult = 714;
    pub const LAUNCH_FAILED: CUresult = 719;
    pub const NOT_PERMITTED: CUresult = 800;
    pub const NOT_SUPPORTED: CUresult = 801;
    pub const UNKNOWN: CUresult = 999;
}

/// Attributes of a device, for `device_attribute`.
pub mod device_attribute {
    use libc::c_int;

    pub const MAX_PITCH: c_int = 11;
    pub const UNIFIED_ADDRESSING: c_int = 41;
    pub const VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED: c_int = 102;
    pub const HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED: c_int = 103;
    pub const GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED: c_int = 110;
    pub const DMA_BUF_SUPPORTED: c_int = 124;
}

/// Attributes of an address, for `pointer_attributes`.
pub mod pointer_attribute {
    use libc::c_int;

    /// A `c_uint`: one of [`super::memory_type`].
    pub const MEMORY_TYPE: c_int = 2;
    /// A `c_int`: not 0 for managed memory.
    pub const IS_MANAGED: c_int = 8;
    /// A `c_int`.
    pub const DEVICE_ORDINAL: c_int = 9;
    /// A `CUdeviceptr`.
    pub const RANGE_START_ADDR: c_int = 11;
    /// A `usize`.
    pub const RANGE_SIZE: c_int = 12;
}

/// Kinds of memory.
pub mod memory_type {
    use libc::c_uint;

    pub const HOST: c_uint = 1;
    pub const DEVICE: c_uint = 2;
}

/// `type` of [`CUmemLocation`]: a device.
pub const CU_MEM_LOCATION_TYPE_DEVICE: c_int = 1;
/// `type` of [`CUmemAllocationProp`]: memory that does not move.
pub const CU_MEM_ALLOCATION_TYPE_PINNED: c_int = 1;
/// A handle that is a file descriptor.
pub const CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR: c_int = 1;
/// `flags` of [`CUmemAccessDesc`]: reads and writes.
pub const CU_MEM_ACCESS_FLAGS_PROT_READWRITE: c_int = 3;
/// The smallest unit of an allocation.
pub const CU_MEM_ALLOC_GRANULARITY_MINIMUM: c_int = 0;
/// A dmabuf of a range of addresses.
pub const CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD: c_int = 1;
/// A stream that does not wait for the default stream.
pub const CU_STREAM_NON_BLOCKING: c_uint = 1;
/// An event that records no time.
pub const CU_EVENT_DISABLE_TIMING: c_uint = 2;
/// Page-locked memory that all contexts know as such.
pub const CU_MEMHOSTALLOC_PORTABLE: c_uint = 1;
/// The same, for memory that exists.
pub const CU_MEMHOSTREGISTER_PORTABLE: c_uint = 1;
/// Flush writes of NICs to the current context's device,
pub const CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX: c_int = 0;
/// so that this device sees them.
pub const CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER: c_int = 100;

/// Where memory is.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CUmemLocation {
    pub kind: c_int,
    pub id: c_int,
}

/// Properties of memory to be created.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUmemAllocationProp {
    pub kind: c_int,
    pub requested_handle_types: c_int,
    pub location: CUmemLocation,
    pub win32_handle_metadata: *mut c_void,
    pub compression_type: u8,
    pub gpu_direct_rdma_capable: u8,
    pub usage: u16,
    pub reserved: [u8; 4],
}

/// The device that may access a range, and the kind of access.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUmemAccessDesc {
    pub location: CUmemLocation,
    pub flags: c_int,
}

/// A copy of rows with a distance between them.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CudaMemcpy2D {
    pub src_x_in_bytes: usize,
    pub src_y: usize,
    pub src_memory_type: c_uint,
    pub src_host: *const c_void,
    pub src_device: CUdeviceptr,
    pub src_array: *mut c_void,
    pub src_pitch: usize,
    pub dst_x_in_bytes: usize,
    pub dst_y: usize,
    pub dst_memory_type: c_uint,
    pub dst_host: *mut c_void,
    pub dst_device: CUdeviceptr,
    pub dst_array: *mut c_void,
    pub dst_pitch: usize,
    pub width_in_bytes: usize,
    pub height: usize,
}

// The sizes on 64-bit systems, from the documented members.
const _: () = {
    assert!(size_of::<CUmemLocation>() == 8);
    assert!(size_of::<CUmemAllocationProp>() == 32);
    assert!(size_of::<CUmemAccessDesc>() == 12);
    assert!(size_of::<CudaMemcpy2D>() == 128);
};
