//! Names and texts of errors.

use crate::state::{export, give};
use cuda_sys::{CUresult, result};
use std::ffi::{CStr, c_char};

const TEXTS: &[(CUresult, &CStr, &CStr)] = &[
    (result::SUCCESS, c"CUDA_SUCCESS", c"no error"),
    (result::INVALID_VALUE, c"CUDA_ERROR_INVALID_VALUE", c"invalid argument"),
    (result::OUT_OF_MEMORY, c"CUDA_ERROR_OUT_OF_MEMORY", c"out of memory"),
    (result::NOT_INITIALIZED, c"CUDA_ERROR_NOT_INITIALIZED", c"initialization error"),
    (result::NO_DEVICE, c"CUDA_ERROR_NO_DEVICE", c"no CUDA-capable device is detected"),
    (result::INVALID_DEVICE, c"CUDA_ERROR_INVALID_DEVICE", c"invalid device ordinal"),
    (result::INVALID_CONTEXT, c"CUDA_ERROR_INVALID_CONTEXT", c"invalid device context"),
    (result::ECC_UNCORRECTABLE, c"CUDA_ERROR_ECC_UNCORRECTABLE", c"uncorrectable ECC error encountered"),
    (result::INVALID_HANDLE, c"CUDA_ERROR_INVALID_HANDLE", c"invalid resource handle"),
    (result::NOT_READY, c"CUDA_ERROR_NOT_READY", c"device not ready"),
    (result::ILLEGAL_ADDRESS, c"CUDA_ERROR_ILLEGAL_ADDRESS", c"an illegal memory access was encountered"),
    (result::CONTEXT_IS_DESTROYED, c"CUDA_ERROR_CONTEXT_IS_DESTROYED", c"context is destroyed"),
    (result::LAUNCH_FAILED, c"CUDA_ERROR_LAUNCH_FAILED", c"unspecified launch failure"),
    (result::NOT_SUPPORTED, c"CUDA_ERROR_NOT_SUPPORTED", c"operation not supported"),
];

export! {
    /// The name of a status.
    fn cuGetErrorName(status: CUresult, to: *mut *const c_char) needs Nothing |_state| {
        let (_, name, _) = TEXTS.iter().find(|row| row.0 == status).ok_or(result::INVALID_VALUE)?;
        // SAFETY: the caller's promise.
        unsafe { give(to, name.as_ptr()) }
    }

    /// The text of a status.
    fn cuGetErrorString(status: CUresult, to: *mut *const c_char) needs Nothing |_state| {
        let (_, _, text) = TEXTS.iter().find(|row| row.0 == status).ok_or(result::INVALID_VALUE)?;
        // SAFETY: the caller's promise.
        unsafe { give(to, text.as_ptr()) }
    }
}
