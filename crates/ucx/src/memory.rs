//! This PE's memory: what is registered, with UCX and for requests to the processor.
//!
//! Puts and gets are UCX's: a NIC or UCX's own handlers carry them out, and check what they check. Requests to the
//! processor are checked against [`Segments`].

use crate::{
    context::Context,
    key::{self, Extent},
    loan::Loan,
    room,
};
use ferrite_fabric::{Key, Result, Segment, mutex, segments::Segments};
use std::{
    collections::BTreeMap,
    ffi::c_void,
    ptr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
};
use ucx_sys::*;

struct Registered {
    extent: Extent,
    memh: ucp_mem_h,
}

// SAFETY: a registration belongs to the context, which several threads may use.
unsafe impl Send for Registered {}

/// The registered segments.
pub struct Memory {
    context: Arc<Context>,
    /// PEs of the job.
    pes: u32,
    /// The same memory, for the processor.
    pub segments: Segments,
    registered: Mutex<BTreeMap<u8, Vec<Registered>>>,
    /// What UCX has lent that is not registered yet.
    lent: Mutex<Vec<Loan>>,
    /// UCX may have memory that peers can map.
    lends: AtomicBool,
}

impl Memory {
    /// None yet.
    pub fn new(context: &Arc<Context>, pes: u32) -> Self {
        Memory {
            context: Arc::clone(context),
            pes,
            segments: Segments::default(),
            registered: Mutex::default(),
            lent: Mutex::default(),
            lends: AtomicBool::new(context.is_local()),
        }
    }

    /// Change memory that holds nothing yet for memory of UCX's, if that is what peers can map. Gives whether it did.
    ///
    /// # Safety
    /// As [`Fabric::furnish`](ferrite_fabric::Fabric::furnish).
    pub unsafe fn furnish(&self, base: *mut u8, len: usize) -> Result<bool> {
        if !self.lends.load(Ordering::Relaxed) {
            return Ok(false);
        }
        // SAFETY: as the caller says.
        let loan = unsafe { Loan::take(&self.context, base, len, self.pes) }?;
        let took = loan.is_some();
        tracing::debug!(len, took, "memory of UCX's for peers to map");
        // It will not have more another time, and says on standard error what it lacked.
        self.lends.store(took, Ordering::Relaxed);
        mutex::lock(&self.lent).extend(loan);
        Ok(took)
    }

    /// Let peers reach a segment, or what it has grown by. The key is of all of it. What UCX needs for itself is left over.
    ///
    /// # Safety
    /// The segment stays mapped until the memory is dropped.
    pub unsafe fn register(&self, segment: Segment) -> Result<Key> {
        let mut registered = mutex::lock(&self.registered);
        let len = self.segments.reach_of(&segment)?;
        let extents = registered.entry(segment.id.0).or_default();
        if segment.len > len {
            // SAFETY: as the caller says.
            extents.push(unsafe { self.map(segment, len) }?);
            room::check(&self.context)?;
            self.segments.register(segment)?;
        }
        Ok(Key(key::encode(extents.iter().map(|registered| &registered.extent))))
    }

    /// Register a segment from `offset` to its end.
    ///
    /// # Safety
    /// As [`register`](Self::register).
    unsafe fn map(&self, segment: Segment, offset: usize) -> Result<Registered> {
        let (call, base, length) = (&self.context.ucx.call, segment.base.wrapping_add(offset), segment.len - offset);
        let (memh, address) = match self.lent_at(base, length) {
            Some(loan) => (loan.memh, loan.theirs),
            None => {
                let what = format!("registering {length} bytes of memory with UCX");
                // SAFETY: as the caller says.
                (unsafe { self.context.register(&what, base.cast(), length) }?, base.addr() as u64)
            }
        };
        let (mut packed, mut len) = (ptr::null_mut::<c_void>(), 0);
        // SAFETY: the registration is of this context; what is packed is copied, then given back.
        unsafe {
            let status = (call.ucp_rkey_pack)(self.context.handle, memh, &raw mut packed, &raw mut len);
            if let Err(error) = self.context.check("packing a key of UCX", status) {
                self.context.unmap(memh);
                return Err(error);
            }
            let copy = std::slice::from_raw_parts(packed.cast::<u8>(), len).to_vec();
            (call.ucp_rkey_buffer_release)(packed);
            let (offset, len) = (offset as u64, length as u64);
            Ok(Registered { extent: Extent { offset, len, address, packed: copy }, memh })
        }
    }

    /// What was lent for exactly this.
    fn lent_at(&self, base: *mut u8, len: usize) -> Option<Loan> {
        let mut lent = mutex::lock(&self.lent);
        let which = lent.iter().position(|loan| (loan.base, loan.len) == (base, len))?;
        Some(lent.swap_remove(which))
    }

    /// Nobody reaches the segments any more: the workers are gone.
    pub fn close(&self) {
        let registered = std::mem::take(&mut *mutex::lock(&self.registered)).into_values().flatten();
        let lent = std::mem::take(&mut *mutex::lock(&self.lent));
        for memh in registered.map(|one| one.memh).chain(lent.into_iter().map(|loan| loan.memh)) {
            // SAFETY: it is given back once, and no operation is under way.
            unsafe { self.context.unmap(memh) };
        }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.close();
    }
}
