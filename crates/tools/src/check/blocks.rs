//! The blocks of the symmetric heap: where they were allocated and freed, the guard bytes behind them, and leaks.

use super::{
    Check,
    findings::{Finding, Weight},
};
use core::sync::atomic::Ordering::Relaxed;
use ferrite_os::mutex;
use ferrite_runtime::observe::View;
use std::collections::{BTreeMap, VecDeque};

/// Number of guard bytes behind each block, which the program must not write.
pub(super) const GUARD: usize = 64;
/// Value of the guard bytes.
const PATTERN: u8 = 0xfb;
/// Maximum number of freed blocks that are remembered.
const FREED_MAX: usize = 4096;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Block {
    /// Size that the program asked for.
    pub bytes: usize,
    /// Call that allocated it.
    pub site: u16,
    /// True if guard bytes follow the block.
    guarded: bool,
}

/// All blocks, by their offset in the heap.
#[derive(Default)]
pub(super) struct Blocks {
    live: BTreeMap<u64, Block>,
    /// The last `FREED_MAX` freed blocks, each with the call that freed it.
    freed: VecDeque<(u64, Block, u16)>,
    /// Allocation that has not returned yet: offset, bytes and whether it is guarded.
    coming: Option<(u64, usize, bool)>,
}

impl Blocks {
    /// The block that contains an offset, and where it begins.
    pub fn around(&self, at: u64) -> Option<(u64, Block)> {
        let (&start, &block) = self.live.range(..=at).next_back()?;
        (at - start < block.bytes.max(1) as u64).then_some((start, block))
    }

    /// The last block that begins at or before an offset, wherever it ends.
    pub fn before(&self, at: u64) -> Option<(u64, Block)> {
        self.live.range(..=at).next_back().map(|(&start, &block)| (start, block))
    }

    /// The last freed block that contained an offset, and the call that freed it.
    pub fn was(&self, at: u64) -> Option<(u64, Block, u16)> {
        let within = |&&(start, block, _): &&(u64, Block, u16)| at.wrapping_sub(start) < block.bytes.max(1) as u64;
        self.freed.iter().rev().find(within).copied()
    }

    /// The block was not freed after all: its reallocation failed.
    fn remember(&mut self, at: u64) {
        if let Some(&(last, block, _)) = self.freed.back()
            && last == at
        {
            self.freed.pop_back();
            self.live.insert(at, block);
        }
    }

    fn forget(&mut self, at: u64, site: u16) -> Option<Block> {
        let block = self.live.remove(&at)?;
        self.freed.push_back((at, block, site));
        if self.freed.len() > FREED_MAX {
            self.freed.pop_front();
        }
        Some(block)
    }
}

impl Check {
    /// The heap has allocated a block of `bytes`, plus guard bytes if `guarded`; no PE has its address yet.
    pub(super) fn block_comes(&self, view: View<'_>, offset: u64, bytes: usize, guarded: bool) {
        let whole = bytes + if guarded { GUARD } else { 0 };
        self.mark(view, offset as usize, whole, None);
        if guarded {
            // SAFETY: the block was allocated with `GUARD` bytes more, and no PE knows its address yet.
            unsafe { view.memory().heap_at(offset + bytes as u64).write_bytes(PATTERN, GUARD) };
        }
        mutex::lock(&self.blocks).coming = Some((offset, bytes, guarded));
    }

    /// The allocation returns to the program; `site` is its call.
    pub(super) fn block_is_there(&self, site: u16) {
        let mut blocks = mutex::lock(&self.blocks);
        if let Some((offset, bytes, guarded)) = blocks.coming.take() {
            blocks.live.insert(offset, Block { bytes, site, guarded });
        }
    }

    /// The program frees a block. Check its guard bytes a last time.
    pub(super) fn block_goes(&self, view: View<'_>, address: usize, site: u16) {
        let offset = address.wrapping_sub(view.memory().heap_base()) as u64;
        let found = mutex::lock(&self.blocks).live.get(&offset).copied();
        if let Some(block) = found {
            self.look_behind(view, offset, block, site);
            mutex::lock(&self.blocks).forget(offset, site);
            return;
        }
        let (freed, inside) = {
            let blocks = mutex::lock(&self.blocks);
            (blocks.was(offset).filter(|&(start, _, _)| start == offset), blocks.around(offset))
        };
        let here = self.place_of(site);
        if let Some((_, block, by)) = freed {
            let (allocated, before) = (self.place_of(block.site).at, self.place_of(by).at);
            self.tell(
                &view,
                &Finding {
                    kind: "double-free",
                    weight: Weight::Fatal,
                    what: format!(
                        "{} at {} frees the block of {} bytes allocated at {allocated}, which was freed at {before}",
                        here.what, here.at, block.bytes
                    ),
                    right: "free a block once, on all PEs".into(),
                    places: vec![here.at.clone(), before],
                },
            );
        } else if let Some((start, block)) = inside {
            let allocated = self.place_of(block.site).at;
            self.tell(
                &view,
                &Finding {
                    kind: "bad-free",
                    weight: Weight::Fatal,
                    what: format!(
                        "{} at {} gets an address {} bytes into the block allocated at {allocated}",
                        here.what,
                        here.at,
                        offset - start
                    ),
                    right: "pass the address that the allocation returned".into(),
                    places: vec![here.at.clone(), allocated],
                },
            );
        }
    }

    /// A reallocation has returned no other block: the old one stays allocated.
    pub(super) fn block_stays(&self, view: View<'_>, address: usize) {
        let offset = address.wrapping_sub(view.memory().heap_base()) as u64;
        mutex::lock(&self.blocks).remember(offset);
    }

    /// A block was freed: any later access to it is a mistake.
    pub(super) fn block_has_gone(&self, view: View<'_>, address: usize, site: u16) {
        let offset = address.wrapping_sub(view.memory().heap_base());
        let gone = mutex::lock(&self.blocks).freed.back().copied();
        if let Some((at, block, _)) = gone
            && at == offset as u64
        {
            self.mark(view, offset, block.bytes, Some(site));
        }
    }

    /// Mark a part of this PE's heap as new, or as freed by the call `freed`. Only done if races are searched for.
    fn mark(&self, view: View<'_>, offset: usize, len: usize, freed: Option<u16>) {
        if self.sees_all() {
            let node = &view.memory().node;
            self.races.mark(node.layout().heap_at(node.index()) + offset, len, freed);
        }
    }

    /// Check the guard bytes of all blocks.
    pub(super) fn look_behind_all(&self, view: View<'_>, site: u16) {
        let all: Vec<_> = mutex::lock(&self.blocks).live.iter().map(|(&at, &block)| (at, block)).collect();
        all.into_iter().for_each(|(at, block)| self.look_behind(view, at, block, site));
    }

    fn look_behind(&self, view: View<'_>, at: u64, block: Block, site: u16) {
        if !block.guarded {
            return;
        }
        let behind = view.memory().heap_at(at + block.bytes as u64);
        // Peers may be writing there at this moment, which is the mistake that is looked for.
        // SAFETY: the guard is part of the block that the heap allocated.
        let written = (0..GUARD).find(|&byte| unsafe { behind.add(byte).read_volatile() } != PATTERN);
        let Some(first) = written else { return };
        // SAFETY: as above. The pattern is restored so that this overrun is reported once and the next one is found.
        unsafe { behind.write_bytes(PATTERN, GUARD) };
        let (allocated, here) = (self.place_of(block.site).at, self.place_of(site));
        self.tell(&view, &Finding {
            kind: "overrun",
            weight: Weight::Error,
            what: format!(
                "byte {} of the block of {} bytes allocated at {allocated}, beyond its end, was written between the \
                 last allocation or barrier and {} at {}",
                block.bytes + first,
                block.bytes,
                here.what,
                here.at
            ),
            right: "stay within the block, or allocate more".into(),
            places: vec![allocated],
        });
    }

    /// Report everything that the program leaves for finalize to release.
    pub(super) fn find_leaks(&self, view: View<'_>) {
        let mut by_site: BTreeMap<u16, (usize, usize)> = BTreeMap::new();
        // The heaps are the same on all PEs.
        if view.me() == 0 && !self.is_rust.load(Relaxed) {
            for block in mutex::lock(&self.blocks).live.values() {
                let entry = by_site.entry(block.site).or_default();
                *entry = (entry.0 + 1, entry.1 + block.bytes);
            }
        }
        for (site, (count, bytes)) in by_site {
            let at = self.place_of(site).at;
            let blocks = if count == 1 { "a block is".to_owned() } else { format!("{count} blocks are") };
            self.tell(
                &view,
                &Finding {
                    kind: "leak",
                    weight: Weight::Note,
                    what: format!("{blocks} not freed, {bytes} bytes allocated at {at}"),
                    right: "call shmem_free; finalize frees what is left".into(),
                    places: vec![at],
                },
            );
        }
        self.find_left_handles(view);
    }
}
