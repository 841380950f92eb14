//! How many bytes of an incomplete put may be stored, so that a program that waits for one of its words never sees part of it
//! ([`segments::store`](ferrite_engine::segments::store) gives the reason, and stores).
//!
//! # Why recv(2) does not write straight into the segment
//!
//! That would save a copy, but it cannot be made correct from here. A read ends where the socket has no more bytes, in the middle of a word
//! or not. This could be queried and avoided, but the kernel gathers the bytes of a read from network segments, which end anywhere too:
//! 65,483 bytes over loopback and 8,948 over jumbo frames are not multiples of eight. A word that spans such an end is written in two
//! steps, and the eight-byte moves that follow are misaligned with all words of the destination. Over loopback on x86-64, reads that all
//! began and ended at word boundaries were seen to show torn words to an observing thread. Besides, no architecture promises that another
//! processor sees a kernel's copy (`rep movsb`, pairs of registers, vectors) word by word. An answer to a get is received straight into the
//! caller's memory all the same (`Inbox::pour`): no thread may read that memory before the get is complete.

use ferrite_engine::segments::WORD_BYTES;

/// Number of bytes that can be stored at `to` without splitting a word between this store and a later one. `left` bytes belong there, of
/// which the first `here` have arrived.
#[inline]
pub fn whole(to: *const u8, here: usize, left: usize) -> usize {
    if here >= left {
        return left;
    }
    // A negative difference: the first word boundary is not reached.
    here.saturating_sub((to.addr() + here) % WORD_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_here_is_stored_as_far_as_its_last_whole_word() {
        for (to, here, left, stored) in [
            (0, 0, 9, 0),
            (0, 7, 9, 0),
            (0, 8, 9, 8),
            (0, 31, 32, 24),
            (0, 32, 32, 32),
            (0, 9, 9, 9),
            (4, 3, 20, 0),
            (4, 4, 20, 4),
            (4, 13, 20, 12),
            (7, 1, 2, 1),
            (7, 9, 20, 9),
            (7, 8, 20, 1),
        ] {
            let at = std::ptr::without_provenance(64 + to);
            assert_eq!(whole(at, here, left), stored, "{here} of {left} bytes at {to}");
        }
    }
}
