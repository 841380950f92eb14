//! How far apart the cores are just now.
//!
//! On a virtual machine the two cores' distance is bimodal: half a round trip of one cache line is about 52 ns or about
//! 265 ns, and it flips every few minutes on an idle machine. A bare ping-pong before and after each run says which.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use serde::Serialize;

use crate::Error;
use crate::build::Builder;
use crate::places::Places;
use crate::run::run;
use crate::sample::parse_output;

/// The probe bounds itself to a fraction of a second; this is for a machine that hardly lets it run.
const LIMIT: Duration = Duration::from_secs(60);

/// The distance between the cores during a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Both probes were near.
    Near,
    /// Both probes were far.
    Far,
    /// The probes disagree, or one was disturbed: comparable with nothing.
    Mixed,
    /// Not probed, because the run is not pinned: comparable with its like in general.
    Any,
}

impl State {
    /// As the table shows it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Near => "near",
            Self::Far => "far",
            Self::Mixed => "mixed",
            Self::Any => "any",
        }
    }
}

/// What divides near from far, and far from disturbed.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Thresholds {
    /// Half a round trip below this is near.
    pub far_from_ns: f64,
    /// Half a round trip above this met something else on its cores.
    pub disturbed_from_ns: f64,
}

impl Thresholds {
    /// The state of a run that met these probes before and after it.
    pub fn state(&self, before_ns: f64, after_ns: f64) -> State {
        let [before, after] = [before_ns, after_ns].map(|ns| match ns {
            ns if ns < self.far_from_ns => State::Near,
            ns if ns < self.disturbed_from_ns => State::Far,
            _ => State::Mixed,
        });
        if before == after { before } else { State::Mixed }
    }
}

/// The ping-pong, built.
pub struct Probe {
    program: PathBuf,
    batches: u32,
}

impl Probe {
    /// Builds it with the bare programs' compiler.
    pub fn new(bare: &Builder, quick: bool) -> Result<Self, Error> {
        Ok(Self { program: bare.program("bare_pingpong")?, batches: if quick { 101 } else { 501 } })
    }

    /// Half a round trip between the cores of these places, now.
    pub fn half_round_trip_ns(&self, places: &Places) -> Result<f64, Error> {
        let mut command = at_places(Command::new(&self.program), places);
        command.args([self.batches.to_string(), "1".to_owned()]);
        let samples = parse_output(&run(command, LIMIT)?.stdout)?;
        let sample = samples.first().ok_or("the bare ping-pong printed no result")?;
        Ok(sample.value)
    }
}

/// Tells a program without SHMEM where its processes are pinned; if that is not known, they take the first cpus.
pub fn at_places(mut command: Command, places: &Places) -> Command {
    if !places.is_empty() {
        command.env("BENCHES_CPUS", places.cpus());
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_follow_both_probes() {
        let thresholds = Thresholds { far_from_ns: 120.0, disturbed_from_ns: 1000.0 };
        for (before, after, state) in [
            (52.0, 57.0, State::Near),
            (265.0, 300.0, State::Far),
            (52.0, 265.0, State::Mixed),
            (265.0, 52.0, State::Mixed),
            (52.0, 4000.0, State::Mixed),
            (4000.0, 5000.0, State::Mixed),
        ] {
            assert_eq!(thresholds.state(before, after), state, "{before} {after}");
        }
    }
}
