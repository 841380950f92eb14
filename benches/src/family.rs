//! The families: groups of measurements, each selected by one word.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// A group of measurements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
#[value(rename_all = "lowercase")]
pub enum Family {
    /// put and quiet: time of small puts, bandwidth of large ones
    Put,
    /// get: time of small gets, bandwidth of large ones
    Get,
    /// p to successive words
    P,
    /// g of successive words
    G,
    /// rate of small non-blocking puts and adds
    Nbi,
    /// windows of large non-blocking puts and gets: bandwidth in one direction and in both
    Stream,
    /// iput and iget
    Strided,
    /// atomics on one word: time of each, and rate when all PEs use it
    Atomics,
    /// ping-pong: p, put and flag, put with signal, each with its wait
    Signal,
    /// litmus test of the guarantees of quiet
    Order,
    /// p, put, get and fetch_add on static data, compared with the heap
    Statics,
    /// barrier_all and sync_all
    Barrier,
    /// collectives of active sets: reduction, broadcast, collect, alltoall
    Collectives,
    /// collectives of teams, and the split of a team
    Teams,
    /// malloc and free of symmetric memory
    Malloc,
    /// locks, taken by one PE and by all at once
    Locks,
    /// start and end of jobs that do nothing
    Start,
    /// part of a non-blocking put that is done while the program computes
    Overlap,
    /// ping-pong while other PEs compute on the same cores
    Crowded,
    /// operations on a PE that computes without calling the library
    Away,
    /// small operations by a growing number of threads of one PE, by kind of context
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
