//! The memory of an address.

use super::calls::check;
use crate::{Extent, Place, Result};
use cuda_sys::{CUdeviceptr, Driver, memory_type, pointer_attribute, result};
use std::ffi::{c_int, c_uint, c_void};

/// The memory of an address, if this process has loaded CUDA's driver already; the call loads nothing. `None` without a driver, and if the
/// program has not initialised it: there is no device memory then. Needs no open device.
pub fn classify_if_loaded(address: usize) -> Option<Place> {
    classify(&Driver::if_loaded()?, address).ok()
}

/// The memory of an address.
pub(super) fn classify(driver: &Driver, address: usize) -> Result<Place> {
    let mut kind: c_uint = 0;
    let mut is_managed: c_int = 0;
    let mut ordinal: c_int = -1;
    let mut base: CUdeviceptr = 0;
    let mut bytes: usize = 0;
    let mut attributes = [
        pointer_attribute::MEMORY_TYPE,
        pointer_attribute::IS_MANAGED,
        pointer_attribute::DEVICE_ORDINAL,
        pointer_attribute::RANGE_START_ADDR,
        pointer_attribute::RANGE_SIZE,
    ];
    let mut values: [*mut c_void; 5] = [
        (&raw mut kind).cast(),
        (&raw mut is_managed).cast(),
        (&raw mut ordinal).cast(),
        (&raw mut base).cast(),
        (&raw mut bytes).cast(),
    ];
    // SAFETY: there are as many values as attributes, each of the attribute's type. The driver does not access the address.
    let status = unsafe {
        (driver.pointer_attributes)(
            attributes.len() as c_uint,
            attributes.as_mut_ptr(),
            values.as_mut_ptr(),
            address as CUdeviceptr,
        )
    };
    // An address that the driver does not know gets zeros; some versions report it as an invalid value.
    if status == result::INVALID_VALUE {
        return Ok(Place::Host);
    }
    check(driver, status, format_args!("cuPointerGetAttributes of {address:#x}"))?;
    Ok(match kind {
        _ if is_managed != 0 => Place::Managed,
        memory_type::HOST => Place::PageLocked,
        memory_type::DEVICE => Place::Device { ordinal, extent: Extent { base: base as usize, bytes } },
        _ => Place::Host,
    })
}
