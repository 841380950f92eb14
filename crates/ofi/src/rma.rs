//! Reads and writes of peers' memory.
//!
//! A call takes as many bytes as are reached by one key, as the provider's longest message has, and as local memory can be named at
//! once.

use crate::{
    extents::Spot,
    local_memory::Local,
    port::{Call, OfiPort},
};
use ferrite_engine::{Class, Error, Location, PeerNumber, PostError, Posted, Token, memlock};
use libfabric_sys::*;
use std::{ffi::c_void, ptr};

impl OfiPort {
    /// How calls name a place at a peer, and how many bytes from there on one call can take.
    #[inline]
    pub(crate) fn spot(&mut self, peer: PeerNumber, at: Location, len: usize) -> Result<(Spot, usize), Error> {
        let spot = self.peers[peer as usize].spot(&self.shared, at)?;
        let room = usize::try_from(spot.room).unwrap_or(usize::MAX);
        Ok((spot, len.min(room).min(self.shared.plan.piece_bytes_max)))
    }

    /// Hand a read or a write to the provider.
    #[inline]
    pub(crate) fn transfer(
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
        // SAFETY: the endpoint is open and ours; the description is read during the call; local memory is good until the
        // completion, by the caller's promise or because it is ours or copied; so is the context, if there is one.
        unsafe {
            match class {
                Class::Read => fi_readmsg(ep, &raw const message, flags),
                _ => fi_writemsg(ep, &raw const message, flags),
            }
        }
    }

    /// Inject a put that only a counter tells of.
    pub(crate) fn count_put(
        &mut self,
        peer: PeerNumber,
        spot: Spot,
        local: &Local,
        token: Token,
    ) -> Result<Posted, PostError> {
        // Not `fi_inject_write`: cxi counts that when the target's NIC has it, not when it is in memory. Without
        // FI_COMPLETION nobody comes back to the context.
        let flags = FI_INJECT | FI_DELIVERY_COMPLETE;
        let code = self.transfer(Class::Write, peer, spot, local, ptr::null_mut(), flags);
        if code != 0 {
            return Err(self.refused(code, peer));
        }
        self.writes += 1;
        self.counted.push(token);
        Ok(Posted::Pending(local.len))
    }

    /// Note what the provider has taken, or give back what it has not.
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

    /// No room, or an error.
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

    /// Whether a write was refused because its source may only be read: libfabric's cxi maps sources for writing too before 2.2.
    #[cold]
    pub(crate) fn is_sealed(&self, code: isize, from: *const u8, len: usize) -> bool {
        code != -(FI_EAGAIN as isize) && !self.shared.plan.local && !self.shared.sources.are_writable(from, len)
    }
}
