//! The kernel's pools of large pages (hugetlb), and the page size that heaps take from them.
//!
//! A pool has pages that are free, and may grow on demand (`nr_overcommit_hugepages`). Either is the administrator's decision. A page of a
//! pool belongs to its file from the reservation on, so it is taken for heaps that fill it only: the first [`head`] bytes of a heap, and
//! everything after the pool is used up, are on pages of ordinary shared memory.

use super::cgroup::Reader;
use std::{fmt, fs};

/// Size of the page that the heaps ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LargePages {
    /// 2 MiB where the host has them.
    #[default]
    Auto,
    /// 2 MiB. If the host has none, a message reports it.
    Mib2,
    /// 1 GiB, or else 2 MiB. If the host has none, a message reports it.
    Gib1,
    /// None: the heap stays on pages of the base size.
    Off,
}

impl LargePages {
    /// Parse the value of a setting.
    pub fn parse(text: &str) -> Option<LargePages> {
        match text.to_ascii_lowercase().as_str() {
            "auto" => Some(LargePages::Auto),
            "2m" => Some(LargePages::Mib2),
            "1g" => Some(LargePages::Gib1),
            "off" => Some(LargePages::Off),
            _ => None,
        }
    }

    /// Size of the pages that were asked for in so many bytes; 0 if the library chooses.
    pub fn asked(self) -> u64 {
        if self == LargePages::Auto { 0 } else { self.sizes().first().copied().unwrap_or(0) }
    }

    /// Page sizes of the pools to try, best first.
    fn sizes(self) -> &'static [u64] {
        match self {
            LargePages::Auto | LargePages::Mib2 => &[2 << 20],
            LargePages::Gib1 => &[1 << 30, 2 << 20],
            LargePages::Off => &[],
        }
    }
}

/// The pool of one page size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pool {
    /// Size of its pages in bytes.
    pub page: u64,
    /// Number of free pages without a reservation.
    pub free: u64,
    /// Number of pages by which it may still grow.
    pub on_demand: u64,
}

impl Pool {
    /// Read the pool of pages of `page` bytes.
    pub fn read(page: u64) -> Pool {
        Pool::read_from(&|path| fs::read_to_string(path).ok(), page)
    }

    /// [`read`](Pool::read) over any files. A kernel without such pages has an empty pool.
    pub fn read_from(read: Reader<'_>, page: u64) -> Pool {
        let number = |name: &str| {
            let text = read(&format!("/sys/kernel/mm/hugepages/hugepages-{}kB/{name}", page / 1024));
            text.and_then(|text| text.trim().parse::<u64>().ok()).unwrap_or(0)
        };
        Pool {
            page,
            free: number("free_hugepages").saturating_sub(number("resv_hugepages")),
            on_demand: number("nr_overcommit_hugepages").saturating_sub(number("surplus_hugepages")),
        }
    }

    /// True if it has no page and may not grow.
    pub fn is_empty(&self) -> bool {
        self.free == 0 && self.on_demand == 0
    }
}

impl fmt::Display for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} free, {} more on demand", self.free, self.on_demand)
    }
}

/// The pool that heaps use, if the host has one.
pub fn choose(wish: LargePages) -> Option<Pool> {
    choose_from(&|path| fs::read_to_string(path).ok(), wish)
}

/// [`choose`] over any files.
pub fn choose_from(read: Reader<'_>, wish: LargePages) -> Option<Pool> {
    wish.sizes().iter().map(|&page| Pool::read_from(read, page)).find(|pool| !pool.is_empty())
}

/// Number of bytes at the start of each heap that never use pages of `page` bytes: one page, so that a small heap takes none.
pub fn head(page: usize) -> usize {
    page
}

/// The part of a heap that is on large pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Offset of its end in the heap. It begins at [`head`].
    pub end: usize,
    /// True if it grows no more.
    pub is_final: bool,
}

impl Extent {
    /// The extent as a word. 0 is a heap that has not grown beyond its head.
    pub fn pack(self) -> u64 {
        self.end as u64 | u64::from(self.is_final)
    }

    /// The extent that a word stands for, in a heap with pages of `page` bytes, which is an even number.
    pub fn unpack(word: u64, page: usize) -> Extent {
        Extent { end: (word as usize & !1).max(head(page)), is_final: word & 1 == 1 }
    }

    /// End of the part that has to be on large pages before the first `len` bytes of a heap with `reserve` bytes are used. `None` if nothing
    /// has to be reserved.
    pub fn wanted(self, len: usize, reserve: usize, page: usize) -> Option<usize> {
        let end = len.next_multiple_of(page).min(most(reserve, page));
        (!self.is_final && len > head(page) && end > self.end).then_some(end)
    }
}

/// Greatest possible end of the part of a heap with `reserve` bytes that is on large pages.
pub fn most(reserve: usize, page: usize) -> usize {
    (reserve / page * page).max(head(page))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    const MIB: usize = 1 << 20;

    /// The choice on a host with these pools: page size in KiB, free, reserved, overcommit, surplus.
    fn chosen(wish: LargePages, pools: &[(u64, [u64; 4])]) -> Option<Pool> {
        let names = ["free_hugepages", "resv_hugepages", "nr_overcommit_hugepages", "surplus_hugepages"];
        let files: HashMap<String, String> = pools
            .iter()
            .flat_map(|(kib, numbers)| {
                let path = move |name| format!("/sys/kernel/mm/hugepages/hugepages-{kib}kB/{name}");
                names.into_iter().zip(numbers).map(move |(name, number)| (path(name), format!("{number}\n")))
            })
            .collect();
        choose_from(&|path| files.get(path).cloned(), wish)
    }

    #[test]
    fn pool_of_the_wished_size_is_chosen_if_it_can_give_a_page() {
        let (small, large) = (2048, 1 << 20);
        let pool = |page: u64, free, on_demand| Some(Pool { page: page << 10, free, on_demand });
        for (wish, pools, choice) in [
            (LargePages::Auto, &[(small, [8, 0, 0, 0])][..], pool(small, 8, 0)),
            (LargePages::Auto, &[(small, [0, 0, 16, 4])], pool(small, 0, 12)),
            (LargePages::Auto, &[(small, [8, 8, 0, 0])], None),
            (LargePages::Auto, &[(small, [0, 0, 4, 4])], None),
            (LargePages::Auto, &[(large, [8, 0, 0, 0])], None),
            (LargePages::Auto, &[], None),
            (LargePages::Mib2, &[(small, [3, 1, 0, 0]), (large, [1, 0, 0, 0])], pool(small, 2, 0)),
            (LargePages::Gib1, &[(small, [3, 1, 0, 0]), (large, [1, 0, 0, 0])], pool(large, 1, 0)),
            (LargePages::Gib1, &[(small, [3, 1, 0, 0]), (large, [0, 0, 0, 0])], pool(small, 2, 0)),
            (LargePages::Off, &[(small, [8, 0, 8, 0]), (large, [1, 0, 0, 0])], None),
        ] {
            assert_eq!(chosen(wish, pools), choice, "{wish:?} of {pools:?}");
        }
    }

    #[test]
    fn words_name_page_sizes() {
        for (word, wish) in [
            ("auto", Some(LargePages::Auto)),
            ("2M", Some(LargePages::Mib2)),
            ("1g", Some(LargePages::Gib1)),
            ("off", Some(LargePages::Off)),
            ("4k", None),
            ("on", None),
        ] {
            assert_eq!(LargePages::parse(word), wish, "{word}");
        }
    }

    #[test]
    fn small_heaps_want_no_large_page() {
        let page = 2 * MIB;
        let fresh = Extent::unpack(0, page);
        assert_eq!(fresh, Extent { end: page, is_final: false });
        for (extent, len, reserve, wanted) in [
            (fresh, 0, 64 * MIB, None),
            (fresh, 2 * MIB, 64 * MIB, None),
            (fresh, 2 * MIB + 1, 64 * MIB, Some(4 * MIB)),
            (fresh, 64 * MIB, 64 * MIB, Some(64 * MIB)),
            (fresh, 2 * MIB, 2 * MIB, None),
            // The reserved pages suffice.
            (Extent { end: 8 * MIB, is_final: false }, 8 * MIB, 64 * MIB, None),
            (Extent { end: 8 * MIB, is_final: false }, 9 * MIB, 64 * MIB, Some(10 * MIB)),
            // The pool is used up.
            (Extent { end: 8 * MIB, is_final: true }, 9 * MIB, 64 * MIB, None),
        ] {
            assert_eq!(extent.wanted(len, reserve, page), wanted, "{extent:?}, {len} of {reserve}");
            assert_eq!(Extent::unpack(extent.pack(), page), extent);
        }
    }

    #[test]
    fn last_part_of_a_heap_that_fills_no_page_is_on_small_pages() {
        let page = 1 << 30;
        let fresh = Extent::unpack(0, page);
        assert_eq!(fresh.wanted(3 << 30, (3 << 30) + 2 * MIB, page), Some(3 << 30));
        assert_eq!(fresh.wanted((3 << 30) + 2 * MIB, (3 << 30) + 2 * MIB, page), Some(3 << 30));
        assert_eq!(fresh.wanted(512 * MIB, 512 * MIB, page), None);
        assert_eq!(most(512 * MIB, page), page);
    }
}
