//! The interface of a local job to the machine that it runs on, where PEs and agents are processes. [`LocalPes`] is this machine; the
//! simulated machine of the tests of whole jobs runs no process.
//!
//! [`LocalPes`]: super::local_pes::LocalPes

use super::Refusal;
use super::boards::Boards;
use super::child_agent::ChildAgent;
use super::event::Event;
use super::job_spec::{JobHost, JobSpec};
use super::output_stream::OutputStream;
use super::process_end::ProcessEnd;
use super::spawn::Task;
use ferrite_bootstrap::wire::ToPe;
use ferrite_fabric::Pe;
use rustix::process::{Pid, Rlimit, Signal};
use std::io;
use std::process::Stdio;
use tokio::sync::mpsc::UnboundedSender;

/// The processes of a job on one machine. They report with [`Event`]s.
pub trait Machine {
    /// Start agent number `agent` on the first of `hosts`; the agent starts further agents on the others.
    fn start_agent(
        &mut self,
        agent: usize,
        spec: &JobSpec,
        hosts: &[JobHost],
        events: &UnboundedSender<Event>,
    ) -> io::Result<ChildAgent>;

    /// Start all PEs. If one cannot be started, the caller kills the others with [`Machine::kill_leftovers`]. PE 0 reads `input`. `next` is
    /// called before each PE.
    fn start(
        &mut self,
        tasks: &[Task],
        spec: &JobSpec,
        limit: Rlimit,
        input: Stdio,
        next: impl FnMut(),
    ) -> Result<(), Refusal>;

    /// The boards on which the PEs publish their state, if there are any.
    fn boards(&self) -> Option<&Boards> {
        None
    }

    /// This host's name.
    fn name(&self) -> &str;

    /// Number of started processes that run.
    fn living(&self) -> usize;

    /// The process that was started for a PE.
    fn pid(&self, pe: Pe) -> i32;

    /// Whether the process that was started for a PE still runs.
    fn is_alive(&self, pe: Pe) -> bool;

    /// Send an answer to a PE. An error means that the PE does not read its answers.
    fn post(&self, pe: Pe, answer: &ToPe) -> Result<(), String>;

    /// `bytes` of the output to `stream` were written: as many more may be read.
    fn credit(&self, stream: OutputStream, bytes: usize);

    /// A message of a PE was handled.
    fn handled(&self, pe: Pe);

    /// Watch for the end of a process that sends a PE's messages and is not a child of oshrun.
    fn watch(&mut self, pe: Pe, pid: i32);

    /// Send a signal to all PEs that run, and to their process groups.
    fn signal(&self, signal: Signal) {
        self.signal_but(signal, None);
    }

    /// Send a signal to those processes of PEs and their groups that take it, as their handlers do.
    fn signal_takers(&self, signal: Signal) {
        self.signal(signal);
    }

    /// Send a signal to all PEs that run but one, and to their process groups.
    fn signal_but(&self, signal: Signal, spared: Option<Pe>);

    /// Reap ended processes. The messages of a PE become events before its end does. Returns the processes that are no PEs: remote shells,
    /// and orphans that this process has inherited.
    fn reap(&mut self) -> Vec<(Pid, ProcessEnd)>;

    /// Kill all descendants: PEs, and processes that they started. Returns a line about processes that do not die.
    fn kill_leftovers(&mut self) -> Option<String>;

    /// Send an event when all output was read. Call this after [`Machine::kill_leftovers`], when only a process that
    /// does not die can hold a stream open.
    fn drain(&mut self);
}
