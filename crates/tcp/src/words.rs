//! How far the bytes of a put may be stored when not all of them are here: a program that waits for one of its words never sees a part
//! of it ([`segments::store`](ferrite_engine::segments::store) says why, and stores).
//!
//! # Why not by recv(2), straight into the segment
//!
//! It would save a copy, and it cannot be made right from here. A read ends where the socket has no more, in the middle of a
//! word or not; and although that could be asked for and avoided, the kernel gathers what it copies from segments of the network,
//! which end anywhere too: 65,483 bytes over loopback, 8,948 over jumbo frames, are no multiples of eight. A word across such
//! an end is written in two steps, and the eight-byte moves that follow lie askew to all words of the destination: reads that
//! all began and ended at words were seen to show torn ones over loopback, on x86-64, to a thread that looked. Besides, no
//! architecture promises of a kernel's copy (`rep movsb`, pairs of registers, vectors) that another processor sees it by words.
//! An answer to a get is received straight into the caller's memory all the same (`Inbox::pour`): nobody may look at that
//! before the get is complete.

use ferrite_engine::segments::WORD_BYTES;

/// Of `left` bytes that belong at `to`, `here` are here: how many of them can be stored so that no word is split between now and
/// later.
#[inline]
pub fn whole(to: *const u8, here: usize, left: usize) -> usize {
    if here >= left {
        return left;
    }
    // Less than nothing: the first boundary is not reached.
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
