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

/// Benchmarks for OpenSHMEM: latency, bandwidth, message rate, collectives, start-up, applications.
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

Exit code: 0; 1 if a measurement failed, quiet did not act as a fence, or a limit of --strict was missed; 2 for a wrong command line.";

#[derive(Debug, Subcommand)]
enum Command {
    /// Compare with another OpenSHMEM, and list where this one is slower
    Compare(Box<Compare>),
    /// Count the instructions of hot routines with valgrind; unlike times, counts have no noise
    Instructions(Instructions),
    /// Measure memory of GPUs, beside the driver's own copies and beside puts between host memory
    Device(Device),
    /// Write the report again, from the results.json of earlier runs
    Report(Report),
    /// Show recorded results, session by session
    History(History),
    /// Predict the cost of collectives on up to a million PEs, in a model of two networks
    Scale(Scale),
}

/// Selection of measurements, and their conditions.
#[derive(Debug, Args)]
pub struct Measure {
    /// Families of benchmarks to run [default: all]
    #[arg(value_enum, value_name = "FAMILY")]
    pub families: Vec<Family>,
    /// Run for minutes instead of an hour: few sizes, short batches
    #[arg(long)]
    pub quick: bool,
    /// Numbers of PEs for collectives and rates, such as 2,4,8 [default: 2, and twice and four times the hardware threads]
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(2..=16384))]
    pub pes: Vec<u32>,
    /// Sizes of operations in bytes, multiples of 8, such as 8,64k,1m [default: depends on the family]
    #[arg(long, value_name = "BYTES,...", value_delimiter = ',')]
    pub sizes: Vec<Size>,
    /// Transports: shm, tcp, libfabric:PROVIDER, ucx:TLS
    #[arg(long, value_name = "TRANSPORT,...", value_delimiter = ',', default_values_t = [Transport::Shm, Transport::Tcp])]
    pub over: Vec<Transport>,
    /// Hosts and their slots, such as a:2,b:2 [default: this host]
    #[arg(long, value_name = "HOSTS")]
    pub host: Option<String>,
    /// Number of runs of each program on each side [default: 7; with --quick 1, or 3 in a comparison]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub rounds: Option<u32>,
    /// Start no round that would end later than this number of minutes after the start
    #[arg(long, value_name = "MINUTES", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub within: Option<u32>,
    /// Run only these programs of the families
    #[arg(long, value_name = "PROGRAM,...", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Write tables, CSV, JSON, plots and an HTML report to this directory
    #[arg(long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Append the results to the history in this directory, one file for each family
    #[arg(long, value_name = "DIR")]
    pub record: Option<PathBuf>,
    /// Check the results against this project's limits; exit code 1 if one is missed
    #[arg(long)]
    pub strict: bool,
    #[command(flatten)]
    pub ours: Ours,
    /// More options for oshrun, separated by blanks; jobs are then not confined to this host
    #[arg(long, default_value = "", allow_hyphen_values = true)]
    pub ours_args: String,
    /// Half round trip of a cache line, in ns, from which two cores count as far apart
    #[arg(long, default_value_t = 120.0)]
    pub far_from: f64,
    /// Half round trip of a probe, in ns, from which the run counts as disturbed
    #[arg(long, default_value_t = 1000.0)]
    pub disturbed_from: f64,
    /// Compiler for programs without SHMEM
    #[arg(long, default_value = "cc")]
    pub cc: PathBuf,
}

/// The measured installation, and the directory in which programs are built.
#[derive(Debug, Args)]
pub struct Ours {
    /// Prefix of the measured installation [default: the one of this program]
    #[arg(long)]
    pub prefix: Option<PathBuf>,
    /// Directory in which programs are built [default: oshbench in the user's cache]
    #[arg(long)]
    pub work: Option<PathBuf>,
    /// Time limit of one run, in seconds
    #[arg(long, default_value_t = 120)]
    pub timeout: u64,
}

/// Options for the installation to compare with.
#[derive(Debug, Args)]
pub struct With {
    /// The other OpenSHMEM: its oshcc, or its prefix
    #[arg(long, value_name = "OSHCC")]
    pub with: PathBuf,
    /// Its launcher [default: the oshrun beside its oshcc]
    #[arg(long, value_name = "OSHRUN")]
    pub with_oshrun: Option<PathBuf>,
    /// More options for its launcher, separated by blanks; its jobs are then not confined to this host
    #[arg(long, default_value = "", allow_hyphen_values = true)]
    pub with_args: String,
    /// Command-line dialect of its launcher [default: detected from its --version]
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
    /// Count another OpenSHMEM as well: its oshcc, or its prefix
    #[arg(long, value_name = "OSHCC")]
    pub with: Option<PathBuf>,
    /// Number of calls of each routine
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub calls: u64,
    /// Fail if a routine takes over 2 % more than the last count in this file
    #[arg(long, conflicts_with = "record")]
    pub check: Option<PathBuf>,
    /// Append the counts to this file
    #[arg(long)]
    pub record: Option<PathBuf>,
}

/// `oshbench device`.
#[derive(Debug, Args)]
pub struct Device {
    #[command(flatten)]
    pub ours: Ours,
    /// Sizes of operations in bytes, multiples of 8
    #[arg(long, value_name = "BYTES,...", value_delimiter = ',', default_value = "8,64k,1m,4m,16m,64m")]
    pub sizes: Vec<Size>,
    /// Number of runs over each transport
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub rounds: u32,
}

/// `oshbench report`.
#[derive(Debug, Args)]
pub struct Report {
    /// Files results.json, all of one machine
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Directory for the report and its plots
    #[arg(long)]
    pub output: PathBuf,
}

/// `oshbench history`.
#[derive(Debug, Args)]
pub struct History {
    /// Directory written by --record, such as benches/record
    pub directory: PathBuf,
    /// Families to show [default: all]
    #[arg(value_enum, value_name = "FAMILY")]
    pub families: Vec<Family>,
    /// Number of latest sessions of each machine
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub last: usize,
}

/// `oshbench scale`.
#[derive(Debug, Args)]
pub struct Scale {
    /// Directory for the plots, the table and an HTML page
    #[arg(long)]
    pub output: PathBuf,
    /// Maximum number of PEs; a million takes minutes
    #[arg(long, default_value_t = 1 << 20)]
    pub most: usize,
}

/// Format of the printed results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A plain table
    Text,
    /// Tables in the format of the OSU micro-benchmarks
    Osu,
    /// A Markdown table
    Markdown,
    /// The contents of results.json
    Json,
    /// The contents of results.csv
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
        bytes.map(Self).ok_or_else(|| "expected a multiple of 8 bytes up to 4 GiB, such as 8, 64k or 1m".to_owned())
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
        Some(Command::Device(options)) => commands::device(&options),
        Some(Command::Report(options)) => commands::report(&options),
        Some(Command::History(options)) => commands::history(&options),
        Some(Command::Scale(options)) => commands::scale(&options),
    }
}

/// An overview of the commands and families, on one screen.
fn overview() -> String {
    let mut text = String::from(
        "oshbench measures this OpenSHMEM, alone or in comparison with another.\n\n\
         \x20 oshbench --quick --output DIR                      all families, in minutes; see DIR/report.html\n\
         \x20 oshbench compare --with /usr/bin/oshcc             both in alternation, and where it is slower\n\
         \x20 oshbench put get --over shm,tcp --sizes 8,1k,1m    selected families, transports and sizes\n\
         \x20 oshbench instructions                              count instructions of hot routines\n\
         \x20 oshbench device                                    memory of GPUs, beside the driver's own copies\n\
         \x20 oshbench history benches/record put                show recorded results\n\
         \x20 oshbench scale --output DIR                        predict collectives on a million PEs\n\nFamilies:\n",
    );
    for family in Family::all() {
        text += &format!("  {:<14}{}\n", family.name(), family.about());
    }
    text + "\noshbench --help lists the options; man oshbench explains the numbers.\n"
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
        let cache = || cache().ok_or("HOME is not set, so there is no directory to build programs in; give --work");
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
