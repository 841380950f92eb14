//! Messages: requests and answers that this PE sends, and messages of peers, which arrive at the service port.
//!
//! A message starts with the job's number, which distinguishes it from strays. The rest is defined by the engine.
//!
//! Messages arrive in buffers that were posted in advance. Answers to requests are queued. Nothing here waits: if the provider has no room
//! for something, it stays in the queue.

use crate::{local_memory::Local, plan::BUFFER_BYTES, port::OfiPort, shared::Shared};
use ferrite_engine::{ANSWER_BYTES, Answer, Error, HEAD_BYTES_MAX, Pe, Result};
use libfabric_sys::*;
use std::{
    collections::{HashMap, VecDeque},
    ffi::c_void,
};

/// Length of the job's number, with which each message starts.
pub const JOB_BYTES: usize = size_of::<u64>();
/// Maximum length of a message.
pub const MESSAGE_BYTES_MAX: usize = JOB_BYTES + HEAD_BYTES_MAX + BUFFER_BYTES;

/// State of the port that peers know; empty at other ports.
#[derive(Default)]
pub struct Service {
    /// Number of buffers that receive messages. They are the first ones.
    pub receives: usize,
    /// Receive buffers that are not posted at the provider.
    pub idle: Vec<u32>,
    /// Answers that were not sent yet.
    pub answers: VecDeque<Answer>,
    handles: HashMap<u32, fi_addr_t>,
}

impl Service {
    /// State of a port with this number of receive buffers.
    pub fn new(receives: usize) -> Service {
        Service { receives, idle: (0..receives as u32).collect(), ..Service::default() }
    }

    /// Whether a buffer or an answer waits for room at the provider.
    pub fn is_held_up(&self) -> bool {
        !self.idle.is_empty() || !self.answers.is_empty()
    }
}

/// Compose a message at `to`.
///
/// # Safety
/// `to` is writable for the whole message, and `data` is readable for `len` bytes.
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
/// The caller has exclusive use of the endpoint; the bytes and the context stay until the completion.
pub unsafe fn send(ep: *mut fid_ep, local: &Local, to: fi_addr_t, context: *mut c_void) -> isize {
    let iov = libc::iovec { iov_base: local.at.cast(), iov_len: local.len };
    let mut desc = local.desc;
    let message = fi_msg { msg_iov: &raw const iov, desc: &raw mut desc, iov_count: 1, addr: to, context, data: 0 };
    // SAFETY: the description is read during the call; the rest is the caller's promise.
    unsafe { fi_sendmsg(ep, &raw const message, FI_COMPLETION) }
}

impl OfiPort {
    /// Post receive buffers and send queued answers, as far as the provider has room.
    pub(crate) fn serve(&mut self) -> Result<()> {
        self.offer()?;
        self.answer()
    }

    /// Handle a message that has arrived in `buffer`.
    pub(crate) fn received(&mut self, buffer: u32, len: usize) {
        let target = &self.shared.target;
        // SAFETY: the provider wrote `len` bytes to this buffer, and gave it back.
        let bytes = unsafe { std::slice::from_raw_parts(self.buffers.at(buffer), len.min(MESSAGE_BYTES_MAX)) };
        match bytes.strip_prefix(&self.shared.job).map(|message| target.receive(message, &[])) {
            Some(Ok(answer)) => self.service.answers.extend(answer),
            Some(Err(why)) => target.drop_message(why),
            None => tracing::warn!(me = %target.me(), "a message of {len} bytes does not belong to this job"),
        }
        self.service.idle.push(buffer);
    }

    /// Post receive buffers at the provider.
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

    /// Send queued answers. A peer that is being connected, or that stands still, accepts none; answers to other peers do not wait for it.
    /// An answer to a peer that is gone is dropped.
    fn answer(&mut self) -> Result<()> {
        const BUSY: isize = -(FI_EAGAIN as isize);
        // A peer may be connected, and send a request, before this PE is connected.
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
