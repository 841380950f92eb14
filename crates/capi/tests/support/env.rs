//! The environment variables that the suites read.

use super::program::Launch;
use std::time::Duration;

/// Conditions under which the whole suite runs. `FERRITE_SUITE_ENV` has variables for every job, such as `SHMEM_TRANSPORT=tcp UCX_TLS=tcp`.
/// `FERRITE_SUITE_OSHRUN` has options for the launcher, such as `--host a:2,b:2` (`FERRITE_RSH` says how hosts are reached).
/// `FERRITE_SUITE_PES` leaves out runs with more PEs than this number. `FERRITE_SUITE_SLOWER` is the factor by which the machine is slower
/// and programs may take longer. With `FERRITE_TEST_GPU`, programs about devices use the host's GPUs instead of the stand-in for CUDA's driver.
pub struct Conditions {
    /// Variables for every job, set before the job's own.
    pub variables: Vec<(String, String)>,
    /// Options for the launcher.
    pub options: Vec<String>,
    /// Largest number of PEs of a run.
    pub pes_max: u32,
    /// Factor on the time limit of every program.
    pub slower: u32,
}

impl Conditions {
    /// The conditions of this test run.
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

    /// True if the conditions include runs started in this way.
    pub fn want(&self, launch: Launch) -> bool {
        match launch {
            Launch::Pes(count) => count <= self.pes_max,
            Launch::Alone => true,
        }
    }

    /// True if the transport is a library that is loaded at run time.
    pub fn load_libraries(&self) -> bool {
        let library = |value: &str| ["libfabric", "ucx"].contains(&value);
        self.variables.iter().any(|(name, value)| name == "SHMEM_TRANSPORT" && library(value))
    }

    /// The time limit of a program whose own limit is `given`.
    pub fn limit(&self, given: Duration) -> Duration {
        given * self.slower
    }

    /// True if PEs of a job may be unable to load and store each other's memory.
    pub fn are_far(&self) -> bool {
        !self.options.is_empty() || self.variables.iter().any(|(name, _)| name == "SHMEM_TRANSPORT")
    }
}

/// A variable of the test run, if it is set and not empty.
#[expect(clippy::disallowed_methods, reason = "tests have no settings table; this is their one place")]
pub fn get(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
