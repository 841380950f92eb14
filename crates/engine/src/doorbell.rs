//! How a peer that waits wakes this PE's service thread.
//!
//! A program that is inside the library serves its peers by itself, and then the service thread must not: each message would wake it.
//! So it sleeps on none of the sockets that messages come by, and cannot know that the program has gone computing. The one who
//! knows is the peer that waits for an answer. It *rings*: it sends a datagram to a socket that nothing else comes to.
//!
//! A datagram carries the job's number, so that a stray one is told from a ring; it is no secret. A false ring wakes a thread, and no
//! more. Where strangers send many, the doorbell is not listened to for a while, and the thread's tick has to do.

use crate::{Error, Pe, Result, timing, whereabouts};
use ferrite_fabric::AddressBook;
use ferrite_os::mutex;
use std::{
    collections::HashMap,
    io,
    net::{Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket},
    os::fd::{AsFd, BorrowedFd},
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use whereabouts::Whereabouts;

/// Of a peer's addresses, so many are rung: the first may lead nowhere.
const WAYS_MAX: usize = 2;
/// After so many stray datagrams on end nobody listens for [`timing::DEAF`].
const STRAYS_MAX: u32 = 64;

/// This PE's doorbell, and the way to those of peers.
pub struct Doorbell {
    socket: UdpSocket,
    /// It speaks both families: addresses of the older one are mapped.
    is_v6: bool,
    job: [u8; 8],
    here: Whereabouts,
    /// Where peers are rung, once known; nowhere where that leads to nobody.
    peers: Mutex<HashMap<Pe, Arc<[SocketAddr]>>>,
    strays: Mutex<Strays>,
}

#[derive(Default)]
struct Strays {
    count: u32,
    deaf_until: Option<Instant>,
}

impl Doorbell {
    /// Open one; `job` tells the rings of this job from other datagrams.
    pub fn open(job: u64) -> Result<Doorbell> {
        let open = || {
            let any =
                UdpSocket::bind((Ipv6Addr::UNSPECIFIED, 0)).or_else(|_| UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)));
            let socket = any?;
            socket.set_nonblocking(true)?;
            Ok::<_, io::Error>((socket.local_addr()?, socket))
        };
        let (at, socket) = open().map_err(|e| Error::because("opening a socket for peers to wake this PE by", e))?;
        let (here, job) = (Whereabouts::of(at, &whereabouts::interfaces()?), job.to_le_bytes());
        Ok(Doorbell { socket, is_v6: at.is_ipv6(), job, here, peers: Mutex::default(), strays: Mutex::default() })
    }

    /// Where peers ring.
    pub fn address(&self) -> Vec<u8> {
        self.here.encode()
    }

    /// Wake a peer's service thread. `book` has the addresses of doorbells. Nothing comes of it where that cannot be: the peer's tick
    /// will find what is asked.
    #[cold]
    pub fn ring(&self, pe: Pe, book: &dyn AddressBook) {
        let ways = Arc::clone(mutex::lock(&self.peers).entry(pe).or_insert_with(|| self.ways_to(pe, book)));
        for way in &*ways {
            if self.socket.send_to(&self.job, *way).is_ok() && way.ip().to_canonical().is_loopback() {
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

    /// Whether a peer has rung since this was last asked. The service thread's alone.
    pub fn was_rung(&self) -> bool {
        let mut strays = mutex::lock(&self.strays);
        let (mut rung, mut datagram) = (false, [0; 16]);
        while let Ok((len, _)) = self.socket.recv_from(&mut datagram) {
            if datagram[..len] == self.job {
                (rung, strays.count) = (true, 0);
                continue;
            }
            strays.count += 1;
            if strays.count >= STRAYS_MAX {
                tracing::warn!(
                    "stray datagrams come to the socket by which peers wake this PE: not listened to for a while"
                );
                *strays = Strays { count: 0, deaf_until: Some(Instant::now() + timing::DEAF) };
                break;
            }
        }
        rung
    }

    /// What is readable when a peer has rung, unless too many strangers have.
    pub fn fd(&self) -> Option<BorrowedFd<'_>> {
        let mut strays = mutex::lock(&self.strays);
        if strays.deaf_until.is_some_and(|until| Instant::now() < until) {
            return None;
        }
        strays.deaf_until = None;
        Some(self.socket.as_fd())
    }

    /// How long the service thread may sleep at most, lest it misses the end of a deaf time.
    pub fn deaf_limit(&self) -> Option<Duration> {
        mutex::lock(&self.strays).deaf_until.map(|_| timing::TICK)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sleep_on;
    use ferrite_fabric::{Key, SegmentId};

    struct Book(Vec<Vec<u8>>);

    impl AddressBook for Book {
        fn address(&self, pe: Pe) -> Result<Vec<u8>> {
            self.0.get(pe.0 as usize).cloned().ok_or_else(|| Error::new("no such PE"))
        }

        fn key(&self, _: Pe, _: SegmentId) -> Result<Key> {
            Err(Error::new("no keys"))
        }
    }

    #[test]
    fn a_ring_is_heard_once_and_by_the_right_job() {
        let (mine, theirs, stranger) =
            (Doorbell::open(7).unwrap(), Doorbell::open(7).unwrap(), Doorbell::open(8).unwrap());
        let book = Book(vec![mine.address(), theirs.address(), Vec::new()]);
        mine.ring(Pe(1), &book);
        assert!(sleep_on(theirs.fd(), Some(Duration::from_secs(60))));
        assert!(theirs.was_rung() && !theirs.was_rung());
        stranger.ring(Pe(1), &book);
        assert!(sleep_on(theirs.fd(), Some(Duration::from_secs(60))));
        assert!(!theirs.was_rung());
        // Nobody there: nothing comes of it.
        mine.ring(Pe(2), &book);
        mine.ring(Pe(3), &book);
        assert!(!mine.was_rung());
    }

    #[test]
    fn a_flood_of_strangers_is_not_listened_to() {
        let (mine, stranger) = (Doorbell::open(7).unwrap(), Doorbell::open(8).unwrap());
        let book = Book(vec![mine.address()]);
        for _ in 0..10 * STRAYS_MAX {
            stranger.ring(Pe(0), &book);
            mine.was_rung();
        }
        assert!(mine.fd().is_none() && mine.deaf_limit().is_some());
    }
}
