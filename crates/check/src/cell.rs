//! One access in one word.
//!
//! ```text
//! | epoch: 24 | strand: 12 | bytes of the granule: 8 | class: 2 | mark: 1 | write: 1 | site: 16 |
//! ```
//!
//! A word is written and read atomically, so a reader always gets an access that was made, even if another strand writes at the same time.

/// Maximum number of strands on a host. Strand 0 is reserved.
pub const STRANDS: usize = 1 << 12;
/// The last epoch of a strand. All later events count as part of this epoch, so that races are missed rather than invented.
pub const EPOCH_MAX: u32 = (1 << 24) - 1;
/// Maximum number of call sites, including number 0, which stands for an unknown site.
pub const SITES: usize = 1 << 16;

/// How bytes are accessed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// By a load, a store, or a copy.
    Plain = 0,
    /// By an atomic of an integer.
    Integer = 1,
    /// By an atomic of a floating-point number.
    Float = 2,
    /// By a wait, a test or a signal. These do not race with atomics.
    Signal = 3,
}

/// An access of bytes of one granule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// The strand that makes it.
    pub strand: u16,
    /// The strand's epoch at that time.
    pub epoch: u32,
    /// The accessed bytes of the granule, one bit each.
    pub mask: u8,
    /// How the bytes are accessed.
    pub class: Class,
    /// A flag whose meaning depends on the access. Atomic: made by a context of the team of PEs that share memory, which is a domain of its
    /// own. Signal: added, not set. Plain write: the writer has left its clock at the word.
    pub mark: bool,
    /// Whether it changes the bytes.
    pub write: bool,
    /// The call site in the program.
    pub site: u16,
}

impl Access {
    /// The mark of free memory: every access of it is an error. `site` is the site of the free.
    pub const fn freed(site: u16) -> Access {
        Access { strand: 0, epoch: 1, mask: 0xff, class: Class::Plain, mark: false, write: true, site }
    }

    /// Whether this is the mark of free memory.
    pub fn is_freed(self) -> bool {
        self.strand == 0
    }

    /// As one word; never 0.
    pub fn pack(self) -> u64 {
        u64::from(self.epoch.min(EPOCH_MAX)) << 40
            | u64::from(self.strand) << 28
            | u64::from(self.mask) << 20
            | (self.class as u64) << 18
            | u64::from(self.mark) << 17
            | u64::from(self.write) << 16
            | u64::from(self.site)
    }

    /// The access that a word holds, if it holds one.
    #[inline]
    pub fn unpack(word: u64) -> Option<Access> {
        if word == 0 {
            return None;
        }
        let class = match word >> 18 & 3 {
            0 => Class::Plain,
            1 => Class::Integer,
            2 => Class::Float,
            _ => Class::Signal,
        };
        Some(Access {
            epoch: (word >> 40) as u32,
            strand: (word >> 28) as u16 & (STRANDS as u16 - 1),
            mask: (word >> 20) as u8,
            class,
            mark: word >> 17 & 1 == 1,
            write: word >> 16 & 1 == 1,
            site: word as u16,
        })
    }

    /// Whether the two would race if nothing ordered them.
    pub fn conflicts(self, other: Access) -> bool {
        self.mask & other.mask != 0 && (self.write || other.write) && !self.gets_along(other)
    }

    /// Whether the two may happen at the same time because of their classes.
    fn gets_along(self, other: Access) -> bool {
        match (self.class, other.class) {
            (Class::Plain, Class::Plain) => false,
            // A program may wait for the value of a plain put of one element: programs have done that since before there were atomics.
            (Class::Signal, Class::Plain) => !self.write,
            (Class::Plain, Class::Signal) => !other.write,
            (Class::Plain, _) | (_, Class::Plain) => false,
            // A set and an add at the same time race: the final value depends on their order.
            (Class::Signal, Class::Signal) => !(self.write && other.write) || self.mark == other.mark,
            (Class::Signal, _) | (_, Class::Signal) => true,
            (one, another) => one == another && self.mask == other.mask && self.mark == other.mark,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(class: Class, write: bool) -> Access {
        Access { strand: 3, epoch: 5, mask: 0x0f, class, mark: false, write, site: 7 }
    }

    #[test]
    fn a_word_holds_all_of_an_access() {
        for class in [Class::Plain, Class::Integer, Class::Float, Class::Signal] {
            for (write, mark) in [(false, false), (true, false), (true, true)] {
                let one = Access { strand: 4095, epoch: EPOCH_MAX, mask: 0x81, class, mark, write, site: 65535 };
                assert_eq!(Access::unpack(one.pack()), Some(one));
            }
        }
        assert_eq!(Access::unpack(0), None);
        assert!(Access::freed(0).pack() != 0 && Access::unpack(Access::freed(9).pack()).unwrap().is_freed());
    }

    #[test]
    fn conflicting_access_classes_race() {
        use Class::{Float, Integer, Plain, Signal};
        for (one, other, races) in [
            ((Plain, true), (Plain, false), true),
            ((Plain, false), (Plain, false), false),
            ((Integer, true), (Integer, true), false),
            ((Integer, true), (Float, true), true),
            ((Integer, false), (Plain, false), false),
            ((Integer, false), (Plain, true), true),
            ((Signal, false), (Integer, true), false),
            ((Signal, false), (Plain, true), false),
            ((Signal, true), (Plain, true), true),
            ((Signal, true), (Plain, false), true),
        ] {
            let (a, b) = (access(one.0, one.1), access(other.0, other.1));
            assert_eq!((a.conflicts(b), b.conflicts(a)), (races, races), "{one:?} {other:?}");
        }
        let narrow = access(Integer, true);
        assert!(narrow.conflicts(Access { mask: 0xff, ..narrow }), "words of different width");
        assert!(narrow.conflicts(Access { mark: true, ..narrow }), "two domains");
        assert!(!narrow.conflicts(Access { mask: 0xf0, class: Plain, ..narrow }), "other bytes");
        let (set, add) = (access(Signal, true), Access { mark: true, ..access(Signal, true) });
        assert!(set.conflicts(add) && !set.conflicts(set) && !add.conflicts(add), "a signal is set or added to");
        assert!(!add.conflicts(access(Signal, false)), "and waited for in both cases");
    }
}
