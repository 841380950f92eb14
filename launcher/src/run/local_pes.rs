//! The PEs of one host: starts, signals and reaps their processes, reads their output, and kills what they leave
//! behind.
//!
//! It handles processes, not the job: it sends [`Event`]s, and [`super::local_job`] reports to the job what follows from them.

use super::Refusal;
use super::boards::Boards;
use super::child_agent::ChildAgent;
use super::control_group;
use super::event::Event;
use super::job_spec::{JobHost, JobSpec};
use super::kill_descendants::{self, Left};
use super::machine::Machine;
use super::output_stream::OutputStream;
use super::pe_link::PeLink;
use super::pe_output::{self, PeOutput, Windows};
use super::process_end::ProcessEnd;
use super::shm_cleanup::ShmCleanup;
use super::signal_takers::takers;
use super::spawn::{self, Task};
use ferrite_bootstrap::wire::ToPe;
use ferrite_fabric::Pe;
use ferrite_os::threads;
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Rlimit, Signal, WaitOptions, kill_process, kill_process_group, pidfd_open, test_kill_process, wait,
};
use std::cell::RefCell;
use std::collections::HashMap;
use std::io;
use std::process::Stdio;
use std::rc::Rc;
use std::time::Duration;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

struct Child {
    pe: Pe,
    pid: Pid,
    link: Rc<PeLink>,
    alive: bool,
}

/// The PEs of this host.
pub struct LocalPes {
    name: String,
    children: Vec<Child>,
    by_pid: HashMap<Pid, usize>,
    by_pe: HashMap<Pe, usize>,
    /// Processes that send a PE's messages and are children of a wrapper, not of oshrun.
    unowned: Vec<Pid>,
    files: ShmCleanup,
    boards: Option<Boards>,
    living: usize,
    /// Some process has not died of SIGKILL, and may hold the PEs' streams open.
    undying: bool,
    events: UnboundedSender<Event>,
    readers: JoinSet<()>,
    windows: Windows,
}

impl LocalPes {
    /// Make an empty set of PEs.
    pub fn new(name: String, events: UnboundedSender<Event>) -> Self {
        LocalPes {
            name,
            children: Vec::new(),
            by_pid: HashMap::new(),
            by_pe: HashMap::new(),
            unowned: Vec::new(),
            files: ShmCleanup::from_now_on(),
            boards: None,
            living: 0,
            undying: false,
            events,
            readers: JoinSet::new(),
            windows: pe_output::windows(),
        }
    }

    fn adopt(&mut self, task: &Task, started: spawn::Started, output: Rc<PeOutput>) -> io::Result<()> {
        let link = PeLink::serve(task.app, started.connection, output, self.events.clone())?;
        let at = self.children.len();
        self.by_pid.insert(started.pid, at);
        self.by_pe.insert(task.pe, at);
        self.children.push(Child { pe: task.pe, pid: started.pid, link, alive: true });
        self.living += 1;
        Ok(())
    }

    fn child(&self, pe: Pe) -> &Child {
        &self.children[self.by_pe[&pe]]
    }
}

impl Machine for LocalPes {
    fn start_agent(
        &mut self,
        agent: usize,
        spec: &JobSpec,
        hosts: &[JobHost],
        events: &UnboundedSender<Event>,
    ) -> io::Result<ChildAgent> {
        ChildAgent::start(agent, spec, hosts, events)
    }

    fn start(
        &mut self,
        tasks: &[Task],
        spec: &JobSpec,
        limit: Rlimit,
        input: Stdio,
        mut next: impl FnMut(),
    ) -> Result<(), Refusal> {
        let wrong = |what: &str, error: io::Error| Refusal::new(format!("{what}: {error}"));
        if spec.no_aslr {
            spawn::keep_addresses().map_err(|error| wrong("--no-aslr: the kernel does not allow it", error))?;
        }
        let mut input = Some(input);
        let scratch = Rc::new(RefCell::new(vec![0; pe_output::CHUNK]));
        let mut pes: Vec<Pe> = tasks.iter().map(|task| task.pe).collect();
        pes.sort_unstable();
        self.boards = Boards::make(pes);
        for task in tasks {
            next();
            let first = if task.pe == Pe(0) { input.take() } else { None };
            let (streams, pipes) = pe_output::streams(first.unwrap_or_else(Stdio::null))
                .map_err(|error| wrong(&format!("cannot make a pipe for {}'s output", task.pe), error))?;
            let boards = self.boards.as_ref().and_then(Boards::passed_on);
            let started =
                spawn::spawn(task, spec, limit, streams, boards).map_err(|error| cannot_start(task, spec, &error))?;
            let output = PeOutput::of(task.pe, pipes, &self.windows, &self.events)
                .map_err(|error| wrong("cannot read a PE's output", error))?;
            let output = Rc::new(output);
            self.adopt(task, started, output.clone()).map_err(|error| cannot_start(task, spec, &error))?;
            for stream in [OutputStream::Out, OutputStream::Err] {
                self.readers.spawn_local(output.clone().read_on(stream, scratch.clone()));
            }
        }
        self.boards.as_mut().into_iter().for_each(Boards::close);
        Ok(())
    }

    fn boards(&self) -> Option<&Boards> {
        self.boards.as_ref()
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn living(&self) -> usize {
        self.living
    }

    fn pid(&self, pe: Pe) -> i32 {
        self.child(pe).pid.as_raw_nonzero().get()
    }

    fn is_alive(&self, pe: Pe) -> bool {
        self.child(pe).alive
    }

    fn post(&self, pe: Pe, answer: &ToPe) -> Result<(), String> {
        self.child(pe).link.post(answer)
    }

    fn credit(&self, stream: OutputStream, bytes: usize) {
        self.windows[stream as usize].add_permits(bytes);
    }

    fn handled(&self, pe: Pe) {
        self.child(pe).link.handled();
    }

    fn watch(&mut self, pe: Pe, pid: i32) {
        let Some(process) = Pid::from_raw(pid) else { return };
        self.unowned.push(process);
        let (link, events) = (self.child(pe).link.clone(), self.events.clone());
        tokio::task::spawn_local(async move {
            until_gone(process).await;
            link.pump();
            let _ = events.send(Event::SpeakerEnded { pe, pid });
        });
    }

    fn signal_takers(&self, signal: Signal) {
        let leaders = self.children.iter().filter(|child| child.alive).map(|child| child.pid).collect();
        match takers(&leaders, signal.as_raw()) {
            Some(pids) => pids.into_iter().for_each(|pid| _ = kill_process(pid, signal)),
            None => self.signal(signal),
        }
    }

    fn signal_but(&self, signal: Signal, spared: Option<Pe>) {
        for child in self.children.iter().filter(|child| child.alive && Some(child.pe) != spared) {
            // A program that has left its group is signalled by its process id.
            if kill_process_group(child.pid, signal).is_err() || signal == Signal::KILL {
                let _ = kill_process(child.pid, signal);
            }
        }
    }

    fn reap(&mut self) -> Vec<(Pid, ProcessEnd)> {
        let mut others = Vec::new();
        loop {
            let (pid, status) = match rustix::io::retry_on_intr(|| wait(WaitOptions::NOHANG)) {
                Ok(Some(ended)) => ended,
                Ok(None) => break,
                Err(error) => {
                    // There is no child to wait for, although PEs should be running.
                    if let Some(child) = self.children.iter().find(|child| child.alive) {
                        let why = format!("get its exit status: {error}");
                        let _ = self.events.send(Event::PeUnreachable { pe: child.pe, why });
                    }
                    break;
                }
            };
            let Some(end) = ProcessEnd::of(status) else { continue };
            self.files.note(pid);
            // The process id of a PE that has ended may be another process's by now.
            let Some(at) = self.by_pid.get(&pid).copied().filter(|&at| self.children[at].alive) else {
                others.push((pid, end));
                continue;
            };
            let child = &mut self.children[at];
            child.alive = false;
            self.living -= 1;
            child.link.pump();
            child.link.output().catch_up();
            let _ = self.events.send(Event::PeEnded { pe: child.pe, end });
        }
        others
    }

    fn kill_leftovers(&mut self) -> Option<String> {
        self.signal(Signal::KILL);
        self.living = 0;
        control_group::kill_all();
        let left = kill_descendants::kill_descendants(&mut self.files);
        control_group::remove();
        // Their process ids may belong to other processes now.
        self.children.iter_mut().for_each(|child| child.alive = false);
        self.unowned.drain(..).for_each(|pid| self.files.note(pid));
        self.files.remove();
        self.undying = !matches!(left, Left::Nothing);
        let pe = |pid| self.by_pid.get(&pid).map(|&at| self.children[at].pe);
        kill_descendants::describe(&left, pe).map(|line| format!("oshrun: on host {}: {line}", self.name))
    }

    fn drain(&mut self) {
        let (mut readers, events) = (std::mem::take(&mut self.readers), self.events.clone());
        let patience = if self.undying { UNDYING_PATIENCE } else { Duration::MAX };
        tokio::task::spawn_local(async move {
            let _ = timeout(patience, async { while readers.join_next().await.is_some() {} }).await;
            let _ = events.send(Event::OutputDrained);
        });
    }
}

/// Wait for the end of a process that is not a child.
async fn until_gone(process: Pid) {
    match pidfd_open(process, PidfdFlags::empty()) {
        Ok(fd) => {
            // SAFETY: the `AsyncFd` owns the descriptor, so it stays open and the same while registered.
            if let Ok(fd) = unsafe { AsyncFd::register_with_interest(fd, Interest::READABLE) } {
                let _ = fd.readable().await;
            }
        }
        Err(Errno::SRCH) => {}
        // Kernels before 5.3, and system call filters that do not know pidfds.
        Err(_) => until_unknown(process).await,
    }
}

async fn until_unknown(process: Pid) {
    while test_kill_process(process) != Err(Errno::SRCH) {
        sleep(LOOK_AGAIN).await;
    }
}

/// How often to check whether a process has ended, if there are no pidfds.
const LOOK_AGAIN: Duration = Duration::from_millis(100);
/// How long output is read from streams that an undying process holds open.
const UNDYING_PATIENCE: Duration = Duration::from_secs(2);

fn cannot_start(task: &Task, spec: &JobSpec, error: &io::Error) -> Refusal {
    let program = spec.apps[task.app].program.display();
    let hint = match error.kind() {
        io::ErrorKind::WouldBlock => format!(" ({})", threads::NO_MORE),
        io::ErrorKind::NotFound => {
            " (not the program itself, which is here: the loader that it was linked for)".to_owned()
        }
        _ => String::new(),
    };
    Refusal { code: 126, line: format!("cannot start {program} as {}: {error}{hint}", task.pe) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn end_of_an_unwatchable_process_is_noticed() {
        let mut child = std::process::Command::new("sleep").arg("0.3").spawn().unwrap();
        let pid = Pid::from_child(&child);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let reaper = std::thread::spawn(move || child.wait().unwrap());
        runtime.block_on(async { timeout(Duration::from_secs(60), until_unknown(pid)).await }).expect("it has ended");
        assert!(reaper.join().unwrap().success());
    }
}
