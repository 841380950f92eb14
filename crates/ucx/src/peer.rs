//! Connection of a port to a peer: an endpoint, and the keys of the peer's segments.

use crate::{
    context::Context,
    inbox::{self, Inbox},
    key::{self, Extent},
    worker::Worker,
};
use ferrite_engine::{Location, Pe};
use ferrite_fabric::{AddressBook, Error, Result};
use std::{ptr, sync::Arc};
use ucx_sys::*;

/// A location of a peer's memory, in the form that UCX's calls take.
#[derive(Clone, Copy)]
pub struct Reach {
    pub rkey: ucp_rkey_h,
    pub address: u64,
    /// Number of bytes from here to the extent's end.
    pub room: u64,
}

struct Known {
    extent: Extent,
    rkey: ucp_rkey_h,
}

/// A peer as a port sees it.
pub struct Peer {
    pub pe: Pe,
    pub ep: ucp_ep_h,
    /// Why the peer cannot be reached any more, if it is lost.
    pub lost: Option<ucs_status_t>,
    context: Arc<Context>,
    /// Extents by segment, in the order of their offsets.
    segments: Vec<Vec<Known>>,
}

impl Peer {
    /// Make an endpoint. It connects as operations are posted, so nothing waits here.
    ///
    /// # Safety
    /// The inbox outlives the endpoint.
    pub unsafe fn new(worker: &Worker, pe: Pe, address: &[u8], inbox: *const Inbox) -> Result<Self> {
        let context = Arc::clone(&worker.context);
        let mask =
            UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE | UCP_EP_PARAM_FIELD_ERR_HANDLER;
        let params = ucp_ep_params_t {
            field_mask: mask.into(),
            address: address.as_ptr().cast(),
            err_mode: if context.watches { UCP_ERR_HANDLING_MODE_PEER } else { UCP_ERR_HANDLING_MODE_NONE },
            err_handler: ucp_err_handler_t { cb: Some(inbox::lose), arg: inbox.cast_mut().cast() },
            ..Default::default()
        };
        let mut ep = ptr::null_mut();
        // SAFETY: the worker is open; the address is one of a worker; the handler's argument is as the caller says.
        let status = unsafe { (context.ucx.call.ucp_ep_create)(worker.handle, &raw const params, &raw mut ep) };
        context.check(&format!("{pe} cannot be reached over {}", context.resources.join(" ")), status)?;
        Ok(Peer { pe, ep, lost: None, context, segments: Vec::new() })
    }

    /// Translate a location, if its key is here.
    #[inline]
    pub fn known(&self, at: Location) -> Option<Reach> {
        let extents = self.segments.get(usize::from(at.segment.0))?;
        let behind = extents.partition_point(|known| known.extent.offset <= at.offset);
        let known = &extents[behind.checked_sub(1)?];
        let inside = at.offset - known.extent.offset;
        let room = known.extent.len.checked_sub(inside).filter(|room| *room > 0)?;
        Some(Reach { rkey: known.rkey, address: known.extent.address + inside, room })
    }

    /// Translate a location that no known key covers: look the key up. If an earlier key of the segment is known, the segment may have
    /// grown.
    #[cold]
    pub fn learn(&mut self, book: &dyn AddressBook, at: Location) -> Result<Reach> {
        let (segment, index) = (at.segment, usize::from(at.segment.0));
        let extents = key::decode(&book.key(self.pe, segment)?.0)?;
        if self.segments.len() <= index {
            self.segments.resize_with(index + 1, Vec::new);
        }
        for extent in extents.into_iter().skip(self.segments[index].len()) {
            let mut rkey = ptr::null_mut();
            // SAFETY: the endpoint is open; the key is one that its owner packed.
            let status = unsafe {
                (self.context.ucx.call.ucp_ep_rkey_unpack)(self.ep, extent.packed.as_ptr().cast(), &raw mut rkey)
            };
            self.context.check(&format!("using a key of {}", self.pe), status)?;
            self.segments[index].push(Known { extent, rkey });
        }
        self.known(at).ok_or_else(|| {
            Error::new(format!("{} has registered no byte {} of segment {}", self.pe, at.offset, segment.0))
        })
    }

    /// Begin to close the endpoint: when everything sent has arrived, or at once. Return UCX's answer.
    pub fn close(&self, orderly: bool) -> ucs_status_ptr_t {
        let mut param = ucp_request_param_t::default();
        if !orderly && self.context.watches {
            // Without error handling UCX can only close endpoints in the orderly way.
            param.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
            param.flags = UCP_EP_CLOSE_FLAG_FORCE;
        }
        // SAFETY: the endpoint is open, and used no more.
        unsafe { (self.context.ucx.call.ucp_ep_close_nbx)(self.ep, &raw const param) }
    }

    pub fn forget_keys(&mut self) {
        for known in self.segments.drain(..).flatten() {
            // SAFETY: no operation that uses the key is under way.
            unsafe { (self.context.ucx.call.ucp_rkey_destroy)(known.rkey) };
        }
    }
}
