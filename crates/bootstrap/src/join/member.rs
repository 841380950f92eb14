//! A member's connection to its root: [`Boot`] for a start without a launcher.

use super::held::Held;
use super::messages::{Here, ToMember, ToRoot};
use super::opening::Key;
use super::root::job_secret;
use super::sending::Sending;
use super::{Start, await_root, is_root_here, keep, serve};
use crate::codec::Frames;
use crate::received::Received;
use crate::wire::{self, ToLauncher, ToPe, VERSION};
use crate::{Boot, OnEnd, OnLoss, Seat, Secret, end, host};
use ferrite_fabric::{Error, Pe, Result};
use ferrite_os::{mutex, signals, threads};
use rustix::io::retry_on_intr;
use rustix::net::{RecvFlags, Shutdown, recv, shutdown};
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

/// Time that a process that aborts or abandons the job waits for the root to take the message, and to have informed the others.
const ABORT_LIMIT: Duration = Duration::from_secs(5);
/// Time that a member that cannot send waits for the reading thread to learn why.
const REASON_LIMIT: Duration = Duration::from_secs(5);
/// The root refuses a member whose peers are late. If it does not answer at all, the member gives up this much later than the root would.
const GRACE: Duration = Duration::from_secs(10);

/// One PE of a start without a launcher.
pub struct Member {
    seat: Seat,
    launcher: &'static str,
    connection: Arc<Connection>,
    reader: Mutex<Option<JoinHandle<()>>>,
    published: Mutex<Vec<(String, Vec<u8>)>>,
    received: Received<()>,
}

/// The part of a member that its reading thread shares with its callers.
struct Connection {
    me: Pe,
    /// The secret of the start, by which the root is found if it is in this process.
    start: Secret,
    loss_returns: bool,
    /// The socket, until the job is over.
    socket: Mutex<Option<Arc<Held>>>,
    sending: Sending,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    standing: Standing,
    answers: VecDeque<ToMember>,
    on_end: Option<OnEnd>,
    on_loss: Option<OnLoss>,
    /// The losses so far, if they return: PEs, and why. `None` is a root that is in no PE's process.
    losses: Vec<(Option<Pe>, String)>,
    /// Description of the process that runs the root.
    root: String,
    root_pe: Option<Pe>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Standing {
    Here,
    /// This process has aborted the job, and waits until the other members have been notified.
    Aborting,
    /// All members have left.
    Parted,
    /// Another member has ended the job: by this code, or, without one, by its own end.
    Over {
        code: Option<i32>,
        why: String,
    },
}

impl Member {
    /// Take part in a start: returns when all members have come. PE 0 of a start by environment starts the root.
    pub(super) fn join(start: Start) -> Result<Member> {
        let Start { rank, size, secret, meeting, limit, launcher, loss_returns } = start;
        if rank >= size {
            return Err(Error::new(format!("PE {rank} of {size}: ranks are from 0 to the number of PEs - 1")));
        }
        let is_drawn = matches!(meeting, super::reach::Meeting::Drawn(_));
        if rank == 0 && !is_drawn && !is_root_here(&secret) {
            keep(secret, serve::start(meeting.listen()?, &secret, limit)?);
        }
        let end = Instant::now() + limit;
        let socket = meeting.reach(&Key::of(&secret), end, limit)?;
        let failed = |error| Error::because("keeping the connection to the root", error);
        let socket = Arc::new(Held::new(socket).map_err(failed)?);
        let connection = Arc::new(Connection {
            me: Pe(rank),
            start: secret,
            loss_returns,
            socket: Mutex::new(Some(socket.clone())),
            sending: Sending::default(),
            state: Mutex::new(State {
                standing: Standing::Here,
                answers: VecDeque::new(),
                on_end: None,
                on_loss: None,
                losses: Vec::new(),
                root: format!("the root at {meeting}"),
                root_pe: None,
            }),
            changed: Condvar::new(),
        });
        let reading = connection.clone();
        let work = move || {
            signals::leave_to_program();
            reading.read(&socket);
        };
        let reader = threads::start(Builder::new(), "ferrite-join", work).map_err(failed)?;
        let mut member = Member {
            seat: Seat::unknown(),
            launcher,
            connection,
            reader: Mutex::new(Some(reader)),
            published: Mutex::default(),
            received: Received::new("the root", ()),
        };
        let here =
            Here { version: VERSION, rank, size, host: host::digest(&host::identity()), who: who(), loss_returns };
        member.connection.send(&ToRoot::Here(here))?;
        match member.connection.answer(Some(Instant::now() + limit + GRACE))? {
            Some(ToMember::Welcome { nodes, round, .. }) if nodes.size() == size => {
                member.seat = Seat::new(Pe(rank), nodes, job_secret(&secret, &round));
            }
            Some(ToMember::Job(ToPe::Refused { why })) => return Err(Error::new(why)),
            Some(other) => return Err(Error::new(format!("the root answered {} with {}", Pe(rank), other.name()))),
            None => {
                let root = member.root();
                return Err(Error::new(format!("{}: {root} takes connections, and does not answer", Pe(rank))));
            }
        }
        tracing::debug!(me = rank, size, local = member.local().len(), "joined the job");
        Ok(member)
    }

    fn ask(&self, question: ToLauncher) -> Result<()> {
        self.ask_until(None, question).map(drop)
    }

    /// Send a question. False if the root has not taken the messages before it by `end`.
    fn ask_until(&self, end: Option<Instant>, question: ToLauncher) -> Result<bool> {
        self.seat.check_process()?;
        self.connection.send_until(end, &ToRoot::Job(question))
    }

    fn answer(&self) -> Result<ToPe> {
        self.answer_until(None).map(|answer| answer.expect("a wait without an end has a result"))
    }

    /// The root's next answer, if it comes before `end`.
    fn answer_until(&self, end: Option<Instant>) -> Result<Option<ToPe>> {
        match self.connection.answer(end)? {
            Some(ToMember::Job(answer)) => Ok(Some(answer)),
            Some(other) => Err(Error::new(format!("the root answered {} with {}", self.seat.me, other.name()))),
            None => Ok(None),
        }
    }

    /// [`Boot::lookup`], or `None` if the root would have to be asked, and has not answered within `limit`: its process is stopped, or very
    /// busy.
    pub fn lookup_within(&self, limit: Duration, pe: Pe, key: &str) -> Result<Option<Vec<u8>>> {
        let end = Instant::now().checked_add(limit);
        let ask = |question| self.ask_until(end, question);
        self.received.look_up_until(end, pe, key, ask, |()| self.answer_until(end))
    }

    /// The process that has the root of the start, in words.
    pub fn root(&self) -> String {
        self.connection.state().root.clone()
    }

    /// From here on the reading thread does not take the end of the connection for an end of the job, or for the loss of the root.
    fn part(&self) {
        let mut state = self.connection.state();
        if state.standing == Standing::Here {
            state.standing = Standing::Parted;
        }
        (state.on_end, state.on_loss) = (None, None);
    }

    /// Close the connection, and wait for the thread that reads it.
    fn close(&self) {
        self.part();
        if let Some(socket) = mutex::lock(&self.connection.socket).take() {
            let _ = socket.file().map(|file| shutdown(file, Shutdown::Both));
        }
        if let Some(reader) = mutex::lock(&self.reader).take() {
            // The reading thread itself drops the last owner of a connection at most in a process that ends.
            if reader.thread().id() != std::thread::current().id() {
                let _ = reader.join();
            }
        }
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        if self.seat.check_process().is_ok() {
            self.close();
        }
    }
}

impl Connection {
    fn state(&self) -> MutexGuard<'_, State> {
        mutex::lock(&self.state)
    }

    fn send(&self, message: &ToRoot) -> Result<()> {
        self.send_until(None, message).map(drop)
    }

    /// Send a message. False if the messages before it have not left by `end`.
    fn send_until(&self, end: Option<Instant>, message: &ToRoot) -> Result<bool> {
        let lost = |error: &dyn std::fmt::Display| Error::new(format!("{} cannot reach the root: {error}", self.me));
        let socket = mutex::lock(&self.socket).clone();
        let socket = socket.ok_or_else(|| lost(&"the job is over"))?;
        let sent = self.sending.send(&socket, &message.frame(), end);
        // The reading thread knows better why.
        sent.map_err(|error| self.ended().unwrap_or_else(|| lost(&error)))
    }

    /// Why the job has ended, if the reading thread learns so at once.
    fn ended(&self) -> Option<Error> {
        let (state, _) = self
            .changed
            .wait_timeout_while(self.state(), REASON_LIMIT, |state| state.error(self.me).is_none())
            .unwrap_or_else(PoisonError::into_inner);
        state.error(self.me)
    }

    /// Wait for the root's next answer, until `end` at most.
    fn answer(&self, end: Option<Instant>) -> Result<Option<ToMember>> {
        let mut state = self.state();
        loop {
            if let Some(answer) = state.answers.pop_front() {
                return Ok(Some(answer));
            }
            if let Some(error) = state.error(self.me) {
                return Err(error);
            }
            state = match end.map(super::left) {
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(Some(left)) => self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0,
                Some(None) => return Ok(None),
            };
        }
    }

    /// The reading thread: pass answers on, and end the job if it ends elsewhere.
    fn read(&self, socket: &Held) {
        let last = self.read_all(socket).unwrap_or_else(|why| {
            let root = self.state().root.clone();
            ToMember::Over { code: None, why: format!("ferrite: {}: {root} has ended without finalize{why}", self.me) }
        });
        let _ = socket.file().map(|file| shutdown(file, Shutdown::Both));
        // A process that aborts, or that has left, waits for the end of the connection alone.
        let is_here = self.state().standing == Standing::Here;
        if self.loss_returns && is_here && matches!(last, ToMember::Over { code: None, .. }) {
            let ToMember::Over { why, .. } = last else { return };
            let root_pe = self.state().root_pe;
            return self.lose(root_pe, why.trim_start_matches("ferrite: "));
        }
        let (on_end, code, why) = {
            let mut state = self.state();
            let on_end = state.on_end.take();
            let before = std::mem::replace(&mut state.standing, Standing::Parted);
            self.changed.notify_all();
            match (before, last) {
                (Standing::Here, ToMember::Over { code, why }) => {
                    state.standing = Standing::Over { code, why: why.clone() };
                    (on_end, code, why)
                }
                _ => return,
            }
        };
        // If this process runs the root, wait for the root: it may have to notify other members before this process ends.
        await_root(&self.start);
        if let Some(on_end) = on_end {
            on_end(code, &why);
        }
    }

    /// Read until the last message, which is returned. The error is the reason why there is none.
    fn read_all(&self, socket: &Held) -> Result<ToMember, String> {
        let mut frames = Frames::default();
        let mut chunk = vec![0; 16 << 10];
        loop {
            while let Some(body) = frames.next_body().map_err(|error| format!(" ({error})"))? {
                match ToMember::parse(body).map_err(|error| format!(" ({error})"))? {
                    last @ (ToMember::Parted | ToMember::Over { .. }) => return Ok(last),
                    ToMember::Lost { pe, why } => self.lose(Some(Pe(pe)), &why),
                    answer => {
                        let mut state = self.state();
                        if let ToMember::Welcome { root, root_pe, .. } = &answer {
                            state.root.clone_from(root);
                            state.root_pe = root_pe.map(Pe);
                        }
                        state.answers.push_back(answer);
                    }
                }
                self.changed.notify_all();
            }
            let file = socket.get().map_err(|error| format!(", as it seems: {error}"))?;
            match retry_on_intr(|| recv(file, &mut chunk[..], RecvFlags::empty())) {
                Ok((0, _)) => return Err(String::new()),
                Ok((count, _)) => frames.push(&chunk[..count]),
                Err(error) => return Err(format!(" ({error})")),
            }
        }
    }
}

impl Connection {
    /// A member was lost, and losses return.
    fn lose(&self, pe: Option<Pe>, why: &str) {
        let mut state = self.state();
        if state.standing != Standing::Here || state.losses.iter().any(|(other, _)| *other == pe) {
            return;
        }
        state.losses.push((pe, why.to_owned()));
        // Before a waiting thread wakes, so that it finds the loss noted.
        if let Some(on_loss) = &state.on_loss {
            on_loss(pe, why);
        }
        self.changed.notify_all();
    }
}

impl State {
    /// Why nothing completes any more, if that is so.
    fn error(&self, me: Pe) -> Option<Error> {
        let lost = || self.losses.first().map(|(_, why)| Error::new(why));
        self.standing.error(me).or_else(lost)
    }
}

impl Standing {
    fn error(&self, me: Pe) -> Option<Error> {
        match self {
            Standing::Here => None,
            Standing::Aborting => Some(Error::new(format!("{me} has aborted the job"))),
            Standing::Parted => Some(Error::new(format!("{me} has left its job"))),
            Standing::Over { why, .. } if why.is_empty() => Some(Error::new("another PE has ended the job")),
            Standing::Over { why, .. } => Some(Error::new(why.trim_start_matches("ferrite: "))),
        }
    }
}

/// This process, in words.
pub(super) fn who() -> String {
    let host = rustix::system::uname();
    format!("pid {} on {}", std::process::id(), host.nodename().to_string_lossy())
}

impl Boot for Member {
    fn seat(&self) -> &Seat {
        &self.seat
    }

    fn launcher(&self) -> &str {
        self.launcher
    }

    fn publish(&self, key: &str, value: &[u8]) -> Result<()> {
        wire::publish(&mut mutex::lock(&self.published), key, value)
    }

    fn exchange(&self) -> Result<()> {
        let published = std::mem::take(&mut *mutex::lock(&self.published));
        self.received.exchange(|| self.ask(ToLauncher::Exchange { published }), |()| self.answer())
    }

    fn lookup(&self, pe: Pe, key: &str) -> Result<Vec<u8>> {
        self.received.look_up(pe, key, |question| self.ask(question), |()| self.answer())
    }

    fn join(&self) -> Result<()> {
        self.seat.check_process()?;
        match self.connection.state().error(self.seat.me) {
            None => Ok(()),
            Some(error) => Err(error),
        }
    }

    fn leave(&self) -> Result<()> {
        self.seat.check_process()?;
        let left = self.connection.send(&ToRoot::Job(ToLauncher::Leave));
        let state = self.connection.state();
        let state = self
            .connection
            .changed
            .wait_while(state, |state| state.error(self.seat.me).is_none() && left.is_ok())
            .unwrap_or_else(PoisonError::into_inner);
        let (has_parted, error) = (state.standing == Standing::Parted, state.error(self.seat.me));
        drop(state);
        if !has_parted {
            return left.and(error.map_or(Ok(()), Err));
        }
        self.close();
        await_root(&self.connection.start);
        Ok(())
    }

    fn announce(&self, code: i32, why: &str) {
        end::say(why);
        self.announce_reported(code, why);
    }

    fn announce_reported(&self, code: i32, why: &str) {
        if self.seat.check_process().is_err() {
            return;
        }
        {
            let mut state = self.connection.state();
            if state.standing != Standing::Here {
                return;
            }
            state.standing = Standing::Aborting;
        }
        let message = ToRoot::Job(ToLauncher::Abort { code, why: why.to_owned() });
        // A root that stands still takes nothing.
        if let Ok(true) = self.connection.send_until(Some(Instant::now() + ABORT_LIMIT), &message) {
            // The root closes the connection when it has notified the other members.
            let state = self.connection.state();
            let told = self
                .connection
                .changed
                .wait_timeout_while(state, ABORT_LIMIT, |state| state.standing == Standing::Aborting);
            drop(told);
            await_root(&self.connection.start);
        }
    }

    fn loss_returns(&self) -> bool {
        self.connection.loss_returns
    }

    fn watch_losses(&self, on_loss: OnLoss) {
        let mut state = self.connection.state();
        for (pe, why) in &state.losses {
            on_loss(*pe, why);
        }
        state.on_loss = Some(on_loss);
    }

    fn has_lost(&self) -> bool {
        !self.connection.state().losses.is_empty()
    }

    fn abandon(&self) {
        if self.seat.check_process().is_ok() {
            // Before the root hears of it, which closes the connection if this member is the last.
            self.part();
            // An error says that the root is gone too. A root that stands still takes nothing, and learns of the end by the connection's.
            let _ = self.connection.send_until(Some(Instant::now() + ABORT_LIMIT), &ToRoot::Abandon);
            self.close();
        }
    }

    fn watch(&self, on_end: OnEnd) {
        let mut state = self.connection.state();
        match state.standing.clone() {
            Standing::Here => state.on_end = Some(on_end),
            Standing::Aborting | Standing::Parted => {}
            Standing::Over { code, why } => {
                drop(state);
                on_end(code, &why);
            }
        }
    }
}
