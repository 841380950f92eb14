//! Reads and writes of remote memory.
//!
//! Each call returns 0, `-FI_EAGAIN` if the provider has no room and must be progressed first, or another error.
//! `remote` is an address of the target with `FI_MR_VIRT_ADDR`, else an offset into the region of `key`.

use crate::{bindings::*, object::calls};

calls! {
    /// Reads ranges described by a structure, with flags.
    fn fi_readmsg(ep: *mut fid_ep, message: *const fi_msg_rma, flags: u64) -> isize = rma.readmsg;
    /// Writes ranges described by a structure, with flags: `FI_DELIVERY_COMPLETE`, `FI_FENCE`, `FI_INJECT`.
    fn fi_writemsg(ep: *mut fid_ep, message: *const fi_msg_rma, flags: u64) -> isize = rma.writemsg;
}
