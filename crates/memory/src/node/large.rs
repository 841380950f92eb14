//! The parts of the heaps that are on large pages: a second file, whose pages come from a pool of the kernel.
//!
//! | part of a heap | file |
//! |---|---|
//! | the first page's worth | the memory file |
//! | up to the end of the large part | the file of large pages |
//! | the rest | the memory file |
//!
//! Each PE reserves the pages of its own heap by fallocate when the heap grows, before any byte of them is used: a page that is missing
//! is known then, and no access gets a SIGBUS. The pages come from the PE's own NUMA node while it has some. From the first page that is
//! missing on, that heap is on pages of the memory file for ever.
//!
//! A PE publishes the end of its large part in a word of the memory file, which only it writes, before the barrier that ends the allocation.
//! The others read the words after that barrier, before they return from the routine, and map the part accordingly. A word read late may
//! be of a later growth: then it describes more of the heap, in the same way.

use super::{NodeMemory, layout::Layout};
use crate::heap::{
    pages,
    pools::{Extent, Pool, most},
};
use ferrite_os::{guarded_fd::GuardedFd, mutex, signals::report_file_size_limit};
use rustix::{
    fd::{AsFd, BorrowedFd, OwnedFd},
    fs::{FallocateFlags, MemfdFlags, SealFlags, fallocate, fcntl_add_seals, fstat, ftruncate, memfd_create},
    io::Errno,
};
use std::{
    io,
    sync::{
        Mutex,
        atomic::{
            AtomicU32, AtomicU64,
            Ordering::{Acquire, Relaxed, Release},
        },
    },
};

/// Most bytes that one call reserves, so that a signal interrupts a short call only.
const PIECE: usize = 64 << 20;
/// Value of `Large::home` if any NUMA node is right.
const ANYWHERE: u32 = u32::MAX;

/// The file of large pages, and what this process has mapped of it.
pub(super) struct Large {
    file: GuardedFd,
    page: usize,
    /// The NUMA node that pages are taken from while it has some.
    home: AtomicU32,
    stages: Mutex<Box<[Stage]>>,
}

/// Memory that this process has mapped as the heap of one PE.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// The memory file alone.
    Small,
    /// The file of large pages, as far as it may reach.
    Large,
    /// The file of large pages up to its end, then the memory file.
    Complete,
}

/// Create the file. `None` if the kernel refuses; then the heaps are on small pages.
pub(super) fn create(layout: &Layout) -> Option<OwnedFd> {
    let make = || -> io::Result<OwnedFd> {
        let size = if layout.large == 1 << 30 { MemfdFlags::HUGE_1GB } else { MemfdFlags::HUGE_2MB };
        let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING | MemfdFlags::HUGETLB | size;
        let file = memfd_create("ferrite-large", flags)?;
        let len = layout.heap_at(layout.pes) - layout.heap_at(0);
        report_file_size_limit(|| Ok(ftruncate(&file, len as u64)?))?;
        fcntl_add_seals(&file, SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL)?;
        Ok(file)
    };
    make().inspect_err(|error| tracing::info!(%error, page = layout.large, "no file of large pages")).ok()
}

impl Large {
    pub fn new(file: OwnedFd, layout: &Layout) -> io::Result<Large> {
        let stages = Mutex::new(vec![Stage::Small; layout.pes].into());
        Ok(Large { file: GuardedFd::new(file)?, page: layout.large, home: AtomicU32::new(ANYWHERE), stages })
    }

    /// Take pages from this NUMA node while it has some.
    pub fn prefer(&self, node: u32) {
        self.home.store(node, Relaxed);
    }

    #[cfg(test)]
    pub fn number(&self) -> i32 {
        self.file.number()
    }

    /// Number of bytes that all heaps have reserved.
    pub fn touched(&self) -> u64 {
        let blocks = self.file.file().and_then(|file| Some(fstat(file).ok()?.st_blocks));
        blocks.and_then(|blocks| u64::try_from(blocks).ok()).unwrap_or(0) * 512
    }

    /// Reserve the pages of `[from, to)` of the file, and return the end of what was got.
    fn reserve(&self, from: usize, to: usize) -> usize {
        let Some(file) = self.file.file() else { return from };
        let home = Some(self.home.load(Relaxed)).filter(|&home| home != ANYWHERE);
        near(home, || reserve(file, from..to, self.page))
    }
}

fn reserve(file: BorrowedFd<'_>, part: std::ops::Range<usize>, page: usize) -> usize {
    let (mut from, mut piece) = (part.start, PIECE.max(page));
    while from < part.end {
        let len = piece.min(part.end - from);
        match fallocate(file, FallocateFlags::KEEP_SIZE, from as u64, len as u64) {
            Ok(()) => from += len,
            Err(Errno::INTR) => {}
            Err(_) if len > page => piece = (len / 2 / page).max(1) * page,
            Err(error) => {
                tracing::info!(%error, page, "no more large pages for the symmetric heap");
                break;
            }
        }
    }
    from
}

/// Run `work` with this thread's memory policy set to prefer one NUMA node: pages of the pools follow the policy of the thread that
/// reserves them, not the file's policy.
fn near<T>(home: Option<u32>, work: impl FnOnce() -> T) -> T {
    let before = home.and_then(|home| pages::prefer_in_thread(home).ok());
    let done = work();
    if let Some(before) = before {
        before.restore();
    }
    done
}

impl NodeMemory {
    /// Reserve large pages for the first `len` bytes of this PE's heap, as far as there are any, and map them.
    pub(super) fn extend_large(&self, len: usize) -> io::Result<()> {
        let Some(large) = &self.large else { return Ok(()) };
        let word = self.large_word(self.index);
        // Only this PE writes the word.
        let old = Extent::unpack(word.load(Relaxed), large.page);
        let reserve = self.layout.reserve();
        let Some(wanted) = old.wanted(len, reserve, large.page) else { return Ok(()) };
        let at = self.layout.large_at(self.index);
        let end = large.reserve(at + old.end, at + wanted) - at;
        let is_final = end < wanted || end == most(reserve, large.page);
        // Release: pairs with the load in `follow_large_of`. A reader gets everything else through the kernel.
        word.store(Extent { end, is_final }.pack(), Release);
        self.follow_large_of(large, self.index)
    }

    /// Map the heaps of this node's PEs as these have laid them out. After the barrier that ends an allocation.
    pub fn follow_large(&self) -> io::Result<()> {
        let Some(large) = &self.large else { return Ok(()) };
        (0..self.layout.pes).try_for_each(|index| self.follow_large_of(large, index))
    }

    fn follow_large_of(&self, large: &Large, index: usize) -> io::Result<()> {
        let mut stages = mutex::lock(&large.stages);
        if stages[index] == Stage::Complete {
            return Ok(());
        }
        // Acquire: pairs with the store in `extend_large`.
        let Extent { end, is_final } = Extent::unpack(self.large_word(index).load(Acquire), large.page);
        let head = Extent::unpack(0, large.page).end;
        let most = most(self.layout.reserve(), large.page);
        if stages[index] == Stage::Small && end > head {
            let end = if is_final { end } else { most };
            let at = self.layout.large_at(index) + head;
            // SAFETY: no byte of the heap beyond its head has been used, and before the routine returns none is.
            unsafe { self.replace(index, head..end, large.file.get()?, at)? };
        }
        if stages[index] == Stage::Large && is_final && end < most {
            let file = self.file.get()?;
            // SAFETY: as above, beyond the end of the large part.
            unsafe { self.replace(index, end..most, file, self.layout.heap_at(index) + end)? };
            // SAFETY: just mapped. Without the advice the pages are small.
            let _ = unsafe { pages::ask(self.heap(index).wrapping_add(end), most - end, self.offer()) };
        }
        stages[index] = match (is_final, end > head) {
            (true, _) => Stage::Complete,
            (false, true) => Stage::Large,
            (false, false) => Stage::Small,
        };
        Ok(())
    }

    /// Map a part of a heap from `file`. The part of the PE's own heap is not accessible until `open_heap`.
    ///
    /// # Safety
    /// The part has not been used.
    unsafe fn replace(&self, index: usize, part: std::ops::Range<usize>, file: impl AsFd, at: usize) -> io::Result<()> {
        let (base, len) = (self.heap(index).wrapping_add(part.start), part.end - part.start);
        // SAFETY: the part belongs to this value's mapping; the caller vouches that it is unused.
        unsafe { pages::map_over(file, at as u64, base, len)? };
        // SAFETY: just mapped. If the kernel refuses, the only cost is a longer core dump.
        let _ = unsafe { pages::in_core_files(base, len, false) };
        if index == self.index {
            // If the kernel refuses, only the protection against stray accesses is lost.
            let _ = self.protect_heap(part.start, len, libc::PROT_NONE);
        }
        Ok(())
    }

    /// The end of what must be accessible for the first `len` bytes of the heap to be: protection is set for whole pages.
    pub(super) fn whole_pages(&self, len: usize) -> usize {
        let Some(large) = &self.large else { return len };
        let Extent { end, .. } = Extent::unpack(self.large_word(self.index).load(Relaxed), large.page);
        let head = Extent::unpack(0, large.page).end;
        if (head..end).contains(&len) { len.next_multiple_of(large.page) } else { len }
    }

    /// Number of bytes of this PE's heap that are on large pages of a pool, and the size of these pages.
    pub fn large(&self) -> Option<(usize, usize)> {
        let large = self.large.as_ref()?;
        let head = Extent::unpack(0, large.page).end;
        Some((Extent::unpack(self.large_word(self.index).load(Relaxed), large.page).end - head, large.page))
    }

    /// Number of this node's heaps for which the pool has had too few pages.
    pub fn heaps_short_of_large(&self) -> usize {
        let Some(large) = &self.large else { return 0 };
        let most = most(self.layout.reserve(), large.page);
        let extents =
            (0..self.layout.pes).map(|index| Extent::unpack(self.large_word(index).load(Relaxed), large.page));
        extents.filter(|extent| extent.is_final && extent.end < most).count()
    }

    /// Number of bytes that the pool has free for heaps, which no measure of free memory counts.
    pub fn pool_left(&self) -> u64 {
        match &self.large {
            Some(large) if self.heaps_short_of_large() == 0 => {
                let pool = Pool::read(large.page as u64);
                pool.free * pool.page
            }
            _ => 0,
        }
    }

    fn large_word(&self, index: usize) -> &AtomicU64 {
        let word = self.at(self.layout.large_word_at(index)).cast::<AtomicU64>();
        // SAFETY: the layout has a word for each PE, aligned to eight bytes; all processes access it by atomics only.
        unsafe { &*word }
    }
}
