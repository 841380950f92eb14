//! Tests of the contract that every device keeps: run over the stand-in, and on hardware.

use ferrite_device::{Device, Extent, HostBuffer, Kind, Mapping, Place, Queue, Side, Strided};
use std::{os::fd::AsFd, sync::Arc, time::Instant};

/// A mapping and a queue, with blocking reads and writes.
struct Bench<'a> {
    device: &'a Arc<dyn Device>,
    queue: Queue,
    base: usize,
}

impl Bench<'_> {
    fn write(&self, offset: usize, bytes: &[u8]) {
        // SAFETY: the source lives until the queue is drained.
        unsafe { self.device.copy_to_device(self.queue.stream(), self.base + offset, bytes.as_ptr(), bytes.len()) }
            .unwrap();
        self.queue.drain().unwrap();
    }

    fn read(&self, offset: usize, bytes: usize) -> Vec<u8> {
        let mut found = vec![0xee; bytes];
        // SAFETY: the destination lives until the queue is drained.
        unsafe { self.device.copy_to_host(self.queue.stream(), found.as_mut_ptr(), self.base + offset, bytes) }
            .unwrap();
        self.queue.drain().unwrap();
        found
    }
}

/// Use the device in every way that the contract allows.
pub fn holds(device: &Arc<dyn Device>) {
    let unit = device.about().granularity_bytes;
    assert!(unit.is_power_of_two() && device.about().memory_bytes > 0, "{:?}", device.about());
    let mapping = Mapping::create(device, 2 * unit, 1).unwrap();
    let Extent { base, bytes } = mapping.range();
    assert_eq!((base % unit, bytes), (0, 2 * unit));
    let bench = Bench { device, queue: Queue::open(device).unwrap(), base };

    for bytes in [1, 2, 3, 4, 8, 4096, unit] {
        let data: Vec<u8> = (0..bytes).map(|i| (i * 7 + bytes) as u8).collect();
        bench.write(0, &data);
        // SAFETY: both ranges are in the mapping.
        unsafe { device.copy_on_device(bench.queue.stream(), base + unit, base, bytes) }.unwrap();
        assert_eq!(bench.read(unit, bytes), data, "{bytes} bytes");
    }
    // SAFETY: the range is in the mapping.
    unsafe { device.fill(bench.queue.stream(), base, 5, unit) }.unwrap();
    assert_eq!(bench.read(unit - 4, 4), [5; 4]);

    strided_copies(&bench);
    page_locked_memory(&bench);
    marks(&bench);
    addresses(device, &mapping);
    imported_memory(&bench, &mapping);
    match mapping.dmabuf() {
        Ok(_) => assert!(device.about().exports_dmabuf),
        Err(error) => assert_eq!(error.kind(), Kind::Unsupported, "{error}"),
    }
    if let Err(error) = device.flush_nic_writes() {
        assert_eq!(error.kind(), Kind::Unsupported, "{error}");
    }
    drop(bench);
    // SAFETY: nothing uses the memory any more.
    unsafe { mapping.close() }.unwrap();
}

/// Every second element of four bytes, there and back.
fn strided_copies(bench: &Bench<'_>) {
    let data: Vec<u8> = (0..=255).collect();
    let mut back = vec![0u8; 256];
    bench.write(0, &[0xaa; 256]);
    let copy = |dest, dest_stride_bytes, source, source_stride_bytes| {
        let copy = Strided { dest, dest_stride_bytes, source, source_stride_bytes, element_bytes: 4, count: 16 };
        // SAFETY: all sides have room for 16 elements, and live until the queue is drained.
        unsafe { bench.device.copy_strided(bench.queue.stream(), &copy) }.unwrap();
    };
    copy(Side::Device(bench.base), 8, Side::Host(data.as_ptr().expose_provenance()), 16);
    copy(Side::Device(bench.base + 4096), 4, Side::Device(bench.base), 8);
    copy(Side::Host(back.as_mut_ptr().expose_provenance()), 16, Side::Device(bench.base + 4096), 4);
    bench.queue.drain().unwrap();
    for (at, (sent, came)) in data.iter().zip(&back).enumerate() {
        assert_eq!(*came, if at % 16 < 4 { *sent } else { 0 }, "byte {at}");
    }
    assert_eq!(bench.read(4, 4), [0xaa; 4], "the gap");
}

fn page_locked_memory(bench: &Bench<'_>) {
    let buffer = HostBuffer::allocate(bench.device, 8192).unwrap();
    let memory = buffer.base().as_ptr();
    // SAFETY: the buffer has 8192 bytes and lives until the queue is drained.
    unsafe {
        memory.write_bytes(3, 4096);
        bench.device.copy_to_device(bench.queue.stream(), bench.base, memory, 4096).unwrap();
        bench.device.copy_to_host(bench.queue.stream(), memory.add(4096), bench.base, 4096).unwrap();
    }
    bench.queue.drain().unwrap();
    // SAFETY: the copies are complete.
    assert_eq!(unsafe { memory.add(8191).read() }, 3);
    assert_eq!(bench.device.classify(memory.addr()), Ok(Place::PageLocked));
}

fn marks(bench: &Bench<'_>) {
    let (device, stream) = (bench.device, bench.queue.stream());
    let first = device.mark(stream).unwrap();
    // SAFETY: the range is in the mapping.
    unsafe { device.fill(stream, bench.base, 0, 64) }.unwrap();
    let second = device.mark(stream).unwrap();
    assert_eq!(second, first + 1);
    device.wait(stream, first).unwrap();
    while device.reached(stream).unwrap() < second {}
    device.wait(stream, second).unwrap();
    assert!(device.wait(stream, second + 1).is_err());
}

fn addresses(device: &Arc<dyn Device>, mapping: &Mapping) {
    let on_stack = 0u8;
    let Extent { base, bytes } = mapping.range();
    assert_eq!(device.classify((&raw const on_stack).addr()), Ok(Place::Host));
    for address in [base, base + bytes - 1] {
        match device.classify(address).unwrap() {
            Place::Device { ordinal, extent } => {
                assert_eq!(ordinal, device.about().ordinal);
                assert!(extent.base <= address && address - extent.base < extent.bytes, "{extent:?}");
            }
            other => panic!("{other:?}"),
        }
    }
}

/// The memory of a descriptor is the same memory at another address.
fn imported_memory(bench: &Bench<'_>, mapping: &Mapping) {
    let file = mapping.export().unwrap();
    let again = Mapping::import(bench.device, file.as_fd(), mapping.range().bytes, 1).unwrap();
    assert_ne!(again.range().base, bench.base);
    // SAFETY: the range is in the mapping.
    unsafe { bench.device.fill(bench.queue.stream(), again.range().base, 8, 64) }.unwrap();
    assert_eq!(bench.read(0, 64), [8; 64]);
    // SAFETY: nothing uses the second mapping any more.
    unsafe { again.close() }.unwrap();
}

/// Print the bandwidth of each kind of copy, and the time of a small one.
pub fn measure(device: &Arc<dyn Device>) {
    const BYTES: usize = 64 << 20;
    const ROUNDS: u32 = 20;
    let mapping = Mapping::create(device, 2 * BYTES, 1).unwrap();
    let buffer = HostBuffer::allocate(device, BYTES).unwrap();
    let queue = Queue::open(device).unwrap();
    let (stream, base, memory) = (queue.stream(), mapping.range().base, buffer.base().as_ptr());
    // SAFETY: both memories have room, and live until the queue is drained.
    let kinds: [(&str, &dyn Fn(usize)); 3] = unsafe {
        [
            ("host to device", &|bytes| device.copy_to_device(stream, base, memory, bytes).unwrap()),
            ("device to host", &|bytes| device.copy_to_host(stream, memory, base, bytes).unwrap()),
            ("device to device", &|bytes| device.copy_on_device(stream, base + BYTES, base, bytes).unwrap()),
        ]
    };
    println!(
        "{} ({}), driver {} {}",
        device.about().name,
        device.about().pci,
        device.about().interface,
        device.about().version
    );
    for (kind, copy) in kinds {
        let seconds_each = |bytes, is_drained_each_time: bool| {
            copy(bytes);
            queue.drain().unwrap();
            let start = Instant::now();
            for _ in 0..ROUNDS {
                copy(bytes);
                if is_drained_each_time {
                    queue.drain().unwrap();
                }
            }
            queue.drain().unwrap();
            start.elapsed().as_secs_f64() / f64::from(ROUNDS)
        };
        let (large, small) = (seconds_each(BYTES, false), seconds_each(8, true));
        println!("{kind}: 64 MiB {:.1} GB/s, 8 bytes {:.1} µs", BYTES as f64 / large / 1e9, small * 1e6);
    }
}
