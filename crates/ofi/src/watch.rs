//! How the progress thread sleeps on a provider's own sockets, where to ask for the descriptor of a queue would burden the program
//! ([`Waker::Sockets`](crate::plan::Waker)). Nobody polls them but a thread that is about to sleep, so a program that is here pays
//! nothing.
//!
//! # What is asked of a socket
//!
//! Readable: the provider has something to take. Not writable: it may have something that the peer has no room for, and to
//! become writable is worth a look. A socket that stays readable, with as many bytes, though the provider was called, is one that it does
//! not read: that is left out of one sleep. So is one that is readable for its end alone.
//!
//! # What may be missed
//!
//! The list is one of numbers, which the provider may close, and the system give to something else: so it is made anew. It is incomplete
//! where the provider made a connection since; its first words then wait for that. And what the provider keeps for a socket that became
//! writable before it was asked does not show. So a sleep has a limit, of a [`NAP`] at first, that doubles as long as nothing happens:
//! what is missed is late by as much as nothing has happened before it, and an idle PE wakes once a second.
//!
//! A duplicate would not be closed by others, but keep the connection open when they close it.

use crate::sockets::Sockets;
use ferrite_fabric::{Bell, sockets, tick};
use std::{
    collections::HashSet,
    os::fd::{AsFd, AsRawFd, RawFd},
    ptr,
    time::Duration,
};

/// The first limit of a sleep; also how long the thread sleeps where nothing can wake it.
pub const NAP: Duration = Duration::from_micros(200);
/// The last.
const LIMIT_MAX: Duration = Duration::from_secs(1);
/// From this limit on the list is made of all descriptors again; before, what is of an old number counts as what it was.
const AGAIN: Duration = Duration::from_millis(10);
/// Looks in which a socket has as many bytes to read: after so many nobody reads it.
const UNREAD_MAX: u32 = 3;

const READABLE: libc::c_short = libc::POLLIN | libc::POLLRDHUP | libc::POLLHUP | libc::POLLERR;

/// See above.
pub struct Watch {
    all: Vec<Watched>,
    /// The descriptors of the process when the list was made.
    numbers: HashSet<RawFd>,
    limit: Duration,
}

struct Watched {
    number: RawFd,
    /// Connections may come here.
    listens: bool,
    /// The bytes to read, and in how many looks there were as many.
    unread: (libc::c_int, u32),
}

/// What a look at a socket says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Look {
    /// The provider has something to take.
    Readable,
    /// It is to be woken by what is polled for.
    Waits(libc::c_short),
    /// It is left out, since it would end each sleep.
    Stuck,
}

impl Watch {
    /// Nothing is listed yet.
    pub fn new() -> Self {
        Watch { all: Vec::new(), numbers: HashSet::new(), limit: NAP }
    }

    /// The program went away: what it left may not show.
    pub fn begin(&mut self) {
        self.limit = NAP;
    }

    /// Sleep until there may be something to do: when a socket says so, when the bell was rung, or after `longest`. The provider was
    /// called just before, and had nothing.
    pub fn sleep(&mut self, bell: &Bell, sockets: &Sockets, longest: Duration) {
        let looks = self.look();
        if looks.contains(&Look::Readable) {
            self.limit = NAP;
            return;
        }
        let mut polled = vec![libc::pollfd { fd: bell.as_fd().as_raw_fd(), events: libc::POLLIN, revents: 0 }];
        let mut limit = self.limit.min(longest);
        for (watched, look) in self.all.iter().zip(looks) {
            match look {
                Look::Waits(events) => polled.push(libc::pollfd { fd: watched.number, events, revents: 0 }),
                // The provider looks after connections now and then; their first words wait for that.
                Look::Stuck if watched.listens => limit = limit.min(tick::TICK),
                _ => {}
            }
        }
        let woken = poll(&mut polled, limit);
        bell.hear();
        if woken {
            self.limit = NAP;
        } else {
            self.refresh(sockets);
            self.limit = (self.limit * 2).min(LIMIT_MAX);
        }
    }

    /// What can be said of each without sleeping. Those that are closed are listed no more.
    fn look(&mut self) -> Vec<Look> {
        let events = libc::POLLIN | libc::POLLOUT | libc::POLLRDHUP;
        let polled = self.all.iter().map(|watched| libc::pollfd { fd: watched.number, events, revents: 0 });
        let mut polled: Vec<_> = polled.collect();
        poll(&mut polled, Duration::ZERO);
        let mut told = polled.iter().map(|polled| polled.revents);
        let mut looks = Vec::with_capacity(self.all.len());
        self.all.retain_mut(|watched| {
            let told = told.next().unwrap_or(libc::POLLNVAL);
            let open = told & libc::POLLNVAL == 0;
            if open {
                looks.push(watched.look(told));
            }
            open
        });
        looks
    }

    /// Make the list anew, if there is anything new.
    fn refresh(&mut self, sockets: &Sockets) {
        let numbers: HashSet<_> = sockets::numbers().unwrap_or_default().into_iter().collect();
        if self.limit >= AGAIN {
            self.all.clear();
            self.numbers.clear();
        }
        self.all.retain(|watched| numbers.contains(&watched.number));
        let new = sockets.among(numbers.difference(&self.numbers).copied());
        self.all.extend(new.iter().map(|tcp| Watched {
            number: tcp.number,
            listens: tcp.far.is_none(),
            unread: (0, 0),
        }));
        self.numbers = numbers;
    }
}

impl Watched {
    fn look(&mut self, told: libc::c_short) -> Look {
        if told & READABLE == 0 {
            self.unread = (0, 0);
            return Look::Waits(if told & libc::POLLOUT == 0 { libc::POLLIN | libc::POLLOUT } else { libc::POLLIN });
        }
        let bytes = readable_bytes(self.number);
        self.unread = if bytes == self.unread.0 { (bytes, self.unread.1 + 1) } else { (bytes, 1) };
        // None to read: a listener, an end, or an error.
        if bytes == 0 || self.unread.1 > UNREAD_MAX { Look::Stuck } else { Look::Readable }
    }
}

fn readable_bytes(number: RawFd) -> libc::c_int {
    let mut bytes = 0;
    // SAFETY: the call takes any number, and writes a count to where there is room for it.
    let code = unsafe { libc::ioctl(number, libc::FIONREAD, &raw mut bytes) };
    if code == 0 { bytes } else { 0 }
}

/// Poll by numbers, which others may close at any time; gives whether one of them is ready.
fn poll(polled: &mut [libc::pollfd], limit: Duration) -> bool {
    let limit = libc::timespec { tv_sec: limit.as_secs() as libc::time_t, tv_nsec: limit.subsec_nanos().into() };
    // SAFETY: the list and the limit are ours for the time of the call, which takes any numbers.
    unsafe { libc::ppoll(polled.as_mut_ptr(), polled.len() as libc::nfds_t, &raw const limit, ptr::null()) > 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        io::{Read, Write},
        net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    };

    fn listen() -> (TcpListener, Vec<u8>) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let SocketAddr::V4(at) = listener.local_addr().unwrap() else { panic!("asked for IPv4") };
        let family = (libc::AF_INET as u16).to_ne_bytes();
        let address = [&family[..], &at.port().to_be_bytes(), &at.ip().octets()].concat();
        (listener, address)
    }

    fn connect(to: &TcpListener) -> (TcpStream, TcpStream) {
        let near = TcpStream::connect(to.local_addr().unwrap()).unwrap();
        (near, to.accept().unwrap().0)
    }

    /// What is known after one sleep: all that there is.
    fn watch(bell: &Bell, sockets: &Sockets) -> Watch {
        let mut watch = Watch::new();
        watch.sleep(bell, sockets, Duration::MAX);
        watch
    }

    /// What is said of a socket.
    fn look(watch: &mut Watch, number: RawFd) -> Option<Look> {
        let looks = watch.look();
        watch.all.iter().zip(looks).find(|(watched, _)| watched.number == number).map(|(_, look)| look)
    }

    #[test]
    fn what_nobody_reads_is_left_out() {
        let (listener, address) = listen();
        let (mut peer, ours) = connect(&listener);
        // By a number that no other test gets when it is closed.
        let mut ours = TcpStream::from(rustix::io::fcntl_dupfd_cloexec(&ours, 700).unwrap());
        let mut watch = watch(&Bell::new().unwrap(), &Sockets::new(true, &address));
        let number = ours.as_raw_fd();
        assert_eq!(look(&mut watch, number), Some(Look::Waits(libc::POLLIN)));
        for words in [&b"four"[..], b"and four more"] {
            peer.write_all(words).unwrap();
            for _ in 0..UNREAD_MAX {
                assert_eq!(look(&mut watch, number), Some(Look::Readable));
            }
            assert_eq!(look(&mut watch, number), Some(Look::Stuck));
        }
        ours.read_exact(&mut [0; 17]).unwrap();
        assert_eq!(look(&mut watch, number), Some(Look::Waits(libc::POLLIN)));
        drop(peer);
        assert_eq!(look(&mut watch, number), Some(Look::Stuck), "an end");
        drop(ours);
        assert_eq!(look(&mut watch, number), None);
    }

    #[test]
    fn what_a_peer_has_no_room_for_waits_for_it() {
        let (listener, address) = listen();
        let (_peer, mut ours) = connect(&listener);
        let mut watch = watch(&Bell::new().unwrap(), &Sockets::new(true, &address));
        ours.set_nonblocking(true).unwrap();
        while ours.write(&[0; 1 << 16]).is_ok() {}
        assert_eq!(look(&mut watch, ours.as_raw_fd()), Some(Look::Waits(libc::POLLIN | libc::POLLOUT)));
    }

    #[test]
    fn who_wants_to_connect_is_noticed() {
        let (listener, address) = listen();
        let (bell, sockets) = (Bell::new().unwrap(), Sockets::new(true, &address));
        let mut watch = watch(&bell, &sockets);
        assert_eq!(look(&mut watch, listener.as_raw_fd()), Some(Look::Waits(libc::POLLIN | libc::POLLOUT)));
        let _peer = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        assert_eq!(look(&mut watch, listener.as_raw_fd()), Some(Look::Stuck));
        // As the provider would, and a sleep that ends by its limit knows of it.
        let ours = listener.accept().unwrap().0;
        watch.sleep(&bell, &sockets, Duration::MAX);
        assert_eq!(look(&mut watch, ours.as_raw_fd()), Some(Look::Waits(libc::POLLIN)));
    }

    #[test]
    fn sleeps_become_long_and_end_at_a_word() {
        let (listener, address) = listen();
        let (mut peer, ours) = connect(&listener);
        let (bell, sockets) = (Bell::new().unwrap(), Sockets::new(true, &address));
        let mut watch = watch(&bell, &sockets);
        for _ in 0..8 {
            watch.sleep(&bell, &sockets, Duration::MAX);
        }
        assert!(watch.limit > AGAIN);
        watch.limit = Duration::from_secs(1000);
        std::thread::scope(|scope| {
            scope.spawn(|| peer.write_all(b"a word").unwrap());
            watch.sleep(&bell, &sockets, Duration::MAX);
        });
        assert_eq!(watch.limit, NAP);
        assert_eq!(look(&mut watch, ours.as_raw_fd()), Some(Look::Readable));
        for _ in 0..UNREAD_MAX {
            watch.look();
        }
        watch.limit = Duration::from_secs(1000);
        bell.ring();
        watch.sleep(&bell, &sockets, Duration::MAX);
        assert_eq!(watch.limit, NAP);
    }

    #[test]
    fn a_number_that_is_something_else_by_now_is_noticed() {
        let (listener, address) = listen();
        let (_peer, ours) = connect(&listener);
        let (bell, sockets) = (Bell::new().unwrap(), Sockets::new(true, &address));
        let mut watch = watch(&bell, &sockets);
        let number = ours.as_raw_fd();
        let other = Bell::new().unwrap();
        // SAFETY: the number is the stream's, and stays open: only what it stands for changes.
        assert_eq!(unsafe { libc::dup2(other.as_fd().as_raw_fd(), number) }, number);
        watch.limit = AGAIN;
        watch.sleep(&bell, &sockets, Duration::MAX);
        assert_eq!(look(&mut watch, number), None);
    }
}
