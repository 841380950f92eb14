//! Congestion control of connections that stay on this host.
//!
//! Between two PEs of one host nothing can be congested, but congestion control still has a cost. Algorithms that pace by timers (BBR) cost
//! up to half of a stream's bandwidth, and updating their model of the path with each message takes time (3 % of a get of 8 bytes). So such
//! connections get the simplest algorithm, which every Linux has. All others keep the host's own choice.

use rustix::net::{getpeername, getsockname, sockopt};
use std::{net::SocketAddr, os::fd::BorrowedFd};

const SIMPLEST: &str = "reno";

/// Give a connection the simplest algorithm if both its ends are on this host.
pub fn set(socket: BorrowedFd<'_>) {
    if let (Ok(near), Ok(Some(far))) = (getsockname(socket), getpeername(socket))
        && let (Ok(near), Ok(far)) = (near.try_into(), far.try_into())
        && stays_here(near, far)
    {
        // A failure does no harm: the connection works with any algorithm.
        let _ = sockopt::set_tcp_congestion(socket, SIMPLEST);
    }
}

fn stays_here(near: SocketAddr, far: SocketAddr) -> bool {
    let (near, far) = (near.ip().to_canonical(), far.ip().to_canonical());
    near == far || near.is_loopback() && far.is_loopback()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        net::{TcpListener, TcpStream},
        os::fd::AsFd,
    };

    #[test]
    fn a_connection_within_the_host_gets_the_simplest() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let socket = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        set(socket.as_fd());
        assert_eq!(sockopt::tcp_congestion(&socket).unwrap(), SIMPLEST);
    }

    #[test]
    fn one_address_or_loopback_is_one_host() {
        for (near, far, stays) in [
            ("127.0.0.1:1", "127.1.0.1:2", true),
            ("[::ffff:127.0.0.1]:1", "127.0.0.1:2", true),
            ("10.0.0.1:1", "[::ffff:10.0.0.1]:2", true),
            ("10.0.0.1:1", "10.0.0.2:1", false),
            ("[::1]:1", "[fd00::1]:1", false),
        ] {
            assert_eq!(stays_here(near.parse().unwrap(), far.parse().unwrap()), stays, "{near} {far}");
        }
    }
}
