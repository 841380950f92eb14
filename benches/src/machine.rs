//! What a result was measured on: numbers without their machine say nothing.

use std::fmt;
use std::fs;
use std::thread;

use serde::Serialize;

/// The machine, as far as it explains the numbers.
#[derive(Clone, Debug, Serialize)]
pub struct Machine {
    /// The processor's name.
    pub processor: String,
    /// Cores that this process may use.
    pub cores: u32,
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
        let cpuinfo = read("/proc/cpuinfo");
        let first = |key: &str, separator: char, text: &str| {
            let line = text.lines().find(|line| line.starts_with(key)).unwrap_or_default();
            line.split_once(separator).map_or("", |(_, value)| value).trim().trim_matches('"').to_owned()
        };
        Self {
            processor: first("model name", ':', &cpuinfo),
            cores: cores(),
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
        let Self { processor, cores, kernel, system, load, .. } = self;
        write!(f, "{processor}, {cores} cores{kind}, Linux {kernel}, {system}, load {load:.2}")
    }
}

/// Cores that this process may use.
pub fn cores() -> u32 {
    thread::available_parallelism().map_or(1, |n| u32::try_from(n.get()).unwrap_or(u32::MAX))
}

/// The load average of the last minute.
pub fn load() -> f64 {
    read("/proc/loadavg").split(' ').next().and_then(|first| first.parse().ok()).unwrap_or(0.0)
}

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default()
}
