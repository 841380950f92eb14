//! Shadow memory: for every eight bytes, the last accesses that matter.
//!
//! A granule has four cells. An access looks at all of them for one that it races with, and then takes the place of one that nobody
//! needs any more: an older one of the same strand, or one that has happened before and that a later access cannot race with unless it
//! races with this one too. If there is none, one goes; a race may then be missed.
//!
//! Cells are loaded and stored without order: two PEs that access the same bytes within nanoseconds may both miss the other. Every
//! other pair is seen by whoever comes second.

use crate::cell::{Access, Class};
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Bytes of one granule.
pub const GRANULE: usize = 8;
/// Cells of one.
pub const CELLS: usize = 4;

/// What somebody who makes an access knows to have happened.
pub trait Order {
    /// Whether an earlier access has.
    fn has(&self, earlier: Access) -> bool;
    /// Whether a race with it is none to be told.
    fn excuses(&self, earlier: Access) -> bool;
    /// Whether the strand's own accesses of one epoch are in order among each other.
    fn in_order(&self) -> bool;
}

/// Note an access of one granule. Gives the access that it races with, if there is one.
#[inline]
pub fn note(cells: &[AtomicU64], mine: Access, order: &impl Order) -> Option<Access> {
    let word = mine.pack();
    let mut conflict = None;
    let mut room = None;
    let mut spare = 0;
    for (at, cell) in cells.iter().enumerate() {
        let held = cell.load(Relaxed);
        // The same, from anywhere: nothing new. (All but the site.)
        if (held ^ word) >> 16 == 0 && order.in_order() {
            return None;
        }
        let Some(other) = Access::unpack(held) else {
            room.get_or_insert(at);
            continue;
        };
        let happened = order.has(other);
        if !happened {
            if conflict.is_none() && mine.conflicts(other) && !order.excuses(other) {
                conflict = Some(other);
            }
            continue;
        }
        spare = at;
        // What is behind an access that races with whatever races with it is of no use.
        let covers = other.mask & !mine.mask == 0 && (mine.write || !other.write);
        if covers && (mine.class == other.class || mine.class == Class::Plain) {
            room = Some(at);
        }
    }
    if conflict.is_none_or(|other| !other.is_freed()) {
        cells[room.unwrap_or(spare)].store(word, Relaxed);
    }
    conflict
}

/// Whether an access that is not noted races with one that is.
#[inline]
pub fn look(cells: &[AtomicU64], mine: Access, order: &impl Order) -> Option<Access> {
    cells
        .iter()
        .filter_map(|cell| Access::unpack(cell.load(Relaxed)))
        .find(|&other| mine.conflicts(other) && !order.has(other) && !order.excuses(other))
}

/// Forget what is noted of these cells that `over` says is over.
pub fn forget(cells: &[AtomicU64], mut over: impl FnMut(Access) -> bool) {
    for cell in cells {
        let held = cell.load(Relaxed);
        if Access::unpack(held).is_some_and(&mut over) {
            // Not over what somebody has noted since.
            let _ = cell.compare_exchange(held, 0, Relaxed, Relaxed);
        }
    }
}

/// The granules of a range, each with the bytes of it that are in the range.
pub fn granules(from: usize, len: usize) -> impl Iterator<Item = (usize, u8)> {
    let end = from.saturating_add(len);
    let count = if len == 0 { 0 } else { (end - 1) / GRANULE - from / GRANULE + 1 };
    (0..count).map(move |nth| {
        let at = (from / GRANULE + nth) * GRANULE;
        let (first, last) = (from.max(at) - at, end.min(at + GRANULE) - at);
        (at, (0xff_u8 >> (GRANULE - (last - first))) << first)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Everything up to an epoch of each strand.
    struct Known(Vec<(u16, u32)>, bool);

    impl Order for Known {
        fn has(&self, earlier: Access) -> bool {
            self.0.iter().any(|&(strand, epoch)| strand == earlier.strand && earlier.epoch <= epoch)
        }
        fn excuses(&self, _earlier: Access) -> bool {
            false
        }
        fn in_order(&self) -> bool {
            self.1
        }
    }

    fn access(strand: u16, epoch: u32, mask: u8, write: bool) -> Access {
        Access { strand, epoch, mask, class: Class::Plain, mark: false, write, site: strand }
    }

    #[test]
    fn ranges_are_cut_at_granules() {
        for (from, len, expected) in [
            (0, 0, vec![]),
            (0, 8, vec![(0, 0xff)]),
            (4, 4, vec![(0, 0xf0)]),
            (6, 4, vec![(0, 0xc0), (8, 0x03)]),
            (7, 18, vec![(0, 0x80), (8, 0xff), (16, 0xff), (24, 0x01)]),
        ] {
            assert_eq!(granules(from, len).collect::<Vec<_>>(), expected, "{from} {len}");
        }
    }

    #[test]
    fn a_write_races_with_what_has_not_happened() {
        let cells: [AtomicU64; CELLS] = Default::default();
        assert_eq!(note(&cells, access(1, 1, 0xff, true), &Known(vec![(1, 9)], true)), None);
        let other = note(&cells, access(2, 1, 0x0f, false), &Known(vec![(2, 9)], true));
        assert_eq!(other, Some(access(1, 1, 0xff, true)));
        assert_eq!(note(&cells, access(3, 1, 0x0f, false), &Known(vec![(3, 9), (1, 1)], true)), None);
    }

    #[test]
    fn all_readers_are_remembered() {
        let cells: [AtomicU64; CELLS] = Default::default();
        for strand in 1..4 {
            assert_eq!(note(&cells, access(strand, 1, 0xff, false), &Known(vec![(strand, 9)], true)), None);
        }
        assert!(note(&cells, access(4, 1, 0xff, true), &Known(vec![(4, 9), (1, 1), (2, 1)], true)).is_some());
        let cells: [AtomicU64; CELLS] = Default::default();
        for epoch in 1..100 {
            assert_eq!(note(&cells, access(1, epoch, 0xff, true), &Known(vec![(1, epoch)], true)), None);
        }
        assert_eq!(cells.iter().filter(|cell| cell.load(Relaxed) != 0).count(), 1, "one place is enough");
    }

    #[test]
    fn what_is_under_way_together_races_with_itself() {
        let cells: [AtomicU64; CELLS] = Default::default();
        let nothing = Known(vec![], false);
        assert_eq!(note(&cells, access(1, 1, 0xff, true), &nothing), None);
        assert!(note(&cells, access(1, 1, 0xff, true), &nothing).is_some());
    }

    #[test]
    fn freed_memory_stays_marked() {
        let cells: [AtomicU64; CELLS] = Default::default();
        cells[0].store(Access::freed(5).pack(), Relaxed);
        for _ in 0..2 {
            assert!(note(&cells, access(1, 1, 1, false), &Known(vec![(1, 9)], true)).unwrap().is_freed());
        }
        forget(&cells, Access::is_freed);
        assert_eq!(note(&cells, access(1, 1, 1, false), &Known(vec![(1, 9)], true)), None);
    }
}
