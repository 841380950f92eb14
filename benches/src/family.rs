//! The families: groups of measurements, each selected by one word.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// A group of measurements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
#[value(rename_all = "lowercase")]
pub enum Family {
    /// put and quiet: the time of small ones, the bandwidth of large ones
    Put,
    /// get: the same
    Get,
    /// p to one word after the other
    P,
    /// g of one word after the other
    G,
    /// many small non-blocking puts and adds: how many a second
    Nbi,
    /// windows of large non-blocking puts and gets: bandwidth one way and both ways
    Stream,
    /// iput and iget
    Strided,
    /// atomics at one word: the time of each, and the rate when all PEs want it
    Atomics,
    /// messages to and fro: p, put and flag, put with signal, each with its wait
    Signal,
    /// what quiet guarantees, by a litmus test
    Order,
    /// static data beside the heap
    Statics,
    /// barrier_all and sync_all
    Barrier,
    /// collectives of active sets: reduction, broadcast, collect, alltoall
    Collectives,
    /// collectives of teams, and the split of a team
    Teams,
    /// malloc and free of symmetric memory
    Malloc,
    /// locks, wanted by one PE and by all
    Locks,
    /// whole jobs that do nothing: start and end
    Start,
    /// how much of a non-blocking put is done while the program computes
    Overlap,
    /// messages to and fro while other PEs compute on the same cores
    Crowded,
    /// operations at a PE that computes and calls nothing
    Away,
    /// small operations by more and more threads of one PE, by kinds of contexts
    Threads,
    /// whole programs: GUPS, sort, heat, histogram, index gather, transpose, BFS
    Applications,
}

impl Family {
    pub fn all() -> &'static [Self] {
        Self::value_variants()
    }

    /// The name on the command line.
    pub fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// The help text of the family.
    pub fn about(self) -> String {
        let value = self.to_possible_value();
        value.and_then(|value| value.get_help().map(ToString::to_string)).unwrap_or_default()
    }
}
