//! The PEs of one host: started, signalled, reaped, swept up after. It knows processes, not the job: what a death
//! means is the front's to say, which hears of everything by [`Event`]s.

use super::Refusal;
use super::death::End;
use super::link::Link;
use super::output::{Output, Stream};
use super::plan::{Plan, Task};
use super::spawn::{self, Streams};
use super::sweep;
use ferrite_bootstrap::wire::ToLauncher;
use ferrite_fabric::Pe;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{
    Pid, PidfdFlags, Rlimit, Signal, WaitOptions, kill_process, kill_process_group, pidfd_open, wait,
};
use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::Stdio;
use std::rc::Rc;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::net::unix::pipe::Receiver;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::JoinSet;

/// What happens on a host.
#[derive(Debug)]
pub enum Event {
    /// A PE's process said something.
    Said {
        /// Which PE.
        pe: Pe,
        /// Which process of it.
        pid: i32,
        /// What.
        message: ToLauncher,
    },
    /// What came over a PE's connection is no message.
    Garbled {
        /// Which PE.
        pe: Pe,
        /// What was wrong.
        why: String,
    },
    /// The process that oshrun started for a PE has ended. Comes after all that it said.
    Ended {
        /// Which PE.
        pe: Pe,
        /// How.
        end: End,
    },
    /// A process that spoke for a PE, but was started by a wrapper, has ended; its parent knows how.
    Vanished {
        /// Which PE.
        pe: Pe,
        /// Which process.
        pid: i32,
    },
    /// A signal came to oshrun.
    Signal(i32),
    /// The guardian was killed.
    Orphaned,
}

struct Child {
    pe: Pe,
    pid: Pid,
    link: Rc<Link>,
    alive: bool,
}

/// The PEs of this host.
pub struct Host {
    name: String,
    children: Vec<Child>,
    by_pid: HashMap<Pid, usize>,
    by_pe: HashMap<Pe, usize>,
    living: usize,
    events: UnboundedSender<Event>,
    readers: JoinSet<()>,
}

impl Host {
    /// A host without PEs yet.
    pub fn new(name: String, events: UnboundedSender<Event>) -> Self {
        Host {
            name,
            children: Vec::new(),
            by_pid: HashMap::new(),
            by_pe: HashMap::new(),
            living: 0,
            events,
            readers: JoinSet::new(),
        }
    }

    /// Start all PEs of the plan, or none: those started before one that cannot be are killed by [`Host::sweep`].
    pub fn start(&mut self, plan: &Plan, limit: Rlimit, output: &Output) -> Result<(), Refusal> {
        let wrong = |what: &str, error: io::Error| Refusal::new(format!("{what}: {error}"));
        let mut first = Some(Stdio::inherit());
        let mut flows = Vec::with_capacity(plan.tasks.len() * 2);
        for (local, task) in plan.tasks.iter().enumerate() {
            let input = first.take().unwrap_or_else(Stdio::null);
            let directory = plan.job.output_filename.as_deref();
            let (streams, mut carried) = streams(task.pe, input, directory)?;
            let started = spawn::spawn(task, local, plan.tasks.len(), limit, streams)
                .map_err(|error| cannot_start(task, &error))?;
            self.adopt(task.pe, started).map_err(|error| cannot_start(task, &error))?;
            flows.append(&mut carried);
        }
        // From here on threads may exist.
        for (pe, stream, pipe) in flows {
            let from = Receiver::from_owned_fd(pipe).map_err(|error| wrong("cannot read a PE's output", error))?;
            self.readers.spawn_local(output.clone().carry(pe.0, stream, from));
        }
        // From here on the input is PE 0's alone: who writes it shall see its end when PE 0 has ended.
        let nothing = File::open("/dev/null").map_err(|error| wrong("cannot open /dev/null", error))?;
        rustix::stdio::dup2_stdin(nothing).map_err(|error| wrong("cannot give up its standard input", error.into()))
    }

    fn adopt(&mut self, pe: Pe, started: spawn::Started) -> io::Result<()> {
        let link = Link::serve(pe, started.connection, self.events.clone())?;
        let at = self.children.len();
        self.by_pid.insert(started.pid, at);
        self.by_pe.insert(pe, at);
        self.children.push(Child { pe, pid: started.pid, link, alive: true });
        self.living += 1;
        Ok(())
    }

    /// This host's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many PEs' processes run.
    pub fn living(&self) -> usize {
        self.living
    }

    /// The process that was started for a PE.
    pub fn pid(&self, pe: Pe) -> i32 {
        self.child(pe).pid.as_raw_nonzero().get()
    }

    /// Whether that process still runs.
    pub fn is_alive(&self, pe: Pe) -> bool {
        self.child(pe).alive
    }

    fn child(&self, pe: Pe) -> &Child {
        &self.children[self.by_pe[&pe]]
    }

    /// Answer a PE.
    pub fn post(&self, pe: Pe, frame: &[u8]) -> Result<(), String> {
        self.child(pe).link.post(frame)
    }

    /// A PE's message was acted upon.
    pub fn acted(&self, pe: Pe) {
        self.child(pe).link.acted();
    }

    /// A process that oshrun did not start itself speaks for a PE: notice its end.
    pub fn watch(&self, pe: Pe, pid: i32) {
        let Some(process) = Pid::from_raw(pid) else { return };
        let (link, events) = (self.child(pe).link.clone(), self.events.clone());
        tokio::task::spawn_local(async move {
            // One that cannot be opened is gone already.
            if let Ok(fd) = pidfd_open(process, PidfdFlags::empty()) {
                // SAFETY: the `AsyncFd` owns the descriptor, so it stays open and the same while registered.
                if let Ok(fd) = unsafe { AsyncFd::register_with_interest(fd, Interest::READABLE) } {
                    let _ = fd.readable().await;
                }
            }
            link.pump();
            let _ = events.send(Event::Vanished { pe, pid });
        });
    }

    /// Send a signal to all that run, each with its group.
    pub fn signal(&self, signal: Signal) {
        self.signal_but(signal, None);
    }

    /// The same to all but one.
    pub fn signal_but(&self, signal: Signal, spared: Option<Pe>) {
        for child in self.children.iter().filter(|child| child.alive && Some(child.pe) != spared) {
            // A program that left its group is reached by its number.
            if kill_process_group(child.pid, signal).is_err() || signal == Signal::KILL {
                let _ = kill_process(child.pid, signal);
            }
        }
    }

    /// Learn who has ended. What they said comes as events before their ends do.
    pub fn reap(&mut self) {
        while let Ok(Some((pid, status))) = rustix::io::retry_on_intr(|| wait(WaitOptions::NOHANG)) {
            let Some(end) = End::of(status) else { continue };
            // Others are orphans that fell to us.
            let Some(&at) = self.by_pid.get(&pid) else { continue };
            let child = &mut self.children[at];
            child.alive = false;
            self.living -= 1;
            child.link.pump();
            let _ = self.events.send(Event::Ended { pe: child.pe, end });
        }
    }

    /// Kill whatever is left below oshrun: PEs, and what they started and did not wait for.
    pub fn sweep(&mut self) {
        self.signal(Signal::KILL);
        sweep::sweep();
    }

    /// Wait until all output is read to its end. Call after [`Host::sweep`]: then nobody holds it open.
    pub async fn drain(&mut self) {
        while self.readers.join_next().await.is_some() {}
    }
}

/// A PE's standard streams, and the ends of them that oshrun reads.
type Flows = Vec<(Pe, Stream, OwnedFd)>;

fn streams(pe: Pe, input: Stdio, directory: Option<&Path>) -> Result<(Streams, Flows), Refusal> {
    if let Some(directory) = directory {
        let file = |kind: &str| {
            let path = directory.join(format!("pe.{}.{kind}", pe.0));
            File::create(&path).map_err(|error| Refusal::new(format!("cannot write {}: {error}", path.display())))
        };
        return Ok((Streams { input, output: file("out")?.into(), error: file("err")?.into() }, Vec::new()));
    }
    let pipe = || {
        pipe_with(PipeFlags::CLOEXEC)
            .map_err(|error| Refusal::new(format!("cannot make a pipe for {pe}'s output: {error}")))
    };
    let ((out, output), (err, error)) = (pipe()?, pipe()?);
    let flows = vec![(pe, Stream::Out, out), (pe, Stream::Err, err)];
    Ok((Streams { input, output: output.into(), error: error.into() }, flows))
}

fn cannot_start(task: &Task, error: &io::Error) -> Refusal {
    let program = task.app.program.display();
    let hint = match error.kind() {
        io::ErrorKind::WouldBlock => " (no more processes are allowed here: ulimit -u, or the cgroup's pids.max)",
        _ => "",
    };
    Refusal { code: 126, line: format!("cannot start {program} as {}: {error}{hint}", task.pe) }
}
