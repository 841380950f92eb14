//! Atomics that the NIC executes. Operand, comparand and result stay in one of the port's buffers until the completion.

use crate::{local_memory::CopyBack, port::OfiPort};
use ferrite_engine::{Amo, Class, PeerNumber, PostError, Posted, Token, Update, Width};
use libfabric_sys::*;

/// Offsets of the three words in the buffer.
const OPERAND: usize = 0;
const COMPARE: usize = 8;
const RESULT: usize = 16;
const BYTES: usize = 24;

fn code(op: Amo) -> fi_op {
    match op {
        Amo::Fetch => FI_ATOMIC_READ,
        Amo::Set | Amo::Swap => FI_ATOMIC_WRITE,
        Amo::CompareSwap => FI_CSWAP,
        Amo::Add => FI_SUM,
        Amo::And => FI_BAND,
        Amo::Or => FI_BOR,
        Amo::Xor => FI_BXOR,
    }
}

/// Whether the endpoint supports every atomic that OpenSHMEM needs, as its provider reports.
pub fn has_every_atomic(caps: u64, ep: *mut fid_ep) -> bool {
    if caps & FI_ATOMIC == 0 {
        return false;
    }
    let plain = [FI_ATOMIC_WRITE, FI_SUM, FI_BAND, FI_BOR, FI_BXOR];
    let fetching = [FI_ATOMIC_READ, FI_ATOMIC_WRITE, FI_SUM, FI_BAND, FI_BOR, FI_BXOR];
    [FI_UINT32, FI_UINT64].into_iter().all(|kind| {
        let mut count = 0;
        // SAFETY: the endpoint is open; `count` is writable.
        unsafe {
            plain.iter().all(|&op| fi_atomicvalid(ep, kind, op, &raw mut count) == 0 && count > 0)
                && fetching.iter().all(|&op| fi_fetch_atomicvalid(ep, kind, op, &raw mut count) == 0 && count > 0)
                && fi_compare_atomicvalid(ep, kind, FI_CSWAP, &raw mut count) == 0
                && count > 0
        }
    })
}

impl OfiPort {
    /// Post an atomic, as [`Port::atomic`](ferrite_engine::Port::atomic) does.
    ///
    /// # Safety
    /// As for [`Port::atomic`](ferrite_engine::Port::atomic).
    pub(crate) unsafe fn update(
        &mut self,
        peer: PeerNumber,
        update: &Update,
        token: Token,
    ) -> Result<Posted, PostError> {
        let Update { width, op, fetch, .. } = *update;
        let fetches = !fetch.is_null() || matches!(op, Amo::Fetch | Amo::Swap | Amo::CompareSwap);
        // The counter of writes also counts atomics that fetch nothing.
        if self.atomics >= self.shared.plan.atomic_depth || !fetches && self.must_catch_up() {
            return Err(PostError::Busy);
        }
        let spot = self.peers[peer as usize].spot(&self.shared, update.at)?;
        let mut local = self.buffer(peer, BYTES)?;
        for (start, word) in [(OPERAND, update.operand), (COMPARE, update.compare)] {
            // SAFETY: the buffer is free, and has room for three words.
            unsafe { width.write(local.at.add(start), word) };
        }
        // On cxi the arrival of the old value here does not imply that the new value is visible at the target. So fetching atomics ask for
        // delivery completion too.
        let flags = FI_COMPLETION | FI_DELIVERY_COMPLETE | if update.fenced { FI_FENCE } else { 0 };
        let ioc = |start: usize| fi_ioc { addr: local.at.wrapping_add(start).cast(), count: 1 };
        let (operand, compare, mut result) = (ioc(OPERAND), ioc(COMPARE), ioc(RESULT));
        let remote = fi_rma_ioc { addr: spot.at, count: 1, key: spot.key };
        let desc = &raw mut local.desc;
        let message = fi_msg_atomic {
            msg_iov: &raw const operand,
            desc,
            iov_count: 1,
            addr: self.peers[peer as usize].handle,
            rma_iov: &raw const remote,
            rma_iov_count: 1,
            datatype: if width == Width::W32 { FI_UINT32 } else { FI_UINT64 },
            op: code(op),
            context: self.context(token),
            data: 0,
        };
        let (ep, message, result) = (self.endpoint.as_ptr(), &raw const message, &raw mut result);
        // SAFETY: the endpoint is open and used by this thread alone; the call reads the descriptions before it returns; buffer and context
        // belong to the provider until the completion.
        let code = unsafe {
            match op {
                Amo::CompareSwap => {
                    fi_compare_atomicmsg(ep, message, &raw const compare, desc, 1, result, desc, 1, flags)
                }
                _ if fetches => fi_fetch_atomicmsg(ep, message, result, desc, 1, flags),
                _ => fi_atomicmsg(ep, message, flags),
            }
        };
        if let Some(bounce) = local.bounce.as_mut().filter(|_| !fetch.is_null()) {
            bounce.copy_back = Some(CopyBack { start: RESULT, to: fetch, len: width.bytes() });
        }
        let posted = self.posted(code, Class::Atomic, peer, local, token)?;
        self.atomics += 1;
        self.writes += u64::from(!fetches);
        Ok(posted)
    }
}
