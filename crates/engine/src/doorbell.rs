//! How a peer that waits wakes this PE's service thread.
//!
//! A program that is inside the library serves its peers by itself. The service thread must not serve then: each message would wake it. So
//! the service thread does not sleep on the sockets that receive messages, and cannot notice that the program has left the library to
//! compute. The peer that waits for an answer notices. It *rings*: it sends a datagram to a socket that receives nothing else.
//!
//! A datagram carries the job's number, which distinguishes a ring from a stray datagram. The number is no secret: a false ring wakes a
//! thread and has no other effect. After a flood of stray datagrams the doorbell is ignored for a while, and the thread relies on its tick.
//! If more rings have arrived than are worth reading, the doorbell is ignored for one tick.
//!
//! If all PEs are on this host, the socket is bound to loopback: no other host reaches it.

use crate::{Error, Pe, Result, timing, whereabouts};
use ferrite_fabric::AddressBook;
use ferrite_os::{
    guarded_fd::{Closed, GuardedFd},
    mutex,
};
use rustix::net::{RecvFlags, SendFlags, recv, sendto};
use std::{
    collections::HashMap,
    io,
    net::{SocketAddr, UdpSocket},
    os::fd::BorrowedFd,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use whereabouts::Whereabouts;

/// Number of a peer's addresses that are rung: the first may lead nowhere.
const WAYS_MAX: usize = 2;
/// Number of stray datagrams without a ring between them after which the doorbell is ignored for [`timing::DEAF`].
const STRAYS_MAX: u32 = 64;
/// Number of datagrams read in one look, whatever they carry. One ring is as good as many; if more arrive, none is read for a tick.
const READS_MAX: usize = 64;

/// This PE's doorbell, and the addresses of peers' doorbells.
pub struct Doorbell {
    socket: GuardedFd,
    /// The socket speaks both address families: IPv4 addresses are mapped.
    is_v6: bool,
    job: [u8; 8],
    here: Whereabouts,
    /// Addresses at which peers are rung, once looked up; empty for a peer that cannot be rung.
    peers: Mutex<HashMap<Pe, Arc<[SocketAddr]>>>,
    strays: Mutex<Strays>,
}

#[derive(Default)]
struct Strays {
    count: u32,
    deaf_until: Option<Instant>,
}

impl Doorbell {
    /// Open a doorbell. `job` distinguishes the rings of this job from other datagrams. `one_host`: all PEs are on this host.
    pub fn open(job: u64, one_host: bool) -> Result<Doorbell> {
        let open = || {
            let [first, second] = whereabouts::places_to_listen(one_host);
            let socket = UdpSocket::bind((first, 0)).or_else(|_| UdpSocket::bind((second, 0)))?;
            socket.set_nonblocking(true)?;
            Ok::<_, io::Error>((socket.local_addr()?, GuardedFd::new(socket.into())?))
        };
        let (at, socket) = open().map_err(|e| Error::because("opening the socket that wakes this PE", e))?;
        let (here, job) = (Whereabouts::of(at, &whereabouts::interfaces()?), job.to_le_bytes());
        Ok(Doorbell { socket, is_v6: at.is_ipv6(), job, here, peers: Mutex::default(), strays: Mutex::default() })
    }

    /// Address at which peers ring.
    pub fn address(&self) -> Vec<u8> {
        self.here.encode()
    }

    /// Wake a peer's service thread. `book` has the addresses of doorbells. If the peer cannot be rung, nothing happens: the peer's tick
    /// will find the request.
    #[cold]
    pub fn ring(&self, pe: Pe, book: &dyn AddressBook) {
        let ways = Arc::clone(mutex::lock(&self.peers).entry(pe).or_insert_with(|| self.ways_to(pe, book)));
        for way in &*ways {
            let Some(socket) = self.socket.file() else { return };
            let is_sent = sendto(socket, &self.job, SendFlags::NOSIGNAL, way).is_ok();
            if is_sent && way.ip().to_canonical().is_loopback() {
                break;
            }
        }
    }

    fn ways_to(&self, pe: Pe, book: &dyn AddressBook) -> Arc<[SocketAddr]> {
        let there = book.address(pe).and_then(|bytes| Whereabouts::decode(&bytes));
        let ways = there.map(|there| self.here.ways_to(&there)).unwrap_or_default();
        let as_sent = |way| match way {
            SocketAddr::V4(v4) if self.is_v6 => (v4.ip().to_ipv6_mapped(), v4.port()).into(),
            _ => way,
        };
        ways.into_iter().take(WAYS_MAX).map(as_sent).collect()
    }

    /// Whether a peer has rung since the last call. Only the service thread calls it.
    pub fn was_rung(&self) -> bool {
        let Some(socket) = self.socket.file() else { return false };
        let mut strays = mutex::lock(&self.strays);
        let (mut rung, mut datagram) = (false, [0; 16]);
        for _ in 0..READS_MAX {
            let Ok((_, len)) = recv(socket, &mut datagram, RecvFlags::TRUNC) else { return rung };
            if datagram.get(..len) == Some(&self.job) {
                (rung, strays.count) = (true, 0);
                continue;
            }
            strays.count += 1;
            if strays.count >= STRAYS_MAX {
                tracing::warn!("stray datagrams arrive at the socket that wakes this PE; it is ignored for a while");
                *strays = Strays { count: 0, deaf_until: Some(Instant::now() + timing::DEAF) };
                return rung;
            }
        }
        strays.deaf_until = Some(Instant::now() + timing::TICK);
        rung
    }

    /// Check that the socket is still the library's.
    pub fn check(&self) -> Result<(), Closed> {
        self.socket.get().map(drop)
    }

    /// The socket that is readable when a peer has rung, or `None` while the doorbell is ignored. It is not checked, so it serves only to
    /// sleep on.
    pub fn fd(&self) -> Option<BorrowedFd<'_>> {
        let mut strays = mutex::lock(&self.strays);
        if strays.deaf_until.is_some_and(|until| Instant::now() < until) {
            return None;
        }
        strays.deaf_until = None;
        Some(self.socket.to_sleep_on())
    }

    /// Maximum sleep of the service thread while the doorbell is ignored, so that it does not miss the end of that time.
    pub fn deaf_limit(&self) -> Option<Duration> {
        mutex::lock(&self.strays).deaf_until.map(|_| timing::TICK)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sleep_on;
    use ferrite_fabric::{Key, SegmentId};
    use std::os::fd::AsRawFd;

    struct Book(Vec<Vec<u8>>);

    impl AddressBook for Book {
        fn address(&self, pe: Pe) -> Result<Vec<u8>> {
            self.0.get(pe.0 as usize).cloned().ok_or_else(|| Error::new("no such PE"))
        }

        fn key(&self, _: Pe, _: SegmentId) -> Result<Key> {
            Err(Error::new("no keys"))
        }
    }

    const GENEROUS: Duration = Duration::from_secs(60);

    fn open(job: u64) -> Doorbell {
        Doorbell::open(job, true).unwrap()
    }

    fn is_ringing(doorbell: &Doorbell) -> bool {
        doorbell.fd().is_some_and(|fd| sleep_on([fd], Some(GENEROUS)))
    }

    #[test]
    fn a_ring_is_heard_once_and_by_the_right_job() {
        for one_host in [false, true] {
            let [mine, theirs, stranger] = [7, 7, 8].map(|job| Doorbell::open(job, one_host).unwrap());
            let book = Book(vec![mine.address(), theirs.address(), Vec::new()]);
            mine.ring(Pe(1), &book);
            assert!(is_ringing(&theirs));
            assert!(theirs.was_rung() && !theirs.was_rung());
            stranger.ring(Pe(1), &book);
            assert!(is_ringing(&theirs));
            assert!(!theirs.was_rung());
            // No peer is there: the ring has no effect.
            mine.ring(Pe(2), &book);
            mine.ring(Pe(3), &book);
            assert!(!mine.was_rung());
        }
    }

    #[test]
    fn a_doorbell_of_one_host_is_reached_by_loopback_alone() {
        let here = open(7).here;
        assert!(!here.addresses.is_empty() && here.addresses.iter().all(|at| at.ip().is_loopback()), "{here:?}");
        let bound = |one_host| {
            let doorbell = Doorbell::open(7, one_host).unwrap();
            let at = rustix::net::getsockname(doorbell.socket.file().unwrap()).unwrap();
            SocketAddr::try_from(at).unwrap().ip()
        };
        assert!(bound(true).is_loopback() && bound(false).is_unspecified());
    }

    #[test]
    fn a_flood_of_strangers_is_not_listened_to() {
        let (mine, stranger) = (open(7), open(8));
        let book = Book(vec![mine.address()]);
        let begin = Instant::now();
        for _ in 0..10 * STRAYS_MAX {
            stranger.ring(Pe(0), &book);
            mine.was_rung();
        }
        let until = mutex::lock(&mine.strays).deaf_until.expect("it is ignored for a while");
        assert!(until >= begin + timing::DEAF);
        // However long this test has taken.
        mutex::lock(&mine.strays).deaf_until = Some(until + GENEROUS);
        assert!(mine.fd().is_none() && mine.deaf_limit().is_some());
        mutex::lock(&mine.strays).deaf_until = Some(begin);
        assert!(mine.fd().is_some() && mine.deaf_limit().is_none());
    }

    /// A stranger that knows the job's number sends it as fast as it can be read.
    #[test]
    fn flood_of_rings_does_not_block_the_reader() {
        let (mine, other) = (open(7), open(7));
        let book = Book(vec![mine.address()]);
        let begin = Instant::now();
        // The kernel may deliver late.
        while !(mine.was_rung() && mine.deaf_limit().is_some()) {
            (0..3 * READS_MAX).for_each(|_| other.ring(Pe(0), &book));
            assert!(begin.elapsed() < Duration::from_secs(120), "one look reads all, however many they are");
        }
        assert!(mine.was_rung(), "the rest is still there");
    }

    /// Like `closefrom`, followed by a socket of the program that gets the same number.
    #[test]
    fn reused_descriptor_is_neither_rung_nor_read() {
        let (mine, theirs) = (open(7), open(7));
        let book = Book(vec![mine.address(), theirs.address()]);
        let (programs, others) = std::os::unix::net::UnixDatagram::pair().unwrap();
        // SAFETY: the descriptor is the doorbell's, and this test replaces it behind its back, as a program might.
        assert_eq!(unsafe { libc::dup2(others.as_raw_fd(), mine.socket.number()) }, mine.socket.number());
        programs.send(&mine.job).unwrap();
        mine.ring(Pe(1), &book);
        assert_eq!(mine.check().unwrap_err().number, mine.socket.number());
        assert!(!mine.was_rung());
        assert_eq!(others.recv(&mut [0; 16]).unwrap(), 8, "its datagram is still there");
        // SAFETY: the copy made above, which belongs to the test.
        unsafe { libc::close(mine.socket.number()) };
    }
}
