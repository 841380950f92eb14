//! Messages, for operations that a provider cannot do on remote memory by itself.

use crate::{bindings::*, object::calls};
use libc::c_void;

calls! {
    /// Sends a message described by a structure, with flags.
    fn fi_sendmsg(ep: *mut fid_ep, message: *const fi_msg, flags: u64) -> isize = msg.sendmsg;
    /// Sends a message of at most `inject_size` bytes. The buffer is the caller's again at once; nothing completes.
    fn fi_inject(ep: *mut fid_ep, buffer: *const c_void, len: usize, to: fi_addr_t) -> isize = msg.inject;
    /// Offers a buffer for a message.
    fn fi_recv(
        ep: *mut fid_ep, buffer: *mut c_void, len: usize, desc: *mut c_void, from: fi_addr_t, context: *mut c_void,
    ) -> isize = msg.recv;
}
