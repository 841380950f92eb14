//! The driver's calls on devices and contexts.

use crate::state::{Context, Outcome, State, export, give};
use cuda_sys::{CUcontext, CUdevice, device_attribute, result};
use std::ffi::{c_char, c_int, c_uint};

/// Version 12.4.
const VERSION: c_int = 12_040;
/// The largest pitch of copies, as on hardware.
pub(crate) const MAX_PITCH: usize = 0x7fff_ffff;

/// Write a text of at most `len` characters, with its zero.
///
/// # Safety
///
/// `to` has room for `len` characters.
unsafe fn give_text(to: *mut c_char, len: c_int, text: &str) -> Outcome {
    let len = usize::try_from(len).map_err(|_| result::INVALID_VALUE)?;
    if to.is_null() || len <= text.len() {
        return Err(result::INVALID_VALUE);
    }
    // SAFETY: there is room for the text and its zero.
    unsafe {
        to.cast::<u8>().copy_from_nonoverlapping(text.as_ptr(), text.len());
        to.add(text.len()).write(0);
    }
    Ok(())
}

impl State {
    fn primary(&mut self, device: CUdevice) -> Option<(usize, &mut Context)> {
        let mut contexts = self.contexts.iter_mut();
        contexts.find(|(_, c)| c.is_primary && c.device == device).map(|(handle, c)| (*handle, c))
    }
}

fn context(handle: usize) -> CUcontext {
    std::ptr::without_provenance_mut(handle)
}

export! {
    /// Initialise the driver; `flags` is 0.
    fn cuInit(flags: c_uint) needs Nothing |state| {
        if flags != 0 { Err(result::INVALID_VALUE) } else { state.initialise() }
    }

    /// The version of the interface.
    fn cuDriverGetVersion(version: *mut c_int) needs Nothing |_state| {
        // SAFETY: the caller's promise.
        unsafe { give(version, VERSION) }
    }

    /// Number of visible devices.
    fn cuDeviceGetCount(count: *mut c_int) needs Init |state| {
        // SAFETY: the caller's promise.
        unsafe { give(count, state.wishes.visible.len() as c_int) }
    }

    /// A device by its number.
    fn cuDeviceGet(device: *mut CUdevice, ordinal: c_int) needs Init |state| {
        state.physical(ordinal)?;
        // SAFETY: the caller's promise.
        unsafe { give(device, ordinal) }
    }

    /// The name of a device.
    fn cuDeviceGetName(name: *mut c_char, len: c_int, device: CUdevice) needs Init |state| {
        let physical = state.physical(device)?;
        // SAFETY: the caller's promise.
        unsafe { give_text(name, len, &format!("stand-in {physical}")) }
    }

    /// The PCI address of a device, with capital letters as CUDA writes it.
    fn cuDeviceGetPCIBusId(address: *mut c_char, len: c_int, device: CUdevice) needs Init |state| {
        let physical = state.physical(device)?;
        // SAFETY: the caller's promise.
        unsafe { give_text(address, len, &format!("0000:{:02X}:00.0", 0x3b + physical)) }
    }

    /// The memory of a device.
    fn cuDeviceTotalMem_v2(bytes: *mut usize, device: CUdevice) needs Init |state| {
        state.physical(device)?;
        // SAFETY: the caller's promise.
        unsafe { give(bytes, state.wishes.memory_bytes) }
    }

    /// An attribute of a device.
    fn cuDeviceGetAttribute(value: *mut c_int, attribute: c_int, device: CUdevice) needs Init |state| {
        state.physical(device)?;
        let found = match attribute {
            device_attribute::MAX_PITCH => MAX_PITCH as c_int,
            device_attribute::UNIFIED_ADDRESSING
            | device_attribute::VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED
            | device_attribute::HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED => 1,
            device_attribute::DMA_BUF_SUPPORTED | device_attribute::GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED => {
                c_int::from(state.wishes.has_dmabuf)
            }
            _ => return Err(result::INVALID_VALUE),
        };
        // SAFETY: the caller's promise.
        unsafe { give(value, found) }
    }

    /// Create the primary context of a device, or add a user to it.
    fn cuDevicePrimaryCtxRetain(to: *mut CUcontext, device: CUdevice) needs Init |state| {
        state.physical(device)?;
        let handle = match state.primary(device) {
            Some((handle, primary)) => {
                primary.references += 1;
                handle
            }
            None => {
                let handle = state.new_handle();
                state.contexts.insert(handle, Context { device, references: 1, is_primary: true });
                handle
            }
        };
        // SAFETY: the caller's promise.
        unsafe { give(to, context(handle)) }
    }

    /// Drop a user of the primary context. The last one destroys it.
    fn cuDevicePrimaryCtxRelease_v2(device: CUdevice) needs Init |state| {
        let (handle, primary) = state.primary(device).ok_or(result::INVALID_CONTEXT)?;
        primary.references -= 1;
        if primary.references == 0 {
            state.contexts.remove(&handle);
        }
        Ok(())
    }

    /// Destroy the primary context whoever uses it.
    fn cuDevicePrimaryCtxReset_v2(device: CUdevice) needs Init |state| {
        let (handle, _) = state.primary(device).ok_or(result::INVALID_CONTEXT)?;
        state.contexts.remove(&handle);
        Ok(())
    }

    /// Whether the primary context exists.
    fn cuDevicePrimaryCtxGetState(device: CUdevice, flags: *mut c_uint, is_active: *mut c_int) needs Init |state| {
        state.physical(device)?;
        let found = state.primary(device).is_some();
        // SAFETY: the caller's promise.
        unsafe {
            give(flags, 0)?;
            give(is_active, c_int::from(found))
        }
    }

    /// The current context of this thread.
    fn cuCtxGetCurrent(to: *mut CUcontext) needs Init |state| {
        let current = state.with_stack(|stack| stack.last().copied()).unwrap_or(0);
        // SAFETY: the caller's promise.
        unsafe { give(to, context(current)) }
    }

    /// Replace the current context of this thread.
    fn cuCtxSetCurrent(new: CUcontext) needs Init |state| {
        if !new.is_null() && !state.contexts.contains_key(&new.addr()) {
            return Err(result::INVALID_CONTEXT);
        }
        state.with_stack(|stack| {
            stack.pop();
            if !new.is_null() {
                stack.push(new.addr());
            }
        });
        Ok(())
    }

    /// Make a context current.
    fn cuCtxPushCurrent_v2(new: CUcontext) needs Init |state| {
        if !state.contexts.contains_key(&new.addr()) {
            return Err(result::INVALID_CONTEXT);
        }
        state.with_stack(|stack| stack.push(new.addr()));
        Ok(())
    }

    /// Take the thread's current context off its stack.
    fn cuCtxPopCurrent_v2(to: *mut CUcontext) needs Init |state| {
        let old = state.with_stack(Vec::pop).ok_or(result::INVALID_CONTEXT)?;
        if to.is_null() {
            return Ok(());
        }
        // SAFETY: the caller's promise.
        unsafe { give(to, context(old)) }
    }

    /// The device of the current context.
    fn cuCtxGetDevice(device: *mut CUdevice) needs Context |state| {
        let (_, current) = state.current_context()?;
        // SAFETY: the caller's promise.
        unsafe { give(device, current) }
    }
}
