//! The symmetric heap: the blocks of the heap, its size limits, and its pages.
//!
//! Nothing here talks to a peer; each file answers one question from its inputs:
//!
//! | file | question |
//! |---|---|
//! | [`alloc`] | which bytes of the heap does the next allocation get? the same on every PE |
//! | [`size`] | what does the text of `SHMEM_SYMMETRIC_SIZE` mean? |
//! | [`budget`] | how much memory may still be promised on this node, and what bounds it? |
//! | [`cgroup`] | which limits do the control groups set? |
//! | [`pools`] | which pool of large pages do heaps use, and how much of each heap is on them? |
//! | [`pages`] | where to map the heap, on how large pages, and which part of it belongs into a core file? |
//!
//! # A promise is not a page
//!
//! `shmem_malloc` touches no page. It raises the break, the extent up to which the heap's pages may be touched, and the kernel provides
//! pages as they are touched. If the kernel has no page then, the process gets a SIGBUS or a visit of the out-of-memory killer, far away
//! from the call that asked for too much. So the break rises only after [`budget`] has compared all memory that is promised and still
//! untouched on this node with the memory that the node has left. A request that does not fit is refused while it is still a number, and
//! `shmem_malloc` returns NULL on all PEs.

pub mod alloc;
pub mod budget;
pub mod cgroup;
pub mod pages;
pub mod pools;
pub mod size;
