//! The cpus on which each PE of a run may be scheduled.
//!
//! Each program prints them when it starts. They show whether a run was pinned as it should be.

use std::collections::{BTreeMap, BTreeSet};

use ferrite_topology::CpuSet;
use serde::{Serialize, Serializer};

use crate::cores::Cores;

/// The host and the cpus on which one PE may run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Affinity {
    pub host: String,
    /// The cpus on which the PE may run there.
    #[serde(serialize_with = "as_list")]
    pub cpus: CpuSet,
}

/// Write the set as a list, in the kernel's form.
fn as_list<S: Serializer>(cpus: &CpuSet, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(cpus)
}

/// The affinities of a run's PEs, by PE; empty if the program does not print them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Affinities(BTreeMap<u32, Affinity>);

impl Affinities {
    /// Read the lines `affinity PE HOST CPUS`; other lines are ignored.
    pub fn parse(output: &str) -> Result<Self, String> {
        let affinity = |line: &str| {
            let words: Vec<&str> = line.split_ascii_whitespace().collect();
            let [_, pe, host, cpus] = words[..] else { return None };
            let cpus: CpuSet = cpus.parse().ok()?;
            Some((pe.parse().ok()?, Affinity { host: host.to_owned(), cpus }))
        };
        let lines = output.lines().filter(|line| line.starts_with("affinity "));
        let read = |line: &str| affinity(line).ok_or_else(|| format!("'{line}' is not 'affinity PE HOST CPUS'"));
        lines.map(read).collect::<Result<_, _>>().map(Self)
    }

    /// True if no affinity is known.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The cpus of each PE, in the form that the programs without SHMEM expect: `0,64;1,65`.
    pub fn cpus(&self) -> String {
        self.0.values().map(|affinity| affinity.cpus.to_string()).collect::<Vec<_>>().join(";")
    }

    /// Say why a run is not pinned to one core per PE on one host; `None` if it is, or if its affinities are not known.
    pub fn not_pinned(&self, cores: &Cores) -> Option<String> {
        let hosts: BTreeSet<&str> = self.0.values().map(|affinity| affinity.host.as_str()).collect();
        if hosts.len() > 1 {
            return Some(format!("its PEs were on hosts {}", hosts.into_iter().collect::<Vec<_>>().join(", ")));
        }
        let mut taken: BTreeMap<u32, u32> = BTreeMap::new();
        for (&pe, Affinity { cpus, .. }) in &self.0 {
            let mine = cores.of(cpus);
            let (Some(&core), 1) = (mine.first(), mine.len()) else {
                return Some(format!("PE {pe} was not pinned to a core: it had CPUs {cpus}, of {} cores", mine.len()));
            };
            if let Some(other) = taken.insert(core, pe) {
                return Some(format!("PEs {other} and {pe} were pinned to one core, that of CPU {core}"));
            }
        }
        None
    }

    /// Say how these affinities differ from the probed ones; `None` if the cores are the same, or are not known.
    pub fn elsewhere(&self, probed: &Self, cores: &Cores) -> Option<String> {
        if self.is_empty() || probed.is_empty() || self.cores(cores) == probed.cores(cores) {
            return None;
        }
        Some(format!("its PEs were {}, and what was probed is {}", self.shown(), probed.shown()))
    }

    /// The cores of all PEs together, with their hosts.
    fn cores(&self, cores: &Cores) -> BTreeSet<(&str, u32)> {
        let all = self.0.values().map(|affinity| (affinity.host.as_str(), cores.of(&affinity.cpus)));
        all.flat_map(|(host, of)| of.into_iter().map(move |core| (host, core))).collect()
    }

    fn shown(&self) -> String {
        let host = self.0.values().next().map_or("", |affinity| &affinity.host);
        format!("on CPUs {} of {host}", self.cpus())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two cores of two hardware threads each, as most machines number them.
    fn cores() -> Cores {
        Cores::made_of(&["0,2", "1,3"])
    }

    fn affinities(cpus: &[&str]) -> Affinities {
        let line = |(pe, cpus): (usize, &&str)| format!("affinity {pe} here {cpus}\n");
        Affinities::parse(&cpus.iter().enumerate().map(line).collect::<String>()).unwrap()
    }

    #[test]
    fn lines_of_places_are_read_and_damaged_ones_refused() {
        let read =
            Affinities::parse("bench put 8 1 ns\naffinity 1 here 1,3\naffinitys\naffinity 0 here 0,2\n").unwrap();
        assert_eq!(read, affinities(&["0,2", "1,3"]));
        assert_eq!(read.cpus(), "0,2;1,3");
        assert!(Affinities::parse("nothing").unwrap().is_empty());
        for line in ["affinity ", "affinity 0 here", "affinity 0 here x", "affinity x here 0", "affinity 0 here 0 more"]
        {
            assert!(Affinities::parse(line).is_err(), "{line}");
        }
    }

    #[test]
    fn a_core_of_two_hardware_threads_is_pinned_and_two_cores_are_not() {
        for (cpus, said) in [
            (&["0,2", "1,3"][..], None),
            (&["0", "3"], None),
            (&[], None),
            (&["0-3", "0-3"], Some("PE 0 was not pinned to a core: it had CPUs 0-3, of 2 cores")),
            (&["0,2", "1-2"], Some("PE 1 was not pinned to a core: it had CPUs 1-2, of 2 cores")),
            (&["0", "2"], Some("PEs 0 and 1 were pinned to one core, that of CPU 0")),
        ] {
            assert_eq!(affinities(cpus).not_pinned(&cores()).as_deref(), said, "{cpus:?}");
        }
        let apart = Affinities::parse("affinity 0 a 0\naffinity 1 b 1\n").unwrap();
        assert_eq!(apart.not_pinned(&cores()).unwrap(), "its PEs were on hosts a, b");
    }

    #[test]
    fn the_same_cores_are_the_same_place_whatever_their_threads() {
        let probed = affinities(&["0,2", "1,3"]);
        for (cpus, same) in [(&["3", "0"][..], true), (&["0", "8"], false), (&["0"], false), (&[], true)] {
            assert_eq!(affinities(cpus).elsewhere(&probed, &cores()).is_none(), same, "{cpus:?}");
        }
        let said = affinities(&["0", "8"]).elsewhere(&probed, &cores()).unwrap();
        assert_eq!(said, "its PEs were on CPUs 0;8 of here, and what was probed is on CPUs 0,2;1,3 of here");
        assert!(Affinities::parse("affinity 0 a 0\naffinity 1 a 1\n").unwrap().elsewhere(&probed, &cores()).is_some());
    }
}
