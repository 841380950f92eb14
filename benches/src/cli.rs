//! Reads the command line and runs what it asks for.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, ValueEnum};

use crate::Error;
use crate::build::Builder;
use crate::catalog::{Family, Job, Scale, jobs_of};
use crate::distance::{DistanceProbe, Thresholds};
use crate::installation::{Dialect, Installation};
use crate::instructions;
use crate::interrupt::{self, interrupt};
use crate::json::{Document, write};
use crate::limits::Reference;
use crate::machine::Machine;
use crate::pinning::Pinning;
use crate::record::{Record, Side};
use crate::rows::{Row, Verdict, rows};
use crate::sample::Unit;
use crate::session::Session;
use crate::table::comparison;
use crate::transport::Transport;

#[derive(Clone, Copy, Debug, ValueEnum)]
enum What {
    Latency,
    Bandwidth,
    Rate,
    Atomics,
    Statics,
    Order,
    Barrier,
    Beside,
    Away,
    Startup,
    Collectives,
    Threads,
    /// Everything above.
    All,
    /// Instructions of one call of the hot routines, by valgrind.
    Instructions,
}

impl What {
    fn families(self) -> Vec<Family> {
        match self {
            Self::Latency => vec![Family::Latency],
            Self::Bandwidth => vec![Family::Bandwidth],
            Self::Rate => vec![Family::Rate],
            Self::Atomics => vec![Family::Atomics],
            Self::Statics => vec![Family::Statics],
            Self::Order => vec![Family::Order],
            Self::Barrier => vec![Family::Barrier],
            Self::Beside => vec![Family::Beside],
            Self::Away => vec![Family::Away],
            Self::Startup => vec![Family::Startup],
            Self::Collectives => vec![Family::Collectives],
            Self::Threads => vec![Family::Threads],
            Self::All => Family::ALL.to_vec(),
            Self::Instructions => Vec::new(),
        }
    }
}

/// Measures an installed OpenSHMEM, side by side with another one.
///
/// Near and far are distances between the cores, which a virtual machine changes by itself; ratios are of runs that
/// met the same one. benches/METHOD.md explains every number.
#[derive(Debug, Parser)]
#[command(name = "benches", version)]
struct Options {
    /// What to measure
    #[arg(value_enum)]
    what: What,
    /// Prefix of the installation that is measured (holds bin/oshcc and bin/oshrun)
    #[arg(long, default_value = "target/prefix")]
    prefix: PathBuf,
    /// More options for our launcher, separated by blanks; jobs are then no longer kept on this host
    #[arg(long, default_value = "", allow_hyphen_values = true)]
    ours_args: String,
    /// The other installation: a prefix, or `openmpi` for Debian's
    #[arg(long, conflicts_with_all = ["peer_oshcc", "peer_oshrun"])]
    peer: Option<String>,
    /// The other installation's compiler, if it stands apart
    #[arg(long, requires = "peer_oshrun")]
    peer_oshcc: Option<PathBuf>,
    /// The other installation's launcher, if it stands apart
    #[arg(long, requires = "peer_oshcc")]
    peer_oshrun: Option<PathBuf>,
    /// More options for the peer's launcher, separated by blanks; its jobs are then no longer kept on this host
    #[arg(long, default_value = "", allow_hyphen_values = true)]
    peer_args: String,
    /// How the peer's launcher is spoken to, if its --version does not tell
    #[arg(long, value_enum)]
    peer_dialect: Option<Dialect>,
    /// What the PEs go over
    #[arg(long = "over", value_enum, default_value_t)]
    transport: Transport,
    /// PEs of the pinned runs
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(2..=1024))]
    pes: u32,
    /// PEs of the runs with more PEs than hardware threads [default: twice and four times as many]
    #[arg(long, value_delimiter = ',', value_parser = clap::value_parser!(u32).range(2..=16384))]
    many: Vec<u32>,
    /// PEs of the jobs whose start-up is timed
    #[arg(long, value_delimiter = ',', default_values_t = [2, 8, 64])]
    startup: Vec<u32>,
    /// How often each side runs each program
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
    /// Seconds instead of minutes: one round, few sizes, short batches
    #[arg(long)]
    quick: bool,
    /// Only these programs of the family
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Half a round trip of a cache line from which cores count as far, ns
    #[arg(long, default_value_t = 120.0)]
    far_from: f64,
    /// Half a round trip from which a probe counts as disturbed, ns
    #[arg(long, default_value_t = 1000.0)]
    disturbed_from: f64,
    /// Seconds that one run may take
    #[arg(long, default_value_t = 120)]
    timeout: u64,
    /// Compiler of the programs without SHMEM
    #[arg(long, default_value = "cc")]
    cc: PathBuf,
    /// Where programs are built; by default beside this program's own build
    #[arg(long)]
    work: Option<PathBuf>,
    /// Calls of each routine when instructions are counted
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    calls: u64,
    /// Write every run and the table as JSON
    #[arg(long)]
    json: Option<PathBuf>,
    /// Write the table as Markdown
    #[arg(long)]
    markdown: Option<PathBuf>,
    /// End with status 1 if a limit is missed
    #[arg(long)]
    strict: bool,
}

/// Reads the command line and does what it says.
pub fn main() -> Result<ExitCode, Error> {
    let options = Options::parse();
    interrupt::listen()?;
    let work = match &options.work {
        Some(work) => work.clone(),
        None => beside_this_program()?,
    };
    let ours = options.ours(&work)?;
    let peer = options.peer(&work)?;
    match options.what {
        What::Instructions => options.instructions(&ours, peer.as_ref()),
        _ => options.compare(&ours, peer.as_ref(), &work),
    }
}

/// `target/benches`, for a program in `target/release`.
fn beside_this_program() -> Result<PathBuf, Error> {
    let program = std::env::current_exe()?;
    let target = program.parent().and_then(Path::parent).ok_or("this program stands in no directory; give --work")?;
    Ok(target.join("benches"))
}

fn words(text: &str) -> Vec<String> {
    text.split_ascii_whitespace().map(str::to_owned).collect()
}

impl Options {
    fn limit(&self) -> Duration {
        Duration::from_secs(self.timeout)
    }

    fn ours(&self, work: &Path) -> Result<Installation, Error> {
        // Compilers and launchers may look for their prefix from where they stand: no relative paths.
        let bin = std::path::absolute(&self.prefix)?.join("bin");
        let (oshcc, oshrun) = (bin.join("oshcc"), bin.join("oshrun"));
        let found = Installation::find(&oshcc, &oshrun, None, Dialect::Ferrite, words(&self.ours_args), work);
        found.map_err(|e| format!("{e}; `cargo xtask dist` installs Ferrite into target/prefix").into())
    }

    fn peer(&self, work: &Path) -> Result<Option<Installation>, Error> {
        let (oshcc, oshrun) = match (&self.peer, &self.peer_oshcc, &self.peer_oshrun) {
            (None, Some(oshcc), Some(oshrun)) => (std::path::absolute(oshcc)?, std::path::absolute(oshrun)?),
            (Some(peer), ..) => {
                let prefix = if peer == "openmpi" { Path::new("/usr") } else { Path::new(peer) };
                let bin = std::path::absolute(prefix)?.join("bin");
                (bin.join("oshcc"), bin.join("oshrun"))
            }
            _ => return Ok(None),
        };
        let arguments = words(&self.peer_args);
        Installation::find(&oshcc, &oshrun, self.peer_dialect, Dialect::Plain, arguments, work).map(Some)
    }

    fn jobs(&self, machine: &Machine) -> Result<Vec<Job>, Error> {
        let many = many(&self.many, machine.threads)?;
        let scale = Scale {
            pes: self.pes,
            many: if self.quick { Vec::new() } else { many },
            startup: if self.quick { vec![2] } else { self.startup.clone() },
            cores: machine.cores,
            threads: machine.threads,
            quick: self.quick,
            transport: self.transport,
        };
        let mut jobs = jobs_of(&self.what.families(), &scale);
        jobs.retain(|job| self.only.is_empty() || self.only.iter().any(|name| name == job.program));
        if jobs.is_empty() {
            return Err(format!("--only {}: no such program in this family", self.only.join(",")).into());
        }
        Ok(jobs)
    }

    fn compare(&self, ours: &Installation, peer: Option<&Installation>, work: &Path) -> Result<ExitCode, Error> {
        let machine = Machine::here();
        let jobs = self.jobs(&machine)?;
        let bare = Builder::new(&self.cc, work)?;
        let probe = if machine.cores > 1 { Some(DistanceProbe::new(&bare, self.quick)?) } else { None };
        let thresholds = Thresholds { far_from_ns: self.far_from, disturbed_from_ns: self.disturbed_from };
        let rounds = if self.quick { 1 } else { self.rounds };
        let (limit, verbose) = (self.limit(), !self.quick);
        let pinning = Pinning::find(ours, &jobs, limit);
        let session = Session { ours, peer, bare: &bare, probe, pinning, thresholds, rounds, limit, verbose };
        let record = session.measure(&jobs)?;
        let mut rows = rows(&jobs, &record);
        if self.quick {
            rows.iter_mut().for_each(Row::only_shown);
        }
        // What is wanted of Ferrite beside another implementation is not wanted of it beside itself.
        if peer.is_some_and(|peer| peer.dialect == ours.dialect) {
            rows.iter_mut().filter(|row| row.against == Some(Reference::Peer.name())).for_each(Row::without_limit);
        }
        let head = self.head(&machine, ours, peer);
        print!("{head}\n{}", comparison(&rows).text());
        print!("{}", footnotes(&jobs, &rows, &record));
        if let Some(path) = &self.markdown {
            write(path, &format!("{head}\n{}\n{}", comparison(&rows).markdown(), footnotes(&jobs, &rows, &record)))?;
        }
        if let Some(path) = &self.json {
            let (machine, jobs, rows, record) = (&machine, &jobs, &rows, &record);
            Document { machine, ours, peer, thresholds, rounds, jobs, rows, record }.write(path)?;
        }
        Ok(self.status(&rows, &record))
    }

    fn head(&self, machine: &Machine, ours: &Installation, peer: Option<&Installation>) -> String {
        let mut head = format!("{machine}\nours: {ours}\n");
        if let Some(peer) = peer {
            head += &format!("peer: {peer}\n");
        }
        if let Some(line) = self.transport.headline() {
            head += &format!("{line}\n");
        }
        if machine.load > 0.5 {
            head += "something else was running on this machine: these numbers are noisy\n";
        }
        head
    }

    /// A signal counts first. A failure of ours, a session cut short and a quiet that is no fence are always failures; a
    /// missed limit only if asked for.
    fn status(&self, rows: &[Row], record: &Record) -> ExitCode {
        if let Some(signal) = interrupt().signal() {
            return ExitCode::from(interrupt::exit_code(signal));
        }
        let failed = record.cut_short.is_some() || record.failures.iter().any(|failure| failure.side != Side::Peer);
        let missed = |row: &&Row| row.verdict == Verdict::Missed;
        let broken = rows.iter().filter(missed).any(|row| self.strict || row.unit == Unit::Count);
        ExitCode::from(u8::from(failed || broken))
    }

    fn instructions(&self, ours: &Installation, peer: Option<&Installation>) -> Result<ExitCode, Error> {
        let mine = instructions::count(ours, self.calls, self.limit())?;
        let theirs = peer.map(|peer| instructions::count(peer, self.calls, self.limit())).transpose()?;
        let table = instructions::table(&mine, theirs.as_ref());
        print!("{}", table.text());
        if let Some(path) = &self.markdown {
            write(path, &table.markdown())?;
        }
        if let Some(path) = &self.json {
            write(path, &(serde_json::to_string_pretty(&(mine, theirs))? + "\n"))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The PEs of the runs in which PEs compete: what was asked for, or what that is on this machine. PEs that all run at a
/// time are refused, for their rows would tell of a competition that was none.
fn many(asked: &[u32], threads: u32) -> Result<Vec<u32>, Error> {
    if let Some(pes) = asked.iter().find(|&&pes| pes <= threads) {
        let wrong = format!("so many fit the {threads} hardware threads of this machine; give more, or use --pes");
        return Err(format!("--many {pes}: {wrong}").into());
    }
    Ok(if asked.is_empty() { vec![2 * threads, 4 * threads] } else { asked.to_vec() })
}

/// What the table alone would hide: an early end, runs that failed or were not where they should be, and a count of the verdicts.
fn footnotes(jobs: &[Job], rows: &[Row], record: &Record) -> String {
    let mut notes = String::new();
    if let Some(message) = &record.cut_short {
        notes += &format!("cut short, and this is what was measured before: {message}\n");
    }
    for failure in &record.failures {
        let (program, first) = (jobs[failure.job].program, failure.message.lines().next().unwrap_or_default());
        notes += &format!("failed: {program}, {:?}: {first}\n", failure.side);
    }
    for alarm in &record.alarms {
        let (program, pes) = (jobs[alarm.job].program, jobs[alarm.job].pes);
        notes += &format!("not comparable: {program}, {pes} PEs, {:?}: {}\n", alarm.side, alarm.message);
    }
    let count = |verdict| rows.iter().filter(|row| row.verdict == verdict).count();
    let verdicts = [Verdict::Met, Verdict::Unsure, Verdict::Missed, Verdict::Few, Verdict::Unpaired];
    let counted: Vec<String> = verdicts
        .into_iter()
        .filter(|verdict| count(*verdict) > 0)
        .map(|verdict| format!("{} {}", count(verdict), verdict.name().to_lowercase()))
        .collect();
    if !counted.is_empty() {
        notes += &format!("\nlimits: {}\n", counted.join(", "));
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        Options::command().debug_assert();
    }

    #[test]
    fn many_pes_are_more_than_the_machine_runs_at_a_time() {
        assert_eq!(many(&[], 2).unwrap(), [4, 8]);
        assert_eq!(many(&[], 128).unwrap(), [256, 512]);
        assert_eq!(many(&[17, 64], 16).unwrap(), [17, 64]);
        let refused = many(&[32, 16], 16).unwrap_err().to_string();
        assert!(refused.starts_with("--many 16: so many fit the 16 hardware threads"), "{refused}");
    }

    #[test]
    fn launcher_options_may_begin_with_a_dash() {
        let options = Options::try_parse_from(["benches", "all", "--peer-args", "--mca a b"]).unwrap();
        assert_eq!(options.peer_args, "--mca a b");
        assert!(Options::try_parse_from(["benches", "all", "--peer", "/usr", "--peer-oshcc", "x"]).is_err());
        assert!(Options::try_parse_from(["benches", "everything"]).is_err());
    }
}
