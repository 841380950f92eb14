//! The place of a peer's segments in this process.

use core::sync::atomic::{AtomicIsize, AtomicUsize};

/// Where a peer's segments lie relative to ours. A length of 0 marks a segment that cannot be reached by mapping.
#[repr(C, align(32))]
#[derive(Default)]
pub struct PeerWindow {
    /// Distance from our heap to the peer's.
    pub heap: AtomicIsize,
    /// Bytes of the heap in use, always a multiple of [`PeerWindow::GRAIN`].
    pub heap_len: AtomicUsize,
    /// Distance from our static data to the peer's.
    pub statics: AtomicIsize,
    /// Bytes of static data.
    pub statics_len: AtomicUsize,
}

impl PeerWindow {
    /// Lengths are multiples of this, so that an aligned object that starts inside also ends inside.
    pub const GRAIN: usize = 64;
}
