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
//! its sockets, and of those alone; those of one that tells where its peers find it are known by their addresses.
//!
//! They are known by number, and a number may be given to something else between two calls. What happens then at worst is that another
//! connection gets the simplest algorithm. They are not duplicated, which would be safe: to close a duplicate ends the process's
//! locks of a file, and a duplicate keeps a connection open that its owner closes.
#![expect(unsafe_code, reason = "the system's calls by number: rustix takes borrowed descriptors, which these are not")]

use crate::mutex;
use rustix::fs::{Mode, OFlags, RawDir, open};
use std::{
    ffi::{c_int, c_void},
    fs, io,
    mem::MaybeUninit,
    net::{IpAddr, SocketAddr},
    os::fd::{AsFd, AsRawFd, RawFd},
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

/// The algorithm of congestion control for where there is no congestion.
const UNPACED: &str = "reno";
/// Sets are watched by other sets; UCX has one of its transport's in one of the worker's.
const DEPTH_MAX: u32 = 3;

/// A TCP socket of this process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tcp {
    /// The number by which its owner has it.
    pub number: RawFd,
    /// Its address.
    pub near: SocketAddr,
    /// That of the other end, if it is connected.
    pub far: Option<SocketAddr>,
    /// Others may connect to it.
    pub listens: bool,
}

impl Tcp {
    /// The one of this number, if it is one.
    pub fn of(number: RawFd) -> Option<Tcp> {
        let mut protocol: c_int = 0;
        option(number, libc::SOL_SOCKET, libc::SO_PROTOCOL, &mut protocol)?;
        if protocol != libc::IPPROTO_TCP {
            return None;
        }
        let mut listens: c_int = 0;
        option(number, libc::SOL_SOCKET, libc::SO_ACCEPTCONN, &mut listens)?;
        let (near, far) = (name(number, libc::getsockname)?, name(number, libc::getpeername));
        Some(Tcp { number, near, far, listens: listens != 0 })
    }

    /// Spare a connection what is only of use on a network, if it does not leave this host; gives whether it does not.
    pub fn unpace(&self) -> bool {
        let stays = self.far.is_some_and(|far| stays_here(self.near, far));
        if stays {
            let (name, len) = (UNPACED.as_ptr().cast(), UNPACED.len() as libc::socklen_t);
            // SAFETY: the name has that length. There is no error to speak of: it works all the same.
            let _ = unsafe { libc::setsockopt(self.number, libc::IPPROTO_TCP, libc::TCP_CONGESTION, name, len) };
        }
        stays
    }

    /// Its algorithm of congestion control.
    pub fn congestion(&self) -> Option<String> {
        let mut name = [0_u8; 16];
        let len = option(self.number, libc::IPPROTO_TCP, libc::TCP_CONGESTION, &mut name)?;
        let name = name[..len].split(|byte| *byte == 0).next()?;
        String::from_utf8(name.to_vec()).ok()
    }
}

/// How many bytes have come to the connection of this number since it was made, if it is one, and the system counts them.
pub fn received(number: RawFd) -> Option<u64> {
    // Of the kernel's `struct tcp_info` as far as `tcpi_bytes_received`, which the libc crate's lacks.
    let mut info = [0_u64; 17];
    let len = option(number, libc::IPPROTO_TCP, libc::TCP_INFO, &mut info)?;
    if len == size_of_val(&info) { info.last().copied() } else { None }
}

/// [`Tcp::unpace`] for one of our own.
pub fn unpace(socket: impl AsFd) -> bool {
    Tcp::of(socket.as_fd().as_raw_fd()).is_some_and(|tcp| tcp.unpace())
}

/// Whether both ends of a connection are of one host: of one address, or of loopback's.
pub fn stays_here(near: SocketAddr, far: SocketAddr) -> bool {
    near.ip() == far.ip() || near.ip().is_loopback() && far.ip().is_loopback()
}

/// A socket's address as the system gives it.
pub fn address(bytes: &[u8]) -> Option<SocketAddr> {
    let family = u16::from_ne_bytes(*bytes.first_chunk()?);
    let port = u16::from_be_bytes(bytes.get(2..4)?.try_into().ok()?);
    let ip = match c_int::from(family) {
        libc::AF_INET => IpAddr::from(<[u8; 4]>::try_from(bytes.get(4..8)?).ok()?),
        libc::AF_INET6 => IpAddr::from(<[u8; 16]>::try_from(bytes.get(8..24)?).ok()?),
        _ => return None,
    };
    Some(SocketAddr::new(ip.to_canonical(), port))
}

/// An option of the socket of this number, if it is one; gives its length.
fn option<T: Copy>(number: RawFd, level: c_int, name: c_int, value: &mut T) -> Option<usize> {
    let mut len = size_of::<T>() as libc::socklen_t;
    let value: *mut c_void = (&raw mut *value).cast();
    // SAFETY: the call takes any number, and writes bytes of an integer or an array of such to where there is room for them.
    let code = unsafe { libc::getsockopt(number, level, name, value, &raw mut len) };
    (code == 0).then_some(len as usize)
}

type Name = unsafe extern "C" fn(RawFd, *mut libc::sockaddr, *mut libc::socklen_t) -> c_int;

/// The address of one end of the socket of this number.
fn name(number: RawFd, call: Name) -> Option<SocketAddr> {
    let mut bytes = [0_u8; size_of::<libc::sockaddr_storage>()];
    let mut len = size_of_val(&bytes) as libc::socklen_t;
    // SAFETY: both calls take any number, and write bytes to where there is room for them.
    let code = unsafe { call(number, bytes.as_mut_ptr().cast(), &raw mut len) };
    if code == 0 { address(bytes.get(..len as usize)?) } else { None }
}

/// All of this process, if they are told.
pub fn all() -> io::Result<Vec<Tcp>> {
    Ok(numbers()?.into_iter().filter_map(Tcp::of).collect())
}

/// The numbers of all descriptors of this process, of whatever kind; but for the one by which they are read.
fn numbers() -> io::Result<Vec<RawFd>> {
    let directory = open("/proc/self/fd", OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    let mut buffer = [MaybeUninit::uninit(); 8192];
    let mut entries = RawDir::new(&directory, &mut buffer);
    let mut numbers = Vec::new();
    while let Some(entry) = entries.next() {
        let number: Option<RawFd> = entry?.file_name().to_str().ok().and_then(|name| name.parse().ok());
        numbers.extend(number.filter(|number| *number != directory.as_raw_fd()));
    }
    Ok(numbers)
}

/// [`Tcp::unpace`] all connections that a set of `epoll` watches, and the sets in it; gives how many stay here.
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

/// When to look for connections, which a library and its peers make when they like: at the first occasion, and then whenever there have
/// been four times as many as at the last look, or some seconds of a waiting program have passed.
#[derive(Debug, Default)]
pub struct Occasions {
    count: AtomicU64,
    /// The count from which on a look is due. Stored by who has `last`.
    due: AtomicU64,
    /// When the last look ended, and how long it took. Held during a look.
    last: Mutex<Option<(Instant, Duration)>>,
}

/// Some seconds of a program that waits, in which a look costs nothing that could be measured.
const OCCASIONS_MAX: u64 = 1 << 17;

impl Occasions {
    /// Looks take at most one part in so many of the time that passes, however often there are new ones to look for. One takes some
    /// 0.1 ms, for the kernel's lists are text, and a job's first moments are many of them: at one part in 20 the first 20 ms went 5 %
    /// slower.
    const SHARE: u32 = 100;
    /// But a look that lost its core, or was stopped, puts off the next by no more than this.
    const PUT_OFF_MAX: Duration = Duration::from_secs(1);

    /// One more: look, if it is one to do so. A look must wait for nothing that the callers of [`renew`](Self::renew) may hold.
    pub fn take(&self, look: impl FnOnce()) {
        let count = self.count.fetch_add(1, Relaxed) + 1;
        if count < self.due.load(Relaxed) {
            return;
        }
        let Some(mut last) = mutex::try_lock(&self.last) else { return };
        let start = Instant::now();
        if last.is_some_and(|(end, took)| start.duration_since(end) < (took * Self::SHARE).min(Self::PUT_OFF_MAX)) {
            // The next is as good.
            return;
        }
        look();
        *last = Some((Instant::now(), start.elapsed()));
        let count = self.count.load(Relaxed);
        self.due.store(count + (3 * count).min(OCCASIONS_MAX), Relaxed);
    }

    /// There may be new ones: begin again. This waits for a look that is under way, which may not see them.
    pub fn renew(&self) {
        let _held = mutex::lock(&self.last);
        self.count.store(0, Relaxed);
        self.due.store(0, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::{event::epoll, net::sockopt};
    use std::{
        cell::Cell,
        net::{Ipv4Addr, Ipv6Addr, TcpListener, TcpStream},
        os::fd::OwnedFd,
        sync::Barrier,
        thread,
    };

    fn algorithm(socket: impl AsFd) -> String {
        sockopt::tcp_congestion(socket).unwrap()
    }

    fn of(socket: impl AsFd) -> Option<Tcp> {
        Tcp::of(socket.as_fd().as_raw_fd())
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

    /// As a listener it has the address that peers connect to, and no other end.
    #[test]
    fn one_that_has_ended_does_not_listen() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let near = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let accepted = listener.accept().unwrap().0;
        accepted.shutdown(std::net::Shutdown::Both).unwrap();
        drop(near);
        let found = of(&accepted).unwrap();
        assert!(!found.listens && found.near == listener.local_addr().unwrap(), "{found:?}");
    }

    #[test]
    fn bytes_are_counted() {
        use std::io::{Read, Write};
        let (mut near, mut far) = pair();
        assert_eq!(received(far.as_raw_fd()), Some(0));
        near.write_all(b"seven b").unwrap();
        far.read_exact(&mut [0; 7]).unwrap();
        assert_eq!(received(far.as_raw_fd()), Some(7));
        assert_eq!(received(set().as_raw_fd()), None);
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
        let found = of(&listener).unwrap();
        assert_eq!((found.near, found.far, found.listens), (listener.local_addr().unwrap(), None, true));
        assert_eq!(of(set()), None);
        assert_eq!(Tcp::of(-1), None);
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
        let looks = Cell::new(0);
        let take = |n| {
            for _ in 0..n {
                *occasions.last.lock().unwrap() = None;
                occasions.take(|| looks.set(looks.get() + 1));
            }
            looks.take()
        };
        assert_eq!(take(1000), 5);
        assert_eq!(take(1000), 1);
        occasions.renew();
        assert_eq!(take(4), 2);
    }

    #[test]
    fn looks_never_become_rarer_than_that() {
        let occasions = Occasions::default();
        occasions.count.store(100 * OCCASIONS_MAX, Relaxed);
        occasions.take(|| ());
        *occasions.last.lock().unwrap() = None;
        occasions.count.fetch_add(OCCASIONS_MAX - 1, Relaxed);
        let looked = Cell::new(false);
        occasions.take(|| looked.set(true));
        assert!(looked.get());
    }

    #[test]
    fn looks_take_a_small_part_of_the_time() {
        let occasions = Occasions::default();
        let long = Duration::from_millis(2);
        occasions.take(|| thread::sleep(long));
        assert!(occasions.last.lock().unwrap().unwrap().1 >= long);
        // As if it had ended later, so that the time that the test takes is none.
        let last = |took| *occasions.last.lock().unwrap() = Some((Instant::now() + Duration::from_secs(3600), took));
        last(long);
        for _ in 0..1000 {
            occasions.renew();
            occasions.take(|| panic!("again, so soon"));
        }
        (0..1000).for_each(|_| occasions.take(|| panic!("again, so soon")));
        let looks = Cell::new(0);
        for _ in 0..1000 {
            *occasions.last.lock().unwrap() = None;
            occasions.take(|| looks.set(looks.get() + 1));
        }
        assert_eq!(looks.get(), 1, "one makes up for all that were put off");
    }

    #[test]
    fn a_look_that_was_stopped_puts_off_the_next_for_a_moment() {
        let occasions = Occasions::default();
        occasions.take(|| ());
        let end = Instant::now().checked_sub(Occasions::PUT_OFF_MAX).unwrap();
        *occasions.last.lock().unwrap() = Some((end, Duration::from_secs(3600)));
        occasions.renew();
        let looked = Cell::new(false);
        occasions.take(|| looked.set(true));
        assert!(looked.get());
    }

    #[test]
    fn what_begins_again_during_a_look_is_looked_for_after_it() {
        let occasions = Occasions::default();
        for _ in 0..20 {
            occasions.count.store(1000, Relaxed);
            let begun = Barrier::new(2);
            thread::scope(|scope| {
                occasions.take(|| {
                    scope.spawn(|| {
                        begun.wait();
                        occasions.renew();
                    });
                    begun.wait();
                    thread::sleep(Duration::from_millis(1));
                });
            });
            *occasions.last.lock().unwrap() = None;
            let looked = Cell::new(false);
            occasions.take(|| looked.set(true));
            assert!(looked.get());
            *occasions.last.lock().unwrap() = None;
            occasions.renew();
        }
    }

    #[test]
    fn addresses_are_read() {
        let four: SocketAddr = "10.1.2.3:456".parse().unwrap();
        let bytes =
            [&(libc::AF_INET as u16).to_ne_bytes()[..], &456_u16.to_be_bytes(), &[10, 1, 2, 3], &[0; 8]].concat();
        assert_eq!(address(&bytes), Some(four));
        let family = (libc::AF_INET6 as u16).to_ne_bytes();
        let ip = "fe80::1".parse::<Ipv6Addr>().unwrap();
        let six = [&family[..], &[0x12, 0x34], &[0; 4], &ip.octets(), &[0; 4]].concat();
        assert_eq!(address(&six), Some(SocketAddr::new(ip.into(), 0x1234)));
        for wrong in [&b"fi_shm://1"[..], &bytes[..7], &six[..20], &[2], &[]] {
            assert_eq!(address(wrong), None, "{wrong:?}");
        }
    }

    /// To close a duplicate of a file would end the process's locks of it.
    #[test]
    fn locks_of_files_outlast_a_look() {
        let path = std::env::temp_dir().join(format!("ferrite-lock-{}", std::process::id()));
        let file = fs::File::create(&path).unwrap();
        rustix::fs::fcntl_lock(&file, rustix::fs::FlockOperation::NonBlockingLockExclusive).unwrap();
        fs::remove_file(&path).unwrap();
        let inode = format!(":{} ", std::os::unix::fs::MetadataExt::ino(&file.metadata().unwrap()));
        let is_locked = || fs::read_to_string("/proc/locks").unwrap_or_default().contains(&inode);
        if !is_locked() {
            return println!("skipped: the system does not tell of this process's locks");
        }
        all().unwrap();
        assert!(is_locked());
    }
}
