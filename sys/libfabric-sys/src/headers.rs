//! One interface to the fields that differ between versions of the headers.

use crate::bindings::*;
use libc::{c_void, iovec};

/// The data progress mode of a provider.
pub fn data_progress(domain: &fi_domain_attr) -> fi_progress {
    #[cfg(not(progress_in_union))]
    return domain.data_progress;
    // SAFETY: both names of this union are the same type at the same place.
    #[cfg(progress_in_union)]
    return unsafe { domain.__bindgen_anon_1.data_progress };
}

/// Requests a data progress mode, in hints.
pub fn set_data_progress(domain: &mut fi_domain_attr, progress: fi_progress) {
    #[cfg(not(progress_in_union))]
    {
        domain.data_progress = progress;
    }
    #[cfg(progress_in_union)]
    {
        domain.__bindgen_anon_1.data_progress = progress;
    }
}

/// The attributes of a memory region. All other fields are 0.
pub fn mr_attr(memory: &[iovec], access: u64, requested_key: u64, context: *mut c_void) -> fi_mr_attr {
    let mut attr = fi_mr_attr { iov_count: memory.len(), access, requested_key, context, ..Default::default() };
    #[cfg(not(mr_iov_in_union))]
    {
        attr.mr_iov = memory.as_ptr();
    }
    #[cfg(mr_iov_in_union)]
    {
        attr.__bindgen_anon_1.mr_iov = memory.as_ptr();
    }
    attr
}
