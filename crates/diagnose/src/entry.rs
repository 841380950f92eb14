//! One call of a collective, as far as all members of a team must agree on it.

use std::fmt;

/// What a collective does. Routines of one kind may meet each other: those of other types of the same size, and those of other languages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum EntryKind {
    /// A barrier or a synchronisation.
    Barrier = 1,
    /// One member's elements to all.
    Broadcast,
    /// All members' elements to all; they may differ in number.
    Collect,
    /// The same, of one number.
    Fcollect,
    /// A block from each member to each.
    Alltoall,
    /// Blocks that differ in length.
    Alltoallv,
    /// A reduction.
    Reduce,
    /// A prefix sum.
    Scan,
    /// Memory of the symmetric heap.
    Allocate,
    /// Gives it back.
    Free,
    /// Changes its size.
    Reallocate,
    /// Makes teams.
    Split,
    /// Ends a team.
    Destroy,
    /// The end of the library's use.
    Finalize,
    /// A meeting of the library's own.
    Meeting,
}

/// Which members a member needs before it can leave a collective.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Needs {
    /// All of them.
    All,
    /// The root, for certain; others may pass its data on.
    Root,
    /// Those of lower rank.
    Lower,
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

    /// Whom a member waits for in it.
    pub fn needs(self) -> Needs {
        match self {
            EntryKind::Broadcast => Needs::Root,
            EntryKind::Scan => Needs::Lower,
            _ => Needs::All,
        }
    }
}

/// One call: what all members must have the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// What it does.
    pub kind: EntryKind,
    /// The root's rank in the team, of a broadcast; else 0.
    pub root: u32,
    /// Bytes: of each member's part, or of an allocation. 0 where members may differ.
    pub bytes: u64,
}

impl Entry {
    /// A call that has neither root nor size.
    #[inline(always)]
    pub const fn bare(kind: EntryKind) -> Entry {
        Entry { kind, root: 0, bytes: 0 }
    }

    /// A call of so many bytes.
    #[inline(always)]
    pub const fn sized(kind: EntryKind, bytes: usize) -> Entry {
        Entry { kind, root: 0, bytes: bytes as u64 }
    }

    /// Kind and root in one word.
    #[inline(always)]
    pub(crate) const fn what(self) -> u64 {
        self.kind as u64 | (self.root as u64) << 8
    }

    /// What two words say; `None` if nothing was written there.
    pub(crate) fn of_words(what: u64, bytes: u64) -> Option<Entry> {
        Some(Entry { kind: EntryKind::of(what as u8)?, root: (what >> 8) as u32, bytes })
    }

    /// The arguments, as a program would write them: empty if there are none of interest.
    pub fn arguments(&self) -> String {
        match self.kind {
            EntryKind::Broadcast => format!("{} bytes from PE_root {}", self.bytes, self.root),
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
            EntryKind::Broadcast => write!(f, "a broadcast of {bytes} bytes from PE_root {}", self.root),
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
            EntryKind::Destroy => f.write_str("the end of a team"),
            EntryKind::Finalize => f.write_str("shmem_finalize"),
            EntryKind::Meeting => f.write_str("a meeting of the library's own"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_survive_their_words() {
        for kind in EntryKind::ALL {
            let call = Entry { kind, root: 0xffff_fffe, bytes: u64::MAX };
            assert_eq!(Entry::of_words(call.what(), call.bytes), Some(call));
        }
        assert_eq!(Entry::of_words(0, 7), None);
        assert_eq!(Entry::of_words(16, 7), None);
    }
}
