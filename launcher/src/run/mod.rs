//! `oshrun`, from its command line to its exit code.
//!
//! | file | job |
//! |---|---|
//! | [`options`] | the command line |
//! | [`plan`] | what will run: programs found, PEs numbered and placed |
//! | [`host`] | the PEs of one host: start, signal, reap, sweep up |
//! | [`spawn`] | one PE's process |
//! | [`guard`] | the visible process, a thin parent of the one that works |
//! | [`sweep`] | killing what is left |
//! | [`link`] | one PE's connection |
//! | [`board`] | what PEs say to each other before memory is shared: pure, no I/O |
//! | [`front`] | the job: its end, its signals, its verdict |
//! | [`output`], [`input`] | standard streams |
//! | [`death`] | how a process ended, in words |
//!
//! Order at start: the process divides itself first, while it is small and has one thread; then the worker spawns
//! PEs, all from its main thread (the kernel ties a PE's life to the *thread* that started it); helper threads come
//! last.

pub mod board;
pub mod death;
pub mod front;
pub mod guard;
pub mod host;
pub mod input;
pub mod limits;
pub mod link;
pub mod options;
pub mod output;
pub mod plan;
pub mod spawn;
pub mod sweep;

use std::ffi::OsString;
use std::fmt;
use std::process::ExitCode;

/// Why a job did not start: one line for the user, and the exit code.
#[derive(Debug)]
pub struct Refusal {
    /// What oshrun exits with.
    pub code: u8,
    /// What it says.
    pub line: String,
}

impl Refusal {
    /// Exit code 1, as for most things that do not work.
    pub fn new(line: impl Into<String>) -> Self {
        Refusal { code: 1, line: line.into() }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.line)
    }
}

/// Run the command line, and give back the exit code.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let request = match options::parse(args) {
        Ok(request) => request,
        Err(error) => {
            // Help and version are "errors" that go to stdout and exit with 0.
            let _ = error.print();
            return if error.use_stderr() { ExitCode::from(2) } else { ExitCode::SUCCESS };
        }
    };
    match start(request) {
        Ok(code) => ExitCode::from(code),
        Err(refusal) => {
            eprintln!("oshrun: {refusal}");
            ExitCode::from(refusal.code)
        }
    }
}

fn start(request: options::Request) -> Result<u8, Refusal> {
    let plan = plan::plan(request)?;
    let terminal = rustix::termios::isatty(std::io::stdin());
    let lifeline = match guard::divide(true)? {
        guard::Side::Guardian(code) => return Ok(code),
        guard::Side::Worker(lifeline) => lifeline,
    };
    let limit = limits::make_room(plan.tasks.len())?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Refusal::new(format!("cannot set up its event loop: {error}")))?;
    let local = tokio::task::LocalSet::new();
    local.block_on(&runtime, front::run(plan, plan::draw_secret()?, limit, lifeline, terminal))
}
