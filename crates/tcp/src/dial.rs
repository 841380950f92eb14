//! How a connection is made: try the peer's addresses until the right PE proves itself at one of them.

use crate::{
    address::{Ears, Whereabouts},
    descriptors,
    proof::{ANSWER_BYTES, Admission, CHALLENGE_BYTES, Claim},
    shared::Options,
};
use ferrite_fabric::{Error, Pe, Result};
use rustix::net::sockopt;
use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    thread,
    time::{Duration, Instant},
};

/// The longest that one address is tried before the next has its turn, unless it answers as a PE does.
const TRY_MAX: Duration = Duration::from_secs(2);
/// Between rounds over all addresses.
const PAUSE: Duration = Duration::from_millis(20);

/// A connection to `to`, whose proof was accepted and who accepted ours, and what `to` says about it.
pub fn dial(options: &Options, ears: &Ears, to: Pe, address: &[u8]) -> Result<(TcpStream, Admission)> {
    let deadline = Instant::now() + options.patience;
    let peer = Whereabouts::decode(address).map_err(|e| Error::because(format!("connecting to {to}"), e))?;
    let ways = ears.whereabouts.ways_to(&peer, &ears.networks);
    let mut last = Error::new("it has no address that can be reached from here");
    while !ways.is_empty() {
        for way in &ways {
            match open(options, to, *way, deadline) {
                Ok(opened) => return Ok(opened),
                Err(error) => {
                    tracing::debug!(%to, %way, %error, "an address of a peer did not answer");
                    last = Error::because(way.to_string(), error);
                }
            }
        }
        if Instant::now() + PAUSE >= deadline {
            break;
        }
        thread::sleep(PAUSE);
    }
    Err(Error::because(format!("connecting to {to}"), last))
}

fn open(options: &Options, to: Pe, way: SocketAddr, deadline: Instant) -> Result<(TcpStream, Admission)> {
    let soon = deadline.min(Instant::now() + TRY_MAX);
    let mut socket = TcpStream::connect_timeout(&way, left(soon))
        .map_err(|e| descriptors::shortage(&e).unwrap_or_else(|| Error::because("opening the connection", e)))?;
    prepare(&socket, options)?;
    let mut challenge = [0; CHALLENGE_BYTES];
    read(&mut socket, &mut challenge, soon)?;
    let claim = Claim::new(&challenge, options.me, to)?;
    socket.write_all(&claim.encode(&options.secret)).map_err(|e| Error::because("sending a proof", e))?;
    // From here on the target may have made this the connection of the pair: it is not given up for being slow.
    let mut answer = [0; ANSWER_BYTES];
    read(&mut socket, &mut answer, deadline)?;
    let admission = claim.judge(&answer, &options.secret)?;
    Ok((socket, admission))
}

fn left(deadline: Instant) -> Duration {
    deadline.saturating_duration_since(Instant::now()).max(Duration::from_millis(1))
}

fn read(socket: &mut TcpStream, into: &mut [u8], deadline: Instant) -> Result<()> {
    let mut have = 0;
    while have < into.len() {
        let wrong = |e| Error::because("waiting for the other end's proof", e);
        if Instant::now() >= deadline {
            return Err(wrong(std::io::ErrorKind::TimedOut.into()));
        }
        socket.set_read_timeout(Some(left(deadline))).map_err(wrong)?;
        match socket.read(&mut into[have..]) {
            Ok(0) => return Err(Error::new("the other end hung up before it proved itself: is it of another job?")),
            Ok(n) => have += n,
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            Err(e) => return Err(wrong(e)),
        }
    }
    Ok(())
}

/// An algorithm of congestion control that every Linux has.
const UNPACED: &str = "reno";

/// No delay for small segments; and a host that vanished is noticed after [`Options::silence`], here while nothing is under
/// way to it (see `lookout`).
pub fn prepare(socket: &TcpStream, options: &Options) -> Result<()> {
    let seconds = Duration::from_secs((options.silence.as_secs() / 2).max(1));
    let set = || {
        socket.set_nodelay(true)?;
        sockopt::set_socket_keepalive(socket, true)?;
        sockopt::set_tcp_keepidle(socket, seconds)?;
        sockopt::set_tcp_keepintvl(socket, Duration::from_secs(1))?;
        sockopt::set_tcp_keepcnt(socket, seconds.as_secs().clamp(1, 100) as u32)?;
        if let Some(bytes) = options.buffer_bytes {
            sockopt::set_socket_send_buffer_size(socket, bytes)?;
            sockopt::set_socket_recv_buffer_size(socket, bytes)?;
        }
        if socket.peer_addr()?.ip().to_canonical().is_loopback() {
            // There is nothing to be congested, and algorithms that pace by timers (BBR) cost up to half of the bandwidth.
            let _ = sockopt::set_tcp_congestion(socket, UNPACED);
        }
        Ok(())
    };
    set().map_err(|e: std::io::Error| Error::because("setting up a connection", e))
}
