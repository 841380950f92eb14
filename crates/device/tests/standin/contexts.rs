//! The device that is opened, and the contexts of the program.

use crate::alone::{alone, library, open};
use cuda_sys::{CUcontext, Driver};
use ferrite_device::{Kind, cuda};
use std::ptr;

/// The primary context of a device is current for this thread while this value lives, as in a program that has chosen the device.
pub struct Current {
    driver: Driver,
    context: CUcontext,
}

impl Current {
    pub fn of_device(device: i32) -> Current {
        let driver = Driver::open(Some(&library())).unwrap();
        let mut context: CUcontext = ptr::null_mut();
        // SAFETY: the driver writes one handle, which it knows.
        unsafe {
            assert_eq!((driver.init)(0), 0);
            assert_eq!((driver.primary_retain)(&raw mut context, device), 0);
            assert_eq!((driver.ctx_push)(context), 0);
        }
        Current { driver, context }
    }
}

impl Drop for Current {
    fn drop(&mut self) {
        let mut popped: CUcontext = ptr::null_mut();
        // SAFETY: the driver writes one handle.
        assert_eq!(unsafe { (self.driver.ctx_pop)(&raw mut popped) }, 0);
        assert_eq!(popped, self.context, "the library left another context on the thread");
    }
}

#[test]
fn without_a_current_context_the_first_visible_device_is_opened() {
    alone(
        &[("CUDA_STANDIN_DEVICES", "4"), ("CUDA_VISIBLE_DEVICES", "2,1"), ("CUDA_STANDIN_MEMORY", "8388608")],
        || {
            let device = open();
            let about = device.about();
            assert_eq!((about.interface, about.version.as_str(), about.name.as_str()), ("cuda", "12.4", "stand-in 2"));
            assert_eq!((about.ordinal, about.pci.as_str()), (0, "0000:3d:00.0"));
            assert_eq!((about.memory_bytes, about.granularity_bytes, about.was_current), (8 << 20, 2 << 20, false));
        },
    );
}

#[test]
fn the_device_of_the_current_context_is_opened() {
    alone(&[("CUDA_STANDIN_DEVICES", "2")], || {
        let current = Current::of_device(1);
        let device = open();
        assert_eq!((device.about().ordinal, device.about().was_current), (1, true));
        // Work in the context of another device goes to the device that was opened.
        let other = Current::of_device(0);
        let stream = device.open_stream().unwrap();
        device.close_stream(stream).unwrap();
        drop(other);
        drop(current);
        // The device has its own reference to the context.
        device.open_stream().unwrap();
    });
}

#[test]
fn a_reset_by_the_program_is_a_loss() {
    alone(&[], || {
        let device = open();
        let stream = device.open_stream().unwrap();
        let loaded = library();
        let name = std::ffi::CString::new(loaded.to_str().unwrap()).unwrap();
        // SAFETY: the library is loaded, and has this function of this type.
        unsafe {
            let handle = libc::dlopen(name.as_ptr(), libc::RTLD_NOW);
            let reset = libc::dlsym(handle, c"cuDevicePrimaryCtxReset_v2".as_ptr());
            let reset: unsafe extern "C" fn(i32) -> i32 = std::mem::transmute(reset);
            assert_eq!(reset(0), 0);
        }
        let error = device.mark(stream).unwrap_err();
        assert_eq!(error.kind(), Kind::Lost);
        assert_eq!(error.to_string(), "cuCtxPushCurrent: invalid device context (CUDA_ERROR_INVALID_CONTEXT)");
    });
}

#[test]
fn a_host_without_driver_or_device_is_told_apart_from_failures() {
    alone(&[("CUDA_VISIBLE_DEVICES", "")], || {
        let error = cuda::open(Some("/nonexistent/libcuda.so.1".as_ref())).unwrap_err();
        assert_eq!(error.kind(), Kind::Absent);
        assert!(error.to_string().starts_with("cannot open `/nonexistent/libcuda.so.1`: "), "{error}");
        let error = cuda::open(Some(&library())).unwrap_err();
        let text = "cuInit: no CUDA-capable device is detected (CUDA_ERROR_NO_DEVICE)";
        assert_eq!((error.kind(), error.to_string().as_str()), (Kind::Absent, text));
    });
}
