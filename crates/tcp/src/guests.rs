//! All connections on which requests come, and the rule for who serves them.
//!
//! Each guest sits behind its own mutex. The program's threads (in `Lane::progress`) and the service thread both
//! come by; whoever finds a guest's mutex taken goes on, since that guest is being served. So requests of one
//! guest are applied by one thread at a time, which keeps their order, and no thread waits for another.
//! The list itself is behind a read-write lock that is written only when a connection comes or goes.

use crate::{
    guest::{End, Guest},
    memory::Memory,
};
use ferrite_fabric::{Error, Pe, Result};
use rustix::event::{Timespec, epoll};
use std::{
    mem::MaybeUninit,
    net::{Shutdown, TcpStream},
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    sync::{Arc, Mutex, PoisonError, RwLock, TryLockError},
};

/// Up to so many guests are tried one by one; of more, the kernel is asked which have something.
const TRIED_MAX: usize = 4;
const EVENTS_MAX: usize = 32;

struct Seat {
    number: usize,
    guest: Mutex<(Guest, epoll::EventFlags)>,
}

/// The connections from peers.
pub struct Guests {
    ready: OwnedFd,
    seats: RwLock<Vec<Option<Arc<Seat>>>>,
    /// Connections that were refused. They stay open so that the peer can read why.
    retired: Mutex<Vec<TcpStream>>,
}

impl Guests {
    /// Nobody yet.
    pub fn new() -> Result<Self> {
        let ready = epoll::create(epoll::CreateFlags::CLOEXEC).map_err(|e| Error::because("opening an epoll", e))?;
        Ok(Guests { ready, seats: RwLock::default(), retired: Mutex::default() })
    }

    /// Readable when a guest has something.
    pub fn ready(&self) -> BorrowedFd<'_> {
        self.ready.as_fd()
    }

    /// A peer has proven itself.
    pub fn add(&self, socket: TcpStream, from: Pe) -> Result<()> {
        let mut seats = self.seats.write().unwrap_or_else(PoisonError::into_inner);
        let number = seats.iter().position(Option::is_none).unwrap_or(seats.len());
        epoll::add(&self.ready, &socket, epoll::EventData::new_u64(number as u64), epoll::EventFlags::IN)
            .map_err(|e| Error::because("watching a connection", e))?;
        let seat =
            Some(Arc::new(Seat { number, guest: Mutex::new((Guest::new(socket, from), epoll::EventFlags::IN)) }));
        match seats.get_mut(number) {
            Some(free) => *free = seat,
            None => seats.push(seat),
        }
        Ok(())
    }

    /// Serve whoever has something; gives the number of things that happened. `ended` hears of connections that
    /// ended.
    pub fn serve(&self, memory: &Memory, mut ended: impl FnMut(Pe, End)) -> usize {
        let Ok(seats) = self.seats.try_read() else { return 0 };
        let mut gone = Vec::new();
        let mut happened = 0;
        let mut visit = |seat: &Arc<Seat>| match self.visit(seat, memory) {
            Ok(n) => happened += n,
            Err((from, end)) => gone.push((seat.number, from, end)),
        };
        if seats.len() <= TRIED_MAX {
            seats.iter().flatten().for_each(&mut visit);
        } else {
            for number in self.ready_now() {
                if let Some(Some(seat)) = seats.get(number) {
                    visit(seat);
                }
            }
        }
        drop(seats);
        for (number, from, end) in gone {
            self.remove(number, &end);
            ended(from, end);
        }
        happened
    }

    fn ready_now(&self) -> impl Iterator<Item = usize> {
        let mut events = [MaybeUninit::<epoll::Event>::uninit(); EVENTS_MAX];
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        let events = epoll::wait(&self.ready, &mut events, Some(&now)).map_or_else(|_| Vec::new(), |(e, _)| e.to_vec());
        events.into_iter().map(|event| event.data.u64() as usize)
    }

    fn visit(&self, seat: &Seat, memory: &Memory) -> Result<usize, (Pe, End)> {
        let mut guest = match seat.guest.try_lock() {
            Ok(guest) => guest,
            Err(TryLockError::Poisoned(guest)) => guest.into_inner(),
            Err(TryLockError::WouldBlock) => return Ok(0),
        };
        let (guest, watched) = &mut *guest;
        let served = guest.serve(memory);
        // While answers do not fit the socket, requests are no reason to wake up, but room is.
        let watch = match (guest.is_blocked(), guest.has_unsent()) {
            (true, _) => epoll::EventFlags::OUT,
            (false, true) => epoll::EventFlags::IN | epoll::EventFlags::OUT,
            (false, false) => epoll::EventFlags::IN,
        };
        if served.is_ok() && watch != *watched {
            *watched = watch;
            let data = epoll::EventData::new_u64(seat.number as u64);
            if let Err(error) = epoll::modify(&self.ready, guest.socket(), data, watch) {
                return Err((guest.from(), End::Lost(error.into())));
            }
        }
        served.map_err(|end| (guest.from(), end))
    }

    fn remove(&self, number: usize, end: &End) {
        let mut seats = self.seats.write().unwrap_or_else(PoisonError::into_inner);
        let Some(seat) = seats.get_mut(number).and_then(Option::take) else { return };
        drop(seats);
        let (guest, _) = &*seat.guest.lock().unwrap_or_else(PoisonError::into_inner);
        // The socket may outlive its seat by a visitor's grip on it; it must not wake anybody any more.
        let _ = epoll::delete(&self.ready, guest.socket());
        if matches!(end, End::Malformed(_) | End::Refused(_)) {
            let _ = guest.socket().shutdown(Shutdown::Write);
            let mut retired = self.retired.lock().unwrap_or_else(PoisonError::into_inner);
            retired.extend(guest.socket().try_clone());
        }
    }

    /// Nobody is served any more: memory may go away when this returns.
    pub fn close(&self) {
        let seats = std::mem::take(&mut *self.seats.write().unwrap_or_else(PoisonError::into_inner));
        for seat in seats.into_iter().flatten() {
            let (guest, _) = &*seat.guest.lock().unwrap_or_else(PoisonError::into_inner);
            let _ = guest.socket().shutdown(Shutdown::Both);
        }
        self.retired.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}
