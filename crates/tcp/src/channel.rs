//! A connection to a peer, for the requests of both: one socket, one inbox, one outbox.
//!
//! What this PE asks of the peer ([`Asker`]) and what the peer asks of this PE ([`Server`]) share the connection, in each
//! direction requests and answers in one stream. So a word that goes back and forth between two PEs is
//! acknowledged, to TCP, by the one that comes back: no segment travels without data.
//!
//! # Who may touch what
//!
//! All of a channel but its marks (`asker`) is behind one mutex. Threads of the program, in `Lane::progress`, and
//! the service thread both come by; whoever finds the mutex taken goes on, since whoever has it is doing the work. So
//! requests are applied by one thread at a time, which keeps their order, and nobody waits to make progress. Only a post
//! waits for the mutex, and visitors give way to it. No thread holds two channels' mutexes.
//!
//! # Why two ends that send cannot block each other
//!
//! **An end never stops reading because it cannot write.** A visit takes what the socket has, whatever waits in the
//! outbox, since nothing that arrives needs room there: a put goes to its segment, an answer to the caller's
//! memory, and the answer to a request goes into the outbox or waits in the server as a number of bytes that is
//! bounded by what a peer may have outstanding. So the peer's bytes always drain, hence so do ours.
//!
//! What an end refuses while it cannot write is its own program's further posts ([`Busy`]), and it makes
//! progress meanwhile.

use crate::{
    asker::{Asker, Due, Marks, Posted},
    end::{End, Stop, Wrong, words},
    inbox::Inbox,
    outbox::Outbox,
    server::{Server, Signal},
    wire::{Frame, Malformed, REFUSAL_BYTES_MAX, Reply, Request},
    words,
};
use ferrite_fabric::{
    Busy, Error, Op, Pe, Result, Width, mutex,
    segments::{self, Segments},
};
use rustix::event::epoll::EventFlags;
use std::{
    io,
    net::{Shutdown, TcpStream},
    os::fd::AsFd,
    sync::{
        Mutex, MutexGuard,
        atomic::{AtomicU32, Ordering},
    },
};

/// Payloads up to this size are stored only when all of them is here: an answer's word in one piece, and elements of a put that
/// are longer than a word, as complex numbers are, as nearly at once as can be.
const WHOLE_BYTES_MAX: usize = 64;
/// So many reads of the socket before others get their turn.
const READS_MAX: usize = 16;
/// So many times answers that wait are moved to the outbox before others get their turn.
const TURNS_MAX: usize = 4;

/// The rest of a payload that is arriving, and what it is.
#[derive(Clone, Copy)]
struct Rest {
    to: *mut u8,
    left: usize,
    of: Payload,
}

#[derive(Clone, Copy)]
enum Payload {
    Put(Signal),
    Answer,
}

struct Wire {
    inbox: Inbox,
    outbox: Outbox,
    asker: Asker,
    server: Server,
    /// The next bytes are these; otherwise a frame.
    rest: Option<Rest>,
    /// Something has arrived, once.
    heard: bool,
    /// Why nothing can be sent any more. What the peer said before is read first: it may have said why.
    broken: Option<io::Error>,
    /// Why there is nothing to do here any more.
    ended: Option<String>,
    watched: Option<EventFlags>,
}

// SAFETY: a payload's pointer leads into a registered segment, or is a caller's: writable by any thread until the
// payload is there.
unsafe impl Send for Wire {}

/// A connection whose ends have proven themselves.
pub struct Channel {
    /// Who is at the other end.
    pub peer: Pe,
    /// Its number among the channels.
    pub number: usize,
    /// The socket.
    pub socket: TcpStream,
    /// How far its requests have come.
    pub marks: Marks,
    wire: Mutex<Wire>,
    /// So many threads wait for the mutex, to post.
    posters: AtomicU32,
}

impl Channel {
    /// A fresh one.
    pub fn new(peer: Pe, number: usize, socket: TcpStream) -> Self {
        let wire = Wire {
            inbox: Inbox::new(),
            outbox: Outbox::default(),
            asker: Asker::default(),
            server: Server::default(),
            rest: None,
            heard: false,
            broken: None,
            ended: None,
            watched: None,
        };
        Channel { peer, number, socket, marks: Marks::default(), wire: Mutex::new(wire), posters: AtomicU32::new(0) }
    }

    /// Post an operation. The second value says that nothing waited here before, so that nobody may be looking after what is left,
    /// nor after the host that is to acknowledge it.
    ///
    /// # Safety
    /// As [`ferrite_fabric::Lane::post`].
    pub unsafe fn post(&self, op: &Op) -> Result<Result<(Posted, bool), Busy>> {
        let mut wire = self.lock_to_post();
        if let Some(why) = &wire.ended {
            return Err(self.lost(why));
        }
        // Sending may make room; what it cannot send makes the post be refused.
        if !wire.asker.has_room(op, &wire.outbox) {
            wire.flush(self);
            if !wire.asker.has_room(op, &wire.outbox) {
                return Ok(Err(Busy));
            }
        }
        let turned = !self.marks.is_waiting();
        let Wire { asker, outbox, .. } = &mut *wire;
        // SAFETY: as the caller says.
        let posted = unsafe { asker.post(op, outbox, &self.marks) };
        if wire.outbox.is_worth_sending() {
            wire.flush(self);
        }
        if !wire.outbox.is_empty() {
            self.marks.note_waiting();
        }
        Ok(Ok((posted, turned)))
    }

    /// Send what waits, apply and answer what has arrived; gives the number of things that happened. If the socket did not
    /// take all and `room` says so, room in it is a reason to come again: `watch` hears when the reasons change.
    pub fn visit(
        &self,
        memory: &Segments,
        room: bool,
        watch: impl FnOnce(EventFlags) -> rustix::io::Result<()>,
    ) -> Result<usize, End> {
        let Some(mut wire) = self.try_lock() else { return Ok(0) };
        if wire.ended.is_some() {
            return Ok(0);
        }
        let worked = wire.work(self, memory).and_then(|happened| {
            if let Some(watched) = wire.watched {
                let wanted = wire.reasons(room || watched.contains(EventFlags::OUT));
                if wanted != watched {
                    wire.watched = Some(wanted);
                    watch(wanted).map_err(|error| Stop::Broken(error.into()))?;
                }
            }
            Ok(happened)
        });
        worked.map_err(|stop| wire.end(self, stop))
    }

    /// From now on it is watched, if it is not yet: `watch` is told for what.
    pub fn watch(&self, watch: impl FnOnce(EventFlags) -> rustix::io::Result<()>) -> rustix::io::Result<()> {
        let mut wire = self.lock();
        // One that has ended is always ready, and would wake for ever.
        if wire.ended.is_some() || wire.watched.is_some() {
            return Ok(());
        }
        let wanted = wire.reasons(true);
        watch(wanted)?;
        wire.watched = Some(wanted);
        Ok(())
    }

    /// It is not watched any more, if it was and `unwatch` agrees, which is asked under the mutex.
    pub fn unwatch(&self, unwatch: impl FnOnce() -> bool) {
        let mut wire = self.lock();
        if wire.watched.is_some() && unwatch() {
            wire.watched = None;
        }
    }

    /// Send what waits and ask what somebody wants to know, but look at nothing that has arrived.
    pub fn push(&self) -> usize {
        let Some(mut wire) = self.try_lock() else { return 0 };
        let Wire { asker, outbox, .. } = &mut *wire;
        asker.ask(outbox, &self.marks);
        usize::from(wire.send(self) > 0)
    }

    /// Whether nothing waits or is expected, told under the mutex (see `service` for why).
    pub fn is_quiet(&self) -> bool {
        let wire = self.lock();
        wire.ended.is_some() || !wire.has_unsent() && !wire.asker.is_expecting()
    }

    /// The last words: nothing is posted any more. False if nobody is there to hear them.
    pub fn bye(&self) -> bool {
        let mut wire = self.lock();
        let Wire { asker, outbox, ended, .. } = &mut *wire;
        if ended.is_some() {
            return false;
        }
        asker.bye(outbox, &self.marks);
        wire.send(self);
        true
    }

    /// Whether the peer has taken what came before [`Channel::bye`], and that; or will never.
    pub fn has_parted(&self) -> bool {
        let wire = self.lock();
        wire.ended.is_some() || !wire.asker.is_expecting()
    }

    /// Nobody touches memory for it any more when this returns.
    pub fn close(&self) {
        self.lock().ended.get_or_insert_with(|| "the fabric was closed".to_owned());
        let _ = self.socket.shutdown(Shutdown::Both);
    }

    fn lock(&self) -> MutexGuard<'_, Wire> {
        mutex::lock(&self.wire)
    }

    /// Visitors of a peer that is waited for take the mutex again as soon as they have released it: they shall not.
    fn lock_to_post(&self) -> MutexGuard<'_, Wire> {
        if let Ok(wire) = self.wire.try_lock() {
            return wire;
        }
        self.posters.fetch_add(1, Ordering::Relaxed);
        let wire = self.lock();
        self.posters.fetch_sub(1, Ordering::Relaxed);
        wire
    }

    #[inline]
    fn try_lock(&self) -> Option<MutexGuard<'_, Wire>> {
        if self.posters.load(Ordering::Relaxed) > 0 {
            return None;
        }
        mutex::try_lock(&self.wire)
    }

    /// Why nothing can be promised any more.
    pub fn lost(&self, why: impl std::fmt::Display) -> Error {
        Error::new(format!("the connection with {} was lost: {why}", self.peer))
    }
}

impl Wire {
    #[inline]
    fn has_unsent(&self) -> bool {
        !self.outbox.is_empty() || self.server.has_waiting()
    }

    /// The events of the socket that are reasons to come again. What arrives always is, whatever waits to be sent.
    #[inline]
    fn reasons(&self, room: bool) -> EventFlags {
        if room && self.has_unsent() { EventFlags::IN | EventFlags::OUT } else { EventFlags::IN }
    }

    #[inline]
    fn work(&mut self, channel: &Channel, memory: &Segments) -> Result<usize, Stop> {
        self.asker.ask(&mut self.outbox, &channel.marks);
        let mut sent = self.send(channel);
        let stuck = !self.outbox.is_empty();
        let happened = self.read(channel, memory)?;
        if !stuck {
            sent += self.send(channel);
        }
        match self.broken.take() {
            Some(error) if happened == 0 => return Err(Stop::Broken(error)),
            broken => self.broken = broken,
        }
        Ok(happened + usize::from(sent > 0))
    }

    /// Send what waits, answers that had no room in the outbox too; gives the number of bytes.
    #[inline]
    fn send(&mut self, channel: &Channel) -> usize {
        let mut sent = 0;
        for _ in 0..TURNS_MAX {
            self.server.hand_over(&mut self.outbox);
            if self.outbox.is_empty() {
                break;
            }
            sent += self.flush(channel);
            if !self.outbox.is_empty() {
                break;
            }
        }
        sent
    }

    #[inline]
    fn flush(&mut self, channel: &Channel) -> usize {
        let sent = match self.broken {
            None => self.outbox.flush(channel.socket.as_fd()),
            Some(_) => Ok(0),
        };
        channel.marks.note_sent(self.outbox.sent(), self.has_unsent());
        sent.unwrap_or_else(|error| {
            self.broken = Some(error);
            0
        })
    }

    /// Take what has arrived; gives the number of things that happened.
    #[inline]
    fn read(&mut self, channel: &Channel, memory: &Segments) -> Result<usize, Stop> {
        let mut happened = 0;
        let mut reads = 0;
        let mut more = true;
        loop {
            if let Some(Rest { to, left, of }) = self.rest {
                let straight = matches!(of, Payload::Answer);
                // SAFETY: all of the payload was checked against the registered segments, or is what the caller of a get
                // promised.
                let (n, full) = unsafe {
                    if straight {
                        reads += 1;
                        self.inbox.pour(channel.socket.as_fd(), to, left).map_err(Stop::Broken)?
                    } else {
                        (self.inbox.hand_over(to, left), false)
                    }
                };
                happened += n;
                if n == left {
                    self.rest = None;
                    self.arrived(channel, memory, of)?;
                    more |= straight;
                    continue;
                }
                self.rest = Some(Rest { to: to.wrapping_add(n), left: left - n, of });
                if straight {
                    if !full || reads >= READS_MAX {
                        return Ok(happened);
                    }
                    continue;
                }
            } else if let Some((frame, used)) = self.whole()? {
                self.inbox.consume(used);
                happened += 1;
                match frame {
                    Frame::Request(request) => self.request(channel, memory, &request)?,
                    Frame::Reply(reply) => self.reply(channel, memory, &reply)?,
                }
                continue;
            }
            if !more || reads >= READS_MAX {
                return Ok(happened);
            }
            let (n, full) = self.inbox.fill(channel.socket.as_fd()).map_err(Stop::Broken)?;
            if n == 0 {
                return Ok(happened);
            }
            self.heard = true;
            reads += 1;
            more = full;
        }
    }

    /// The next frame, with its payload if that is so small that it may be a word, or if it is a text.
    #[inline]
    fn whole(&self) -> Result<Option<(Frame, usize)>, Malformed> {
        let here = self.inbox.bytes();
        Ok(Frame::parse(here)?.filter(|(frame, used)| match frame {
            Frame::Request(Request::Put { len, .. } | Request::PutSignal { len, .. })
            | Frame::Reply(Reply::Data { len, .. }) => {
                let len = *len as usize;
                len > WHOLE_BYTES_MAX || here.len() >= used + len
            }
            Frame::Reply(Reply::Refused { len, .. }) => here.len() >= used + *len as usize,
            _ => true,
        }))
    }

    #[inline]
    fn request(&mut self, channel: &Channel, memory: &Segments, request: &Request) -> Result<(), Stop> {
        let (at, len, signal) = match *request {
            Request::Put { at, len } => (at, len, None),
            Request::PutSignal { at, len, signal, op, value } => (at, len, Some((signal, op, value))),
            _ => return Ok(self.server.apply(memory, request, &mut self.outbox)?),
        };
        let to = self.server.place(memory, at, len, &signal)?;
        self.take(channel, memory, Rest { to, left: len as usize, of: Payload::Put(signal) })
    }

    #[inline]
    fn reply(&mut self, channel: &Channel, memory: &Segments, reply: &Reply) -> Result<(), Stop> {
        if let Reply::Refused { len, .. } = *reply {
            let text = &self.inbox.bytes()[..(len as usize).min(REFUSAL_BYTES_MAX)];
            return Err(Stop::Refused(String::from_utf8_lossy(text).into_owned()));
        }
        match self.asker.due(reply).ok_or(Wrong::Unasked)? {
            Due::Number => self.asker.answered(&channel.marks),
            Due::Word(to, width) => {
                let Some(&word) = self.inbox.bytes().first_chunk::<8>() else { return Err(Wrong::Unasked.into()) };
                self.inbox.consume(8);
                let word = u64::from_le_bytes(word);
                // SAFETY: the caller promised a word of that width at `to` until this is answered.
                unsafe {
                    match width {
                        Width::W32 => segments::store(to, (word as u32).to_ne_bytes().as_ptr(), 4),
                        Width::W64 => segments::store(to, word.to_ne_bytes().as_ptr(), 8),
                    }
                }
                self.asker.answered(&channel.marks);
            }
            Due::Bytes(to, left) => self.take(channel, memory, Rest { to, left, of: Payload::Answer })?,
        }
        Ok(())
    }

    /// Store a payload that is here, or remember where it belongs.
    #[inline]
    fn take(&mut self, channel: &Channel, memory: &Segments, rest: Rest) -> Result<(), Stop> {
        let here = self.inbox.bytes();
        if here.len() < rest.left {
            self.rest = Some(rest);
            return Ok(());
        }
        // SAFETY: all of the payload was checked against the registered segments, or is what the caller of a get promised.
        unsafe {
            match rest.of {
                Payload::Put(_) => words::store(rest.to, here.as_ptr(), rest.left),
                Payload::Answer => segments::store(rest.to, here.as_ptr(), rest.left),
            }
        }
        self.inbox.consume(rest.left);
        self.arrived(channel, memory, rest.of)
    }

    #[inline]
    fn arrived(&mut self, channel: &Channel, memory: &Segments, payload: Payload) -> Result<(), Stop> {
        match payload {
            Payload::Put(signal) => self.server.stored(memory, signal)?,
            Payload::Answer => self.asker.answered(&channel.marks),
        }
        Ok(())
    }

    /// Reading has stopped for good.
    #[cold]
    fn end(&mut self, channel: &Channel, stop: Stop) -> End {
        let owed = self.asker.is_owed(&self.outbox);
        let (why, end) = match stop {
            Stop::Refused(why) => {
                let error = Error::new(format!("{} refused an operation: {why}", channel.peer));
                (why, End::Fault(error))
            }
            Stop::Wrong(wrong) => {
                let why = wrong.to_string();
                self.server.refuse(&why, &mut self.outbox);
                self.flush(channel);
                let _ = channel.socket.shutdown(Shutdown::Write);
                (why.clone(), if owed { End::Fault(channel.lost(&why)) } else { End::Dropped(why) })
            }
            Stop::Broken(error) => {
                let left = self.server.is_finished();
                let why = if left { "the peer has finished".to_owned() } else { words(&error) };
                let unused = !self.heard && self.asker.posted() == 0;
                let over = unused || left && !owed;
                (why.clone(), if over { End::Over } else { End::Fault(channel.lost(&why)) })
            }
        };
        self.ended = Some(why);
        channel.marks.note_sent(self.outbox.sent(), false);
        end
    }
}
