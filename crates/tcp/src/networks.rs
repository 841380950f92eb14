//! The networks of this host, and what connections have shown about them.
//!
//! An interface may lead nowhere: a second NIC that is cabled elsewhere, a VPN that is down, a network whose firewall swallows packets. The
//! only difference from a good one that can be seen here is that peers do not answer there. The process finds this out once, and not once
//! for each peer: all threads that dial share this record, and try networks that lead nowhere last.
//!
//! The balance counts: a network is tried last while it was silent at least two times more than it led to a peer that proved itself,
//! whether we dialled or the peer. So one host with a dead interface, or one lost packet (the kernel sends it again after a second, which
//! is longer than the head start), does not keep all others away from the network. And the network is still tried if nothing else leads to
//! a peer. Nothing else changes the order: if a slower network was of use to one peer, that is no reason to reach others over it.

use ferrite_os::mutex;
use std::{
    collections::HashMap,
    fmt,
    net::{IpAddr, SocketAddr},
    sync::Mutex,
};

/// Addresses behind routers count as one network if they share a prefix of this length: sites seldom number their networks more coarsely.
const BEYOND_V4: u8 = 16;
const BEYOND_V6: u8 = 48;

/// Addresses that begin with the same bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Network {
    base: IpAddr,
    prefix: u8,
}

impl Network {
    /// The network with a prefix of length `prefix` in which `ip` lies.
    pub fn of(ip: IpAddr, prefix: u8) -> Self {
        let base = match ip {
            IpAddr::V4(ip) => {
                let mask = u32::MAX.checked_shl(32 - u32::from(prefix.min(32))).unwrap_or(0);
                IpAddr::V4((ip.to_bits() & mask).into())
            }
            IpAddr::V6(ip) => {
                let mask = u128::MAX.checked_shl(128 - u32::from(prefix.min(128))).unwrap_or(0);
                IpAddr::V6((ip.to_bits() & mask).into())
            }
        };
        Network { base, prefix }
    }

    /// Whether `ip` lies in it.
    pub fn has(&self, ip: IpAddr) -> bool {
        self.base.is_ipv4() == ip.is_ipv4() && Network::of(ip, self.prefix) == *self
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.base, self.prefix)
    }
}

/// Counts of what connections have shown about a network.
#[derive(Clone, Copy, Default)]
struct Record {
    /// Number of times a peer proved itself there.
    proven: u32,
    /// Number of times a peer was silent there and answered elsewhere.
    silent: u32,
    told: bool,
}

impl Record {
    /// Whether it was silent more often than bad luck explains.
    fn leads_nowhere(self) -> bool {
        self.silent >= self.proven.saturating_add(2)
    }
}

/// The networks of a host.
#[derive(Default)]
pub struct Networks {
    /// The networks of this host, with the names of their interfaces.
    ours: Vec<(Network, String)>,
    known: Mutex<HashMap<Network, Record>>,
}

impl Networks {
    /// The networks of interfaces with these names, addresses and lengths of prefixes.
    pub fn new(interfaces: impl Iterator<Item = (String, IpAddr, u8)>) -> Self {
        Networks {
            ours: interfaces.map(|(name, ip, prefix)| (Network::of(ip, prefix), name)).collect(),
            known: Mutex::default(),
        }
    }

    /// The narrowest of our networks in which an address lies.
    fn our(&self, ip: IpAddr) -> Option<Network> {
        self.ours.iter().map(|(network, _)| *network).filter(|network| network.has(ip)).max_by_key(|n| n.prefix)
    }

    fn via(&self, ip: IpAddr) -> Network {
        self.our(ip).unwrap_or_else(|| Network::of(ip, if ip.is_ipv4() { BEYOND_V4 } else { BEYOND_V6 }))
    }

    /// Sort a peer's addresses. Addresses on networks that lead nowhere come last. Before them come loopback, then addresses on networks of
    /// ours, then the rest, each in the peer's order.
    pub fn sort(&self, ways: &mut [SocketAddr]) {
        let known = mutex::lock(&self.known);
        ways.sort_by_cached_key(|way| {
            let ip = way.ip();
            let record = known.get(&self.via(ip)).copied().unwrap_or_default();
            (record.leads_nowhere(), !ip.is_loopback(), self.our(ip).is_none())
        });
    }

    /// Record that a peer has proven itself at this address.
    pub fn proven(&self, ip: IpAddr) {
        let ip = ip.to_canonical();
        let mut known = mutex::lock(&self.known);
        let record = known.entry(self.via(ip)).or_default();
        record.proven = record.proven.saturating_add(1);
    }

    /// Record that a peer has proven itself at `won`, while it did not answer at the `silent` addresses. Return warnings for the user, once
    /// for each network.
    pub fn learn(&self, won: IpAddr, silent: &[IpAddr]) -> Vec<String> {
        self.proven(won);
        let good = self.via(won);
        let mut networks: Vec<(Network, IpAddr)> = Vec::new();
        for &ip in silent {
            // If the same network leads to another address of the peer, nothing is wrong with the network.
            if self.via(ip) != good && networks.iter().all(|(network, _)| *network != self.via(ip)) {
                networks.push((self.via(ip), ip));
            }
        }
        let mut known = mutex::lock(&self.known);
        networks.retain(|(network, _)| {
            let record = known.entry(*network).or_default();
            record.silent = record.silent.saturating_add(1);
            record.leads_nowhere() && !std::mem::replace(&mut record.told, true)
        });
        drop(known);
        networks.iter().map(|&(network, ip)| self.warning(network, ip, good)).collect()
    }

    fn warning(&self, bad: Network, ip: IpAddr, good: Network) -> String {
        let (bad, better) = (self.name(bad), self.name(good));
        let is_told = !good.base.is_loopback() && good.prefix < if good.base.is_ipv4() { 32 } else { 128 };
        let advice = if is_told && self.ours.iter().any(|(network, _)| *network == good) {
            format!("set SHMEM_TCP_IFACE={good}")
        } else {
            "set SHMEM_TCP_IFACE to a network that does".to_owned()
        };
        format!(
            "a peer did not answer at {ip}, over {bad}, but did over {better}: if the former does not connect the \
             hosts, {advice}"
        )
    }

    /// Name of a network for users, with the interfaces that are on it.
    fn name(&self, network: Network) -> String {
        let on_it = self.ours.iter().filter(|(ours, _)| *ours == network).map(|(_, name)| name.as_str());
        match on_it.collect::<Vec<_>>().join(", ") {
            names if names.is_empty() => format!("a router ({network})"),
            names => format!("{names} ({network})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn networks() -> Networks {
        let some =
            [("lo", "127.0.0.1", 8), ("dead0", "10.1.0.1", 24), ("eth0", "10.2.0.1", 24), ("all", "10.2.0.2", 8)];
        Networks::new(some.into_iter().map(|(name, at, prefix)| (name.to_owned(), ip(at), prefix)))
    }

    fn sorted(networks: &Networks, ways: &[&str]) -> Vec<String> {
        let mut ways: Vec<SocketAddr> = ways.iter().map(|way| SocketAddr::new(ip(way), 1)).collect();
        networks.sort(&mut ways);
        ways.iter().map(|way| way.ip().to_string()).collect()
    }

    #[test]
    fn an_address_lies_in_the_narrowest_network() {
        let some = networks();
        for (at, via) in [
            ("10.1.0.9", "10.1.0.0/24"),
            ("10.1.1.9", "10.0.0.0/8"),
            ("192.168.7.9", "192.168.0.0/16"),
            ("fd00:1:2:3::9", "fd00:1:2::/48"),
        ] {
            assert_eq!(some.via(ip(at)).to_string(), via);
        }
        assert!(Network::of(ip("1.2.3.4"), 0).has(ip("200.1.1.1")) && !Network::of(ip("1.2.3.4"), 0).has(ip("::1")));
    }

    #[test]
    fn what_leads_nowhere_is_tried_last() {
        let some = networks();
        let peer = ["10.1.0.9", "192.168.0.9", "10.2.0.9", "127.0.0.1"];
        assert_eq!(sorted(&some, &peer), ["127.0.0.1", "10.1.0.9", "10.2.0.9", "192.168.0.9"]);
        assert!(some.learn(ip("10.2.0.9"), &[ip("10.1.0.9")]).is_empty());
        let other = ["10.1.0.7", "192.168.0.7", "10.2.0.7"];
        assert_eq!(sorted(&some, &other), ["10.1.0.7", "10.2.0.7", "192.168.0.7"], "once is bad luck");
        some.learn(ip("10.2.0.8"), &[ip("10.1.0.8")]);
        assert_eq!(sorted(&some, &other), ["10.2.0.7", "192.168.0.7", "10.1.0.7"]);
        // A peer dials us there, or the network works again: it is as good as the other.
        some.proven(ip("::ffff:10.1.0.5"));
        assert_eq!(sorted(&some, &other), ["10.1.0.7", "10.2.0.7", "192.168.0.7"]);
    }

    #[test]
    fn one_dead_interface_of_a_peer_does_not_condemn_a_network() {
        let some = networks();
        some.learn(ip("10.1.0.8"), &[]);
        some.learn(ip("10.2.0.9"), &[ip("10.1.0.9")]);
        some.learn(ip("10.2.0.9"), &[ip("10.1.0.9")]);
        assert_eq!(sorted(&some, &["10.1.0.7", "10.2.0.7"]), ["10.1.0.7", "10.2.0.7"]);
        // Nor does one silent address condemn it if another address of the same network leads to the peer.
        assert!(some.learn(ip("10.2.0.9"), &[ip("10.2.0.10")]).is_empty());
    }

    #[test]
    fn a_network_is_warned_of_once_by_name() {
        let some = networks();
        assert!(some.learn(ip("10.2.0.9"), &[ip("10.1.0.9"), ip("10.1.0.10")]).is_empty());
        let said = some.learn(ip("10.2.0.9"), &[ip("10.1.0.9"), ip("10.1.0.10")]);
        assert_eq!(
            said,
            [
                "a peer did not answer at 10.1.0.9, over dead0 (10.1.0.0/24), but did over eth0 (10.2.0.0/24): if the former \
              does not connect the hosts, set SHMEM_TCP_IFACE=10.2.0.0/24"
            ]
        );
        assert!(some.learn(ip("10.2.0.7"), &[ip("10.1.0.7")]).is_empty());
        some.learn(ip("127.0.0.1"), &[ip("192.168.0.9")]);
        let said = some.learn(ip("127.0.0.1"), &[ip("192.168.0.9")]);
        assert!(
            said[0].contains("a router (192.168.0.0/16)") && said[0].contains("set SHMEM_TCP_IFACE to a network"),
            "{said:?}"
        );
    }
}
