//! One-sided operations as values.

use std::fmt;

/// A processing element, by its number in the world.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Pe(pub u32);

impl fmt::Display for Pe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PE {}", self.0)
    }
}

/// One of a PE's registered pieces of memory; the same number names the same piece on every PE.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SegmentId(pub u8);

impl SegmentId {
    /// The symmetric heap.
    pub const HEAP: SegmentId = SegmentId(0);
    /// The executable's writable data.
    pub const STATICS: SegmentId = SegmentId(1);
    /// The runtime's own flags and slots.
    pub const CONTROL: SegmentId = SegmentId(2);
    /// The words of a device's symmetric heap. It is served, not registered ([`crate::Words`]), and so is the next.
    pub const DEVICE: SegmentId = SegmentId(254);
    /// Requests to copy between that heap and memory of the host.
    pub const MOVES: SegmentId = SegmentId(255);
}

/// A symmetric address: which PE, which segment, how far in. Providers never see virtual addresses of peers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Remote {
    /// The PE that owns the memory.
    pub pe: Pe,
    /// Which of its segments.
    pub segment: SegmentId,
    /// Bytes from the segment's start.
    pub offset: u64,
}

/// The size of an atomic's operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    /// 4 bytes.
    W32,
    /// 8 bytes.
    W64,
}

impl Width {
    /// Number of bytes.
    #[inline]
    pub const fn bytes(self) -> usize {
        match self {
            Width::W32 => 4,
            Width::W64 => 8,
        }
    }

    /// Write a word's value, which comes zero-extended, at any alignment.
    ///
    /// # Safety
    /// `to` is writable for as many bytes as the word has.
    #[inline]
    #[allow(unsafe_code)]
    pub unsafe fn write(self, to: *mut u8, value: u64) {
        // SAFETY: as the caller says.
        unsafe {
            match self {
                Width::W32 => to.cast::<u32>().write_unaligned(value as u32),
                Width::W64 => to.cast::<u64>().write_unaligned(value),
            }
        }
    }
}

/// The update of an atomic to the word at its target. Floating-point set, swap and fetch are bit copies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Amo {
    /// Leave it as it is.
    Fetch,
    /// Overwrite it.
    Set,
    /// Overwrite it, and give the old value back.
    Swap,
    /// Overwrite it if it equals `compare`; the old value comes back either way.
    CompareSwap,
    /// Add, wrapping.
    Add,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
}

/// How a signal word is updated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SignalOp {
    /// Overwrite it.
    Set,
    /// Add, wrapping.
    Add,
}

impl From<SignalOp> for Amo {
    /// The atomic that performs a signal's update.
    #[inline]
    fn from(op: SignalOp) -> Amo {
        match op {
            SignalOp::Set => Amo::Set,
            SignalOp::Add => Amo::Add,
        }
    }
}

/// One one-sided operation. Its local pointers stay valid until its [`crate::Ticket`] reaches
/// [`crate::Stage::Local`].
#[derive(Clone, Copy, Debug)]
pub enum Op {
    /// Copy `len` bytes from here to there.
    Put {
        /// Destination at the peer.
        to: Remote,
        /// Source here.
        from: *const u8,
        /// Number of bytes.
        len: usize,
    },
    /// Copy `len` bytes from there to here.
    Get {
        /// Source at the peer.
        from: Remote,
        /// Destination here.
        to: *mut u8,
        /// Number of bytes.
        len: usize,
    },
    /// Update a word, atomically within the job's one atomicity domain.
    Amo {
        /// The word, aligned to its width.
        at: Remote,
        /// Size of the word.
        width: Width,
        /// What becomes of the word.
        op: Amo,
        /// The operand, zero-extended.
        operand: u64,
        /// For [`Amo::CompareSwap`], the expected value of the word.
        compare: u64,
        /// Destination of the old value, as many bytes as the word has, at any alignment; null if it is not wanted.
        fetch: *mut u8,
    },
    /// A put whose arrival updates a signal word at the same PE; nothing else is ordered by the signal.
    PutSignal {
        /// Destination at the peer.
        to: Remote,
        /// Source here.
        from: *const u8,
        /// Number of bytes.
        len: usize,
        /// The signal word.
        signal: Remote,
        /// How it is updated.
        op: SignalOp,
        /// The operand of the update.
        value: u64,
    },
}

impl Op {
    /// The PE whose memory the operation accesses.
    #[inline]
    pub fn target(&self) -> Pe {
        match self {
            Op::Put { to, .. } | Op::PutSignal { to, .. } => to.pe,
            Op::Get { from, .. } => from.pe,
            Op::Amo { at, .. } => at.pe,
        }
    }

    /// Number of bytes that the operation copies.
    #[inline]
    pub fn bytes(&self) -> usize {
        match *self {
            Op::Put { len, .. } | Op::Get { len, .. } | Op::PutSignal { len, .. } => len,
            Op::Amo { .. } => 0,
        }
    }
}
