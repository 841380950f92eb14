//! The bytes of a put, stored by whole words: a program that waits for one of them never sees a part of it.
//!
//! OpenSHMEM lets a program wait for a word wherever in a put it lies ("partial updates must not cause `shmem_wait_until` to
//! return"), however long the put is. So what a socket has brought is stored here, from the inbox:
//!
//! - each eight bytes of the segment that are aligned to eight, and all of which the put covers, by one atomic store;
//! - what is left before the first and behind the last of them by stores of one, two and four bytes, each aligned to its
//!   size: so shorter elements are whole as well, wherever an array of them begins and ends.
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
//!
//! # Memory orders
//!
//! The stores of several words are `Relaxed`: nothing is promised about the order of the bytes of one put. What orders
//! puts is the fence behind each (`Server::stored`): it is a release fence, so who sees a word of a later put with `Acquire`
//! sees all of the earlier ones, on processors that reorder stores too. A put that is one word is stored with `Release`, as
//! in [`segments`].

use ferrite_fabric::segments;
use std::sync::atomic::{AtomicU64, Ordering};

/// What is stored at once.
pub const WORD: usize = size_of::<u64>();

/// Of `left` bytes that belong at `to`, `here` are here: how many of them can be stored so that no word is split between now and
/// later.
#[inline]
pub fn whole(to: *const u8, here: usize, left: usize) -> usize {
    if here >= left {
        return left;
    }
    // Less than nothing: the first boundary is not reached.
    here.saturating_sub((to.addr() + here) % WORD)
}

/// Store `len` bytes by whole words.
///
/// # Safety
/// `to` is writable and `from` readable for `len` bytes, and they do not overlap.
#[inline]
pub unsafe fn store(to: *mut u8, from: *const u8, len: usize) {
    // SAFETY: as the caller says.
    unsafe {
        if len <= WORD && is_word(to, len) {
            return segments::store(to, from, len);
        }
        let head = to.align_offset(WORD).min(len);
        let middle = (len - head) / WORD * WORD;
        ragged(to, from, head);
        words(to.add(head).cast(), from.add(head), middle / WORD);
        ragged(to.add(head + middle), from.add(head + middle), len - head - middle);
    }
}

/// Whether so many bytes at `to` are one word.
#[inline]
fn is_word(to: *const u8, len: usize) -> bool {
    len.is_power_of_two() && to.addr().is_multiple_of(len)
}

/// # Safety
/// `to` is aligned, and writable for `count` words; `from` is readable for as many.
#[inline]
unsafe fn words(to: *mut u64, from: *const u8, count: usize) {
    for at in 0..count {
        // SAFETY: as the caller says.
        unsafe {
            let word = from.cast::<u64>().add(at).read_unaligned();
            AtomicU64::from_ptr(to.add(at)).store(word, Ordering::Relaxed);
        }
    }
}

/// Store less than a word's bytes, which lie within one word, by the longest pieces that are aligned to their size.
///
/// # Safety
/// As for [`store`].
#[inline]
unsafe fn ragged(to: *mut u8, from: *const u8, len: usize) {
    let mut gone = 0;
    while gone < len {
        let mut size = WORD / 2;
        while size > len - gone || !is_word(to.wrapping_add(gone), size) {
            size /= 2;
        }
        // SAFETY: as the caller says.
        unsafe { segments::store(to.add(gone), from.add(gone), size) };
        gone += size;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_stored_at_any_length_and_alignment() {
        let from: Vec<u8> = (1..=48).collect();
        for offset in 0..8 {
            for (skew, len) in (0..8).flat_map(|skew| (0..=40).map(move |len| (skew, len))) {
                let mut to = [0_u64; 7];
                let base = to.as_mut_ptr().cast::<u8>();
                // SAFETY: at most 47 of 56 bytes, from at most 47 of 48.
                let got = unsafe {
                    store(base.add(offset), from.as_ptr().add(skew), len);
                    std::slice::from_raw_parts(base.cast_const(), size_of_val(&to))
                };
                assert_eq!(&got[offset..offset + len], &from[skew..skew + len], "{len} bytes at {offset}");
                assert!(got[..offset].iter().chain(&got[offset + len..]).all(|&byte| byte == 0), "{len} at {offset}");
            }
        }
    }

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
