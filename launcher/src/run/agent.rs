//! `oshrun --agent`: a part of a job on another host than oshrun's, started by a remote shell.
//!
//! It reads the job from standard input and reports on standard output; its command line and its environment say
//! nothing. It ends with its parent: when the connection closes, or carries no sign of life for too long, it kills all
//! that it has started.

use super::agent_link::{AgentLink, OPENING};
use super::agent_protocol::{Down, Up};
use super::child_agent::{heartbeat_interval, silent_at};
use super::event::Event;
use super::guard::{ENDING, PASSED_ON, Side, divide};
use super::job_spec::{AgentSettings, JobSpec};
use super::plan::host_name;
use super::site::Site;
use super::{Refusal, limits::Room, listen, tasks};
use ferrite_fabric::Pe;
use rustix::io::fcntl_dupfd_cloexec;
use rustix::pipe::{PipeFlags, pipe_with};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::process::Stdio;
use std::rc::Rc;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::unix::pipe::Sender;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::time::{Instant, sleep, sleep_until};

/// How much of PE 0's input may be on its way, in bytes.
const INPUT_MAX: usize = 64 << 10;
/// How long the last words may take to go out.
const FAREWELL: Duration = Duration::from_secs(2);

/// Be an agent, to its end.
pub fn run() -> Result<u8, Refusal> {
    let room = Room::make()?;
    let lifeline = match divide(false)? {
        Side::Guardian(code) => return Ok(code),
        Side::Worker(lifeline) => lifeline,
    };
    super::block_on(serve(room, lifeline))
}

async fn serve(room: Room, lifeline: OwnedFd) -> Result<u8, Refusal> {
    let (events, mut happened) = mpsc::unbounded_channel();
    listen::signals(&[&PASSED_ON[..], &ENDING, &[libc::SIGCHLD]].concat(), &events)?;
    listen::hold_on(lifeline, &events)?;
    let link = connect().map_err(|error| {
        Refusal::new(format!("an agent speaks to the oshrun that starts it, by pipes; this is none: {error}"))
    })?;
    link.post(OPENING);
    tokio::task::spawn_local(listen_above(link.clone(), events.clone()));
    let Some(Event::Above(Down::Job(spec))) = happened.recv().await else {
        return Err(Refusal::new("it was given no orders"));
    };
    let code = match Agent::start(*spec, room, link.clone(), &events) {
        Ok(mut agent) => agent.see_through(&mut happened).await,
        Err(refusal) => {
            link.post(&refused(&refusal, &host_name()).frame());
            link.post(&Up::Done.frame());
            refusal.code
        }
    };
    let patience = Instant::now() + FAREWELL;
    while !link.is_flushed() && Instant::now() < patience {
        sleep(Duration::from_millis(1)).await;
    }
    Ok(code)
}

/// The standard streams become the connection, and /dev/null takes their places.
fn connect() -> io::Result<Rc<AgentLink>> {
    let from = fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?;
    let to = fcntl_dupfd_cloexec(rustix::stdio::stdout(), 3)?;
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    rustix::stdio::dup2_stdout(File::options().write(true).open("/dev/null")?)?;
    AgentLink::new(from, to)
}

async fn listen_above(link: Rc<AgentLink>, events: UnboundedSender<Event>) {
    let digest = |body: &[u8]| {
        let down = Down::parse(body).map_err(|error| error.to_string())?;
        let _ = events.send(Event::Above(down));
        Ok(())
    };
    let why = link.read_on(None::<fn()>, digest).await.err().unwrap_or_default();
    let _ = events.send(Event::AboveLost(why));
}

fn refused(refusal: &Refusal, host: &str) -> Up {
    Up::Fatal { code: refusal.code, line: format!("oshrun: on host {host}: {refusal}"), spared: None }
}

struct Agent {
    link: Rc<AgentLink>,
    site: Site,
    host: String,
    agent_settings: AgentSettings,
    started: Instant,
    beat_at: Instant,
    /// The parent seems silent, and is checked again then: if this process was suspended, its messages may wait to be read.
    recheck_at: Option<Instant>,
}

impl Agent {
    fn start(spec: JobSpec, room: Room, link: Rc<AgentLink>, events: &UnboundedSender<Event>) -> Result<Self, Refusal> {
        let (started, agent_settings) = (Instant::now(), spec.agent_settings.clone());
        let (node, host) = (spec.hosts[0].node, host_name());
        go_to_work(&spec, node)?;
        let (tasks, bindings) = tasks::of_node(&spec, node, &host)?;
        let below = spec.hosts[1..].to_vec();
        let limit = room.extend(tasks.len(), below.len().min(spec.agent_settings.fan_out as usize))?;
        let (input, feed) = match tasks.first().map(|task| task.pe) {
            Some(Pe(0)) => {
                let wrong = |error| Refusal::new(format!("cannot make a pipe for PE 0's input: {error}"));
                let (input, feed) = feed(events.clone()).map_err(wrong)?;
                (input, Some(feed))
            }
            _ => (Stdio::null(), None),
        };
        let wants_input = feed.is_some();
        let mut site = Site::new(spec, Some(node), &below, host.clone(), feed, events)?;
        if let Err(refusal) = site.start(&tasks, limit, input, || link.post(&Up::Beat.frame())) {
            link.post(&refused(&refusal, &host).frame());
            site.obey(Down::Kill);
        } else if wants_input {
            link.post(&Up::Room(INPUT_MAX as u32).frame());
        }
        for line in bindings {
            link.post(&Up::Say(line).frame());
        }
        Ok(Agent { link, site, host, agent_settings, started, beat_at: Instant::now(), recheck_at: None })
    }

    async fn see_through(&mut self, happened: &mut UnboundedReceiver<Event>) -> u8 {
        loop {
            for up in self.site.reports() {
                self.link.post(&up.frame());
                if up == Up::Done {
                    return 0;
                }
            }
            let alarm = [Some(self.decided_at()), Some(self.beat_at), self.site.alarm()].into_iter().flatten().min();
            let alarm = alarm.unwrap_or(self.beat_at);
            let over = tokio::select! {
                // What is due is not put off by what happens.
                () = sleep_until(alarm) => self.on_alarm(),
                Some(event) = happened.recv() => self.on(event),
            };
            if over {
                return 1;
            }
        }
    }

    /// When the parent counts as lost, unless it sends something.
    fn decided_at(&self) -> Instant {
        self.recheck_at.map_or(self.silent_at(), |until| until.max(self.silent_at()))
    }

    fn silent_at(&self) -> Instant {
        silent_at(&self.agent_settings, self.started, Some(self.link.heard_at()))
    }

    /// Something is due. Whether that is the end.
    fn on_alarm(&mut self) -> bool {
        let now = Instant::now();
        if self.decided_at() <= now {
            if self.recheck_at.is_some_and(|until| until >= self.silent_at()) {
                self.site.give_up();
                return true;
            }
            self.recheck_at = Some(now + heartbeat_interval(&self.agent_settings));
        }
        if self.beat_at <= now {
            self.link.post(&Up::Beat.frame());
            self.beat_at = now + heartbeat_interval(&self.agent_settings);
        }
        self.site.on_alarm();
        false
    }

    /// Something has happened. Whether that is the end.
    fn on(&mut self, event: Event) -> bool {
        match event {
            Event::Above(down) => self.site.obey(down),
            Event::AboveLost(_) | Event::Orphaned => {
                self.site.give_up();
                return true;
            }
            // A scheduler that has started the agents warns them all, and perhaps not oshrun.
            Event::Signal(number) if PASSED_ON.contains(&number) => self.site.pass_signal(number),
            Event::Signal(number) if number != libc::SIGCHLD => {
                self.link.post(&Up::Signalled { number, host: self.host.clone() }.frame());
            }
            other => self.site.on(other),
        }
        false
    }
}

/// Go where oshrun was started. That need not be here if all PEs of this node start elsewhere.
fn go_to_work(spec: &JobSpec, node: u32) -> Result<(), Refusal> {
    let mut apps = spec.nodes.pes_of(node).into_iter().map(|pe| &spec.apps[spec.app_number(pe.0)]);
    match std::env::set_current_dir(&spec.directory) {
        Err(error) if apps.any(|app| app.directory.is_none()) => {
            let directory = spec.directory.display();
            let line = format!("cannot start in {directory}, where oshrun was started (--wdir DIR elsewhere): {error}");
            Err(Refusal::new(line))
        }
        _ => Ok(()),
    }
}

/// PE 0's standard input, and where to send what it is to read.
fn feed(events: UnboundedSender<Event>) -> io::Result<(Stdio, UnboundedSender<Vec<u8>>)> {
    let (theirs, ours) = pipe_with(PipeFlags::CLOEXEC)?;
    let mut to = Sender::from_owned_fd(ours)?;
    let (feed, mut fed) = mpsc::unbounded_channel::<Vec<u8>>();
    tokio::task::spawn_local(async move {
        while let Some(bytes) = fed.recv().await {
            // The end of the input; or PE 0 reads no more, and nothing more is asked for.
            if bytes.is_empty() || to.write_all(&bytes).await.is_err() {
                return;
            }
            let _ = events.send(Event::Fed(bytes.len()));
        }
    });
    Ok((theirs.into(), feed))
}
