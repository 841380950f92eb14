//! Reads and writes of peers' memory.
//!
//! The length of one call is limited by the bytes that one key reaches, by the provider's longest message, and by the local memory that can
//! be named at once.

use crate::{
    extents::Spot,
    local_memory::Local,
    port::{Call, OfiPort},
};
use ferrite_engine::{Class, Error, Location, PeerNumber, PostError, Posted, Token, memlock};
use libfabric_sys::*;
use std::{ffi::c_void, ptr};

impl OfiPort {
    /// Translate a location at a peer to the address and key that calls take. Also return how many bytes one call can transfer from there.
    #[inline]
    pub(crate) fn spot(&mut self, peer: PeerNumber, at: Location, len: usize) -> Result<(Spot, usize), Error> {
        let spot = self.peers[peer as usize].spot(&self.shared, at)?;
        let room = usize::try_from(spot.room).unwrap_or(usize::MAX);
        Ok((spot, len.min(room).min(self.shared.plan.piece_bytes_max)))
    }

    /// Post a read or a write at the provider.
    ///
    /// # Safety
    /// `local` stays valid until the completion, for a read for writes; a context is one of this port's, or null.
    #[inline]
    pub(crate) unsafe fn transfer(
        &self,
        class: Class,
        peer: PeerNumber,
        spot: Spot,
        local: &Local,
        context: *mut c_void,
        flags: u64,
    ) -> isize {
        let len = local.len;
        let iov = libc::iovec { iov_base: local.at.cast(), iov_len: len };
        let remote = fi_rma_iov { addr: spot.at, len, key: spot.key };
        let mut desc = local.desc;
        let message = fi_msg_rma {
            msg_iov: &raw const iov,
            desc: &raw mut desc,
            iov_count: 1,
            addr: self.peers[peer as usize].handle,
            rma_iov: &raw const remote,
            rma_iov_count: 1,
            context,
            data: 0,
        };
        let ep = self.endpoint.as_ptr();
        // SAFETY: the endpoint is open and used by this thread alone; the description is read during the call; the rest is the caller's
        // promise.
        unsafe {
            match class {
                Class::Read => fi_readmsg(ep, &raw const message, flags),
                Class::Write => fi_writemsg(ep, &raw const message, flags),
                Class::Message | Class::Atomic => unreachable!("{class:?} is no transfer"),
            }
        }
    }

    /// Inject a put whose completion only the counter shows.
    ///
    /// # Safety
    /// `local` is valid for reads now; the provider copies it.
    pub(crate) unsafe fn count_put(
        &mut self,
        peer: PeerNumber,
        spot: Spot,
        local: &Local,
        token: Token,
    ) -> Result<Posted, PostError> {
        // Not `fi_inject_write`: cxi counts such a put when the target's NIC has it, not when it is in memory. Without FI_COMPLETION no
        // completion uses the context, so it may be null.
        let flags = FI_INJECT | FI_DELIVERY_COMPLETE;
        // SAFETY: the caller's promise; injected memory is read during the call.
        let code = unsafe { self.transfer(Class::Write, peer, spot, local, ptr::null_mut(), flags) };
        if code != 0 {
            return Err(self.refused(code, peer));
        }
        if self.counted.is_empty() {
            self.before_counted = self.writes;
        }
        self.writes += 1;
        self.counted.push(token);
        Ok(Posted::Pending(local.len))
    }

    /// Record an operation that the provider accepted, or give back the resources of a refused one.
    #[inline]
    pub(crate) fn posted(
        &mut self,
        code: isize,
        class: Class,
        peer: PeerNumber,
        local: Local,
        token: Token,
    ) -> Result<Posted, PostError> {
        let Local { len, bounce, .. } = local;
        if code != 0 {
            if let Some(bounce) = bounce {
                self.drop_bounce(bounce, peer);
            }
            return Err(self.refused(code, peer));
        }
        self.calls[token.0 as usize] = Call { peer, class, has_bounce: bounce.is_some() };
        if let Some(bounce) = bounce {
            self.bounces[token.0 as usize] = bounce;
        }
        Ok(Posted::Pending(len))
    }

    /// The reason for a refusal: no room, or an error.
    #[cold]
    pub(crate) fn refused(&self, code: isize, peer: PeerNumber) -> PostError {
        if code == -(FI_EAGAIN as isize) {
            return PostError::Busy;
        }
        let pe = self.peers[peer as usize].pe;
        let why = self.shared.domain.library.strerror(code);
        let name = &self.shared.domain.offer.name;
        let error = Error::because(format!("libfabric's {name} refuses an operation for {pe}"), why);
        // The buffers behind a connection are locked when a peer is first used.
        let wants_memory = code == -(libc::ENOMEM as isize) && memlock::limit().is_some();
        PostError::Failed(if wants_memory { memlock::cured(error) } else { error })
    }

    /// Whether a write was refused because its source is read-only: libfabric's cxi before 2.2 maps sources for writing too.
    #[cold]
    pub(crate) fn is_sealed(&self, code: isize, from: *const u8, len: usize) -> bool {
        code != -(FI_EAGAIN as isize) && !self.shared.plan.local && !self.shared.sources.are_writable(from, len)
    }
}
