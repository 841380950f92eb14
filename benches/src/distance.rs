//! The distance between the two cores: near or far.
//!
//! On a virtual machine half a round trip of one cache line takes about 52 ns or about 265 ns, and this changes every few minutes, even on
//! an idle machine. A bare ping-pong before and after each run shows which of the two applied to the run.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::Error;
use crate::affinity::Affinities;
use crate::build::Builder;
use crate::sample::parse_output;
use crate::subprocess::run;

/// Timeout of the probe. It limits itself to a fraction of a second; this is for a machine that hardly lets it run.
const LIMIT: Duration = Duration::from_secs(60);

/// The distance between the cores during a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Distance {
    /// Both probes were near.
    Near,
    /// Both probes were far.
    Far,
    /// The probes disagree, or one was disturbed: not comparable with any other run.
    Mixed,
    /// Not probed, because the run is not pinned: comparable with other such runs.
    Any,
}

impl Distance {
    /// The name in the table.
    pub fn name(self) -> &'static str {
        match self {
            Self::Near => "near",
            Self::Far => "far",
            Self::Mixed => "mixed",
            Self::Any => "any",
        }
    }
}

/// Thresholds between near and far, and between far and disturbed.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Thresholds {
    /// From this half round trip on, the cores are far; below it they are near.
    pub far_from_ns: f64,
    /// From this half round trip on, something else was running on the cores.
    pub disturbed_from_ns: f64,
}

impl Thresholds {
    /// The distance of a run, from the probes before and after it.
    pub fn distance(&self, before_ns: f64, after_ns: f64) -> Distance {
        let [before, after] = [before_ns, after_ns].map(|ns| match ns {
            ns if ns < self.far_from_ns => Distance::Near,
            ns if ns < self.disturbed_from_ns => Distance::Far,
            _ => Distance::Mixed,
        });
        if before == after { before } else { Distance::Mixed }
    }
}

/// The built ping-pong program.
pub struct DistanceProbe {
    program: PathBuf,
    batches: u32,
}

impl DistanceProbe {
    /// Build the probe with the bare programs' compiler.
    pub fn new(bare: &Builder, quick: bool) -> Result<Self, Error> {
        Ok(Self { program: bare.program("bare_pingpong")?, batches: if quick { 101 } else { 501 } })
    }

    /// Measure half a round trip between the cores of these PEs.
    pub fn half_round_trip_ns(&self, affinities: &Affinities) -> Result<f64, Error> {
        let mut command = pin_to(Command::new(&self.program), affinities);
        command.args([self.batches.to_string(), "1".to_owned()]);
        let samples = parse_output(&run(command, LIMIT)?.stdout)?;
        let sample = samples.first().ok_or("the bare ping-pong printed no result")?;
        Ok(sample.value)
    }
}

/// Set the cpus to which a program without SHMEM pins its processes. If they are not known, it uses the first cpus.
pub fn pin_to(mut command: Command, affinities: &Affinities) -> Command {
    if !affinities.is_empty() {
        command.env("BENCHES_CPUS", affinities.cpus());
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_follow_both_probes() {
        let thresholds = Thresholds { far_from_ns: 120.0, disturbed_from_ns: 1000.0 };
        for (before, after, distance) in [
            (52.0, 57.0, Distance::Near),
            (265.0, 300.0, Distance::Far),
            (52.0, 265.0, Distance::Mixed),
            (265.0, 52.0, Distance::Mixed),
            (52.0, 4000.0, Distance::Mixed),
            (4000.0, 5000.0, Distance::Mixed),
        ] {
            assert_eq!(thresholds.distance(before, after), distance, "{before} {after}");
        }
    }
}
