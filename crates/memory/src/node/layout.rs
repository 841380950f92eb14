//! Layout of the file that holds the symmetric memory of a whole node.
//!
//! ```text
//! | roster | control PE 0 | control PE 1 | ... | heap PE 0 | gap | heap PE 1 | gap | ... | statics PE 0 | statics PE 1 | ...
//! ```
//!
//! The file is sparse and memory is committed by touch, so generous sizes cost address space only. Every PE of the node maps the whole file
//! once: one file, one mapping and one message per PE, however many PEs there are. Between two heaps is a gap that is never touched;
//! [`budget::span`] determines its size.

use super::roster;
use crate::heap::budget;
use ferrite_fabric::{Error, Result};

/// Size of a huge page. Heaps grow in these and are reserved in these.
pub const HUGE_PAGE: usize = budget::CHUNK as usize;
/// Heaps begin at multiples of this, in the file and in memory. It is the widest alignment that `shmem_align` supports.
pub const HEAP_ALIGN: usize = budget::ALIGN as usize;

/// Size of an encoded layout.
pub(super) const LAYOUT_BYTES: usize = 56;

/// Gap between the static data of two PEs, so that an access past the end of one does not reach the next. A multiple of every base page
/// size.
const STATICS_GAP: usize = 64 << 10;

/// Sizes that all PEs of a node agree on. Offsets are relative to the start of the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    /// Number of PEs on the node.
    pub pes: usize,
    /// Bytes of the roster (`roster.rs`), and of the words about large pages behind it. A multiple of a page.
    pub roster: usize,
    /// Bytes of one PE's control area, a multiple of a page.
    pub control: usize,
    /// The ceiling of one PE's heap.
    pub ceiling: usize,
    /// Bytes for one PE's static data, a multiple of a page: the largest size of all PEs.
    pub statics: usize,
    /// True if mistakes are looked for. This takes an area of its own behind everything else.
    pub checked: bool,
    /// Size of the pages of the second file, which holds the large parts of heaps (`large.rs`); 0 if there is none.
    pub large: usize,
}

impl Layout {
    /// Bytes that one heap may touch: its ceiling, rounded up to whole huge pages.
    pub fn reserve(&self) -> usize {
        self.ceiling.next_multiple_of(HUGE_PAGE)
    }

    /// Distance from the start of one heap to the start of the next.
    fn stride(&self) -> Option<usize> {
        usize::try_from(budget::span(self.ceiling as u64)?).ok()?.checked_next_multiple_of(self.heap_align())
    }

    /// Heaps begin at multiples of this in the file and in memory.
    pub(super) fn heap_align(&self) -> usize {
        HEAP_ALIGN.max(self.large)
    }

    /// Bytes of the words in which PEs publish the ends of the large parts of their heaps.
    pub(super) fn large_words(pes: usize) -> usize {
        (pes * size_of::<u64>()).next_multiple_of(4096)
    }

    /// Offset of the word of PE `index`. The words are the end of the roster's area.
    pub(super) fn large_word_at(&self, index: usize) -> usize {
        self.roster - Layout::large_words(self.pes) + index * size_of::<u64>()
    }

    /// Offset of the heap of PE `index` in the file of large pages.
    pub(super) fn large_at(&self, index: usize) -> usize {
        self.heap_at(index) - self.heap_at(0)
    }

    /// Address space that mapping the file takes in addition to the heaps.
    pub fn beside_heaps(pes: usize, control: usize, statics: usize) -> usize {
        // The file is mapped at a multiple of `HEAP_ALIGN`. Finding such an address takes that much more address space.
        let roster = roster::about(pes) + Layout::large_words(pes);
        Layout { pes, roster, control, ceiling: 0, statics, checked: false, large: 0 }.all_but_heaps() + HEAP_ALIGN
    }

    fn all_but_heaps(&self) -> usize {
        self.before_heaps() + self.pes * (self.statics + STATICS_GAP)
    }

    /// Size of the roster and of all control areas, up to the first heap.
    fn before_heaps(&self) -> usize {
        (self.roster + self.pes * self.control).next_multiple_of(self.heap_align())
    }

    /// Offset of the control area of the node's PE `index`.
    pub fn control_at(&self, index: usize) -> usize {
        self.roster + index * self.control
    }

    /// Offset of the heap of PE `index`.
    pub fn heap_at(&self, index: usize) -> usize {
        self.before_heaps() + index * self.stride().expect("`total` was asked first")
    }

    /// Offset of the static data of PE `index`.
    pub fn statics_at(&self, index: usize) -> usize {
        self.heap_at(self.pes) + index * (self.statics + STATICS_GAP)
    }

    /// Offset and size of the area in which the PEs note the accesses to the file, if there is one.
    pub fn check_area(&self) -> Result<Option<(usize, usize)>> {
        let total = self.total()?;
        if !self.checked {
            return Ok(None);
        }
        let size = ferrite_check::Area::size(total).filter(|&size| size <= isize::MAX as usize - total - HEAP_ALIGN);
        let area = size.map(|size| (total.next_multiple_of(HEAP_ALIGN), size));
        area.map(Some).ok_or_else(|| {
            Error::new("SHMEM_CHECK: heaps of this size leave no room for its records; set SHMEM_SYMMETRIC_SIZE lower")
        })
    }

    /// Encode the layout for another PE.
    pub fn encode(&self) -> [u8; LAYOUT_BYTES] {
        let Layout { pes, roster, control, ceiling, statics, checked, large } = *self;
        let mut bytes = [0; LAYOUT_BYTES];
        let words = [pes, roster, control, ceiling, statics, usize::from(checked), large];
        bytes.chunks_exact_mut(8).zip(words).for_each(|(to, word)| to.copy_from_slice(&(word as u64).to_le_bytes()));
        bytes
    }

    /// Decode a layout from [`Layout::encode`]. Fails unless it is for `pes` PEs with control areas of `control` bytes.
    pub fn decode(bytes: &[u8; LAYOUT_BYTES], pes: usize, control: usize) -> Result<Layout> {
        let word = |i: usize| u64::from_le_bytes(bytes[8 * i..8 * i + 8].try_into().expect("eight bytes")) as usize;
        let layout = Layout {
            pes: word(0),
            roster: word(1),
            control: word(2),
            ceiling: word(3),
            statics: word(4),
            checked: word(5) != 0,
            large: word(6),
        };
        if (layout.pes, layout.control) != (pes, control) {
            return Err(Error::new(
                "the first PE of this host has another layout of the symmetric memory: its library is of another \
                 version",
            ));
        }
        Ok(layout)
    }

    /// Size of the part of the file that all PEs map.
    pub fn total(&self) -> Result<usize> {
        let heaps = self.stride().and_then(|one| one.checked_mul(self.pes));
        let rest = self.all_but_heaps();
        heaps.and_then(|heaps| heaps.checked_add(rest)).filter(|&total| total <= isize::MAX as usize).ok_or_else(|| {
            Error::new(format!("{} heaps of {} bytes do not fit an address space", self.pes, self.ceiling))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_follow_each_other_without_overlap() {
        let layout = Layout {
            pes: 3,
            roster: 0x2000,
            control: 0x3000,
            ceiling: 4 * HUGE_PAGE - 5,
            statics: 0x5000,
            checked: false,
            large: 0,
        };
        let mut areas = vec![(0, layout.roster)];
        for i in 0..3 {
            areas.push((layout.control_at(i), layout.control));
            areas.push((layout.heap_at(i), layout.reserve() + HUGE_PAGE));
            areas.push((layout.statics_at(i), layout.statics));
            assert!(layout.heap_at(i).is_multiple_of(HEAP_ALIGN));
        }
        areas.sort();
        assert!(areas.windows(2).all(|w| w[0].0 + w[0].1 <= w[1].0));
        let (last, len) = areas[areas.len() - 1];
        assert_eq!(last + len + STATICS_GAP, layout.total().unwrap());
    }

    #[test]
    fn notes_lie_behind_all_else() {
        let layout =
            Layout { pes: 2, roster: 4096, control: 4096, ceiling: HUGE_PAGE, statics: 4096, checked: true, large: 0 };
        let (at, size) = layout.check_area().unwrap().unwrap();
        assert!(at >= layout.total().unwrap() && size > 4 * layout.total().unwrap());
        assert_eq!(Layout { checked: false, ..layout }.check_area().unwrap(), None);
        assert!(Layout { ceiling: 1 << 61, ..layout }.check_area().is_err());
    }

    #[test]
    fn too_much_is_an_error() {
        let layout = Layout {
            pes: 4,
            roster: 4096,
            control: 4096,
            ceiling: usize::MAX / 4,
            statics: 0,
            checked: false,
            large: 0,
        };
        assert!(layout.total().is_err());
    }

    #[test]
    fn layouts_survive_the_way_and_those_of_other_libraries_are_refused() {
        let layout = Layout {
            pes: 2,
            roster: 8192,
            control: 4096,
            ceiling: HUGE_PAGE,
            statics: 4096,
            checked: true,
            large: HUGE_PAGE,
        };
        let bytes = layout.encode();
        assert_eq!(Layout::decode(&bytes, 2, 4096).unwrap(), layout);
        assert!(Layout::decode(&bytes, 3, 4096).is_err() && Layout::decode(&bytes, 2, 8192).is_err());
    }

    #[test]
    fn heaps_begin_at_multiples_of_the_large_page() {
        let layout = Layout {
            pes: 3,
            roster: 8192,
            control: 4096,
            ceiling: 3 << 30,
            statics: 4096,
            checked: false,
            large: 1 << 30,
        };
        for index in 0..3 {
            assert!(layout.heap_at(index).is_multiple_of(1 << 30) && layout.large_at(index).is_multiple_of(1 << 30));
            let word = layout.large_word_at(index);
            assert!(word >= layout.roster - 4096 && word + 8 <= layout.roster, "the words are behind the roster");
        }
        let small = Layout { large: 0, ..layout };
        assert!(small.heap_at(1) - small.heap_at(0) < layout.heap_at(1) - layout.heap_at(0));
    }
}
