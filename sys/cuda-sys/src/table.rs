//! Loads the library, and the table of its functions.

use crate::{Error, types::*};
use dl::Library;
use libc::{c_char, c_int, c_uint, c_void};
use std::{ffi::CStr, path::Path};

/// The name by which the dynamic linker finds the library.
pub const FILE: &str = "libcuda.so.1";

/// The versions that are accepted, in prose.
pub const ACCEPTED: &str = "a driver of CUDA 11 or newer";

/// A row is the name in this table, the symbol, and the type. `maybe` rows are absent from older drivers.
macro_rules! functions {
    (
        $( fn $name:ident = $symbol:literal ( $($type:ty),* ); )*
        maybe $( fn $later:ident = $later_symbol:literal ( $($later_type:ty),* ); )*
    ) => {
        /// CUDA's driver, loaded.
        #[derive(Clone, Copy, Debug)]
        pub struct Driver {
            $( pub $name: unsafe extern "C" fn($($type),*) -> CUresult, )*
            $( pub $later: Option<unsafe extern "C" fn($($later_type),*) -> CUresult>, )*
        }

        /// The symbols, in the order of the table.
        pub const NAMES: &[&CStr] = &[$($symbol,)* $($later_symbol,)*];

        impl Driver {
            fn of(library: &Library) -> Result<Self, Error> {
                Ok(Driver {
                    $( $name: {
                        let address = library.symbol($symbol, None)?.as_ptr();
                        // SAFETY: the interface gives the function of this name this type.
                        unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn($($type),*) -> CUresult>(address) }
                    }, )*
                    $( $later: library.symbol($later_symbol, None).ok().map(|address| {
                        // SAFETY: as above.
                        unsafe {
                            std::mem::transmute::<*mut c_void, unsafe extern "C" fn($($later_type),*) -> CUresult>(
                                address.as_ptr(),
                            )
                        }
                    }), )*
                })
            }
        }
    };
}

functions! {
    fn init = c"cuInit"(c_uint);
    fn driver_version = c"cuDriverGetVersion"(*mut c_int);
    fn error_name = c"cuGetErrorName"(CUresult, *mut *const c_char);
    fn error_string = c"cuGetErrorString"(CUresult, *mut *const c_char);

    fn device_count = c"cuDeviceGetCount"(*mut c_int);
    fn device_get = c"cuDeviceGet"(*mut CUdevice, c_int);
    fn device_name = c"cuDeviceGetName"(*mut c_char, c_int, CUdevice);
    fn device_total_mem = c"cuDeviceTotalMem_v2"(*mut usize, CUdevice);
    fn device_attribute = c"cuDeviceGetAttribute"(*mut c_int, c_int, CUdevice);
    fn device_pci_bus_id = c"cuDeviceGetPCIBusId"(*mut c_char, c_int, CUdevice);

    fn primary_retain = c"cuDevicePrimaryCtxRetain"(*mut CUcontext, CUdevice);
    fn primary_state = c"cuDevicePrimaryCtxGetState"(CUdevice, *mut c_uint, *mut c_int);
    fn primary_release = c"cuDevicePrimaryCtxRelease_v2"(CUdevice);
    fn ctx_get_current = c"cuCtxGetCurrent"(*mut CUcontext);
    fn ctx_get_device = c"cuCtxGetDevice"(*mut CUdevice);
    fn ctx_push = c"cuCtxPushCurrent_v2"(CUcontext);
    fn ctx_pop = c"cuCtxPopCurrent_v2"(*mut CUcontext);

    fn mem_granularity = c"cuMemGetAllocationGranularity"(*mut usize, *const CUmemAllocationProp, c_int);
    fn mem_create = c"cuMemCreate"(*mut CUmemGenericAllocationHandle, usize, *const CUmemAllocationProp, u64);
    fn mem_release = c"cuMemRelease"(CUmemGenericAllocationHandle);
    fn mem_export = c"cuMemExportToShareableHandle"(*mut c_void, CUmemGenericAllocationHandle, c_int, u64);
    fn mem_import = c"cuMemImportFromShareableHandle"(*mut CUmemGenericAllocationHandle, *mut c_void, c_int);
    fn address_reserve = c"cuMemAddressReserve"(*mut CUdeviceptr, usize, usize, CUdeviceptr, u64);
    fn address_free = c"cuMemAddressFree"(CUdeviceptr, usize);
    fn mem_map = c"cuMemMap"(CUdeviceptr, usize, usize, CUmemGenericAllocationHandle, u64);
    fn mem_unmap = c"cuMemUnmap"(CUdeviceptr, usize);
    fn mem_set_access = c"cuMemSetAccess"(CUdeviceptr, usize, *const CUmemAccessDesc, usize);
    fn pointer_attributes = c"cuPointerGetAttributes"(c_uint, *mut c_int, *mut *mut c_void, CUdeviceptr);

    fn host_alloc = c"cuMemHostAlloc"(*mut *mut c_void, usize, c_uint);
    fn host_free = c"cuMemFreeHost"(*mut c_void);
    fn host_register = c"cuMemHostRegister_v2"(*mut c_void, usize, c_uint);
    fn host_unregister = c"cuMemHostUnregister"(*mut c_void);

    fn stream_create = c"cuStreamCreate"(*mut CUstream, c_uint);
    fn stream_destroy = c"cuStreamDestroy_v2"(CUstream);
    fn stream_synchronize = c"cuStreamSynchronize"(CUstream);
    fn event_create = c"cuEventCreate"(*mut CUevent, c_uint);
    fn event_record = c"cuEventRecord"(CUevent, CUstream);
    fn event_query = c"cuEventQuery"(CUevent);
    fn event_synchronize = c"cuEventSynchronize"(CUevent);
    fn event_destroy = c"cuEventDestroy_v2"(CUevent);

    fn copy_to_device = c"cuMemcpyHtoDAsync_v2"(CUdeviceptr, *const c_void, usize, CUstream);
    fn copy_to_host = c"cuMemcpyDtoHAsync_v2"(*mut c_void, CUdeviceptr, usize, CUstream);
    fn copy_on_device = c"cuMemcpyDtoDAsync_v2"(CUdeviceptr, CUdeviceptr, usize, CUstream);
    fn copy_2d = c"cuMemcpy2DAsync_v2"(*const CudaMemcpy2D, CUstream);
    fn set_bytes = c"cuMemsetD8Async"(CUdeviceptr, u8, usize, CUstream);

    maybe
    fn range_handle = c"cuMemGetHandleForAddressRange"(*mut c_void, CUdeviceptr, usize, c_int, u64);
    fn flush_nic_writes = c"cuFlushGPUDirectRDMAWrites"(c_int, c_int);
}

impl Driver {
    /// Load the driver from `file`, or from where the dynamic linker finds [`FILE`]. A second call finds it loaded.
    pub fn open(file: Option<&Path>) -> Result<Driver, Error> {
        Driver::of(&Library::open(file.unwrap_or(Path::new(FILE)), ACCEPTED)?)
    }

    /// The driver, if this process has loaded [`FILE`] already: the program, or one of its libraries, uses CUDA.
    pub fn if_loaded() -> Option<Driver> {
        // SAFETY: the name ends with a zero, and no library is loaded by this call.
        let handle = unsafe { libc::dlopen(c"libcuda.so.1".as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
        if handle.is_null() {
            return None;
        }
        // The library is loaded, so this finds it. Two references to it stay, since it is never closed.
        Driver::open(None).ok()
    }
}
