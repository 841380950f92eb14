//! How the progress thread sleeps on a provider's own sockets, where to ask for the descriptor of a queue would burden the program
//! ([`Waker::Sockets`](crate::plan::Waker)). Nobody polls them but a thread that is about to sleep, so a program that is here pays
//! nothing.
//!
//! # What is asked of a socket
//!
//! Readable: the provider has something to take. Not writable: it may have something that the peer has no room for, and to
//! become writable is worth a look. A socket that stays readable, and of which nothing was taken in some looks on end, is one that the
//! provider does not read: that is left out of the sleep. So is one that is readable for its end alone.
//!
//! # What may be missed, and for how long
//!
//! What the provider keeps for a socket that had no room, and then has, before it is asked about, shows nowhere; nor do connections that
//! the provider has made since the list was. So a sleep lasts for a quarter of the time in which nothing has happened, from a [`NAP`]
//! to a second: what is missed is late by that much. Something has happened when a socket is readable, when what its peer has yet to
//! confirm is more or less than it was, when a sleep was ended by what it waited for, and when the program was here.
//!
//! The list is one of numbers, which the provider may close, and the system give to something else. To poll that is an idle wake-up, and
//! what closed such a socket shows no more. It is made anew as the time in which nothing has happened doubles, and once a second.

use crate::sockets::Sockets;
use ferrite_fabric::{Bell, sockets, tick};
use std::{
    collections::HashMap,
    ffi::c_int,
    mem,
    os::fd::{AsFd, AsRawFd, RawFd},
    ptr,
    time::{Duration, Instant},
};

/// The shortest sleep; also how long the thread sleeps where nothing can wake it.
pub const NAP: Duration = Duration::from_micros(200);
/// The longest. The list is made anew after so long at the latest.
const LONG: Duration = Duration::from_secs(1);
/// A sleep is one part in so many of the time in which nothing has happened.
const PART: u32 = 4;
/// After so long a time in which nothing has happened the list is made anew for the first time.
const SETTLED: Duration = Duration::from_millis(1);
/// So long who wants to connect is looked after often: the provider may be at the limit of its descriptors.
const COURTESY: Duration = Duration::from_millis(100);
/// To make the list takes one part in so many of the time, at most.
const SHARE: u32 = 20;
/// Looks in which nothing was taken of what there is to read: after so many nobody reads it.
const UNREAD_MAX: u32 = 3;

const READABLE: libc::c_short = libc::POLLIN | libc::POLLRDHUP | libc::POLLHUP | libc::POLLERR;

/// See above.
pub struct Watch {
    all: Vec<Watched>,
    /// Where peers connect to is in the list.
    complete: bool,
    /// When something happened last.
    happened: Instant,
    /// After how long a time in which nothing has happened the list is made anew.
    due: Duration,
    /// When it was made, and how long that took.
    made: Option<(Instant, Duration)>,
}

struct Watched {
    number: RawFd,
    /// Connections may come here.
    listens: bool,
    /// The bytes that were taken of it, and in how many looks there were as many.
    taken: (u64, u32),
    /// The bytes that its peer had not confirmed at the last look.
    unsure: c_int,
}

/// What a look at a socket says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Look {
    /// The provider has something to take.
    Readable,
    /// It has sent, or its peer has confirmed, since the last look: the provider may have more for it.
    Sends,
    /// It is to be woken by what is polled for.
    Waits(libc::c_short),
    /// It is left out, since it would end each sleep.
    Stuck,
}

impl Watch {
    /// Nothing is listed yet.
    pub fn new() -> Self {
        Watch { all: Vec::new(), complete: false, happened: Instant::now(), due: SETTLED, made: None }
    }

    /// Something happened, that may go on where it does not show.
    pub fn stir(&mut self) {
        self.happened = Instant::now();
        self.due = SETTLED;
    }

    /// Sleep until there may be something to do: when a socket says so, when the bell was rung, or after `longest`. The service was just
    /// asked, and had nothing.
    pub fn sleep(&mut self, bell: &Bell, sockets: &Sockets, longest: Duration) {
        self.refresh(sockets);
        let looks = self.look();
        if looks.iter().any(|look| matches!(look, Look::Readable | Look::Sends)) {
            self.stir();
        }
        if looks.contains(&Look::Readable) {
            return;
        }
        let mut limit = self.limit().min(longest);
        let mut polled = vec![libc::pollfd { fd: bell.as_fd().as_raw_fd(), events: libc::POLLIN, revents: 0 }];
        for (watched, look) in self.all.iter().zip(looks) {
            let events = match look {
                Look::Waits(events) => events,
                Look::Stuck => {
                    // The provider looks after connections now and then; their first words wait for that.
                    if watched.listens && self.happened.elapsed() < COURTESY {
                        limit = limit.min(tick::TICK);
                    }
                    continue;
                }
                Look::Readable | Look::Sends => libc::POLLIN,
            };
            polled.push(libc::pollfd { fd: watched.number, events, revents: 0 });
        }
        match poll(&mut polled, limit) {
            Some(0) => {}
            Some(_) => self.stir(),
            None => bell.sleep([], Some(NAP)),
        }
        bell.hear();
    }

    /// For how long nothing need be looked at unless something shows.
    fn limit(&self) -> Duration {
        if self.complete { (self.happened.elapsed() / PART).clamp(NAP, LONG) } else { NAP }
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

    /// Make the list anew, if it is time.
    fn refresh(&mut self, sockets: &Sockets) {
        let (start, quiet) = (Instant::now(), self.happened.elapsed());
        if let Some((made, took)) = self.made {
            let is_old = made.elapsed() >= LONG;
            if made.elapsed() < took * SHARE || !is_old && quiet < self.due {
                return;
            }
        }
        if quiet >= self.due {
            self.due = quiet * 2;
        }
        // There may be no descriptor left to read the list by: then the old one is good for a while.
        let Ok(found) = sockets.all() else { return };
        let mut old: HashMap<_, _> = self.all.drain(..).map(|watched| (watched.number, watched)).collect();
        self.all.extend(found.iter().map(|tcp| {
            let (number, listens) = (tcp.number, sockets.is_service(tcp));
            let same = old.remove(&number).filter(|watched| watched.listens == listens);
            same.unwrap_or_else(|| {
                sockets.renew();
                Watched { number, listens, taken: (0, 0), unsure: 0 }
            })
        }));
        self.made = Some((Instant::now(), start.elapsed()));
        self.complete = self.all.iter().any(|watched| watched.listens);
    }
}

impl Watched {
    fn look(&mut self, told: libc::c_short) -> Look {
        if told & READABLE != 0 {
            return if self.is_read() { Look::Readable } else { Look::Stuck };
        }
        self.taken.1 = 0;
        if told & libc::POLLOUT == 0 {
            return Look::Waits(libc::POLLIN | libc::POLLOUT);
        }
        let unsure = mem::replace(&mut self.unsure, count(self.number, libc::TIOCOUTQ));
        if unsure == self.unsure { Look::Waits(libc::POLLIN) } else { Look::Sends }
    }

    /// Whether somebody reads what there is to read, as far as can be told yet.
    fn is_read(&mut self) -> bool {
        let bytes = count(self.number, libc::FIONREAD);
        if bytes == 0 {
            // A listener, an end, or an error.
            return false;
        }
        // Not by how many there are: peers that ask in turns send as many each time.
        let Some(received) = sockets::received(self.number) else { return true };
        let taken = received.saturating_sub(bytes as u64);
        self.taken = if taken == self.taken.0 { (taken, self.taken.1.saturating_add(1)) } else { (taken, 1) };
        self.taken.1 <= UNREAD_MAX
    }
}

/// A count of bytes that the system tells of a descriptor of this number; 0 if it does not.
fn count(number: RawFd, what: libc::Ioctl) -> c_int {
    let mut bytes = 0;
    // SAFETY: the call takes any number, and writes a count to where there is room for it.
    let code = unsafe { libc::ioctl(number, what, &raw mut bytes) };
    if code == 0 { bytes } else { 0 }
}

/// Poll by numbers, which others may close at any time; gives how many are ready, or that this cannot be known.
fn poll(polled: &mut [libc::pollfd], limit: Duration) -> Option<c_int> {
    let limit = libc::timespec { tv_sec: limit.as_secs() as libc::time_t, tv_nsec: limit.subsec_nanos().into() };
    // SAFETY: the list and the limit are ours for the time of the call, which takes any numbers.
    let ready =
        unsafe { libc::ppoll(polled.as_mut_ptr(), polled.len() as libc::nfds_t, &raw const limit, ptr::null()) };
    (ready >= 0).then_some(ready)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        io::{Read, Write},
        net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
        thread,
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
        assert!(watch.complete);
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
        peer.write_all(b"four").unwrap();
        for _ in 0..UNREAD_MAX {
            assert_eq!(look(&mut watch, number), Some(Look::Readable));
        }
        for words in [&b""[..], b"and four more"] {
            peer.write_all(words).unwrap();
            assert_eq!(look(&mut watch, number), Some(Look::Stuck));
        }
        ours.read_exact(&mut [0; 4]).unwrap();
        assert_eq!(look(&mut watch, number), Some(Look::Readable));
        ours.read_exact(&mut [0; 13]).unwrap();
        assert_eq!(look(&mut watch, number), Some(Look::Waits(libc::POLLIN)));
        drop(peer);
        assert_eq!(look(&mut watch, number), Some(Look::Stuck), "an end");
        drop(ours);
        assert_eq!(look(&mut watch, number), None);
    }

    /// Each time there is as much to read, and it was read.
    #[test]
    fn who_asks_in_turns_is_not_left_out() {
        let (listener, address) = listen();
        let (mut peer, mut ours) = connect(&listener);
        let mut watch = watch(&Bell::new().unwrap(), &Sockets::new(true, &address));
        for _ in 0..3 * UNREAD_MAX {
            peer.write_all(b"a request").unwrap();
            assert_eq!(look(&mut watch, ours.as_raw_fd()), Some(Look::Readable));
            ours.read_exact(&mut [0; 9]).unwrap();
        }
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
        // As the provider would, and soon one more is listed.
        let ours = listener.accept().unwrap().0;
        while look(&mut watch, ours.as_raw_fd()) != Some(Look::Waits(libc::POLLIN)) {
            watch.sleep(&bell, &sockets, Duration::MAX);
        }
    }

    #[test]
    fn while_a_socket_sends_sleeps_are_short() {
        let (listener, address) = listen();
        let (mut peer, mut ours) = connect(&listener);
        let (bell, sockets) = (Bell::new().unwrap(), Sockets::new(true, &address));
        let mut watch = watch(&bell, &sockets);
        let number = ours.as_raw_fd();
        // More than the peer's system takes for it, less than what ours has room for.
        let mut sent = 0;
        while count(number, libc::TIOCOUTQ) == 0 {
            sent += ours.write(&[0; 1 << 14]).unwrap();
        }
        for _ in 0..2 {
            assert_eq!(look(&mut watch, number), Some(Look::Sends));
            assert_eq!(look(&mut watch, number), Some(Look::Waits(libc::POLLIN)));
            sent += ours.write(&[0; 1 << 14]).unwrap();
        }
        watch.happened = Instant::now() - LONG * PART;
        watch.sleep(&bell, &sockets, Duration::from_millis(1));
        assert!(watch.happened.elapsed() < LONG * PART);
        peer.read_exact(&mut vec![0; sent]).unwrap();
    }

    #[test]
    fn without_the_listener_no_sleep_is_long() {
        let (listener, address) = listen();
        let (bell, sockets) = (Bell::new().unwrap(), Sockets::new(true, &address));
        drop(listener);
        let mut watch = Watch::new();
        watch.happened = Instant::now() - LONG * PART;
        watch.sleep(&bell, &sockets, Duration::MAX);
        assert_eq!(watch.limit(), NAP);
    }

    #[test]
    fn sleeps_become_long_and_end_at_a_word() {
        let (listener, address) = listen();
        let (mut peer, ours) = connect(&listener);
        let (bell, sockets) = (Bell::new().unwrap(), Sockets::new(true, &address));
        let mut watch = watch(&bell, &sockets);
        while watch.limit() < NAP * 10 {
            watch.sleep(&bell, &sockets, Duration::MAX);
        }
        thread::scope(|scope| {
            scope.spawn(|| peer.write_all(b"a word").unwrap());
            while look(&mut watch, ours.as_raw_fd()) != Some(Look::Readable) {
                watch.happened = Instant::now() - LONG * PART;
                watch.sleep(&bell, &sockets, Duration::MAX);
            }
        });
        for _ in 0..UNREAD_MAX {
            watch.look();
        }
        // Only what ends a sleep counts as something.
        bell.ring();
        watch.happened = Instant::now() - LONG * PART;
        watch.sleep(&bell, &sockets, Duration::MAX);
        assert!(watch.happened.elapsed() < LONG * PART);
        assert_eq!(watch.due, SETTLED);
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
        watch.made = None;
        watch.sleep(&bell, &sockets, Duration::MAX);
        assert_eq!(look(&mut watch, number), None);
    }
}
