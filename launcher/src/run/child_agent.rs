//! An agent that this process has started: the remote shell that runs it, the link to it, and whether it is lost.

use super::agent_link::AgentLink;
use super::agent_protocol::{Down, Up};
use super::event::Event;
use super::job_spec::{AgentSettings, JobHost, JobSpec};
use super::process_end::ProcessEnd;
use super::rsh::{self, Template};
use super::silence::{Finding, Silence};
use super::start_cure;
use super::step;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::cell::{Cell, RefCell};
use std::io;
use std::path::PathBuf;
use std::process::Command;
use std::rc::Rc;
use std::time::Duration;
use tokio::net::unix::pipe::Receiver;
use tokio::sync::mpsc::UnboundedSender;
use tokio::time::Instant;

/// The only argument of an agent's command line.
pub const ARGUMENT: &str = "--agent";
/// How long the link and the remote shell may outlive each other, before the agent is lost.
const END_GRACE: Duration = Duration::from_millis(300);
/// How long the remote shell's stderr may take to arrive after both have ended.
const STDERR_GRACE: Duration = Duration::from_millis(20);
/// How much of the remote shell's stderr is kept, in bytes.
const COMPLAINT_MAX: usize = 1 << 10;

/// The longest time between two messages to the other side. It is much shorter than the silence after which that side counts this one as
/// late or lost.
pub fn heartbeat_interval(settings: &AgentSettings) -> Duration {
    Duration::from_millis(settings.patience_ms.min(settings.lost_ms).into()) / 10
}

/// The limits of the other side's silence: when it is late and when it is lost.
pub fn silence(settings: &AgentSettings) -> Silence {
    limits(settings, settings.lost_ms)
}

fn limits(settings: &AgentSettings, lost_ms: u32) -> Silence {
    let ms = |number: u32| Duration::from_millis(number.into());
    Silence::new(ms(settings.patience_ms), ms(lost_ms), heartbeat_interval(settings))
}

/// The process that carries an agent's messages.
pub enum Shell {
    /// A process, which leads a group.
    Process(Pid),
    /// No process. Call this to end it.
    Simulated(Box<dyn Fn()>),
}

impl Shell {
    fn kill(&self) {
        match self {
            Shell::Process(pid) => {
                let _ = kill_process_group(*pid, Signal::KILL);
                let _ = kill_process(*pid, Signal::KILL);
            }
            Shell::Simulated(end) => end(),
        }
    }
}

/// An agent that this process has started.
pub struct ChildAgent {
    /// The agent's own host, then the hosts of the agents below it.
    pub hosts: Vec<JobHost>,
    /// The remote shell. Its process id stays valid until its end is noted, since it is reaped only then.
    shell: Shell,
    command: String,
    /// Path of oshrun on the host.
    path: PathBuf,
    link: Rc<AgentLink>,
    observed: Rc<Observed>,
    started: Instant,
    shell_end: Option<ProcessEnd>,
    /// The error with which the link has ended, if it has ended.
    closed: Option<String>,
    /// When the agent counts as lost, since its link or its remote shell has ended.
    lost_at: Option<Instant>,
    /// The silence from the start until the opening is received, and the silence since the last message after that.
    silence: [Silence; 2],
    /// The agent has finished, or is lost.
    over: bool,
}

/// Observations of the reading tasks, besides messages.
#[derive(Default)]
struct Observed {
    /// The agent's opening was received.
    opened: Cell<bool>,
    complaint: RefCell<String>,
}

impl ChildAgent {
    /// Start agent number `agent` on the first of `hosts`; the agent starts further agents on the others. Its messages become events.
    pub fn start(agent: usize, spec: &JobSpec, hosts: &[JobHost], events: &UnboundedSender<Event>) -> io::Result<Self> {
        let template = Template(spec.agent_settings.rsh.clone());
        let words = template.command(&hosts[0].host, &spec.agent_settings.agent, ARGUMENT);
        let pipe = || pipe_with(PipeFlags::CLOEXEC);
        let ((input, to), (from, output)) = (pipe()?, pipe()?);
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).stdin(input).stdout(output);
        if !spec.agent_settings.step.is_empty() {
            command.env(step::VARIABLE, &spec.agent_settings.step);
        }
        let (pid, complaints) = rsh::start(command)?;
        let link = AgentLink::new(from, to)?;
        let child = ChildAgent::over(agent, Shell::Process(pid), link, spec, hosts, events);
        tokio::task::spawn_local(note_complaints(agent, complaints, child.observed.clone(), events.clone()));
        Ok(child)
    }

    /// An agent whose remote shell already runs.
    pub fn over(
        agent: usize,
        shell: Shell,
        link: Rc<AgentLink>,
        spec: &JobSpec,
        hosts: &[JobHost],
        events: &UnboundedSender<Event>,
    ) -> Self {
        let observed = Rc::new(Observed::default());
        tokio::task::spawn_local(listen(agent, link.clone(), observed.clone(), events.clone()));
        link.post(&Down::Job(Box::new(spec.for_hosts(hosts))).frame());
        ChildAgent {
            hosts: hosts.to_vec(),
            shell,
            command: spec.agent_settings.rsh[0].clone(),
            path: spec.agent_settings.agent.clone(),
            link,
            observed,
            started: Instant::now(),
            shell_end: None,
            closed: None,
            lost_at: None,
            silence: [limits(&spec.agent_settings, spec.agent_settings.start_ms), silence(&spec.agent_settings)],
            over: false,
        }
    }

    /// Whether `node` belongs to this agent, or to an agent below it.
    pub fn has(&self, node: u32) -> bool {
        self.hosts.iter().any(|host| host.node == node)
    }

    /// Send a message, unless the agent is over.
    pub fn post(&self, down: &Down) {
        if !self.over {
            self.link.post(&down.frame());
        }
    }

    /// Whether the agent has finished, or is lost.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// The agent has sent its last message.
    pub fn finish(&mut self) {
        self.over = true;
    }

    /// Note the end of process `pid`, if that is the remote shell. Returns whether it is.
    pub fn note_end(&mut self, pid: Pid, end: ProcessEnd) -> bool {
        if !matches!(self.shell, Shell::Process(own) if own == pid) {
            return false;
        }
        self.shell_end = Some(end);
        self.schedule_loss();
        true
    }

    /// The link has ended.
    pub fn note_close(&mut self, why: String) {
        self.closed = Some(why);
        self.schedule_loss();
    }

    fn schedule_loss(&mut self) {
        let both = self.shell_end.is_some() && self.closed.is_some();
        let at = Instant::now() + if both { STDERR_GRACE } else { END_GRACE };
        self.lost_at = Some(self.lost_at.map_or(at, |earlier| earlier.min(at)));
    }

    /// Whether the agent has sent its opening.
    pub fn is_open(&self) -> bool {
        self.observed.opened.get()
    }

    /// When the agent was last heard, or was started.
    pub fn heard_at(&self) -> Instant {
        if self.is_open() { self.link.heard_at() } else { self.started }
    }

    /// When to call [`ChildAgent::look`].
    pub fn next_timer(&self) -> Option<Instant> {
        let silent_at = self.silence[usize::from(self.is_open())].next(self.heard_at());
        (!self.over).then(|| self.lost_at.map_or(silent_at, |at| at.min(silent_at)))
    }

    /// Whether the agent will be late at `then`, unless it sends something. If so, that counts as reported.
    pub fn told_ahead(&mut self, then: Instant) -> bool {
        let (heard_at, open) = (self.heard_at(), self.is_open());
        !self.over && self.silence[usize::from(open)].told_ahead(then, heard_at)
    }

    /// Check whether the agent is late or lost.
    pub fn look(&mut self, now: Instant) -> Finding {
        let (heard_at, open) = (self.heard_at(), self.is_open());
        match self.silence[usize::from(open)].look(now, heard_at) {
            _ if self.over => Finding::Wait,
            _ if self.lost_at.is_some_and(|at| at <= now) => Finding::Lost,
            finding => finding,
        }
    }

    /// The agent is lost, and so over. Returns the line that says why.
    pub fn lose(&mut self) -> String {
        self.over = true;
        // The remote shell itself may hang. If it has ended, it was reaped, and its process id may belong to another process.
        if self.shell_end.is_none() {
            self.shell.kill();
        }
        let mut why = Vec::new();
        if let Some(end) = self.shell_end {
            why.push(format!("`{}` {end}", self.command));
        } else if self.closed.is_some() {
            why.push(format!("the connection by `{}` was closed", self.command));
        } else {
            let option = if self.is_open() { "--lost-timeout" } else { "--start-timeout" };
            let seconds = self.heard_at().elapsed().as_secs_f64();
            why.push(format!("no sign of life for {seconds:.1} s (it may only be busy: {option})"));
        }
        why.extend(self.closed.take().filter(|closed| !closed.is_empty()));
        let complaint = self.observed.complaint.borrow();
        why.extend(complaint.lines().map(str::trim).rfind(|line| !line.is_empty()).map(str::to_owned));
        let what = if self.is_open() { "lost" } else { "cannot start its agent on" };
        let more = match self.hosts.len() {
            1 => String::new(),
            many => format!(", and {} reached through it", many - 1),
        };
        let host = &self.hosts[0].host;
        let cure = self.shell_end.filter(|_| !self.is_open());
        let cure = cure.and_then(|end| start_cure::cure(host, &self.path, &self.command, end, &complaint));
        let cure = cure.map_or(String::new(), |cure| format!("; {cure}"));
        format!("oshrun: {what} host {host}{more}: {}{cure}", why.join(": "))
    }
}

async fn listen(agent: usize, link: Rc<AgentLink>, observed: Rc<Observed>, events: UnboundedSender<Event>) {
    let opened = || observed.opened.set(true);
    let digest = |body: &[u8]| {
        let up = Up::parse(body).map_err(|error| error.to_string())?;
        let _ = events.send(Event::FromAgent { agent, up });
        Ok(())
    };
    let why = link.read_on(Some(opened), digest).await.err().unwrap_or_default();
    let _ = events.send(Event::AgentClosed { agent, why });
}

/// Read the remote shell's stderr. Before the agent's opening it is kept, since it may say why the start fails; after
/// that it is shown to the user.
async fn note_complaints(agent: usize, from: Receiver, observed: Rc<Observed>, events: UnboundedSender<Event>) {
    let mut chunk = [0; 4 << 10];
    while from.readable().await.is_ok() {
        let got = match from.try_read(&mut chunk) {
            Ok(0) => return,
            Ok(got) => got,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => continue,
            Err(_) => return,
        };
        let mut complaint = observed.complaint.borrow_mut();
        complaint.push_str(&String::from_utf8_lossy(&chunk[..got]));
        if observed.opened.get() {
            while let Some(end) = complaint.find('\n') {
                let line: String = complaint.drain(..=end).collect();
                let _ = events.send(Event::FromAgent { agent, up: Up::Message(line) });
            }
        }
        while complaint.len() > COMPLAINT_MAX {
            complaint.remove(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::CommandExt;

    /// A process that leads a group and has the given process id. `None` if process ids cannot be chosen.
    fn process_called(pid: Pid) -> Option<std::process::Child> {
        let last = "/proc/sys/kernel/ns_last_pid";
        let before = std::fs::read_to_string(last).ok()?;
        for _ in 0..200 {
            std::fs::write(last, (pid.as_raw_nonzero().get() - 1).to_string()).ok()?;
            let mut child = Command::new("sleep").arg("600").process_group(0).spawn().ok()?;
            // Other tests rely on numbers that were just freed to stay free for a while.
            std::fs::write(last, before.trim()).ok()?;
            if Pid::from_child(&child) == pid {
                return Some(child);
            }
            // Another process got the process id first.
            child.kill().unwrap();
            child.wait().unwrap();
        }
        None
    }

    #[test]
    fn a_number_that_was_reaped_is_not_killed() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        tokio::task::LocalSet::new().block_on(&runtime, async {
            let mut spec = crate::run::job_spec::tests::small();
            spec.agent_settings.rsh = vec!["true".into()];
            let (events, _happened) = tokio::sync::mpsc::unbounded_channel();
            let mut agent = ChildAgent::start(0, &spec, &spec.hosts, &events).unwrap();
            let Shell::Process(shell) = agent.shell else { unreachable!("it was started") };
            let ended = rustix::process::waitpid(Some(shell), rustix::process::WaitOptions::empty());
            let (pid, status) = ended.unwrap().unwrap();
            assert!(agent.note_end(pid, ProcessEnd::of(status).unwrap()));
            let Some(mut other) = process_called(pid) else {
                return println!("skipped: only root can choose the number of a process");
            };
            tokio::time::sleep(END_GRACE).await;
            assert_eq!(agent.look(Instant::now()), Finding::Lost);
            let why = agent.lose();
            assert!(why.contains("exited with 0"), "{why}");
            let alive = other.try_wait().unwrap().is_none();
            let _ = other.kill();
            other.wait().unwrap();
            assert!(alive, "another process with the number of the remote shell was killed");
        });
    }
}
