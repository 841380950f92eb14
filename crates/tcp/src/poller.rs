//! What the connections of a PE share: the kernel's list of those that are ready, and the list of those that have something staged.
//!
//! Bytes that wait to be sent are *staged*, if nobody has offered them to the kernel yet, or *refused*, if the kernel had no room for
//! them. Staged ones go with the next poll or push of any port, which takes the connection from the list here. For refused ones the kernel
//! is asked to tell when it has room. So what waits is sent by whoever polls, and only staged bytes need somebody who does.

use crate::connection::Connection;
use ferrite_engine::{Bell, Error, Result};
use ferrite_os::mutex;
use rustix::event::{
    Timespec,
    epoll::{self, Event, EventData, EventFlags},
};
use std::{
    collections::VecDeque,
    mem::MaybeUninit,
    net::TcpStream,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

const EVENTS_MAX: usize = 32;

/// See the module.
pub struct Poller {
    epoll: OwnedFd,
    staged: Mutex<VecDeque<Arc<Connection>>>,
    any_staged: AtomicBool,
    /// Rings when something is sent, if whoever looks out for silent hosts sleeps until then.
    pub lookout: Bell,
    lookout_sleeps: AtomicBool,
}

impl Poller {
    /// Of no connections.
    pub fn new() -> Result<Self> {
        Ok(Poller {
            epoll: epoll::create(epoll::CreateFlags::CLOEXEC).map_err(|e| Error::because("opening an epoll", e))?,
            staged: Mutex::default(),
            any_staged: AtomicBool::new(false),
            lookout: Bell::new()?,
            lookout_sleeps: AtomicBool::new(false),
        })
    }

    /// Readable when a connection has something.
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.epoll.as_fd()
    }

    /// Watch one more connection for what arrives.
    pub fn add(&self, connection: &Connection) -> rustix::io::Result<()> {
        epoll::add(&self.epoll, &connection.socket, data(connection), EventFlags::IN)
    }

    /// What arrives at a connection is always a reason to come; `room` says whether room in its socket is one too.
    pub fn watch_room(&self, connection: &Connection, room: bool) -> rustix::io::Result<()> {
        let wanted = if room { EventFlags::IN | EventFlags::OUT } else { EventFlags::IN };
        epoll::modify(&self.epoll, &connection.socket, data(connection), wanted)
    }

    /// A connection has ended. Its socket may outlive it by somebody's grip on it; it must not wake anybody any more.
    pub fn remove(&self, socket: &TcpStream) {
        let _ = epoll::delete(&self.epoll, socket);
    }

    /// Give `visit` the numbers of connections that have something now.
    #[inline]
    pub fn ready(&self, mut visit: impl FnMut(usize)) {
        let mut events = [MaybeUninit::<Event>::uninit(); EVENTS_MAX];
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        if let Ok((ready, _)) = epoll::wait(&self.epoll, &mut events, Some(&now)) {
            ready.iter().for_each(|event| visit(event.data.u64() as usize));
        }
    }

    /// Whether the next that is sent rings.
    pub fn let_lookout_sleep(&self, sleeps: bool) {
        self.lookout_sleeps.store(sleeps, Ordering::Release);
    }

    /// Something is sent.
    #[inline]
    pub fn count_send(&self) {
        if self.lookout_sleeps.load(Ordering::Acquire) && self.lookout_sleeps.swap(false, Ordering::AcqRel) {
            self.lookout.ring();
        }
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

/// What the kernel calls a connection.
fn data(connection: &Connection) -> EventData {
    EventData::new_u64(connection.number as u64)
}
