//! Local memory of a call: used in place, copied to a buffer of the port, or registered for the call.

use crate::{
    object::Object,
    plan::BUFFER_BYTES,
    port::OfiPort,
    regions::{self, Use},
};
use ferrite_engine::{PeerNumber, PostError};
use libfabric_sys::*;
use std::{ffi::c_void, mem, ptr};

/// Local memory in the form that libfabric's calls take.
pub struct Local {
    /// Address of the first byte.
    pub at: *mut u8,
    pub len: usize,
    /// The provider's descriptor of the memory; null if there is none.
    pub desc: *mut c_void,
    /// Resources to give back when the call is over.
    pub bounce: Option<Bounce>,
}

/// Resources that a call uses beside the caller's memory. Most calls use none.
#[derive(Default)]
pub struct Bounce {
    /// A buffer of the port.
    pub buffer: Option<u32>,
    /// Copy to make from the buffer when the call is over.
    pub copy_back: Option<CopyBack>,
    /// Registration of memory for this call alone. It is kept only to be closed when the call is over.
    _region: Option<Object<fid_mr>>,
}

/// Data fetched into a buffer, and its destination.
#[derive(Clone, Copy)]
pub struct CopyBack {
    /// Offset of the data in the buffer.
    pub start: usize,
    /// Destination: the caller's memory.
    pub to: *mut u8,
    pub len: usize,
}

impl Local {
    /// Memory without a descriptor: it is copied during the call, or the provider requires no registration.
    #[inline]
    pub fn plain(at: *mut u8, len: usize) -> Local {
        Local { at, len, desc: ptr::null_mut(), bounce: None }
    }
}

impl OfiPort {
    /// Copy the source of a put to a buffer: at most a buffer's size of it.
    ///
    /// # Safety
    /// `from` is readable for `len` bytes.
    pub unsafe fn copy_of(&mut self, peer: PeerNumber, from: *const u8, len: usize) -> Result<Local, PostError> {
        let local = self.buffer(peer, len.min(BUFFER_BYTES))?;
        // SAFETY: the buffer is free and large enough; the rest is the caller's promise.
        unsafe { local.at.copy_from_nonoverlapping(from, local.len) };
        Ok(local)
    }

    /// Take a buffer for the first bytes of a get. They are copied to `to` when the call is over.
    ///
    /// # Safety
    /// `to` is writable for `len` bytes until the call is over.
    pub unsafe fn copied_back(&mut self, peer: PeerNumber, to: *mut u8, len: usize) -> Result<Local, PostError> {
        let mut local = self.buffer(peer, len.min(BUFFER_BYTES))?;
        if let Some(bounce) = &mut local.bounce {
            bounce.copy_back = Some(CopyBack { start: 0, to, len: local.len });
        }
        Ok(local)
    }

    /// Use the caller's memory in place: if it is registered for peers anyway, or if it is longer than a buffer, with a registration for
    /// this call alone. `None` if it is short, or if the registration is refused.
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
            // Too much memory may be locked already. And read-only memory is refused if the provider asks for more rights than it needs.
            Err(error) => {
                tracing::debug!(me = %self.shared.target.me(), "{len} bytes are copied in pieces: {error}");
                None
            }
        }
    }

    /// Take the first `len` bytes of a free buffer. A quarter of the buffers is kept for peers that use none, so that one stopped peer does
    /// not hold up all others.
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

    /// Copy what a call has fetched to its destination, and give back what the call has used.
    pub fn end_bounce(&mut self, number: usize) {
        let bounce = mem::take(&mut self.bounces[number]);
        if let (Some(buffer), Some(CopyBack { start, to, len })) = (bounce.buffer, bounce.copy_back) {
            // SAFETY: the buffer contains the fetched data, and the caller's memory is good until the call is over, which is after this.
            unsafe { to.copy_from_nonoverlapping(self.buffers.at(buffer).add(start), len) };
        }
        self.drop_bounce(bounce, self.calls[number].peer);
    }

    /// Give back the resources of a call that is over or was refused.
    pub fn drop_bounce(&mut self, bounce: Bounce, peer: PeerNumber) {
        if let Some(buffer) = bounce.buffer {
            self.buffers.give(buffer);
            self.peers[peer as usize].buffers -= 1;
        }
    }
}
