//! Finds out which PEs share a host, from what each PE reports about itself.
//!
//! A launcher's own map of nodes is not used: two nodes of Slurm may be one machine, one node of a launcher may be
//! several containers, and ranks need not be assigned in blocks. Each PE publishes an identity made of everything that
//! must be equal for memory to be shared. A tree of readers joins the identities, and PE 0 publishes the map of nodes (`kvs`).

use crate::{NodeMap, Secret};
use ferrite_fabric::Pe;
use rustix::process::geteuid;
use std::collections::HashMap;
use std::fs;

/// A host is identified by the digest of its identity, whose length does not depend on the host's name.
pub(crate) type Digest = [u8; 16];

/// The digest of an identity.
pub(crate) fn digest(identity: &[u8]) -> Digest {
    let whole = ring::digest::digest(&ring::digest::SHA256, identity);
    *whole.as_ref().first_chunk().expect("SHA-256 gives 32 bytes")
}

/// The properties that two processes must share to share memory by way of an abstract socket: the booted kernel (its id is drawn anew at
/// each boot; the host name distinguishes machines restored from one snapshot), the network namespace, and the user. Containers of one rank
/// each may have their own PID, IPC and UTS namespaces, as long as they do not change the host name. A property that cannot be read counts
/// as equal everywhere.
pub(crate) fn identity() -> Vec<u8> {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let mut identity = boot.trim().as_bytes().to_vec();
    identity.push(b' ');
    identity.extend(rustix::system::uname().nodename().to_bytes());
    let networks = fs::read_link("/proc/self/ns/net").unwrap_or_default();
    identity.push(b' ');
    identity.extend(networks.as_os_str().as_encoded_bytes());
    let user = outer_user(&fs::read_to_string("/proc/self/uid_map").unwrap_or_default(), geteuid().as_raw());
    identity.extend(format!(" {user}").bytes());
    identity
}

/// The id of a user outside of a user namespace with this map. Each line has the first id inside, the first id outside, and their number.
fn outer_user(map: &str, user: u32) -> u32 {
    let outer = |line: &str| {
        let mut numbers = line.split_whitespace().map(|number| number.parse::<u32>().ok());
        let (inside, outside, count) = (numbers.next()??, numbers.next()??, numbers.next()??);
        let at = user.checked_sub(inside).filter(|&at| at < count)?;
        outside.checked_add(at)
    };
    map.lines().find_map(outer).unwrap_or(user)
}

/// The hosts of successive PEs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Hosts {
    /// The host of each node, in the order of the nodes of the map.
    names: Vec<Digest>,
    nodes: NodeMap,
}

impl Hosts {
    /// The host of one PE.
    pub fn of(host: Digest) -> Hosts {
        Hosts { names: vec![host], nodes: NodeMap::one(1) }
    }

    /// Join the hosts of successive ranges of PEs.
    pub fn join(parts: &[Hosts]) -> Hosts {
        let (mut names, mut numbers) = (Vec::new(), HashMap::new());
        let mut of_pes = Vec::new();
        for part in parts {
            let here = part.names.iter().map(|name| {
                *numbers.entry(*name).or_insert_with(|| {
                    names.push(*name);
                    names.len() as u32 - 1
                })
            });
            let here: Vec<u32> = here.collect();
            of_pes.extend((0..part.nodes.size()).map(|pe| here[part.nodes.node_of(Pe(pe)) as usize]));
        }
        Hosts { names, nodes: NodeMap::of(of_pes) }
    }

    /// Encode as the number of hosts, their digests, and the map.
    pub fn encode(&self) -> Vec<u8> {
        let count = (self.names.len() as u32).to_le_bytes();
        [&count[..], self.names.as_flattened(), &self.nodes.encode()].concat()
    }

    /// Decode what [`encode`](Self::encode) wrote. Validates everything; `pes` is the expected number of PEs.
    pub fn decode(bytes: &[u8], pes: u32) -> Option<Hosts> {
        let (count, rest) = bytes.split_first_chunk::<4>()?;
        let count = u32::from_le_bytes(*count);
        let (names, nodes) = rest.split_at_checked((count as usize).checked_mul(size_of::<Digest>())?)?;
        let nodes = NodeMap::decode(nodes).filter(|nodes| (nodes.size(), nodes.nodes()) == (pes, count))?;
        Some(Hosts { names: names.as_chunks().0.to_vec(), nodes })
    }

    /// The node of each PE.
    pub fn into_nodes(self) -> NodeMap {
        self.nodes
    }
}

/// The message of PE 0 to all others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Welcome {
    pub secret: Secret,
    /// The node of each PE.
    pub nodes: NodeMap,
}

impl Welcome {
    /// Encode as the secret, then the map.
    pub fn encode(&self) -> Vec<u8> {
        [&self.secret.bytes()[..], &self.nodes.encode()].concat()
    }

    /// Decode what [`encode`](Self::encode) wrote. Validates everything; `size` is the expected number of PEs.
    pub fn decode(bytes: &[u8], size: u32) -> Option<Welcome> {
        let (secret, nodes) = bytes.split_first_chunk::<{ Secret::BYTES }>()?;
        let nodes = NodeMap::decode(nodes).filter(|nodes| nodes.size() == size)?;
        Some(Welcome { secret: Secret::of(*secret), nodes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_are_known_by_their_numbers_outside() {
        assert_eq!(outer_user("         0          0 4294967295\n", 1000), 1000);
        assert_eq!(outer_user("0 1000 1\n1 100000 65536\n", 0), 1000);
        assert_eq!(outer_user("0 1000 1\n1 100000 65536\n", 5), 100_004);
        assert_eq!([outer_user("0 1000 1\n", 7), outer_user("junk", 7), outer_user("", 7)], [7; 3]);
    }

    #[test]
    fn a_process_is_on_its_own_host() {
        let (one, two) = (identity(), identity());
        assert_eq!(one, two);
        assert!(one.len() > 36 && String::from_utf8_lossy(&one).contains("net:["), "{one:?}");
    }

    #[test]
    fn hosts_come_together_whatever_parts_they_come_in() {
        let table = [7, 7, 3, 9, 3, 7, 1, 1, 9, 3, 3];
        let one = |name: u8| Hosts::of(digest(&[name]));
        let whole = Hosts::join(&table.map(one));
        assert_eq!(whole.nodes, NodeMap::of(table.map(u32::from)));
        for each in 1..=table.len() {
            let parts: Vec<Hosts> = table
                .chunks(each)
                .map(|part| Hosts::join(&part.iter().map(|&pe| one(pe)).collect::<Vec<_>>()))
                .collect();
            assert_eq!(Hosts::join(&parts), whole, "parts of {each}");
        }
        let bytes = whole.encode();
        assert_eq!(Hosts::decode(&bytes, 11), Some(whole.clone()));
        assert_eq!(Hosts::decode(&bytes, 10), None);
        for cut in 0..bytes.len() {
            assert_eq!(Hosts::decode(&bytes[..cut], 11), None, "the first {cut} bytes");
        }
        let [mut more, mut huge] = [bytes.clone(), bytes];
        more[0] += 1;
        huge[..4].copy_from_slice(&[255; 4]);
        assert_eq!([more, huge].map(|wrong| Hosts::decode(&wrong, 11)), [None, None]);
    }

    #[test]
    fn a_welcome_is_read_as_it_was_written() {
        let welcome = Welcome { secret: Secret::of([7; 16]), nodes: NodeMap::of([0, 1, 0]) };
        let bytes = welcome.encode();
        assert_eq!(Welcome::decode(&bytes, 3), Some(welcome));
        assert_eq!(Welcome::decode(&bytes, 4), None);
        assert_eq!(Welcome::decode(&bytes[..20], 3), None);
        assert_eq!(Welcome::decode(&bytes[..10], 3), None);
    }
}
