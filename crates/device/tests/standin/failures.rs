//! Failures that the stand-in causes on request.

use crate::alone::{UNIT, alone, library, open, resources, second, start, variable};
use ferrite_device::{Device, HostBuffer, Kind, Mapping, Queue, Result, Side, Strided, cuda};
use std::{os::fd::AsFd, sync::Arc};

/// Use every operation once.
fn life(device: &Arc<dyn Device>) -> Result<()> {
    let mapping = Mapping::create(device, UNIT, 1)?;
    let file = mapping.export()?;
    let again = Mapping::import(device, file.as_fd(), UNIT, 1)?;
    mapping.dmabuf()?;
    device.flush_nic_writes()?;
    let buffer = HostBuffer::allocate(device, 4096)?;
    let mut page = Box::new([0u8; 8192]);
    // SAFETY: the box outlives the lock.
    unsafe {
        device.page_lock((&mut page[0]).into(), 4096)?;
        device.page_unlock((&mut page[0]).into())?;
    }
    let base = again.range().base;
    device.classify(base)?;
    let queue = Queue::open(device)?;
    let stream = queue.stream();
    let strided = Strided {
        dest: Side::Device(base),
        dest_stride_bytes: 8,
        source: Side::Device(base + 4096),
        source_stride_bytes: 8,
        element_bytes: 4,
        count: 4,
    };
    // SAFETY: the mappings and the buffer outlive the queue, whose drop waits.
    unsafe {
        device.copy_to_device(stream, base, buffer.base().as_ptr(), 64)?;
        device.copy_to_host(stream, buffer.base().as_ptr(), base, 64)?;
        device.copy_on_device(stream, base + 4096, base, 64)?;
        device.copy_strided(stream, &strided)?;
        device.fill(stream, base, 0, UNIT)?;
    }
    let mark = device.mark(stream)?;
    device.reached(stream)?;
    device.wait(stream, mark)?;
    drop(queue);
    // SAFETY: nothing uses the memory any more.
    unsafe {
        again.close()?;
        mapping.close()
    }
}

/// Calls whose failure has no effect, or none that a caller hears of: drops, texts, and what older drivers lack.
const UNHEARD: &[&str] = &[
    "cuGetErrorName",
    "cuGetErrorString",
    "cuCtxGetDevice",
    "cuDevicePrimaryCtxGetState",
    "cuDevicePrimaryCtxRelease_v2",
    "cuCtxPopCurrent_v2",
    "cuMemFreeHost",
    "cuStreamSynchronize",
    "cuStreamDestroy_v2",
    "cuEventDestroy_v2",
];

#[test]
fn the_failure_of_each_call_is_reported_by_name_and_leaves_nothing() {
    second("life", |_| {
        let result = cuda::open(Some(&library())).and_then(|device| life(&device));
        let call = variable("CUDA_STANDIN_FAIL").unwrap();
        let call = call.split(':').next().unwrap();
        if UNHEARD.contains(&call) {
            assert_eq!(result, Ok(()), "{call}");
            return;
        }
        let error = result.expect_err(call);
        let plain = call.trim_end_matches("_v2");
        assert!(error.to_string().starts_with(plain), "{call}: {error}");
        assert!(error.to_string().ends_with(": out of memory (CUDA_ERROR_OUT_OF_MEMORY)"), "{call}: {error}");
        // Memory whose unmapping fails stays mapped.
        if !["cuMemUnmap", "cuMemAddressFree", "cuMemRelease"].contains(&call) {
            assert_eq!(resources().1, 0, "{call}");
        }
    });
    alone(&[], || {
        life(&open()).unwrap();
        for name in cuda_sys::NAMES {
            let failure = format!("{}:1:2", name.to_str().unwrap());
            assert!(start("life", &[("CUDA_STANDIN_FAIL", &failure)], None).success(), "{failure}");
        }
    });
}

#[test]
fn memory_beyond_the_limit_is_refused_and_smaller_memory_is_not() {
    alone(&[("CUDA_STANDIN_MEMORY", "8388608")], || {
        let device = open();
        let before = resources();
        let error = Mapping::create(&device, 9 << 20, 1).unwrap_err();
        assert_eq!(error.kind(), Kind::OutOfMemory);
        let text = "cuMemCreate of 10485760 bytes on stand-in 0: out of memory (CUDA_ERROR_OUT_OF_MEMORY)";
        assert_eq!(error.to_string(), text);
        assert_eq!(resources(), before);
        drop(Mapping::create(&device, 8 << 20, 1).unwrap());
        Mapping::create(&device, 8 << 20, 1).expect("the first mapping was given back");
    });
}

#[test]
fn after_a_loss_everything_fails_and_is_given_back_without_error() {
    alone(&[("CUDA_STANDIN_FAIL", "cuMemcpyDtoDAsync_v2:2:719")], || {
        let device = open();
        let mapping = Mapping::create(&device, UNIT, 1).unwrap();
        let queue = Queue::open(&device).unwrap();
        let base = mapping.range().base;
        // SAFETY: both ranges are in the mapping.
        let copy = || unsafe { device.copy_on_device(queue.stream(), base + 64, base, 64) };
        copy().unwrap();
        let error = copy().unwrap_err();
        assert_eq!(error.kind(), Kind::Lost);
        assert!(error.to_string().ends_with("unspecified launch failure (CUDA_ERROR_LAUNCH_FAILED)"), "{error}");
        let later = [
            device.create(UNIT).map(|_| ()),
            device.reached(queue.stream()).map(|_| ()),
            device.wait(queue.stream(), 1),
            device.classify(base).map(|_| ()),
            device.export(ferrite_device::Physical(1.try_into().unwrap())).map(|_| ()),
        ];
        // All name the operation that found the loss.
        for result in later {
            assert_eq!(result, Err(error.clone()));
        }
        device.close_stream(queue.stream()).unwrap();
        // SAFETY: nothing uses the memory any more.
        unsafe { mapping.close() }.unwrap();
    });
}

#[test]
fn a_loss_that_shows_when_a_copy_runs_is_reported_by_polls() {
    alone(&[("CUDA_STANDIN_FAIL", "cuEventQuery:1:700")], || {
        let device = open();
        let queue = Queue::open(&device).unwrap();
        device.mark(queue.stream()).unwrap();
        let error = device.reached(queue.stream()).unwrap_err();
        assert_eq!(error.kind(), Kind::Lost);
        assert!(error.to_string().starts_with("cuEventQuery: "), "{error}");
    });
}
