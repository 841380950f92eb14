//! How each operation is given to UCX.

use crate::{
    By,
    message::{REQUEST, REQUEST_BYTES, Request},
    native::Word,
    peer::Reach,
    shared::Shared,
    slot::{self, Failure, INJECT_BYTES_MAX, Slot},
    stream::{End, Stream},
};
use ferrite_fabric::{Op, Remote, Result, Width};
use std::{mem, ptr};
use ucx_sys::*;

/// What came of posting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Done {
    /// It is on its way.
    Posted,
    /// There is no room; nothing has happened.
    Busy,
}

/// Up to so many bytes an active message is one packet of any transport, so it overtakes none before it.
const STREAM_BYTES_MAX: usize = 1024;

/// No old value is wanted.
const NOTHING: (*mut u8, Width) = (ptr::null_mut(), Width::W64);

/// How the end of an operation will be known.
#[inline]
pub fn end(op: &Op, shared: &Shared) -> End {
    let (puts, atomics) = (shared.puts, shared.options.atomics);
    match *op {
        // Nothing is sent that the target could be asked about: it is complete with its slot.
        Op::Put { len: 0, .. } => End::Answer,
        Op::Put { .. } if puts == By::Library => End::Flush,
        Op::PutSignal { .. } if atomics == By::Library => End::Answer,
        Op::Put { len, .. } | Op::PutSignal { len, .. } if len <= STREAM_BYTES_MAX => End::Stream,
        Op::Amo { .. } if atomics == By::Target => End::Stream,
        Op::Amo { fetch, .. } if fetch.is_null() => End::Flush,
        _ => End::Answer,
    }
}

/// An operation about to be given to UCX.
pub struct Post<'a> {
    pub stream: &'a mut Stream,
    pub shared: &'a Shared,
    /// The peer, by its number in the stream.
    pub number: usize,
    /// The window's next.
    pub slot: &'a Slot,
}

impl Post<'_> {
    /// Give an operation to UCX.
    ///
    /// # Safety
    /// As [`Lane::post`](ferrite_fabric::Lane::post).
    #[inline]
    pub unsafe fn give(self, op: &Op) -> Result<Done> {
        match *op {
            Op::Put { from, len, .. } | Op::PutSignal { from, len, .. } if !self.may_register(from, len) => {
                let slot = self.slot;
                let post = |copy| {
                    let mut op = *op;
                    if let Op::Put { from, .. } | Op::PutSignal { from, .. } = &mut op {
                        *from = copy;
                    }
                    // SAFETY: the copy stays as long as the slot needs it; the rest as the caller says.
                    unsafe { self.give_as_it_is(&op) }
                };
                // SAFETY: as the caller says.
                unsafe { slot.with_copy(from, len, post) }
            }
            // SAFETY: as the caller says.
            _ => unsafe { self.give_as_it_is(op) },
        }
    }

    /// Whether UCX may read this where it is. A NIC's sources it registers with the right to write (`ib_md`), which constants have
    /// not, and what it copies it does not register.
    #[inline]
    fn may_register(&self, from: *const u8, len: usize) -> bool {
        len <= STREAM_BYTES_MAX
            || self.stream.worker.context.is_software()
            || self.shared.sources.are_writable(from, len)
    }

    #[inline]
    unsafe fn give_as_it_is(mut self, op: &Op) -> Result<Done> {
        let native = self.shared.options.atomics == By::Library;
        // SAFETY: as the caller says.
        unsafe {
            match *op {
                Op::Put { len: 0, .. } | Op::Get { len: 0, .. } => Ok(Done::Posted),
                Op::Put { to, from, len } if self.shared.puts == By::Library => self.put(to, from, len),
                Op::Put { to, from, len } => Ok(self.ask(Request::Put { at: to.into() }, NOTHING, from, len)),
                Op::Get { from, to, len } => self.get(from, to, len),
                Op::Amo { at, width, op, operand, compare, fetch } if native => {
                    if fetch.is_null() {
                        self.slot.copies();
                    }
                    self.amo(&Word { at, width, op, operand, compare, fetch })
                }
                Op::Amo { at, width, op, operand, compare, fetch } => {
                    let request = Request::Amo { at: at.into(), width, op, operand, compare };
                    Ok(self.ask(request, (fetch, width), ptr::null(), 0))
                }
                Op::PutSignal { to, from, len, signal, op, value } if native => {
                    self.put_then_signal((to, from, len), signal, op, value)
                }
                Op::PutSignal { to, from, len, signal, op, value } => {
                    let request = Request::PutSignal { at: to.into(), signal: signal.into(), op, value };
                    Ok(self.ask(request, NOTHING, from, len))
                }
            }
        }
    }

    /// Small ones are copied, so that their source is free at once whatever UCX does.
    unsafe fn put(&mut self, to: Remote, mut from: *const u8, len: usize) -> Result<Done> {
        if len <= INJECT_BYTES_MAX {
            // SAFETY: `from` is readable for `len` bytes, as the caller says; the slot has room for them.
            unsafe { self.slot.bytes().copy_from_nonoverlapping(from, len) };
            self.slot.copies();
            from = self.slot.bytes();
        }
        let call = self.call().ucp_put_nbx;
        self.pieces(to, len, |ep, done, n, reach, param| {
            // SAFETY: the source stays until the slot's requests are done; the key is of the place.
            unsafe { call(ep, from.wrapping_add(done).cast(), n, reach.address, reach.rkey, param) }
        })
    }

    unsafe fn get(&mut self, from: Remote, to: *mut u8, len: usize) -> Result<Done> {
        let call = self.call().ucp_get_nbx;
        self.pieces(from, len, |ep, done, n, reach, param| {
            // SAFETY: as the caller says of `to`; the key is of the place.
            unsafe { call(ep, to.wrapping_add(done).cast(), n, reach.address, reach.rkey, param) }
        })
    }

    /// A call for each extent that the operation touches.
    pub fn pieces(
        &mut self,
        at: Remote,
        len: usize,
        call: impl Fn(ucp_ep_h, usize, usize, Reach, *const ucp_request_param_t) -> ucs_status_ptr_t,
    ) -> Result<Done> {
        let mut done = 0;
        while done < len {
            let reach =
                self.stream.reach(self.shared, self.number, Remote { offset: at.offset + done as u64, ..at })?;
            let n = reach.room.min((len - done) as u64) as usize;
            let param = self.param(0);
            match self.given(call(self.ep(), done, n, reach, &raw const param)) {
                Given::Taken => done += n,
                // What has begun must be finished: only UCX's own room is missing, and progress makes it.
                Given::NoRoom if done > 0 => _ = self.stream.worker.progress(),
                Given::NoRoom | Given::Failed => return Ok(Done::Busy),
            }
        }
        Ok(Done::Posted)
    }

    /// Ask the target's processor, with `len` bytes of data: small ones are copied behind the head. What is one packet is
    /// answered if it fetches, or if the last ones were asked about one by one; the rest is known by its successors (see
    /// `stream`).
    fn ask(&mut self, request: Request, (fetch, width): (*mut u8, Width), data: *const u8, mut len: usize) -> Done {
        let packet = len <= STREAM_BYTES_MAX;
        let wanted = !packet || !fetch.is_null() || self.stream.peers[self.number].answers_each;
        let head = request.encode(self.stream.window.upcoming(), wanted);
        let (bytes, mut head_len) = (self.slot.bytes(), head.len());
        // SAFETY: the slot has room for a head and for small data, which is readable as the caller of `give` says.
        unsafe {
            bytes.copy_from_nonoverlapping(head.bytes().as_ptr(), REQUEST_BYTES);
            if len <= INJECT_BYTES_MAX {
                bytes.add(head_len).copy_from_nonoverlapping(data, len);
                self.slot.copies();
                head_len += mem::take(&mut len);
            }
        }
        if packet {
            self.slot.join(&self.stream.peers[self.number].acknowledged);
        }
        if wanted {
            self.slot.ask(fetch, width);
        }
        let eager = if packet { UCP_AM_SEND_FLAG_EAGER } else { 0 };
        let param = self.param(UCP_AM_SEND_FLAG_REPLY | eager);
        // SAFETY: head and data stay until the slot's requests are done.
        let answer = unsafe {
            let (head, data) = ((bytes.cast_const().cast(), head_len), (data.cast(), len));
            self.stream.worker.context.send(self.ep(), REQUEST, head, data, param)
        };
        match self.given(answer) {
            Given::Taken => {
                if packet && wanted {
                    self.stream.peers[self.number].asked = self.stream.window.upcoming();
                }
                Done::Posted
            }
            Given::NoRoom | Given::Failed => {
                self.slot.unask();
                Done::Busy
            }
        }
    }

    pub fn call(&self) -> &Table {
        &self.stream.worker.context.ucx.call
    }

    pub fn ep(&self) -> ucp_ep_h {
        self.stream.peers[self.number].ep
    }

    /// The parameters of a call that the slot now awaits the end of.
    pub fn param(&self, flags: u32) -> ucp_request_param_t {
        let mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_MEMORY_TYPE;
        ucp_request_param_t {
            op_attr_mask: mask | if flags != 0 { UCP_OP_ATTR_FIELD_FLAGS } else { 0 },
            flags,
            cb: ucp_request_param_t__bindgen_ty_1 { send: Some(slot::sent) },
            user_data: self.slot.post(),
            memory_type: UCS_MEMORY_TYPE_HOST,
            ..Default::default()
        }
    }

    /// What a call answered.
    pub fn given(&self, answer: ucs_status_ptr_t) -> Given {
        if is_request(answer) {
            return Given::Taken;
        }
        match status_of(answer) {
            UCS_OK => {
                self.slot.completed();
                Given::Taken
            }
            UCS_ERR_NO_RESOURCE => {
                self.slot.posted();
                Given::NoRoom
            }
            status => {
                self.slot.posted();
                self.stream.window.fail(Failure::Status(self.stream.peers[self.number].pe, status));
                Given::Failed
            }
        }
    }
}

/// What UCX made of a call.
pub enum Given {
    /// It is done, or will be.
    Taken,
    /// It has no room now.
    NoRoom,
    /// It failed; the window knows why.
    Failed,
}
