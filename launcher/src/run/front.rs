//! The job: what the user sees of it, how it ends, and with which code.
//!
//! A job ends by itself when all PEs have ended. It is *ended* by the first of: a PE's death, an abort, a signal, the
//! timeout, or a reader of the output who went away. The first reason decides the exit code and is the only one that
//! is told; PEs then get SIGTERM, and after a grace SIGKILL.
//!
//! A PE has died if a signal killed it, if it exited with another code than 0, or if it exited with 0 while it owed
//! its peers a `shmem_finalize`: they may be waiting for it, and would wait for ever. A program that never was a PE
//! (`oshrun -n 2 hostname`) owes nothing; but if others wait for it in `shmem_init`, the job ends as well.

use super::Refusal;
use super::board::{Board, Reply, Stage};
use super::death::{End, name};
use super::guard::{ENDING, OTHERS, PASSED_ON, is_ignored};
use super::host::{Event, Host};
use super::output::{Output, Written};
use super::plan::{Plan, host_name};
use ferrite_bootstrap::wire::ToLauncher;
use ferrite_fabric::Pe;
use rustix::process::{Rlimit, Signal};
use std::os::fd::OwnedFd;
use std::time::Duration;
use tokio::net::unix::pipe;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::time::{Instant, sleep_until, timeout};

/// From SIGTERM to SIGKILL when the user ends the job.
const USER_GRACE: Duration = Duration::from_secs(2);
/// The same when a PE has died: what is left waits for it in vain.
const DEATH_GRACE: Duration = Duration::from_secs(1);
/// How long a wrapper may take to end after the PE that it started, before it is clear that it goes on without.
const WRAPPER_GRACE: Duration = Duration::from_millis(300);
/// How long output may take to be written once the job was ended.
const OUTPUT_GRACE: Duration = Duration::from_secs(2);
/// What `timeout` exits with, too.
const TIMED_OUT: u8 = 124;

/// Run the planned job; give back oshrun's exit code.
pub async fn run(
    plan: Plan,
    secret: [u8; 16],
    limit: Rlimit,
    lifeline: OwnedFd,
    terminal: bool,
) -> Result<u8, Refusal> {
    for line in &plan.bindings {
        eprintln!("oshrun: {line}");
    }
    make_directory(&plan)?;
    let (events, mut happened) = mpsc::unbounded_channel();
    listen(&events)?;
    hold_on(lifeline, &events)?;
    let deadline = plan.job.timeout.map(|limit| Instant::now() + limit);
    let host = Host::new(host_name(), events);
    let board = Board::new(plan.tasks.len() as u32, secret);
    let mut front = Front { board, host, ending: None, suspects: Vec::new(), deadline };
    // The writing thread waits for its first piece; the PEs are spawned before it exists.
    let (output, pen) = Output::prepare(plan.job.tag_output, terminal);
    if let Err(refusal) = front.host.start(&plan, limit, &output) {
        front.host.sweep();
        return Err(refusal);
    }
    let written = pen.start().map_err(|error| Refusal::new(format!("cannot start its output thread: {error}")))?;
    front.see_through(&mut happened, output, written).await
}

fn make_directory(plan: &Plan) -> Result<(), Refusal> {
    let Some(directory) = &plan.job.output_filename else { return Ok(()) };
    std::fs::create_dir_all(directory)
        .map_err(|error| Refusal::new(format!("--output-filename {}: {error}", directory.display())))
}

/// Turn signals into events, from before the first PE is started. A signal that oshrun was started to ignore (nohup,
/// a shell's `&`) stays ignored.
fn listen(events: &UnboundedSender<Event>) -> Result<(), Refusal> {
    for number in PASSED_ON.into_iter().chain(ENDING).chain(OTHERS) {
        if number != libc::SIGCHLD && is_ignored(number) {
            continue;
        }
        let mut stream = signal(SignalKind::from_raw(number))
            .map_err(|error| Refusal::new(format!("cannot listen for signal {number}: {error}")))?;
        let events = events.clone();
        tokio::task::spawn_local(async move {
            while stream.recv().await.is_some() && events.send(Event::Signal(number)).is_ok() {}
        });
    }
    Ok(())
}

/// Notice the guardian's end.
fn hold_on(lifeline: OwnedFd, events: &UnboundedSender<Event>) -> Result<(), Refusal> {
    let pipe = pipe::Receiver::from_owned_fd(lifeline)
        .map_err(|error| Refusal::new(format!("cannot watch its parent: {error}")))?;
    let events = events.clone();
    tokio::task::spawn_local(async move {
        let _ = pipe.readable().await;
        let _ = events.send(Event::Orphaned);
    });
    Ok(())
}

/// How a job that did not end by itself ends.
struct Ending {
    code: u8,
    /// When SIGKILL follows; nothing once it has.
    kill_at: Option<Instant>,
}

/// What just became of the job.
struct Reason {
    code: u8,
    line: String,
    signal: Signal,
    grace: Duration,
    /// A PE that ends by itself, if the grace is enough for it: it is running its exit handlers.
    spared: Option<Pe>,
}

struct Front {
    board: Board,
    host: Host,
    ending: Option<Ending>,
    /// PEs whose process ended below a wrapper, and when the wrapper's time is up.
    suspects: Vec<(Instant, Pe, i32)>,
    deadline: Option<Instant>,
}

impl Front {
    async fn see_through(
        mut self,
        happened: &mut UnboundedReceiver<Event>,
        output: Output,
        mut written: Written,
    ) -> Result<u8, Refusal> {
        self.host.reap();
        let mut spoiled = false;
        while self.host.living() > 0 || !happened.is_empty() {
            let alarm = self.next_alarm();
            let reason = tokio::select! {
                biased;
                Some(event) = happened.recv() => self.on(event),
                Ok(_) = &mut written.spoiled, if !spoiled => {
                    spoiled = true;
                    Some(Reason::death(128 + libc::SIGPIPE as u8, String::new()))
                }
                () = sleep_until(alarm.unwrap_or_else(Instant::now)), if alarm.is_some() => self.on_alarm(),
            };
            if let Some(reason) = reason {
                self.end(reason, &output).await;
            }
        }
        self.host.sweep();
        let code = self.ending.as_ref().map_or(0, |ending| ending.code);
        let finish = async {
            self.host.drain().await;
            drop(output);
            let _ = (&mut written.all).await;
        };
        if self.ending.is_some() {
            let _ = timeout(OUTPUT_GRACE, finish).await;
        } else {
            tokio::select! {
                () = finish => {}
                // The user does not want the rest.
                signal = ended_by_user(happened) => return Ok(128 + signal as u8),
            }
        }
        Ok(code)
    }

    /// The job ends, for the first reason that comes.
    async fn end(&mut self, reason: Reason, output: &Output) {
        if self.ending.is_some() {
            return;
        }
        self.ending = Some(Ending { code: reason.code, kill_at: Some(Instant::now() + reason.grace) });
        self.host.signal_but(reason.signal, reason.spared);
        // A stopped process would not notice.
        self.host.signal(Signal::CONT);
        if !reason.line.is_empty() {
            // Who does not read our stderr shall not keep the job alive.
            let _ = timeout(OUTPUT_GRACE / 4, output.say(&reason.line)).await;
        }
    }

    fn on(&mut self, event: Event) -> Option<Reason> {
        match event {
            Event::Said { pe, pid, message } => self.on_message(pe, pid, message),
            Event::Garbled { pe, why } => Some(self.breach(pe, &why)),
            Event::Ended { pe, end } => self.on_end(pe, end),
            Event::Vanished { pe, pid } => {
                if self.board.stage(pe) == Stage::Joined && self.board.speaker(pe) == Some(pid) {
                    self.suspects.push((Instant::now() + WRAPPER_GRACE, pe, pid));
                }
                None
            }
            Event::Signal(libc::SIGCHLD) => {
                self.host.reap();
                None
            }
            Event::Signal(number) => self.on_signal(number),
            Event::Orphaned => {
                self.kill();
                Some(Reason::death(137, String::new()))
            }
        }
    }

    fn on_message(&mut self, pe: Pe, pid: i32, message: ToLauncher) -> Option<Reason> {
        self.host.acted(pe);
        if matches!(message, ToLauncher::Hello { .. }) && pid != self.host.pid(pe) {
            self.host.watch(pe, pid);
        }
        let posted = match self.board.heard(pe, pid, message) {
            Ok(Reply::None) => Ok(()),
            Ok(Reply::One(frame)) => self.host.post(pe, &frame),
            Ok(Reply::All(frame)) => self.post_to_all(&frame),
            Ok(Reply::Abort { code, why }) => {
                return Some(Reason { spared: Some(pe), ..Reason::death(code as u8, why) });
            }
            Err(why) => Err(why),
        };
        match posted {
            Err(why) => Some(self.breach(pe, &why)),
            Ok(()) => self.stuck(),
        }
    }

    fn post_to_all(&self, frame: &[u8]) -> Result<(), String> {
        (0..self.board.size()).try_for_each(|pe| self.host.post(Pe(pe), frame))
    }

    fn on_end(&mut self, pe: Pe, end: End) -> Option<Reason> {
        if end != End::Exit(0) {
            return Some(Reason::death(end.code(), self.obituary(pe, self.host.pid(pe), &end.to_string())));
        }
        if self.board.stage(pe) == Stage::Joined {
            return Some(self.without_finalize(pe, self.host.pid(pe)));
        }
        self.board.left(pe);
        self.stuck()
    }

    fn without_finalize(&self, pe: Pe, pid: i32) -> Reason {
        Reason::death(1, self.obituary(pe, pid, "exited without shmem_finalize"))
    }

    fn stuck(&self) -> Option<Reason> {
        let (gone, waiting) = self.board.stuck()?;
        let how = format!("exited with 0, and {waiting} waits for it in shmem_init or shmem_finalize");
        Some(Reason::death(1, self.obituary(gone, self.host.pid(gone), &how)))
    }

    fn breach(&self, pe: Pe, why: &str) -> Reason {
        let how = "wrote to oshrun's connection what is not its protocol";
        Reason::death(1, self.obituary(pe, self.host.pid(pe), &format!("{how}: {why}")))
    }

    fn obituary(&self, pe: Pe, pid: i32, how: &str) -> String {
        format!("oshrun: {pe} on host {} (pid {pid}) {how}", self.host.name())
    }

    fn on_signal(&mut self, number: i32) -> Option<Reason> {
        let signal = Signal::from_named_raw(number)?;
        if ENDING.contains(&number) {
            if self.ending.is_some() {
                // The user insists.
                self.kill();
                return None;
            }
            let name = name(number).unwrap_or("a signal");
            let line = format!("oshrun: ending the job on {name} (again: kill it at once)");
            let passed = if number == libc::SIGQUIT { signal } else { Signal::TERM };
            return Some(Reason { code: 128 + number as u8, line, signal: passed, grace: USER_GRACE, spared: None });
        }
        self.host.signal(signal);
        None
    }

    fn kill(&mut self) {
        self.host.signal(Signal::KILL);
        if let Some(ending) = &mut self.ending {
            ending.kill_at = None;
        }
    }

    fn next_alarm(&self) -> Option<Instant> {
        let suspect = self.suspects.iter().map(|(when, ..)| *when).min();
        match &self.ending {
            Some(ending) => ending.kill_at,
            None => [self.deadline, suspect].into_iter().flatten().min(),
        }
    }

    fn on_alarm(&mut self) -> Option<Reason> {
        let now = Instant::now();
        if let Some(ending) = &self.ending {
            if ending.kill_at.is_some_and(|when| when <= now) {
                self.kill();
            }
            return None;
        }
        if self.deadline.is_some_and(|when| when <= now) {
            let line = format!("oshrun: ending the job, its --timeout is over ({} PEs still run)", self.host.living());
            return Some(Reason { code: TIMED_OUT, line, signal: Signal::TERM, grace: USER_GRACE, spared: None });
        }
        let at = self.suspects.iter().position(|(when, ..)| *when <= now)?;
        let (_, pe, pid) = self.suspects.swap_remove(at);
        let still = self.board.stage(pe) == Stage::Joined && self.board.speaker(pe) == Some(pid);
        (still && self.host.is_alive(pe)).then(|| self.without_finalize(pe, pid))
    }
}

impl Reason {
    fn death(code: u8, line: String) -> Self {
        Reason { code, line, signal: Signal::TERM, grace: DEATH_GRACE, spared: None }
    }
}

/// The number of the next signal that ends a job.
async fn ended_by_user(happened: &mut UnboundedReceiver<Event>) -> i32 {
    loop {
        match happened.recv().await {
            Some(Event::Signal(number)) if ENDING.contains(&number) => return number,
            Some(_) => {}
            None => std::future::pending().await,
        }
    }
}
