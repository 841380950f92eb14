//! What the connections of a PE share: the kernel's list of those that are ready, and the list of those that have something staged.
//!
//! Bytes that wait to be sent are *staged*, if nobody has offered them to the kernel yet, or *refused*, if the kernel had no room for
//! them. Staged ones go with the next poll or push of any port, which takes the connection from the list here. For refused ones the kernel
//! is asked to tell when it has room. So what waits is sent by whoever polls, and only staged bytes need somebody who does.

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

/// See the module.
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
    /// Of no connections.
    pub fn new() -> Result<Self> {
        Ok(Poller {
            epoll: Epoll::new().map_err(|e| Error::because("opening an epoll", e))?,
            closed: OnceLock::new(),
            staged: Mutex::default(),
            any_staged: AtomicBool::new(false),
            lookout: Bell::new()?,
        })
    }

    /// Readable when a connection has something.
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.epoll.unchecked()
    }

    /// The program has closed a connection's descriptor. Nothing of it shows in the epoll any more.
    #[cold]
    pub fn note_closed(&self, closed: Closed) {
        let _ = self.closed.set(closed);
    }

    /// An error if the program has closed the epoll, or a connection's socket as far as that was noticed.
    pub fn descriptors(&self) -> Result<(), Closed> {
        self.epoll.get()?;
        self.lookout.fd()?;
        self.closed.get().map_or(Ok(()), |closed| Err(*closed))
    }

    /// Watch one more connection for what arrives.
    pub fn add(&self, connection: &Connection) -> io::Result<()> {
        self.epoll.add(connection.socket.get()?, connection.number as u64, EventFlags::IN)
    }

    /// What arrives at a connection is always a reason to come; `room` says whether room in its socket is one too.
    pub fn watch_room(&self, connection: &Connection, room: bool) -> io::Result<()> {
        let wanted = if room { EventFlags::IN | EventFlags::OUT } else { EventFlags::IN };
        self.epoll.modify(connection.socket.get()?, connection.number as u64, wanted)
    }

    /// A connection has ended. Its socket may outlive it by somebody's grip on it; it must not wake anybody any more.
    pub fn remove(&self, connection: &Connection) {
        if let Some(socket) = connection.socket.file() {
            self.epoll.delete(socket);
        }
    }

    /// Give `visit` the numbers of connections that have something now.
    #[inline]
    pub fn ready(&self, mut visit: impl FnMut(usize)) -> Result<(), Closed> {
        let mut events = [MaybeUninit::<Event>::uninit(); EVENTS_MAX];
        self.epoll.ready(&mut events)?.iter().for_each(|event| visit(event.data.u64() as usize));
        Ok(())
    }

    /// Something is sent: wake the lookout if it sleeps until then.
    #[inline]
    pub fn count_send(&self) {
        // If the program has closed the bell, the check of all descriptors reports it.
        let _ = self.lookout.rouse();
    }

    /// A connection has something staged, and is not in the list.
    pub fn stage(&self, connection: &Arc<Connection>) {
        let mut staged = mutex::lock(&self.staged);
        staged.push_back(Arc::clone(connection));
        self.any_staged.store(true, Ordering::Release);
    }

    /// Some have something staged.
    #[inline]
    pub fn has_staged(&self) -> bool {
        self.any_staged.load(Ordering::Acquire)
    }

    /// Give `push` each connection that has something staged; gives the number of things that happened.
    #[inline]
    pub fn push(&self, push: impl Fn(&Arc<Connection>) -> usize) -> usize {
        if self.has_staged() { self.push_staged(push) } else { 0 }
    }

    fn push_staged(&self, push: impl Fn(&Arc<Connection>) -> usize) -> usize {
        let mut happened = 0;
        // Those that are in somebody's hands come back to the end of the list.
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
