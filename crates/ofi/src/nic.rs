//! Atomics that the NIC executes. Operand, comparand and result lie in a buffer of ours until the completion.

use crate::{
    lane::{Flight, Landing, Load, State},
    ledger::{Old, Parts, halves},
    lend::Lent,
    plan::Class,
    post::Step,
    shared::Shared,
};
use ferrite_fabric::{Amo, Busy, Remote, Result, Ticket, Width};
use libfabric_sys::*;

const COMPARE: usize = 8;
const RESULT: usize = 16;

/// One update of a word.
#[derive(Clone, Copy, Debug)]
pub struct Update {
    /// The word.
    pub at: Remote,
    /// Its size.
    pub width: Width,
    /// The update.
    pub op: Amo,
    /// Operand, and what a compare-and-swap compares with.
    pub operands: [u64; 2],
    /// Where the old value goes; null if nowhere.
    pub fetch: *mut u8,
}

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

impl State {
    /// Start an atomic.
    pub fn atomic(&mut self, shared: &Shared, update: &Update) -> Result<Result<Ticket, Busy>> {
        let peer = match self.admit(shared, update.at, Class::Atomic, 8)? {
            Ok(peer) => peer,
            Err(Busy) => return Ok(Err(Busy)),
        };
        if self.update(shared, self.ledger.next(), peer, update, 0)? == Step::Again {
            self.refused = true;
            return Ok(Err(Busy));
        }
        self.peers.at(peer).opened(Class::Atomic, 8);
        Ok(Ok(self.ledger.issue(Parts::of(1, update.fetch.is_null()))))
    }

    /// Hand an atomic to the provider.
    pub(crate) fn update(
        &mut self,
        shared: &Shared,
        ticket: u64,
        peer: u32,
        update: &Update,
        fence: u64,
    ) -> Result<Step> {
        let spot = self.peers.spot(shared, peer, update.at)?;
        let Some(&number) = self.free.last() else { return Ok(Step::Again) };
        let Some((staged, Lent { at, mut desc })) = self.buffer() else { return Ok(Step::Again) };
        let size = update.width.bytes();
        for (place, word) in [0, COMPARE].into_iter().zip(update.operands) {
            let bytes = if size == 4 { u64::from_ne_bytes(halves(word)) } else { word };
            // SAFETY: the buffer is free, aligned, and has room for three words.
            unsafe { at.add(place).cast::<u64>().write(bytes) };
        }
        let ioc = |place: usize| fi_ioc { addr: at.wrapping_add(place).cast(), count: 1 };
        let (value, compare, mut result) = (ioc(0), ioc(COMPARE), ioc(RESULT));
        let remote = fi_rma_ioc { addr: spot.at, count: 1, key: spot.key };
        let desc = &raw mut desc;
        let message = fi_msg_atomic {
            msg_iov: &raw const value,
            desc,
            iov_count: 1,
            addr: self.peers.at(peer).handle,
            rma_iov: &raw const remote,
            rma_iov_count: 1,
            datatype: if size == 4 { FI_UINT32 } else { FI_UINT64 },
            op: code(update.op),
            context: self.contexts.at(number as usize),
            data: 0,
        };
        // What fetches too: that the old value is here does not say that cxi's target shows the new one.
        let flags = FI_COMPLETION | FI_DELIVERY_COMPLETE | fence;
        let (ep, message) = (self.endpoint.as_ptr(), &raw const message);
        let result = &raw mut result;
        let fetches = !update.fetch.is_null() || matches!(update.op, Amo::Fetch | Amo::Swap | Amo::CompareSwap);
        // SAFETY: the endpoint is open and ours; descriptions are read during the call; the buffer and the context are
        // the provider's until the completion.
        let code = unsafe {
            match update.op {
                Amo::CompareSwap => {
                    fi_compare_atomicmsg(ep, message, &raw const compare, desc, 1, result, desc, 1, flags)
                }
                _ if fetches => fi_fetch_atomicmsg(ep, message, result, desc, 1, flags),
                _ => fi_atomicmsg(ep, message, flags),
            }
        };
        // Even where nobody wants the result it tells a fetching operation from the others.
        let landing = if fetches { Landing::Word(Old::of(update.fetch, update.width), RESULT) } else { Landing::None };
        let load = Load { staged: Some(staged), landing, region: None };
        let flight = Flight { ticket, peer, class: Some(Class::Atomic), ..Flight::default() };
        self.posted(shared, code, number, flight, Some(load), Step::Copied)
    }
}
