//! Memory, mappings, and what an address is.

use crate::alone::{UNIT, alone, library, open, resources, second, start};
use ferrite_device::{Extent, HostBuffer, Kind, Mapping, Place, Queue, cuda};
use std::{
    os::{
        fd::{BorrowedFd, FromRawFd, OwnedFd},
        unix::process::ExitStatusExt,
    },
    ptr::NonNull,
};

#[test]
fn a_second_process_imports_the_same_memory_at_an_aligned_address() {
    const ALIGN: usize = 64 << 20;
    second("import", |file| {
        let device = open();
        // SAFETY: inherited for this part of the test, which owns it.
        let file = unsafe { OwnedFd::from_raw_fd(file) };
        let mapping = Mapping::import(&device, std::os::fd::AsFd::as_fd(&file), UNIT, ALIGN).unwrap();
        let Extent { base, bytes } = mapping.range();
        assert_eq!((base % ALIGN, bytes), (0, UNIT));
        // The mapping needs no descriptor.
        drop(file);
        let queue = Queue::open(&device).unwrap();
        let mut seen = [0u8; 4];
        // SAFETY: the mapping and the array outlive the copies, which `drain` waits for.
        unsafe {
            device.copy_to_host(queue.stream(), seen.as_mut_ptr(), base + UNIT - 4, 4).unwrap();
            device.fill(queue.stream(), base, 9, 8).unwrap();
        }
        queue.drain().unwrap();
        assert_eq!(seen, [7; 4]);
        // SAFETY: nothing uses the memory any more.
        unsafe { mapping.close() }.unwrap();
    });
    alone(&[], || {
        let device = open();
        // A heap of any size is rounded up.
        let mapping = Mapping::create(&device, UNIT - 5, ALIGN).unwrap();
        let Extent { base, bytes } = mapping.range();
        assert_eq!((base % ALIGN, bytes), (0, UNIT));
        let elsewhere = Mapping::create(&device, 1, ALIGN).unwrap();
        assert_eq!(elsewhere.range().base % ALIGN, 0);
        let queue = Queue::open(&device).unwrap();
        // SAFETY: the mapping outlives the fill.
        unsafe { device.fill(queue.stream(), base, 7, UNIT) }.unwrap();
        queue.drain().unwrap();
        assert!(start("import", &[], Some(&mapping.export().unwrap())).success());
        let mut seen = [0u8; 9];
        // SAFETY: the array outlives the copy.
        unsafe { device.copy_to_host(queue.stream(), seen.as_mut_ptr(), base, 9) }.unwrap();
        queue.drain().unwrap();
        assert_eq!(seen, [9, 9, 9, 9, 9, 9, 9, 9, 7]);
    });
}

#[test]
fn a_load_by_the_cpu_is_a_fault() {
    second("load", |_| {
        let mapping = Mapping::create(&open(), UNIT, 1).unwrap();
        let address: *const u8 = std::ptr::with_exposed_provenance(mapping.range().base);
        // SAFETY: not at all: the process ends here.
        let byte = unsafe { address.read_volatile() };
        println!("read {byte}");
    });
    alone(&[], || assert_eq!(start("load", &[], None).signal(), Some(libc::SIGSEGV)));
}

#[test]
fn addresses_are_classified() {
    alone(&[], || {
        let on_stack = 0u8;
        assert_eq!(cuda::classify_if_loaded((&raw const on_stack).addr()), None, "nothing is loaded yet");
        let device = open();
        let mapping = Mapping::create(&device, 3 * UNIT, 1).unwrap();
        let Extent { base, bytes } = mapping.range();
        let on_device = Place::Device { ordinal: 0, extent: mapping.range() };
        let buffer = HostBuffer::allocate(&device, 100).unwrap();
        let page = std::alloc::Layout::from_size_align(4096, 4096).unwrap();
        // SAFETY: the size is not zero.
        let registered = NonNull::new(unsafe { std::alloc::alloc(page) }).unwrap();
        // SAFETY: allocated, and not freed before it is unlocked.
        unsafe { device.page_lock(registered, 4096) }.unwrap();
        for (address, place) in [
            (base, on_device),
            (base + bytes - 1, on_device),
            (base + bytes, Place::Host),
            ((&raw const on_stack).addr(), Place::Host),
            (0, Place::Host),
            (buffer.base().as_ptr().addr() + 99, Place::PageLocked),
            (registered.as_ptr().addr() + 4095, Place::PageLocked),
            (registered.as_ptr().addr() + 4096, Place::Host),
        ] {
            assert_eq!(device.classify(address), Ok(place), "{address:#x}");
            assert_eq!(cuda::classify_if_loaded(address), Some(place), "{address:#x}");
        }
        // SAFETY: locked above, and no copy uses it.
        unsafe { device.page_unlock(registered) }.unwrap();
        assert_eq!(device.classify(registered.as_ptr().addr()), Ok(Place::Host));
        // SAFETY: allocated above with this layout.
        unsafe { std::alloc::dealloc(registered.as_ptr(), page) };
    });
}

#[test]
fn released_memory_stays_while_it_is_mapped() {
    alone(&[], || {
        let device = open();
        let memory = device.create(UNIT).unwrap();
        let range = device.reserve(UNIT).unwrap();
        let base = range.base;
        // SAFETY: reserved just now.
        unsafe { device.map(memory, range) }.unwrap();
        device.release(memory).unwrap();
        // A released handle is unknown.
        assert_eq!(device.export(memory).unwrap_err().kind(), Kind::Failed);
        let queue = Queue::open(&device).unwrap();
        // SAFETY: mapped, until the fill is complete.
        unsafe { device.fill(queue.stream(), base, 1, UNIT) }.unwrap();
        queue.drain().unwrap();
        // A range that is mapped is not given back.
        // SAFETY: the call is refused, so it changes nothing.
        let refused = unsafe { device.unreserve(range) }.unwrap_err();
        assert_eq!(
            refused.to_string(),
            format!("cuMemAddressFree of {UNIT} bytes at {base:#x}: invalid argument (CUDA_ERROR_INVALID_VALUE)")
        );
        // SAFETY: nothing uses the range any more.
        unsafe {
            device.unmap(range).unwrap();
            device.unreserve(range).unwrap();
        }
    });
}

#[test]
fn a_descriptor_of_something_else_is_not_imported() {
    alone(&[], || {
        let device = open();
        let before = resources();
        let file = std::fs::File::open("/proc/self/exe").unwrap();
        let error = device.import(std::os::fd::AsFd::as_fd(&file)).unwrap_err();
        assert!(error.to_string().starts_with("cuMemImportFromShareableHandle: "), "{error}");
        // SAFETY: the number is none that a process has open.
        assert!(device.import(unsafe { BorrowedFd::borrow_raw(999_999) }).is_err());
        drop(file);
        assert_eq!(resources(), before);
    });
}

#[test]
fn dmabufs_are_exported_or_refused() {
    alone(&[], || {
        let device = open();
        let mapping = Mapping::create(&device, UNIT, 1).unwrap();
        assert!(device.about().exports_dmabuf);
        mapping.dmabuf().unwrap();
        device.flush_nic_writes().unwrap();
    });
}

#[test]
fn a_driver_without_dmabuf_is_no_error() {
    alone(&[("CUDA_STANDIN_NO_DMABUF", "1")], || {
        let device = open();
        assert!(!device.about().exports_dmabuf);
        device.flush_nic_writes().unwrap();
        let mapping = Mapping::create(&device, UNIT, 1).unwrap();
        let error = mapping.dmabuf().unwrap_err();
        assert_eq!(
            (error.kind(), error.to_string().as_str()),
            (Kind::Unsupported, "stand-in 0 cannot export a dmabuf")
        );
    });
}

#[test]
fn memory_that_a_device_cannot_reach_is_unsupported() {
    alone(&[("CUDA_STANDIN_DEVICES", "2"), ("CUDA_STANDIN_NO_PEER", "1")], || {
        let first = open();
        let file = {
            let _second = crate::contexts::Current::of_device(1);
            let second = open();
            assert_eq!(second.about().ordinal, 1);
            Mapping::create(&second, UNIT, 1).unwrap().export().unwrap()
        };
        let before = resources();
        let error = Mapping::import(&first, std::os::fd::AsFd::as_fd(&file), UNIT, 1).unwrap_err();
        assert_eq!(error.kind(), Kind::Unsupported, "{error}");
        assert!(error.to_string().starts_with("cuMemSetAccess"), "{error}");
        assert_eq!(resources(), before);
    });
}

#[test]
fn nothing_is_left_of_mappings_buffers_and_streams() {
    alone(&[], || {
        let mut before = None;
        for _ in 0..20 {
            let device = cuda::open(Some(&library())).unwrap();
            let mapping = Mapping::create(&device, UNIT, 1).unwrap();
            let file = mapping.export().unwrap();
            let again = Mapping::import(&device, std::os::fd::AsFd::as_fd(&file), UNIT, 1).unwrap();
            let queue = Queue::open(&device).unwrap();
            let buffer = HostBuffer::allocate(&device, UNIT).unwrap();
            let source = buffer.base().as_ptr();
            for _ in 0..10 {
                // SAFETY: the queue is drained before the mapping and the buffer end.
                unsafe { device.copy_to_device(queue.stream(), again.range().base, source, UNIT) }.unwrap();
                device.mark(queue.stream()).unwrap();
            }
            queue.drain().unwrap();
            drop((again, mapping, queue, buffer, file, device));
            assert_eq!(*before.get_or_insert_with(resources), resources());
        }
        assert_eq!(before.unwrap().1, 0, "mappings of device memory");
    });
}
