//! A connection to a peer, for the requests of both: one socket, one inbox, one outbox.
//!
//! What this PE asks of the peer ([`Calls`]) and what the peer is told ([`Replies`]) share the connection, in each
//! direction in one stream. So a word that goes back and forth between two PEs is
//! acknowledged, to TCP, by the one that comes back: no segment travels without data.
//!
//! # Who may touch what
//!
//! All of a connection is behind one mutex. Threads of the program and the service thread both come by, in polls of whatever port;
//! whoever finds the mutex taken goes on, since whoever has it is doing the work. So
//! requests are executed by one thread at a time, which keeps their order, and nobody waits to make progress. Only a post
//! waits for the mutex, and polls give way to it. No thread holds two connections' mutexes. Below a connection's mutex are those of
//! the engine's handovers and of the list of staged connections, which are held for a moment each.
//!
//! # Why two ends that send cannot block each other
//!
//! **An end never stops reading because it cannot write.** A visit takes what the socket has, whatever waits in the
//! outbox, since nothing that arrives needs room there: a put goes to its segment, the bytes of a get to the caller's
//! memory, and the reply to a request goes into the outbox or waits as a few words, of which there are no more than a peer may have
//! outstanding. So the peer's bytes always drain, hence so do ours.
//!
//! What an end refuses while it cannot write is its own program's further posts ([`PostError::Busy`]), and it polls meanwhile.
//!
//! # When bytes leave
//!
//! With the next poll or push of any port, or at once when it is much: so a put, its fence and the flag behind it take one system call,
//! and so does a stream of small puts, or of gets. (64 gets that each were sent at once took twenty times as long.) The engine pushes
//! what a peer may wait for.

mod arrivals;

use crate::{
    calls::{CallerNumber, Calls},
    end::{End, Stop, words},
    inbox::Inbox,
    outbox::{COPY_BYTES_MAX, Outbox},
    poller::Poller,
    proof::Keys,
    replies::{self, Replies},
    wire::{Encoded, FIXED_BYTES_MAX, Frame, PAYLOAD_BYTES_MAX},
};
use ferrite_engine::{
    Error, Event, Handover, Incoming, Location, Pe, PeerNumber, PostError, Posted, Target, Token, message,
};
use ferrite_os::{
    guarded_fd::{Closed, GuardedFd},
    mutex,
};
use rustix::net::{Shutdown, getpeername, shutdown};
use std::{
    io,
    net::SocketAddr,
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicU32, Ordering},
    },
};

/// Payloads up to this size are stored only when all of them is here: a word in one piece, and elements of a put that
/// are longer than a word, as complex numbers are, as nearly at once as can be.
const WHOLE_BYTES_MAX: usize = 64;
/// So many reads of the socket before others get their turn.
const READS_MAX: usize = 16;
/// So many times replies that wait are moved to the outbox before others get their turn.
const TURNS_MAX: usize = 4;

/// The rest of a payload that is arriving, and what it is.
#[derive(Clone, Copy)]
struct Arriving {
    to: *mut u8,
    left: usize,
    of: Payload,
}

#[derive(Clone, Copy)]
enum Payload {
    Put(Incoming),
    Get,
}

/// How far the last words have come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Parting {
    Not,
    Said,
    Heard,
}

struct State {
    inbox: Inbox,
    outbox: Outbox,
    calls: Calls,
    replies: Replies,
    /// The next bytes are these; otherwise a frame.
    arriving: Option<Arriving>,
    /// Something was posted or has arrived, once.
    used: bool,
    /// The peer has said that no request of its follows.
    finished: bool,
    parting: Parting,
    /// It is in the poller's list of those with something staged.
    is_staged: bool,
    /// The kernel tells when the socket has room.
    watches_room: bool,
    /// Why nothing can be sent any more. What the peer said before is read first: it may have said why.
    broken: Option<io::Error>,
    /// Why there is nothing to do here any more.
    ended: Option<String>,
}

// SAFETY: a payload's pointer leads into a registered segment, or is a caller's: writable by any thread until the
// payload is there.
unsafe impl Send for State {}

/// What an opening leaves.
pub struct Opened {
    /// The socket.
    pub socket: GuardedFd,
    /// What both ends seal by, if they do.
    pub keys: Option<Keys>,
}

impl Opened {
    /// Where the peer is.
    pub fn peer_address(&self) -> Option<SocketAddr> {
        getpeername(self.socket.file()?).ok()??.try_into().ok()
    }
}

/// A connection whose ends have proven themselves.
pub struct Connection {
    /// Who is at the other end.
    pub peer: Pe,
    /// Its number among the connections.
    pub number: usize,
    /// The socket.
    pub socket: GuardedFd,
    poller: Arc<Poller>,
    state: Mutex<State>,
    /// So many threads wait for the mutex, to post.
    posters: AtomicU32,
}

impl Connection {
    /// A fresh one.
    pub fn new(peer: Pe, number: usize, Opened { socket, keys }: Opened, poller: &Arc<Poller>) -> Self {
        let state = State {
            inbox: Inbox::new(keys.map(|keys| keys.receiving)),
            outbox: Outbox::new(keys.map(|keys| keys.sending)),
            calls: Calls::default(),
            replies: Replies::default(),
            arriving: None,
            used: false,
            finished: false,
            parting: Parting::Not,
            is_staged: false,
            watches_room: false,
            broken: None,
            ended: None,
        };
        let poller = Arc::clone(poller);
        Connection { peer, number, socket, poller, state: Mutex::new(state), posters: AtomicU32::new(0) }
    }

    /// A port will post here. It knows the peer by this number.
    pub fn add_caller(&self, queue: &Arc<Handover<Event>>, peer: PeerNumber) -> CallerNumber {
        self.lock_to_post().calls.add_caller(queue, peer)
    }

    /// [`ferrite_engine::Port::send`].
    ///
    /// # Safety
    /// As there.
    pub unsafe fn send(
        self: &Arc<Self>,
        caller: CallerNumber,
        head: &[u8],
        data: *const u8,
        len: usize,
        token: Token,
    ) -> Result<Posted, PostError> {
        let mut state = self.lock_to_post();
        let wants_answer = message::wants_answer(head);
        state.make_room(self, if len <= COPY_BYTES_MAX { len } else { 0 }, wants_answer)?;
        state.outbox.stage(Encoded::message(head, len).bytes());
        // SAFETY: as the caller says: bytes that are not copied are readable until the call is over, which is when they are sent.
        let is_copied = unsafe { state.outbox.add(data, len) };
        if wants_answer {
            state.calls.expect_answer();
        }
        state.posted(self);
        let end = state.outbox.queued();
        if is_copied || state.outbox.sent() >= end {
            return Ok(Posted::Done(len));
        }
        state.calls.expect_room(end, caller, token);
        Ok(Posted::Pending(len))
    }

    /// [`ferrite_engine::Port::read`].
    ///
    /// # Safety
    /// As there.
    pub unsafe fn read(
        self: &Arc<Self>,
        caller: CallerNumber,
        at: Location,
        to: *mut u8,
        len: usize,
        token: Token,
    ) -> Result<Posted, PostError> {
        let len = len.min(PAYLOAD_BYTES_MAX);
        let mut state = self.lock_to_post();
        state.make_room(self, 0, true)?;
        state.outbox.stage(Frame::Get { at, len: len as u32 }.encode().bytes());
        state.calls.expect_data(to, len, caller, token);
        state.posted(self);
        Ok(Posted::Pending(len))
    }

    /// Send what waits, execute and answer what has arrived; gives the number of things that happened.
    pub fn visit(self: &Arc<Self>, target: &Target) -> Result<usize, End> {
        let Some(mut state) = self.try_lock() else { return Ok(0) };
        if state.ended.is_some() {
            return Ok(0);
        }
        let worked = state.work(self, target);
        state.note_unsent(self);
        worked.map_err(|stop| state.end(self, stop))
    }

    /// Send what is staged, and look at nothing that has arrived; gives the number of things that happened. The poller has taken the
    /// connection from its list.
    pub fn push(self: &Arc<Self>) -> usize {
        let Some(mut state) = self.try_lock() else {
            self.poller.stage(self);
            return 0;
        };
        state.is_staged = false;
        if state.watches_room || state.ended.is_some() {
            return 0;
        }
        let sent = state.send(self);
        state.note_unsent(self);
        usize::from(sent > 0)
    }

    /// Nothing is posted any more: tell the peer, once. Gives whether it has heard all that came before, and that; or never will.
    pub fn part(self: &Arc<Self>) -> bool {
        let mut state = self.lock_to_post();
        if state.parting == Parting::Not && state.ended.is_none() {
            state.parting = Parting::Said;
            state.outbox.stage(Frame::Bye.encode().bytes());
            state.flush(self);
            state.note_unsent(self);
        }
        state.ended.is_some() || state.parting == Parting::Heard
    }

    /// Nobody touches memory for it any more when this returns.
    pub fn close(&self) {
        self.lock().ended.get_or_insert_with(|| "the fabric was closed".to_owned());
        self.shutdown(Shutdown::Both);
    }

    fn shutdown(&self, how: Shutdown) {
        if let Some(socket) = self.socket.file() {
            let _ = shutdown(socket, how);
        }
    }

    /// Why nothing can be promised any more.
    pub fn lost(&self, why: impl std::fmt::Display) -> Error {
        Error::new(format!("the connection with {} was lost: {why}", self.peer))
    }

    /// The program has closed its descriptor.
    #[cold]
    fn closed(&self, closed: Closed) -> io::Error {
        self.poller.note_closed(closed);
        closed.into()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        mutex::lock(&self.state)
    }

    /// Polls of who waits for a peer take the mutex again as soon as they have released it: they shall not.
    fn lock_to_post(&self) -> MutexGuard<'_, State> {
        if let Ok(state) = self.state.try_lock() {
            return state;
        }
        self.posters.fetch_add(1, Ordering::Relaxed);
        let state = self.lock();
        self.posters.fetch_sub(1, Ordering::Relaxed);
        state
    }

    #[inline]
    fn try_lock(&self) -> Option<MutexGuard<'_, State>> {
        if self.posters.load(Ordering::Relaxed) > 0 {
            return None;
        }
        mutex::try_lock(&self.state)
    }
}

impl State {
    /// Room for one more frame with so many copied bytes, and for its answer.
    #[inline]
    fn make_room(&mut self, connection: &Arc<Connection>, copied: usize, wants_answer: bool) -> Result<(), PostError> {
        if let Some(why) = &self.ended {
            return Err(connection.lost(why).into());
        }
        let bytes = FIXED_BYTES_MAX + copied;
        // Sending may make room; what it cannot send makes the post be refused.
        if !self.outbox.has_room(bytes) {
            self.flush(connection);
            self.note_unsent(connection);
        }
        let has_room = self.outbox.has_room(bytes) && (!wants_answer || self.calls.has_room());
        if has_room { Ok(()) } else { Err(PostError::Busy) }
    }

    /// A frame of ours is in the outbox: send what is there, if it is much.
    #[inline]
    fn posted(&mut self, connection: &Arc<Connection>) {
        self.used = true;
        // A socket without room has none before the kernel tells.
        if self.outbox.is_worth_sending() && !self.watches_room {
            self.flush(connection);
        }
        self.note_unsent(connection);
    }

    /// See to it that what waits is sent: see [`Poller`].
    #[inline]
    fn note_unsent(&mut self, connection: &Arc<Connection>) {
        let waits = !self.outbox.is_empty() || self.replies.has_waiting();
        if self.broken.is_some() || waits == self.watches_room || waits && self.is_staged {
            return;
        }
        if waits && !self.outbox.is_refused() {
            self.is_staged = true;
            return connection.poller.stage(connection);
        }
        match connection.poller.watch_room(connection, waits) {
            Ok(()) => self.watches_room = waits,
            Err(error) => self.broken = Some(error),
        }
    }

    #[inline]
    fn work(&mut self, connection: &Connection, target: &Target) -> Result<usize, Stop> {
        let mut sent = self.send(connection);
        let stuck = !self.outbox.is_empty();
        let happened = self.receive(connection, target)?;
        if !stuck {
            sent += self.send(connection);
        }
        match self.broken.take() {
            Some(error) if happened == 0 => return Err(Stop::Broken(error)),
            broken => self.broken = broken,
        }
        Ok(happened + usize::from(sent > 0))
    }

    /// Send what waits, replies that had no room in the outbox too; gives the number of bytes.
    #[inline]
    fn send(&mut self, connection: &Connection) -> usize {
        let mut sent = 0;
        for _ in 0..TURNS_MAX {
            self.replies.hand_over(&mut self.outbox);
            if self.outbox.is_empty() {
                break;
            }
            sent += self.flush(connection);
            if !self.outbox.is_empty() {
                break;
            }
        }
        sent
    }

    #[inline]
    fn flush(&mut self, connection: &Connection) -> usize {
        let sent = match (&self.broken, connection.socket.get()) {
            (None, Ok(socket)) => self.outbox.flush(socket),
            (None, Err(closed)) => Err(connection.closed(closed)),
            (Some(_), _) => Ok(0),
        };
        self.calls.sent(self.outbox.sent());
        connection.poller.count_send();
        sent.unwrap_or_else(|error| {
            self.broken = Some(error);
            0
        })
    }

    /// Reading has stopped for good.
    #[cold]
    fn end(&mut self, connection: &Connection, stop: Stop) -> End {
        let (why, end) = match stop {
            Stop::Refused(why) => {
                let error = Error::new(format!("{} refused an operation: {why}", connection.peer));
                (why, End::Fault(error))
            }
            Stop::Wrong(wrong) => {
                let why = wrong.to_string();
                replies::refuse(&why, &mut self.outbox);
                self.flush(connection);
                connection.shutdown(Shutdown::Write);
                (why.clone(), End::Dropped(why))
            }
            Stop::Broken(error) => {
                // What was changed on the way is no peer's end.
                let is_changed = error.kind() == io::ErrorKind::InvalidData;
                let is_over = self.finished && !is_changed;
                let why = if is_over { "the peer has finished".to_owned() } else { words(&error) };
                let is_used = self.used || self.inbox.has_part_of_record();
                let is_missed = is_changed || is_used && !self.finished;
                (why.clone(), if is_missed { End::Fault(connection.lost(&why)) } else { End::Over })
            }
        };
        if !matches!(end, End::Fault(_)) {
            self.calls.lost(&why);
        }
        self.ended = Some(why);
        end
    }
}
