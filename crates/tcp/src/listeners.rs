//! Where a PE listens, and which of its addresses another PE should try.
//!
//! Each peer tries all addresses that are published ([`ferrite_engine::whereabouts`]), the most promising first (`networks`). The opening
//! of the connection (`proof`) shows whether the right PE is at the other end.

use crate::networks::{Network, Networks};
use ferrite_engine::{
    Error, Result,
    whereabouts::{Whereabouts, interfaces, places_to_listen, published, this_host},
};
use ferrite_os::guarded_fd::GuardedFd;
use if_addrs::{IfAddr, Interface};
use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, getsockname, ipproto, listen, socket_with, sockopt};
use std::{
    io,
    net::{IpAddr, SocketAddr},
};

/// Connections that may wait to be accepted: as many as the kernel allows (`net.core.somaxconn`). All PEs may connect to one PE at the same
/// moment. If there is no room for a connection, the kernel drops its packets, which are sent again only after seconds.
const BACKLOG: i32 = i32::MAX;

/// The listening sockets of a PE, and where peers find them.
pub struct Listeners {
    /// The listening sockets.
    pub sockets: Vec<GuardedFd>,
    /// The host and the addresses that are published.
    pub whereabouts: Whereabouts,
    /// The networks of this host, and what is known of them.
    pub networks: Networks,
}

impl Listeners {
    /// The addresses of a peer that are usable from here, in the order in which to try them.
    pub fn ways_to(&self, peer: &Whereabouts) -> Vec<SocketAddr> {
        let mut ways = self.whereabouts.ways_to(peer);
        self.networks.sort(&mut ways);
        ways
    }
}

/// Listen on all interfaces, or only on the interface that `wish` names (by name, address, or network as `10.1.0.0/16`). If all peers are
/// on this host, listen on loopback, unless `wish` names another interface.
pub fn listen_on(wish: Option<&str>, one_host: bool) -> Result<Listeners> {
    let all = interfaces()?;
    let networks = Networks::new(all.iter().map(|i| (i.name.clone(), i.ip(), prefix(i))));
    let mut sockets = Vec::new();
    let whereabouts = if let Some(wish) = wish {
        let mut addresses = Vec::new();
        for interface in chosen(&all, wish)? {
            let listener = open(SocketAddr::new(interface.ip(), 0))
                .map_err(|e| Error::because(format!("listening on {}", interface.ip()), e))?;
            addresses.push(local(&listener)?);
            sockets.push(listener);
        }
        Whereabouts { host: this_host(), addresses }
    } else {
        let [first, second] = places_to_listen(one_host).map(|ip| SocketAddr::new(ip, 0));
        let listener = open(first).or_else(|_| open(second)).map_err(|e| Error::because("listening for peers", e))?;
        let at = local(&listener)?;
        sockets.push(listener);
        Whereabouts::of(at, &all)
    };
    Ok(Listeners { sockets, whereabouts, networks })
}

/// The addresses at which peers would look for a PE of this host, most promising first.
pub fn survey(wish: Option<&str>) -> Result<Vec<IpAddr>> {
    let all = interfaces()?;
    Ok(match wish {
        Some(wish) => chosen(&all, wish)?.into_iter().map(Interface::ip).collect(),
        None => published(&all).collect(),
    })
}

fn local(listener: &GuardedFd) -> Result<SocketAddr> {
    let ask = || Ok(getsockname(listener.get()?)?.try_into()?);
    ask().map_err(|e: io::Error| Error::because("asking for the port that we listen on", e))
}

fn prefix(interface: &Interface) -> u8 {
    match &interface.addr {
        IfAddr::V4(v4) => v4.prefixlen,
        IfAddr::V6(v6) => v6.prefixlen,
    }
}

fn chosen<'a>(all: &'a [Interface], wish: &str) -> Result<Vec<&'a Interface>> {
    let network = wish.split_once('/').and_then(|(ip, len)| Some((ip.parse().ok()?, len.parse().ok()?)));
    let matches = |i: &&Interface| match network {
        Some((ip, len)) => Network::of(ip, len).has(i.ip()),
        None => i.name == wish || wish.parse() == Ok(i.ip()),
    };
    let chosen: Vec<&Interface> = all.iter().filter(matches).filter(|i| !i.is_link_local()).collect();
    if chosen.is_empty() {
        let names: Vec<String> = all.iter().map(|i| format!("{} ({})", i.name, i.ip())).collect();
        let known = names.join(", ");
        return Err(Error::new(format!("no network interface is {wish:?}: this host has {known}")));
    }
    Ok(chosen)
}

fn open(at: SocketAddr) -> io::Result<GuardedFd> {
    let family = if at.is_ipv6() { AddressFamily::INET6 } else { AddressFamily::INET };
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(family, SocketType::STREAM, flags, Some(ipproto::TCP))?;
    if at.is_ipv6() {
        // One socket for both families.
        sockopt::set_ipv6_v6only(&socket, false)?;
    }
    bind(&socket, &at)?;
    listen(&socket, BACKLOG)?;
    GuardedFd::new(socket)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_first_on_one_host_and_never_across() {
        let at = |text: &str| -> SocketAddr { text.parse().unwrap() };
        let whereabouts = |host: u8, addresses: &[&str]| Whereabouts {
            host: [host; 16],
            addresses: addresses.iter().map(|a| at(a)).collect(),
        };
        let networks = Networks::new([("eth0".to_owned(), "10.0.0.1".parse().unwrap(), 8)].into_iter());
        let me = Listeners { sockets: Vec::new(), whereabouts: whereabouts(1, &[]), networks };
        let ways = |host| me.ways_to(&whereabouts(host, &["192.168.1.9:1", "10.0.0.9:1", "127.0.0.1:1"]));
        assert_eq!(ways(1), [at("127.0.0.1:1"), at("10.0.0.9:1"), at("192.168.1.9:1")]);
        assert_eq!(ways(2), [at("10.0.0.9:1"), at("192.168.1.9:1")]);
    }

    #[test]
    fn what_is_said_beforehand_is_what_is_published() {
        let here = listen_on(None, false).unwrap();
        let mut said = survey(None).unwrap();
        said.retain(|ip| local(&here.sockets[0]).unwrap().is_ipv6() || ip.is_ipv4());
        assert_eq!(here.whereabouts.addresses.iter().map(SocketAddr::ip).collect::<Vec<_>>(), said);
    }

    #[test]
    fn pes_of_one_host_listen_on_loopback_alone() {
        let here = listen_on(None, true).unwrap();
        let bound: Vec<SocketAddr> = here.sockets.iter().map(|socket| local(socket).unwrap()).collect();
        assert!(!bound.is_empty() && bound.iter().all(|at| at.ip().is_loopback()), "{bound:?}");
        assert_eq!(here.whereabouts.addresses, bound);
    }

    #[test]
    fn an_interface_is_wished_by_name_address_or_network() {
        for wish in ["lo", "127.0.0.1", "127.0.0.0/8"] {
            let here = listen_on(Some(wish), true).unwrap();
            assert!(here.whereabouts.addresses.iter().all(|a| a.ip().is_loopback()), "{wish}");
        }
        assert!(survey(Some("lo")).unwrap().iter().all(IpAddr::is_loopback));
        let refused = listen_on(Some("no-such0"), false).err().unwrap().to_string();
        assert!(refused.contains("no-such0") && refused.contains("lo (127.0.0.1)"), "{refused}");
    }
}
