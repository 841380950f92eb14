//! The command line.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::Error;
use crate::commands;
use crate::family::Family;
use crate::installation::Dialect;
use crate::interrupt;
use crate::transport::Transport;

/// Measures an OpenSHMEM: latencies, bandwidths, rates, collectives, start-up, applications.
#[derive(Debug, Parser)]
#[command(name = "oshbench", version, args_conflicts_with_subcommands = true, override_usage = USAGE, after_help = AFTER_HELP)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    measure: Measure,
}

/// One line, as the manual shows it.
const USAGE: &str = "oshbench [OPTIONS] [FAMILY]... | oshbench COMMAND [OPTIONS]";

const AFTER_HELP: &str = "\
Examples:
  oshbench put get --quick
  oshbench --quick --output results
  oshbench compare --with /usr/bin/oshcc --output results
  oshbench collectives --pes 2,4,8 --sizes 8,64k,1m --over tcp --format osu
  oshbench report results/results.json --output again

Exit code: 0; 1 if something could not be measured, quiet turned out to be no fence, or a limit of --strict is missed; 2 for a wrong request.";

#[derive(Debug, Subcommand)]
enum Command {
    /// Measure side by side with another OpenSHMEM, and say where we lose
    Compare(Box<Compare>),
    /// Count the instructions of the hot routines by valgrind: no noise
    Instructions(Instructions),
    /// Draw the report again from what was measured before
    Report(Report),
    /// Show what was recorded, one session beside the other
    History(History),
    /// Draw what collectives cost at up to a million PEs, in a model of two networks
    Scale(Scale),
}

/// What is measured, and how.
#[derive(Debug, Args)]
pub struct Measure {
    /// What to measure [default: everything]
    #[arg(value_enum, value_name = "FAMILY")]
    pub families: Vec<Family>,
    /// Minutes instead of an hour: few sizes, short batches
    #[arg(long)]
    pub quick: bool,
    /// PEs of the runs in which all take part, such as 2,4,8 [default: 2, and twice and four times the hardware threads]
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(2..=16384))]
    pub pes: Vec<u32>,
    /// Bytes of the operations, multiples of 8, such as 8,64k,1m [default: what suits each family]
    #[arg(long, value_name = "BYTES,...", value_delimiter = ',')]
    pub sizes: Vec<Size>,
    /// What the PEs go over: shm, tcp, libfabric:PROVIDER, ucx:TLS
    #[arg(long, value_name = "TRANSPORT,...", value_delimiter = ',', default_values_t = [Transport::Shm, Transport::Tcp])]
    pub over: Vec<Transport>,
    /// Hosts and their slots, such as a:2,b:2 [default: this one]
    #[arg(long, value_name = "HOSTS")]
    pub host: Option<String>,
    /// How often each side runs each program [default: 7; quick: 1, and 3 beside another]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub rounds: Option<u32>,
    /// Begin no round that would not be over so many minutes after the first began
    #[arg(long, value_name = "MINUTES", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub within: Option<u32>,
    /// Only these programs of the families
    #[arg(long, value_name = "PROGRAM,...", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Write tables, CSV, JSON, plots and a report for browsers there
    #[arg(long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// What is printed
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Append the rows to the history in this directory, a file for each family
    #[arg(long, value_name = "DIR")]
    pub record: Option<PathBuf>,
    /// Hold the rows to the limits that this project has set itself; status 1 if one is missed
    #[arg(long)]
    pub strict: bool,
    #[command(flatten)]
    pub ours: Ours,
    /// More options for our launcher, separated by blanks; jobs are then no longer kept on this host
    #[arg(long, default_value = "", allow_hyphen_values = true)]
    pub ours_args: String,
    /// Half a round trip of a cache line from which cores count as far, ns
    #[arg(long, default_value_t = 120.0)]
    pub far_from: f64,
    /// Half a round trip from which a probe counts as disturbed, ns
    #[arg(long, default_value_t = 1000.0)]
    pub disturbed_from: f64,
    /// Compiler of the programs without SHMEM
    #[arg(long, default_value = "cc")]
    pub cc: PathBuf,
}

/// Where the installation is that is measured, and where programs are built.
#[derive(Debug, Args)]
pub struct Ours {
    /// Prefix of the installation that is measured [default: the one that this program belongs to]
    #[arg(long)]
    pub prefix: Option<PathBuf>,
    /// Where programs are built [default: oshbench in the user's cache]
    #[arg(long)]
    pub work: Option<PathBuf>,
    /// Seconds that one run may take
    #[arg(long, default_value_t = 120)]
    pub timeout: u64,
}

/// The other installation.
#[derive(Debug, Args)]
pub struct With {
    /// The other OpenSHMEM: its oshcc, or its prefix
    #[arg(long, value_name = "OSHCC")]
    pub with: PathBuf,
    /// Its launcher [default: the oshrun beside its oshcc]
    #[arg(long, value_name = "OSHRUN")]
    pub with_oshrun: Option<PathBuf>,
    /// More options for its launcher, separated by blanks; its jobs are then no longer kept on this host
    #[arg(long, default_value = "", allow_hyphen_values = true)]
    pub with_args: String,
    /// How its launcher is spoken to, if its --version does not tell
    #[arg(long, value_enum)]
    pub with_dialect: Option<Dialect>,
}

/// `oshbench compare`.
#[derive(Debug, Args)]
pub struct Compare {
    #[command(flatten)]
    pub with: With,
    #[command(flatten)]
    pub measure: Measure,
}

/// `oshbench instructions`.
#[derive(Debug, Args)]
pub struct Instructions {
    #[command(flatten)]
    pub ours: Ours,
    /// Count those of another OpenSHMEM besides: its oshcc, or its prefix
    #[arg(long, value_name = "OSHCC")]
    pub with: Option<PathBuf>,
    /// Calls of each routine
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub calls: u64,
    /// Fail if a routine takes over 2 % more than this file says last
    #[arg(long, conflicts_with = "record")]
    pub check: Option<PathBuf>,
    /// Append the counts to this file
    #[arg(long)]
    pub record: Option<PathBuf>,
}

/// `oshbench report`.
#[derive(Debug, Args)]
pub struct Report {
    /// Files results.json of one machine
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Where the report and its plots are written
    #[arg(long)]
    pub output: PathBuf,
}

/// `oshbench history`.
#[derive(Debug, Args)]
pub struct History {
    /// Where --record has written, such as benches/record
    pub directory: PathBuf,
    /// Of which families [default: all]
    #[arg(value_enum, value_name = "FAMILY")]
    pub families: Vec<Family>,
    /// So many sessions of each machine, the latest
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub last: usize,
}

/// `oshbench scale`.
#[derive(Debug, Args)]
pub struct Scale {
    /// Where the plots, the table and a page for browsers are written
    #[arg(long)]
    pub output: PathBuf,
    /// The most PEs; a million takes minutes
    #[arg(long, default_value_t = 1 << 20)]
    pub most: usize,
}

/// What is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A table to read
    Text,
    /// Tables as the OSU micro-benchmarks print them
    Osu,
    /// A table for a Markdown file
    Markdown,
    /// What results.json has
    Json,
    /// What results.csv has
    Csv,
}

/// A number of bytes, as `8`, `64k` or `4m`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size(pub u64);

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let lower = text.to_ascii_lowercase();
        let lower = lower.strip_suffix("ib").or(lower.strip_suffix('b')).unwrap_or(&lower);
        let (digits, factor) = match lower.strip_suffix(['k', 'm', 'g']) {
            None => (lower, 1),
            Some(digits) => (
                digits,
                if lower.ends_with('k') {
                    1 << 10
                } else if lower.ends_with('m') {
                    1 << 20
                } else {
                    1 << 30
                },
            ),
        };
        let bytes = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(factor));
        let bytes = bytes.filter(|bytes| *bytes > 0 && bytes % 8 == 0 && *bytes <= 1 << 32);
        bytes.map(Self).ok_or_else(|| format!("`{text}` is no multiple of 8 bytes up to 4 GiB, such as 8, 64k or 1m"))
    }
}

/// Parse the command line and run the command.
pub fn main() -> Result<ExitCode, Error> {
    if std::env::args_os().len() <= 1 {
        print!("{}", overview());
        return Ok(ExitCode::SUCCESS);
    }
    let cli = Cli::parse();
    interrupt::listen()?;
    match cli.command {
        None => commands::measure(&cli.measure, None),
        Some(Command::Compare(compare)) => commands::measure(&compare.measure, Some(&compare.with)),
        Some(Command::Instructions(options)) => commands::instructions(&options),
        Some(Command::Report(options)) => commands::report(&options),
        Some(Command::History(options)) => commands::history(&options),
        Some(Command::Scale(options)) => commands::scale(&options),
    }
}

/// An overview of the commands and families, on one screen.
fn overview() -> String {
    let mut text = String::from(
        "oshbench measures an OpenSHMEM: this one, or this one beside another.\n\n\
         \x20 oshbench --quick --output DIR                      everything in minutes; open DIR/report.html\n\
         \x20 oshbench compare --with /usr/bin/oshcc             both in alternation, and where we lose\n\
         \x20 oshbench put get --over shm,tcp --sizes 8,1k,1m    families, transports and sizes of your choice\n\
         \x20 oshbench instructions                              instructions of hot routines, without noise\n\
         \x20 oshbench history benches/record put                what was recorded, session by session\n\
         \x20 oshbench scale --output DIR                        collectives at a million PEs, in a model\n\nFamilies:\n",
    );
    for family in Family::all() {
        text += &format!("  {:<14}{}\n", family.name(), family.about());
    }
    text + "\noshbench --help lists the options; man oshbench says what a number means.\n"
}

impl Ours {
    /// The prefix that the user gave, else the installation of this program, else the one of the build tree.
    pub fn prefix(&self) -> Result<PathBuf, Error> {
        let given = match &self.prefix {
            Some(prefix) => prefix.clone(),
            None => own_prefix()?.unwrap_or_else(|| PathBuf::from("target/prefix")),
        };
        // Compilers and launchers may locate their prefix relative to their own path, so it must be absolute.
        Ok(std::path::absolute(given)?)
    }

    /// The directory in which programs are built.
    pub fn work(&self) -> Result<PathBuf, Error> {
        let cache = || cache().ok_or("there is no HOME to build programs in; give --work");
        Ok(self.work.clone().map_or_else(|| cache().map(|cache| cache.join("oshbench")), Ok)?)
    }
}

/// The installation whose `bin` contains this program.
fn own_prefix() -> Result<Option<PathBuf>, Error> {
    let program = std::env::current_exe()?;
    let prefix = program.parent().and_then(Path::parent);
    Ok(prefix.filter(|prefix| prefix.join("bin/oshcc").is_file()).map(Path::to_owned))
}

#[expect(
    clippy::disallowed_methods,
    reason = "where a command's user keeps what can be built again is no setting of a PE"
)]
fn cache() -> Option<PathBuf> {
    let directory = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    directory("XDG_CACHE_HOME").or_else(|| Some(directory("HOME")?.join(".cache")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn parse(words: &[&str]) -> Result<Cli, clap::Error> {
        Cli::try_parse_from([&["oshbench"], words].concat())
    }

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_overview_is_one_screen_with_every_family() {
        let text = overview();
        assert!(text.lines().count() <= 40 && text.lines().all(|line| line.len() < 100), "{text}");
        assert!(Family::all().iter().all(|family| text.contains(&format!("\n  {} ", family.name()))), "{text}");
    }

    #[test]
    fn families_stand_alone_or_behind_compare() {
        let cli = parse(&["put", "collectives", "--over", "tcp,ucx:rc+sm", "--sizes", "8,64k,1MiB"]).unwrap();
        assert_eq!(cli.measure.families, [Family::Put, Family::Collectives]);
        assert_eq!(cli.measure.over, [Transport::Tcp, Transport::Ucx("rc+sm".to_owned())]);
        assert_eq!(cli.measure.sizes, [Size(8), Size(64 << 10), Size(1 << 20)]);
        let cli = parse(&["compare", "--with", "/usr", "away", "--with-args", "--mca a b"]).unwrap();
        let Some(Command::Compare(compare)) = cli.command else { panic!("{cli:?}") };
        assert_eq!((compare.with.with_args.as_str(), compare.measure.families), ("--mca a b", vec![Family::Away]));
    }

    #[test]
    fn senseless_requests_are_refused() {
        for words in [
            &["everything"][..],
            &["put", "--sizes", "12"],
            &["put", "--sizes", "0"],
            &["put", "--over", "memory"],
            &["put", "--pes", "1"],
            &["compare", "put"],
            &["instructions", "--check", "a", "--record", "b"],
            &["report"],
        ] {
            assert!(parse(words).is_err(), "{words:?}");
        }
    }
}
