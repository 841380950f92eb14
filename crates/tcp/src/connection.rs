//! A connection to a peer, which carries the requests of both PEs: one socket, one inbox, one outbox.
//!
//! This PE's requests to the peer ([`Calls`]) and its replies to the peer ([`Replies`]) share the connection: one stream in each direction.
//! So if a word goes back and forth between two PEs, the segment that carries it back also acknowledges it to TCP: no segment travels
//! without data.
//!
//! # Who may touch what
//!
//! One mutex protects the whole connection. Threads of the program and the service thread visit it when they poll any port. A poll that
//! finds the mutex taken skips the connection, since the holder is doing the work. So one thread at a time executes requests, which keeps
//! their order, and no thread waits to make progress. Only a post waits for the mutex, and polls give way to it. No thread holds the
//! mutexes of two connections. While it holds a connection's mutex, a thread takes only the mutexes of the engine's handovers and of the
//! list of staged connections, each for a moment.
//!
//! # Why two ends that send cannot block each other
//!
//! **An end never stops reading because it cannot write.** A visit reads what the socket has, however full the outbox is, since no arriving
//! frame needs room there: the data of a put goes to its segment, the bytes of a get to the caller's memory, and the reply to a request
//! goes into the outbox or waits as a few words. At most as many replies wait as a peer may have requests outstanding. So the peer's bytes
//! always drain, hence so do ours.
//!
//! While an end cannot write, it refuses further posts of its own program ([`PostError::Busy`]), which polls meanwhile.
//!
//! # When bytes leave
//!
//! Staged bytes leave with the next poll or push of any port, or at once if there are many of them. So a put, its fence and the flag behind
//! it take one system call, and so does a stream of small puts or of gets. (Sending each of 64 gets at once took twenty times as long.) The
//! engine pushes operations that a peer may wait for.

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
    os::fd::BorrowedFd,
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicU32, Ordering},
    },
};

/// Payloads up to this size are stored only when all their bytes are here. So a word is stored in one piece, and an element of a put that
/// is longer than a word, such as a complex number, as nearly at once as possible.
const WHOLE_BYTES_MAX: usize = 64;
/// Maximum number of reads of the socket per visit, so that other connections get their turn.
const READS_MAX: usize = 16;
/// Maximum number of times per send that waiting replies are moved to the outbox, so that other connections get their turn.
const TURNS_MAX: usize = 4;

/// The part of a payload that has not arrived yet, where it belongs, and the kind of payload.
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

/// How far both PEs have used the connection. It only goes forward.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Usage {
    /// Nothing was posted, and nothing has arrived: its loss is no fault.
    Unused,
    /// Something was posted or has arrived: its loss is a fault.
    Used,
    /// The peer has announced that it sends no more requests ([`Frame::Bye`]): its end is no fault.
    Finished,
}

/// Progress of our farewell.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Parting {
    /// Requests may be posted.
    Not,
    /// [`Frame::Bye`] was sent.
    Said,
    /// The peer has answered it ([`Frame::Heard`]): it has executed everything before it.
    Heard,
}

/// The party that sends the waiting bytes. Transitions:
///
/// - `Nothing` to `Staged`: bytes wait, and the socket has room as far as is known.
/// - `Nothing` to `Refused`: bytes wait, and the socket has taken only a part of them.
/// - `Staged` to `Nothing`: the poller has taken the connection from its list, for a push.
/// - `Refused` to `Nothing`: all bytes were sent.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unsent {
    /// No bytes wait, or the thread that holds the mutex sends them.
    Nothing,
    /// The connection is in the poller's list: the next poll or push sends them. The list may outlast the bytes.
    Staged,
    /// The socket has no room. The kernel reports when it has.
    Refused,
}

struct State {
    inbox: Inbox,
    outbox: Outbox,
    calls: Calls,
    replies: Replies,
    /// The payload that the next bytes belong to; if `None`, a frame comes next.
    arriving: Option<Arriving>,
    usage: Usage,
    parting: Parting,
    unsent: Unsent,
    /// Why nothing can be sent any more. Bytes that the peer sent before are read first: they may give the reason.
    broken: Option<io::Error>,
    /// Why the connection has ended, if it has.
    ended: Option<String>,
}

// SAFETY: a payload's pointer leads into a registered segment, or to memory of a caller. Any thread may write there until the payload is
// complete.
unsafe impl Send for State {}

/// Result of opening a connection.
pub struct Opened {
    pub socket: GuardedFd,
    /// The keys with which both ends seal, if they seal.
    pub keys: Option<Keys>,
}

impl Opened {
    /// Address of the peer.
    pub fn peer_address(&self) -> Option<SocketAddr> {
        getpeername(self.socket.file()?).ok()??.try_into().ok()
    }
}

/// A connection whose ends have proven themselves.
pub struct Connection {
    /// The PE at the other end.
    pub peer: Pe,
    /// Number of this connection in the PE's list of connections.
    pub number: usize,
    pub socket: GuardedFd,
    poller: Arc<Poller>,
    state: Mutex<State>,
    /// Number of threads that wait for the mutex in order to post.
    posters: AtomicU32,
}

impl Connection {
    /// State of a connection that was just opened.
    pub fn new(peer: Pe, number: usize, Opened { socket, keys }: Opened, poller: &Arc<Poller>) -> Self {
        let state = State {
            inbox: Inbox::new(keys.map(|keys| keys.receiving)),
            outbox: Outbox::new(keys.map(|keys| keys.sending)),
            calls: Calls::default(),
            replies: Replies::default(),
            arriving: None,
            usage: Usage::Unused,
            parting: Parting::Not,
            unsent: Unsent::Nothing,
            broken: None,
            ended: None,
        };
        let poller = Arc::clone(poller);
        Connection { peer, number, socket, poller, state: Mutex::new(state), posters: AtomicU32::new(0) }
    }

    /// Register a port that will post here. The port knows the peer by the number `peer`.
    pub fn add_caller(&self, queue: &Arc<Handover<Event>>, peer: PeerNumber) -> CallerNumber {
        self.lock_to_post().calls.add_caller(queue, peer)
    }

    /// See [`ferrite_engine::Port::send`].
    ///
    /// # Safety
    /// As for [`ferrite_engine::Port::send`].
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
        // SAFETY: as the caller promises, bytes that are not copied stay readable until the call is complete, which is when they are sent.
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

    /// See [`ferrite_engine::Port::read`].
    ///
    /// # Safety
    /// As for [`ferrite_engine::Port::read`].
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

    /// Send waiting bytes, then execute and answer arrived requests. Return the number of things that happened. Of a request and its answer,
    /// only the first send checks the descriptor.
    ///
    /// # Safety
    /// The calling thread has just received an event of the socket from the kernel.
    pub unsafe fn visit(self: &Arc<Self>, target: &Target) -> Result<usize, End> {
        let Some(mut state) = self.try_lock() else { return Ok(0) };
        if state.ended.is_some() {
            return Ok(0);
        }
        // SAFETY: as the caller says.
        let socket = unsafe { self.socket.after_event() };
        let worked = match socket {
            Ok(socket) => state.work(self, socket, target),
            Err(closed) => Err(Stop::Broken(closed.into())),
        };
        state.note_unsent(self);
        worked.map_err(|stop| state.end(self, stop))
    }

    /// Send staged bytes without reading the socket. Return the number of things that happened. The poller has taken the connection from
    /// its list before.
    pub fn push(self: &Arc<Self>) -> usize {
        let Some(mut state) = self.try_lock() else {
            self.poller.stage(self);
            return 0;
        };
        debug_assert!(state.unsent == Unsent::Staged, "it was in the list");
        state.unsent = Unsent::Nothing;
        if state.ended.is_some() {
            return 0;
        }
        let sent = state.checked(self).map_or(0, |socket| state.send(self, socket));
        state.note_unsent(self);
        usize::from(sent > 0)
    }

    /// Announce to the peer, once, that nothing is posted any more. Return true if the peer has confirmed this, and so has executed
    /// everything before it, or never will because the connection has ended.
    pub fn part(self: &Arc<Self>) -> bool {
        let mut state = self.lock_to_post();
        if state.parting == Parting::Not && state.ended.is_none() {
            state.parting = Parting::Said;
            state.outbox.stage(Frame::Bye.encode().bytes());
            state.flush_checked(self);
            state.note_unsent(self);
        }
        state.ended.is_some() || state.parting == Parting::Heard
    }

    /// Close the connection. When this returns, no thread touches memory for it any more.
    pub fn close(&self) {
        self.lock().ended.get_or_insert_with(|| "the fabric was closed".to_owned());
        self.shutdown(Shutdown::Both);
    }

    fn shutdown(&self, how: Shutdown) {
        if let Some(socket) = self.socket.file() {
            let _ = shutdown(socket, how);
        }
    }

    /// The error to report if the connection is lost.
    pub fn lost(&self, why: impl std::fmt::Display) -> Error {
        Error::new(format!("the connection with {} was lost: {why}", self.peer))
    }

    /// Record that the program has closed the socket's descriptor.
    #[cold]
    fn closed(&self, closed: Closed) -> io::Error {
        self.poller.note_closed(closed);
        closed.into()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        mutex::lock(&self.state)
    }

    /// Lock the connection for a post, and make polls give way. A thread that waits for a peer polls in a loop; without this it would
    /// retake the mutex as soon as it has released it.
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
    /// Make room for one more frame with `copied` copied bytes, and for its answer.
    #[inline]
    fn make_room(&mut self, connection: &Arc<Connection>, copied: usize, wants_answer: bool) -> Result<(), PostError> {
        if let Some(why) = &self.ended {
            return Err(PostError::Lost(connection.lost(why)));
        }
        let bytes = FIXED_BYTES_MAX + copied;
        // Sending may make room. If it does not make enough, the post is refused.
        if !self.outbox.has_room(bytes) {
            self.flush_checked(connection);
            self.note_unsent(connection);
        }
        let has_room = self.outbox.has_room(bytes) && (!wants_answer || self.calls.has_room());
        if has_room { Ok(()) } else { Err(PostError::Busy) }
    }

    /// A frame was added to the outbox: send now if many bytes wait.
    #[inline]
    fn posted(&mut self, connection: &Arc<Connection>) {
        self.usage = self.usage.max(Usage::Used);
        // A socket without room has none until the kernel reports it.
        if self.outbox.is_worth_sending() && self.unsent != Unsent::Refused {
            self.flush_checked(connection);
        }
        self.note_unsent(connection);
    }

    /// Arrange that waiting bytes are sent later: see [`Poller`].
    #[inline]
    fn note_unsent(&mut self, connection: &Arc<Connection>) {
        let waits = !self.outbox.is_empty() || self.replies.has_waiting();
        match (self.unsent, waits) {
            _ if self.broken.is_some() => {}
            (Unsent::Nothing, false) | (Unsent::Staged, _) | (Unsent::Refused, true) => {}
            (Unsent::Nothing, true) if !self.outbox.is_refused() => {
                self.unsent = Unsent::Staged;
                connection.poller.stage(connection);
            }
            (Unsent::Nothing, true) | (Unsent::Refused, false) => {
                match connection.poller.watch_room(connection, waits) {
                    Ok(()) => self.unsent = if waits { Unsent::Refused } else { Unsent::Nothing },
                    Err(error) => self.broken = Some(error),
                }
            }
        }
    }

    #[inline]
    fn work(&mut self, connection: &Connection, socket: BorrowedFd<'_>, target: &Target) -> Result<usize, Stop> {
        let mut sent = self.send(connection, socket);
        let stuck = !self.outbox.is_empty();
        let happened = self.receive(socket, target)?;
        if !stuck {
            sent += self.send(connection, socket);
        }
        match self.broken.take() {
            Some(error) if happened == 0 => return Err(Stop::Broken(error)),
            broken => self.broken = broken,
        }
        Ok(happened + usize::from(sent > 0))
    }

    /// Send waiting bytes, including replies that had no room in the outbox before. Return the number of bytes sent.
    #[inline]
    fn send(&mut self, connection: &Connection, socket: BorrowedFd<'_>) -> usize {
        let mut sent = 0;
        for _ in 0..TURNS_MAX {
            self.replies.hand_over(&mut self.outbox);
            if self.outbox.is_empty() {
                break;
            }
            sent += self.flush(connection, socket);
            if !self.outbox.is_empty() {
                break;
            }
        }
        sent
    }

    #[inline]
    fn flush(&mut self, connection: &Connection, socket: BorrowedFd<'_>) -> usize {
        let sent = if self.broken.is_none() { self.outbox.flush(socket) } else { Ok(0) };
        self.calls.sent(self.outbox.sent());
        connection.poller.count_send();
        sent.unwrap_or_else(|error| {
            self.broken = Some(error);
            0
        })
    }

    /// Send waiting bytes outside a visit: check the descriptor first.
    #[inline]
    fn flush_checked(&mut self, connection: &Connection) -> usize {
        self.checked(connection).map_or(0, |socket| self.flush(connection, socket))
    }

    /// The socket, if its descriptor is still ours; otherwise the connection is broken.
    #[inline]
    fn checked<'a>(&mut self, connection: &'a Connection) -> Option<BorrowedFd<'a>> {
        let socket = connection.socket.get();
        socket.inspect_err(|closed| _ = self.broken.get_or_insert_with(|| connection.closed(*closed))).ok()
    }

    /// Reading has stopped for good: derive the reason, and the consequence for this PE.
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
                self.flush_checked(connection);
                connection.shutdown(Shutdown::Write);
                (why.clone(), End::Dropped(why))
            }
            Stop::Broken(error) => {
                let error = connection.socket.get().map_or_else(|closed| connection.closed(closed), |_| error);
                // A stream that was changed on the way is not the peer's regular end.
                let is_changed = error.kind() == io::ErrorKind::InvalidData;
                let is_over = self.usage == Usage::Finished && !is_changed;
                let why = if is_over { "the peer has finished".to_owned() } else { words(&error) };
                let is_missed = match self.usage {
                    Usage::Unused => is_changed || self.inbox.has_part_of_record(),
                    Usage::Used => true,
                    Usage::Finished => is_changed,
                };
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
