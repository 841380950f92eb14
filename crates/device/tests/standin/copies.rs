//! Copies, fills and marks.

use crate::alone::{UNIT, alone, open};
use ferrite_device::{Device, Kind, Mapping, Queue, Side, Stream, Strided};
use std::sync::Arc;

struct Setup {
    device: Arc<dyn Device>,
    queue: Queue,
    mapping: Mapping,
}

impl Setup {
    fn new() -> Setup {
        let device = open();
        let queue = Queue::open(&device).unwrap();
        let mapping = Mapping::create(&device, 2 * UNIT, 1).unwrap();
        Setup { device, queue, mapping }
    }

    fn stream(&self) -> Stream {
        self.queue.stream()
    }

    fn at(&self, offset: usize) -> usize {
        self.mapping.range().base + offset
    }

    fn write(&self, offset: usize, bytes: &[u8]) {
        // SAFETY: the source lives until the queue is drained.
        unsafe { self.device.copy_to_device(self.stream(), self.at(offset), bytes.as_ptr(), bytes.len()) }.unwrap();
        self.queue.drain().unwrap();
    }

    fn read(&self, offset: usize, bytes: usize) -> Vec<u8> {
        let mut found = vec![0xee; bytes];
        // SAFETY: the destination lives until the queue is drained.
        unsafe { self.device.copy_to_host(self.stream(), found.as_mut_ptr(), self.at(offset), bytes) }.unwrap();
        self.queue.drain().unwrap();
        found
    }
}

#[test]
fn copies_go_to_on_and_from_the_device() {
    alone(&[], || {
        let setup = Setup::new();
        for bytes in [1, 2, 3, 4, 7, 8, 9, 4096, UNIT] {
            let data: Vec<u8> = (0..bytes).map(|i| (i * 7 + bytes) as u8).collect();
            setup.write(0, &data);
            // SAFETY: both ranges are in the mapping.
            unsafe { setup.device.copy_on_device(setup.stream(), setup.at(UNIT), setup.at(0), bytes) }.unwrap();
            assert_eq!(setup.read(UNIT, bytes), data, "{bytes} bytes");
        }
        // SAFETY: as above.
        unsafe { setup.device.fill(setup.stream(), setup.at(1), 5, 3) }.unwrap();
        assert_eq!(setup.read(0, 5)[1..4], [5; 3]);
        // Copies of nothing touch no address.
        // SAFETY: no byte is accessed.
        unsafe {
            setup.device.copy_to_device(setup.stream(), 0, std::ptr::null(), 0).unwrap();
            setup.device.copy_to_host(setup.stream(), std::ptr::null_mut(), 0, 0).unwrap();
            setup.device.copy_on_device(setup.stream(), 0, 0, 0).unwrap();
            setup.device.fill(setup.stream(), 0, 0, 0).unwrap();
        }
    });
}

#[test]
fn strided_copies_leave_gaps_alone() {
    alone(&[], || {
        let setup = Setup::new();
        let host: Vec<u8> = (0..64).collect();
        let strided = |dest, dest_stride_bytes, source, source_stride_bytes, count| {
            let copy = Strided { dest, dest_stride_bytes, source, source_stride_bytes, element_bytes: 4, count };
            // SAFETY: the operands of this test are long enough, and live until the queue is drained.
            let result = unsafe { setup.device.copy_strided(setup.stream(), &copy) };
            setup.queue.drain().unwrap();
            result
        };
        setup.write(0, &[0xaa; 64]);
        strided(Side::Device(setup.at(0)), 12, Side::Host(host.as_ptr().addr()), 8, 3).unwrap();
        let mut expected = [0xaa; 64];
        for (element, source) in [(0, 0), (12, 8), (24, 16)] {
            expected[element..element + 4].copy_from_slice(&host[source..source + 4]);
        }
        assert_eq!(setup.read(0, 64), expected);

        setup.write(64, &[0xaa; 64]);
        strided(Side::Device(setup.at(64)), 4, Side::Device(setup.at(0)), 12, 3).unwrap();
        assert_eq!(setup.read(64, 13), [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 0xaa]);

        let mut back = [0u8; 16];
        strided(Side::Host(back.as_mut_ptr().expose_provenance()), 8, Side::Device(setup.at(64)), 4, 2).unwrap();
        assert_eq!(back, [0, 1, 2, 3, 0, 0, 0, 0, 8, 9, 10, 11, 0, 0, 0, 0]);

        // A single element has no distance.
        strided(Side::Device(setup.at(0)), 0, Side::Device(setup.at(64)), usize::MAX, 1).unwrap();
        strided(Side::Device(0), 4, Side::Device(0), 4, 0).unwrap();
        let far = strided(Side::Device(setup.at(0)), 1 << 31, Side::Device(setup.at(64)), 4, 2).unwrap_err();
        assert_eq!(far.kind(), Kind::Unsupported, "{far}");
        let on_host = strided(Side::Host(8), 4, Side::Host(8), 4, 2).unwrap_err();
        assert_eq!(on_host.kind(), Kind::Unsupported, "{on_host}");
    });
}

#[test]
fn a_copy_is_complete_when_its_mark_is_reached() {
    alone(&[], || {
        let setup = Setup::new();
        setup.write(0, &[3; 8]);
        let first = setup.device.mark(setup.stream()).unwrap();
        let mut found = [0u8; 8];
        // SAFETY: the array lives until the copies are complete.
        unsafe {
            setup.device.copy_to_host(setup.stream(), found.as_mut_ptr(), setup.at(0), 8).unwrap();
        }
        let second = setup.device.mark(setup.stream()).unwrap();
        assert_eq!(second, first + 1);
        assert_eq!(setup.device.reached(setup.stream()).unwrap(), first);
        let mut polls = 0;
        while setup.device.reached(setup.stream()).unwrap() < second {
            polls += 1;
            assert!(polls < 100, "a mark that is never reached");
        }
        // The first poll found the first mark and ran the copy; the second found the second mark.
        assert_eq!((polls, found), (0, [3; 8]));
        assert_eq!(setup.device.wait(setup.stream(), second), Ok(()));
        let error = setup.device.wait(setup.stream(), second + 1).unwrap_err();
        assert_eq!(error.to_string(), format!("mark {} of a stream with {second} marks", second + 1));
    });
}

#[test]
fn threads_wait_for_marks_while_others_set_them() {
    alone(&[("CUDA_STANDIN_FOREIGN_CONTEXT", "1")], || {
        let setup = Setup::new();
        setup.write(0, &[0; 64]);
        std::thread::scope(|scope| {
            for thread in 0..4u8 {
                let setup = &setup;
                scope.spawn(move || {
                    for round in 0..200 {
                        let offset = usize::from(thread) * 16;
                        // SAFETY: the range is in the mapping.
                        unsafe { setup.device.fill(setup.stream(), setup.at(offset), round, 16) }.unwrap();
                        let mark = setup.device.mark(setup.stream()).unwrap();
                        setup.device.wait(setup.stream(), mark).unwrap();
                        assert!(setup.device.reached(setup.stream()).unwrap() >= mark);
                    }
                });
            }
        });
        assert_eq!(setup.read(0, 64), [199; 64]);
    });
}

#[test]
fn wrong_ranges_and_streams_are_refused_by_name() {
    alone(&[], || {
        let setup = Setup::new();
        let byte = 0u8;
        let beyond = setup.at(2 * UNIT - 1);
        // SAFETY: the driver refuses all of these, and accesses nothing.
        unsafe {
            let error = setup.device.copy_to_device(setup.stream(), beyond, &raw const byte, 2).unwrap_err();
            let text =
                format!("cuMemcpyHtoDAsync of 2 bytes to {beyond:#x}: invalid argument (CUDA_ERROR_INVALID_VALUE)");
            assert_eq!((error.kind(), error.to_string()), (Kind::Failed, text));
            // A device address as a host address: the CPU of a driver would fault.
            let disguised = std::ptr::with_exposed_provenance(setup.at(0));
            assert!(setup.device.copy_to_device(setup.stream(), setup.at(64), disguised, 8).is_err());
        }
        let stream = setup.device.open_stream().unwrap();
        setup.device.close_stream(stream).unwrap();
        let error = setup.device.mark(stream).unwrap_err();
        assert_eq!(error.to_string(), format!("stream {:#x} is not open", stream.0));
        assert!(setup.device.close_stream(stream).is_err());
        assert_eq!(setup.device.mark(setup.stream()), Ok(1), "the device is not lost");
    });
}
