//! `oshrun`, from its command line to its exit code.
//!
//! | file | job |
//! |---|---|
//! | [`options`], `words`, [`hosts`], [`rsh`] | command line, its words, lists of hosts, remote shell template |
//! | [`foreign_options`], [`foreign_values`] | other launchers' options, and their values |
//! | [`allocation`] | hosts of a scheduler's allocation |
//! | [`plan`], [`assign_hosts`], [`tasks`], [`bind`] | the plan: find programs, number PEs, assign them to hosts, bind them to CPUs |
//! | `needed_libraries` | programs that only another launcher can start |
//! | `core_claims` | cores that the jobs of a host have claimed |
//! | [`supervisor`], [`guard`], [`shm_cleanup`] | the process that the user sees; the process that outlives it; files of dead PEs |
//! | [`kill_descendants`], `control_group` | killing leftover processes: by ancestry, and by control group if the job has one |
//! | [`job`], [`reason`], [`deadline`] | the whole job: its output, its end, its exit code; why it is ended; the end by `--timeout` |
//! | [`start_progress`], [`status_line`] | progress of a start over several hosts, on a terminal |
//! | [`boards`], [`last_run`] | the state that PEs publish, and the record of it after their end |
//! | [`survey`], [`host_watch`], [`sight_codec`] | findings about all PEs; one host's view of its PEs; its encoding. First and last pure |
//! | [`local_job`] | one host's part of the job: oshrun has one, and so has each agent |
//! | [`machine`], [`local_pes`], [`spawn`] | the interface to a host; its PEs; one PE's process |
//! | [`pe_link`], [`pe_output`] | one PE's connection; its output |
//! | [`pe_protocol`], [`pmi`] | the protocols of that connection: our own and PMI-1. Pure |
//! | [`signal_takers`] | which processes of a PE get a SIGUSR1 |
//! | [`exchange`] | values that PEs exchange before memory is shared. Pure |
//! | [`agent`] | `oshrun --agent`: a local job on another host |
//! | [`step`], [`step_process`] | agents of all hosts in one step of the scheduler; the programs at the ends of its connections |
//! | [`child_agent`], [`agent_link`] | an agent that was started here, and the connection to it |
//! | [`silence`] | when a silent agent or parent is late, and when lost. Pure |
//! | [`agent_protocol`], [`job_spec`] | the messages of that connection, and the description of the job. Pure |
//! | [`variables`] | the variables that are read, and those that are passed to the PEs |
//! | [`wanted_files`] | the files of `--profile` and `--trace`, and a message if they were not written |
//! | [`output`], [`output_stream`], [`output_files`], [`output_end`], [`lines`], [`input`] | standard streams |
//! | `simulated` | whole jobs in virtual time, for tests |
//! | [`event`], [`signal_events`], [`process_end`], [`descriptor_limit`] | events, signals, exit statuses, open descriptors |
//!
//! A job on several hosts is a tree. oshrun starts agents on some hosts through a remote shell, and these agents start others. Commands and
//! answers go down the tree ([`agent_protocol::Down`]), reports and questions go up ([`agent_protocol::Up`]), over the standard streams of
//! the remote shells. oshrun also has a local job for its own host, whose messages are not encoded.
//!
//! The order at start matters. The process first forks into supervisor, guard and worker, while it is small and has one thread. The worker
//! then starts agents and PEs, all from its main thread, since the kernel ties a PE's life to the *thread* that has started it. Helper
//! threads come last.

pub mod agent;
pub mod agent_link;
pub mod agent_protocol;
pub mod allocation;
pub mod assign_hosts;
pub mod bind;
pub mod boards;
pub mod child_agent;
pub mod close_on_exec;
mod control_group;
mod core_claims;
pub mod deadline;
pub mod descriptor_limit;
pub mod event;
pub mod exchange;
pub mod foreign_options;
pub mod foreign_values;
pub mod guard;
pub mod host_watch;
pub mod hosts;
pub mod input;
pub mod job;
pub mod job_spec;
pub mod kill_descendants;
pub mod last_run;
pub mod lines;
pub mod local_job;
pub mod local_pes;
pub mod losses;
pub mod machine;
mod needed_libraries;
pub mod options;
pub mod output;
pub mod output_end;
pub mod output_files;
pub mod output_stream;
pub mod pe_link;
pub mod pe_output;
pub mod pe_protocol;
pub mod plan;
pub mod pmi;
pub mod process_end;
pub mod reason;
pub mod rsh;
pub mod shm_cleanup;
pub mod sight_codec;
pub mod signal_events;
pub mod signal_takers;
pub mod silence;
#[cfg(test)]
mod simulated;
pub mod spawn;
mod start_cure;
pub mod start_progress;
pub mod status_line;
pub mod step;
pub mod step_process;
pub mod supervisor;
pub mod survey;
pub mod tasks;
mod unknown_options;
pub mod variables;
pub mod wanted_files;
mod words;

use crate::stderr::print_line;
use std::ffi::OsString;
use std::fmt;
use std::process::ExitCode;

/// Why a job did not start, or failed: one line for the user, and the exit code.
#[derive(Debug)]
pub struct Refusal {
    /// oshrun's exit code.
    pub code: u8,
    /// The line for the user.
    pub line: String,
}

impl Refusal {
    /// A refusal with exit code 1, which most errors have.
    pub fn new(line: impl Into<String>) -> Self {
        Refusal { code: 1, line: line.into() }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.line)
    }
}

/// Run the command line, and return the exit code.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    std::panic::set_hook(Box::new(end_by_panic));
    let args: Vec<OsString> = args.into_iter().collect();
    let is_first = |word: &str| args.get(1).is_some_and(|first| first == word);
    let ended = if is_first(child_agent::ARGUMENT) {
        agent::run()
    } else if is_first(step::ARGUMENT) {
        step_process::be_a_process()
    } else if is_first(step::LINK) {
        step_process::be_a_link(args.get(2))
    } else {
        match options::parse(args) {
            Ok(request) => {
                let of_environment = foreign_values::variables(std::env::vars_os());
                let notices = request.notices.iter().chain(&of_environment);
                notices.for_each(|notice| print_line(format_args!("oshrun: {notice}")));
                start(request)
            }
            Err(error) => {
                // Help and version are "errors" that go to stdout and exit with 0.
                let _ = error.print();
                return if error.use_stderr() { ExitCode::from(2) } else { ExitCode::SUCCESS };
            }
        }
    };
    match ended {
        Ok(code) => ExitCode::from(code),
        Err(refusal) => {
            print_line(format_args!("oshrun: {refusal}"));
            ExitCode::from(refusal.code)
        }
    }
}

/// Report a panic in one line: a bug in oshrun, or a library that cannot go on. The guard ends the job.
fn end_by_panic(panic: &std::panic::PanicHookInfo<'_>) {
    print_line(format_args!("oshrun: internal error, please report it: {}", panic.to_string().replace('\n', " ")));
    // SAFETY: ends the process; nothing runs after it.
    unsafe { libc::_exit(1) }
}

fn start(request: options::Request) -> Result<u8, Refusal> {
    let plan = plan::plan(request)?;
    let terminal = rustix::termios::isatty(std::io::stdin());
    let descriptors = descriptor_limit::DescriptorLimit::raise_for_launcher()?;
    match supervisor::split(true)? {
        supervisor::Half::Supervisor(code) => Ok(code),
        supervisor::Half::Worker(lifeline) => block_on(job::run(plan, descriptors, lifeline, terminal)),
    }
}

/// Run `work` to its end on the main thread.
fn block_on(work: impl Future<Output = Result<u8, Refusal>>) -> Result<u8, Refusal> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Refusal::new(format!("cannot set up its event loop: {error}")))?;
    let local = tokio::task::LocalSet::new();
    local.block_on(&runtime, work)
}
