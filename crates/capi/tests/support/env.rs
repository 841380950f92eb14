//! The environment that the suites themselves read.

use super::program::Launch;
use std::time::Duration;

/// Under which other conditions the whole suite is to run: `FERRITE_SUITE_ENV` has variables for every job, as
/// `SHMEM_TRANSPORT=tcp UCX_TLS=tcp`, and `FERRITE_SUITE_OSHRUN` options for the launcher, as `--host a:2,b:2` (where
/// `FERRITE_RSH` says how hosts are reached). `FERRITE_SUITE_PES` leaves out the runs with more PEs than that. On a machine
/// that is `FERRITE_SUITE_SLOWER` times slower, programs may take that much longer.
pub struct Conditions {
    /// For every job, before its own.
    pub variables: Vec<(String, String)>,
    /// For the launcher.
    pub options: Vec<String>,
    /// The most PEs of a run.
    pub pes_max: u32,
    /// How much longer a program may take than it says.
    pub slower: u32,
}

impl Conditions {
    /// What this test run asks for.
    pub fn get() -> Conditions {
        let words =
            |name| -> Vec<String> { get(name).unwrap_or_default().split_whitespace().map(str::to_owned).collect() };
        let pair = |word: &String| word.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
        let variables = words("FERRITE_SUITE_ENV");
        Conditions {
            variables: variables.iter().map(|word| pair(word).expect("FERRITE_SUITE_ENV has NAME=value")).collect(),
            options: words("FERRITE_SUITE_OSHRUN"),
            pes_max: get("FERRITE_SUITE_PES")
                .map_or(u32::MAX, |most| most.parse().expect("FERRITE_SUITE_PES is a number")),
            slower: get("FERRITE_SUITE_SLOWER")
                .map_or(1, |times| times.parse().expect("FERRITE_SUITE_SLOWER is a number")),
        }
    }

    /// Whether runs so started are wanted.
    pub fn want(&self, launch: Launch) -> bool {
        match launch {
            Launch::Pes(count) => count <= self.pes_max,
            Launch::Alone => true,
        }
    }

    /// Whether what PEs go over is a library, to be loaded at run time.
    pub fn load_libraries(&self) -> bool {
        let library = |value: &str| ["libfabric", "ucx"].contains(&value);
        self.variables.iter().any(|(name, value)| name == "SHMEM_TRANSPORT" && library(value))
    }

    /// How long a program may take that is given so long.
    pub fn limit(&self, given: Duration) -> Duration {
        given * self.slower
    }

    /// Whether PEs of a job may be unable to load and store each other's memory.
    pub fn are_far(&self) -> bool {
        !self.options.is_empty() || self.variables.iter().any(|(name, _)| name == "SHMEM_TRANSPORT")
    }
}

/// A variable of the test run, if it is set and not empty.
#[expect(clippy::disallowed_methods, reason = "tests have no settings table; this is their one place")]
pub fn get(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
