//! Where a PE listens, and which of its addresses another PE should try.
//!
//! Each peer tries all addresses that are published ([`ferrite_os::interfaces`]), the most promising first (`networks`). The opening
//! of the connection (`proof`) shows whether the right PE is at the other end.

use crate::networks::{Network, Networks};
use ferrite_engine::{
    Error, Result,
    whereabouts::{Whereabouts, interfaces, places_to_listen, this_host},
};
use ferrite_os::{guarded_fd::GuardedFd, interfaces::published};
use if_addrs::{IfAddr, Interface};
use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, getsockname, ipproto, listen, socket_with, sockopt};
use std::{
    io,
    net::{IpAddr, SocketAddr},
    ops::RangeInclusive,
};

/// Connections that may wait to be accepted: as many as the kernel allows (`net.core.somaxconn`). All PEs may connect to one PE at the same
/// moment. If there is no room for a connection, the kernel drops its packets, which are sent again only after seconds.
const BACKLOG: i32 = i32::MAX;

/// The listening sockets of a PE, and where peers find them.
pub struct Listeners {
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

/// The ports that a PE may listen on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Ports {
    /// The kernel chooses a free port.
    #[default]
    Any,
    /// A port of this range, for a firewall that lets others pass nothing.
    Within {
        /// First and last port.
        range: RangeInclusive<u16>,
        /// Index in the range of the port to try first, modulo the length of the range. It differs between the PEs of a host.
        start: u32,
    },
}

impl Ports {
    /// The ports in the order in which they are tried.
    fn candidates(&self) -> Vec<u16> {
        match self {
            Ports::Any => vec![0],
            Ports::Within { range, start } => {
                let mut all: Vec<u16> = range.clone().collect();
                let count = all.len().max(1);
                all.rotate_left(*start as usize % count);
                all
            }
        }
    }

    /// Listen at an address on the first port that is free.
    fn open(&self, ip: IpAddr) -> io::Result<GuardedFd> {
        let is_chosen = *self != Ports::Any;
        let mut taken = io::Error::from(io::ErrorKind::AddrInUse);
        for port in self.candidates() {
            match open(SocketAddr::new(ip, port), is_chosen) {
                Err(error) if is_chosen && error.kind() == io::ErrorKind::AddrInUse => taken = error,
                result => return result,
            }
        }
        Err(match self {
            Ports::Any => taken,
            Ports::Within { range, .. } => io::Error::other(format!(
                "no port from {} to {} is free here (SHMEM_TCP_PORTS); each PE of a host needs one",
                range.start(),
                range.end()
            )),
        })
    }
}

/// Listen on all interfaces, or only on the interface that `wish` names (by name, address, or network as `10.1.0.0/16`). If all peers are
/// on this host, listen on loopback, unless `wish` names another interface.
pub fn listen_on(wish: Option<&str>, ports: &Ports, one_host: bool) -> Result<Listeners> {
    let all = interfaces()?;
    let networks = Networks::new(all.iter().map(|i| (i.name.clone(), i.ip(), prefix(i))));
    let mut sockets = Vec::new();
    let whereabouts = if let Some(wish) = wish {
        let mut addresses = Vec::new();
        for interface in chosen(&all, wish)? {
            let listener = ports
                .open(interface.ip())
                .map_err(|e| Error::because(format!("listening on {}", interface.ip()), e))?;
            addresses.push(local(&listener)?);
            sockets.push(listener);
        }
        Whereabouts { host: this_host(), addresses }
    } else {
        let [first, second] = places_to_listen(one_host);
        let listener =
            ports.open(first).or_else(|_| ports.open(second)).map_err(|e| Error::because("listening for peers", e))?;
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
        None => published(&all),
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
        return Err(Error::new(format!(
            "SHMEM_TCP_IFACE={wish} is no network interface of this host, which has \
                                       {known}"
        )));
    }
    Ok(chosen)
}

/// Listen at an address. `is_chosen`: the port may still be known to the kernel from an earlier job, which is no reason to refuse it.
fn open(at: SocketAddr, is_chosen: bool) -> io::Result<GuardedFd> {
    let family = if at.is_ipv6() { AddressFamily::INET6 } else { AddressFamily::INET };
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(family, SocketType::STREAM, flags, Some(ipproto::TCP))?;
    if at.is_ipv6() {
        // One socket for both families.
        sockopt::set_ipv6_v6only(&socket, false)?;
    }
    if is_chosen {
        sockopt::set_socket_reuseaddr(&socket, true)?;
    }
    bind(&socket, &at)?;
    listen(&socket, BACKLOG)?;
    GuardedFd::new(socket)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pes_of_a_host_share_a_range_of_ports_until_it_is_used_up() {
        // Other processes may hold ports of a range, or all of them, and let them go at any time.
        let use_up = |range: RangeInclusive<u16>| {
            let mut all: Vec<(u16, Listeners)> = Vec::new();
            loop {
                let ports = Ports::Within { range: range.clone(), start: 7 };
                let listeners = match listen_on(None, &ports, false) {
                    Ok(listeners) => listeners,
                    Err(why) => return (all, why.to_string()),
                };
                let port = listeners.whereabouts.addresses[0].port();
                assert!(range.contains(&port) && all.iter().all(|(known, _)| *known != port), "{port}");
                all.push((port, listeners));
            }
        };
        let tried = (0..1000).find_map(|_| {
            let free = local(&listen_on(None, &Ports::Any, false).unwrap().sockets[0]).unwrap().port();
            let range = free.min(u16::MAX - 2)..=free.min(u16::MAX - 2) + 2;
            let (all, why) = use_up(range.clone());
            assert!(why.contains(&format!("no port from {} to {} is free", range.start(), range.end())), "{why}");
            (!all.is_empty()).then_some(())
        });
        assert!(tried.is_some(), "others hold all ports");
        let candidates = |start| Ports::Within { range: 5..=8, start }.candidates();
        assert_eq!((candidates(0), candidates(6)), (vec![5, 6, 7, 8], vec![7, 8, 5, 6]));
    }

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
        let here = listen_on(None, &Ports::Any, false).unwrap();
        let mut said = survey(None).unwrap();
        said.retain(|ip| local(&here.sockets[0]).unwrap().is_ipv6() || ip.is_ipv4());
        assert_eq!(here.whereabouts.addresses.iter().map(SocketAddr::ip).collect::<Vec<_>>(), said);
    }

    #[test]
    fn pes_of_one_host_listen_on_loopback_alone() {
        let here = listen_on(None, &Ports::Any, true).unwrap();
        let bound: Vec<SocketAddr> = here.sockets.iter().map(|socket| local(socket).unwrap()).collect();
        assert!(!bound.is_empty() && bound.iter().all(|at| at.ip().is_loopback()), "{bound:?}");
        assert_eq!(here.whereabouts.addresses, bound);
    }

    #[test]
    fn an_interface_is_wished_by_name_address_or_network() {
        for wish in ["lo", "127.0.0.1", "127.0.0.0/8"] {
            let here = listen_on(Some(wish), &Ports::Any, true).unwrap();
            assert!(here.whereabouts.addresses.iter().all(|a| a.ip().is_loopback()), "{wish}");
        }
        assert!(survey(Some("lo")).unwrap().iter().all(IpAddr::is_loopback));
        let refused = listen_on(Some("no-such0"), &Ports::Any, false).err().unwrap().to_string();
        assert!(refused.contains("no-such0") && refused.contains("lo (127.0.0.1)"), "{refused}");
    }
}
