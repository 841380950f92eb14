//! The command line of `oshrun`.

use super::hosts::{self, HostLine};
use super::rsh;
use super::words::{is_called, normalised};
use clap::{
    ArgAction, Args, CommandFactory, Parser,
    error::{ContextKind, ContextValue},
};
use ferrite_os::clock::parse_seconds;
use ferrite_settings::{CARRIERS, CheckMode, Transport};
use ferrite_topology::{BindTo, GpuWish, MapBy};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// The examples of both help texts.
macro_rules! examples {
    () => {
        "\
Examples:
  oshrun -n 4 ./a.out                     four PEs of a.out
  oshrun -n 4 ./a.out -v input.dat        words after the program are its own
  oshrun ./a.out                          one PE for each CPU it may use
  oshrun -n 1 ./master : -n 3 ./worker    two programs: PE 0, and PEs 1 to 3
  oshrun -n 8 -l --timeout 60 ./a.out     tagged output; end after a minute
  oshrun --host a:2,b:2 ./a.out           two PEs on each of two hosts, by ssh
  oshrun --hostfile FILE -N 4 ./a.out     four PEs on each host of a file

"
    };
}

/// The end of `--help`.
const SUMMARY: &str = concat!(
    examples!(),
    "\
Exit code: that of the first PE that failed; 124 after --timeout; 86 if --check
found a mistake. Ctrl-C ends the job; a second Ctrl-C kills it at once.
Details: oshrun --help=all, or man oshrun. Options of other launchers: man
ferrite_moving."
);

/// The end of `--help=all`.
const DETAILS: &str = concat!(
    examples!(),
    "\
Without --host and --hostfile, PEs start on the hosts of the allocation (Slurm, PBS, LSF, Grid Engine), or else on this host. \
Other hosts need oshrun and the program under the same paths.
Each PE gets FERRITE_PE, FERRITE_NPES, FERRITE_LOCAL_PE and the variables given by -x. On this host it also gets the whole \
environment of oshrun; on other hosts, LD_LIBRARY_PATH, SLURM_CPUS_PER_TASK, XT_SYMMETRIC_HEAP_SIZE, OMPI_MCA_shmem_symmetric_heap_size and \
variables that begin with SHMEM_, SMA_, UCX_, FI_, FERRITE_, OMP_, PSM3_, CXI_ or RDMAV_.
Exit code: that of the first PE that failed (128 + N if signal N killed it); 86 if --check found a mistake; 124 after --timeout; \
127 if the program is not found, 126 if it cannot be executed; 2 for a wrong command line; 1 for other errors.
Ctrl-C ends the job; a second Ctrl-C kills it at once. Details: man oshrun; options of other launchers: man ferrite_moving."
);

/// Heading of the options that `--help` leaves out.
const OTHERS: &str = "Other options";

/// Start the PEs of an OpenSHMEM program, and wait until they have ended.
#[derive(Parser, Debug)]
#[command(name = "oshrun", version, after_help = SUMMARY, after_long_help = DETAILS, override_usage = USAGE)]
#[command(disable_help_flag = true)]
struct First {
    #[command(flatten)]
    app: AppOptions,
    #[command(flatten)]
    job: JobOptions,
    /// Print this summary; --help=all prints all options
    #[arg(short = 'h', long, action = ArgAction::HelpShort)]
    help: Option<bool>,
    /// `--help=all`, which `words` translates.
    #[arg(long = HELP_ALL, action = ArgAction::HelpLong, hide = true)]
    help_all: Option<bool>,
}

/// The option that stands for `--help=all`.
pub const HELP_ALL: &str = "help-all";

const USAGE: &str = "oshrun [OPTIONS] [-n N] PROGRAM [ARGUMENTS]... [: [-n N] PROGRAM ...]...";

/// A further program of the same job.
#[derive(Parser, Debug)]
#[command(name = "oshrun ... :", override_usage = USAGE, disable_help_flag = true)]
struct Further {
    #[command(flatten)]
    app: AppOptions,
}

/// Options of the whole job. The first paragraph of each is what `--help` prints: one line of a terminal with 80 columns.
#[derive(Args, Clone, Debug)]
pub struct JobOptions {
    /// Start each line of output with its PE: `[3] text`
    #[arg(short = 'l', long)]
    pub tag_output: bool,
    /// Write output to DIR/pe.N.out and DIR/pe.N.err
    #[arg(long, value_name = "DIR")]
    pub output_filename: Option<PathBuf>,
    /// End the job after this time, with exit code 124.
    ///
    /// Reports where the PEs are.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<Duration>,
    /// Bind each PE to a core, numa, socket or none.
    ///
    /// Default: core if there are several PEs and a core for each, else none.
    #[arg(long, value_name = "WHAT", value_parser = from_text::<BindTo>)]
    pub bind_to: Option<BindTo>,
    /// Next PE on next slot, core, numa, socket or node.
    ///
    /// A node is a host. ppr:N:RESOURCE starts N PEs of each program on each core, numa, socket or node; on several hosts this needs
    /// -N, unless RESOURCE is node. Default: slot.
    #[arg(long, value_name = "WHAT", default_value = "slot", hide_default_value = true, value_parser = from_text::<MapBy>)]
    pub map_by: MapBy,
    /// Number of CPUs for each PE and its threads.
    ///
    /// They are neighbours. Default: SLURM_CPUS_PER_TASK or OMP_NUM_THREADS, else 1; with --bind-to, 1.
    #[arg(long, aliases = ["cpus-per-proc", "cpus-per-rank", "cpus-per-task"], value_name = "N", value_parser = cpus)]
    pub cpus_per_pe: Option<u32>,
    /// GPUs of each PE: the nearest, or N of its own.
    ///
    /// PEs share the nearest GPUs evenly if there are more PEs. Sets CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER for NVIDIA's GPUs, among
    /// those that CUDA_VISIBLE_DEVICES of the host names.
    #[arg(long, alias = "gpus-per-task", value_name = "nearest|N", value_parser = from_text::<GpuWish>)]
    pub gpus: Option<GpuWish>,
    /// auto, shm, tcp, libfabric, ucx, or as in shm,ucx.
    ///
    /// Transport between PEs. shm works within one host only; shm and another transport, such as shm,ucx, uses shared memory within each
    /// host. Sets SHMEM_TRANSPORT.
    #[arg(long, value_name = "WHAT", value_parser = transport)]
    pub transport: Option<Transport>,
    /// Find mistakes; races need oshcc --check.
    ///
    /// WORDS: warn (keep the program's exit code), json (findings as JSON), order or order:SEED (delay and reorder operations). Sets
    /// SHMEM_CHECK.
    #[arg(long, value_name = "WORDS", num_args = 0..=1, require_equals = true, default_missing_value = "1", value_parser = check)]
    pub check: Option<String>,
    /// Write a profile as an HTML page.
    ///
    /// It has the communication between PEs, and the time spent in each routine. Default FILE: shmem-profile.html. Sets SHMEM_PROFILE.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = PROFILE)]
    pub profile: Option<PathBuf>,
    /// Write a trace of all calls, for Perfetto.
    ///
    /// Perfetto is ui.perfetto.dev. If FILE ends in .otf2, it is a directory for Vampir and others. Sets SHMEM_TRACE.
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Show the CPUs, NICs and GPUs of each PE.
    ///
    /// Shows also why PEs are not bound.
    #[arg(long, aliases = ["display-map", "display-allocation"])]
    pub report_bindings: bool,
    /// Command to reach a host [default: ssh ... {host}].
    ///
    /// Starts a program on another host; {host} stands for the host's name. `step` starts all hosts at once, with srun in a Slurm job, or
    /// with mpiexec in a PBS job with PALS. On the hosts of an allocation the default is `step` with Slingshot, else srun under Slurm
    /// [default: ssh -x -a -T -o BatchMode=yes -o ControlMaster=no {host}]
    #[arg(long, value_name = "TEMPLATE", alias = "launcher-exec")]
    pub rsh: Option<rsh::Template>,
    /// Time between SIGTERM and SIGKILL when the job is ended from outside [default: 2]
    #[arg(long, value_name = "SECONDS", value_parser = seconds, hide_short_help = true, help_heading = OTHERS)]
    pub grace: Option<Duration>,
    /// When the PEs are in a deadlock: report it and leave the job for a debugger, or abort the job [default: report]. Sets
    /// SHMEM_ON_STALL
    #[arg(long, value_name = "WHAT", value_parser = ["report", "abort"], hide_short_help = true, help_heading = OTHERS)]
    pub on_stall: Option<String>,
    /// What the loss of a PE does: `end` ends the job; `return` lets the calls of the others return, and they go on [default: end]. Sets
    /// SHMEM_ON_LOSS. See ferrite_start(7)
    #[arg(long, value_name = "WHAT", value_parser = ["end", "return"], hide_short_help = true, help_heading = OTHERS)]
    pub on_loss: Option<String>,
    /// Start PEs without address space randomisation, for programs that send each other addresses of functions or data
    #[arg(long, hide_short_help = true, help_heading = OTHERS)]
    pub no_aslr: bool,
    /// Do not warn if a host of an allocation gets more PEs than it has slots (which is always allowed)
    #[arg(long, hide_short_help = true, help_heading = OTHERS)]
    pub oversubscribe: bool,
    /// Path of oshrun on other hosts [default: the path of this one]
    #[arg(long, value_name = "PATH", hide_short_help = true, help_heading = OTHERS)]
    pub launch_agent: Option<PathBuf>,
    /// Maximum number of hosts that oshrun, or one of its agents, starts directly
    #[arg(long, value_name = "N", default_value = "32", value_parser = hosts_each, hide_short_help = true, help_heading = OTHERS)]
    pub fan_out: u32,
    /// Time after which a silent host is reported as late, and TCP connections to a host that does not answer are lost [default: 5]
    #[arg(long, value_name = "SECONDS", value_parser = seconds, hide_short_help = true, help_heading = OTHERS)]
    pub host_timeout: Option<Duration>,
    /// Time after which a silent host (over libfabric and UCX, a silent PE) is lost, and the job ends [default: 60, at least
    /// --host-timeout]
    #[arg(long, value_name = "SECONDS", value_parser = seconds, hide_short_help = true, help_heading = OTHERS)]
    pub lost_timeout: Option<Duration>,
    /// Time after which a host whose agent has not started is lost [default: 60, at least --host-timeout]
    #[arg(long, value_name = "SECONDS", value_parser = seconds, hide_short_help = true, help_heading = OTHERS)]
    pub start_timeout: Option<Duration>,
}

/// Options of one program of the job.
#[derive(Args, Clone, Debug)]
pub struct AppOptions {
    /// Number of PEs [default: one for each slot or CPU].
    ///
    /// Slots are those of the given or allocated hosts; without hosts, CPUs are those that this process may use.
    #[arg(short = 'n', short_alias = 'c', long = "np", alias = "ntasks", value_name = "N", allow_negative_numbers = true, value_parser = pes)]
    pub count: Option<u32>,
    /// Number of PEs on each host (also --ppn)
    #[arg(short = 'N', long = "npernode", aliases = ["ppn", "perhost", "ntasks-per-node"], value_name = "N", value_parser = pes)]
    pub per_host: Option<u32>,
    // No doc comment: rustdoc would take the brackets for a link.
    #[arg(short = 'H', long, aliases = ["hosts", "nodelist"], value_name = "HOST,...", value_parser = listed,
          help = "Hosts, with their slots: a, b:4, [fe80::1]:2",
          long_help = "Hosts, with their slots: a, b:4, [fe80::1]:2.\n\nThey hold for this and later programs.")]
    pub host: Option<Hosts>,
    /// File of hosts, one per line: NAME [slots=N].
    ///
    /// max_slots=N limits the PEs of a host.
    #[arg(long, alias = "machinefile", short_alias = 'f', value_name = "FILE", conflicts_with = "host")]
    pub hostfile: Option<PathBuf>,
    /// Set a variable in the environment of the PEs.
    ///
    /// Without a value, the variable of oshrun is passed on to other hosts.
    #[arg(short = 'x', value_name = "NAME[=VALUE]")]
    pub export: Vec<OsString>,
    /// Start the PEs in this directory
    #[arg(long, aliases = ["wd", "chdir"], value_name = "DIR")]
    pub wdir: Option<PathBuf>,
    /// Program, and its arguments
    #[arg(value_name = "PROGRAM", required = true, last = true, hide_short_help = true)]
    pub command: Vec<OsString>,
}

/// The hosts of `--host`.
#[derive(Clone, Debug)]
pub struct Hosts(pub Vec<HostLine>);

fn listed(text: &str) -> Result<Hosts, String> {
    hosts::listed(text).map(Hosts)
}

/// The file of `--profile` without a name.
const PROFILE: &str = "shmem-profile.html";

/// The most PEs that a job may have: numbers of PEs are C ints with room to spare.
const PES_MAX: u32 = 1 << 24;

/// A parsed command line.
#[derive(Debug)]
pub struct Request {
    /// The options of the whole job.
    pub job: JobOptions,
    /// The programs, in the order of their PEs.
    pub apps: Vec<AppOptions>,
    /// Lines for the user about options of other launchers.
    pub notices: Vec<String>,
}

/// Parse a command line (its first word is the command's own name).
pub fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Request, clap::Error> {
    let args: Vec<OsString> = args.into_iter().collect();
    let mut parts = args.split(|arg| arg == ":");
    let mut notices = Vec::new();
    let words = normalised(parts.next().unwrap_or_default(), &First::command(), &mut notices)?;
    let first = understood::<First>(words)?;
    let mut apps = vec![first.app];
    for part in parts {
        let name = [OsString::from("oshrun")];
        let words = normalised(&[&name[..], part].concat(), &Further::command(), &mut notices)?;
        apps.push(understood::<Further>(words)?.app);
    }
    if apps.len() > 1
        && let Some(bare) = apps.iter().find(|app| app.count.is_none() && app.per_host.is_none())
    {
        let program = bare.command[0].to_string_lossy();
        let text = format!("with several programs each needs its own -n N; `{program}` has none");
        return Err(First::command().error(clap::error::ErrorKind::MissingRequiredArgument, text));
    }
    notices.extend(apps.iter().filter_map(count_behind_program));
    Ok(Request { job: first.job, apps, notices })
}

/// Whether an option with this name, without dashes, is one of the whole job.
pub fn is_of_job(name: &str) -> bool {
    JobOptions::augment_args(clap::Command::new("oshrun")).get_arguments().any(|option| is_called(option, name))
}

/// A hint for `oshrun PROGRAM -n 4`: words after the program are its own.
fn count_behind_program(app: &AppOptions) -> Option<String> {
    // With hosts, their slots say how many PEs there are.
    if app.count.is_some() || app.per_host.is_some() || app.host.is_some() || app.hostfile.is_some() {
        return None;
    }
    let [program, arguments @ ..] = &app.command[..] else { return None };
    let pair = arguments.windows(2).find(|pair| ["-n", "-np", "--np"].iter().any(|option| pair[0] == *option))?;
    let (option, count) = (pair[0].to_str()?, pair[1].to_str()?.parse::<u32>().ok()?);
    let program = program.to_string_lossy();
    Some(format!(
        "{option} {count} after {program} is an argument of {program}; for {count} PEs: oshrun -n {count} {program}"
    ))
}

/// Parse the words with clap. Removes clap's advice to hide an unknown option behind `--`: that would make the option a program. An option
/// whose value is wrong is named as it was written: `-n`, not `--np`.
fn understood<T: Parser>(words: Vec<OsString>) -> Result<T, clap::Error> {
    T::try_parse_from(&words).map_err(|mut error| {
        error.remove(ContextKind::Suggested);
        if let Some(written) = written(&error, &words, &T::command()) {
            error.insert(ContextKind::InvalidArg, ContextValue::String(written));
        }
        error
    })
}

/// The option whose value is wrong, as the user wrote it, with the placeholder of its value. `None` if it was written with its long name.
fn written(error: &clap::Error, words: &[OsString], command: &clap::Command) -> Option<String> {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let (value, (long, placeholder)) =
        (text(ContextKind::InvalidValue)?, text(ContextKind::InvalidArg)?.split_once(' ')?);
    let option = command.get_arguments().find(|option| option.get_long() == long.strip_prefix("--"))?;
    let shorts = option.get_short().into_iter().chain(option.get_all_short_aliases().unwrap_or_default());
    let mut shorts = shorts.map(|letter| format!("-{letter}"));
    let short = shorts.find(|short| words.windows(2).any(|pair| pair[0] == **short && pair[1] == *value))?;
    Some(format!("{short} {placeholder}"))
}

/// Parse a number of PEs.
fn pes(text: &str) -> Result<u32, String> {
    // `-np4` is parsed as `-n p4`.
    let hint = text.strip_prefix('p').filter(|rest| rest.parse::<u32>().is_ok());
    number(text, "PEs", PES_MAX).map_err(|error| hint.map_or(error, |count| format!("write -np {count}")))
}

/// Parse a number of CPUs.
fn cpus(text: &str) -> Result<u32, String> {
    number(text, "CPUs", 65_536)
}

/// Parse the number of hosts of `--fan-out`.
fn hosts_each(text: &str) -> Result<u32, String> {
    number(text, "hosts", 1024)
}

/// Parse a number of `what` from 1 to `most`.
fn number(text: &str, what: &str, most: u32) -> Result<u32, String> {
    let number = text.parse().ok().filter(|number| (1..=most).contains(number));
    number.ok_or_else(|| format!("expected a number of {what} from 1 to {most}"))
}

/// Parse a transport as the runtime does.
fn transport(text: &str) -> Result<Transport, String> {
    Transport::parse(text).ok_or_else(|| {
        let mut words = CARRIERS.iter().map(|&(word, _)| word);
        let last = words.next_back().unwrap_or_default();
        format!(
            "expected {} or {last}, or shm and one of these, such as shm,{last}",
            words.collect::<Vec<_>>().join(", ")
        )
    })
}

/// Parse the value of `--check` as the runtime does.
fn check(text: &str) -> Result<String, String> {
    let known = CheckMode::parse(text).map(|_| text.to_owned());
    known.ok_or_else(|| "expected words separated by commas: error or warn, json, order or order:SEED".into())
}

/// Parse a number of seconds.
pub fn seconds(text: &str) -> Result<Duration, String> {
    parse_seconds(text).ok_or_else(|| "expected a number of seconds above 0, such as 90 or 2.5".into())
}

fn from_text<T: std::str::FromStr>(text: &str) -> Result<T, String>
where
    T::Err: std::fmt::Display,
{
    text.parse().map_err(|error: T::Err| error.to_string())
}

#[cfg(test)]
#[path = "options_tests.rs"]
mod tests;
