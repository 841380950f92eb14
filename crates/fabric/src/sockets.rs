//! The TCP sockets of this process, those of libraries included, which keep theirs to themselves.
//!
//! # Connections that stay on this host
//!
//! Between two PEs of one host nothing can be congested, but algorithms against congestion are paid for all the same: those that
//! pace by timers (BBR) cost up to half of a stream's bandwidth, and with each message the model that they keep of the path takes its
//! time (3 % of a get of 8 bytes). So such connections get the simplest, that every Linux has. It is the host's own
//! choice for all others.
//!
//! # Where a library's are found
//!
//! Linux lists the descriptors of a process, and what each set of `epoll` watches. A library that waits by such a set so tells of
//! its sockets, and of those alone; those of one that tells where its peers find it are known by their addresses. A number may be
//! given to something else between two looks: so each descriptor is duplicated first, and it is the duplicate that is judged, and
//! changed.

use rustix::net::{SocketAddrAny, getpeername, getsockname, ipproto, sockopt};
use std::{
    fs, io,
    net::SocketAddr,
    os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd, RawFd},
    sync::atomic::{AtomicU32, Ordering::Relaxed},
};

/// The algorithm of congestion control for where there is no congestion.
const UNPACED: &str = "reno";
/// Sets are watched by other sets; UCX has one of its transport's in one of the worker's.
const DEPTH_MAX: u32 = 3;

/// A TCP socket of this process.
#[derive(Debug)]
pub struct Tcp {
    /// The number by which its owner has it.
    pub number: RawFd,
    /// Its address.
    pub near: SocketAddr,
    /// That of the other end, if it is connected.
    pub far: Option<SocketAddr>,
    duplicate: OwnedFd,
}

impl Tcp {
    /// The one of this number, if it is one.
    pub fn of(number: RawFd) -> Option<Tcp> {
        let duplicate = duplicate(number)?;
        // First of all: nothing else is asked about what is no such socket.
        if sockopt::socket_protocol(&duplicate) != Ok(Some(ipproto::TCP)) {
            return None;
        }
        let (near, far) = ends(&duplicate)?;
        Some(Tcp { number, near, far, duplicate })
    }

    /// As [`unpace`].
    pub fn unpace(&self) -> bool {
        unpace(&self.duplicate)
    }

    /// Its algorithm of congestion control.
    pub fn congestion(&self) -> Option<String> {
        sockopt::tcp_congestion(&self.duplicate).ok()
    }
}

/// All of this process, if they are told.
pub fn all() -> io::Result<Vec<Tcp>> {
    Ok(numbers()?.into_iter().filter_map(Tcp::of).collect())
}

/// The numbers of all descriptors of this process, of whatever kind, if they are told.
pub fn numbers() -> io::Result<Vec<RawFd>> {
    let number = |entry: io::Result<fs::DirEntry>| entry.ok()?.file_name().to_str()?.parse().ok();
    Ok(fs::read_dir("/proc/self/fd")?.filter_map(number).collect())
}

/// Spare a connection what is only of use on a network, if it does not leave this host; gives whether it does not.
pub fn unpace(socket: impl AsFd) -> bool {
    let stays = matches!(ends(&socket), Some((near, Some(far))) if stays_here(near, far));
    if stays {
        // No error to speak of: it works all the same.
        let _ = sockopt::set_tcp_congestion(&socket, UNPACED);
    }
    stays
}

/// Whether both ends of a connection are of one host: of one address, or of loopback's.
fn stays_here(near: SocketAddr, far: SocketAddr) -> bool {
    near.ip() == far.ip() || near.ip().is_loopback() && far.ip().is_loopback()
}

/// The addresses of a socket, and of what it is connected to.
fn ends(socket: impl AsFd) -> Option<(SocketAddr, Option<SocketAddr>)> {
    let far = getpeername(&socket).ok().flatten();
    Some((canonical(getsockname(&socket).ok()?)?, far.and_then(canonical)))
}

fn canonical(end: SocketAddrAny) -> Option<SocketAddr> {
    let address = SocketAddr::try_from(end).ok()?;
    Some(SocketAddr::new(address.ip().to_canonical(), address.port()))
}

/// [`unpace`] all connections that a set of `epoll` watches, and the sets in it; gives how many stay here.
pub fn unpace_watched(set: impl AsFd) -> usize {
    let mut stay = 0;
    watched(set.as_fd().as_raw_fd(), DEPTH_MAX, &mut |socket| stay += usize::from(socket.unpace()));
    stay
}

fn watched(set: RawFd, depth: u32, found: &mut dyn FnMut(Tcp)) {
    // Nothing is listed of what is no set.
    let Ok(list) = fs::read_to_string(format!("/proc/self/fdinfo/{set}")) else { return };
    for number in list.lines().filter_map(target) {
        match Tcp::of(number) {
            Some(socket) => found(socket),
            None if depth > 1 => watched(number, depth - 1, found),
            None => {}
        }
    }
}

/// What a line of the list names, as `tfd:       13 events:       19 data: ...`.
fn target(line: &str) -> Option<RawFd> {
    line.strip_prefix("tfd:")?.split_whitespace().next()?.parse().ok()
}

/// Another descriptor of the same file, if there is one of this number.
fn duplicate(number: RawFd) -> Option<OwnedFd> {
    #[expect(unsafe_code, reason = "a descriptor that somebody else owns, and may close")]
    // SAFETY: the call takes any number; what it gives is new, and nobody else's.
    unsafe {
        let new = libc::fcntl(number, libc::F_DUPFD_CLOEXEC, 0);
        (new >= 0).then(|| OwnedFd::from_raw_fd(new))
    }
}

/// When to look for connections, which a library makes when it likes: at the first occasion, and at each doubling of their number.
#[derive(Debug, Default)]
pub struct Occasions(AtomicU32);

impl Occasions {
    /// One more: whether it is one to look.
    pub fn is_due(&self) -> bool {
        // Threads may lose one to each other: that is a look more or less.
        let count = self.0.load(Relaxed).wrapping_add(1);
        self.0.store(count, Relaxed);
        count.is_power_of_two()
    }

    /// There may be new ones: begin again.
    pub fn renew(&self) {
        self.0.store(0, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::event::epoll;
    use std::net::{Ipv4Addr, TcpListener, TcpStream};

    fn algorithm(socket: impl AsFd) -> String {
        sockopt::tcp_congestion(socket).unwrap()
    }

    fn pair() -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let near = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        (near, listener.accept().unwrap().0)
    }

    fn set() -> OwnedFd {
        epoll::create(epoll::CreateFlags::CLOEXEC).unwrap()
    }

    fn watch(set: impl AsFd, what: impl AsFd) {
        epoll::add(set, what, epoll::EventData::new_u64(0), epoll::EventFlags::IN).unwrap();
    }

    #[test]
    fn what_stays_here_is_unpaced() {
        let (near, far) = pair();
        assert!(unpace(&near) && unpace(&far));
        assert_eq!((algorithm(&near), algorithm(&far)), (UNPACED.to_owned(), UNPACED.to_owned()));
    }

    #[test]
    fn what_is_no_connection_is_left_alone() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let before = algorithm(&listener);
        assert!(!unpace(&listener) && !unpace(set()));
        assert_eq!(algorithm(&listener), before);
    }

    #[test]
    fn connections_are_found_in_sets_of_sets() {
        let ((near, far), (other, _else)) = (pair(), pair());
        let (outer, inner) = (set(), set());
        watch(&outer, &inner);
        watch(&inner, &near);
        watch(&outer, &other);
        watch(&outer, set());
        assert_eq!(unpace_watched(&outer), 2);
        assert_eq!((algorithm(&near), algorithm(&other)), (UNPACED.to_owned(), UNPACED.to_owned()));
        drop(far);
    }

    #[test]
    fn all_are_told_with_their_ends() {
        let (near, far) = pair();
        let all = all().unwrap();
        for (one, other) in [(&near, &far), (&far, &near)] {
            let found = all.iter().find(|tcp| tcp.number == one.as_raw_fd()).unwrap();
            assert_eq!((found.near, found.far), (one.local_addr().unwrap(), Some(other.local_addr().unwrap())));
        }
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let found = Tcp::of(listener.as_raw_fd()).unwrap();
        assert_eq!((found.near, found.far), (listener.local_addr().unwrap(), None));
        assert!(Tcp::of(set().as_raw_fd()).is_none());
    }

    #[test]
    fn what_is_watched_is_read_from_the_list() {
        assert_eq!(target("tfd:       13 events:       19 data:                d  pos:0 ino:243bf sdev:9"), Some(13));
        assert_eq!(target("flags:\t02000002"), None);
        assert_eq!(target("tfd: many"), None);
    }

    #[test]
    fn looks_become_rare_and_begin_again() {
        let occasions = Occasions::default();
        let looks = |n| (0..n).filter(|_| occasions.is_due()).count();
        assert_eq!(looks(1000), 10);
        assert_eq!(looks(1000), 1);
        occasions.renew();
        assert_eq!(looks(2), 2);
    }
}
