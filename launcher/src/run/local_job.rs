//! One host's part of a job: its PEs, and the agents that are started from it. oshrun has one for its own host, and
//! each agent has one.
//!
//! It executes [`Down`] commands and reports by [`Up`] messages, whether its parent is the user's oshrun or another
//! agent. It never decides to end the job: it reports the reason, and receives the command to end.

use super::Refusal;
use super::agent_protocol::{Down, Up};
use super::boards::Boards;
use super::child_agent::{self, ChildAgent};
use super::event::Event;
use super::exchange::{BootExchange, Outgoing, Stage};
use super::host_watch::HostWatch;
use super::job_spec::{JobHost, JobSpec};
use super::last_run::Past;
use super::local_pes::LocalPes;
use super::losses::Loss;
use super::machine::Machine;
use super::process_end::ProcessEnd;
use super::silence::Finding;
use super::spawn::Task;
use ferrite_bootstrap::wire::ToLauncher;
use ferrite_fabric::Pe;
use rustix::process::{Rlimit, Signal};
use std::process::Stdio;
use std::time::Duration;
use tokio::sync::mpsc::UnboundedSender;
use tokio::time::Instant;

/// How long a wrapper may take to end after the PE that it started has ended without `shmem_finalize`. The wrapper's exit code tells how
/// the PE ended. A wrapper that runs longer goes on without its PE.
const WRAPPER_GRACE: Duration = Duration::from_secs(2);

/// One host's part of a job.
pub struct LocalJob<M = LocalPes> {
    spec: JobSpec,
    /// This host's node number, if PEs run here.
    node: Option<u32>,
    /// Where to send PE 0's input, if PE 0 runs here and oshrun runs on another host.
    feed: Option<UnboundedSender<Vec<u8>>>,
    exchange: BootExchange,
    local_pes: M,
    agents: Vec<ChildAgent>,
    /// PEs whose process ended below a wrapper, with the deadline by which the wrapper must end, and the process id.
    suspects: Vec<(Instant, Pe, i32)>,
    /// PEs that failed before the end of the job began.
    failed: Vec<(Pe, ProcessEnd)>,
    /// Set when the job ends: when to kill the PEs that still run, unless they were killed already.
    ending: Option<Option<Instant>>,
    beat_at: Instant,
    /// Watches the waits of the PEs of this host, if some run here.
    watch: Option<HostWatch>,
    /// Messages to the parent.
    out: Vec<Up>,
    finish: Finish,
}

/// The progress of the end of the host's part.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Finish {
    /// PEs or agents run.
    Not,
    /// Nothing runs. The rest of the output is being read.
    Draining,
    /// `Up::Done` was sent.
    Done,
}

impl<M: Machine> LocalJob<M> {
    /// Start the agents for the hosts `below`, from the machine `local_pes`. `node` is this host's node number, if PEs run here;
    /// [`LocalJob::start`] starts them.
    pub fn new(
        spec: JobSpec,
        node: Option<u32>,
        below: &[JobHost],
        mut local_pes: M,
        feed: Option<UnboundedSender<Vec<u8>>>,
        events: &UnboundedSender<Event>,
    ) -> Result<Self, Refusal> {
        let mut agents = Vec::new();
        for (number, share) in spec.shares(below).enumerate() {
            let agent = local_pes.start_agent(number, &spec, share, events).map_err(|error| {
                let command = &spec.agent_settings.rsh[0];
                Refusal::new(format!("cannot start its agent on host {}: `{command}`: {error}", share[0].host))
            })?;
            agents.push(agent);
        }
        let pes = node.map_or_else(Vec::new, |node| spec.nodes.pes_of(node));
        let watch = node.map(|node| HostWatch::new(node, local_pes.name(), spec.nodes.nodes() > 1));
        Ok(LocalJob {
            exchange: BootExchange::new(spec.nodes.clone(), spec.secret, &pes, agents.len()),
            local_pes,
            spec,
            node,
            feed,
            agents,
            suspects: Vec::new(),
            failed: Vec::new(),
            ending: None,
            beat_at: Instant::now(),
            watch,
            out: Vec::new(),
            finish: Finish::Not,
        })
    }

    /// Start the PEs. This may take long, so heartbeats are sent meanwhile: to the agents, and by `beat_up` to the parent.
    pub fn start(
        &mut self,
        tasks: &[Task],
        limit: Rlimit,
        input: Stdio,
        mut beat_up: impl FnMut(),
    ) -> Result<(), Refusal> {
        let LocalJob { spec, local_pes, agents, beat_at, .. } = self;
        local_pes.start(tasks, spec, limit, input, || {
            let now = Instant::now();
            if *beat_at <= now {
                agents.iter().for_each(|agent| agent.post(&Down::Heartbeat));
                beat_up();
                *beat_at = now + child_agent::heartbeat_interval(&spec.agent_settings);
            }
        })?;
        if self.node.is_some() {
            self.out.push(Up::Started);
        }
        self.reap();
        Ok(())
    }

    /// The messages to the parent since the last call.
    pub fn reports(&mut self) -> Vec<Up> {
        self.finish_if_over();
        std::mem::take(&mut self.out)
    }

    /// Number of PEs that run here.
    pub fn living(&self) -> usize {
        self.local_pes.living()
    }

    /// Kill everything on this host now. The agents below do the same when their links close.
    pub fn give_up(&mut self) {
        self.tell_pasts();
        self.agents.iter_mut().for_each(ChildAgent::finish);
        self.finish = Finish::Draining;
        self.kill_leftovers();
    }

    /// Report the last calls of the PEs of this host.
    fn tell_pasts(&mut self) {
        let (host, size) = (self.local_pes.name(), self.spec.nodes.size());
        let boards = self.local_pes.boards().into_iter().flat_map(Boards::iter);
        let end = |pe| self.failed.iter().find(|(failed, _)| *failed == pe).map(|(_, end)| *end);
        self.out.extend(boards.filter_map(|(pe, board)| Past::of(pe, board, host, size, end(pe))).map(Up::Past));
    }

    fn kill_leftovers(&mut self) {
        self.out.extend(self.local_pes.kill_leftovers().map(Up::Message));
    }

    /// Handle an event of this host or of an agent below.
    pub fn on_event(&mut self, event: Event) {
        match event {
            Event::PeMessage { pe, pid, message } => self.on_message(pe, pid, message),
            Event::PeProtocolError { pe, why } => self.protocol_error(pe, &why),
            Event::PeUnreachable { pe, why } => {
                let how = format!("cannot be reached any more: oshrun cannot {why}");
                self.fatal(1, self.end_message(pe, self.local_pes.pid(pe), &how));
            }
            Event::PeEnded { pe, end } => self.on_end(pe, end),
            Event::SpeakerEnded { pe, pid } => {
                if self.exchange.stage(pe) == Stage::Joined && self.exchange.speaker(pe) == Some(pid) {
                    self.suspects.push((Instant::now() + WRAPPER_GRACE, pe, pid));
                }
            }
            Event::PeOutput { pe, stream, bytes } => self.out.push(Up::Output { pe, stream, bytes }),
            Event::OutputDrained => {
                self.finish = Finish::Done;
                self.out.push(Up::Done);
            }
            Event::InputTaken(bytes) => self.out.push(Up::InputCredit(bytes as u32)),
            Event::FromAgent { agent, up: Up::Done } => {
                self.agents[agent].post(&Down::Farewell);
                self.agents[agent].finish();
            }
            Event::FromAgent { up: Up::Heartbeat, .. } => {}
            Event::FromAgent { agent, up } => {
                let messages = self.exchange.on_agent_message(agent, up);
                self.send_all(messages);
            }
            Event::AgentClosed { agent, why } => self.agents[agent].note_close(why),
            Event::Signal(libc::SIGCHLD) => self.reap(),
            other => unreachable!("{other:?} is handled above a local job"),
        }
    }

    fn reap(&mut self) {
        for (pid, end) in self.local_pes.reap() {
            // Other processes are orphans that this process has inherited.
            self.agents.iter_mut().any(|agent| agent.note_end(pid, end));
        }
    }

    /// Send a signal to the PEs of this host. SIGUSR1 asks for a roll-call first of all, so programs that do not expect it do not get it.
    pub fn pass_signal(&self, number: i32) {
        match Signal::from_named_raw(number) {
            Some(Signal::USR1) => self.local_pes.signal_takers(Signal::USR1),
            Some(signal) => self.local_pes.signal(signal),
            None => {}
        }
    }

    /// Execute a command of the parent.
    pub fn execute(&mut self, down: Down) {
        match down {
            Down::Job(_) => {}
            Down::End { signal, grace_ms, spared } => {
                self.pass_down(&Down::End { signal, grace_ms, spared });
                self.ending = Some(Some(Instant::now() + Duration::from_millis(grace_ms.into())));
                if let Some(signal) = Signal::from_named_raw(signal) {
                    self.local_pes.signal_but(signal, spared);
                }
                // A stopped process does not receive the signal before it continues.
                self.local_pes.signal(Signal::CONT);
            }
            Down::Signal(number) => {
                self.pass_down(&Down::Signal(number));
                self.pass_signal(number);
            }
            Down::Look { turn, places_ms } => {
                self.pass_down(&Down::Look { turn, places_ms });
                let boards = self.local_pes.boards();
                self.watch.iter_mut().for_each(|watch| watch.ask(boards, turn, places_ms, Instant::now()));
            }
            Down::Kill => {
                self.pass_down(&Down::Kill);
                self.ending = Some(None);
                self.local_pes.signal(Signal::KILL);
            }
            Down::OutputCredit { node, stream, bytes } if self.node == Some(node) => {
                self.local_pes.credit(stream, bytes as usize)
            }
            Down::OutputCredit { node, .. } => self.pass_to(node, &down),
            // PE 0 is on node 0.
            Down::Input(bytes) if self.node == Some(0) => {
                if let Some(feed) = &self.feed {
                    let _ = feed.send(bytes);
                }
            }
            Down::Input(_) => self.pass_to(0, &down),
            Down::Heartbeat | Down::Farewell => {}
            Down::Released(_) | Down::Found { .. } | Down::PeLeft { .. } => {
                let messages = self.exchange.on_parent_message(down);
                self.send_all(messages);
            }
        }
    }

    fn pass_down(&self, down: &Down) {
        self.agents.iter().for_each(|agent| agent.post(down));
    }

    fn pass_to(&self, node: u32, down: &Down) {
        self.agents.iter().filter(|agent| agent.has(node)).for_each(|agent| agent.post(down));
    }

    fn send_all(&mut self, messages: Vec<Outgoing>) {
        for post in messages {
            match post {
                Outgoing::Pe(pe, answer) => self.answer(pe, &answer),
                Outgoing::Pes(answer) => {
                    let pes = self.node.map_or_else(Vec::new, |node| self.spec.nodes.pes_of(node));
                    pes.into_iter().for_each(|pe| self.answer(pe, &answer));
                }
                Outgoing::Agent(agent, down) => self.agents[agent].post(&down),
                Outgoing::Agents(down) => self.pass_down(&down),
                Outgoing::Up(up) => self.out.push(up),
            }
        }
    }

    fn answer(&mut self, pe: Pe, answer: &ferrite_bootstrap::wire::ToPe) {
        if let Err(why) = self.local_pes.post(pe, answer) {
            self.protocol_error(pe, &why);
        }
    }

    fn on_message(&mut self, pe: Pe, pid: i32, message: ToLauncher) {
        self.local_pes.handled(pe);
        if matches!(message, ToLauncher::Hello { .. }) && pid != self.local_pes.pid(pe) {
            self.local_pes.watch(pe, pid);
        }
        match self.exchange.on_pe_message(pe, pid, message) {
            Ok(messages) => self.send_all(messages),
            Err(why) => self.protocol_error(pe, &why),
        }
    }

    fn on_end(&mut self, pe: Pe, end: ProcessEnd) {
        let line = self.end_message(pe, self.local_pes.pid(pe), &end.to_string());
        if end != ProcessEnd::Exit(0) {
            if self.ending.is_none() {
                self.failed.push((pe, end));
            }
            self.dies(pe, end.code(), matches!(end, ProcessEnd::Exit(_)), line);
        } else if self.exchange.stage(pe) == Stage::Joined {
            let line = self.end_message(pe, self.local_pes.pid(pe), "exited without finalize");
            self.dies(pe, 1, false, line);
        } else {
            let messages = self.exchange.left(pe, line);
            self.send_all(messages);
        }
    }

    /// A PE is lost. `is_chosen`: it has ended with this code by itself.
    fn dies(&mut self, pe: Pe, code: u8, is_chosen: bool, line: String) {
        // Before the PEs have met, the others wait for it without being told of its loss.
        if !self.spec.loss_returns || self.exchange.is_starting(pe) {
            return self.fatal(code, line);
        }
        self.lose(&[pe], Loss { pes: 1, code, is_chosen, line });
    }

    /// PEs are lost, and the others go on.
    fn lose(&mut self, pes: &[Pe], loss: Loss) {
        let line = loss.line.clone();
        self.out.push(Up::Lost(loss));
        if let Some(&pe) = pes.first() {
            let messages = self.exchange.left(pe, line);
            self.send_all(messages);
        }
    }

    fn protocol_error(&mut self, pe: Pe, why: &str) {
        let how = "sent oshrun a message that is not in its protocol";
        self.fatal(1, self.end_message(pe, self.local_pes.pid(pe), &format!("{how}: {why}")));
    }

    fn fatal(&mut self, code: u8, line: String) {
        self.out.push(Up::Fatal { code, line, spared: None });
    }

    fn end_message(&self, pe: Pe, pid: i32, how: &str) -> String {
        format!("oshrun: {pe} on host {} (pid {pid}) {how}", self.local_pes.name())
    }

    /// When to call [`LocalJob::on_timer`] next.
    pub fn next_timer(&self) -> Option<Instant> {
        let suspect = self.suspects.iter().map(|(when, ..)| *when).min();
        let silent = self.agents.iter().filter_map(ChildAgent::next_timer).min();
        let beat = silent.map(|_| self.beat_at);
        let watch = self.watch.as_ref().and_then(HostWatch::next_timer);
        [self.ending.flatten(), suspect, silent, beat, watch].into_iter().flatten().min()
    }

    /// Do everything whose time has come.
    pub fn on_timer(&mut self) {
        let now = Instant::now();
        if self.ending.flatten().is_some_and(|when| when <= now) {
            self.ending = Some(None);
            self.local_pes.signal(Signal::KILL);
        }
        if let Some(watch) = &mut self.watch {
            self.out.extend(watch.look(self.local_pes.boards(), now));
        }
        if self.beat_at <= now {
            self.pass_down(&Down::Heartbeat);
            self.beat_at = now + child_agent::heartbeat_interval(&self.spec.agent_settings);
        }
        for agent in 0..self.agents.len() {
            match self.agents[agent].look(now) {
                Finding::Wait => {}
                Finding::Late => self.tell_late(agent, now),
                Finding::Lost => {
                    let line = self.agents[agent].lose();
                    self.lose_agent(agent, line);
                }
            }
        }
        while let Some(at) = self.suspects.iter().position(|(when, ..)| *when <= now) {
            let (_, pe, pid) = self.suspects.swap_remove(at);
            let still = self.exchange.stage(pe) == Stage::Joined && self.exchange.speaker(pe) == Some(pid);
            if still && self.local_pes.is_alive(pe) {
                let line = self.end_message(pe, pid, "ended without finalize, while its wrapper still runs");
                match self.spec.loss_returns {
                    // It is counted when the wrapper ends.
                    true => self.lose(&[pe], Loss { pes: 0, code: 1, is_chosen: false, line }),
                    false => self.fatal(1, line),
                }
            }
        }
    }

    /// An agent is lost, with its PEs and those of the agents below it.
    fn lose_agent(&mut self, agent: usize, line: String) {
        // Until all PEs have met, nobody is told of a loss: the others would wait for the PEs of the lost host.
        if !self.spec.loss_returns || !self.agents[agent].is_open() || self.exchange.is_any_starting() {
            return self.fatal(1, line);
        }
        let nodes = self.agents[agent].hosts.iter().map(|host| host.node);
        let pes: Vec<Pe> = nodes.flat_map(|node| self.spec.nodes.pes_of(node)).collect();
        self.lose(&pes, Loss { pes: pes.len() as u32, code: 1, is_chosen: false, line });
    }

    /// Report a late agent to the user, and the number of other late agents. Agents that will be late by the next heartbeat are included.
    fn tell_late(&mut self, agent: usize, now: Instant) {
        let settings = &self.spec.agent_settings;
        let soon = now + child_agent::heartbeat_interval(settings);
        let open = self.agents[agent].is_open();
        let others = self.agents.iter_mut().filter(|other| other.is_open() == open);
        let more = match others.filter_map(|other| other.told_ahead(soon).then_some(())).count() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let (command, first) = (&settings.rsh[0], &self.agents[agent].hosts[0].host);
        let line = if open {
            let seconds = (now - self.agents[agent].heard_at()).as_secs_f64();
            let limit = f64::from(settings.lost_ms) / 1e3;
            format!(
                "oshrun: no sign of life from host {first}{more} for {seconds:.1} s; still waiting, as it may only be \
                 busy \
                 (lost after {limit} s: --lost-timeout)"
            )
        } else {
            format!("oshrun: `{command}` has not started its agent on host {first}{more} yet; still waiting")
        };
        self.out.push(Up::Message(line));
    }

    /// When nothing runs here or below any more, kill the processes that were left behind, and read the rest of the
    /// output.
    fn finish_if_over(&mut self) {
        if self.finish == Finish::Not && self.local_pes.living() == 0 && self.agents.iter().all(ChildAgent::is_over) {
            self.finish = Finish::Draining;
            self.tell_pasts();
            self.kill_leftovers();
            self.local_pes.drain();
        }
    }
}
