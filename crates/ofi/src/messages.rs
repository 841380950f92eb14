//! Messages: requests of ours and answers to peers, which go out, and those of peers, which come to the service port.
//!
//! A message starts with the job's number, which tells it from strays. The rest is the engine's.
//!
//! Messages arrive in buffers that wait for them. What answers a request is queued. Nothing here waits: what the provider has no room
//! for stays in the queue.

use crate::{local_memory::Local, plan::BUFFER_BYTES, port::OfiPort, shared::Shared};
use ferrite_engine::{ANSWER_BYTES, Answer, Error, HEAD_BYTES_MAX, Pe, Result};
use libfabric_sys::*;
use std::{
    collections::{HashMap, VecDeque},
    ffi::c_void,
};

/// What each message starts with.
pub const JOB_BYTES: usize = size_of::<u64>();
/// The longest message.
pub const MESSAGE_BYTES_MAX: usize = JOB_BYTES + HEAD_BYTES_MAX + BUFFER_BYTES;

/// What a port that peers know has beside others.
#[derive(Default)]
pub struct Service {
    /// Buffers that wait for messages: the first so many.
    pub receives: usize,
    /// Those that the provider has not taken back yet.
    pub idle: Vec<u32>,
    /// Answers that have not left.
    pub answers: VecDeque<Answer>,
    handles: HashMap<u32, fi_addr_t>,
}

impl Service {
    /// With so many buffers.
    pub fn new(receives: usize) -> Service {
        Service { receives, idle: (0..receives as u32).collect(), ..Service::default() }
    }

    /// Something waits for the provider to have room for it.
    pub fn is_held_up(&self) -> bool {
        !self.idle.is_empty() || !self.answers.is_empty()
    }
}

/// Write a message where there is room for it.
///
/// # Safety
/// `to` is writable for a message, and `data` readable for `len` bytes.
pub unsafe fn compose(shared: &Shared, to: *mut u8, head: &[u8], data: *const u8, len: usize) {
    // SAFETY: as the caller says.
    unsafe {
        to.copy_from_nonoverlapping(shared.job.as_ptr(), JOB_BYTES);
        to.add(JOB_BYTES).copy_from_nonoverlapping(head.as_ptr(), head.len());
        if len > 0 {
            to.add(JOB_BYTES + head.len()).copy_from_nonoverlapping(data, len);
        }
    }
}

/// Send a message that completes in the queue.
///
/// # Safety
/// The endpoint is the caller's alone; the bytes and the context stay until the completion.
pub unsafe fn send(ep: *mut fid_ep, local: &Local, to: fi_addr_t, context: *mut c_void) -> isize {
    let iov = libc::iovec { iov_base: local.at.cast(), iov_len: local.len };
    let mut desc = local.desc;
    let message = fi_msg { msg_iov: &raw const iov, desc: &raw mut desc, iov_count: 1, addr: to, context, data: 0 };
    // SAFETY: the description is read during the call; the rest is the caller's promise.
    unsafe { fi_sendmsg(ep, &raw const message, FI_COMPLETION) }
}

impl OfiPort {
    /// Give buffers to the provider, and send what is queued, as far as there is room.
    pub(crate) fn serve(&mut self) -> Result<()> {
        self.offer()?;
        self.answer()
    }

    /// A message has come.
    pub(crate) fn received(&mut self, buffer: u32, len: usize) {
        let target = &self.shared.target;
        // SAFETY: the provider wrote so many bytes to this buffer, and gave it back.
        let bytes = unsafe { std::slice::from_raw_parts(self.buffers.at(buffer), len.min(MESSAGE_BYTES_MAX)) };
        match bytes.strip_prefix(&self.shared.job).map(|message| target.receive(message, &[])) {
            Some(Ok(answer)) => self.service.answers.extend(answer),
            Some(Err(why)) => target.drop_message(why),
            None => tracing::warn!(me = %target.me(), "a message of {len} bytes is not of this job"),
        }
        self.service.idle.push(buffer);
    }

    /// Give buffers to the provider.
    fn offer(&mut self) -> Result<()> {
        while let Some(&buffer) = self.service.idle.last() {
            let (ep, at, desc) = (self.endpoint.as_ptr(), self.buffers.at(buffer).cast(), self.buffers.desc());
            // SAFETY: buffer and context are the provider's until the message has come.
            let code = unsafe { fi_recv(ep, at, MESSAGE_BYTES_MAX, desc, FI_ADDR_UNSPEC, self.buffer_context(buffer)) };
            if code == -(FI_EAGAIN as isize) {
                return Ok(());
            }
            if code < 0 {
                return Err(Error::because("waiting for messages", self.shared.domain.library.strerror(code)));
            }
            self.service.idle.pop();
        }
        Ok(())
    }

    /// Send answers. A peer that is being connected, or stands still, takes none: those to others do not wait for it. One that has gone
    /// needs none.
    fn answer(&mut self) -> Result<()> {
        const BUSY: isize = -(FI_EAGAIN as isize);
        // A peer may be connected, and ask, before this PE is.
        if self.shared.book.get().is_none() {
            return Ok(());
        }
        let mut full: Vec<u32> = Vec::new();
        for _ in 0..self.service.answers.len() {
            let Some(answer) = self.service.answers.pop_front() else { break };
            let code = if full.contains(&answer.to) { BUSY } else { self.send_answer(&answer)? };
            if code == BUSY {
                full.push(answer.to);
                self.service.answers.push_back(answer);
            } else if code < 0 {
                let why = self.shared.domain.library.strerror(code);
                tracing::debug!(me = %self.shared.target.me(), "an answer to {} was not sent: {why}", Pe(answer.to));
            }
        }
        Ok(())
    }

    fn send_answer(&mut self, answer: &Answer) -> Result<isize> {
        let to = match self.service.handles.get(&answer.to) {
            Some(&handle) => handle,
            None => {
                let handle = self.shared.enter(&self.endpoint, Pe(answer.to))?;
                *self.service.handles.entry(answer.to).or_insert(handle)
            }
        };
        const BYTES: usize = JOB_BYTES + ANSWER_BYTES;
        let ep = self.endpoint.as_ptr();
        let mut message = [0; BYTES];
        message[..JOB_BYTES].copy_from_slice(&self.shared.job);
        message[JOB_BYTES..].copy_from_slice(&answer.encode());
        if BYTES <= self.shared.plan.inject {
            // SAFETY: the endpoint is open and ours, and the bytes are copied during the call.
            return Ok(unsafe { fi_inject(ep, message.as_ptr().cast(), BYTES, to) });
        }
        let Some(buffer) = self.buffers.take() else { return Ok(-(FI_EAGAIN as isize)) };
        let local = Local { at: self.buffers.at(buffer), len: BYTES, desc: self.buffers.desc(), bounce: None };
        // SAFETY: the buffer is free, and large enough; buffer and context are the provider's until the completion.
        let code = unsafe {
            local.at.copy_from_nonoverlapping(message.as_ptr(), BYTES);
            send(ep, &local, to, self.buffer_context(buffer))
        };
        if code != 0 {
            self.buffers.give(buffer);
        }
        Ok(code)
    }
}
