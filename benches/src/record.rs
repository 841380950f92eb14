//! The record of a session: every run with its results, and everything that went wrong.

use serde::Serialize;

use crate::affinity::Affinities;
use crate::distance::Distance;
use crate::sample::Sample;

/// Who ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The installation that is measured.
    Ours,
    /// The one that it is compared with.
    Peer,
    /// The program without SHMEM.
    Bare,
}

impl Side {
    /// As messages show it.
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
    /// Who ran.
    pub side: Side,
    /// When: runs of a round stood side by side.
    pub round: u32,
    /// The distance between the cores.
    pub distance: Distance,
    /// Half a round trip before and after, where it was probed.
    pub probes_ns: Option<(f64, f64)>,
    /// Where its PEs were.
    pub affinities: Affinities,
    /// What it measured.
    pub samples: Vec<Sample>,
}

impl Run {
    /// One that has measured nothing yet.
    pub fn new(job: usize, side: Side, round: u32) -> Self {
        let (distance, affinities) = (Distance::Any, Affinities::default());
        Self { job, side, round, distance, probes_ns: None, affinities, samples: Vec::new() }
    }
}

/// What a side has not got.
#[derive(Clone, Debug, Serialize)]
pub struct Skip {
    /// Index of the job.
    pub job: usize,
    /// Whose it is.
    pub side: Side,
    /// Which test, and what it needs.
    pub message: String,
}

/// Runs that should be pinned as the probes are, and are not: near and far are not said of them.
#[derive(Clone, Debug, Serialize)]
pub struct Alarm {
    /// Index of their job.
    pub job: usize,
    /// Whose they are.
    pub side: Side,
    /// Where the first of them was.
    pub message: String,
}

/// A run that failed.
#[derive(Clone, Debug, Serialize)]
pub struct Failure {
    /// Index of its job.
    pub job: usize,
    /// Whose it was.
    pub side: Side,
    /// What happened.
    pub message: String,
}

/// Everything that was run.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Record {
    /// Runs that ended well.
    pub runs: Vec<Run>,
    /// Runs that did not; the side sat out the job's later rounds.
    pub failures: Vec<Failure>,
    /// Jobs that a side could not run; it sat out the later rounds.
    pub skips: Vec<Skip>,
    /// Runs that were not pinned as they should be; one entry for each job and side.
    pub alarms: Vec<Alarm>,
    /// What ended the session before all was measured.
    pub cut_short: Option<String>,
}

impl Record {
    /// Whether a side has shown that it cannot run a job.
    pub fn sits_out(&self, job: usize, side: Side) -> bool {
        self.failures.iter().any(|failure| failure.job == job && failure.side == side)
            || self.skips.iter().any(|skip| skip.job == job && skip.side == side)
    }

    /// Keeps the first alarm of a job and side.
    pub fn alarm(&mut self, job: usize, side: Side, message: String) {
        if !self.alarms.iter().any(|alarm| alarm.job == job && alarm.side == side) {
            self.alarms.push(Alarm { job, side, message });
        }
    }
}
