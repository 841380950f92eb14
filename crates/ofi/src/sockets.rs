//! The TCP sockets of a provider, which keeps them to itself: they are known by their addresses, for peers find the service by that of
//! its listener.
//!
//! So the socket of a connection to this PE has the service's address, and that of one from here has a peer's service at its other
//! end.

use ferrite_fabric::{
    mutex,
    sockets::{self, Occasions, Tcp},
};
use std::{
    collections::HashSet,
    net::{IpAddr, SocketAddr},
    os::fd::RawFd,
    sync::Mutex,
};

/// Which sockets are the provider's.
pub struct Sockets {
    /// The service's address; none if the provider has no sockets.
    service: Option<SocketAddr>,
    /// Those of the services that this PE may have connected to.
    peers: Mutex<HashSet<SocketAddr>>,
    occasions: Occasions,
}

impl Sockets {
    /// Those of a provider that moves data through TCP, or not, by the service's address in the provider's format.
    pub fn new(any: bool, service: &[u8]) -> Self {
        let service = if any { read(service) } else { None };
        Sockets { service, peers: Mutex::default(), occasions: Occasions::default() }
    }

    /// There may soon be a connection to a peer whose service has this address.
    pub fn meet(&self, peer: &[u8]) {
        if self.service.is_some()
            && let Some(peer) = read(peer)
        {
            mutex::lock(&self.peers).insert(peer);
            self.occasions.renew();
        }
    }

    /// Those of the provider's among these descriptors of this process.
    pub fn among(&self, numbers: impl IntoIterator<Item = RawFd>) -> Vec<Tcp> {
        let Some(service) = self.service else { return Vec::new() };
        let peers = mutex::lock(&self.peers);
        let is_ours = |tcp: &Tcp| tcp.near == service || tcp.far.is_some_and(|far| peers.contains(&far));
        numbers.into_iter().filter_map(Tcp::of).filter(is_ours).collect()
    }

    /// An occasion to spare connections that stay on this host what is of use on a network.
    #[cold]
    pub fn unpace(&self) {
        if self.service.is_none() || !self.occasions.is_due() {
            return;
        }
        let stay = self.among(sockets::numbers().unwrap_or_default()).iter().filter(|tcp| tcp.unpace()).count();
        tracing::debug!(stay, "connections that stay on this host");
    }
}

/// A socket's address as libfabric gives and takes it: as the system does.
fn read(address: &[u8]) -> Option<SocketAddr> {
    let family = u16::from_ne_bytes(*address.first_chunk()?);
    let port = u16::from_be_bytes(address.get(2..4)?.try_into().ok()?);
    let ip = match i32::from(family) {
        libc::AF_INET => IpAddr::from(<[u8; 4]>::try_from(address.get(4..8)?).ok()?),
        libc::AF_INET6 => IpAddr::from(<[u8; 16]>::try_from(address.get(8..24)?).ok()?),
        _ => return None,
    };
    Some(SocketAddr::new(ip.to_canonical(), port))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        net::{Ipv4Addr, Ipv6Addr, TcpListener, TcpStream},
        os::fd::AsRawFd,
    };

    fn bytes(address: SocketAddr) -> Vec<u8> {
        let SocketAddr::V4(address) = address else { panic!("{address}") };
        let (port, ip) = (address.port().to_be_bytes(), address.ip().octets());
        [&(libc::AF_INET as u16).to_ne_bytes()[..], &port, &ip, &[0; 8]].concat()
    }

    #[test]
    fn addresses_are_read() {
        let four: SocketAddr = "10.1.2.3:456".parse().unwrap();
        assert_eq!(read(&bytes(four)), Some(four));
        let family = (libc::AF_INET6 as u16).to_ne_bytes();
        let ip = "fe80::1".parse::<Ipv6Addr>().unwrap();
        let six = [&family[..], &[0x12, 0x34], &[0; 4], &ip.octets(), &[0; 4]].concat();
        assert_eq!(read(&six), Some(SocketAddr::new(ip.into(), 0x1234)));
        for wrong in [&b"fi_shm://1"[..], &bytes(four)[..7], &six[..20], &[2], &[]] {
            assert_eq!(read(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn sockets_are_known_by_their_addresses() {
        let listen = || TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let (service, peer, other) = (listen(), listen(), listen());
        let connect = |to: &TcpListener| TcpStream::connect(to.local_addr().unwrap()).unwrap();
        let (from, to, elsewhere) = (connect(&service), connect(&peer), connect(&other));
        let accepted = service.accept().unwrap().0;
        let sockets = Sockets::new(true, &bytes(service.local_addr().unwrap()));
        sockets.meet(&bytes(peer.local_addr().unwrap()));
        let all = [service.as_raw_fd(), accepted.as_raw_fd(), to.as_raw_fd(), elsewhere.as_raw_fd(), from.as_raw_fd()];
        let found: Vec<_> = sockets.among(all).iter().map(|tcp| tcp.number).collect();
        assert_eq!(found, all[..3]);
        let none = Sockets::new(false, &bytes(service.local_addr().unwrap()));
        none.meet(&bytes(peer.local_addr().unwrap()));
        assert!(none.among(all).is_empty());
    }
}
