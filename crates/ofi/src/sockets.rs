//! The TCP sockets of a provider, which keeps them to itself: they are known by their addresses, for peers find the service by that of
//! its listener.
//!
//! So the socket of a connection to this PE has the service's address, and that of one from here has a peer's service at its other
//! end.

use ferrite_fabric::{
    mutex,
    sockets::{self, Occasions, Tcp},
};
use std::{collections::HashSet, io, net::SocketAddr, sync::Mutex};

/// Which sockets are the provider's.
pub struct Sockets {
    /// The service's address; none if the provider has no sockets.
    service: Option<SocketAddr>,
    /// Those of the services that this PE may have connected to.
    peers: Mutex<HashSet<SocketAddr>>,
    occasions: Occasions,
}

impl Sockets {
    /// Those of a provider that moves data through TCP, or not, by the service's address in the provider's format, which is the
    /// system's.
    pub fn new(any: bool, service: &[u8]) -> Self {
        let service = if any { sockets::address(service) } else { None };
        Sockets { service, peers: Mutex::default(), occasions: Occasions::default() }
    }

    /// There may soon be a connection to a peer whose service has this address.
    pub fn meet(&self, peer: &[u8]) {
        if let Some(service) = self.service
            && let Some(peer) = sockets::address(peer)
        {
            mutex::lock(&self.peers).insert(peer);
            if sockets::stays_here(service, peer) {
                self.occasions.renew();
            }
        }
    }

    /// All of the provider's, if the system tells of this process's.
    pub fn all(&self) -> io::Result<Vec<Tcp>> {
        let Some(service) = self.service else { return Ok(Vec::new()) };
        let all = sockets::all()?;
        let peers = mutex::lock(&self.peers);
        let is_ours = |tcp: &Tcp| tcp.near == service || tcp.far.is_some_and(|far| peers.contains(&far));
        Ok(all.into_iter().filter(is_ours).collect())
    }

    /// Whether this is where peers connect to.
    pub fn is_service(&self, tcp: &Tcp) -> bool {
        tcp.listens && self.service == Some(tcp.near)
    }

    /// Whether the system tells of where peers connect to.
    pub fn are_found(&self) -> bool {
        self.all().is_ok_and(|all| all.iter().any(|tcp| self.is_service(tcp)))
    }

    /// There are new ones.
    pub fn renew(&self) {
        self.occasions.renew();
    }

    /// An occasion to spare connections that stay on this host what is of use on a network.
    #[cold]
    pub fn unpace(&self) {
        if self.service.is_none() {
            return;
        }
        self.occasions.take(|| {
            let stay = self.all().unwrap_or_default().iter().filter(|tcp| tcp.unpace()).count();
            tracing::debug!(stay, "connections that stay on this host");
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        net::{Ipv4Addr, TcpListener, TcpStream},
        os::fd::AsRawFd,
    };

    fn bytes(address: SocketAddr) -> Vec<u8> {
        let SocketAddr::V4(address) = address else { panic!("{address}") };
        let (port, ip) = (address.port().to_be_bytes(), address.ip().octets());
        [&(libc::AF_INET as u16).to_ne_bytes()[..], &port, &ip, &[0; 8]].concat()
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
        let numbers = |sockets: &Sockets| sockets.all().unwrap().iter().map(|tcp| tcp.number).collect::<HashSet<_>>();
        // And neither of the other ends.
        assert_eq!(numbers(&sockets), HashSet::from([service.as_raw_fd(), accepted.as_raw_fd(), to.as_raw_fd()]));
        drop((from, elsewhere));
        assert!(sockets.are_found());
        let none = Sockets::new(false, &bytes(service.local_addr().unwrap()));
        none.meet(&bytes(peer.local_addr().unwrap()));
        assert!(numbers(&none).is_empty() && !none.are_found());
    }
}
