//! Streams, events and copies. An operation runs when its stream is polled or waited for, not earlier.

use crate::{
    devices::MAX_PITCH,
    kernels::HeatStep,
    state::{Outcome, State, export, give},
};
use cuda_sys::*;
use std::{
    collections::{BTreeMap, VecDeque},
    ffi::{c_uint, c_void},
    ptr,
};

/// One end of a copy.
#[derive(Clone, Copy)]
pub(crate) struct End {
    address: usize,
    pitch: usize,
    is_device: bool,
}

#[derive(Clone, Copy)]
pub(crate) enum Operation {
    /// `rows` pieces of `bytes` each.
    Copy {
        dest: End,
        source: End,
        bytes: usize,
        rows: usize,
    },
    Fill {
        dest: usize,
        byte: u8,
        bytes: usize,
    },
    /// The recording of an event with the number of that recording.
    Record {
        event: usize,
        number: u64,
    },
    HeatStep(HeatStep),
}

struct Queue {
    context: usize,
    /// The physical number of the device.
    device: i32,
    operations: VecDeque<Operation>,
}

#[derive(Default)]
struct Event {
    stream: usize,
    recorded: u64,
    done: u64,
}

#[derive(Default)]
pub(crate) struct Streams {
    queues: BTreeMap<usize, Queue>,
    events: BTreeMap<usize, Event>,
}

impl State {
    /// The physical device of a stream, which belongs to the current context. Stream 0 is the default stream.
    fn device_of(&mut self, stream: usize) -> Outcome<i32> {
        let (context, device) = self.current_context()?;
        match self.streams.queues.get(&stream) {
            _ if stream == 0 => self.physical(device),
            Some(queue) if queue.context == context => Ok(queue.device),
            _ => Err(result::INVALID_HANDLE),
        }
    }

    /// Check an operation and queue it; on the default stream, run it at once.
    pub fn post(&mut self, stream: CUstream, operation: Operation) -> Outcome {
        let device = self.device_of(stream.addr())?;
        self.check_operation(operation, device)?;
        match self.streams.queues.get_mut(&stream.addr()) {
            Some(queue) => queue.operations.push_back(operation),
            None => self.execute(operation, device)?,
        }
        Ok(())
    }

    fn check_operation(&self, operation: Operation, device: i32) -> Outcome {
        let check = |end: End, bytes: usize, rows: usize| {
            let is_pitch_wrong = rows > 1 && !(bytes..=MAX_PITCH).contains(&end.pitch);
            if is_pitch_wrong || rows == 0 {
                return Err(result::INVALID_VALUE);
            }
            let span = (rows - 1).checked_mul(end.pitch).and_then(|span| span.checked_add(bytes));
            let span = span.ok_or(result::INVALID_VALUE)?;
            match end.is_device {
                true => self.space.resolve(end.address, span, device).map(|_| ()),
                false => self.space.check_host(end.address, span),
            }
        };
        match operation {
            Operation::Copy { dest, source, bytes, rows } => {
                check(dest, bytes, rows)?;
                check(source, bytes, rows)
            }
            Operation::Fill { dest, bytes, .. } => self.space.resolve(dest, bytes, device).map(|_| ()),
            // Kernels meet wrong addresses when they run, as on hardware.
            Operation::Record { .. } | Operation::HeatStep(_) => Ok(()),
        }
    }

    /// Run an operation. Memory that is gone meanwhile is an illegal access, as on hardware.
    fn execute(&mut self, operation: Operation, device: i32) -> Outcome {
        self.check_operation(operation, device).map_err(|_| result::ILLEGAL_ADDRESS)?;
        match operation {
            Operation::Copy { dest, source, bytes, rows } => {
                for row in 0..rows {
                    let place = |end: End| {
                        let address = end.address + row * end.pitch;
                        if end.is_device { self.space.resolve(address, bytes, device) } else { Ok(address) }
                    };
                    // SAFETY: both sides were checked: device memory is mapped here, and the poster keeps host memory valid.
                    unsafe { copy(place(dest)?, place(source)?, bytes) };
                }
            }
            Operation::Fill { dest, byte, bytes } => {
                let to = self.space.resolve(dest, bytes, device)?;
                // SAFETY: as above.
                unsafe { ptr::with_exposed_provenance_mut::<u8>(to).write_bytes(byte, bytes) };
            }
            Operation::Record { event, number } => {
                if let Some(event) = self.streams.events.get_mut(&event) {
                    event.done = event.done.max(number);
                }
            }
            Operation::HeatStep(step) => step.run(self, device)?,
        }
        Ok(())
    }

    /// Run one operation of a stream. False if there was none.
    fn step(&mut self, stream: usize) -> Outcome<bool> {
        let Some(queue) = self.streams.queues.get_mut(&stream) else { return Ok(false) };
        let device = queue.device;
        match queue.operations.pop_front() {
            Some(operation) => self.execute(operation, device).map(|()| true),
            None => Ok(false),
        }
    }

    fn drain(&mut self, stream: usize) -> Outcome {
        while self.step(stream)? {}
        Ok(())
    }

    fn event(&self, event: CUevent) -> Outcome<(usize, bool)> {
        let event = self.streams.events.get(&event.addr()).ok_or(result::INVALID_HANDLE)?;
        Ok((event.stream, event.done >= event.recorded))
    }
}

/// Copy bytes; an aligned element in one piece, as devices do.
///
/// # Safety
///
/// Both ranges are valid.
unsafe fn copy(dest: usize, source: usize, bytes: usize) {
    let (to, from): (*mut u8, *const u8) =
        (ptr::with_exposed_provenance_mut(dest), ptr::with_exposed_provenance(source));
    let is_aligned = (dest | source).is_multiple_of(bytes.max(1));
    // SAFETY: the caller's promise. Another process may access the same memory: no element is torn, and no value is relied on.
    unsafe {
        match bytes {
            8 if is_aligned => to.cast::<u64>().write_volatile(from.cast::<u64>().read_volatile()),
            4 if is_aligned => to.cast::<u32>().write_volatile(from.cast::<u32>().read_volatile()),
            2 if is_aligned => to.cast::<u16>().write_volatile(from.cast::<u16>().read_volatile()),
            _ => ptr::copy(from, to, bytes),
        }
    }
}

fn device(address: CUdeviceptr) -> End {
    End { address: address as usize, pitch: 0, is_device: true }
}

fn host(address: *const c_void) -> End {
    End { address: address.expose_provenance(), pitch: 0, is_device: false }
}

/// A copy of one row.
fn row(dest: End, source: End, bytes: usize) -> Operation {
    Operation::Copy { dest, source, bytes, rows: 1 }
}

fn end_of_rows(kind: c_uint, address: *const c_void, on_device: CUdeviceptr, pitch: usize) -> Outcome<End> {
    match kind {
        memory_type::HOST => Ok(End { pitch, ..host(address) }),
        memory_type::DEVICE => Ok(End { pitch, ..device(on_device) }),
        _ => Err(result::INVALID_VALUE),
    }
}

export! {
    /// Create a stream of the current context.
    fn cuStreamCreate(to: *mut CUstream, _flags: c_uint) needs Context |state| {
        let (context, device) = state.current_context()?;
        let device = state.physical(device)?;
        let handle = state.new_handle();
        state.streams.queues.insert(handle, Queue { context, device, operations: VecDeque::new() });
        // SAFETY: the caller's promise.
        unsafe { give(to, ptr::without_provenance_mut(handle)) }
    }

    /// Destroy a stream, after its operations.
    fn cuStreamDestroy_v2(stream: CUstream) needs Context |state| {
        state.device_of(stream.addr())?;
        state.drain(stream.addr())?;
        state.streams.queues.remove(&stream.addr()).map(|_| ()).ok_or(result::INVALID_HANDLE)
    }

    /// Wait for a stream.
    fn cuStreamSynchronize(stream: CUstream) needs Context |state| {
        state.device_of(stream.addr())?;
        state.drain(stream.addr())
    }

    /// An event that counts as done until it is recorded.
    fn cuEventCreate(to: *mut CUevent, _flags: c_uint) needs Context |state| {
        let handle = state.new_handle();
        state.streams.events.insert(handle, Event::default());
        // SAFETY: the caller's promise.
        unsafe { give(to, ptr::without_provenance_mut(handle)) }
    }

    /// Forget an event. Recordings that are queued have no effect then.
    fn cuEventDestroy_v2(event: CUevent) needs Context |state| {
        state.streams.events.remove(&event.addr()).map(|_| ()).ok_or(result::INVALID_HANDLE)
    }

    /// Record an event in a stream.
    fn cuEventRecord(event: CUevent, stream: CUstream) needs Context |state| {
        let found = state.streams.events.get_mut(&event.addr()).ok_or(result::INVALID_HANDLE)?;
        found.stream = stream.addr();
        found.recorded += 1;
        let record = Operation::Record { event: event.addr(), number: found.recorded };
        state.post(stream, record)
    }

    /// Poll an event: this runs one operation of its stream.
    fn cuEventQuery(event: CUevent) needs Context |state| {
        let (stream, is_done) = state.event(event)?;
        if !is_done {
            state.step(stream)?;
        }
        if state.event(event)?.1 { Ok(()) } else { Err(result::NOT_READY) }
    }

    /// Wait for an event.
    fn cuEventSynchronize(event: CUevent) needs Context |state| {
        let (stream, mut is_done) = state.event(event)?;
        while !is_done && state.step(stream)? {
            is_done = state.event(event)?.1;
        }
        Ok(())
    }

    /// Copy from host to device.
    fn cuMemcpyHtoDAsync_v2(dest: CUdeviceptr, source: *const c_void, bytes: usize, stream: CUstream) needs Context |state| {
        state.post(stream, row(device(dest), host(source), bytes))
    }

    /// Copy from device to host.
    fn cuMemcpyDtoHAsync_v2(dest: *mut c_void, source: CUdeviceptr, bytes: usize, stream: CUstream) needs Context |state| {
        state.post(stream, row(host(dest), device(source), bytes))
    }

    /// Copy on the device.
    fn cuMemcpyDtoDAsync_v2(dest: CUdeviceptr, source: CUdeviceptr, bytes: usize, stream: CUstream) needs Context |state| {
        state.post(stream, row(device(dest), device(source), bytes))
    }

    /// Copy from host to device, at once.
    fn cuMemcpyHtoD_v2(dest: CUdeviceptr, source: *const c_void, bytes: usize) needs Context |state| {
        state.post(ptr::null_mut(), row(device(dest), host(source), bytes))
    }

    /// Copy from device to host, at once.
    fn cuMemcpyDtoH_v2(dest: *mut c_void, source: CUdeviceptr, bytes: usize) needs Context |state| {
        state.post(ptr::null_mut(), row(host(dest), device(source), bytes))
    }

    /// Copy as many bytes of each row.
    fn cuMemcpy2DAsync_v2(rows: *const CudaMemcpy2D, stream: CUstream) needs Context |state| {
        // SAFETY: the caller's promise.
        let rows = unsafe { rows.as_ref() }.ok_or(result::INVALID_VALUE)?;
        if (rows.src_x_in_bytes, rows.src_y, rows.dst_x_in_bytes, rows.dst_y) != (0, 0, 0, 0) {
            return Err(result::INVALID_VALUE);
        }
        let dest = end_of_rows(rows.dst_memory_type, rows.dst_host, rows.dst_device, rows.dst_pitch)?;
        let source = end_of_rows(rows.src_memory_type, rows.src_host, rows.src_device, rows.src_pitch)?;
        let copy = Operation::Copy { dest, source, bytes: rows.width_in_bytes, rows: rows.height };
        state.post(stream, copy)
    }

    /// Set each byte of a range to one value.
    fn cuMemsetD8Async(dest: CUdeviceptr, byte: u8, bytes: usize, stream: CUstream) needs Context |state| {
        state.post(stream, Operation::Fill { dest: dest as usize, byte, bytes })
    }
}
