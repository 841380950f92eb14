//! The machine on which a result was measured.

use std::fmt;
use std::fs;
use std::thread;

use serde::{Deserialize, Serialize};

use crate::cores::Cores;

/// Description of the machine, as far as it explains the numbers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Machine {
    /// Name of the processor.
    pub processor: String,
    /// Cores that this process may use: the largest number of PEs that can be pinned.
    pub cores: u32,
    /// Hardware threads of these cores: the largest number of PEs that run at the same time.
    pub threads: u32,
    /// Whether this is a virtual machine.
    pub virtual_machine: bool,
    /// Release of the kernel.
    pub kernel: String,
    pub system: String,
    /// Other threads that ran when a run began, on average over the session: more than about 0.5 disturb.
    pub load: f64,
}

impl Machine {
    /// Describe this machine. Files that cannot be read leave their fields empty: this is a description, not a condition.
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
            load: 0.0,
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

/// Hardware threads that this process may use. Fewer if a control group limits its cpu time.
fn threads() -> u32 {
    thread::available_parallelism().map_or(1, |n| u32::try_from(n.get()).unwrap_or(u32::MAX))
}

/// Cores that this many threads can run on.
fn cores(threads: u32) -> u32 {
    u32::try_from(Cores::here().count()).unwrap_or(threads).clamp(1, threads)
}

/// Number of other threads that run or want to. The kernel's load average still has what ended a minute ago.
pub fn others_running() -> u32 {
    running(&read("/proc/loadavg"))
}

/// Running or runnable threads besides the calling one: `RUNNING/ALL` is the fourth word.
fn running(loadavg: &str) -> u32 {
    let running = loadavg.split(' ').nth(3).and_then(|word| word.split('/').next()?.parse::<u32>().ok());
    running.unwrap_or(1).saturating_sub(1)
}

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn load_is_what_runs_now() {
        assert_eq!(["9.50 5.00 1.00 1/300 77\n", "0.00 0.00 0.00 4/300 77\n", ""].map(running), [0, 3, 0]);
    }

    #[test]
    fn cores_and_their_threads_are_told_apart() {
        let mut machine = Machine::here();
        assert!((1..=machine.threads).contains(&machine.cores));
        (machine.cores, machine.threads) = (64, 128);
        assert!(machine.to_string().contains(", 64 cores, 128 hardware threads"), "{machine}");
    }
}
