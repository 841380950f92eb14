//! The board: everything that a PE publishes about itself.
//!
//! The boards of a host's PEs lie side by side in memory that all of them map. It is a file of the launcher, which reads it itself and
//! keeps it when the PEs are dead; or else the memory that the PEs share anyway. Zeros are an empty board.

use crate::{
    record::Records,
    ring::{Past, Ring, What},
    status::Status,
    text::Text,
};
use std::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Release},
};

/// Teams that a PE can be in at once.
pub const TEAMS: usize = 1024;
/// Routines that have a name.
pub const NAMES: usize = 1024;

/// Number of this layout; each released layout has its own. A static program keeps the layout it was built with.
const LAYOUT: u64 = 2;

/// The board of one PE.
#[repr(C, align(4096))]
#[derive(Debug)]
pub struct Board {
    /// Set by the launcher in the boards that it makes.
    layout: AtomicU64,
    /// Present state of the PE.
    pub status: Status,
    /// Its last calls.
    pub ring: Ring,
    /// The collectives that it has called in its teams, by the teams' slots.
    pub records: [Records; TEAMS],
    names: [Text<6>; NAMES],
    carrier: Text<64>,
}

impl Default for Board {
    fn default() -> Self {
        Board {
            layout: AtomicU64::new(0),
            status: Status::default(),
            ring: Ring::default(),
            records: std::array::from_fn(|_| Records::default()),
            names: std::array::from_fn(|_| Text::default()),
            carrier: Text::default(),
        }
    }
}

impl Board {
    /// Mark the board as made by the launcher, for a PE that knows this layout.
    pub fn open(&self) {
        self.layout.store(LAYOUT, Release);
    }

    /// Whether the board was made by a launcher that reads this layout.
    pub fn is_open(&self) -> bool {
        self.layout.load(Acquire) == LAYOUT
    }

    /// Set the name of routine `number`. Call this before the number is used.
    pub fn name(&self, number: u16, name: &str) {
        if let Some(text) = self.names.get(usize::from(number)) {
            text.set(name);
        }
    }

    /// Set the line about what carries the PE's traffic.
    pub fn set_carrier(&self, line: &str) {
        self.carrier.set(line);
    }

    /// The line about what carries the PE's traffic; empty if the PE has published none.
    pub fn carrier(&self) -> String {
        self.carrier.get()
    }

    /// The last calls as the program would write them, the oldest first. A repeated call is listed once, with the number of repetitions.
    /// The wait of a routine before it begins its collective is not listed as a call of its own.
    pub fn past(&self) -> Vec<String> {
        let mut told: Vec<(Past, u32)> = Vec::new();
        for past in self.ring.read() {
            let is_collective = matches!(past.what, What::Collective(..));
            told.pop_if(|(last, _)| is_collective && *last == Past { what: What::Other(None, 0), ..past });
            match told.last_mut().filter(|(last, _)| *last == past) {
                Some((_, times)) => *times += 1,
                None => told.push((past, 1)),
            }
        }
        let times = |times| if times == 1 { String::new() } else { format!(", {times} times") };
        told.into_iter().map(|(past, count)| self.in_words(past) + &times(count)).collect()
    }

    fn in_words(&self, past: Past) -> String {
        let name = self.names.get(usize::from(past.routine)).map(Text::get).filter(|name| !name.is_empty());
        let name = name.unwrap_or_else(|| "a routine".to_owned());
        match past.what {
            What::Collective(slot, entry) => {
                let arguments = entry.arguments();
                let arguments = if arguments.is_empty() { arguments } else { format!("({arguments})") };
                let team = if slot == 0 { String::new() } else { format!(" of team {slot}") };
                format!("{name}{arguments}{team}")
            }
            What::Other(None, 0) => name,
            What::Other(None, bytes) => format!("{name}({bytes} bytes)"),
            What::Other(Some(pe), 0) => format!("{name}(PE {pe})"),
            What::Other(Some(pe), bytes) => format!("{name}({bytes} bytes, PE {pe})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::{Entry, EntryKind};

    #[test]
    fn calls_are_printed_as_the_program_writes_them() {
        let board = Board::default();
        for (number, name) in [(1, "shmem_barrier_all"), (2, "shmem_long_put"), (3, "shmem_malloc")] {
            board.name(number, name);
        }
        board.ring.collective(3, 0, Entry::sized(EntryKind::Allocate, 4096).word(1));
        (0..3).for_each(|_| board.ring.other(2, Some(7), 800));
        for number in 2..4 {
            board.ring.other(1, None, 0);
            board.ring.collective(1, 0, Entry::bare(EntryKind::Barrier).word(number));
        }
        board.ring.collective(9, 4, Entry::bare(EntryKind::Barrier).word(4));
        assert_eq!(
            board.past(),
            [
                "shmem_malloc(4096)",
                "shmem_long_put(800 bytes, PE 7), 3 times",
                "shmem_barrier_all, 2 times",
                "a routine of team 4"
            ]
        );
    }
}
