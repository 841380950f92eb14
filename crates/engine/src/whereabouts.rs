//! Where a process listens, as published to its peers: the addresses of its host that they may try ([`ferrite_os::interfaces`]).

use crate::{Error, Result};
use ferrite_os::interfaces::{self, Interface};
use ring::digest;
use std::{
    fs,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
};

/// Bytes of a host's name.
pub const HOST_BYTES: usize = 16;

/// Where one process listens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Whereabouts {
    /// Distinguishes hosts: loopback leads to the same process only if this is equal.
    pub host: [u8; HOST_BYTES],
    /// The addresses, most promising first.
    pub addresses: Vec<SocketAddr>,
}

impl Whereabouts {
    /// The whereabouts of a socket that is bound to one address, or to all addresses of this host, whose interfaces are `all`.
    pub fn of(socket: SocketAddr, all: &[Interface]) -> Whereabouts {
        let speaks = |ip: &IpAddr| socket.is_ipv6() || ip.is_ipv4();
        let addresses = match socket.ip().is_unspecified() {
            true => interfaces::published(all)
                .into_iter()
                .filter(speaks)
                .map(|ip| SocketAddr::new(ip, socket.port()))
                .collect(),
            false => vec![socket],
        };
        Whereabouts { host: this_host(), addresses }
    }

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

    /// Decode the bytes of [`Whereabouts::encode`].
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

    /// The addresses of `peer` to try from here. Loopback is tried on the same host only, and comes first there.
    pub fn ways_to(&self, peer: &Whereabouts) -> Vec<SocketAddr> {
        let makes_sense = |a: &SocketAddr| !a.ip().is_loopback() || self.host == peer.host;
        let mut ways: Vec<SocketAddr> = peer.addresses.iter().copied().filter(makes_sense).collect();
        ways.sort_by_key(|way| !way.ip().is_loopback());
        ways
    }
}

/// Addresses for a socket that peers reach. It is bound to the first, or to the second if the host does not support the first one's family.
/// Peers of one host need loopback only; otherwise an IPv6 socket receives both families.
pub fn places_to_listen(one_host: bool) -> [IpAddr; 2] {
    match one_host {
        true => [Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()],
        false => [Ipv6Addr::UNSPECIFIED.into(), Ipv4Addr::UNSPECIFIED.into()],
    }
}

/// The interfaces of this host.
pub fn interfaces() -> Result<Vec<Interface>> {
    interfaces::all().map_err(|e| Error::because("listing the network interfaces", e))
}

/// A name for this host's network: equal exactly if loopback is shared.
pub fn this_host() -> [u8; HOST_BYTES] {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let network = fs::read_link("/proc/self/ns/net").unwrap_or_default();
    let mut name = digest::Context::new(&digest::SHA256);
    name.update(boot.as_bytes());
    name.update(network.as_os_str().as_encoded_bytes());
    let mut host = [0; HOST_BYTES];
    host.copy_from_slice(&name.finish().as_ref()[..HOST_BYTES]);
    host
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whereabouts_travel_unchanged_or_not_at_all() {
        let addresses = ["10.1.2.3:4", "[fe80::1]:65535", "127.0.0.1:9"].map(|a| a.parse().unwrap()).to_vec();
        let here = Whereabouts { host: [7; HOST_BYTES], addresses };
        let bytes = here.encode();
        assert_eq!(Whereabouts::decode(&bytes).unwrap(), here);
        let cuts: Vec<usize> = (0..bytes.len()).filter(|&len| Whereabouts::decode(&bytes[..len]).is_ok()).collect();
        assert_eq!(cuts, [16, 23, 42], "only where an address ends");
    }

    #[test]
    fn loopback_is_tried_on_the_same_host_alone_and_first_there() {
        let at = |host: u8| Whereabouts {
            host: [host; HOST_BYTES],
            addresses: ["10.0.0.1:1", "127.0.0.1:1"].map(|a| a.parse().unwrap()).to_vec(),
        };
        assert_eq!(at(1).ways_to(&at(1))[0], "127.0.0.1:1".parse().unwrap());
        assert_eq!(at(1).ways_to(&at(2)), ["10.0.0.1:1".parse().unwrap()]);
    }

    #[test]
    fn this_host_has_an_address() {
        assert!(!interfaces::published(&interfaces().unwrap()).is_empty());
        assert_eq!(this_host(), this_host());
    }
}
