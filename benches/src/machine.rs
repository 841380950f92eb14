//! The machine on which a result was measured.

use std::fmt;
use std::fs;
use std::thread;

use serde::{Deserialize, Serialize};

use crate::cores::Cores;

/// The machine, as far as it explains the numbers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Machine {
    /// The processor's name.
    pub processor: String,
    /// Cores that this process may use: as many PEs can be pinned.
    pub cores: u32,
    /// Their hardware threads: so many PEs run at a time.
    pub threads: u32,
    /// Whether this is a virtual machine.
    pub virtual_machine: bool,
    /// The kernel's release.
    pub kernel: String,
    /// The distribution.
    pub system: String,
    /// Processes that wanted to run in the last minute, on average: more than about 0.5 disturbs.
    pub load: f64,
}

impl Machine {
    /// Looks at this machine. What cannot be read is left empty: it is a description, not a condition.
    pub fn here() -> Self {
        let (cpuinfo, threads) = (read("/proc/cpuinfo"), threads());
        let first = |key: &str, separator: char, text: &str| {
            let line = text.lines().find(|line| line.starts_with(key)).unwrap_or_default();
            line.split_once(separator).map_or("", |(_, value)| value).trim().trim_matches('"').to_owned()
        };
        Self {
            processor: first("model name", ':', &cpuinfo),
            cores: cores(threads),
            threads,
            virtual_machine: first("flags", ':', &cpuinfo).split(' ').any(|flag| flag == "hypervisor"),
            kernel: read("/proc/sys/kernel/osrelease").trim().to_owned(),
            system: first("PRETTY_NAME", '=', &read("/etc/os-release")),
            load: load(),
        }
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.virtual_machine { " (virtual)" } else { "" };
        let Self { processor, cores, threads, kernel, system, load, .. } = self;
        write!(f, "{processor}, {cores} cores, {threads} hardware threads{kind}, ")?;
        write!(f, "Linux {kernel}, {system}, load {load:.2}")
    }
}

/// Hardware threads that this process may use; fewer where a control group limits its time.
fn threads() -> u32 {
    thread::available_parallelism().map_or(1, |n| u32::try_from(n.get()).unwrap_or(u32::MAX))
}

/// The cores that so many threads can be on.
fn cores(threads: u32) -> u32 {
    u32::try_from(Cores::here().count()).unwrap_or(threads).clamp(1, threads)
}

/// The load average of the last minute.
pub fn load() -> f64 {
    read("/proc/loadavg").split(' ').next().and_then(|first| first.parse().ok()).unwrap_or(0.0)
}

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_and_their_threads_are_told_apart() {
        let mut machine = Machine::here();
        assert!((1..=machine.threads).contains(&machine.cores));
        (machine.cores, machine.threads) = (64, 128);
        assert!(machine.to_string().contains(", 64 cores, 128 hardware threads"), "{machine}");
    }
}
