//! This PE's memory as UCX knows it: a registration, and a packed key, for each extent of each segment.

use crate::{
    context::Context,
    key::{self, Extent},
    memlock_check,
};
use ferrite_fabric::{Key, Result, Segment};
use ferrite_os::mutex;
use std::{
    collections::BTreeMap,
    ffi::c_void,
    mem, ptr, slice,
    sync::{Arc, Mutex},
};
use ucx_sys::*;

struct Registered {
    extent: Extent,
    memh: ucp_mem_h,
}

// SAFETY: a registration belongs to the context, which several threads may use.
unsafe impl Send for Registered {}

pub struct Memory {
    context: Arc<Context>,
    registered: Mutex<BTreeMap<u8, Vec<Registered>>>,
}

impl Memory {
    /// Start without any registration.
    pub fn new(context: &Arc<Context>) -> Self {
        Memory { context: Arc::clone(context), registered: Mutex::default() }
    }

    /// Make a segment, or its growth, accessible to peers. Return the key of all of it. Fail if that leaves too little lockable memory for
    /// UCX itself.
    ///
    /// # Safety
    /// The segment is where it was before, and stays mapped until [`close`](Self::close).
    pub unsafe fn register(&self, segment: Segment) -> Result<Key> {
        let mut registered = mutex::lock(&self.registered);
        let extents = registered.entry(segment.id.0).or_default();
        let known = extents.last().map_or(0, |last| (last.extent.offset + last.extent.len) as usize);
        if segment.len > known {
            // SAFETY: as the caller says.
            extents.push(unsafe { self.map(segment, known) }?);
            memlock_check::check(&self.context)?;
        }
        Ok(Key(key::encode(extents.iter().map(|registered| &registered.extent))))
    }

    /// Register a segment from `offset` to its end.
    ///
    /// # Safety
    /// As [`register`](Self::register).
    unsafe fn map(&self, segment: Segment, offset: usize) -> Result<Registered> {
        let (call, base, length) = (&self.context.ucx.call, segment.base.wrapping_add(offset), segment.len - offset);
        let what = format!("registering {length} bytes of memory with UCX");
        // SAFETY: as the caller says.
        let memh = unsafe { self.context.register(&what, base.cast(), length) }?;
        let (mut packed, mut len) = (ptr::null_mut::<c_void>(), 0);
        // SAFETY: the registration is of this context; the packed key is copied, then released.
        unsafe {
            let status = (call.ucp_rkey_pack)(self.context.handle, memh, &raw mut packed, &raw mut len);
            if let Err(error) = self.context.check("packing a key of UCX", status) {
                self.context.unmap(memh);
                return Err(error);
            }
            let copy = slice::from_raw_parts(packed.cast::<u8>(), len).to_vec();
            (call.ucp_rkey_buffer_release)(packed);
            let (offset, len, address) = (offset as u64, length as u64, base.addr() as u64);
            Ok(Registered { extent: Extent { offset, len, address, packed: copy }, memh })
        }
    }

    /// Unregister all segments. The workers are gone, so no peer reaches them any more.
    pub fn close(&self) {
        for Registered { memh, .. } in mem::take(&mut *mutex::lock(&self.registered)).into_values().flatten() {
            // SAFETY: the registration is closed once, and no operation is under way.
            unsafe { self.context.unmap(memh) };
        }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.close();
    }
}
