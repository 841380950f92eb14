//! `oshrun --agent`: runs a part of a job on another host. oshrun, or another agent, starts it through a remote shell.
//!
//! It receives the job on standard input and reports on standard output. Its command line and environment carry nothing. When its link
//! closes, or its parent is silent for too long, it kills everything that it has started, and ends.

use super::agent_link::{AgentLink, OPENING};
use super::agent_protocol::{Down, Up};
use super::child_agent::{heartbeat_interval, silence};
use super::event::Event;
use super::job_spec::{AgentSettings, JobSpec};
use super::local_job::LocalJob;
use super::local_pes::LocalPes;
use super::machine::Machine;
use super::plan::host_name;
use super::silence::{Finding, Silence};
use super::supervisor::{ENDING, Half, PASSED_ON, split};
use super::{Refusal, descriptor_limit::DescriptorLimit, signal_events, tasks};
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
use tokio::time::{Instant, sleep_until, timeout};

/// How many bytes of PE 0's input may be sent before PE 0 has taken them.
const INPUT_MAX: usize = 64 << 10;
/// How long the last messages may take to be received.
const PARTING_GRACE: Duration = Duration::from_secs(2);

pub fn run() -> Result<u8, Refusal> {
    let descriptors = DescriptorLimit::raise_for_launcher()?;
    let lifeline = match split(false)? {
        Half::Supervisor(code) => return Ok(code),
        Half::Worker(lifeline) => lifeline,
    };
    super::block_on(serve(descriptors, lifeline))
}

async fn serve(descriptors: DescriptorLimit, lifeline: OwnedFd) -> Result<u8, Refusal> {
    let (events, mut happened) = mpsc::unbounded_channel();
    signal_events::forward_signals(&[&PASSED_ON[..], &ENDING, &[libc::SIGCHLD]].concat(), &events)?;
    signal_events::watch_supervisor(lifeline, &events)?;
    let link =
        connect().map_err(|error| Refusal::new(format!("an agent must be started by oshrun, over pipes: {error}")))?;
    link.post(OPENING);
    tokio::task::spawn_local(listen_above(link.clone(), events.clone()));
    let Some(Event::FromParent(Down::Job(spec))) = happened.recv().await else {
        return Err(Refusal::new("it received no job"));
    };
    let code = match Agent::start(*spec, descriptors, link.clone(), &events) {
        Ok(mut agent) => agent.run_to_end(&mut happened).await,
        Err(refusal) => {
            link.post(&refused(&refusal, &host_name()).frame());
            part(&link, &mut happened).await;
            refusal.code
        }
    };
    Ok(code)
}

/// Send the last message, and wait until the parent has received it and sends no more. If a process of a step ended with bytes unread, the
/// kernel would reset its connection, and what was sent last could be lost.
async fn part(link: &AgentLink, happened: &mut UnboundedReceiver<Event>) {
    link.post(&Up::Done.frame());
    let parted = async {
        while let Some(event) = happened.recv().await {
            if matches!(event, Event::FromParent(Down::Farewell) | Event::ParentClosed(_)) {
                return;
            }
        }
    };
    let _ = timeout(PARTING_GRACE, parted).await;
}

/// Make a link from the standard streams, and replace them by /dev/null.
fn connect() -> io::Result<Rc<AgentLink>> {
    let from = fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?;
    let to = fcntl_dupfd_cloexec(rustix::stdio::stdout(), 3)?;
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    rustix::stdio::dup2_stdout(File::options().write(true).open("/dev/null")?)?;
    AgentLink::new(from, to)
}

/// Turn the parent's messages into events.
pub async fn listen_above(link: Rc<AgentLink>, events: UnboundedSender<Event>) {
    let digest = |body: &[u8]| {
        let down = Down::parse(body).map_err(|error| error.to_string())?;
        let _ = events.send(Event::FromParent(down));
        Ok(())
    };
    let why = link.read_on(None::<fn()>, digest).await.err().unwrap_or_default();
    let _ = events.send(Event::ParentClosed(why));
}

fn refused(refusal: &Refusal, host: &str) -> Up {
    Up::Fatal { code: refusal.code, line: format!("oshrun: on host {host}: {refusal}"), spared: None }
}

/// One of the processes that run a part of a job.
pub struct Agent<M = LocalPes> {
    link: Rc<AgentLink>,
    local: LocalJob<M>,
    host: String,
    agent_settings: AgentSettings,
    beat_at: Instant,
    /// The parent's silence.
    silence: Silence,
}

impl Agent {
    fn start(
        spec: JobSpec,
        descriptors: DescriptorLimit,
        link: Rc<AgentLink>,
        events: &UnboundedSender<Event>,
    ) -> Result<Self, Refusal> {
        let agent_settings = spec.agent_settings.clone();
        let (node, host) = (spec.hosts[0].node, host_name());
        enter_directory(&spec, node)?;
        let (tasks, bindings) = tasks::of_node(&spec, node, &host)?;
        let below = spec.hosts[1..].to_vec();
        let limit = descriptors.raise_for_job(tasks.len(), below.len().min(spec.agent_settings.fan_out as usize))?;
        let (input, feed) = match tasks.first().map(|task| task.pe) {
            Some(Pe(0)) => {
                let wrong = |error| Refusal::new(format!("cannot make a pipe for PE 0's input: {error}"));
                let (input, feed) = feed(events.clone()).map_err(wrong)?;
                (input, Some(feed))
            }
            _ => (Stdio::null(), None),
        };
        let wants_input = feed.is_some();
        let local_pes = LocalPes::new(host.clone(), events.clone());
        let mut local = LocalJob::new(spec, Some(node), &below, local_pes, feed, events)?;
        if let Err(refusal) = local.start(&tasks, limit, input, || link.post(&Up::Heartbeat.frame())) {
            link.post(&refused(&refusal, &host).frame());
            local.execute(Down::Kill);
        } else if wants_input {
            link.post(&Up::InputCredit(INPUT_MAX as u32).frame());
        }
        for line in bindings {
            link.post(&Up::Message(line).frame());
        }
        Ok(Agent::new(link, local, host, agent_settings))
    }
}

impl<M: Machine> Agent<M> {
    /// An agent whose processes are already started.
    pub fn new(link: Rc<AgentLink>, local: LocalJob<M>, host: String, agent_settings: AgentSettings) -> Self {
        let silence = silence(&agent_settings);
        Agent { link, local, host, agent_settings, beat_at: Instant::now(), silence }
    }

    /// Run this host's part of the job to its end. Returns the agent's exit code.
    pub async fn run_to_end(&mut self, happened: &mut UnboundedReceiver<Event>) -> u8 {
        loop {
            for up in self.local.reports() {
                if up == Up::Done {
                    part(&self.link, happened).await;
                    return 0;
                }
                self.link.post(&up.frame());
            }
            let next_timer =
                [Some(self.silence.next(self.link.heard_at())), Some(self.beat_at), self.local.next_timer()]
                    .into_iter()
                    .flatten()
                    .min();
            let next_timer = next_timer.unwrap_or(self.beat_at);
            let over = tokio::select! {
                // Events must not delay timers.
                () = sleep_until(next_timer) => self.on_timer(),
                Some(event) = happened.recv() => self.on_event(event),
            };
            if over {
                return 1;
            }
        }
    }

    /// Do everything whose time has come. Returns whether the agent must end.
    fn on_timer(&mut self) -> bool {
        let now = Instant::now();
        // A late parent is not reported: only the parent could pass the report on.
        if self.silence.look(now, self.link.heard_at()) == Finding::Lost {
            self.local.give_up();
            return true;
        }
        if self.beat_at <= now {
            self.link.post(&Up::Heartbeat.frame());
            self.beat_at = now + heartbeat_interval(&self.agent_settings);
        }
        self.local.on_timer();
        false
    }

    /// Handle an event. Returns whether the agent must end.
    fn on_event(&mut self, event: Event) -> bool {
        match event {
            Event::FromParent(down) => self.local.execute(down),
            Event::ParentClosed(_) | Event::SupervisorEnded => {
                self.local.give_up();
                return true;
            }
            // A scheduler that has started the agents signals all of them, and perhaps not oshrun.
            Event::Signal(number) if PASSED_ON.contains(&number) => self.local.pass_signal(number),
            Event::Signal(number) if number != libc::SIGCHLD => {
                self.link.post(&Up::Signalled { number, host: self.host.clone() }.frame());
            }
            other => self.local.on_event(other),
        }
        false
    }
}

/// Enter the directory in which oshrun was started. It need not exist if all PEs of this node have a `--wdir`.
fn enter_directory(spec: &JobSpec, node: u32) -> Result<(), Refusal> {
    let mut apps = spec.nodes.pes_of(node).into_iter().map(|pe| &spec.apps[spec.app_number(pe.0)]);
    match std::env::set_current_dir(&spec.directory) {
        Err(error) if apps.any(|app| app.directory.is_none()) => Err(tasks::cannot_start_in(&spec.directory, &error)),
        _ => Ok(()),
    }
}

/// A pipe for PE 0's standard input, and the channel whose bytes are written to it.
fn feed(events: UnboundedSender<Event>) -> io::Result<(Stdio, UnboundedSender<Vec<u8>>)> {
    let (theirs, ours) = pipe_with(PipeFlags::CLOEXEC)?;
    let mut to = Sender::from_owned_fd(ours)?;
    let (feed, mut fed) = mpsc::unbounded_channel::<Vec<u8>>();
    tokio::task::spawn_local(async move {
        while let Some(bytes) = fed.recv().await {
            // The input has ended, or PE 0 reads no more. Then no more input is requested.
            if bytes.is_empty() || to.write_all(&bytes).await.is_err() {
                return;
            }
            let _ = events.send(Event::InputTaken(bytes.len()));
        }
    });
    Ok((theirs.into(), feed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::task::{LocalSet, spawn_local, yield_now};

    #[test]
    fn an_agent_ends_when_its_parent_sends_no_more() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        LocalSet::new().block_on(&runtime, async {
            let (to_agent, from_parent) = mpsc::unbounded_channel();
            let (to_parent, mut from_agent) = mpsc::unbounded_channel();
            let (events, mut happened) = mpsc::unbounded_channel();
            let link = AgentLink::within(from_parent, to_parent);
            spawn_local(listen_above(link.clone(), events));
            let began = Instant::now();
            let parting = spawn_local(async move { part(&link, &mut happened).await });
            assert_eq!(from_agent.recv().await.unwrap(), Up::Done.frame());
            // Sent before the parent received the agent's last message.
            to_agent.send(Down::Heartbeat.frame()).unwrap();
            for _ in 0..100 {
                yield_now().await;
            }
            assert!(!parting.is_finished(), "it ended although more could come");
            to_agent.send(Down::Farewell.frame()).unwrap();
            parting.await.unwrap();
            assert_eq!(began.elapsed(), Duration::ZERO);
        });
    }
}
