//! Where a PE listens, and which of its addresses another PE should try.
//!
//! A host has many addresses, and which of them a peer reaches cannot be told from here: so all that make sense
//! are published, each peer tries them in the order of promise (`networks`), and the opening of the connection (`proof`)
//! shows whether the right PE is at the other end. Bridges without a real interface (those of containers) are left
//! out, since the same address exists on every host; so are link-local addresses.

use crate::networks::{Network, Networks};
use ferrite_fabric::{Error, Result};
use if_addrs::{IfAddr, Interface};
use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, ipproto, listen, socket_with, sockopt};
use sha2::{Digest, Sha256};
use std::{
    fs, io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener},
    path::Path,
};

/// Connections that may wait to be accepted.
const BACKLOG: i32 = 1024;
const HOST_BYTES: usize = 16;

/// Where one PE listens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Whereabouts {
    /// Tells hosts apart: loopback leads to the same PE only where this is equal.
    pub host: [u8; HOST_BYTES],
    /// The addresses, most promising first.
    pub addresses: Vec<SocketAddr>,
}

impl Whereabouts {
    /// The bytes that the bootstrap carries.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = self.host.to_vec();
        for address in &self.addresses {
            match address.ip() {
                IpAddr::V4(ip) => {
                    bytes.push(4);
                    bytes.extend(ip.octets());
                }
                IpAddr::V6(ip) => {
                    bytes.push(6);
                    bytes.extend(ip.octets());
                }
            }
            bytes.extend(address.port().to_le_bytes());
        }
        bytes
    }

    /// What [`Whereabouts::encode`] made.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let wrong = || Error::new(format!("{} bytes are not the address of a PE", bytes.len()));
        let (&host, mut rest) = bytes.split_first_chunk::<HOST_BYTES>().ok_or_else(wrong)?;
        let mut addresses = Vec::new();
        while let Some((&family, tail)) = rest.split_first() {
            let (ip, tail): (IpAddr, _) = match family {
                4 => tail.split_first_chunk::<4>().map(|(ip, t)| ((*ip).into(), t)).ok_or_else(wrong)?,
                6 => tail.split_first_chunk::<16>().map(|(ip, t)| ((*ip).into(), t)).ok_or_else(wrong)?,
                _ => return Err(wrong()),
            };
            let (&port, tail) = tail.split_first_chunk::<2>().ok_or_else(wrong)?;
            addresses.push(SocketAddr::new(ip, u16::from_le_bytes(port)));
            rest = tail;
        }
        Ok(Whereabouts { host, addresses })
    }

    /// The addresses of `peer` that make sense here (loopback on the same host alone), in the order in which `self` should try
    /// them.
    pub fn ways_to(&self, peer: &Whereabouts, networks: &Networks) -> Vec<SocketAddr> {
        let mut ways: Vec<SocketAddr> =
            peer.addresses.iter().copied().filter(|a| !a.ip().is_loopback() || self.host == peer.host).collect();
        networks.sort(&mut ways);
        ways
    }
}

/// The listening sockets of a PE, and where peers find them.
pub struct Ears {
    /// The sockets.
    pub listeners: Vec<TcpListener>,
    /// What is published.
    pub whereabouts: Whereabouts,
    /// Where we are, and what is known of it.
    pub networks: Networks,
}

/// Listen: on all interfaces, or on the one that `wish` names (by name, address, or network as `10.1.0.0/16`).
pub fn listen_on(wish: Option<&str>) -> Result<Ears> {
    let all = if_addrs::get_if_addrs().map_err(|e| Error::because("listing the network interfaces", e))?;
    let networks = Networks::new(all.iter().map(|i| (i.name.clone(), i.ip(), prefix(i))));
    let mut listeners = Vec::new();
    let mut addresses = Vec::new();
    if let Some(wish) = wish {
        for interface in chosen(&all, wish)? {
            let listener = open(SocketAddr::new(interface.ip(), 0))
                .map_err(|e| Error::because(format!("listening on {}", interface.ip()), e))?;
            addresses.push(local(&listener)?);
            listeners.push(listener);
        }
    } else {
        let any = open((Ipv6Addr::UNSPECIFIED, 0).into()).or_else(|_| open((Ipv4Addr::UNSPECIFIED, 0).into()));
        let listener = any.map_err(|e| Error::because("listening for peers", e))?;
        let at = local(&listener)?;
        addresses.extend(published(&all).map(|ip| SocketAddr::new(ip, at.port())));
        addresses.retain(|a| at.is_ipv6() || a.is_ipv4());
        listeners.push(listener);
    }
    Ok(Ears { listeners, whereabouts: Whereabouts { host: host(), addresses }, networks })
}

/// The addresses at which peers would look for a PE of this host, most promising first.
pub fn survey(wish: Option<&str>) -> Result<Vec<IpAddr>> {
    let all = if_addrs::get_if_addrs().map_err(|e| Error::because("listing the network interfaces", e))?;
    Ok(match wish {
        Some(wish) => chosen(&all, wish)?.into_iter().map(Interface::ip).collect(),
        None => published(&all).collect(),
    })
}

fn local(listener: &TcpListener) -> Result<SocketAddr> {
    listener.local_addr().map_err(|e| Error::because("asking for the port that we listen on", e))
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

fn published(all: &[Interface]) -> impl Iterator<Item = IpAddr> {
    let usable = |i: &&Interface| !i.is_link_local();
    let outward = |i: &&Interface| !i.is_loopback() && !is_inner_bridge(&i.name);
    let mut some: Vec<&Interface> = all.iter().filter(usable).filter(outward).collect();
    if some.is_empty() {
        some = all.iter().filter(usable).filter(|i| !i.is_loopback()).collect();
    }
    some.sort_by_key(|i| (!has_device(&i.name), i.ip().is_ipv6()));
    let mut loopback: Vec<IpAddr> = all.iter().filter(|i| i.is_loopback()).map(Interface::ip).collect();
    loopback.sort_by_key(IpAddr::is_ipv6);
    some.into_iter().map(Interface::ip).collect::<Vec<_>>().into_iter().chain(loopback)
}

fn has_device(name: &str) -> bool {
    Path::new("/sys/class/net").join(name).join("device").exists()
}

/// A bridge to which no real interface belongs.
fn is_inner_bridge(name: &str) -> bool {
    let path = Path::new("/sys/class/net").join(name);
    if !path.join("bridge").exists() {
        return false;
    }
    let members = fs::read_dir(path.join("brif")).into_iter().flatten().flatten();
    !members.into_iter().any(|member| has_device(&member.file_name().to_string_lossy()))
}

/// A name for this host's network: equal exactly where loopback is shared.
fn host() -> [u8; HOST_BYTES] {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let network = fs::read_link("/proc/self/ns/net").unwrap_or_default();
    let name = Sha256::new().chain_update(boot).chain_update(network.as_os_str().as_encoded_bytes()).finalize();
    let mut host = [0; HOST_BYTES];
    host.copy_from_slice(&name[..HOST_BYTES]);
    host
}

fn open(at: SocketAddr) -> io::Result<TcpListener> {
    let family = if at.is_ipv6() { AddressFamily::INET6 } else { AddressFamily::INET };
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(family, SocketType::STREAM, flags, Some(ipproto::TCP))?;
    if at.is_ipv6() {
        // One socket for both families.
        sockopt::set_ipv6_v6only(&socket, false)?;
    }
    bind(&socket, &at)?;
    listen(&socket, BACKLOG)?;
    Ok(socket.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> SocketAddr {
        text.parse().unwrap()
    }

    fn whereabouts(host: u8, addresses: &[&str]) -> Whereabouts {
        Whereabouts { host: [host; 16], addresses: addresses.iter().map(|a| at(a)).collect() }
    }

    #[test]
    fn addresses_survive_the_bootstrap() {
        let some = whereabouts(9, &["10.0.0.1:7", "[fd00::1]:65535", "127.0.0.1:80"]);
        let bytes = some.encode();
        assert_eq!(Whereabouts::decode(&bytes).unwrap(), some);
        for len in 0..bytes.len() {
            if let Ok(less) = Whereabouts::decode(&bytes[..len]) {
                assert!(less.addresses.len() < 3, "{len} of {} bytes", bytes.len());
            }
        }
        Whereabouts::decode(&[&bytes[..], &[5]].concat()).unwrap_err();
    }

    #[test]
    fn loopback_first_on_one_host_and_never_across() {
        let me = whereabouts(1, &[]);
        let addresses = ["192.168.1.9:1", "10.0.0.9:1", "127.0.0.1:1"];
        let networks = Networks::new([("eth0".to_owned(), "10.0.0.1".parse().unwrap(), 8)].into_iter());
        let ways = |host| me.ways_to(&whereabouts(host, &addresses), &networks);
        assert_eq!(ways(1), [at("127.0.0.1:1"), at("10.0.0.9:1"), at("192.168.1.9:1")]);
        assert_eq!(ways(2), [at("10.0.0.9:1"), at("192.168.1.9:1")]);
    }

    #[test]
    fn what_is_said_beforehand_is_what_is_published() {
        let ears = listen_on(None).unwrap();
        let mut said = survey(None).unwrap();
        said.retain(|ip| ears.listeners[0].local_addr().unwrap().is_ipv6() || ip.is_ipv4());
        assert_eq!(ears.whereabouts.addresses.iter().map(SocketAddr::ip).collect::<Vec<_>>(), said);
    }

    #[test]
    fn an_interface_is_wished_by_name_address_or_network() {
        for wish in ["lo", "127.0.0.1", "127.0.0.0/8"] {
            let ears = listen_on(Some(wish)).unwrap();
            assert!(ears.whereabouts.addresses.iter().all(|a| a.ip().is_loopback()), "{wish}");
        }
        assert!(survey(Some("lo")).unwrap().iter().all(IpAddr::is_loopback));
        let refused = listen_on(Some("no-such0")).err().unwrap().to_string();
        assert!(refused.contains("no-such0") && refused.contains("lo (127.0.0.1)"), "{refused}");
    }
}
