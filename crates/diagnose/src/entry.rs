//! One call of a collective: the part that must be the same on all members of a team.

use std::fmt;

/// The function of a collective. Routines of one kind may meet each other: routines for other types of the same size, and routines of other
/// languages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum EntryKind {
    /// A barrier or a synchronisation.
    Barrier = 1,
    /// One member sends its elements to all.
    Broadcast,
    /// Every member sends its elements to all; their numbers may differ.
    Collect,
    /// A collect of the same number of elements from each member.
    Fcollect,
    /// Each member sends a block to each member.
    Alltoall,
    /// An all-to-all with blocks of different lengths.
    Alltoallv,
    /// A reduction.
    Reduce,
    /// A prefix reduction, inclusive or exclusive.
    Scan,
    /// An allocation of memory in the symmetric heap.
    Allocate,
    /// A release of memory in the symmetric heap.
    Free,
    /// A change of an allocation's size.
    Reallocate,
    /// The creation of teams.
    Split,
    /// The destruction of a team.
    Destroy,
    /// The finalization of the library.
    Finalize,
    /// A synchronisation of the library itself.
    Meeting,
}

impl EntryKind {
    const ALL: [EntryKind; 15] = [
        EntryKind::Barrier,
        EntryKind::Broadcast,
        EntryKind::Collect,
        EntryKind::Fcollect,
        EntryKind::Alltoall,
        EntryKind::Alltoallv,
        EntryKind::Reduce,
        EntryKind::Scan,
        EntryKind::Allocate,
        EntryKind::Free,
        EntryKind::Reallocate,
        EntryKind::Split,
        EntryKind::Destroy,
        EntryKind::Finalize,
        EntryKind::Meeting,
    ];

    fn of(number: u8) -> Option<EntryKind> {
        EntryKind::ALL.get(usize::from(number).checked_sub(1)?).copied()
    }
}

/// Number of call numbers that a word can distinguish.
pub const NUMBERS: u64 = 1 << 8;
/// Number of roots that a word can distinguish, and the bits that it has for the bytes beside a root.
const ROOTS: u64 = 1 << 16;
const BYTES_BITS: u32 = 36;

/// One call: the properties that all members must have in common.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The function of the collective.
    pub kind: EntryKind,
    /// Rank of the root in the team, for a broadcast; otherwise 0.
    pub root: u32,
    /// Size in bytes of each member's part, or of an allocation. 0 if it may differ between members.
    pub bytes: u64,
}

impl Entry {
    /// A call that has neither root nor size.
    #[inline(always)]
    pub const fn bare(kind: EntryKind) -> Entry {
        Entry { kind, root: 0, bytes: 0 }
    }

    /// A call without a root whose size is `bytes`.
    #[inline(always)]
    pub const fn sized(kind: EntryKind, bytes: usize) -> Entry {
        Entry { kind, root: 0, bytes: bytes as u64 }
    }

    /// Whether member `me` of a team of `members` cannot leave the call before member `rank` has come. For a broadcast that is certain only
    /// of the root, since others may pass its data on. In a team with more members than a word can distinguish, it is certain of no member.
    pub fn needs(self, me: u32, rank: u32, members: u32) -> bool {
        rank != me
            && match self.kind {
                EntryKind::Broadcast => rank == self.root && u64::from(members) <= ROOTS,
                EntryKind::Scan => rank < me,
                _ => true,
            }
    }

    /// The whole call in one word. From the lowest bit on it has 8 bits of the call's number in the team, 4 of the kind, and 52 of the
    /// bytes; for a broadcast, 36 of the bytes and 16 of the root. Higher bits are lost: calls that differ only in those count as the same.
    #[inline(always)]
    pub const fn word(self, number: u64) -> u64 {
        let what = match self.kind {
            EntryKind::Broadcast => (self.bytes & ((1 << BYTES_BITS) - 1)) | ((self.root as u64) << BYTES_BITS),
            _ => self.bytes,
        };
        (number % NUMBERS) | ((self.kind as u64) << 8) | (what << 12)
    }

    /// The last bits of the number and the call in a word; `None` if the word does not encode a collective.
    pub fn of_word(word: u64) -> Option<(u64, Entry)> {
        let kind = EntryKind::of((word >> 8) as u8 & 15)?;
        let what = word >> 12;
        let (root, bytes) = match kind {
            EntryKind::Broadcast => ((what >> BYTES_BITS) as u32, what & ((1 << BYTES_BITS) - 1)),
            _ => (0, what),
        };
        Some((word % NUMBERS, Entry { kind, root, bytes }))
    }

    /// A word for another call than a collective, with a number of bytes.
    #[inline(always)]
    pub(crate) const fn no_word(bytes: u64) -> u64 {
        bytes << 12
    }

    /// The bytes in a word that [`Entry::no_word`] has made.
    pub(crate) const fn bytes_of_no_word(word: u64) -> u64 {
        word >> 12
    }

    /// The arguments as a program would write them; empty if none are of interest.
    pub fn arguments(&self) -> String {
        match self.kind {
            EntryKind::Broadcast => format!("{} bytes from root {}", self.bytes, self.root),
            EntryKind::Fcollect | EntryKind::Alltoall | EntryKind::Reduce | EntryKind::Scan => {
                format!("{} bytes", self.bytes)
            }
            EntryKind::Allocate | EntryKind::Reallocate => self.bytes.to_string(),
            _ => String::new(),
        }
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.bytes;
        match self.kind {
            EntryKind::Barrier => f.write_str("a barrier"),
            EntryKind::Broadcast => write!(f, "a broadcast of {bytes} bytes from root {}", self.root),
            EntryKind::Collect => f.write_str("a collect"),
            EntryKind::Fcollect => write!(f, "an fcollect of {bytes} bytes"),
            EntryKind::Alltoall => write!(f, "an alltoall of {bytes} bytes"),
            EntryKind::Alltoallv => f.write_str("an alltoallv"),
            EntryKind::Reduce => write!(f, "a reduction of {bytes} bytes"),
            EntryKind::Scan => write!(f, "a scan of {bytes} bytes"),
            EntryKind::Allocate => write!(f, "an allocation of {bytes} bytes"),
            EntryKind::Free => f.write_str("a free"),
            EntryKind::Reallocate => write!(f, "a reallocation to {bytes} bytes"),
            EntryKind::Split => f.write_str("a split"),
            EntryKind::Destroy => f.write_str("the destruction of a team"),
            EntryKind::Finalize => f.write_str("finalize"),
            EntryKind::Meeting => f.write_str("a synchronisation inside the library"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_survive_their_words() {
        for kind in EntryKind::ALL {
            let root = if kind == EntryKind::Broadcast { 65_535 } else { 0 };
            for bytes in [0, 8, (1 << BYTES_BITS) - 1] {
                let call = Entry { kind, root, bytes };
                assert_eq!(Entry::of_word(call.word(70_000)), Some((70_000 % NUMBERS, call)));
            }
        }
        let large = Entry { kind: EntryKind::Broadcast, root: 65_537, bytes: (1 << BYTES_BITS) + 5 };
        assert_eq!(
            Entry::of_word(large.word(1)),
            Some((1, Entry { root: 1, bytes: 5, ..large })),
            "no part spills into another"
        );
        assert_eq!((Entry::of_word(0), Entry::of_word(Entry::no_word(7))), (None, None));
    }

    #[test]
    fn whom_a_member_needs() {
        let root = Entry { root: 3, ..Entry::sized(EntryKind::Broadcast, 8) };
        assert_eq!([root.needs(1, 3, 4), root.needs(3, 1, 4), root.needs(3, 3, 4)], [true, false, false]);
        assert!(!root.needs(1, 3, 65_537), "it may be another one");
        let scan = Entry::sized(EntryKind::Scan, 8);
        assert_eq!([scan.needs(1, 0, 3), scan.needs(1, 2, 3)], [true, false]);
    }
}
