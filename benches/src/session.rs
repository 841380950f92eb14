//! A session runs all jobs.
//!
//! In each round every side runs every job once, one after the other. A ping-pong before and after each pinned run measures the distance
//! between the cores.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::Error;
use crate::affinity::Affinities;
use crate::build::Builder;
use crate::catalog::{Bare, Job, Shape};
use crate::distance::{Distance, DistanceProbe, Thresholds, pin_to};
use crate::installation::Installation;
use crate::interrupt::interrupt;
use crate::machine::others_running;
use crate::pair::ENOUGH;
use crate::pinning::Pinning;
use crate::progress::Progress;
use crate::record::{Failure, Record, Run, Side, Skip};
use crate::sample::{Sample, Unit, parse_figure, parse_output, parse_skipped};
use crate::subprocess::{Outcome, run};

/// A probe younger than this is reused.
const FRESH: Duration = Duration::from_millis(100);

/// The sides and the parameters of a session.
pub struct Session<'a> {
    pub ours: &'a Installation,
    /// The installation that it is compared with.
    pub peer: Option<&'a Installation>,
    /// The compiler of the programs without SHMEM.
    pub bare: &'a Builder,
    /// The ping-pong; `None` on one core, where there is no distance.
    pub probe: Option<DistanceProbe>,
    /// The cpus of pinned PEs.
    pub pinning: Pinning,
    /// The thresholds of near and far.
    pub thresholds: Thresholds,
    /// Number of rounds; each side runs each job once a round.
    pub rounds: u32,
    /// No round begins that is expected to end later than this after the beginning of the first.
    pub within: Option<Duration>,
    /// Timeout of one run.
    pub limit: Duration,
    pub progress: Progress,
}

impl Session<'_> {
    /// Run all jobs. If the session is cut short, the results so far are kept.
    pub fn measure(&self, jobs: &[Job]) -> Result<Record, Error> {
        let mut record = Record::default();
        let begin = Instant::now();
        self.build_all(jobs, &mut record)?;
        record.spent.building = begin.elapsed().as_secs_f64();
        self.progress.expect(self.rounds as usize * jobs.iter().map(|job| self.sides(job).len()).sum::<usize>());
        let cut = self.rounds(jobs, &mut record).err();
        self.progress.clear();
        record.cut_short = cut.map(|error| error.to_string());
        Ok(record)
    }

    /// Run the rounds. Jobs without enough comparable pairs after the requested rounds get up to as many rounds again, if there is time.
    fn rounds(&self, jobs: &[Job], record: &mut Record) -> Result<(), Error> {
        let (begin, mut longest) = (Instant::now(), Duration::ZERO);
        for round in 0..2 * self.rounds {
            let extra = round >= self.rounds;
            let begin_of_round = begin.elapsed();
            if round > 0 && !fits(self.within, begin_of_round, longest) {
                break;
            }
            for (at, job) in jobs.iter().enumerate() {
                if !extra || self.lacks_pairs(record, at, job) {
                    let begin_of_job = Instant::now();
                    let done = self.round(round, at, job, record);
                    record.spent.add(job, begin_of_job.elapsed());
                    done?;
                }
            }
            longest = longest.max(begin.elapsed() - begin_of_round);
        }
        Ok(())
    }

    /// Compile all programs before the first round, so that no compiler runs beside a measurement. If a program of a reference fails to
    /// compile, that job is not compared; if one of ours fails, it is an error.
    fn build_all(&self, jobs: &[Job], record: &mut Record) -> Result<(), Error> {
        for (at, job) in jobs.iter().enumerate() {
            interrupt().check()?;
            self.progress.begin(&format!("building {}", job.program));
            for side in self.sides(job) {
                match (side, self.build(side, job)) {
                    (_, Ok(())) => {}
                    (Side::Ours, Err(error)) => return Err(error),
                    (side, Err(error)) => record.failures.push(Failure { job: at, side, message: error.to_string() }),
                }
            }
        }
        Ok(())
    }

    fn build(&self, side: Side, job: &Job) -> Result<(), Error> {
        match (side, self.peer, &job.bare) {
            (Side::Ours, ..) => self.ours.builder().program(job.program),
            (Side::Peer, Some(peer), _) => peer.builder().program(job.program),
            (Side::Bare, _, Some(bare)) => self.bare.program(bare.program),
            _ => return Ok(()),
        }
        .map(drop)
    }

    /// True if there is no distance at which our side and each of the job's references have enough runs.
    fn lacks_pairs(&self, record: &Record, at: usize, job: &Job) -> bool {
        let wanted = ENOUGH.min(self.rounds as usize);
        let met = |side, distance| {
            record.runs.iter().filter(|run| run.job == at && run.side == side && run.distance == distance).count()
        };
        // Further rounds would not help a side that fails, or is pinned elsewhere.
        let failed = |side| record.sits_out(at, side);
        let astray = |side| record.alarms.iter().any(|alarm| alarm.job == at && alarm.side == side);
        let enough = |side, distance| met(side, distance) >= wanted || failed(side) || astray(side);
        let sides = self.sides(job);
        ![Distance::Near, Distance::Far, Distance::Any]
            .into_iter()
            .any(|distance| sides.iter().all(|&side| enough(side, distance)))
    }

    fn sides(&self, job: &Job) -> Vec<Side> {
        let mut sides = vec![Side::Ours];
        sides.extend(self.peer.map(|_| Side::Peer));
        sides.extend(job.bare.as_ref().map(|_| Side::Bare));
        sides
    }

    fn round(&self, round: u32, at: usize, job: &Job, record: &mut Record) -> Result<(), Error> {
        let mut sides = self.sides(job);
        // The sides take turns in going first, so that a drift of the machine favours no side.
        let first = round as usize % sides.len();
        sides.rotate_left(first);
        let mut probed = None;
        for side in sides {
            let what = format!("{}: {}, {} PEs, {}", job.transport, job.program, job.pes, side.name());
            if !record.sits_out(at, side) {
                self.progress.begin(&what);
                probed = self.run(Run::new(at, side, round), job, probed.take(), record)?;
            }
            self.progress.end(&format!("round {}: {what}", round + 1));
        }
        Ok(())
    }

    /// One run of one side between two probes; returns the second probe. A failed run is recorded; it is not an error.
    fn run(
        &self,
        mut made: Run,
        job: &Job,
        probed: Option<Probed>,
        record: &mut Record,
    ) -> Result<Option<Probed>, Error> {
        let (at, side) = (made.job, made.side);
        record.others_running.push(others_running());
        let before = self.probe_unless_fresh(job, probed)?;
        let outcome = run(self.command(side, job)?, self.limit);
        if let Some(message) = outcome.as_ref().ok().and_then(|outcome| parse_skipped(&outcome.stdout)) {
            record.skips.push(Skip { job: at, side, message: message.to_owned() });
            return Ok(before);
        }
        match outcome.and_then(|outcome| samples(job, side, outcome)) {
            Ok((samples, affinities)) => {
                let after = self.probe_unless_fresh(job, None)?;
                let complaint = self.pinning.complaint(job, &affinities);
                (made.distance, made.probes_ns) =
                    if complaint.is_none() { self.distance(before, after) } else { (Distance::Any, None) };
                if let Some(message) = complaint {
                    record.alarm(at, side, message);
                }
                (made.affinities, made.samples) = (affinities, samples);
                record.runs.push(made);
                Ok(after)
            }
            Err(error) => {
                interrupt().check()?;
                let message = error.to_string();
                self.progress.clear();
                eprintln!("{}, {} PEs, {}: {message}", job.program, job.pes, side.name());
                record.failures.push(Failure { job: at, side, message });
                Ok(None)
            }
        }
    }

    fn probe_unless_fresh(&self, job: &Job, last: Option<Probed>) -> Result<Option<Probed>, Error> {
        match (&self.probe, self.pinning.of(job)) {
            (Some(probe), Some(affinities)) => match last {
                Some(last) if last.at.elapsed() < FRESH => Ok(Some(last)),
                _ => Ok(Some(Probed { ns: probe.half_round_trip_ns(affinities)?, at: Instant::now() })),
            },
            _ => Ok(None),
        }
    }

    fn distance(&self, before: Option<Probed>, after: Option<Probed>) -> (Distance, Option<(f64, f64)>) {
        match (before, after) {
            (Some(before), Some(after)) => (self.thresholds.distance(before.ns, after.ns), Some((before.ns, after.ns))),
            _ => (Distance::Any, None),
        }
    }

    fn command(&self, side: Side, job: &Job) -> Result<Command, Error> {
        let installation = match side {
            Side::Ours => self.ours,
            Side::Peer => self.peer.ok_or("no peer was given")?,
            Side::Bare => return self.bare_command(job),
        };
        let mut command = installation.launch(job.pes, job.binding, &job.transport);
        command.arg(installation.builder().program(job.program)?);
        match job.shape {
            Shape::WholeJob | Shape::Figure => _ = command.args(&job.arguments),
            Shape::Lines | Shape::Bandwidths => add_arguments(&mut command, job.batches, &job.arguments),
        }
        Ok(command)
    }

    fn bare_command(&self, job: &Job) -> Result<Command, Error> {
        let Bare { program, arguments } = job.bare.as_ref().ok_or("the job has no bare program")?;
        let program: &Path = &self.bare.program(program)?;
        let mut command = Command::new(program);
        if let Some(affinities) = self.pinning.of(job) {
            command = pin_to(command, affinities);
        }
        add_arguments(&mut command, job.batches, arguments);
        Ok(command)
    }
}

/// True if one more round, as long as the longest so far, would end in time.
fn fits(within: Option<Duration>, gone: Duration, longest: Duration) -> bool {
    within.is_none_or(|within| gone + longest <= within)
}

#[derive(Clone, Copy)]
struct Probed {
    ns: f64,
    at: Instant,
}

fn add_arguments(command: &mut Command, (batches, batch_us): (u32, u32), arguments: &[String]) {
    command.arg(batches.to_string()).arg(batch_us.to_string()).args(arguments);
}

/// The results of a run, and the affinities of its PEs. A job that is timed as a whole and an application do not print affinities.
fn samples(job: &Job, side: Side, outcome: Outcome) -> Result<(Vec<Sample>, Affinities), Error> {
    if job.shape == Shape::WholeJob {
        let value = outcome.took.as_secs_f64() * 1e3;
        let program = job.bare.as_ref().filter(|_| side == Side::Bare).map_or(job.program, |bare| bare.program);
        return Ok((vec![Sample::new(program, 0, value, Unit::Ms)], Affinities::default()));
    }
    if job.shape == Shape::Figure {
        return Ok((vec![parse_figure(&outcome.stdout)?], Affinities::default()));
    }
    let mut samples = parse_output(&outcome.stdout)?;
    if samples.is_empty() {
        return Err("it printed no result".into());
    }
    if job.shape == Shape::Bandwidths {
        samples = samples.into_iter().map(Sample::into_bandwidth).collect();
    }
    let affinities = if side == Side::Bare { Affinities::default() } else { Affinities::parse(&outcome.stdout)? };
    Ok((samples, affinities))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_round_begins_that_would_end_too_late() {
        let minutes = |minutes: u64| Duration::from_secs(60 * minutes);
        assert!(fits(None, minutes(500), minutes(90)));
        assert!(fits(Some(minutes(10)), minutes(6), minutes(4)));
        assert!(!fits(Some(minutes(10)), minutes(7), minutes(4)));
    }
}
