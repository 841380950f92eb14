//! Atomics that UCX executes, where it was left to it ([`By::Library`](crate::By)), and puts with signals beside them.
//!
//! The signal's update must be UCX's too then, and come after the data. UCX's fence would order the two, but from 1.14 on
//! it may be a flush that waits inside the call: two PEs that signal each other so would both wait there, and neither
//! serve the other. So the update is posted when a flush of the endpoint says that the data has arrived.

use crate::{
    context::Context,
    message::REQUEST_BYTES,
    post::{Done, Given, Post},
    slot::{INJECT_BYTES_MAX, Slot},
};
use ferrite_fabric::{Amo, Remote, Result, SignalOp, Width};
use std::{ffi::c_void, ptr, sync::Arc};
use ucx_sys::*;

/// A word at a target and what to do to it.
pub struct Word {
    pub at: Remote,
    pub width: Width,
    pub op: Amo,
    pub operand: u64,
    pub compare: u64,
    pub fetch: *mut u8,
}

/// A call of `ucp_atomic_op_nbx` that its slot awaits the end of. Its operands lie in the slot.
struct Atomic {
    ep: ucp_ep_h,
    op: ucp_atomic_op_t,
    operand: *const c_void,
    address: u64,
    rkey: ucp_rkey_h,
    param: ucp_request_param_t,
}

impl Atomic {
    /// # Safety
    /// Nothing of what it names was given back.
    unsafe fn give(&self, call: &Table) -> ucs_status_ptr_t {
        let Atomic { ep, op, operand, address, rkey, param } = self;
        // SAFETY: the slot's words stay until its requests are done; the key is of the place; the rest is as the caller
        // says.
        unsafe { (call.ucp_atomic_op_nbx)(*ep, *op, *operand, 1, *address, *rkey, ptr::from_ref(param)) }
    }
}

/// An atomic that waits for a flush.
struct Then {
    context: Arc<Context>,
    atomic: Atomic,
    slot: *const Slot,
}

impl Post<'_> {
    /// An atomic of UCX's.
    pub fn amo(&mut self, word: &Word) -> Result<Done> {
        let answered = !word.fetch.is_null();
        let atomic = self.atomic(word, answered)?;
        // SAFETY: the endpoint is open, and its keys are.
        let answer = unsafe { atomic.give(self.call()) };
        Ok(match self.given(answer) {
            Given::Taken => Done::Posted,
            Given::NoRoom | Given::Failed => Done::Busy,
        })
    }

    /// UCX has no fetch, which is to add nothing, and no set, which is a swap whose answer nobody wants. What is `answered`
    /// ends when it was executed, the rest when it was sent.
    fn atomic(&mut self, word: &Word, answered: bool) -> Result<Atomic> {
        let reach = self.stream.reach(self.shared, self.number, word.at)?;
        let (first, second) =
            if word.op == Amo::CompareSwap { (word.compare, word.operand) } else { (word.operand, 0) };
        let (operand, reply) = (self.slot.bytes(), self.slot.bytes().wrapping_add(8));
        // SAFETY: both are words of the slot.
        unsafe {
            word.width.write(operand, if word.op == Amo::Fetch { 0 } else { first });
            word.width.write(reply, second);
        }
        self.slot.returns(word.fetch, word.width);
        let mut param = self.param(0);
        param.op_attr_mask |= UCP_OP_ATTR_FIELD_DATATYPE;
        param.datatype = contiguous(word.width.bytes());
        if answered || matches!(word.op, Amo::Set | Amo::Swap | Amo::CompareSwap) {
            param.op_attr_mask |= UCP_OP_ATTR_FIELD_REPLY_BUFFER;
            param.reply_buffer = reply.cast();
        }
        let op = match word.op {
            Amo::Fetch | Amo::Add => UCP_ATOMIC_OP_ADD,
            Amo::Set | Amo::Swap => UCP_ATOMIC_OP_SWAP,
            Amo::CompareSwap => UCP_ATOMIC_OP_CSWAP,
            Amo::And => UCP_ATOMIC_OP_AND,
            Amo::Or => UCP_ATOMIC_OP_OR,
            Amo::Xor => UCP_ATOMIC_OP_XOR,
        };
        let (ep, operand) = (self.ep(), operand.cast_const().cast());
        Ok(Atomic { ep, op, operand, address: reach.address, rkey: reach.rkey, param })
    }

    /// Put, and update the signal when the data has arrived. See the top of this file.
    ///
    /// # Safety
    /// As [`Post::give`].
    pub unsafe fn put_then_signal(
        &mut self,
        (to, mut from, len): (Remote, *const u8, usize),
        signal: Remote,
        op: SignalOp,
        value: u64,
    ) -> Result<Done> {
        if len <= INJECT_BYTES_MAX {
            // SAFETY: the slot has room for small data behind that of a head, where the atomic has its words.
            unsafe {
                let copy = self.slot.bytes().add(REQUEST_BYTES);
                copy.copy_from_nonoverlapping(from, len);
                from = copy;
            }
            self.slot.copies();
        }
        let call = self.call().ucp_put_nbx;
        let posted = self.pieces(to, len, |ep, done, n, reach, param| {
            // SAFETY: as the caller says of `from`; the key is of the place.
            unsafe { call(ep, from.wrapping_add(done).cast(), n, reach.address, reach.rkey, param) }
        })?;
        if posted == Done::Busy {
            return Ok(posted);
        }
        let word =
            Word { at: signal, width: Width::W64, op: op.into(), operand: value, compare: 0, fetch: ptr::null_mut() };
        let atomic = self.atomic(&word, true)?;
        let (ep, flush) = (atomic.ep, self.call().ucp_ep_flush_nbx);
        let then =
            Box::into_raw(Box::new(Then { context: Arc::clone(&self.stream.worker.context), atomic, slot: self.slot }));
        let param = ucp_request_param_t {
            op_attr_mask: UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
            cb: ucp_request_param_t__bindgen_ty_1 { send: Some(arrived) },
            user_data: then.cast(),
            ..Default::default()
        };
        // SAFETY: the endpoint is open. If the flush goes on `arrived` takes what waits for it.
        let answer = unsafe { flush(ep, &raw const param) };
        if !is_request(answer) {
            // SAFETY: nobody else takes it.
            unsafe { Box::from_raw(then).go(status_of(answer)) };
        }
        Ok(Done::Posted)
    }
}

impl Then {
    /// The flush has ended so.
    fn go(&self, flushed: ucs_status_t) {
        // SAFETY: slots outlive their worker, and so what runs in its calls.
        let slot = unsafe { &*self.slot };
        if flushed != UCS_OK {
            return slot.fails(flushed);
        }
        // SAFETY: endpoints and keys are given back when nothing is under way, and the slot still is.
        let answer = unsafe { self.atomic.give(&self.context.ucx.call) };
        if !is_request(answer) {
            match status_of(answer) {
                UCS_OK => slot.completed(),
                status => slot.fails(status),
            }
        }
    }
}

/// UCX calls this when the data of a put with signal has arrived.
unsafe extern "C" fn arrived(request: *mut c_void, status: ucs_status_t, then: *mut c_void) {
    // SAFETY: the argument is what `put_then_signal` left for this one call; a request is given back once, here.
    unsafe {
        let then = Box::from_raw(then.cast::<Then>());
        then.go(status);
        (then.context.ucx.call.ucp_request_free)(request);
    }
}
