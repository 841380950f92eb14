//! Tells which memory of the program a library may register. Some libraries ask for write permission on memory that they only read, and
//! fail on constants and on files that are mapped read-only. Such sources must be copied.
//!
//! The permissions are in the kernel's list of mappings. Reading that list takes as long as several puts, so a few ranges are cached:
//! programs put from the same places again. The cache does not notice when memory is unmapped. If read-only memory takes the place of
//! writable memory, the library refuses it, as it would without the cache. In the opposite case a put is copied in vain.

use ferrite_os::maps;
use std::{
    fs,
    ops::Range,
    sync::{PoisonError, RwLock},
};

/// Maximum number of cached ranges.
const KEPT: usize = 32;

/// Cache of the program's mappings.
#[derive(Default)]
pub struct Sources {
    known: RwLock<Known>,
}

#[derive(Default)]
struct Known {
    ranges: Vec<(Range<usize>, bool)>,
    /// Index of the range that is replaced next.
    oldest: usize,
}

impl Sources {
    /// Whether all of these bytes are writable, as far as is known. Memory that is not must not be registered.
    pub fn are_writable(&self, at: *const u8, len: usize) -> bool {
        let wanted = at.addr()..at.addr().saturating_add(len);
        let known = {
            let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
            known.ranges.iter().find(|(range, _)| holds(range, &wanted)).map(|&(_, writable)| writable)
        };
        known.unwrap_or_else(|| self.look(&wanted))
    }

    #[cold]
    fn look(&self, wanted: &Range<usize>) -> bool {
        let Ok(maps) = fs::read_to_string("/proc/self/maps") else { return true };
        let Some((range, writable)) = find(&maps, wanted) else { return true };
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if known.ranges.len() < KEPT {
            known.ranges.push((range, writable));
        } else {
            let oldest = known.oldest;
            known.ranges[oldest] = (range, writable);
            known.oldest = (oldest + 1) % KEPT;
        }
        writable
    }
}

fn holds(range: &Range<usize>, wanted: &Range<usize>) -> bool {
    range.start <= wanted.start && wanted.end <= range.end
}

/// The range that contains `wanted`, and whether it is writable: adjacent writable mappings, or one read-only mapping. If `wanted` extends
/// beyond that range, the result is `wanted` itself, as not writable. `None` if `wanted` begins in no mapping.
fn find(maps: &str, wanted: &Range<usize>) -> Option<(Range<usize>, bool)> {
    let mut runs: Vec<(Range<usize>, bool)> = Vec::new();
    for (range, writable) in maps.lines().filter_map(mapping) {
        match runs.last_mut() {
            Some((before, true)) if writable && before.end == range.start => before.end = range.end,
            _ => runs.push((range, writable)),
        }
    }
    let (run, writable) = runs.into_iter().find(|(run, _)| run.contains(&wanted.start))?;
    Some(if holds(&run, wanted) { (run, writable) } else { (wanted.clone(), false) })
}

/// Parse a line such as `7f1c0000-7f1d0000 rw-p ...`: the range, and whether it is writable.
fn mapping(line: &str) -> Option<(Range<usize>, bool)> {
    let (_, rights) = line.split_once(' ')?;
    Some((maps::range(line)?, rights.as_bytes().get(1) == Some(&b'w')))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAPS: &str = "\
1000-3000 r--p 00000000 08:01 17 /bin/program
3000-5000 rw-p 00002000 08:01 17 /bin/program
5000-9000 rw-p 00000000 00:00 0 [heap]
9000-a000 r--s 00000000 08:01 18 /data
c000-d000 rw-p 00000000 00:00 0
";

    #[test]
    fn writable_range_is_found_across_mappings() {
        let found = |start: usize, end: usize| find(MAPS, &(start..end));
        assert_eq!(found(0x3100, 0x3200), Some((0x3000..0x9000, true)));
        assert_eq!(found(0x4fff, 0x9000), Some((0x3000..0x9000, true)), "across two");
        assert_eq!(found(0x1000, 0x3000), Some((0x1000..0x3000, false)), "read-only");
        assert_eq!(found(0x2fff, 0x3001), Some((0x2fff..0x3001, false)), "of both kinds");
        assert_eq!(found(0x8fff, 0x9001), Some((0x8fff..0x9001, false)), "of both kinds");
        assert_eq!(found(0xcfff, 0xd001), Some((0xcfff..0xd001, false)), "beyond its end");
        assert_eq!(found(0xa000, 0xa001), None, "nothing there");
        assert_eq!(find("nonsense\n", &(1..2)), None);
    }

    #[test]
    fn memory_of_this_process_is_recognised() {
        static CONSTANTS: [u8; 4096] = [7; 4096];
        let sources = Sources::default();
        let (boxed, on_stack) = (vec![1_u8; 1 << 20], [2_u8; 64]);
        for _ in 0..2 {
            assert!(sources.are_writable(boxed.as_ptr(), boxed.len()));
            assert!(sources.are_writable(on_stack.as_ptr(), on_stack.len()));
            assert!(!sources.are_writable(CONSTANTS.as_ptr(), CONSTANTS.len()));
        }
    }

    #[test]
    fn no_more_is_kept_than_there_is_room_for() {
        let sources = Sources::default();
        let places: Vec<Vec<u8>> = (0..3 * KEPT).map(|_| vec![0; 1 << 20]).collect();
        static CONSTANTS: [u8; 4096] = [7; 4096];
        for place in &places {
            assert!(sources.are_writable(place.as_ptr(), place.len()));
            assert!(!sources.are_writable(CONSTANTS.as_ptr(), 100));
        }
        assert!(sources.known.read().unwrap().ranges.len() <= KEPT);
    }
}
