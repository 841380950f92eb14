//! The record of a session: every run with its results, and all failures.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

use crate::affinity::Affinities;
use crate::catalog::Job;
use crate::distance::Distance;
use crate::family::Family;
use crate::sample::Sample;

/// The side that a program is run for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    Ours,
    /// The installation that it is compared with.
    Peer,
    /// The program without SHMEM.
    Bare,
}

impl Side {
    /// The name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ours => "ours",
            Self::Peer => "peer",
            Self::Bare => "bare",
        }
    }
}

/// One run of one program.
#[derive(Clone, Debug, Serialize)]
pub struct Run {
    /// Index of its job.
    pub job: usize,
    pub side: Side,
    /// The round: runs of one round are close in time.
    pub round: u32,
    /// The distance between the cores.
    pub distance: Distance,
    /// Half a round trip before and after the run, if it was probed.
    pub probes_ns: Option<(f64, f64)>,
    /// The cpus of its PEs.
    pub affinities: Affinities,
    pub samples: Vec<Sample>,
}

impl Run {
    /// A run without results.
    pub fn new(job: usize, side: Side, round: u32) -> Self {
        let (distance, affinities) = (Distance::Any, Affinities::default());
        Self { job, side, round, distance, probes_ns: None, affinities, samples: Vec::new() }
    }
}

/// A job that a side does not support.
#[derive(Clone, Debug, Serialize)]
pub struct Skip {
    /// Index of the job.
    pub job: usize,
    pub side: Side,
    /// The test, and the feature that it needs.
    pub message: String,
}

/// Runs that were not pinned like the probes, although they should be: they have no distance.
#[derive(Clone, Debug, Serialize)]
pub struct Alarm {
    /// Index of their job.
    pub job: usize,
    pub side: Side,
    /// Where the first of them ran.
    pub message: String,
}

/// A run that failed.
#[derive(Clone, Debug, Serialize)]
pub struct Failure {
    /// Index of its job.
    pub job: usize,
    pub side: Side,
    pub message: String,
}

/// Time spent in the parts of a session, in seconds.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Spent {
    pub building: f64,
    /// Runs and the probes between them, by transport.
    pub transports: BTreeMap<String, f64>,
    /// The same, by family.
    pub families: BTreeMap<Family, f64>,
}

impl Spent {
    /// Add the time of a job's runs.
    pub fn add(&mut self, job: &Job, took: Duration) {
        *self.transports.entry(job.transport.to_string()).or_default() += took.as_secs_f64();
        *self.families.entry(job.family).or_default() += took.as_secs_f64();
    }

    /// The times in one line; families with the longest times come first.
    pub fn text(&self) -> String {
        let all = self.building + self.families.values().sum::<f64>();
        let over: String = self.transports.iter().map(|(over, took)| format!(", over {over} {took:.0} s")).collect();
        let mut families: Vec<_> = self.families.iter().collect();
        families.sort_by(|a, b| b.1.total_cmp(a.1));
        let families: Vec<String> =
            families.into_iter().map(|(family, took)| format!("{} {took:.1} s", family.name())).collect();
        format!("it took {all:.0} s (compiling {:.0} s{over}): {}\n", self.building, families.join(", "))
    }
}

/// Everything that was run.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Record {
    pub runs: Vec<Run>,
    /// Failed runs. The side is left out of the job's later rounds.
    pub failures: Vec<Failure>,
    /// Jobs that a side could not run. The side is left out of their later rounds.
    pub skips: Vec<Skip>,
    /// Runs that were not pinned as they should be; one entry for each job and side.
    pub alarms: Vec<Alarm>,
    /// The error that ended the session early.
    pub cut_short: Option<String>,
    pub spent: Spent,
    /// Number of other threads that ran at the beginning of each run.
    pub others_running: Vec<u32>,
}

impl Record {
    /// Average load by others.
    pub fn load(&self) -> f64 {
        f64::from(self.others_running.iter().sum::<u32>()) / self.others_running.len().max(1) as f64
    }

    /// True if a side has failed or skipped a job.
    pub fn sits_out(&self, job: usize, side: Side) -> bool {
        self.failures.iter().any(|failure| failure.job == job && failure.side == side)
            || self.skips.iter().any(|skip| skip.job == job && skip.side == side)
    }

    /// Record an alarm, unless the job and side have one.
    pub fn alarm(&mut self, job: usize, side: Side, message: String) {
        if !self.alarms.iter().any(|alarm| alarm.job == job && alarm.side == side) {
            self.alarms.push(Alarm { job, side, message });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_the_time_went_is_one_line_with_the_longest_family_first() {
        let mut spent = Spent { building: 3.0, ..Spent::default() };
        for (family, over, seconds) in
            [(Family::Put, "shm", 2.0), (Family::Away, "tcp", 5.0), (Family::Put, "tcp", 1.0)]
        {
            *spent.transports.entry(over.to_owned()).or_default() += seconds;
            *spent.families.entry(family).or_default() += seconds;
        }
        assert_eq!(spent.text(), "it took 11 s (compiling 3 s, over shm 2 s, over tcp 6 s): away 5.0 s, put 3.0 s\n");
    }
}
