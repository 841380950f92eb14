//! Local memory as calls want it: as it is, a copy of it in a buffer of ours, or registered.

use crate::{
    object::Object,
    plan::BUFFER_BYTES,
    port::OfiPort,
    regions::{self, Use},
};
use ferrite_engine::{PeerNumber, PostError};
use libfabric_sys::*;
use std::{ffi::c_void, mem, ptr};

/// Local memory as a call names it.
pub struct Local {
    /// The first byte.
    pub at: *mut u8,
    /// Bytes.
    pub len: usize,
    /// The provider's description of it.
    pub desc: *mut c_void,
    /// What is given back when the call is over.
    pub bounce: Option<Bounce>,
}

/// What a call uses beside the caller's memory: most use nothing.
#[derive(Default)]
pub struct Bounce {
    /// A buffer of ours.
    pub buffer: Option<u32>,
    /// What to do with its content at the end.
    pub copy_back: Option<CopyBack>,
    /// Memory that was registered for this call alone. Held for that.
    _region: Option<Object<fid_mr>>,
}

/// What was fetched to a buffer, and where it belongs.
#[derive(Clone, Copy)]
pub struct CopyBack {
    /// Where it starts in the buffer.
    pub start: usize,
    /// The caller's memory.
    pub to: *mut u8,
    /// Bytes.
    pub len: usize,
}

impl Local {
    /// As it is: copied during the call, or used by a provider that wants nothing registered.
    #[inline]
    pub fn plain(at: *mut u8, len: usize) -> Local {
        Local { at, len, desc: ptr::null_mut(), bounce: None }
    }
}

impl OfiPort {
    /// A copy of what is put, of at most a buffer's size.
    ///
    /// # Safety
    /// `from` is readable for `len` bytes.
    pub unsafe fn copy_of(&mut self, peer: PeerNumber, from: *const u8, len: usize) -> Result<Local, PostError> {
        let local = self.buffer(peer, len.min(BUFFER_BYTES))?;
        // SAFETY: the buffer is free and large enough; the rest is the caller's promise.
        unsafe { local.at.copy_from_nonoverlapping(from, local.len) };
        Ok(local)
    }

    /// A buffer for the first bytes of what is fetched.
    pub fn copied_back(&mut self, peer: PeerNumber, to: *mut u8, len: usize) -> Result<Local, PostError> {
        let mut local = self.buffer(peer, len.min(BUFFER_BYTES))?;
        if let Some(bounce) = &mut local.bounce {
            bounce.copy_back = Some(CopyBack { start: 0, to, len: local.len });
        }
        Ok(local)
    }

    /// The caller's memory, if it is registered for peers anyway, or, where it is longer than a buffer, for this call alone. None where
    /// that is refused.
    ///
    /// # Safety
    /// The memory stays mapped until the call is over.
    #[inline(never)]
    pub unsafe fn registered(&self, at: *mut u8, len: usize, for_what: Use) -> Option<Local> {
        if let Some(desc) = self.shared.regions.desc(at, len) {
            return Some(Local { at, len, desc, bounce: None });
        }
        if len <= BUFFER_BYTES {
            return None;
        }
        // SAFETY: as the caller says, and the region is closed when the call is over.
        match unsafe { regions::open(&self.shared, self.endpoint.as_ptr(), at, len, for_what) } {
            Ok(region) => {
                // SAFETY: the region is open.
                let desc = unsafe { fi_mr_desc(region.as_ptr()) };
                Some(Local { at, len, desc, bounce: Some(Bounce { _region: Some(region), ..Bounce::default() }) })
            }
            // Too much may be locked already; and memory that may only be read is refused where providers ask for more rights than
            // they need.
            Err(error) => {
                tracing::debug!(me = %self.shared.target.me(), "{len} bytes are copied in pieces, for {error}");
                None
            }
        }
    }

    /// The first bytes of a free buffer. A quarter of them is kept for peers that use none, so that no peer that has stopped holds up
    /// all others.
    pub fn buffer(&mut self, peer: PeerNumber, len: usize) -> Result<Local, PostError> {
        let users = &mut self.peers[peer as usize].buffers;
        if !self.buffers.has_many() && *users > 0 {
            return Err(PostError::Busy);
        }
        let number = self.buffers.take().ok_or(PostError::Busy)?;
        *users += 1;
        let bounce = Some(Bounce { buffer: Some(number), ..Bounce::default() });
        Ok(Local { at: self.buffers.at(number), len, desc: self.buffers.desc(), bounce })
    }

    /// Give back what a call has used, and bring what it has fetched to where it belongs.
    pub fn end_bounce(&mut self, number: usize) {
        let bounce = mem::take(&mut self.bounces[number]);
        if let (Some(buffer), Some(CopyBack { start, to, len })) = (bounce.buffer, bounce.copy_back) {
            // SAFETY: the buffer holds what was fetched, and the caller's memory is good until the call is over, which is after this.
            unsafe { to.copy_from_nonoverlapping(self.buffers.at(buffer).add(start), len) };
        }
        self.drop_bounce(bounce, self.calls[number].peer);
    }

    /// Give back what a call would have used.
    pub fn drop_bounce(&mut self, bounce: Bounce, peer: PeerNumber) {
        if let Some(buffer) = bounce.buffer {
            self.buffers.give(buffer);
            self.peers[peer as usize].buffers -= 1;
        }
    }
}
