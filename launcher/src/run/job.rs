//! The job as the user sees it: its output, how it ends, and oshrun's exit code.
//!
//! A job ends by itself when all PEs have ended. It is *ended* by the first of these: the death of a PE, an abort, the
//! loss of a host, a signal, the timeout, or output that cannot be written. The first reason decides the exit code, and
//! is the only one that is reported. The PEs then get SIGTERM, and SIGKILL after a grace period.
//!
//! A PE has died if a signal killed it, if it exited with a code other than 0, or if it exited with 0 while it owed its
//! peers a `shmem_finalize`: they may wait for it, and would wait for ever. A program that never was a PE (`oshrun -n 2
//! hostname`) owes nothing. But if others wait for it in `shmem_init`, the job is ended too.
//!
//! If losses return (`losses`), the death of a PE and the loss of a host are reported, and end nothing once the PEs have met.

use super::agent_protocol::{Down, Up};
use super::deadline::{Deadline, TIMED_OUT};
use super::event::Event;
use super::input::{self, give_up_input};
use super::job_spec::AgentSettings;
use super::last_run::{self, Past};
use super::local_job::LocalJob;
use super::local_pes::LocalPes;
use super::losses::Losses;
use super::machine::Machine;
use super::output::{Output, OutputLoss, OutputOptions, WriterStatus};
use super::output_end::{OutputEnd, is_before, wait_for_output};
use super::output_files::OutputFiles;
use super::plan::{JobPlan, host_name};
use super::process_end::name;
use super::reason::{Reason, UNREAD};
use super::signal_events;
use super::start_progress::StartProgress;
use super::supervisor::{ENDING, OTHERS, PASSED_ON};
use super::survey::{Step, Survey};
use super::wanted_files::WantedFile;
use super::{Refusal, descriptor_limit::DescriptorLimit};
use crate::stderr::print_line;
use ferrite_bootstrap::NodeMap;
use ferrite_bootstrap::values::KeyValueStore;
use ferrite_fabric::Pe;
use ferrite_os::clock::monotonic_ns;
use rustix::fs::{FileType, fstat};
use rustix::termios::isatty;
use std::io::{stderr, stdin};
use std::os::fd::OwnedFd;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::time::{Instant, sleep_until};

/// A second ending signal within this time counts as the first one: schedulers signal every process of a job, and the supervisor forwards
/// its own signals.
const SAME_SIGNAL: Duration = Duration::from_millis(500);
/// How long the remaining output may take to be written after the job was ended.
const OUTPUT_GRACE: Duration = Duration::from_secs(2);
/// The same after a repeated signal: long enough for oshrun's own last line.
const UNWANTED_GRACE: Duration = Duration::from_millis(200);
/// The exit code of a job that is ended because it cannot go on, or seems not to.
const STALLED: u8 = 70;

/// Run the planned job, and return oshrun's exit code. `terminal`: standard input is a terminal.
pub async fn run(
    plan: JobPlan,
    descriptors: DescriptorLimit,
    lifeline: OwnedFd,
    terminal: bool,
) -> Result<u8, Refusal> {
    let begin = Instant::now();
    // A step has two connections for each host, whichever host its remote shell runs on.
    let joined = if plan.step.is_some() { plan.below.len() } else { 0 };
    let agents = plan.below.len().min(plan.job.fan_out as usize) + joined;
    let limit = descriptors.raise_for_job(plan.tasks.len(), agents)?;
    let nodes = plan.spec.nodes.clone();
    let command = last_run::command_line(&plan.spec);
    // The paths may belong to another host, if PE 0 is there.
    let wanted = if plan.here == Some(0) { WantedFile::of(&plan.job, &plan.spec.directory)? } else { Vec::new() };
    let files = plan.job.output_filename.as_ref().map(|path| OutputFiles::make(path, (0..nodes.size()).map(Pe)));
    let files = files.transpose().map_err(|why| Refusal::new(format!("--output-filename {why}")))?.map(Arc::new);
    let (events, mut happened) = mpsc::unbounded_channel();
    signal_events::forward_signals(&[&PASSED_ON[..], &ENDING, &OTHERS].concat(), &events)?;
    signal_events::watch_supervisor(lifeline, &events)?;
    let deadline = Deadline::after(plan.job.timeout);
    let prompts = terminal || is_answered();
    let options = OutputOptions { tag: plan.job.tag_output, prompts, files };
    // Threads must not exist while processes are started, so the writing threads are started later.
    let (output, writers) = Output::prepare(options, events.clone());
    let agent_settings = plan.spec.agent_settings.clone();
    let local_pes = LocalPes::new(host_name(), events.clone());
    if let Some(step) = plan.step {
        step.start(&plan.below, &agent_settings)?;
    }
    let mut local = LocalJob::new(plan.spec, plan.here, &plan.below, local_pes, None, &events)?;
    let mut refused = local.start(&plan.tasks, limit, Stdio::inherit(), || {}).err();
    let agent_settings = (!plan.below.is_empty()).then_some(agent_settings);
    let hosts = nodes.nodes();
    let mut job = Job::new(nodes, local, agent_settings, events, deadline, plan.grace);
    job.progress = isatty(stderr()).then(|| StartProgress::new(hosts, begin));
    if plan.here == Some(0) {
        give_up_input().map_err(|error| Refusal::new(format!("cannot close its standard input: {error}")))?;
    }
    // If no more PEs can be started, a thread often cannot be started either. The PEs' error says more, and has the hint.
    let no_thread = |error| Refusal::new(format!("cannot start its output thread: {error}"));
    let written = writers.start().map_err(|error| refused.take().unwrap_or_else(|| no_thread(error)))?;
    for line in &plan.bindings {
        output.say(line);
    }
    if let Some(refusal) = refused {
        job.end(Reason::death(refusal.code, format!("oshrun: {refusal}")), &output);
    }
    let end = job.run_to_end(&mut happened, output, written).await;
    if job.ending.is_some() {
        wanted.iter().filter_map(WantedFile::complaint).for_each(print_line);
    }
    let code = end.as_ref().map_or(1, |code| *code);
    last_run::keep(&format!("{command}, which has ended with exit code {code}"), job.pasts);
    end
}

/// Whether another program may write our standard input, and may read PE 0's prompts before it does. A file is no
/// program.
fn is_answered() -> bool {
    let kind = fstat(stdin()).map(|stat| FileType::from_raw_mode(stat.st_mode));
    matches!(kind, Ok(FileType::Fifo | FileType::Socket))
}

/// The state of a job that is being ended.
struct Ending {
    code: u8,
    /// When to give up on processes that have not ended.
    give_up_at: Instant,
}

pub struct Job<M = LocalPes> {
    store: KeyValueStore,
    nodes: NodeMap,
    local: LocalJob<M>,
    /// How agents are watched, if the job has other hosts.
    agent_settings: Option<AgentSettings>,
    events: UnboundedSender<Event>,
    /// Tells the input thread how many bytes it may read, if PE 0 is on another host.
    input_credits: Option<std::sync::mpsc::Sender<usize>>,
    ending: Option<Ending>,
    /// When the last ending signal was received.
    signalled_at: Option<Instant>,
    /// A PE has ended without owing a `shmem_finalize`, and this was reported to all hosts.
    left: bool,
    /// No process of the job is left.
    done: bool,
    deadline: Deadline,
    /// Time from SIGTERM to SIGKILL when the user ends the job.
    grace: Duration,
    /// Finds PEs that cannot go on, and reports where all are.
    survey: Survey,
    /// The progress line that is shown while hosts start.
    progress: Option<StartProgress>,
    /// The last calls of PEs that have ended.
    pasts: Vec<Past>,
    /// Losses that the other PEs survive.
    losses: Losses,
}

impl<M: Machine> Job<M> {
    /// A job whose processes on this host are already started.
    pub fn new(
        nodes: NodeMap,
        local: LocalJob<M>,
        agent_settings: Option<AgentSettings>,
        events: UnboundedSender<Event>,
        deadline: Deadline,
        grace: Duration,
    ) -> Self {
        let survey = Survey::new(nodes.nodes(), nodes.size());
        Job {
            store: KeyValueStore::new(nodes.size()),
            nodes,
            local,
            agent_settings,
            events,
            input_credits: None,
            ending: None,
            signalled_at: None,
            left: false,
            done: false,
            deadline,
            grace,
            survey,
            progress: None,
            pasts: Vec::new(),
            losses: Losses::default(),
        }
    }

    /// Run the job to its end. Returns oshrun's exit code.
    pub async fn run_to_end(
        &mut self,
        happened: &mut UnboundedReceiver<Event>,
        mut output: Output,
        mut written: WriterStatus,
    ) -> Result<u8, Refusal> {
        let mut has_loss = false;
        let (mut lost, mut unwanted) = (false, false);
        loop {
            self.handle_reports(&mut output);
            if unwanted && !self.done && self.nothing_runs() {
                // Only the reader of the output is being waited for.
                self.local.give_up();
                (self.done, lost) = (true, true);
                continue;
            }
            if self.done {
                break;
            }
            let next_timer = self.next_timer();
            let reason = tokio::select! {
                Some(event) = happened.recv() => {
                    unwanted |= self.is_repeated_signal(&event) && output.is_stuck();
                    self.on_event(event, &output)
                }
                why = written.losses.recv(), if !has_loss => {
                    has_loss = true;
                    why.map(Reason::from)
                }
                () = sleep_until(next_timer.unwrap_or_else(Instant::now)), if next_timer.is_some() => {
                    let reason = self.on_timer(&output);
                    // The PEs' pipes are closed unread if no more of their output can be taken.
                    lost = self.done && output.is_stuck();
                    reason
                }
            };
            if let Some(reason) = reason {
                self.end(reason, &output);
            }
        }
        drop(output);
        let grace = match self.ending {
            None => Duration::MAX,
            Some(_) if unwanted => UNWANTED_GRACE,
            Some(_) => OUTPUT_GRACE,
        };
        let rest = wait_for_output(&mut written, happened, grace, self.ignores_signals_until()).await;
        if lost || !matches!(rest, OutputEnd::Written) {
            written.report_loss().await;
        }
        match (&self.ending, rest) {
            (Some(ending), _) => return Ok(ending.code),
            (None, OutputEnd::Unwanted(signal)) => return Ok(128 + signal as u8),
            (None, OutputEnd::Written | OutputEnd::Stuck) => {}
        }
        // The last output may be the one that could not be written.
        match written.losses.try_recv() {
            Err(_) => Ok(self.losses.exit_code(self.nodes.size())),
            Ok(OutputLoss::Unread) => Ok(UNREAD),
            Ok(OutputLoss::Failed(why)) => Err(Refusal::new(why)),
        }
    }

    /// Whether this is an ending signal while the job is already being ended: the user wants it killed.
    fn is_repeated_signal(&self, event: &Event) -> bool {
        self.ending.is_some()
            && matches!(event, Event::Signal(number) if ENDING.contains(number))
            && !is_before(Instant::now(), self.ignores_signals_until())
    }

    /// Until when a further ending signal counts as the same one.
    fn ignores_signals_until(&self) -> Option<Instant> {
        self.signalled_at.map(|last| last + SAME_SIGNAL)
    }

    /// Whether no PE runs any more. Other hosts report that only with their last message.
    fn nothing_runs(&self) -> bool {
        self.agent_settings.is_none() && self.local.living() == 0
    }

    fn handle_reports(&mut self, output: &mut Output) {
        loop {
            let reports = self.local.reports();
            if reports.is_empty() {
                return;
            }
            for up in reports {
                if let Up::Message(line) = up {
                    output.say(&line);
                } else if let Some(reason) = self.handle_report(up, output) {
                    self.end(reason, output);
                }
            }
        }
    }

    /// Handle a report of this host's part of the job, or of an agent.
    fn handle_report(&mut self, up: Up, output: &mut Output) -> Option<Reason> {
        match up {
            Up::Published(entries) => {
                if let Err(why) = self.store.publish(entries) {
                    return Some(Reason::death(1, format!("oshrun: ending the job: {why}")));
                }
            }
            Up::Started => {
                if self.progress.take_if(StartProgress::count).is_some() {
                    output.show("");
                }
            }
            Up::Arrived => {
                let entries = self.store.release();
                self.local.execute(Down::Released(entries));
            }
            Up::Lookup { pe, key } => {
                let entries = self.store.page(pe, &key);
                self.local.execute(Down::Found { pe, key, entries });
            }
            Up::PeLeft { pe, line } if !self.left => {
                self.left = true;
                self.local.execute(Down::PeLeft { pe, line });
            }
            // PEs that the end of the job ends are not lost.
            Up::Lost(loss) if self.ending.is_none() => {
                self.losses.note(&loss);
                output.say(&loss.line);
            }
            Up::Fatal { code, line, spared } => return Some(Reason { spared, ..Reason::death(code, line) }),
            Up::Signalled { number, host } => {
                let name = signal_name(number);
                let line = format!("oshrun: ending the job: its agent on host {host} got {name}");
                return self.signalled(number, line);
            }
            Up::Output { pe, stream, bytes } if pe.0 < self.nodes.size() => {
                output.take(self.nodes.node_of(pe), pe, stream, bytes);
            }
            Up::InputCredit(bytes) => self.read_input(bytes as usize),
            Up::Past(past) => self.pasts.push(past),
            Up::Stands => {
                let step = self.survey.stands(Instant::now());
                return self.tell(step, output);
            }
            Up::Sights { turn, node, host, now_ns, mut sights } => {
                // Clocks of hosts differ: convert the start of the wait to this host's clock.
                let mine = monotonic_ns();
                for waiting in sights.iter_mut().filter_map(|sight| sight.seen.waiting.as_mut()) {
                    waiting.since_ns = mine.saturating_sub(now_ns.saturating_sub(waiting.since_ns));
                }
                let steps = self.survey.said(turn, node, host, sights, Instant::now());
                return self.tell(steps, output);
            }
            Up::Done => self.done = true,
            Up::PeLeft { .. } | Up::Lost(_) | Up::Output { .. } | Up::Message(_) | Up::Heartbeat => {}
        }
        None
    }

    /// Execute the steps of the survey: ask hosts, print lines for the user, end the job.
    fn tell(&mut self, steps: impl IntoIterator<Item = Step>, output: &Output) -> Option<Reason> {
        let mut reason = None;
        for step in steps {
            match step {
                Step::Ask { turn, places_ms } => self.local.execute(Down::Look { turn, places_ms }),
                Step::Tell(lines) => lines.iter().for_each(|line| output.say(&format!("ferrite: {line}"))),
                Step::End => reason = Some(Reason::death(STALLED, String::new())),
            }
        }
        reason
    }

    /// PE 0, on another host, can take `bytes` more bytes of input.
    fn read_input(&mut self, bytes: usize) {
        let events = self.events.clone();
        let input_credits = self
            .input_credits
            .get_or_insert_with(|| input::read_by_credit(move |bytes| events.send(Event::InputRead(bytes)).is_ok()));
        let _ = input_credits.send(bytes);
    }

    /// End the job. Only the first reason counts.
    fn end(&mut self, reason: Reason, output: &Output) {
        if self.ending.is_some() {
            return;
        }
        let Reason { code, line, signal, grace, spared } = reason;
        if self.progress.take().is_some() {
            output.show("");
        }
        self.ending = Some(Ending { code, give_up_at: Instant::now() + grace + OUTPUT_GRACE + self.patience() });
        self.local.execute(Down::End {
            signal,
            grace_ms: u32::try_from(grace.as_millis()).unwrap_or(u32::MAX),
            spared,
        });
        if !line.is_empty() {
            output.say(&line);
        }
    }

    /// How long other hosts may take to end their PEs.
    fn patience(&self) -> Duration {
        self.agent_settings.as_ref().map_or(Duration::ZERO, |given| Duration::from_millis(given.patience_ms.into()))
    }

    fn on_event(&mut self, event: Event, output: &Output) -> Option<Reason> {
        match event {
            Event::Signal(number) if number != libc::SIGCHLD => self.on_signal(number, output),
            Event::SupervisorEnded => {
                self.kill();
                Some(Reason::death(137, String::new()))
            }
            Event::OutputWritten { node, stream, bytes } => {
                self.local.execute(Down::OutputCredit { node, stream, bytes });
                None
            }
            Event::InputRead(bytes) => {
                self.local.execute(Down::Input(bytes));
                None
            }
            other => {
                self.local.on_event(other);
                None
            }
        }
    }

    fn on_signal(&mut self, number: i32, output: &Output) -> Option<Reason> {
        if !ENDING.contains(&number) {
            self.local.execute(Down::Signal(number));
            if number == libc::SIGUSR1 {
                let step = self.survey.call_roll("roll-call", Instant::now());
                return self.tell([step], output);
            }
            return None;
        }
        if is_before(Instant::now(), self.ignores_signals_until()) {
            return None;
        }
        if self.ending.is_some() {
            self.signalled_at = Some(Instant::now());
            // The user repeats the signal: kill at once.
            self.kill();
            return None;
        }
        let name = signal_name(number);
        self.signalled(number, format!("oshrun: ending the job on {name} (again: kill it at once)"))
    }

    /// A signal ends the job, unless it is ending already. A scheduler signals all hosts, so an agent's signal never counts as a repeated
    /// signal of the user.
    fn signalled(&mut self, number: i32, line: String) -> Option<Reason> {
        if self.ending.is_some() {
            return None;
        }
        self.signalled_at = Some(Instant::now());
        let signal = if number == libc::SIGQUIT { number } else { libc::SIGTERM };
        Some(Reason { code: 128 + number as u8, line, signal, grace: self.grace, spared: None })
    }

    fn kill(&mut self) {
        self.local.execute(Down::Kill);
        let give_up_at = Instant::now() + OUTPUT_GRACE + self.patience();
        if let Some(ending) = &mut self.ending {
            ending.give_up_at = ending.give_up_at.min(give_up_at);
        }
    }

    fn next_timer(&self) -> Option<Instant> {
        let own = self.ending.as_ref().map_or(self.deadline.next(), |ending| Some(ending.give_up_at));
        let survey = self.survey.next_timer().filter(|_| self.ending.is_none());
        let progress = self.progress.as_ref().map(StartProgress::due);
        [own, self.local.next_timer(), survey, progress].into_iter().flatten().min()
    }

    fn on_timer(&mut self, output: &Output) -> Option<Reason> {
        let now = Instant::now();
        self.local.on_timer();
        if let Some(line) = self.progress.as_mut().and_then(|progress| progress.line(now)) {
            output.show(&line);
        }
        if let Some(ending) = &self.ending {
            if ending.give_up_at <= now {
                self.local.give_up();
                self.done = true;
            }
            return None;
        }
        let steps = self.survey.on_timer(now);
        let stalled = self.tell(steps, output);
        if self.deadline.calls_roll(now) {
            let step = self.survey.call_roll("roll-call", now);
            self.tell([step], output);
        }
        if !self.deadline.is_over(now) {
            return stalled;
        }
        let steps = self.survey.finish(now);
        self.tell(steps, output);
        let line = Deadline::line(self.agent_settings.is_none().then(|| self.local.living()));
        Some(Reason { code: TIMED_OUT, line, signal: libc::SIGTERM, grace: self.grace, spared: None })
    }
}

fn signal_name(number: i32) -> &'static str {
    name(number).unwrap_or("a signal")
}
