//! An agent below: the remote shell that starts it, and the connection to it.

use super::agent_link::AgentLink;
use super::agent_protocol::{Down, Up};
use super::death::End;
use super::event::Event;
use super::job_spec::{AgentSettings, JobHost, JobSpec};
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

/// What the agent is called by on its command line, which says nothing else.
pub const ARGUMENT: &str = "--agent";
/// How long a connection and its remote shell may outlive each other.
const FADE: Duration = Duration::from_millis(300);
/// How long what the remote shell complained of may take to arrive when both have ended.
const SETTLE: Duration = Duration::from_millis(20);
/// How much of what a remote shell complains of is kept, in bytes.
const COMPLAINT_MAX: usize = 1 << 10;

/// The tenths of the whole patience after which a silent agent is lost: the job has to end in the rest. And those
/// before which none is that has only just been started.
const SILENCE_TENTHS: u32 = 5;
const START_TENTHS: u32 = 9;

/// How often something is said at least.
pub fn beat(settings: &AgentSettings) -> Duration {
    Duration::from_millis(settings.patience_ms.into()) / 10
}

/// How long silence is borne.
pub fn silence(settings: &AgentSettings) -> Duration {
    beat(settings) * SILENCE_TENTHS
}

/// When one that was started then, and heard last at a time, if ever, is judged to be silent. At its start it may be long
/// in one step, during which it can say nothing: the directory, or the program, may be on a file system to be mounted.
pub fn silent_at(settings: &AgentSettings, started: Instant, heard_at: Option<Instant>) -> Instant {
    let Some(heard_at) = heard_at else { return started + start_patience(settings) };
    (started + beat(settings) * START_TENTHS).max(heard_at + silence(settings))
}

/// How long an agent may take to say its first word.
fn start_patience(settings: &AgentSettings) -> Duration {
    Duration::from_millis(settings.start_ms.into()) / 10 * START_TENTHS
}

/// An agent below.
pub struct Branch {
    /// Its host, and those below it.
    pub hosts: Vec<JobHost>,
    pid: Pid,
    command: String,
    link: Rc<AgentLink>,
    ears: Rc<Ears>,
    started: Instant,
    shell_end: Option<End>,
    /// Its connection has ended, and how.
    closed: Option<String>,
    /// When that it is lost is beyond doubt.
    fades_at: Option<Instant>,
    /// It seems silent, and will be judged then: what it said may wait to be read, if this process slept meanwhile.
    doubt_until: Option<Instant>,
    /// Nothing more is expected of it.
    over: bool,
    /// The user knows that it is waited for.
    told_late: bool,
}

/// What was heard of an agent, beside its messages.
#[derive(Default)]
struct Ears {
    /// It has spoken.
    opened: Cell<bool>,
    complaint: RefCell<String>,
}

impl Branch {
    /// Start an agent for the first of some sites, which sees to the others. What it says becomes events.
    pub fn start(
        number: usize,
        spec: &JobSpec,
        hosts: &[JobHost],
        events: &UnboundedSender<Event>,
    ) -> io::Result<Self> {
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
        let ears = Rc::new(Ears::default());
        tokio::task::spawn_local(listen(number, link.clone(), ears.clone(), events.clone()));
        let complaints = Receiver::from_owned_fd(complaints.into())?;
        tokio::task::spawn_local(note_complaints(number, complaints, ears.clone(), events.clone()));
        link.post(&Down::Job(Box::new(spec.for_hosts(hosts))).frame());
        Ok(Branch {
            hosts: hosts.to_vec(),
            pid,
            command: words[0].to_string_lossy().into_owned(),
            link,
            ears,
            started: Instant::now(),
            shell_end: None,
            closed: None,
            fades_at: None,
            doubt_until: None,
            over: false,
            told_late: false,
        })
    }

    /// The user is told that it is waited for.
    pub fn tell_late(&mut self) {
        self.told_late = true;
    }

    /// When it has taken longer to start than usual, and is waited for all the same; nothing if the user knows.
    pub fn late_at(&self, settings: &AgentSettings) -> Option<Instant> {
        let at = self.started + beat(settings) * START_TENTHS;
        let waits = !self.over && !self.told_late && !self.ears.opened.get();
        Some(at).filter(|&at| waits && at < self.silent_at(settings))
    }

    /// Whether a node is this agent's, or below it.
    pub fn has(&self, node: u32) -> bool {
        self.hosts.iter().any(|site| site.node == node)
    }

    /// Tell it something, unless it is over.
    pub fn post(&self, down: &Down) {
        if !self.over {
            self.link.post(&down.frame());
        }
    }

    /// Whether nothing more is expected of it.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// It has said goodbye.
    pub fn finish(&mut self) {
        self.over = true;
    }

    /// If a process that has ended is its remote shell: note it.
    pub fn note_end(&mut self, pid: Pid, end: End) -> bool {
        if pid != self.pid {
            return false;
        }
        self.shell_end = Some(end);
        self.fade();
        true
    }

    /// Its connection has ended.
    pub fn note_close(&mut self, why: String) {
        self.closed = Some(why);
        self.fade();
    }

    fn fade(&mut self) {
        let both = self.shell_end.is_some() && self.closed.is_some();
        let at = Instant::now() + if both { SETTLE } else { FADE };
        self.fades_at = Some(self.fades_at.map_or(at, |earlier| earlier.min(at)));
    }

    /// When to look whether it is late, or lost.
    pub fn alarm(&self, settings: &AgentSettings) -> Option<Instant> {
        let judged_at = self.judged_at(settings);
        (!self.over).then(|| self.late_at(settings).map_or(judged_at, |late| late.min(judged_at)))
    }

    fn judged_at(&self, settings: &AgentSettings) -> Instant {
        let silent_at = self.silent_at(settings);
        let judged_at = self.doubt_until.map_or(silent_at, |until| until.max(silent_at));
        self.fades_at.map_or(judged_at, |fades| fades.min(judged_at))
    }

    fn silent_at(&self, settings: &AgentSettings) -> Instant {
        silent_at(settings, self.started, self.ears.opened.get().then(|| self.link.heard_at()))
    }

    /// Why it is lost, if it is. From then on it is over.
    pub fn lost(&mut self, settings: &AgentSettings) -> Option<String> {
        let now = Instant::now();
        if self.over || self.judged_at(settings) > now {
            return None;
        }
        if self.fades_at.is_none_or(|when| when > now)
            && self.doubt_until.is_none_or(|until| until < self.silent_at(settings))
        {
            self.doubt_until = Some(now + beat(settings));
            return None;
        }
        self.over = true;
        // The shell may be what hangs.
        let _ = kill_process_group(self.pid, Signal::KILL);
        let _ = kill_process(self.pid, Signal::KILL);
        let mut why = Vec::new();
        if let Some(end) = self.shell_end {
            why.push(format!("`{}` {end}", self.command));
        } else if self.closed.is_some() {
            why.push(format!("the connection by `{}` was closed", self.command));
        } else {
            let opened = self.ears.opened.get();
            let (since, option) =
                if opened { (self.link.heard_at(), "--host-timeout") } else { (self.started, "--start-timeout") };
            why.push(format!(
                "no sign of life for {:.1} s (it may only be busy: {option})",
                since.elapsed().as_secs_f64()
            ));
        }
        why.extend(self.closed.take().filter(|closed| !closed.is_empty()));
        let complaint = self.ears.complaint.borrow();
        why.extend(complaint.lines().map(str::trim).rfind(|line| !line.is_empty()).map(str::to_owned));
        let what = if self.ears.opened.get() { "lost" } else { "cannot start its agent on" };
        let more = match self.hosts.len() {
            1 => String::new(),
            many => format!(", and {} reached through it", many - 1),
        };
        Some(format!("oshrun: {what} host {}{more}: {}", self.hosts[0].host, why.join(": ")))
    }
}

async fn listen(number: usize, link: Rc<AgentLink>, ears: Rc<Ears>, events: UnboundedSender<Event>) {
    let opened = || ears.opened.set(true);
    let digest = |body: &[u8]| {
        let up = Up::parse(body).map_err(|error| error.to_string())?;
        let _ = events.send(Event::Below { branch: number, up });
        Ok(())
    };
    let why = link.read_on(Some(opened), digest).await.err().unwrap_or_default();
    let _ = events.send(Event::BelowLost { branch: number, why });
}

/// What a remote shell writes to its stderr: kept until the agent has spoken, for the reason that it may be; after
/// that the user's to see.
async fn note_complaints(number: usize, from: Receiver, ears: Rc<Ears>, events: UnboundedSender<Event>) {
    let mut chunk = [0; 4 << 10];
    while from.readable().await.is_ok() {
        let got = match from.try_read(&mut chunk) {
            Ok(0) => return,
            Ok(got) => got,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => continue,
            Err(_) => return,
        };
        let mut complaint = ears.complaint.borrow_mut();
        complaint.push_str(&String::from_utf8_lossy(&chunk[..got]));
        if ears.opened.get() {
            while let Some(end) = complaint.find('\n') {
                let line: String = complaint.drain(..=end).collect();
                let _ = events.send(Event::Below { branch: number, up: Up::Say(line) });
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
