//! The symmetric heap: who gets which bytes, how many there may be, and on what pages.
//!
//! Nothing here maps the heap or talks to a peer; each file answers one question from what it is given:
//!
//! | file | question |
//! |---|---|
//! | [`alloc`] | which bytes of the heap does the next allocation get? the same on every PE |
//! | [`size`] | what does the text of `SHMEM_SYMMETRIC_SIZE` mean? |
//! | [`budget`] | how much memory may still be promised on this node, and what bounds it? |
//! | [`cgroup`] | what do the control groups say about memory? |
//! | [`pages`] | where to map the heap, on how large pages, and what of it belongs into a core file? |
//!
//! # A promise is not a page
//!
//! `shmem_malloc` touches no page. It raises the break, the extent up to which the heap's pages may be touched, and
//! the kernel hands pages out as they are touched. A page that cannot be had then is a SIGBUS or a visit of the
//! out-of-memory killer, far away from the call that asked for too much. So the break rises only after [`budget`] has
//! compared all that is promised and still untouched on this node with what the node has left; what does not fit is
//! refused while it is still a number, and `shmem_malloc` returns NULL on all PEs.

pub mod alloc;
pub mod budget;
pub mod cgroup;
pub mod pages;
pub mod size;
