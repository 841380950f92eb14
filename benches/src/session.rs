//! One session: the sides in alternation, round by round, with a ping-pong before and after each pinned run.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::Error;
use crate::build::Builder;
use crate::catalog::{Bare, Job, Shape};
use crate::install::{Binding, Installation};
use crate::probe::{Probe, State, Thresholds};
use crate::rows::ENOUGH;
use crate::run::{Outcome, run};
use crate::sample::{Sample, Unit, parse_output};

/// A probe this old still tells of the present.
const FRESH: Duration = Duration::from_millis(100);

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
    fn name(self) -> &'static str {
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
    pub state: State,
    /// Half a round trip before and after, where it was probed.
    pub probes_ns: Option<(f64, f64)>,
    /// What it measured.
    pub samples: Vec<Sample>,
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
}

/// The sides and the rules.
pub struct Session<'a> {
    /// The installation that is measured.
    pub ours: &'a Installation,
    /// The one that it is compared with.
    pub peer: Option<&'a Installation>,
    /// The compiler of the programs without SHMEM.
    pub bare: &'a Builder,
    /// The ping-pong; `None` on one core, where there is no distance.
    pub probe: Option<Probe>,
    /// What near and far mean.
    pub thresholds: Thresholds,
    /// How often each side runs each job.
    pub rounds: u32,
    /// How long one run may take.
    pub limit: Duration,
    /// Whether each run is told on standard error.
    pub tell: bool,
}

impl Session<'_> {
    /// Runs all jobs. Jobs without enough like pairs after the asked rounds get up to as many rounds again.
    pub fn measure(&self, jobs: &[Job]) -> Result<Record, Error> {
        let mut record = Record::default();
        self.build_all(jobs)?;
        for round in 0..2 * self.rounds {
            let extra = round >= self.rounds;
            for (at, job) in jobs.iter().enumerate() {
                if !extra || self.lacks_pairs(&record, at, job) {
                    self.round(round, at, job, &mut record)?;
                }
            }
        }
        Ok(record)
    }

    /// Before the first round, so that no compiler runs beside a measurement.
    fn build_all(&self, jobs: &[Job]) -> Result<(), Error> {
        for job in jobs {
            for installation in [Some(self.ours), self.peer].into_iter().flatten() {
                installation.builder().program(job.program)?;
            }
            if let Some(bare) = &job.bare {
                self.bare.program(bare.program)?;
            }
        }
        Ok(())
    }

    /// Whether no distance has yet been met often enough by ours and by each of the job's references.
    fn lacks_pairs(&self, record: &Record, at: usize, job: &Job) -> bool {
        let wanted = ENOUGH.min(self.rounds as usize);
        let met = |side, state| {
            record.runs.iter().filter(|run| run.job == at && run.side == side && run.state == state).count()
        };
        let failed = |side| record.failures.iter().any(|failure| failure.job == at && failure.side == side);
        let enough = |side, state| met(side, state) >= wanted || failed(side);
        let sides = self.sides(job);
        ![State::Near, State::Far, State::Any].into_iter().any(|state| sides.iter().all(|&side| enough(side, state)))
    }

    fn sides(&self, job: &Job) -> Vec<Side> {
        let mut sides = vec![Side::Ours];
        sides.extend(self.peer.map(|_| Side::Peer));
        sides.extend(job.bare.as_ref().map(|_| Side::Bare));
        sides
    }

    fn round(&self, round: u32, at: usize, job: &Job, record: &mut Record) -> Result<(), Error> {
        let mut sides = self.sides(job);
        // Who goes first changes, so that a drift of the machine favours nobody.
        let first = round as usize % sides.len();
        sides.rotate_left(first);
        let mut probed = None;
        for side in sides {
            if record.failures.iter().any(|failure| failure.job == at && failure.side == side) {
                continue;
            }
            let before = self.probe_unless_fresh(job, probed.take())?;
            let command = self.command(side, job)?;
            match run(command, self.limit).and_then(|outcome| samples(job, side, outcome)) {
                Ok(samples) => {
                    let after = self.probe_unless_fresh(job, None)?;
                    let (state, probes_ns) = self.state(before, after);
                    if self.tell {
                        progress(round, job, side, state);
                    }
                    record.runs.push(Run { job: at, side, round, state, probes_ns, samples });
                    probed = after;
                }
                Err(error) => {
                    let message = error.to_string();
                    eprintln!("{}, {} PEs, {}: {message}", job.program, job.pes, side.name());
                    record.failures.push(Failure { job: at, side, message });
                }
            }
        }
        Ok(())
    }

    fn probe_unless_fresh(&self, job: &Job, last: Option<Probed>) -> Result<Option<Probed>, Error> {
        match (&self.probe, job.binding) {
            (Some(probe), Binding::Core) => match last {
                Some(last) if last.at.elapsed() < FRESH => Ok(Some(last)),
                _ => Ok(Some(Probed { ns: probe.half_round_trip_ns()?, at: Instant::now() })),
            },
            _ => Ok(None),
        }
    }

    fn state(&self, before: Option<Probed>, after: Option<Probed>) -> (State, Option<(f64, f64)>) {
        match (before, after) {
            (Some(before), Some(after)) => (self.thresholds.state(before.ns, after.ns), Some((before.ns, after.ns))),
            _ => (State::Any, None),
        }
    }

    fn command(&self, side: Side, job: &Job) -> Result<Command, Error> {
        let installation = match side {
            Side::Ours => self.ours,
            Side::Peer => self.peer.ok_or("no peer was given")?,
            Side::Bare => return self.bare_command(job),
        };
        let mut command = installation.launch(job.pes, job.binding, job.over);
        command.arg(installation.builder().program(job.program)?);
        if job.shape != Shape::WholeJob {
            add_arguments(&mut command, job.plan, &job.arguments);
        }
        Ok(command)
    }

    fn bare_command(&self, job: &Job) -> Result<Command, Error> {
        let Bare { program, arguments } = job.bare.as_ref().ok_or("the job has no bare program")?;
        let program: &Path = &self.bare.program(program)?;
        let mut command = Command::new(program);
        add_arguments(&mut command, job.plan, arguments);
        Ok(command)
    }
}

#[derive(Clone, Copy)]
struct Probed {
    ns: f64,
    at: Instant,
}

fn add_arguments(command: &mut Command, (batches, batch_us): (u32, u32), arguments: &[String]) {
    command.arg(batches.to_string()).arg(batch_us.to_string()).args(arguments);
}

fn samples(job: &Job, side: Side, outcome: Outcome) -> Result<Vec<Sample>, Error> {
    if job.shape == Shape::WholeJob {
        let value = outcome.took.as_secs_f64() * 1e3;
        return Ok(vec![Sample { test: job.program.to_owned(), bytes: 0, value, unit: Unit::Ms }]);
    }
    let mut samples = parse_output(&outcome.stdout)?;
    if side != Side::Bare {
        check_binding(job, &mut samples);
    }
    if samples.is_empty() {
        return Err("it printed no result".into());
    }
    if job.shape == Shape::Bandwidths {
        samples = samples.into_iter().map(Sample::into_bandwidth).collect();
    }
    Ok(samples)
}

/// Takes the programs' own report of how many processors PE 0 had out of the samples, and complains where it matters.
fn check_binding(job: &Job, samples: &mut Vec<Sample>) {
    let Some(at) = samples.iter().position(|sample| sample.test == "processors") else { return };
    let processors = samples.remove(at).value;
    if job.binding == Binding::Core && processors > 1.0 {
        eprintln!("{}: PE 0 was not pinned ({processors} processors); give its launcher's options", job.program);
    }
}

fn progress(round: u32, job: &Job, side: Side, state: State) {
    eprintln!("round {}: {}, {} PEs, {}: {}", round + 1, job.program, job.pes, side.name(), state.name());
}
