//! Finds the current device and its abilities.

use super::{Context, Cuda, calls::check, device::allocation_properties};
use crate::{About, Device, Error, Kind, Result};
use cuda_sys::{CU_MEM_ALLOC_GRANULARITY_MINIMUM, CUcontext, CUdevice, CUresult, Driver, device_attribute};
use std::{
    collections::HashMap,
    ffi::{c_char, c_int},
    fmt::Display,
    path::Path,
    ptr,
    sync::{Arc, Mutex, OnceLock},
};

/// Load the driver from `file`, or from where the dynamic linker finds `libcuda.so.1`, and open the device whose context is current for the
/// calling thread. If none is current, the first visible device is opened, in its primary context, which is the context of CUDA's runtime
/// library: its default too is the first device. The context stays as it is for the program.
///
/// Fails with `Absent` without a driver or device, and with `Unsupported` if the device lacks an ability that the contract needs.
pub fn open(file: Option<&Path>) -> Result<Arc<dyn Device>> {
    let driver = Driver::open(file).map_err(|error| Error::new(Kind::Absent, error.to_string()))?;
    let opening = Opening { driver };
    // SAFETY: the only flags are 0. A second call has no effect.
    opening.call("cuInit", |d| unsafe { (d.init)(0) })?;
    let (device, context, was_current) = opening.context()?;
    let opened = opening.device(device, was_current);
    match opened {
        Ok((about, max_pitch_bytes, serves_nics)) => Ok(Arc::new(Cuda {
            driver,
            device,
            context,
            about,
            max_pitch_bytes,
            serves_nics,
            lost: OnceLock::new(),
            timelines: Mutex::new(HashMap::new()),
        })),
        Err(error) => {
            if context.is_retained {
                // SAFETY: retained above. The first error is the one to report.
                unsafe { (driver.primary_release)(device) };
            }
            Err(error)
        }
    }
}

struct Opening {
    driver: Driver,
}

impl Opening {
    fn call(&self, name: impl Display, call: impl FnOnce(&Driver) -> CUresult) -> Result<()> {
        check(&self.driver, call(&self.driver), name)
    }

    /// The current context and its device, or the first device and its primary context. True in the first case.
    fn context(&self) -> Result<(CUdevice, Context, bool)> {
        let mut current: CUcontext = ptr::null_mut();
        // SAFETY: the driver writes one handle.
        self.call("cuCtxGetCurrent", |d| unsafe { (d.ctx_get_current)(&raw mut current) })?;
        if current.is_null() {
            let mut count: c_int = 0;
            // SAFETY: the driver writes one number.
            self.call("cuDeviceGetCount", |d| unsafe { (d.device_count)(&raw mut count) })?;
            if count == 0 {
                let text = "cuDeviceGetCount: no device is visible; CUDA_VISIBLE_DEVICES may hide them all";
                return Err(Error::new(Kind::Absent, text));
            }
            let mut device: CUdevice = 0;
            // SAFETY: the driver writes one number.
            self.call("cuDeviceGet", |d| unsafe { (d.device_get)(&raw mut device, 0) })?;
            return Ok((device, Context { handle: self.retain(device)?, is_retained: true }, false));
        }
        let mut device: CUdevice = 0;
        // SAFETY: the driver writes one number.
        self.call("cuCtxGetDevice", |d| unsafe { (d.ctx_get_device)(&raw mut device) })?;
        let (mut flags, mut is_active) = (0, 0);
        // SAFETY: the driver writes two numbers.
        self.call("cuDevicePrimaryCtxGetState", |d| unsafe {
            (d.primary_state)(device, &raw mut flags, &raw mut is_active)
        })?;
        let mut is_retained = false;
        // A reference to the primary context keeps it alive if the program gives up its own. Other contexts have no references.
        if is_active != 0 {
            is_retained = self.retain(device)? == current;
            if !is_retained {
                // SAFETY: retained just now.
                self.call("cuDevicePrimaryCtxRelease", |d| unsafe { (d.primary_release)(device) })?;
            }
        }
        Ok((device, Context { handle: current, is_retained }, true))
    }

    fn retain(&self, device: CUdevice) -> Result<CUcontext> {
        let mut primary: CUcontext = ptr::null_mut();
        self.call(format_args!("cuDevicePrimaryCtxRetain of device {device}"), |d| {
            // SAFETY: the driver writes one handle.
            unsafe { (d.primary_retain)(&raw mut primary, device) }
        })?;
        Ok(primary)
    }

    /// The facts about a device, the greatest pitch of copies, and whether NICs can reach its memory.
    fn device(&self, device: CUdevice, was_current: bool) -> Result<(About, usize, bool)> {
        let name = self.text("cuDeviceGetName", |d, text, len| {
            // SAFETY: the driver writes at most `len` characters.
            unsafe { (d.device_name)(text, len, device) }
        })?;
        let pci = self.text("cuDeviceGetPCIBusId", |d, text, len| {
            // SAFETY: as above.
            unsafe { (d.device_pci_bus_id)(text, len, device) }
        })?;
        for (needed, ability) in [
            (device_attribute::UNIFIED_ADDRESSING, "unified addressing"),
            (device_attribute::VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, "virtual memory management"),
            (device_attribute::HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, "file descriptors as memory handles"),
        ] {
            if self.attribute(device, needed)? == 0 {
                let text = format!("device {device} ({name}) lacks {ability}, which device memory needs");
                return Err(Error::new(Kind::Unsupported, text));
            }
        }
        let mut memory_bytes: usize = 0;
        // SAFETY: the driver writes one number.
        self.call("cuDeviceTotalMem", |d| unsafe { (d.device_total_mem)(&raw mut memory_bytes, device) })?;
        let mut version: c_int = 0;
        // SAFETY: the driver writes one number.
        self.call("cuDriverGetVersion", |d| unsafe { (d.driver_version)(&raw mut version) })?;
        // An older driver does not know these attributes.
        let has = |attribute| self.attribute(device, attribute).is_ok_and(|value| value != 0);
        let serves_nics = has(device_attribute::GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED);
        let properties = allocation_properties(device, serves_nics);
        let mut granularity_bytes: usize = 0;
        self.call("cuMemGetAllocationGranularity", |d| {
            // SAFETY: the driver reads the properties and writes one number.
            unsafe {
                (d.mem_granularity)(&raw mut granularity_bytes, &raw const properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM)
            }
        })?;
        let about = About {
            interface: "cuda",
            version: format!("{}.{}", version / 1000, version % 1000 / 10),
            name,
            ordinal: device,
            pci: pci.to_lowercase(),
            memory_bytes: memory_bytes as u64,
            granularity_bytes,
            exports_dmabuf: has(device_attribute::DMA_BUF_SUPPORTED) && self.driver.range_handle.is_some(),
            was_current,
        };
        let max_pitch = self.attribute(device, device_attribute::MAX_PITCH)?;
        Ok((about, usize::try_from(max_pitch).unwrap_or(0), serves_nics))
    }

    fn attribute(&self, device: CUdevice, attribute: c_int) -> Result<c_int> {
        let mut value: c_int = 0;
        self.call(format_args!("cuDeviceGetAttribute {attribute} of device {device}"), |d| {
            // SAFETY: the driver writes one number.
            unsafe { (d.device_attribute)(&raw mut value, attribute, device) }
        })?;
        Ok(value)
    }

    fn text(&self, name: &str, call: impl FnOnce(&Driver, *mut c_char, c_int) -> CUresult) -> Result<String> {
        let mut text = [0u8; 256];
        self.call(name, |d| call(d, text.as_mut_ptr().cast(), text.len() as c_int - 1))?;
        Ok(String::from_utf8_lossy(text.split(|byte| *byte == 0).next().unwrap_or_default()).into_owned())
    }
}
