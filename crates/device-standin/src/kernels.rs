//! Modules and kernels. The stand-in executes no PTX: it knows kernels of the tests by their names, and has a function of the same arithmetic
//! for each. So a program's launches and its communication are tested here, and its PTX is not.

use crate::{
    state::{Outcome, State, export, give},
    streams::Operation,
};
use cuda_sys::{CUstream, result};
use std::{
    ffi::{CStr, c_char, c_uint, c_void},
    ptr,
};

/// A step of `tests/c/device/heat.c`, with the parameters of its PTX.
#[derive(Clone, Copy)]
pub(crate) struct HeatStep {
    next: usize,
    now: usize,
    columns: usize,
    rows: usize,
    rate: f64,
}

/// Handle of the kernel, the only one.
const HEAT_STEP: usize = 0xc0da_0001;

impl HeatStep {
    /// # Safety
    ///
    /// `parameters` are the addresses of the kernel's parameters.
    unsafe fn read(parameters: *const *const c_void) -> HeatStep {
        // SAFETY: the caller's promise.
        unsafe {
            let word = |at: usize| parameters.add(at).read().cast::<u64>().read() as usize;
            let (next, now, columns, rows) = (word(0), word(1), word(2), word(3));
            HeatStep { next, now, columns, rows, rate: parameters.add(4).read().cast::<f64>().read() }
        }
    }

    /// Find both plates, a rim of one cell around each included.
    fn plates(&self, state: &State, device: i32) -> Outcome<(usize, usize)> {
        let cells = (self.rows + 2).checked_mul(self.columns + 2).ok_or(result::INVALID_VALUE)?;
        let bytes = cells.checked_mul(size_of::<f64>()).ok_or(result::INVALID_VALUE)?;
        Ok((state.space.resolve(self.next, bytes, device)?, state.space.resolve(self.now, bytes, device)?))
    }

    pub fn run(&self, state: &State, device: i32) -> Outcome {
        let (next, now) = self.plates(state, device).map_err(|_| result::ILLEGAL_ADDRESS)?;
        let (next, now) = (ptr::with_exposed_provenance_mut::<f64>(next), ptr::with_exposed_provenance::<f64>(now));
        let pitch = self.columns + 2;
        for at in (1..=self.rows).flat_map(|row| (1..=self.columns).map(move |column| row * pitch + column)) {
            // SAFETY: within both plates, which are mapped here. A peer may write their rim; no value there is relied on.
            unsafe {
                let cell = |at: usize| now.add(at).read_volatile();
                let (here, around) = (cell(at), cell(at - 1) + cell(at + 1) + cell(at - pitch) + cell(at + pitch));
                next.add(at).write_volatile(here + self.rate * (around - 4.0 * here));
            }
        }
        Ok(())
    }
}

/// The text of a module, if it is PTX.
///
/// # Safety
///
/// The pointer is null, or the text ends with a zero.
unsafe fn ptx<'t>(image: *const c_void) -> Outcome<&'t str> {
    if image.is_null() {
        return Err(result::INVALID_VALUE);
    }
    // SAFETY: the caller's promise.
    let text = unsafe { CStr::from_ptr(image.cast()) }.to_str().map_err(|_| result::INVALID_PTX)?;
    if text.trim_start().starts_with(".version") { Ok(text) } else { Err(result::INVALID_PTX) }
}

export! {
    /// Load PTX that has a kernel known here.
    fn cuModuleLoadData(to: *mut *mut c_void, image: *const c_void) needs Context |state| {
        // SAFETY: the caller's promise.
        let text = unsafe { ptx(image) }?;
        if !text.contains(".entry heat_step(") {
            return Err(result::INVALID_PTX);
        }
        let handle = state.new_handle();
        // SAFETY: the caller's promise.
        unsafe { give(to, ptr::without_provenance_mut(handle)) }
    }

    /// A kernel by its name.
    fn cuModuleGetFunction(to: *mut *mut c_void, _module: *mut c_void, name: *const c_char) needs Context |_state| {
        // SAFETY: the caller's promise.
        if unsafe { CStr::from_ptr(name) } != c"heat_step" {
            return Err(result::NOT_FOUND);
        }
        // SAFETY: the caller's promise.
        unsafe { give(to, ptr::without_provenance_mut(HEAT_STEP)) }
    }

    /// Post a kernel to a stream. It must have a thread for each cell.
    fn cuLaunchKernel(
        kernel: *mut c_void, blocks: c_uint, _blocks_y: c_uint, _blocks_z: c_uint, threads: c_uint, _threads_y: c_uint,
        _threads_z: c_uint, _shared_bytes: c_uint, stream: CUstream, parameters: *mut *mut c_void, _extra: *mut *mut c_void,
    ) needs Context |state| {
        if kernel.addr() != HEAT_STEP || parameters.is_null() {
            return Err(result::INVALID_HANDLE);
        }
        // SAFETY: the caller's promise.
        let step = unsafe { HeatStep::read(parameters.cast_const().cast()) };
        if (blocks as usize * threads as usize) < step.columns * step.rows {
            return Err(result::INVALID_VALUE);
        }
        state.post(stream, Operation::HeatStep(step))
    }
}
