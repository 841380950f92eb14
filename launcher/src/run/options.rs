//! The command line of `oshrun`.

use super::foreign_options::{Translation, translated};
use super::hosts::{self, HostLine};
use super::rsh;
use clap::{Args, CommandFactory, Parser, error::ContextKind};
use ferrite_runtime::settings::{CARRIERS, CheckMode, Transport};
use ferrite_topology::{BindTo, MapBy};
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  oshrun -n 4 ./a.out                     four PEs of a.out
  oshrun -n 4 ./a.out -v input.dat        what follows the program belongs to it
  oshrun ./a.out                          as many PEs as there are CPUs for this process
  oshrun -n 1 ./master : -n 3 ./worker    two programs, one job: PE 0, and PEs 1 to 3
  oshrun -n 2 -x SHMEM_SYMMETRIC_SIZE=2G --bind-to core --report-bindings ./a.out
  oshrun -n 8 -l --timeout 60 ./a.out     lines begin with their PE; a minute at most
  oshrun --host a:2,b:2 ./a.out           two PEs on host a, two on host b, started by ssh
  oshrun --hostfile FILE -N 4 ./a.out     four on each host of a file (lines: NAME slots=N)
  oshrun --host a,b --rsh 'ssh -p 2222 {host}' -n 8 ./a.out

Other hosts are reached by ssh, or as --rsh says, and must have this oshrun and the program under the same path (or see \
--launch-agent). No other connection is made by oshrun. Variables that begin with SHMEM_, SMA_, UCX_, FI_, FERRITE_ or \
OMP_ travel, and LD_LIBRARY_PATH, and those given by -x; PEs start in the same directory. This host's own name, or \
localhost, stands for this host, without a remote shell.
Also understood, for scripts that were written for other launchers: -hosts LIST and -f FILE (--host, --hostfile), -perhost N \
(-N), -c N (-n), -env and -genv NAME VALUE (-x NAME=VALUE), -envlist and -genvlist NAMES, --display-map (--report-bindings), \
-rr (--map-by node), -envall, -genvall and --allow-run-as-root, which ask for what is so anyway; -v and --mca NAME VALUE are \
told and left out. A long option may have one dash.
In an allocation by Slurm (salloc, sbatch), PBS, LSF or Grid Engine its hosts and slots are used where no program has \
--host or --hostfile, also where it is this host alone; Slurm's other hosts are reached by srun. --host localhost:N keeps \
to this host, with N slots. A task of a job (srun, pbsdsh) keeps to its host, and to no slots.
Standard streams: stdin goes to PE 0; the output of all PEs comes line by line, whole lines only.
Environment of each PE: FERRITE_PE, FERRITE_NPES and FERRITE_LOCAL_PE tell scripts which PE they are. Programs that \
speak PMI-1 (MPICH's) are served: PMI_RANK, PMI_SIZE, PMI_FD. MPI programs of Open MPI are not, and would each be alone: its \
mpirun starts them, and programs of OpenSHMEM too.
Environment of oshrun: FERRITE_RSH, FERRITE_HOST_TIMEOUT, FERRITE_LOST_TIMEOUT, FERRITE_START_TIMEOUT and FERRITE_GRACE \
stand for --rsh, --host-timeout, --lost-timeout, --start-timeout and --grace; FERRITE_LAST_RUN names the file of oshmem_info --last-run.
Lost hosts: one whose connection is closed, as when its agent is killed, is lost at once; one that only says nothing is \
late, which is told once, and goes on as soon as it can; it is lost after --lost-timeout.
Exit code: that of the first PE that failed (128 + signal if one killed it), 86 if --check has found a mistake, 124 after --timeout, 127 if the program \
is not found, 126 if it cannot be started, 2 for a wrong command line, 1 for whatever else a job cannot be started for.
Ctrl-C ends the job (SIGTERM, and SIGKILL after two seconds or --grace); a second Ctrl-C kills it at once.";

/// Start the PEs of an OpenSHMEM program and see them to their end.
#[derive(Parser, Debug)]
#[command(name = "oshrun", version, after_help = EXAMPLES, override_usage = USAGE)]
struct First {
    #[command(flatten)]
    job: JobOptions,
    #[command(flatten)]
    app: AppOptions,
}

const USAGE: &str = "oshrun [OPTIONS] [-n N] PROGRAM [ARGUMENTS]... [: [-n N] PROGRAM [ARGUMENTS]...]...";

/// A further program of the same job.
#[derive(Parser, Debug)]
#[command(name = "oshrun ... :", override_usage = USAGE, disable_help_flag = true)]
struct Further {
    #[command(flatten)]
    app: AppOptions,
}

/// What holds for the whole job.
#[derive(Args, Clone, Debug)]
pub struct JobOptions {
    /// Begin each line of output with the number of its PE, as in `[3] text`
    #[arg(short = 'l', long)]
    pub tag_output: bool,
    /// Write the output of each PE into DIR/pe.N.out and DIR/pe.N.err instead of the terminal
    #[arg(long, value_name = "DIR")]
    pub output_filename: Option<PathBuf>,
    /// End the job after so many seconds, with exit code 124; before, its PEs say where they are
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<Duration>,
    /// From SIGTERM to SIGKILL when the user, a scheduler or --timeout ends the job: so long PEs may take to save what they
    /// have [default: 2]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub grace: Option<Duration>,
    /// Bind each PE to: none, core (or the cores of --cpus-per-pe), numa or socket [default: core while several PEs fit the
    /// cores and no control group limits their time, else none]
    #[arg(long, value_name = "WHAT", value_parser = from_text::<BindTo>)]
    pub bind_to: Option<BindTo>,
    /// Where successive PEs go: slot, core, numa, socket, node (in turn over the hosts), or ppr:N:RESOURCE for N of each
    /// program on each core, numa, socket or node: so many as that makes, or -n of them; over several hosts only node
    /// goes without -N
    #[arg(long, value_name = "WHAT", default_value = "slot", value_parser = from_text::<MapBy>)]
    pub map_by: MapBy,
    /// How many CPUs each PE has use for, with its threads: it is placed on so many side by side, and bound to them
    /// [default: without --bind-to what SLURM_CPUS_PER_TASK or OMP_NUM_THREADS says, else 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub cpus_per_pe: Option<u32>,
    /// What carries communication between PEs: auto, shm (one host alone), tcp, libfabric or ucx, or as shm,ucx, with
    /// memory shared on each host. Sets SHMEM_TRANSPORT, which -x may set otherwise for a program
    #[arg(long, value_name = "WHAT", value_parser = transport)]
    pub transport: Option<Transport>,
    /// Write who talks to whom, and where the time goes, into FILE: one page that any browser opens [default FILE:
    /// shmem-profile.html]. PE 0 writes it when all PEs have come to finalize. Sets SHMEM_PROFILE
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = PROFILE)]
    pub profile: Option<PathBuf>,
    /// Write all calls of all PEs into FILE, as a trace for Perfetto (ui.perfetto.dev) or Chrome (about:tracing), in their
    /// JSON; into a directory that ends in .otf2, for Vampir and others, where OTF2's library is installed. Sets SHMEM_TRACE
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Say which CPUs each PE is bound to, or why it is not, and which NICs are its own where there are several to share out
    #[arg(long, aliases = ["display-map", "display-allocation"])]
    pub report_bindings: bool,
    /// Look for mistakes of the program: wrong arguments, collectives that do not match, the heap, handles, locks; and races, in
    /// programs of oshcc --check. Exit code 86 if there are any. WORDS: warn (the program keeps its exit code), json
    /// (findings are lines of JSON), order or order:SEED (operations come late and in any order). Sets SHMEM_CHECK
    #[arg(long, value_name = "WORDS", num_args = 0..=1, require_equals = true, default_missing_value = "1", value_parser = check)]
    pub check: Option<String>,
    /// What becomes of a job that cannot go on, because its PEs wait for each other or have called different collectives,
    /// which is told at once: report leaves it as it is, for a debugger; abort ends it [default: report]. Sets
    /// SHMEM_ON_STALL
    #[arg(long, value_name = "WHAT", value_parser = ["report", "abort"])]
    pub on_stall: Option<String>,
    /// Start PEs without randomised addresses, for programs that send each other addresses of their functions or data; those
    /// of the symmetric heap need not be the same anywhere, and Ferrite itself sends none
    #[arg(long)]
    pub no_aslr: bool,
    /// Do not warn of more PEs on a host than its slots in a scheduler's allocation: that and more PEs than CPUs are
    /// always allowed, and said by --report-bindings
    #[arg(long)]
    pub oversubscribe: bool,
    /// The command that starts something on another host, cut into words as a shell would, without a shell; {host}
    /// stands for the host [default: ssh -x -a -T -o BatchMode=yes -o ControlMaster=no {host}]
    #[arg(long, value_name = "TEMPLATE", alias = "launcher-exec")]
    pub rsh: Option<rsh::Template>,
    /// The path of oshrun on other hosts [default: that of this one]
    #[arg(long, value_name = "PATH")]
    pub launch_agent: Option<PathBuf>,
    /// How many hosts one oshrun, or one agent of it, starts itself; the others are started by agents
    #[arg(long, value_name = "N", default_value = "32", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub fan_out: u32,
    /// After so many seconds without a word a host is late, which is told; the PEs' TCP connections are lost with one
    /// whose kernel does not answer for so long [default: 5]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub host_timeout: Option<Duration>,
    /// After so many seconds without a word a host is lost, and the job ends; over libfabric and UCX a PE that is waited
    /// for, too [default: 60, or --host-timeout if that is longer]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub lost_timeout: Option<Duration>,
    /// After so many seconds a host whose agent has not started is lost [default: 60, or --host-timeout if that is
    /// longer]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub start_timeout: Option<Duration>,
}

/// What holds for one program of it.
#[derive(Args, Clone, Debug)]
pub struct AppOptions {
    /// How many PEs to start [default: one for each slot of the hosts; for each CPU that this process may use if no
    /// hosts are given or allocated]
    #[arg(short = 'n', short_alias = 'c', long = "np", value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=PES_MAX))]
    pub count: Option<u32>,
    /// The hosts to start PEs on, with their slots
    #[arg(short = 'H', long, alias = "hosts", value_name = "HOST[:SLOTS],...", value_parser = listed,
          help = "The hosts to start PEs on, with their slots: a, b:4, [fe80::1]:2. Holds for the programs after it as well")]
    pub host: Option<Hosts>,
    /// A file of hosts: NAME [slots=N] [max_slots=N] in each line, comments after #
    #[arg(long, alias = "machinefile", short_alias = 'f', value_name = "FILE", conflicts_with = "host")]
    pub hostfile: Option<PathBuf>,
    /// So many PEs on each host (also -ppn, --npernode)
    #[arg(short = 'N', long = "npernode", aliases = ["ppn", "perhost"], value_name = "N", value_parser = clap::value_parser!(u32).range(1..=PES_MAX))]
    pub per_host: Option<u32>,
    /// Set a variable in the PEs' environment (without a value: pass it on, as is done on this host with all of it)
    #[arg(short = 'x', value_name = "VARIABLE[=VALUE]")]
    pub export: Vec<OsString>,
    /// Start the PEs in this directory
    #[arg(long, alias = "wd", value_name = "DIR")]
    pub wdir: Option<PathBuf>,
    /// The program, and its arguments
    #[arg(value_name = "PROGRAM", required = true, last = true)]
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
const PES_MAX: i64 = 1 << 24;

/// A parsed command line.
#[derive(Debug)]
pub struct Request {
    /// The options of the whole job.
    pub job: JobOptions,
    /// The programs, in the order of their PEs.
    pub apps: Vec<AppOptions>,
    /// Options of other launchers that are ignored, as written.
    pub ignored: Vec<String>,
}

/// Parse a command line (its first word is the command's own name).
pub fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Request, clap::Error> {
    let args: Vec<OsString> = args.into_iter().collect();
    let mut parts = args.split(|arg| arg == ":");
    let mut ignored = Vec::new();
    let words = normalised(parts.next().unwrap_or_default(), &First::command(), &mut ignored);
    let first = understood::<First>(words)?;
    let mut apps = vec![first.app];
    for part in parts {
        let name = [OsString::from("oshrun")];
        let words = normalised(&[&name[..], part].concat(), &Further::command(), &mut ignored);
        apps.push(understood::<Further>(words)?.app);
    }
    if apps.len() > 1
        && let Some(bare) = apps.iter().find(|app| app.count.is_none() && app.per_host.is_none())
    {
        let program = bare.command[0].to_string_lossy();
        let text = format!("with several programs each needs its own -n N, `{program}` has none\n");
        return Err(First::command().error(clap::error::ErrorKind::MissingRequiredArgument, text));
    }
    Ok(Request { job: first.job, apps, ignored })
}

/// Parse the words with clap. Removes clap's advice to hide an unknown option behind `--`: that would make the option a program.
fn understood<T: Parser>(words: Vec<OsString>) -> Result<T, clap::Error> {
    T::try_parse_from(words).map_err(|mut error| {
        error.remove(ContextKind::Suggested);
        error
    })
}

/// Bring the words into a form that clap parses without guessing.
///
/// Long options may have one dash (`-np 4`, `-wdir DIR`), as in other launchers: they get the second. A `--` is inserted between the
/// options and the program, so that the rest is left alone. Options of other launchers are translated to options of oshrun; those without
/// effect are added to `ignored`.
fn normalised(words: &[OsString], command: &clap::Command, ignored: &mut Vec<String>) -> Vec<OsString> {
    let mut out = Vec::with_capacity(words.len() + 1);
    let mut rest = words.iter();
    out.extend(rest.next().cloned());
    while let Some(word) = rest.as_slice().first() {
        let text = word.as_bytes();
        if text.len() < 2 || text[0] != b'-' {
            break;
        }
        rest.next();
        if text == b"--" {
            break;
        }
        if let Some(found) = word.to_str().and_then(|text| translated(text, rest.as_slice())) {
            let Translation { words, values, ignored: none } = found;
            out.extend(words);
            ignored.extend(none);
            rest.by_ref().take(values).for_each(drop);
            continue;
        }
        let bare = &text[text.iter().take_while(|&&byte| byte == b'-').count()..];
        let has_value = bare.contains(&b'=');
        // A value may be any bytes: file names need not be UTF-8.
        let name =
            bare.split(|&byte| byte == b'=').next().and_then(|name| str::from_utf8(name).ok()).unwrap_or_default();
        let long = command.get_arguments().find(|option| name.len() > 1 && is_called(option, name));
        let is_short = |option: &&clap::Arg| {
            let aliases = option.get_all_short_aliases().unwrap_or_default();
            option.get_short().into_iter().chain(aliases).any(|c| text == format!("-{c}").as_bytes())
        };
        let short = command.get_arguments().find(is_short);
        // A misspelt long option such as `-hots` is not `-h` with more letters: clap would print the help and exit successfully.
        let is_help = bare.len() > 1 && matches!(bare[0], b'h' | b'V');
        match long {
            Some(_) => out.push(OsString::from_vec([b"--", bare].concat())),
            None if is_help => out.push(OsString::from_vec([b"--", bare].concat())),
            None => out.push(word.clone()),
        }
        let takes = |option: &clap::Arg| option.get_action().takes_values() && !option.is_require_equals_set();
        if !has_value && long.or(short).is_some_and(takes) {
            out.extend(rest.next().cloned());
        }
    }
    if !rest.as_slice().is_empty() {
        out.push("--".into());
    }
    out.extend(rest.cloned());
    out
}

fn is_called(option: &clap::Arg, name: &str) -> bool {
    option.get_long() == Some(name) || option.get_all_aliases().is_some_and(|aliases| aliases.contains(&name))
}

/// Parse a transport as the runtime does.
fn transport(text: &str) -> Result<Transport, String> {
    Transport::parse(text).ok_or_else(|| {
        let mut words = CARRIERS.iter().map(|&(word, _)| word);
        let last = words.next_back().unwrap_or_default();
        format!("{} or {last} is right, or shm and one of these, as shm,{last}", words.collect::<Vec<_>>().join(", "))
    })
}

/// Parse the value of `--check` as the runtime does.
fn check(text: &str) -> Result<String, String> {
    let known = CheckMode::parse(text).map(|_| text.to_owned());
    known.ok_or_else(|| "words separated by commas are right: error or warn, json, order or order:SEED".into())
}

/// Parse a number of seconds.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "a number of seconds is right".to_owned())?;
    let sane = seconds.is_finite() && seconds > 0.0 && seconds < 1e9;
    if sane { Ok(Duration::from_secs_f64(seconds)) } else { Err("more than 0 seconds are right".into()) }
}

fn from_text<T: std::str::FromStr>(text: &str) -> Result<T, String>
where
    T::Err: std::fmt::Display,
{
    text.parse().map_err(|error: T::Err| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Request {
        parse(line.split_whitespace().map(OsString::from)).unwrap_or_else(|error| panic!("{line}: {error}"))
    }

    fn refused(line: &str) -> String {
        parse(line.split_whitespace().map(OsString::from)).map(|request| panic!("{request:?}")).unwrap_err().to_string()
    }

    #[test]
    fn the_program_takes_all_that_follows_it() {
        let request = parsed("oshrun -n 4 -l prog -n 7 --timeout x -np");
        assert!(request.job.tag_output && request.job.timeout.is_none());
        assert_eq!(request.apps[0].count, Some(4));
        assert_eq!(request.apps[0].command, ["prog", "-n", "7", "--timeout", "x", "-np"]);
    }

    #[test]
    fn long_options_may_have_one_dash() {
        for line in ["oshrun -np 3 p", "oshrun --np 3 p", "oshrun -n3 p", "oshrun --np=3 p", "oshrun -np=3 p"] {
            assert_eq!(parsed(line).apps[0].count, Some(3), "{line}");
        }
        let request = parsed("oshrun -wdir /tmp -x A -np 2 -timeout 1.5 p -np");
        assert_eq!(request.apps[0].wdir, Some("/tmp".into()));
        assert_eq!(request.job.timeout, Some(Duration::from_millis(1500)));
        assert_eq!(request.apps[0].command, ["p", "-np"]);
    }

    #[test]
    fn a_check_has_words_or_none() {
        for (line, words) in [
            ("oshrun -n 2 p", None),
            ("oshrun --check -n 2 p --check", Some("1")),
            ("oshrun -check p", Some("1")),
            ("oshrun --check=warn,json p", Some("warn,json")),
        ] {
            let request = parsed(line);
            assert_eq!(request.job.check.as_deref(), words, "{line}");
            assert_eq!(request.apps[0].command[0], "p", "{line}");
        }
    }

    #[test]
    fn a_profile_may_have_a_name() {
        let name = |line: &str| parsed(line).job.profile.map(|path| path.display().to_string());
        assert_eq!(name("oshrun -n 2 --profile p --profile=x").as_deref(), Some("shmem-profile.html"));
        assert_eq!(name("oshrun -n 2 -profile=a.html p").as_deref(), Some("a.html"));
        assert_eq!(name("oshrun -n 2 --trace t.json p"), None);
        assert_eq!(parsed("oshrun -trace t.json p").apps[0].command, ["p"]);
    }

    #[test]
    fn values_may_be_any_bytes() {
        let latin = |text: &str| OsString::from_vec(text.chars().map(|letter| letter as u8).collect());
        for line in ["oshrun -n 2 --wdir=/d\u{e9}j\u{e0} p", "oshrun -n 2 -wdir=/d\u{e9}j\u{e0} p"] {
            let app = parse(line.split(' ').map(latin)).unwrap().apps.remove(0);
            assert_eq!((app.count, app.command), (Some(2), vec!["p".into()]), "{line}");
            assert_eq!(app.wdir, Some(latin("/d\u{e9}j\u{e0}").into()), "{line}");
        }
        let app = parse("oshrun -x A=\u{e9} -xB=\u{e9} p\u{e9}".split(' ').map(latin)).unwrap().apps.remove(0);
        assert_eq!((app.export, app.command), (vec![latin("A=\u{e9}"), latin("B=\u{e9}")], vec![latin("p\u{e9}")]));
        // Outside of a value, a word that begins with a dash is still no program.
        let error = parse("oshrun --s\u{e9} p".split(' ').map(latin)).unwrap_err().to_string();
        assert!(error.contains("unexpected argument '--s"), "{error}");
    }

    #[test]
    fn hosts_are_given_as_others_have_them() {
        for option in ["--host ", "-host ", "-H ", "--host=", "-hosts ", "--hosts=", "-hosts="] {
            let line = format!("oshrun {option}a:2,b p");
            let hosts = parsed(&line).apps.remove(0).host.unwrap().0;
            let shown: Vec<_> = hosts.iter().map(|host| (host.name.as_str(), host.slots)).collect();
            assert_eq!(shown, [("a", 2), ("b", 1)], "{line}");
        }
        for option in ["-N", "-ppn", "--npernode", "-npernode", "-perhost"] {
            let line = format!("oshrun {option} 2 p");
            assert_eq!(parsed(&line).apps[0].per_host, Some(2), "{line}");
        }
        for option in ["--hostfile", "-machinefile", "-hostfile", "-f"] {
            let line = format!("oshrun {option} f p");
            assert_eq!(parsed(&line).apps[0].hostfile, Some("f".into()), "{line}");
        }
    }

    #[test]
    fn options_of_other_launchers_are_understood() {
        let request =
            parsed("oshrun -hosts a,b -perhost 2 -genv K V --mca btl self -v --allow-run-as-root -rr p -hosts c");
        let app = &request.apps[0];
        assert_eq!(app.host.as_ref().unwrap().0.len(), 2);
        assert_eq!((app.per_host, &app.export[..]), (Some(2), &["K=V".into()][..]));
        assert_eq!(request.ignored, ["--mca btl self", "-v"]);
        assert_eq!(app.command, ["p", "-hosts", "c"]);
        assert_eq!(parsed("oshrun -c 3 -f hosts p").apps[0].count, Some(3));
        assert!(parsed("oshrun --display-map p").job.report_bindings);
    }

    #[test]
    fn a_misspelt_option_is_no_wish_for_help() {
        for line in ["oshrun -hotss a p", "oshrun -Vx p"] {
            let error = parse(line.split_whitespace().map(OsString::from)).unwrap_err();
            assert!(error.use_stderr() && error.to_string().contains("unexpected argument"), "{line}: {error}");
        }
        for line in ["oshrun -h", "oshrun --help", "oshrun -help", "oshrun -V", "oshrun --version"] {
            assert!(!parse(line.split_whitespace().map(OsString::from)).unwrap_err().use_stderr(), "{line}");
        }
    }

    #[test]
    fn the_help_says_how_hosts_are_reached() {
        let help = refused("oshrun --help").split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(help.contains(&format!("[default: {}]", rsh::DEFAULT)), "{help}");
    }

    #[test]
    fn colons_separate_programs() {
        let request = parsed("oshrun -l -n 1 a x : -n 2 -x K=V b : -np 3 c -z");
        assert_eq!(request.apps.iter().map(|app| app.count.unwrap()).collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!(request.apps[1].export, ["K=V"]);
        assert_eq!(request.apps[2].command, ["c", "-z"]);
        assert!(refused("oshrun -n 1 a : b").contains("needs its own -n"));
        assert!(refused("oshrun -n 1 a :").contains("PROGRAM"));
        assert!(refused("oshrun -n 1 a : --timeout 3 -n 1 b").contains("timeout"));
    }

    #[test]
    fn wrong_values_are_named() {
        for (line, named) in [
            ("oshrun -n 0 p", "'0'"),
            ("oshrun -n -3 p", "'-3'"),
            ("oshrun -n 99999999999 p", "99999999999"),
            ("oshrun -n x p", "'x'"),
            ("oshrun -n 2", "PROGRAM"),
            ("oshrun --timeout 0 p", "seconds"),
            ("oshrun --timeout soon p", "soon"),
            ("oshrun --bind-to sofa p", "sofa"),
            ("oshrun --nonsense p", "--nonsense"),
            ("oshrun --check=loud p", "'loud'"),
            ("oshrun --transport pigeon p", "'pigeon'"),
            ("oshrun --transport pigeon p", "auto, shm, tcp, libfabric or ucx"),
            ("oshrun --host a:0 p", "a:0"),
            ("oshrun --host a;b p", "a;b"),
            ("oshrun --host a --hostfile f p", "--hostfile"),
            ("oshrun --host a --rsh ' p", "quote"),
            ("oshrun -N 0 p", "'0'"),
        ] {
            let error = refused(line);
            assert!(error.contains(named) && !error.contains("-- -"), "{line}: {error}");
        }
    }
}
