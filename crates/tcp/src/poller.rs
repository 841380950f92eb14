//! State that the connections of a PE share: the kernel's list of ready connections, and the list of connections with staged bytes.
//!
//! Bytes that wait to be sent are *staged* if they have not been offered to the kernel yet, or *refused* if the kernel had no room for
//! them. Staged bytes leave with the next poll or push of any port, which takes the connection from the list here. For refused bytes, the
//! kernel is asked to report when it has room. So any thread that polls sends waiting bytes, and only staged bytes need a thread that
//! polls.

use crate::{connection::Connection, epoll::Epoll};
use ferrite_engine::{Bell, Error, Result};
use ferrite_os::{guarded_fd::Closed, mutex};
use rustix::event::epoll::{Event, EventFlags};
use std::{
    collections::VecDeque,
    io,
    mem::MaybeUninit,
    os::fd::BorrowedFd,
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

const EVENTS_MAX: usize = 32;

/// The epoll of a PE's connections, and the list of connections with staged bytes.
pub struct Poller {
    epoll: Epoll,
    /// First descriptor found closed by the program.
    closed: OnceLock<Closed>,
    staged: Mutex<VecDeque<Arc<Connection>>>,
    any_staged: AtomicBool,
    /// Wakes the lookout for silent hosts, which sleeps while nothing is on its way.
    pub lookout: Bell,
}

impl Poller {
    /// A poller without connections.
    pub fn new() -> Result<Self> {
        Ok(Poller {
            epoll: Epoll::new().map_err(|e| Error::because("opening an epoll", e))?,
            closed: OnceLock::new(),
            staged: Mutex::default(),
            any_staged: AtomicBool::new(false),
            lookout: Bell::new()?,
        })
    }

    /// Descriptor that is readable when a connection has an event.
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.epoll.unchecked()
    }

    /// Record that the program has closed a connection's descriptor. The epoll reports no more events of this connection.
    #[cold]
    pub fn note_closed(&self, closed: Closed) {
        let _ = self.closed.set(closed);
    }

    /// Return an error if the program has closed the epoll, the bell, or a connection's socket as far as that was noticed.
    pub fn descriptors(&self) -> Result<(), Closed> {
        self.epoll.get()?;
        self.lookout.check()?;
        self.closed.get().map_or(Ok(()), |closed| Err(*closed))
    }

    /// Watch one more connection for arriving bytes.
    pub fn add(&self, connection: &Connection) -> io::Result<()> {
        self.epoll.add(connection.socket.get()?, connection.number as u64, EventFlags::IN)
    }

    /// Watch a connection for arriving bytes; if `room`, also for room in its socket.
    pub fn watch_room(&self, connection: &Connection, room: bool) -> io::Result<()> {
        let wanted = if room { EventFlags::IN | EventFlags::OUT } else { EventFlags::IN };
        self.epoll.modify(connection.socket.get()?, connection.number as u64, wanted)
    }

    /// Stop watching a connection that has ended. Its socket may outlive it if another thread still holds a reference, and must wake no
    /// thread any more.
    pub fn remove(&self, connection: &Connection) {
        if let Some(socket) = connection.socket.file() {
            self.epoll.delete(socket);
        }
    }

    /// Call `visit` with the number of each connection that is ready.
    #[inline]
    pub fn ready(&self, mut visit: impl FnMut(usize)) -> Result<(), Closed> {
        let mut events = [MaybeUninit::<Event>::uninit(); EVENTS_MAX];
        self.epoll.ready(&mut events)?.for_each(|number| visit(number as usize));
        Ok(())
    }

    /// Something is sent: wake the lookout if it sleeps until then.
    #[inline]
    pub fn count_send(&self) {
        // If the program has closed the bell, the check of all descriptors reports it.
        let _ = self.lookout.rouse();
    }

    /// Add a connection with staged bytes, which is not in the list yet.
    pub fn stage(&self, connection: &Arc<Connection>) {
        let mut staged = mutex::lock(&self.staged);
        staged.push_back(Arc::clone(connection));
        self.any_staged.store(true, Ordering::Release);
    }

    /// Whether any connection has staged bytes.
    #[inline]
    pub fn has_staged(&self) -> bool {
        self.any_staged.load(Ordering::Acquire)
    }

    /// Call `push` for each connection with staged bytes. Return the number of things that happened.
    #[inline]
    pub fn push(&self, push: impl Fn(&Arc<Connection>) -> usize) -> usize {
        if self.has_staged() { self.push_staged(push) } else { 0 }
    }

    fn push_staged(&self, push: impl Fn(&Arc<Connection>) -> usize) -> usize {
        let mut happened = 0;
        // A connection whose mutex is taken comes back to the end of the list, so the number of rounds is fixed before.
        let count = mutex::lock(&self.staged).len();
        for _ in 0..count {
            let Some(connection) = self.next() else { break };
            happened += push(&connection);
        }
        happened
    }

    fn next(&self) -> Option<Arc<Connection>> {
        let mut staged = mutex::lock(&self.staged);
        let next = staged.pop_front();
        self.any_staged.store(!staged.is_empty(), Ordering::Release);
        next
    }
}
