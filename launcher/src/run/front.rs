//! The job: what the user sees of it, how it ends, and with which code.
//!
//! A job ends by itself when all PEs have ended. It is *ended* by the first of: a PE's death, an abort, the loss of a
//! host, a signal, the timeout, or output that cannot be written. The first reason decides the exit code and is
//! the only one that is told; PEs then get SIGTERM, and after a grace SIGKILL.
//!
//! A PE has died if a signal killed it, if it exited with another code than 0, or if it exited with 0 while it owed
//! its peers a `shmem_finalize`: they may be waiting for it, and would wait for ever. A program that never was a PE
//! (`oshrun -n 2 hostname`) owes nothing; but if others wait for it in `shmem_init`, the job ends as well.

use super::agent_protocol::{Down, Up};
use super::death::name;
use super::event::Event;
use super::guard::{ENDING, OTHERS, PASSED_ON};
use super::input::{self, give_up_input};
use super::job_spec::AgentSettings;
use super::key_value_store::KeyValueStore;
use super::listen;
use super::output::{self, Output, Spoiled, Wishes, Written};
use super::plan::{JobPlan, host_name};
use super::site::Site;
use super::{Refusal, limits::Room};
use ferrite_bootstrap::NodeMap;
use ferrite_fabric::Pe;
use rustix::fs::{FileType, fstat};
use std::io::stdin;
use std::os::fd::OwnedFd;
use std::process::Stdio;
use std::time::Duration;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::time::{Instant, sleep, sleep_until};

/// From SIGTERM to SIGKILL when a PE has died: what is left waits for it in vain.
const DEATH_GRACE: Duration = Duration::from_secs(1);
/// How long after a signal that ends the job another is the same still: schedulers send one to every process of a job,
/// and oshrun is two, of which one tells the other.
const SAME_SIGNAL: Duration = Duration::from_millis(500);
/// How long output may take to be written once the job was ended.
const OUTPUT_GRACE: Duration = Duration::from_secs(2);
/// The same once the user does not want it: for what oshrun itself has just said.
const UNWANTED_GRACE: Duration = Duration::from_millis(200);
/// What `timeout` exits with, too.
const TIMED_OUT: u8 = 124;
/// What a shell says of a program that nobody reads.
const UNREAD: u8 = 128 + libc::SIGPIPE as u8;

/// Run the planned job; give back oshrun's exit code. `terminal` says that a user types its input.
pub async fn run(plan: JobPlan, room: Room, lifeline: OwnedFd, terminal: bool) -> Result<u8, Refusal> {
    let limit = room.extend(plan.tasks.len(), plan.below.len().min(plan.job.fan_out as usize))?;
    let nodes = plan.spec.nodes.clone();
    if let Some(directory) = &plan.job.output_filename {
        output::make_files(directory, (0..nodes.size()).map(Pe))
            .map_err(|why| Refusal::new(format!("--output-filename {}: {why}", directory.display())))?;
    }
    let (events, mut happened) = mpsc::unbounded_channel();
    listen::signals(&[&PASSED_ON[..], &ENDING, &OTHERS].concat(), &events)?;
    listen::hold_on(lifeline, &events)?;
    let deadline = plan.job.timeout.map(|limit| Instant::now() + limit);
    let prompts = terminal || is_answered();
    let wishes = Wishes { tag: plan.job.tag_output, prompts, directory: plan.job.output_filename.clone() };
    // The writing thread waits for its first piece; processes are started before it exists.
    let (output, pen) = Output::prepare(wishes, events.clone());
    let agent_settings = plan.spec.agent_settings.clone();
    let mut site = Site::new(plan.spec, plan.here, &plan.below, host_name(), None, &events)?;
    let mut refused = site.start(&plan.tasks, limit, Stdio::inherit(), || {}).err();
    let store = KeyValueStore::new(nodes.size());
    let mut front = Front {
        store,
        nodes,
        site,
        agent_settings: (!plan.below.is_empty()).then_some(agent_settings),
        events,
        rooms: None,
        ending: None,
        signalled_at: None,
        left: false,
        done: false,
        deadline,
        grace: plan.grace,
    };
    if plan.here == Some(0) {
        give_up_input().map_err(|error| Refusal::new(format!("cannot give up its standard input: {error}")))?;
    }
    // Where no more PEs can be started, a thread often cannot either; why they could not says more, and has the hint.
    let no_thread = |error| Refusal::new(format!("cannot start its output thread: {error}"));
    let written = pen.start().map_err(|error| refused.take().unwrap_or_else(|| no_thread(error)))?;
    for line in &plan.bindings {
        output.say(line);
    }
    if let Some(refusal) = refused {
        front.end(Reason::death(refusal.code, format!("oshrun: {refusal}")), &output);
    }
    front.see_through(&mut happened, output, written).await
}

/// Whether a program may read what PE 0 asks before it writes to our standard input. A file is there as a whole.
fn is_answered() -> bool {
    let kind = fstat(stdin()).map(|stat| FileType::from_raw_mode(stat.st_mode));
    matches!(kind, Ok(FileType::Fifo | FileType::Socket))
}

/// How a job that did not end by itself ends.
struct Ending {
    code: u8,
    /// When what has not ended is given up.
    give_up_at: Instant,
}

/// What just became of the job.
struct Reason {
    code: u8,
    line: String,
    signal: i32,
    grace: Duration,
    /// A PE that ends by itself, if the grace is enough for it: it is running its exit handlers.
    spared: Option<Pe>,
}

struct Front {
    store: KeyValueStore,
    nodes: NodeMap,
    site: Site,
    /// How other hosts are reached, if there are any.
    agent_settings: Option<AgentSettings>,
    events: UnboundedSender<Event>,
    /// How much input may be read for a PE 0 that is elsewhere.
    rooms: Option<std::sync::mpsc::Sender<usize>>,
    ending: Option<Ending>,
    /// When the last signal came that ends the job.
    signalled_at: Option<Instant>,
    /// A PE has ended without owing anything, and all hosts were told.
    left: bool,
    /// Nothing of the job is left.
    done: bool,
    deadline: Option<Instant>,
    /// From SIGTERM to SIGKILL when the user ends the job.
    grace: Duration,
}

impl Front {
    async fn see_through(
        mut self,
        happened: &mut UnboundedReceiver<Event>,
        mut output: Output,
        mut written: Written,
    ) -> Result<u8, Refusal> {
        let mut spoiled = false;
        let (mut lost, mut unwanted) = (false, false);
        loop {
            self.hear_reports(&mut output);
            if unwanted && !self.done && self.nothing_runs() {
                // What is left waits for the reader alone.
                self.site.give_up();
                (self.done, lost) = (true, true);
                continue;
            }
            if self.done {
                break;
            }
            let alarm = self.next_alarm();
            let reason = tokio::select! {
                Some(event) = happened.recv() => {
                    unwanted |= self.is_insisted_on(&event) && output.is_stuck();
                    self.on(event)
                }
                why = written.spoiled.recv(), if !spoiled => {
                    spoiled = true;
                    why.map(Reason::from)
                }
                () = sleep_until(alarm.unwrap_or_else(Instant::now)), if alarm.is_some() => {
                    let reason = self.on_alarm();
                    // PEs' pipes are given up unread if nothing more of them can be taken.
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
        let rest = wait_for_rest(&mut written, happened, grace, self.deaf_until()).await;
        if lost || !matches!(rest, Rest::Written) {
            written.lament().await;
        }
        match (&self.ending, rest) {
            (Some(ending), _) => return Ok(ending.code),
            (None, Rest::Unwanted(signal)) => return Ok(128 + signal as u8),
            (None, Rest::Written | Rest::Stuck) => {}
        }
        // What was written last may be what is lost.
        match written.spoiled.try_recv() {
            Err(_) => Ok(0),
            Ok(Spoiled::Unread) => Ok(UNREAD),
            Ok(Spoiled::Failed(why)) => Err(Refusal::new(why)),
        }
    }

    /// Whether this is the user who ends once more what is ending.
    fn is_insisted_on(&self, event: &Event) -> bool {
        self.ending.is_some()
            && matches!(event, Event::Signal(number) if ENDING.contains(number))
            && !is_before(Instant::now(), self.deaf_until())
    }

    /// Until when a signal that ends the job is the one that came already.
    fn deaf_until(&self) -> Option<Instant> {
        self.signalled_at.map(|last| last + SAME_SIGNAL)
    }

    /// Whether no PE runs any more. Of other hosts that is known when they have said all.
    fn nothing_runs(&self) -> bool {
        self.agent_settings.is_none() && self.site.living() == 0
    }

    fn hear_reports(&mut self, output: &mut Output) {
        loop {
            let reports = self.site.reports();
            if reports.is_empty() {
                return;
            }
            for up in reports {
                if let Up::Say(line) = up {
                    output.say(&line);
                } else if let Some(reason) = self.hear(up, output) {
                    self.end(reason, output);
                }
            }
        }
    }

    /// This host's part of the job, or one below it, reports.
    fn hear(&mut self, up: Up, output: &mut Output) -> Option<Reason> {
        match up {
            Up::Said(entries) => {
                if let Err(why) = self.store.publish(entries) {
                    return Some(Reason::death(1, format!("oshrun: ending the job: {why}")));
                }
            }
            Up::Arrived => {
                let entries = self.store.release();
                self.site.obey(Down::Released(entries));
            }
            Up::Lookup { pe, key } => {
                let entries = self.store.page(pe, &key);
                self.site.obey(Down::Found { pe, key, entries });
            }
            Up::Left { pe, line } if !self.left => {
                self.left = true;
                self.site.obey(Down::Left { pe, line });
            }
            Up::Fatal { code, line, spared } => return Some(Reason { spared, ..Reason::death(code, line) }),
            Up::Signalled { number, host } => {
                let name = signal_name(number);
                let line = format!("oshrun: ending the job, its agent on host {host} got {name}");
                return self.signalled(number, line);
            }
            Up::Output { pe, stream, bytes } if pe.0 < self.nodes.size() => {
                output.take(self.nodes.node_of(pe), pe, stream, bytes);
            }
            Up::Room(bytes) => self.read_input(bytes as usize),
            Up::Done => self.done = true,
            Up::Left { .. } | Up::Output { .. } | Up::Say(_) | Up::Beat => {}
        }
        None
    }

    /// PE 0, on another host, has room for input.
    fn read_input(&mut self, bytes: usize) {
        let events = self.events.clone();
        let rooms = self
            .rooms
            .get_or_insert_with(|| input::read_by_room(move |bytes| events.send(Event::Typed(bytes)).is_ok()));
        let _ = rooms.send(bytes);
    }

    /// The job ends, for the first reason that comes.
    fn end(&mut self, reason: Reason, output: &Output) {
        if self.ending.is_some() {
            return;
        }
        let Reason { code, line, signal, grace, spared } = reason;
        self.ending = Some(Ending { code, give_up_at: Instant::now() + grace + OUTPUT_GRACE + self.patience() });
        self.site.obey(Down::End { signal, grace_ms: u32::try_from(grace.as_millis()).unwrap_or(u32::MAX), spared });
        if !line.is_empty() {
            output.say(&line);
        }
    }

    /// How long other hosts may take to end what they run.
    fn patience(&self) -> Duration {
        self.agent_settings.as_ref().map_or(Duration::ZERO, super::child_agent::silence_max)
    }

    fn on(&mut self, event: Event) -> Option<Reason> {
        match event {
            Event::Signal(number) if number != libc::SIGCHLD => self.on_signal(number),
            Event::Orphaned => {
                self.kill();
                Some(Reason::death(137, String::new()))
            }
            Event::Written { node, stream, bytes } => {
                self.site.obey(Down::Credit { node, stream, bytes });
                None
            }
            Event::Typed(bytes) => {
                self.site.obey(Down::Input(bytes));
                None
            }
            other => {
                self.site.on(other);
                None
            }
        }
    }

    fn on_signal(&mut self, number: i32) -> Option<Reason> {
        if !ENDING.contains(&number) {
            self.site.obey(Down::Signal(number));
            return None;
        }
        if is_before(Instant::now(), self.deaf_until()) {
            return None;
        }
        if self.ending.is_some() {
            self.signalled_at = Some(Instant::now());
            // The user insists.
            self.kill();
            return None;
        }
        let name = signal_name(number);
        self.signalled(number, format!("oshrun: ending the job on {name} (again: kill it at once)"))
    }

    /// A signal ends the job, unless it ends already. What a scheduler sends to all hosts is no insistence here.
    fn signalled(&mut self, number: i32, line: String) -> Option<Reason> {
        if self.ending.is_some() {
            return None;
        }
        self.signalled_at = Some(Instant::now());
        let signal = if number == libc::SIGQUIT { number } else { libc::SIGTERM };
        Some(Reason { code: 128 + number as u8, line, signal, grace: self.grace, spared: None })
    }

    fn kill(&mut self) {
        self.site.obey(Down::Kill);
        let give_up_at = Instant::now() + OUTPUT_GRACE + self.patience();
        if let Some(ending) = &mut self.ending {
            ending.give_up_at = ending.give_up_at.min(give_up_at);
        }
    }

    fn next_alarm(&self) -> Option<Instant> {
        let own = self.ending.as_ref().map_or(self.deadline, |ending| Some(ending.give_up_at));
        [own, self.site.alarm()].into_iter().flatten().min()
    }

    fn on_alarm(&mut self) -> Option<Reason> {
        let now = Instant::now();
        self.site.on_alarm();
        if let Some(ending) = &self.ending {
            if ending.give_up_at <= now {
                self.site.give_up();
                self.done = true;
            }
            return None;
        }
        self.deadline.filter(|when| *when <= now)?;
        let line = match self.agent_settings {
            None => format!("oshrun: ending the job, its --timeout is over ({} PEs still run)", self.site.living()),
            Some(_) => "oshrun: ending the job, its --timeout is over".to_owned(),
        };
        Some(Reason { code: TIMED_OUT, line, signal: libc::SIGTERM, grace: self.grace, spared: None })
    }
}

fn signal_name(number: i32) -> &'static str {
    name(number).unwrap_or("a signal")
}

fn is_before(now: Instant, end: Option<Instant>) -> bool {
    end.is_some_and(|end| now < end)
}

/// What became of the output that was left when the job was over.
#[derive(Debug)]
enum Rest {
    /// All of it went out.
    Written,
    /// Nobody read it in time.
    Stuck,
    /// The user does not want it, says this signal.
    Unwanted(i32),
}

async fn wait_for_rest(
    written: &mut Written,
    happened: &mut UnboundedReceiver<Event>,
    grace: Duration,
    deaf_until: Option<Instant>,
) -> Rest {
    let insistence = async {
        loop {
            let signal = listen::ended_by_user(happened).await;
            if !is_before(Instant::now(), deaf_until) {
                return signal;
            }
        }
    };
    tokio::select! {
        biased;
        () = written.all() => Rest::Written,
        signal = insistence => Rest::Unwanted(signal),
        () = sleep(grace) => Rest::Stuck,
    }
}

impl From<Spoiled> for Reason {
    fn from(why: Spoiled) -> Self {
        match why {
            Spoiled::Unread => Reason::death(UNREAD, String::new()),
            Spoiled::Failed(why) => Reason::death(1, format!("oshrun: {why}")),
        }
    }
}

impl Reason {
    fn death(code: u8, line: String) -> Self {
        Reason { code, line, signal: libc::SIGTERM, grace: DEATH_GRACE, spared: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::timeout;

    #[test]
    fn the_rest_is_waited_for_until_the_user_insists() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        tokio::task::LocalSet::new().block_on(&runtime, async {
            let (events, mut happened) = mpsc::unbounded_channel();
            let (output, pen) = Output::prepare(Wishes { tag: false, prompts: false, directory: None }, events.clone());
            let mut written = pen.start().unwrap();
            let mut rest = async |grace, deaf_until| {
                let waiting = wait_for_rest(&mut written, &mut happened, grace, deaf_until);
                timeout(Duration::from_secs(60), waiting).await.expect("it waits in vain")
            };
            // Something may still come, so nothing but these can end it.
            assert!(matches!(rest(Duration::from_millis(1), None).await, Rest::Stuck));
            // The copy of a signal that came already.
            events.send(Event::Signal(libc::SIGTERM)).unwrap();
            assert!(matches!(
                rest(Duration::from_millis(1), Some(Instant::now() + Duration::from_secs(600))).await,
                Rest::Stuck
            ));
            for number in [libc::SIGCHLD, libc::SIGUSR1, libc::SIGTERM] {
                events.send(Event::Signal(number)).unwrap();
            }
            assert!(matches!(rest(Duration::MAX, None).await, Rest::Unwanted(libc::SIGTERM)));
            drop(output);
            assert!(matches!(rest(Duration::MAX, None).await, Rest::Written));
            assert!(matches!(rest(Duration::MAX, None).await, Rest::Written), "it stays so");
        });
    }
}
