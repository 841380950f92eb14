//! Finds out which PEs share a host, from what each PE reports about itself.
//!
//! A launcher's own map of nodes is not used: two nodes of Slurm may be one machine, one node of a launcher may be
//! several containers, and ranks need not be assigned in blocks. Each PE publishes an identity made of everything that
//! must be equal for memory to be shared. PE 0 reads all identities, and publishes the map of nodes. So PE 0 makes one
//! look-up per PE, and every other PE makes one.

use crate::{NodeMap, Secret};
use rustix::process::geteuid;
use std::collections::HashMap;
use std::fs;

/// The longest identity, in bytes.
const IDENTITY_MAX: usize = 1 << 10;

/// What two processes have in common if they can share memory by way of an abstract socket: the booted kernel (its
/// id is drawn anew at each boot; the name of the host tells apart machines restored from one snapshot), the
/// namespace of networks, and the user. Containers that are each a rank's may have other namespaces of their own, of
/// processes, IPC and host names, as long as they do not change the name. What cannot be read counts as the same
/// everywhere.
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
    identity.truncate(IDENTITY_MAX);
    identity
}

/// Who a user is outside of a namespace of users with this map, whose lines are: first inside, first outside, how many.
fn outer_user(map: &str, user: u32) -> u32 {
    let outer = |line: &str| {
        let mut numbers = line.split_whitespace().map(|number| number.parse::<u32>().ok());
        let (inside, outside, count) = (numbers.next()??, numbers.next()??, numbers.next()??);
        let at = user.checked_sub(inside).filter(|&at| at < count)?;
        outside.checked_add(at)
    };
    map.lines().find_map(outer).unwrap_or(user)
}

/// What PE 0 tells all others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Welcome {
    /// The job's secret.
    pub secret: Secret,
    /// Which PEs share a host.
    pub nodes: NodeMap,
}

impl Welcome {
    /// From what each PE says that its host is.
    pub fn of(secret: Secret, identities: impl IntoIterator<Item = Vec<u8>>) -> Welcome {
        let mut hosts = HashMap::new();
        let number = |identity| {
            let next = hosts.len() as u32;
            *hosts.entry(identity).or_insert(next)
        };
        Welcome { secret, nodes: NodeMap::of(identities.into_iter().map(number)) }
    }

    /// The secret, then the map.
    pub fn encode(&self) -> Vec<u8> {
        [&self.secret.bytes()[..], &self.nodes.encode()].concat()
    }

    /// The other way. Trusts nothing; `size` is how many PEs there are.
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
    fn a_welcome_is_read_as_it_was_written() {
        let welcome = Welcome::of(Secret::of([7; 16]), ["a", "b", "a"].map(|host| host.as_bytes().to_vec()));
        assert_eq!(welcome.nodes, NodeMap::of([0, 1, 0]));
        let bytes = welcome.encode();
        assert_eq!(Welcome::decode(&bytes, 3), Some(welcome));
        assert_eq!(Welcome::decode(&bytes, 4), None);
        assert_eq!(Welcome::decode(&bytes[..20], 3), None);
        assert_eq!(Welcome::decode(&bytes[..10], 3), None);
    }
}
