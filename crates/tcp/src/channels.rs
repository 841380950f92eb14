//! All connections of a PE, and how to find those that have something.
//!
//! The list is behind a read-write lock that is written only when a connection comes or goes; each connection has a
//! lock of its own (`channel`). Whoever visits channels holds the list's lock as a reader and takes no other lock of it.

use crate::{channel::Channel, end::End};
use ferrite_fabric::{Error, Pe, Result, mutex, segments::Segments};
use rustix::event::{Timespec, epoll};
use std::{
    mem::MaybeUninit,
    net::TcpStream,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    sync::{
        Arc, Mutex, PoisonError, RwLock,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

/// Up to so many channels are tried one by one, for one system call each; of more, the kernel is asked which have
/// something.
pub const TRIED_MAX: usize = 2;
const EVENTS_MAX: usize = 32;

type List = Vec<Option<Arc<Channel>>>;

/// What the kernel calls a channel.
fn event(channel: &Channel) -> epoll::EventData {
    epoll::EventData::new_u64(channel.number as u64)
}

/// The connections.
pub struct Channels {
    ready: OwnedFd,
    /// Somebody else than the service thread sleeps on them, or asks the kernel who is ready.
    watched_for_good: AtomicBool,
    list: RwLock<List>,
    /// The list's length, told without its lock.
    len: AtomicUsize,
    /// Those whose peer was sent away. They stay open so that the peer can read why.
    dropped: Mutex<Vec<Arc<Channel>>>,
}

impl Channels {
    /// None yet.
    pub fn new() -> Result<Self> {
        let ready = epoll::create(epoll::CreateFlags::CLOEXEC).map_err(|e| Error::because("opening an epoll", e))?;
        Ok(Channels {
            ready,
            watched_for_good: AtomicBool::new(false),
            list: RwLock::default(),
            len: AtomicUsize::new(0),
            dropped: Mutex::default(),
        })
    }

    /// Readable when a watched channel has something.
    pub fn ready(&self) -> BorrowedFd<'_> {
        self.ready.as_fd()
    }

    /// A connection to a peer that has proven itself.
    pub fn add(&self, socket: TcpStream, peer: Pe) -> Result<Arc<Channel>> {
        let mut list = self.list.write().unwrap_or_else(PoisonError::into_inner);
        let number = list.iter().position(Option::is_none).unwrap_or(list.len());
        let channel = Arc::new(Channel::new(peer, number, socket));
        let seat = Some(Arc::clone(&channel));
        match list.get_mut(number) {
            Some(free) => *free = seat,
            None => list.push(seat),
        }
        self.len.store(list.len(), Ordering::Relaxed);
        drop(list);
        if !self.are_few() && self.keep_watch() {
            self.watch()?;
        } else {
            self.watch_one(&channel)?;
        }
        Ok(channel)
    }

    /// Whoever sleeps on [`Channels::ready`] is woken by any of them.
    pub fn watch(&self) -> Result<()> {
        self.all().iter().try_for_each(|channel| self.watch_one(channel))
    }

    fn watch_one(&self, channel: &Channel) -> Result<()> {
        channel
            .watch(|wanted| epoll::add(&self.ready, &channel.socket, event(channel), wanted))
            .map_err(|error| Error::because("watching a connection", error))
    }

    /// Nobody sleeps on them, unless watch is kept. An arrival that nobody is to be told of costs a tenth of a microsecond
    /// less, in the path of who waits for it.
    pub fn unwatch(&self) {
        // Asked again under each channel's mutex: whoever keeps watch says so first and then takes the same mutexes, so
        // either we see it, or `watch` finds what we have done.
        let is_free = || !self.watched_for_good.load(Ordering::Relaxed);
        if is_free() {
            for channel in self.all() {
                channel.unwatch(|| is_free() && epoll::delete(&self.ready, &channel.socket).is_ok());
            }
        }
    }

    /// Let [`Channels::unwatch`] do nothing from now on; gives whether it did something before. [`Channels::watch`] follows.
    pub fn keep_watch(&self) -> bool {
        !self.watched_for_good.load(Ordering::Relaxed) && !self.watched_for_good.swap(true, Ordering::Relaxed)
    }

    /// All of them.
    pub fn all(&self) -> Vec<Arc<Channel>> {
        self.list.read().unwrap_or_else(PoisonError::into_inner).iter().flatten().cloned().collect()
    }

    /// Send what waits, whichever lane has posted it, and look at nothing that has arrived.
    pub fn push_waiting(&self) {
        let Ok(list) = self.list.try_read() else { return };
        for channel in list.iter().flatten().filter(|channel| channel.marks.is_waiting()) {
            channel.push();
        }
    }

    /// Whether [`Channels::visit_ready`] tries each.
    pub fn are_few(&self) -> bool {
        self.len.load(Ordering::Relaxed) <= TRIED_MAX
    }

    /// Do `visit` to whoever has something; gives the number of things that happened. `ended` hears of channels that ended.
    pub fn visit_ready(
        &self,
        mut visit: impl FnMut(&Arc<Channel>) -> Result<usize, End>,
        mut ended: impl FnMut(&Arc<Channel>, End),
    ) -> usize {
        let Ok(list) = self.list.try_read() else { return 0 };
        let mut gone = Vec::new();
        let mut happened = 0;
        let mut visit = |channel: &Arc<Channel>| match visit(channel) {
            Ok(n) => happened += n,
            Err(end) => gone.push((Arc::clone(channel), end)),
        };
        if list.len() <= TRIED_MAX {
            list.iter().flatten().for_each(&mut visit);
        } else {
            let mut events = [MaybeUninit::<epoll::Event>::uninit(); EVENTS_MAX];
            let now = Timespec { tv_sec: 0, tv_nsec: 0 };
            let ready = epoll::wait(&self.ready, &mut events, Some(&now));
            for event in ready.iter().flat_map(|(ready, _)| ready.iter()) {
                if let Some(Some(channel)) = list.get(event.data.u64() as usize) {
                    visit(channel);
                }
            }
        }
        drop(list);
        gone.into_iter().for_each(|(channel, end)| ended(&channel, end));
        happened
    }

    /// Visit one of them; `sleeps` says that the visitor will come again only if the kernel tells it to.
    #[inline]
    pub fn visit(&self, channel: &Channel, memory: &Segments, sleeps: bool) -> Result<usize, End> {
        // To watch for room costs each acknowledgement a wake-up, and a visitor that comes by anyway needs none.
        channel.visit(memory, sleeps, |watch| epoll::modify(&self.ready, &channel.socket, event(channel), watch))
    }

    /// A channel has ended. Its socket may outlive it by somebody's grip on it; it must not wake anybody any more.
    pub fn remove(&self, channel: &Arc<Channel>, end: &End) {
        let mut list = self.list.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(seat) = list.get_mut(channel.number)
            && seat.as_ref().is_some_and(|there| Arc::ptr_eq(there, channel))
        {
            *seat = None;
        }
        while list.last().is_some_and(Option::is_none) {
            list.pop();
        }
        self.len.store(list.len(), Ordering::Relaxed);
        drop(list);
        let _ = epoll::delete(&self.ready, &channel.socket);
        match end {
            End::Dropped(_) => {
                mutex::lock(&self.dropped).push(Arc::clone(channel));
            }
            End::Over | End::Fault(_) => channel.close(),
        }
    }

    /// Nobody is served any more: memory may go away when this returns.
    pub fn close(&self) {
        let list = std::mem::take(&mut *self.list.write().unwrap_or_else(PoisonError::into_inner));
        list.iter().flatten().for_each(|channel| channel.close());
        mutex::lock(&self.dropped).clear();
    }
}
