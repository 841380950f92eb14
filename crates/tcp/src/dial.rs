//! How a connection is made: try the peer's addresses until the right PE proves itself at one of them.
//!
//! `race` decides when to try which address, `networks` in which order, and `attempt` tries it.

use crate::{
    attempt::{Attempt, Progress},
    connection::Opened,
    listeners::Listeners,
    local_congestion,
    options::Options,
    proof::Admission,
    race::{Pace, Race},
};
use ferrite_engine::{Error, Pe, Result, whereabouts::Whereabouts};
use rustix::{
    event::{PollFd, Timespec, poll},
    net::sockopt,
};
use std::{
    net::{IpAddr, SocketAddr},
    os::fd::BorrowedFd,
    time::{Duration, Instant},
};

/// The head start is several times as long as a packet takes around the world.
const PACE: Pace = Pace { head_start: Duration::from_millis(200), pause: Duration::from_millis(20) };

/// How often a thread that connects looks whether the fabric has failed meanwhile.
const LOOK: Duration = Duration::from_millis(100);

/// Connect to `to`. Each end has accepted the other's proof when this returns; the result includes the decision of `to` about the
/// connection.
pub fn dial(options: &Options, here: &Listeners, to: Pe, address: &[u8]) -> Result<(Opened, Admission)> {
    dial_at(PACE, options, here, to, address)
}

fn dial_at(pace: Pace, options: &Options, here: &Listeners, to: Pe, address: &[u8]) -> Result<(Opened, Admission)> {
    let deadline = Instant::now() + options.patience;
    let failed = |cause| Error::because(format!("connecting to {to}"), cause);
    let peer = Whereabouts::decode(address).map_err(failed)?;
    let ways = here.ways_to(&peer);
    if ways.is_empty() {
        return Err(failed(Error::new(
            "it has no address that can be reached from here; SHMEM_TCP_IFACE sets where PEs listen",
        )));
    }
    let won = Dialling::new(pace, options, to, &ways, deadline).run().map_err(failed)?;
    for warning in here.networks.learn(won.at, &won.silent) {
        tracing::warn!(me = %options.me, %to, "{warning}");
    }
    Ok(won.opened)
}

struct Won {
    at: IpAddr,
    opened: (Opened, Admission),
    /// The addresses at which no kernel had answered within the head start.
    silent: Vec<IpAddr>,
}

/// The attempts at a peer's addresses.
struct Dialling<'a> {
    options: &'a Options,
    to: Pe,
    ways: &'a [SocketAddr],
    deadline: Instant,
    race: Race,
    /// Attempts under way, by the number of their address.
    attempts: Vec<Option<Attempt>>,
    last: Error,
}

impl<'a> Dialling<'a> {
    fn new(pace: Pace, options: &'a Options, to: Pe, ways: &'a [SocketAddr], deadline: Instant) -> Self {
        let race = Race::new(ways.len(), pace);
        let attempts = ways.iter().map(|_| None).collect();
        Dialling { options, to, ways, deadline, race, attempts, last: Error::new("the time was over") }
    }

    /// Run until the peer has proven itself, or the time is over.
    fn run(mut self) -> Result<Won> {
        loop {
            while let Some(way) = self.race.start(Instant::now()) {
                self.begin(way);
            }
            // Handle everything that arrived while this thread did not run before any address counts as silent.
            let challenged: Vec<usize> = self.wait().into_iter().filter(|&way| self.is_challenged(way)).collect();
            if !challenged.is_empty() {
                if let Some(won) = challenged.into_iter().find_map(|way| self.prove(way)) {
                    return Ok(won);
                }
                // The failed proofs may have taken long, so start again before the deadline is checked.
                continue;
            }
            if Instant::now() >= self.deadline || self.options.has_given_up() {
                (0..self.attempts.len()).for_each(|way| self.give_up(way));
                return Err(self.last);
            }
        }
    }

    fn give_up(&mut self, way: usize) {
        if let Some(attempt) = self.attempts[way].take() {
            self.note(way, attempt.late());
        }
    }

    fn begin(&mut self, way: usize) {
        let begun = Attempt::begin(self.ways[way], self.options, self.to);
        match begun {
            Ok(attempt) => {
                if attempt.is_connected() {
                    self.race.connected(way);
                }
                self.attempts[way] = Some(attempt);
            }
            Err(error) => self.fail(way, error),
        }
    }

    /// Sleep until something happens or is due. Return the attempts on which something happened.
    fn wait(&self) -> Vec<usize> {
        let running = || self.attempts.iter().enumerate().filter_map(|(way, one)| Some((way, one.as_ref()?)));
        let mut awaited: Vec<PollFd<'_>> = running()
            .map(|(_, attempt)| {
                let (socket, events) = attempt.awaits();
                PollFd::from_borrowed_fd(socket, events)
            })
            .collect();
        let until = self.race.deadline().map_or(self.deadline, |at| at.min(self.deadline));
        let left = until.saturating_duration_since(Instant::now()).min(LOOK);
        let limit = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: left.subsec_nanos().into() };
        // An interrupted sleep is a short one.
        let _ = poll(&mut awaited, Some(&limit));
        running().zip(&awaited).filter(|(_, fd)| !fd.revents().is_empty()).map(|((way, _), _)| way).collect()
    }

    /// Something has happened on an attempt. Return whether the peer has proven itself there.
    fn is_challenged(&mut self, way: usize) -> bool {
        match self.attempts[way].as_mut().map(|attempt| attempt.step(self.options)) {
            Some(Ok(progress)) => {
                self.race.connected(way);
                progress == Progress::Challenged
            }
            Some(Err(error)) => {
                self.fail(way, error);
                false
            }
            None => false,
        }
    }

    /// Prove ourselves at this address. The other attempts stand still meanwhile: this is the peer, and they continue only if it hangs up.
    fn prove(&mut self, way: usize) -> Option<Won> {
        let silent = self.race.silent(way, Instant::now()).into_iter().map(|way| self.ways[way].ip()).collect();
        let proven = self.attempts[way].take()?.prove(self.options, self.deadline);
        let opened = proven.map_err(|error| self.fail(way, error)).ok()?;
        Some(Won { at: self.ways[way].ip(), opened, silent })
    }

    fn fail(&mut self, way: usize, error: Error) {
        self.attempts[way] = None;
        self.race.failed(way, Instant::now());
        self.note(way, error);
    }

    fn note(&mut self, way: usize, error: Error) {
        let (to, at) = (self.to, self.ways[way]);
        tracing::debug!(%to, %at, %error, "an address of a peer did not answer");
        self.last = Error::because(at.to_string(), error);
    }
}

/// Set up a socket: no delay for small segments, and keepalive so that a host that vanished is noticed after [`Options::silence`].
/// Keepalive covers connections with nothing under way (`lookout` covers the others).
pub fn prepare(socket: BorrowedFd<'_>, options: &Options) -> Result<()> {
    let seconds = Duration::from_secs((options.silence.as_secs() / 2).max(1));
    let set = || {
        sockopt::set_tcp_nodelay(socket, true)?;
        sockopt::set_socket_keepalive(socket, true)?;
        sockopt::set_tcp_keepidle(socket, seconds)?;
        sockopt::set_tcp_keepintvl(socket, Duration::from_secs(1))?;
        sockopt::set_tcp_keepcnt(socket, seconds.as_secs().clamp(1, 100) as u32)?;
        if let Some(bytes) = options.buffer_bytes {
            sockopt::set_socket_send_buffer_size(socket, bytes)?;
            sockopt::set_socket_recv_buffer_size(socket, bytes)?;
        }
        local_congestion::set(socket);
        Ok(())
    };
    set().map_err(|e: std::io::Error| Error::because("setting up a connection", e))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{TcpTransport, networks::Networks, proof::CHALLENGE_BYTES};
    use ferrite_engine::{Engine, Transport};
    use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, ipproto, listen, socket_with};
    use std::{
        io::Write,
        net::{TcpListener, ToSocketAddrs},
        os::fd::OwnedFd,
        thread,
    };

    const SECRET: [u8; 32] = [9; 32];
    const FOREVER: Duration = Duration::from_secs(600);
    const DEAD: &str = "127.1.0.1";
    const GOOD: &str = "127.2.0.1";

    fn address(ip: &str, port: u16) -> SocketAddr {
        SocketAddr::new(ip.parse().unwrap(), port)
    }

    /// A host whose two networks are blocks of loopback addresses, and which knows nothing about them yet.
    fn knowing_nothing() -> Listeners {
        let two = [("dead0", DEAD), ("good0", GOOD)];
        let networks = Networks::new(two.into_iter().map(|(name, ip)| (name.to_owned(), ip.parse().unwrap(), 16)));
        let whereabouts = Whereabouts { host: [1; 16], addresses: Vec::new() };
        Listeners { sockets: Vec::new(), whereabouts, networks }
    }

    fn options(me: u32) -> Options {
        Options { patience: FOREVER, ..Options::new(Pe(me), 3, SECRET) }
    }

    /// A PE that answers at all addresses of this host, and its port.
    fn peer(me: u32) -> (Engine<TcpTransport>, u16) {
        let fabric = crate::engine(options(me)).unwrap();
        let port = Whereabouts::decode(&fabric.transport().address()).unwrap().addresses[0].port();
        (fabric, port)
    }

    /// An address that swallows connection requests, as a dead network does, because its listener's backlog is full; with the attempts that
    /// fill the backlog.
    fn swallower() -> Option<(OwnedFd, Vec<Attempt>, SocketAddr)> {
        let socket =
            socket_with(AddressFamily::INET, SocketType::STREAM, SocketFlags::CLOEXEC, Some(ipproto::TCP)).unwrap();
        bind(&socket, &address(DEAD, 0)).unwrap();
        listen(&socket, 0).unwrap();
        let listener = TcpListener::from(socket);
        let at = listener.local_addr().unwrap().to_socket_addrs().unwrap().next().unwrap();
        let mut fill = Vec::new();
        for _ in 0..16 {
            let attempt = Attempt::begin(at, &options(0), Pe(1)).unwrap();
            let (fd, events) = attempt.awaits();
            let limit = Timespec { tv_sec: 1, tv_nsec: 0 };
            let full = poll(&mut [PollFd::from_borrowed_fd(fd, events)], Some(&limit)).unwrap() == 0;
            fill.push(attempt);
            if full {
                return Some((listener.into(), fill, at));
            }
        }
        None
    }

    fn reach(pace: Pace, here: &Listeners, to: u32, ways: &[SocketAddr]) -> IpAddr {
        let peer = Whereabouts { host: [1; 16], addresses: ways.to_vec() };
        let (opened, _) = dial_at(pace, &options(0), here, Pe(to), &peer.encode()).unwrap();
        opened.peer_address().unwrap().ip()
    }

    #[test]
    fn a_silent_network_is_overtaken_once_and_then_tried_last() {
        let Some((_listener, _fill, dead)) = swallower() else {
            println!("skipped: a full backlog does not swallow connections here");
            return;
        };
        let ((_one, first), (_other, second)) = (peer(1), peer(2));
        let here = knowing_nothing();
        // Earlier, another peer did not answer on the dead network either.
        here.networks.learn(GOOD.parse().unwrap(), &[DEAD.parse().unwrap()]);
        let racing = Pace { head_start: Duration::from_millis(50), ..PACE };
        assert_eq!(reach(racing, &here, 1, &[dead, address(GOOD, first)]).to_string(), GOOD);
        // This one answers on both networks, and no address overtakes another: the first that is tried wins.
        let in_turn = Pace { head_start: FOREVER, ..PACE };
        let ways = [address(DEAD, second), address(GOOD, second)];
        assert_eq!(reach(in_turn, &here, 2, &ways).to_string(), GOOD);
        assert_eq!(reach(in_turn, &knowing_nothing(), 2, &ways).to_string(), DEAD, "who knows nothing tries it first");
        // A silent network is tried all the same if there is no other.
        assert_eq!(reach(in_turn, &here, 2, &ways[..1]).to_string(), DEAD);
    }

    #[test]
    fn an_address_of_somebody_else_is_passed_over() {
        let ((_one, first), (_other, second)) = (peer(1), peer(2));
        let nobody = TcpListener::bind((DEAD, 0)).unwrap().local_addr().unwrap();
        // An unused port, the port of another PE, and a port that accepts connections and sends nothing.
        let mute = TcpListener::bind((DEAD, 0)).unwrap();
        let pace = Pace { head_start: Duration::from_millis(10), ..PACE };
        let ways = [nobody, address(DEAD, first), mute.local_addr().unwrap(), address(GOOD, second)];
        assert_eq!(reach(pace, &knowing_nothing(), 2, &ways).to_string(), GOOD);
    }

    /// Accepts connections and sends `says` on each.
    fn imposter(says: Vec<u8>) -> SocketAddr {
        let listener = TcpListener::bind((DEAD, 0)).unwrap();
        let at = listener.local_addr().unwrap();
        thread::spawn(move || {
            let mut held = Vec::new();
            for mut caller in listener.incoming().flatten() {
                let _ = caller.write_all(&says);
                held.push(caller);
            }
        });
        at
    }

    /// The dialler waits for no process but the peer, whatever it sends: the next address is reached while the impostor is still tried.
    #[test]
    fn an_imposter_keeps_no_other_address_waiting() {
        let (_one, port) = peer(1);
        let whole = [&b"ferrite4"[..], &[7; CHALLENGE_BYTES - 8]].concat();
        for says in [0, 8, 40, CHALLENGE_BYTES - 1, CHALLENGE_BYTES].map(|len| whole[..len].to_vec()) {
            let pace = Pace { head_start: Duration::from_millis(10), ..PACE };
            let ways = [imposter(says), address(GOOD, port)];
            assert_eq!(reach(pace, &knowing_nothing(), 1, &ways).to_string(), GOOD);
        }
        let options = Options { patience: Duration::from_millis(100), ..options(0) };
        let alone = Whereabouts { host: [1; 16], addresses: vec![imposter(whole[..40].to_vec())] };
        assert!(
            dial_at(PACE, &options, &knowing_nothing(), Pe(1), &alone.encode()).is_err(),
            "alone it ends with the patience"
        );
    }

    #[test]
    fn patience_ends() {
        let mute = TcpListener::bind((DEAD, 0)).unwrap();
        let peer = Whereabouts { host: [1; 16], addresses: vec![mute.local_addr().unwrap()] };
        let why = format!("connecting to PE 1: {}: waiting for the other end's proof", mute.local_addr().unwrap());
        let refusal = |milliseconds| {
            let options = Options { patience: Duration::from_millis(milliseconds), ..options(0) };
            dial_at(PACE, &options, &knowing_nothing(), Pe(1), &peer.encode()).err().unwrap().to_string()
        };
        // On a busy machine, a short patience may end before there is a connection.
        let mut refused = refusal(50);
        for milliseconds in [500, 5_000] {
            if !refused.starts_with(&why) {
                refused = refusal(milliseconds);
            }
        }
        assert!(refused.starts_with(&why), "{refused}");
        let options = Options { patience: Duration::from_millis(50), ..options(0) };
        let nowhere = Whereabouts { host: [2; 16], ..peer };
        let refused = dial_at(PACE, &options, &knowing_nothing(), Pe(1), &nowhere.encode()).err().unwrap().to_string();
        assert!(refused.contains("no address that can be reached"), "{refused}");
    }
}
