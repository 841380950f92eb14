//! Shadow memory: the last relevant accesses of every eight bytes.
//!
//! A granule has four cells. An access looks at all of them for an access that it races with. Then it replaces one that is not needed any
//! more: an older access of the same strand, or an access that has happened before, if every later access that races with it also races
//! with the new one. If there is none, some cell is overwritten; a race may then be missed.
//!
//! If two strands access the same bytes at once, at least one sees the other: each stores its access before it looks again at the cells
//! that may have changed since its first look. The stores and the second looks are sequentially consistent, so all strands see them in one
//! order.

use crate::cell::{Access, Class};
use core::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Relaxed, SeqCst},
};

/// Bytes of one granule.
pub const GRANULE: usize = 8;
/// Number of cells of one granule.
pub const CELLS: usize = 4;

/// The knowledge of the strand that makes an access.
pub trait Order {
    /// Whether the strand knows that an earlier access has happened.
    fn has(&self, earlier: Access) -> bool;
    /// Whether a race with an earlier access is not to be reported.
    fn excuses(&self, earlier: Access) -> bool;
    /// Whether an access need not be recorded if this strand has already recorded an equal one in this epoch (same bytes, class and
    /// direction; only the site may differ). That is so if the two do not race, and if every strand that has touched the bytes since and
    /// knows of the recorded access also knows of this one.
    fn repeats(&self, mine: Access) -> bool;
}

/// Record an access of one granule. Return the access that it races with, if there is one.
#[inline]
pub fn note(cells: &[AtomicU64], mine: Access, order: &impl Order) -> Option<Access> {
    let word = mine.pack();
    // Fast path for memory without any recorded access, since long puts cover many granules. A concurrent access takes the first cell as
    // well, and only one of the two gets it; or it has looked at the cells before, and takes one of those that are read below.
    if let [first, others @ ..] = cells
        && cells.iter().fold(0, |all, cell| all | cell.load(Relaxed)) == 0
        && first.compare_exchange(0, word, SeqCst, Relaxed).is_ok()
    {
        return others.iter().find_map(|cell| races(cell.load(SeqCst), mine, order));
    }
    note_among(cells, mine, order)
}

/// The access in a cell, if `mine` races with it.
#[inline]
fn races(held: u64, mine: Access, order: &impl Order) -> Option<Access> {
    Access::unpack(held).filter(|&other| mine.conflicts(other) && !order.has(other) && !order.excuses(other))
}

/// Record an access of a granule that may have recorded ones.
#[inline(never)]
fn note_among(cells: &[AtomicU64], mine: Access, order: &impl Order) -> Option<Access> {
    let word = mine.pack();
    let mut conflict = None;
    let mut room = None;
    let mut spare = 0;
    let mut seen = [0; CELLS];
    for (at, cell) in cells.iter().enumerate().take(CELLS) {
        let held = cell.load(Relaxed);
        seen[at] = held;
        // Compare everything but the site.
        if (held ^ word) >> 16 == 0 && order.repeats(mine) {
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
        // An access is not needed any more if every access that races with it also races with the new one.
        let covers = other.mask & !mine.mask == 0 && (mine.write || !other.write);
        if covers && (mine.class == other.class || mine.class == Class::Plain) {
            room = Some(at);
        }
    }
    if conflict.is_some_and(Access::is_freed) {
        return conflict;
    }
    let taken = room.unwrap_or(spare);
    let replaced = cells[taken].swap(word, SeqCst);
    conflict.or_else(|| {
        (0..CELLS).find_map(|at| {
            let now = if at == taken { replaced } else { cells[at].load(SeqCst) };
            (now != seen[at]).then(|| races(now, mine, order)).flatten()
        })
    })
}

/// Return the access that `mine` races with, without recording `mine`.
#[inline]
pub fn look(cells: &[AtomicU64], mine: Access, order: &impl Order) -> Option<Access> {
    cells
        .iter()
        // Acquire: everything that the strand did before this access is visible, too.
        .find_map(|cell| races(cell.load(Acquire), mine, order))
}

/// Clear the cells whose access is over, as `over` decides.
pub fn forget(cells: &[AtomicU64], mut over: impl FnMut(Access) -> bool) {
    for cell in cells {
        let held = cell.load(Relaxed);
        if Access::unpack(held).is_some_and(&mut over) {
            // Do not overwrite an access that was recorded since.
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

    /// A list of strands, each known up to an epoch; and the answer of `repeats`.
    struct Known(Vec<(u16, u32)>, bool);

    impl Order for Known {
        fn has(&self, earlier: Access) -> bool {
            self.0.iter().any(|&(strand, epoch)| strand == earlier.strand && earlier.epoch <= epoch)
        }
        fn excuses(&self, _earlier: Access) -> bool {
            false
        }
        fn repeats(&self, _mine: Access) -> bool {
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
    fn write_races_with_an_unordered_access() {
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

    /// Like [`Known`], but at its first question another access happens: between the first look and the store.
    struct Meanwhile<'a>(Known, core::cell::Cell<Option<&'a dyn Fn()>>);

    impl Order for Meanwhile<'_> {
        fn has(&self, earlier: Access) -> bool {
            self.1.take().iter().for_each(|act| act());
            self.0.has(earlier)
        }
        fn excuses(&self, _earlier: Access) -> bool {
            false
        }
        fn repeats(&self, _mine: Access) -> bool {
            true
        }
    }

    #[test]
    fn of_two_at_once_one_sees_the_other() {
        // The other takes the same cell, and another one.
        for mask in [0xff, 0x0f] {
            let cells: [AtomicU64; CELLS] = Default::default();
            cells[CELLS - 1].store(access(3, 1, 0xff, false).pack(), Relaxed);
            let known = |strand| Known(vec![(strand, 9), (3, 1)], true);
            let other = access(2, 1, 0xff, true);
            let act = || assert_eq!(note(&cells, other, &known(2)), None, "it has come first");
            let order = Meanwhile(known(1), core::cell::Cell::new(Some(&act)));
            assert_eq!(note(&cells, access(1, 1, mask, true), &order), Some(other), "mask {mask:#x}");
        }
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "two threads that are to meet, also where they share a core")]
    fn of_two_threads_one_sees_the_other_in_every_new_granule() {
        let granules: Vec<[AtomicU64; CELLS]> = (0..20_000).map(|_| Default::default()).collect();
        // Both threads start each granule together.
        let come: [AtomicU64; 2] = Default::default();
        let run = |strand: u16| {
            let known = Known(vec![(strand, 9)], true);
            let note = |(nth, cells): (u64, &[AtomicU64; CELLS])| {
                come[usize::from(strand) - 1].store(nth, SeqCst);
                for look in 1.. {
                    if come[2 - usize::from(strand)].load(SeqCst) >= nth {
                        break;
                    }
                    if look % 1024 == 0 {
                        std::thread::yield_now();
                    }
                }
                note(cells, access(strand, 1, 0xff, true), &known)
            };
            (1..).zip(&granules).map(note).collect::<Vec<_>>()
        };
        let (one, two) = std::thread::scope(|scope| {
            let two = scope.spawn(|| run(2));
            (run(1), two.join().unwrap())
        });
        for (nth, found) in one.iter().zip(&two).enumerate() {
            assert!(
                found.0.is_some() || found.1.is_some(),
                "granule {nth}: both have noted, and neither has seen the other"
            );
        }
    }

    #[test]
    fn concurrent_operations_race_with_each_other() {
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
