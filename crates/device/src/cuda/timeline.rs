//! The marks of a stream: numbered events, which complete in order.

use super::{Cuda, calls::check};
use crate::{Error, Kind, Result, Stream};
use cuda_sys::{CU_EVENT_DISABLE_TIMING, CUevent, CUresult, CUstream, Driver, result};
use std::{
    collections::VecDeque,
    ptr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// An event of the driver. Destroyed with the timeline.
struct Event(CUevent);

// SAFETY: the handle is an opaque number for the driver, whose functions any thread may call.
unsafe impl Send for Event {}
// SAFETY: as above.
unsafe impl Sync for Event {}

/// The marks of a stream. Marks `reached + 1 ..= last` are pending, each with an event, in order.
#[derive(Default)]
pub(super) struct Timeline {
    marks: Mutex<Marks>,
}

#[derive(Default)]
struct Marks {
    last: u64,
    reached: u64,
    pending: VecDeque<Arc<Event>>,
    /// Events of reached marks. One to which a waiting thread still refers is not used again.
    spare: Vec<Arc<Event>>,
}

impl Timeline {
    fn lock(&self) -> MutexGuard<'_, Marks> {
        self.marks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Destroy the events. No mark is set or waited for any more.
    pub(super) fn destroy(&self, driver: &Driver) {
        let mut marks = self.lock();
        let Marks { pending, spare, .. } = &mut *marks;
        for event in pending.drain(..).chain(spare.drain(..)) {
            // SAFETY: the timeline created the event, and nothing refers to it any more. There is no use for an error here.
            unsafe { (driver.event_destroy)(event.0) };
        }
    }
}

impl Marks {
    /// Advance over the marks whose events are complete.
    fn poll(&mut self, driver: &Driver) -> Result<u64> {
        while let Some(event) = self.pending.front() {
            // SAFETY: the event was created by `mark`.
            let status: CUresult = unsafe { (driver.event_query)(event.0) };
            if status == result::NOT_READY {
                break;
            }
            check(driver, status, "cuEventQuery")?;
            self.reached += 1;
            self.spare.extend(self.pending.pop_front());
        }
        Ok(self.reached)
    }

    fn event(&mut self, driver: &Driver) -> Result<Arc<Event>> {
        // Clones are made under the lock only, so a count of 1 cannot grow meanwhile.
        if let Some(free) = self.spare.iter().position(|event| Arc::strong_count(event) == 1) {
            return Ok(self.spare.swap_remove(free));
        }
        let mut event: CUevent = ptr::null_mut();
        // SAFETY: the driver writes one handle.
        let status = unsafe { (driver.event_create)(&raw mut event, CU_EVENT_DISABLE_TIMING) };
        check(driver, status, "cuEventCreate")?;
        Ok(Arc::new(Event(event)))
    }
}

impl Cuda {
    pub(super) fn timeline(&self, stream: Stream) -> Result<Arc<Timeline>> {
        let timelines = self.timelines.lock().unwrap_or_else(PoisonError::into_inner);
        timelines
            .get(&stream.0)
            .cloned()
            .ok_or_else(|| Error::new(Kind::Failed, format!("stream {:#x} is not open", stream.0)))
    }

    pub(super) fn set_mark(&self, stream: Stream) -> Result<u64> {
        let timeline = self.timeline(stream)?;
        let _current = self.enter()?;
        let mut marks = timeline.lock();
        let event = self.note(marks.event(&self.driver))?;
        // SAFETY: the stream is open, since it has a timeline, and the event belongs to it.
        let status = unsafe { (self.driver.event_record)(event.0, stream.0.get() as CUstream) };
        if let Err(error) = self.note(check(&self.driver, status, "cuEventRecord")) {
            marks.spare.push(event);
            return Err(error);
        }
        marks.pending.push_back(event);
        marks.last += 1;
        Ok(marks.last)
    }

    pub(super) fn poll_marks(&self, stream: Stream) -> Result<u64> {
        let timeline = self.timeline(stream)?;
        let _current = self.enter()?;
        let mut marks = timeline.lock();
        self.note(marks.poll(&self.driver))
    }

    pub(super) fn wait_for_mark(&self, stream: Stream, mark: u64) -> Result<()> {
        let timeline = self.timeline(stream)?;
        let _current = self.enter()?;
        loop {
            let mut marks = timeline.lock();
            if self.note(marks.poll(&self.driver))? >= mark {
                return Ok(());
            }
            // The first pending event belongs to mark `reached + 1`.
            let index = (mark - marks.reached - 1) as usize;
            let Some(event) = marks.pending.get(index).cloned() else {
                let last = marks.last;
                return Err(Error::new(Kind::Failed, format!("mark {mark} of a stream with {last} marks")));
            };
            // Other threads may set and poll marks meanwhile.
            drop(marks);
            // SAFETY: the clone keeps the event from being used for another mark.
            let status = unsafe { (self.driver.event_synchronize)(event.0) };
            self.note(check(&self.driver, status, "cuEventSynchronize"))?;
        }
    }
}
