//! An agent that this process has started: the remote shell that runs it, the link to it, and whether it is lost.

use super::agent_link::AgentLink;
use super::agent_protocol::{Down, Up};
use super::event::Event;
use super::job_spec::{AgentSettings, JobHost, JobSpec};
use super::process_end::ProcessEnd;
use super::rsh::Template;
use rustix::process::{
    Pid, Signal, getpid, getppid, kill_process, kill_process_group, set_parent_process_death_signal,
};
use std::cell::{Cell, RefCell};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
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

/// Tenths of `patience_ms` after which a silent agent is lost; the job must end in the remaining time. And tenths after
/// its start before which no agent is lost.
const SILENCE_TENTHS: u32 = 5;
const START_TENTHS: u32 = 9;

/// The longest time between two messages to the other side.
pub fn heartbeat_interval(settings: &AgentSettings) -> Duration {
    Duration::from_millis(settings.patience_ms.into()) / 10
}

/// How long the other side may be silent.
pub fn silence_max(settings: &AgentSettings) -> Duration {
    heartbeat_interval(settings) * SILENCE_TENTHS
}

/// When a process counts as silent that was started at `started` and heard last at `heard_at`, if ever. It is given
/// more time after its start, where one step may take long: the program may be on a file system that is mounted first.
pub fn silent_at(settings: &AgentSettings, started: Instant, heard_at: Option<Instant>) -> Instant {
    let Some(heard_at) = heard_at else { return started + start_patience(settings) };
    (started + heartbeat_interval(settings) * START_TENTHS).max(heard_at + silence_max(settings))
}

/// How long an agent may take to send its opening.
fn start_patience(settings: &AgentSettings) -> Duration {
    Duration::from_millis(settings.start_ms.into()) / 10 * START_TENTHS
}

/// What has started an agent, and carries its messages.
pub enum Shell {
    /// A process, which leads a group.
    Process(Pid),
    /// No process: this ends it.
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
    /// Its own host, then the hosts of the agents below it.
    pub hosts: Vec<JobHost>,
    /// Its remote shell. The shell's number is its own until its end is noted, since only then it is reaped.
    shell: Shell,
    command: String,
    link: Rc<AgentLink>,
    observed: Rc<Observed>,
    started: Instant,
    shell_end: Option<ProcessEnd>,
    /// Why its link has ended, if it has.
    closed: Option<String>,
    /// When it counts as lost, since its link or its remote shell has ended.
    lost_at: Option<Instant>,
    /// It seems silent, and is checked again then: if this process was suspended, its messages may wait to be read.
    recheck_at: Option<Instant>,
    /// It has finished, or is lost.
    over: bool,
    /// The user was told that its start takes long.
    told_late: bool,
}

/// What the reading tasks have observed of an agent, besides its messages.
#[derive(Default)]
struct Observed {
    /// Its opening was received.
    opened: Cell<bool>,
    complaint: RefCell<String>,
}

impl ChildAgent {
    /// Start agent number `agent` on the first of `hosts`; it starts those for the others. Its messages become events.
    pub fn start(agent: usize, spec: &JobSpec, hosts: &[JobHost], events: &UnboundedSender<Event>) -> io::Result<Self> {
        let template = Template(spec.agent_settings.rsh.clone());
        let words = template.command(&hosts[0].host, &spec.agent_settings.agent, ARGUMENT);
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        template.unwanted().iter().for_each(|name| {
            command.env_remove(name);
        });
        let parent = getpid();
        // SAFETY: the process has one thread while it starts agents, and what runs here makes system calls only.
        unsafe {
            command.pre_exec(move || {
                set_parent_process_death_signal(Some(Signal::KILL))?;
                if getppid() == Some(parent) { Ok(()) } else { Err(io::Error::other("oshrun has ended")) }
            })
        };
        let mut shell = command.spawn()?;
        let pid = Pid::from_raw(shell.id().cast_signed()).expect("a child's number is positive");
        let ends = (shell.stdout.take(), shell.stdin.take(), shell.stderr.take());
        let (Some(from), Some(to), Some(complaints)) = ends else { unreachable!("all three were asked for") };
        let link = AgentLink::new(OwnedFd::from(from), OwnedFd::from(to))?;
        let complaints = Receiver::from_owned_fd(complaints.into())?;
        let child = ChildAgent::over(agent, Shell::Process(pid), link, spec, hosts, events);
        tokio::task::spawn_local(note_complaints(agent, complaints, child.observed.clone(), events.clone()));
        Ok(child)
    }

    /// The same, where its remote shell runs.
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
            link,
            observed,
            started: Instant::now(),
            shell_end: None,
            closed: None,
            lost_at: None,
            recheck_at: None,
            over: false,
            told_late: false,
        }
    }

    /// Note that the user was told that its start takes long.
    pub fn set_told_late(&mut self) {
        self.told_late = true;
    }

    /// When to tell the user that its start takes long; `None` if it has started, is lost by then, or the user was
    /// told.
    pub fn late_at(&self, settings: &AgentSettings) -> Option<Instant> {
        let at = self.started + heartbeat_interval(settings) * START_TENTHS;
        let waits = !self.over && !self.told_late && !self.observed.opened.get();
        Some(at).filter(|&at| waits && at < self.silent_at(settings))
    }

    /// Whether `node` is this agent's, or that of an agent below it.
    pub fn has(&self, node: u32) -> bool {
        self.hosts.iter().any(|host| host.node == node)
    }

    /// Send it a message, unless it is over.
    pub fn post(&self, down: &Down) {
        if !self.over {
            self.link.post(&down.frame());
        }
    }

    /// Whether it has finished, or is lost.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// It has sent its last message.
    pub fn finish(&mut self) {
        self.over = true;
    }

    /// Note the end of process `pid`, if that is its remote shell. Returns whether it is.
    pub fn note_end(&mut self, pid: Pid, end: ProcessEnd) -> bool {
        if !matches!(self.shell, Shell::Process(own) if own == pid) {
            return false;
        }
        self.shell_end = Some(end);
        self.schedule_loss();
        true
    }

    /// Its link has ended.
    pub fn note_close(&mut self, why: String) {
        self.closed = Some(why);
        self.schedule_loss();
    }

    fn schedule_loss(&mut self) {
        let both = self.shell_end.is_some() && self.closed.is_some();
        let at = Instant::now() + if both { STDERR_GRACE } else { END_GRACE };
        self.lost_at = Some(self.lost_at.map_or(at, |earlier| earlier.min(at)));
    }

    /// When to check whether it is late or lost.
    pub fn next_timer(&self, settings: &AgentSettings) -> Option<Instant> {
        let decided_at = self.decided_at(settings);
        (!self.over).then(|| self.late_at(settings).map_or(decided_at, |late| late.min(decided_at)))
    }

    fn decided_at(&self, settings: &AgentSettings) -> Instant {
        let silent_at = self.silent_at(settings);
        let decided_at = self.recheck_at.map_or(silent_at, |until| until.max(silent_at));
        self.lost_at.map_or(decided_at, |at| at.min(decided_at))
    }

    fn silent_at(&self, settings: &AgentSettings) -> Instant {
        silent_at(settings, self.started, self.observed.opened.get().then(|| self.link.heard_at()))
    }

    /// Check whether it is lost, and return why. A lost agent is over.
    pub fn lost(&mut self, settings: &AgentSettings) -> Option<String> {
        let now = Instant::now();
        if self.over || self.decided_at(settings) > now {
            return None;
        }
        if self.lost_at.is_none_or(|when| when > now)
            && self.recheck_at.is_none_or(|until| until < self.silent_at(settings))
        {
            self.recheck_at = Some(now + heartbeat_interval(settings));
            return None;
        }
        self.over = true;
        // The remote shell itself may hang. One that has ended was reaped: its number may be another process's by now.
        if self.shell_end.is_none() {
            self.shell.kill();
        }
        let mut why = Vec::new();
        if let Some(end) = self.shell_end {
            why.push(format!("`{}` {end}", self.command));
        } else if self.closed.is_some() {
            why.push(format!("the connection by `{}` was closed", self.command));
        } else {
            let opened = self.observed.opened.get();
            let (since, option) =
                if opened { (self.link.heard_at(), "--host-timeout") } else { (self.started, "--start-timeout") };
            why.push(format!(
                "no sign of life for {:.1} s (it may only be busy: {option})",
                since.elapsed().as_secs_f64()
            ));
        }
        why.extend(self.closed.take().filter(|closed| !closed.is_empty()));
        let complaint = self.observed.complaint.borrow();
        why.extend(complaint.lines().map(str::trim).rfind(|line| !line.is_empty()).map(str::to_owned));
        let what = if self.observed.opened.get() { "lost" } else { "cannot start its agent on" };
        let more = match self.hosts.len() {
            1 => String::new(),
            many => format!(", and {} reached through it", many - 1),
        };
        Some(format!("oshrun: {what} host {}{more}: {}", self.hosts[0].host, why.join(": ")))
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

    /// A process that leads a group, with a number of choice: nothing where numbers cannot be chosen.
    fn process_called(pid: Pid) -> Option<std::process::Child> {
        for _ in 0..200 {
            std::fs::write("/proc/sys/kernel/ns_last_pid", (pid.as_raw_nonzero().get() - 1).to_string()).ok()?;
            let mut child = Command::new("sleep").arg("600").process_group(0).spawn().ok()?;
            if Pid::from_child(&child) == pid {
                return Some(child);
            }
            // Another process was quicker.
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
            let why = agent.lost(&spec.agent_settings).expect("it is lost");
            assert!(why.contains("exited with 0"), "{why}");
            let alive = other.try_wait().unwrap().is_none();
            let _ = other.kill();
            other.wait().unwrap();
            assert!(alive, "another process with the number of the remote shell was killed");
        });
    }

    #[test]
    fn nobody_is_silent_who_has_only_just_been_started() {
        let settings = AgentSettings {
            rsh: vec!["ssh".into()],
            agent: "/bin/oshrun".into(),
            fan_out: 1,
            patience_ms: 5000,
            start_ms: 20_000,
        };
        let started = Instant::now();
        for (heard_ms, silent_ms) in [(None, 18_000), (Some(100), 4500), (Some(1900), 4500), (Some(60_000), 62_500)] {
            let heard_at = heard_ms.map(|ms| started + Duration::from_millis(ms));
            assert_eq!(
                silent_at(&settings, started, heard_at) - started,
                Duration::from_millis(silent_ms),
                "{heard_ms:?}"
            );
        }
    }
}
