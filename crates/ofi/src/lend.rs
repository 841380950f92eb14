//! Local memory as calls want it: as it is, a copy of it in a buffer of ours, or registered.

use crate::{
    lane::{Landing, Load, State},
    plan::STAGED_BYTES_MAX,
    regions::{self, Use},
    shared::Shared,
};
use libfabric_sys::*;
use std::{ffi::c_void, ptr};

/// Local memory as a call names it.
#[derive(Clone, Copy)]
pub struct Lent {
    /// The first byte.
    pub at: *mut u8,
    /// The provider's description of it.
    pub desc: *mut c_void,
}

impl Lent {
    /// As it is: copied during the call, or used by a provider that wants nothing registered.
    #[inline]
    pub fn plain(at: *mut u8) -> Self {
        Lent { at, desc: ptr::null_mut() }
    }
}

impl State {
    /// Where a put is taken from that cannot be taken from where it is: a copy of it if it is `small`, registered memory if not.
    /// Where that is refused it is a copy of the first of its bytes, and `len` says how many. None if there is no buffer.
    #[inline(never)]
    pub fn lend_source(
        &mut self,
        shared: &Shared,
        from: *mut u8,
        len: &mut usize,
        small: bool,
    ) -> Option<(Lent, Option<Load>)> {
        if !small {
            debug_assert!(shared.plan.local, "else it may be lent as it is");
            if let Some(known) = known(shared, from, *len) {
                return Some((known, None));
            }
            if let Some(registered) = self.register(shared, from, len, Use::Source) {
                return Some(registered);
            }
        }
        let (staged, lent) = self.buffer()?;
        // SAFETY: the buffer is free and large enough; the memory of a put is readable for its length.
        unsafe { lent.at.copy_from_nonoverlapping(from, *len) };
        Some((lent, Some(Load { staged: Some(staged), ..Load::default() })))
    }

    /// Where a get goes that needs registered memory: a buffer if it is small and its own memory unknown, else that memory. Where that
    /// is refused it is a buffer for the first of its bytes, and `len` says how many. None if there is no buffer.
    #[inline(never)]
    pub fn lend_landing(&mut self, shared: &Shared, to: *mut u8, len: &mut usize) -> Option<(Lent, Option<Load>)> {
        if let Some(known) = known(shared, to, *len) {
            return Some((known, None));
        }
        if *len > STAGED_BYTES_MAX
            && let Some(registered) = self.register(shared, to, len, Use::Local)
        {
            return Some(registered);
        }
        let (staged, lent) = self.buffer()?;
        let load = Load { staged: Some(staged), landing: Landing::Bytes(to, *len), region: None };
        Some((lent, Some(load)))
    }

    /// The caller's memory, registered for this alone; if that is refused, `len` says how much of it a buffer takes.
    fn register(&self, shared: &Shared, at: *mut u8, len: &mut usize, for_what: Use) -> Option<(Lent, Option<Load>)> {
        // SAFETY: the memory stays until the ticket completes, and the region is closed before that.
        match unsafe { regions::open(shared.access(), self.endpoint.as_ptr(), at, *len, for_what) } {
            Ok(region) => {
                // SAFETY: the region is open.
                let desc = unsafe { fi_mr_desc(region.as_ptr()) };
                Some((Lent { at, desc }, Some(Load { region: Some(region), ..Load::default() })))
            }
            // Too much may be locked already; and memory that may only be read is refused where providers ask for more rights than
            // they need.
            Err(error) => {
                tracing::debug!(me = %shared.options.me, "{len} bytes are copied in pieces, for {error}");
                *len = (*len).min(STAGED_BYTES_MAX);
                None
            }
        }
    }

    /// A free buffer, if there is one.
    pub fn buffer(&mut self) -> Option<(u32, Lent)> {
        let staged = self.buffers.take()?;
        Some((staged, Lent { at: self.buffers.at(staged), desc: self.buffers.desc() }))
    }
}

/// The caller's memory, if it is registered for peers anyway.
fn known(shared: &Shared, at: *mut u8, len: usize) -> Option<Lent> {
    shared.regions.desc(at, len).map(|desc| Lent { at, desc })
}
