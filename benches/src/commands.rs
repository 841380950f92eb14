//! The subcommands of oshbench: `measure`, `compare`, `report`, `history` and the rest.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use crate::Error;
use crate::build::Builder;
use crate::catalog::{Job, Pes, Scale, jobs_of};
use crate::cli;
use crate::device;
use crate::distance::{DistanceProbe, Thresholds};
use crate::document::{Document, Head, Results};
use crate::family::Family;
use crate::guard;
use crate::installation::{Binding, Dialect, Installation};
use crate::instructions;
use crate::interrupt::{self, interrupt};
use crate::machine::Machine;
use crate::output::{self, Output};
use crate::pinning::Pinning;
use crate::progress::Progress;
use crate::provenance::{commit, today};
use crate::record::{Record, Side};
use crate::rows::{Row, Verdict, rows, without_repetition};
use crate::sample::Unit;
use crate::session::Session;
use crate::summary::Summary;

/// Measure our installation, and the other one beside it if there is one.
pub fn measure(options: &cli::Measure, with: Option<&cli::With>) -> Result<ExitCode, Error> {
    let work = options.ours.work()?;
    let ours = ours(&options.ours, words(&options.ours_args), &work)?.on_hosts(options.host.clone());
    let peer = with.map(|with| other(with, &work)).transpose()?.map(|peer| peer.on_hosts(options.host.clone()));
    let mut machine = Machine::here();
    let jobs = jobs(options, &machine)?;
    let bare = Builder::new(&options.cc, &work)?;
    let session = session(options, &machine, (&ours, peer.as_ref()), &jobs, &bare)?;
    let record = session.measure(&jobs)?;
    machine.load = record.load();
    let mut rows = rows(&jobs, &record);
    // The limits against a peer are meant for other implementations, not for Ferrite beside another Ferrite.
    let beside_itself = peer.as_ref().is_some_and(|peer| peer.dialect == ours.dialect);
    let unlimited = |row: &&mut Row| {
        // Events that must not happen are judged in any case.
        let limited = options.strict && !(beside_itself && row.beside_peer());
        row.unit != Unit::Count && !limited
    };
    rows.iter_mut().filter(unlimited).for_each(Row::without_limit);
    without_repetition(&mut rows);
    let head = Head {
        date: today(),
        commit: commit(&ours.prefix),
        machine,
        hosts: options.host.clone(),
        ours: (&ours).into(),
        peer: peer.as_ref().map(Into::into),
        quick: options.quick,
    };
    let results = Results { head, rows };
    let (thresholds, rounds) = (session.thresholds, session.rounds);
    let document = Document { results: &results, thresholds, rounds, jobs: &jobs, record: &record };
    let output = Output { document: &document, limits: options.strict };
    output.print(options.format)?;
    if let Some(directory) = &options.output {
        output.write(directory)?;
    }
    if let Some(directory) = &options.record {
        crate::csv::append(directory, &results)?;
    }
    Ok(status(&results.rows, &record))
}

fn ours(options: &cli::Ours, arguments: Vec<String>, work: &Path) -> Result<Installation, Error> {
    let bin = options.prefix()?.join("bin");
    let (oshcc, oshrun) = (bin.join("oshcc"), bin.join("oshrun"));
    let found = Installation::find(&oshcc, &oshrun, None, Dialect::Ferrite, arguments, work);
    found.map_err(|e| format!("{e}; in the source tree `cargo xtask dist` installs into target/prefix").into())
}

/// The compiler and the launcher beside it; `with` is a compiler or a prefix.
fn tools(with: &Path) -> Result<(PathBuf, PathBuf), Error> {
    let with = std::path::absolute(with)?;
    let oshcc = if with.is_dir() { with.join("bin/oshcc") } else { with };
    let oshrun = oshcc.with_file_name("oshrun");
    Ok((oshcc, oshrun))
}

fn other(with: &cli::With, work: &Path) -> Result<Installation, Error> {
    let (oshcc, beside) = tools(&with.with)?;
    let oshrun = with.with_oshrun.as_ref().map(std::path::absolute).transpose()?.unwrap_or(beside);
    Installation::find(&oshcc, &oshrun, with.with_dialect, Dialect::Plain, words(&with.with_args), work)
}

fn words(text: &str) -> Vec<String> {
    text.split_ascii_whitespace().map(str::to_owned).collect()
}

/// The jobs to run, transport after transport.
fn jobs(options: &cli::Measure, machine: &Machine) -> Result<Vec<Job>, Error> {
    let families = if options.families.is_empty() { Family::all() } else { &options.families };
    let pes = Pes::new(&options.pes, machine.threads, options.quick);
    let mut jobs = Vec::new();
    for transport in &options.over {
        let scale = Scale {
            pes: pes.clone(),
            sizes: options.sizes.iter().map(|size| size.0).collect(),
            cores: machine.cores,
            threads: machine.threads,
            quick: options.quick,
            transport: transport.clone(),
        };
        jobs.extend(jobs_of(families, &scale));
    }
    jobs.retain(|job| options.only.is_empty() || options.only.iter().any(|name| name == job.program));
    match (jobs.is_empty(), options.only.is_empty()) {
        (false, _) => Ok(jobs),
        (true, false) => Err(format!("--only {}: these families have no such program", options.only.join(",")).into()),
        (true, true) => Err("these families need more PEs; give more with --pes".into()),
    }
}

fn session<'a>(
    options: &cli::Measure,
    machine: &Machine,
    (ours, peer): (&'a Installation, Option<&'a Installation>),
    jobs: &[Job],
    bare: &'a Builder,
) -> Result<Session<'a>, Error> {
    let limit = Duration::from_secs(options.ours.timeout);
    let here = options.host.is_none();
    let probe = if here && machine.cores > 1 { Some(DistanceProbe::new(bare, options.quick)?) } else { None };
    let pinning = if here { Pinning::find(ours, jobs, limit) } else { Pinning::elsewhere() };
    let thresholds = Thresholds { far_from_ns: options.far_from, disturbed_from_ns: options.disturbed_from };
    let rounds = options.rounds.unwrap_or(match (options.quick, peer) {
        (false, _) => 7,
        (true, Some(_)) => 3,
        (true, None) => 1,
    });
    let within = options.within.map(|minutes| Duration::from_secs(60 * u64::from(minutes)));
    let progress = Progress::new(options.quick);
    Ok(Session { ours, peer, bare, probe, pinning, thresholds, rounds, within, limit, progress })
}

/// Exit code of a session. A signal takes precedence. A failure of our side and a session cut short are always failures, and so is a
/// `quiet` that is no fence; a missed limit is one only if the user asked for limits. Failures of references are reported but do not count.
fn status(rows: &[Row], record: &Record) -> ExitCode {
    if let Some(signal) = interrupt().signal() {
        return ExitCode::from(interrupt::exit_code(signal));
    }
    let failed = record.cut_short.is_some() || record.failures.iter().any(|failure| failure.side == Side::Ours);
    let missed = rows.iter().any(|row| row.verdict == Verdict::Missed);
    ExitCode::from(u8::from(failed || missed))
}

/// Count instructions; print, check or record them.
pub fn instructions(options: &cli::Instructions) -> Result<ExitCode, Error> {
    let (work, limit) = (options.ours.work()?, Duration::from_secs(options.ours.timeout));
    let ours = ours(&options.ours, Vec::new(), &work)?;
    let mine = instructions::count(&ours, options.calls, limit)?;
    let peer = options.with.as_ref().map(|with| -> Result<Installation, Error> {
        let (oshcc, oshrun) = tools(with)?;
        Installation::find(&oshcc, &oshrun, None, Dialect::Plain, Vec::new(), &work)
    });
    let theirs = peer.transpose()?.map(|peer| instructions::count(&peer, options.calls, limit)).transpose()?;
    print!("{}", instructions::table(&mine, theirs.as_ref()).text());
    if let Some(file) = &options.record {
        guard::record(file, &mine, &commit(&ours.prefix).unwrap_or_default(), &today())?;
    }
    match &options.check {
        Some(file) => guard::check(file, &mine),
        None => Ok(ExitCode::SUCCESS),
    }
}

/// Measure memory of GPUs.
pub fn device(options: &cli::Device) -> Result<ExitCode, Error> {
    let ours = ours(&options.ours, Vec::new(), &options.ours.work()?)?;
    let plan = device::Plan {
        sizes: options.sizes.iter().map(|size| size.0).collect(),
        rounds: options.rounds,
        binding: if Machine::here().cores > 1 { Binding::Core } else { Binding::None },
        limit: Duration::from_secs(options.ours.timeout),
    };
    print!("{}", device::measure(&ours, &plan)?);
    Ok(ExitCode::SUCCESS)
}

/// Write a report of existing results, and print a summary.
pub fn report(options: &cli::Report) -> Result<ExitCode, Error> {
    let results = Results::read(&options.files)?;
    output::write_report(&results, &options.output)?;
    print!("{}", Summary::new(&results.rows).text());
    Ok(ExitCode::SUCCESS)
}

pub fn history(options: &cli::History) -> Result<ExitCode, Error> {
    print!("{}", crate::history::text(&options.directory, &options.families, options.last)?);
    Ok(ExitCode::SUCCESS)
}

pub fn scale(options: &cli::Scale) -> Result<ExitCode, Error> {
    crate::scale::write_all(&options.output, options.most)?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compiler_or_a_prefix_names_an_installation() {
        let (oshcc, oshrun) = tools(Path::new("/usr/bin/oshcc-of-mine")).unwrap();
        assert_eq!((oshcc.to_str(), oshrun.to_str()), (Some("/usr/bin/oshcc-of-mine"), Some("/usr/bin/oshrun")));
        assert_eq!(tools(Path::new("/usr")).unwrap().0, Path::new("/usr/bin/oshcc"));
    }
}
