//! Sets of cpus as the kernel lists them, and the cores that cpus belong to.
//!
//! The kernel counts hardware threads: two of them are one core where it has two. They are read as text, which knows no
//! largest number of cpus.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;

use serde::{Serialize, Serializer};

/// More cpus than any kernel counts: a list that names larger ones is damaged.
const CPU_MAX: u32 = 1 << 20;

/// A set of cpus.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cpus(BTreeSet<u32>);

impl Cpus {
    /// Reads `0-3,8`; `None` if it is no such list, or an empty one.
    pub fn parse(list: &str) -> Option<Self> {
        let mut cpus = BTreeSet::new();
        for part in list.trim().split(',') {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
            if first > last || last > CPU_MAX {
                return None;
            }
            cpus.extend(first..=last);
        }
        Some(Self(cpus))
    }

    /// Those that this process may use.
    pub fn allowed() -> Option<Self> {
        let status = fs::read_to_string("/proc/self/status").ok()?;
        let allowed = Self::parse(status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?)?;
        // An unbound process may use cpus that are switched off.
        let online = fs::read_to_string("/sys/devices/system/cpu/online").ok().and_then(|list| Self::parse(&list));
        Some(Self(
            allowed.0.iter().filter(|cpu| online.as_ref().is_none_or(|on| on.0.contains(cpu))).copied().collect(),
        ))
    }
}

impl fmt::Display for Cpus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let starts = self.0.iter().filter(|&&cpu| cpu == 0 || !self.0.contains(&(cpu - 1)));
        for (at, &first) in starts.enumerate() {
            let last = (first..).take_while(|cpu| self.0.contains(cpu)).last().unwrap_or(first);
            let comma = if at == 0 { "" } else { "," };
            if first == last { write!(f, "{comma}{first}")? } else { write!(f, "{comma}{first}-{last}")? }
        }
        Ok(())
    }
}

impl Serialize for Cpus {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Which cpus are one core. A core goes by its first cpu.
#[derive(Clone, Debug, Default)]
pub struct Cores(BTreeMap<u32, u32>);

impl Cores {
    /// Those of the cpus that this process may use.
    pub fn here() -> Self {
        let core = |cpu: u32| {
            let path = format!("/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list");
            let siblings = fs::read_to_string(path).ok().and_then(|list| Cpus::parse(&list));
            (cpu, siblings.and_then(|threads| threads.0.first().copied()).unwrap_or(cpu))
        };
        Self(Cpus::allowed().unwrap_or_default().0.into_iter().map(core).collect())
    }

    /// Cores of these hardware threads, core by core.
    #[cfg(test)]
    pub fn made_of(lists: &[&str]) -> Self {
        let sets = lists.iter().map(|list| Cpus::parse(list).unwrap().0);
        Self(sets.flat_map(|set| set.clone().into_iter().map(move |cpu| (cpu, *set.first().unwrap()))).collect())
    }

    /// The cores of some cpus. One that is not known is a core of its own.
    pub fn of(&self, cpus: &Cpus) -> BTreeSet<u32> {
        cpus.0.iter().map(|cpu| self.0.get(cpu).copied().unwrap_or(*cpu)).collect()
    }

    /// How many they are.
    pub fn count(&self) -> usize {
        self.0.values().collect::<BTreeSet<_>>().len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lists_as_the_kernel_writes_them() {
        for list in ["0", "0-3", "0,64", "1-2,8,2000-2047"] {
            assert_eq!(Cpus::parse(&format!("\t{list}\n")).unwrap().to_string(), list);
        }
        for list in ["", "a", "3-1", "0,", "-1", "0-4000000000"] {
            assert_eq!(Cpus::parse(list), None, "{list}");
        }
    }

    #[test]
    fn hardware_threads_of_one_core_are_counted_once() {
        assert_eq!(Cores::made_of(&["0-1", "2-3"]).count(), 2);
        assert_eq!(Cores::made_of(&["0", "1"]).count(), 2);
        assert!(Cores::here().count() >= 1);
    }

    proptest! {
        #[test]
        fn what_is_shown_is_read_back(cpus in prop::collection::btree_set(0u32..5000, 1..40)) {
            let cpus = Cpus(cpus);
            prop_assert_eq!(Cpus::parse(&cpus.to_string()), Some(cpus));
        }
    }
}
