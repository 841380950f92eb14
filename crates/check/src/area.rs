//! The memory of the checker that the PEs of a host share.
//!
//! ```text
//! | head | strands | words | groups | sites | told | clocks of threads | clocks of words | shadow of the host's memory file |
//! ```
//!
//! It is sparse and begins as zeros, which are its valid initial state. All of it is atomics:
//!
//! - a strand is made by incrementing `head.strands`; its maker then writes its word, once;
//! - a site is a slot of a hash table: the first PE sets its key by compare-and-swap and then writes its text, which `ready` (Release)
//!   publishes;
//! - the findings already reported are a set of keys, each set by compare-and-swap;
//! - clocks have locks of their own (`clock.rs`), and so have records of collectives (`collectives.rs`); cells of the shadow need none
//!   (`shadow.rs`).

use crate::{
    cell::{SITES, STRANDS},
    clock::SharedClock,
    shadow::{CELLS, GRANULE},
};
use core::{
    mem::size_of,
    slice,
    sync::atomic::{
        AtomicU8, AtomicU32, AtomicU64,
        Ordering::{AcqRel, Acquire, Relaxed, Release},
    },
};

/// Number of clocks for words. Words whose keys collide share a clock, and a race may be missed.
pub const WORDS: usize = 1 << 10;
/// Maximum number of distinct findings that are remembered.
const TOLD: usize = 1 << 14;
/// Bytes of a site's text.
const TEXT: usize = 108;
/// Alignment of the parts: a multiple of every page size.
const PAGE: usize = 64 << 10;

/// Counters that the area has once per host.
#[repr(C)]
pub struct Head {
    /// Number of strands made so far; strand 0 is reserved.
    strands: AtomicU32,
    /// Times that a mistake was found.
    pub findings: AtomicU32,
    /// Number of different mistakes that were reported.
    pub told: AtomicU32,
    /// Number of PEs whose program is through.
    pub finished: AtomicU32,
    /// 1 + the number of mistakes in the last result that was reported; 0 before the first result.
    pub concluded: AtomicU32,
    /// Times that a PE has polled for long without success.
    asks: [AtomicU32; ASKERS],
}

/// Number of such counters. If there are more PEs, some share one.
const ASKERS: usize = 1 << 12;

impl Head {
    /// Times that `pe` has polled for long without success.
    pub fn asks(&self, pe: u32) -> &AtomicU32 {
        &self.asks[pe as usize % ASKERS]
    }
}

/// A call site in the program, or in the library as the program sees it.
#[repr(C)]
struct Site {
    key: AtomicU64,
    ready: AtomicU32,
    text: [AtomicU8; TEXT],
}

/// The parts of the area.
#[derive(Clone, Copy)]
pub struct Area<'m> {
    /// Counters that the area has once per host.
    pub head: &'m Head,
    strands: &'m [AtomicU64],
    /// Records of collectives.
    pub groups: &'m [AtomicU64],
    sites: &'m [Site],
    told: &'m [AtomicU64],
    locks: &'m [AtomicU64],
    clocks: &'m [AtomicU32],
    shadow: &'m [AtomicU64],
}

/// Size of all records of collectives, in words.
pub const GROUP_WORDS: usize = 1 << 17;

/// Distance between two clocks, in words: a cache line more than a clock needs. Clocks that lie a power of two apart would share few lines
/// of a cache.
const CLOCK_STRIDE: usize = STRANDS + 16;

/// The sizes of the parts before the shadow, in their order.
const PARTS: [usize; 7] = [
    PAGE,
    STRANDS * size_of::<u64>(),
    GROUP_WORDS * size_of::<u64>(),
    SITES * size_of::<Site>(),
    TOLD * size_of::<u64>(),
    (STRANDS + WORDS) * size_of::<u64>(),
    (STRANDS + WORDS) * CLOCK_STRIDE * size_of::<u32>(),
];

/// Offset of a part. The part after the last is the shadow.
const fn at(part: usize) -> usize {
    let (mut offset, mut i) = (0, 0);
    while i < part {
        offset += PARTS[i].next_multiple_of(PAGE);
        i += 1;
    }
    offset
}

impl Area<'_> {
    /// Size in bytes of an area whose shadow covers `covered` bytes; `None` if that overflows.
    pub fn size(covered: usize) -> Option<usize> {
        covered.next_multiple_of(GRANULE).checked_mul(CELLS)?.checked_add(at(PARTS.len()))
    }

    /// The area at `base`.
    ///
    /// # Safety
    /// There are [`Area::size`] bytes at `base`, aligned to a page, zero when the first PE comes, and used by nothing else for `'m`.
    pub unsafe fn new<'m>(base: *mut u8, covered: usize) -> Area<'m> {
        // SAFETY: the parts lie one after the other within the caller's bytes; every type is made of atomics, for which any
        // bytes are a value, and each part begins at a multiple of a page.
        unsafe {
            Area {
                head: &*base.cast(),
                strands: slice::from_raw_parts(base.add(at(1)).cast(), STRANDS),
                groups: slice::from_raw_parts(base.add(at(2)).cast(), GROUP_WORDS),
                sites: slice::from_raw_parts(base.add(at(3)).cast(), SITES),
                told: slice::from_raw_parts(base.add(at(4)).cast(), TOLD),
                locks: slice::from_raw_parts(base.add(at(5)).cast(), STRANDS + WORDS),
                clocks: slice::from_raw_parts(base.add(at(6)).cast(), (STRANDS + WORDS) * CLOCK_STRIDE),
                shadow: slice::from_raw_parts(base.add(at(7)).cast(), covered.div_ceil(GRANULE) * CELLS),
            }
        }
    }
}

impl<'m> Area<'m> {
    /// Make a strand of `pe`. For a lane, `thread` is the strand of its thread; it is 0 for a thread. `None` if there are too many strands.
    pub fn strand(&self, pe: u32, thread: u16) -> Option<u16> {
        let number = self.head.strands.fetch_add(1, Relaxed) as usize + 1;
        if number >= STRANDS {
            self.head.strands.store(STRANDS as u32 - 1, Relaxed);
            return None;
        }
        self.strands[number].store(u64::from(thread) << 32 | u64::from(pe), Relaxed);
        Some(number as u16)
    }

    /// Number of entries of a clock that are in use.
    #[inline]
    pub fn used(&self) -> usize {
        (self.head.strands.load(Relaxed) as usize + 1).min(STRANDS)
    }

    /// The PE of a strand.
    pub fn pe_of(&self, strand: u16) -> u32 {
        self.strands[strand as usize].load(Relaxed) as u32
    }

    /// The strand of a lane's thread; a thread's own strand is returned as it is.
    pub fn thread_of(&self, strand: u16) -> u16 {
        match (self.strands[strand as usize].load(Relaxed) >> 32) as u16 {
            0 => strand,
            thread => thread,
        }
    }

    /// The clock that the thread of this strand left at its last fence, quiet or barrier.
    pub fn published(&self, strand: u16) -> SharedClock<'m> {
        self.clock(strand as usize)
    }

    /// The clock for this key. Several keys may share one.
    pub fn word(&self, key: u64) -> SharedClock<'m> {
        self.clock(STRANDS + (mixed(key) % WORDS as u64) as usize)
    }

    fn clock(&self, at: usize) -> SharedClock<'m> {
        SharedClock { lock: &self.locks[at], epochs: &self.clocks[at * CLOCK_STRIDE..][..STRANDS] }
    }

    /// The cells of the granule at an offset of the host's memory file.
    #[inline]
    pub fn cells(&self, offset: usize) -> &'m [AtomicU64] {
        self.shadow.get(offset / GRANULE * CELLS..).and_then(|cells| cells.get(..CELLS)).unwrap_or_default()
    }

    /// Prefetch the cells of the granule at an offset.
    #[inline]
    pub fn expect(&self, offset: usize) {
        if let Some(cell) = self.cells(offset).first() {
            prefetch(core::ptr::from_ref(cell).cast());
        }
    }

    /// End of the part of the host's memory file that has cells.
    pub fn end(&self) -> usize {
        self.shadow.len() / CELLS * GRANULE
    }

    /// The number of the site with this text, the same on all PEs; 0 if there are too many sites.
    pub fn site(&self, text: &str) -> u16 {
        let key = hash(text.bytes().map(u64::from)) | 1;
        for probe in 0..64 {
            let at = (key.wrapping_add(probe) % SITES as u64) as usize;
            if at == 0 {
                continue;
            }
            let site = &self.sites[at];
            match site.key.compare_exchange(0, key, AcqRel, Acquire) {
                Ok(_) => {
                    let end = (0..=text.len().min(TEXT)).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
                    site.text.iter().zip(text[..end].bytes()).for_each(|(to, byte)| to.store(byte, Relaxed));
                    site.ready.store(end as u32 + 1, Release);
                    return at as u16;
                }
                Err(held) if held == key => return at as u16,
                Err(_) => {}
            }
        }
        0
    }

    /// The text of a site.
    pub fn text(&self, site: u16) -> Option<String> {
        let site = &self.sites[site as usize];
        // The PE that set the key may not have written the text yet; the site is unknown then.
        let len = site.ready.load(Acquire).checked_sub(1)? as usize;
        let bytes = site.text.iter().take(len).map(|byte| byte.load(Relaxed)).collect();
        String::from_utf8(bytes).ok()
    }

    /// Record a finding. True if no PE of this host has recorded it before.
    pub fn first_time(&self, key: u64) -> bool {
        let key = key | 1;
        for probe in 0..64 {
            let place = &self.told[(mixed(key).wrapping_add(probe) % TOLD as u64) as usize];
            match place.compare_exchange(0, key, Relaxed, Relaxed) {
                Ok(_) => return true,
                Err(held) if held == key => return false,
                Err(_) => {}
            }
        }
        // The table is full: enough findings were reported.
        false
    }
}

/// Prefetch a cache line, on processors that have such an instruction. An unmapped address has no effect.
#[inline]
pub fn prefetch(at: *const u8) {
    // SAFETY: a prefetch is a hint: the program cannot observe its read, and it never faults.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        core::arch::x86_64::_mm_prefetch::<{ core::arch::x86_64::_MM_HINT_T0 }>(at.cast());
    }
    // SAFETY: as above.
    #[cfg(target_arch = "aarch64")]
    unsafe {
        core::arch::asm!("prfm pldl1keep, [{at}]", at = in(reg) at, options(nostack, preserves_flags, readonly));
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = at;
}

/// A key for some words.
pub fn hash(words: impl IntoIterator<Item = u64>) -> u64 {
    words.into_iter().fold(0xcbf2_9ce4_8422_2325, |key, word| mixed(key ^ word))
}

/// A word whose bits all depend on all bits of the given one.
fn mixed(word: u64) -> u64 {
    let word = (word ^ word >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (word ^ word >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) ^ word >> 32
}

/// An area that no other process shares; its memory is leaked.
#[cfg(test)]
pub(crate) fn alone(covered: usize) -> Area<'static> {
    let words = Area::size(covered).unwrap() / 8 + PAGE;
    let memory = Box::leak(vec![0_u64; words].into_boxed_slice());
    let base = memory.as_mut_ptr().cast::<u8>();
    // SAFETY: `Area::size` zero bytes from the first multiple of a page on, which nothing else uses.
    unsafe { Area::new(base.add(base.align_offset(PAGE)), covered) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sites_have_one_number_and_their_text() {
        let area = alone(64);
        let (one, other) = (area.site("heat.c:40"), area.site("heat.c:41"));
        assert!(one != 0 && other != 0 && one != other);
        assert_eq!(area.site("heat.c:40"), one);
        assert_eq!(area.text(one).as_deref(), Some("heat.c:40"));
        assert_eq!(area.text(0), None);
        let long = "é".repeat(TEXT);
        assert_eq!(area.text(area.site(&long)), Some("é".repeat(TEXT / 2)));
    }

    #[test]
    fn each_finding_is_reported_once() {
        let area = alone(64);
        assert!(area.first_time(77) && !area.first_time(77) && area.first_time(79));
    }

    #[test]
    fn strands_come_to_an_end() {
        let area = alone(64);
        let thread = area.strand(3, 0).unwrap();
        let lane = area.strand(3, thread).unwrap();
        assert_eq!((area.pe_of(lane), area.thread_of(lane), area.thread_of(thread)), (3, thread, thread));
        assert_eq!((0..2 * STRANDS).filter_map(|_| area.strand(0, 0)).count(), STRANDS - 3);
        assert_eq!(area.used(), STRANDS);
    }
}
