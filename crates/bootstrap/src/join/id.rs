//! The unique id: 128 bytes that any channel may carry to the members. They hold the root's addresses and the secret of one start.

use crate::Secret;
use ferrite_fabric::{Error, Result};
use ferrite_os::interfaces;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// The version of this layout, in the first four bytes, which C sees as an `int`.
pub const VERSION: u32 = 1;
/// Maximum number of addresses.
const ADDRESSES_MAX: usize = 5;
/// Encoded size of an address: its family (4 or 6), then 16 bytes.
const ADDRESS_BYTES: usize = 17;
const CHECK_BYTES: usize = 8;
const USED_BYTES: usize = 4 + Secret::BYTES + 2 + ADDRESSES_MAX * ADDRESS_BYTES + CHECK_BYTES;

/// Identifies one start, and admits to it: it contains the start's secret.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UniqueId {
    secret: Secret,
    port: u16,
    addresses: Vec<IpAddr>,
}

impl UniqueId {
    /// Number of bytes of an encoded id.
    pub const BYTES: usize = 128;

    /// The id of a start whose root listens at `port` of these addresses. Those that do not fit are left out.
    pub(super) fn new(secret: Secret, port: u16, mut addresses: Vec<IpAddr>) -> UniqueId {
        addresses.truncate(ADDRESSES_MAX);
        UniqueId { secret, port, addresses }
    }

    pub(super) fn secret(&self) -> Secret {
        self.secret
    }

    /// Where the root listens.
    pub(super) fn targets(&self) -> Vec<SocketAddr> {
        self.addresses.iter().map(|&address| SocketAddr::new(address, self.port)).collect()
    }

    /// Draw an id, and start its root in this process, under the time limit that the environment sets.
    pub fn draw() -> Result<UniqueId> {
        super::draw_id(super::limit()?)
    }

    /// Encode as bytes. They contain the secret.
    pub fn encode(&self) -> [u8; UniqueId::BYTES] {
        let mut bytes = [VERSION.to_le_bytes().as_slice(), self.secret.bytes(), &self.port.to_le_bytes()].concat();
        for address in &self.addresses {
            match address {
                IpAddr::V4(v4) => bytes.extend([&[4][..], &v4.octets(), &[0; 12]].concat()),
                IpAddr::V6(v6) => bytes.extend([&[6][..], &v6.octets()].concat()),
            }
        }
        bytes.resize(USED_BYTES - CHECK_BYTES, 0);
        bytes.extend(check(&bytes));
        bytes.resize(UniqueId::BYTES, 0);
        bytes.try_into().expect("an id's bytes")
    }

    /// Decode what [`UniqueId::encode`] wrote. The channel may have cut or changed it.
    pub fn decode(bytes: &[u8; UniqueId::BYTES]) -> Result<UniqueId> {
        let (version, rest) = bytes.split_first_chunk::<4>().expect("an id begins with its version");
        let version = u32::from_le_bytes(*version);
        if rest.iter().all(|&byte| byte == 0) {
            return Err(Error::new(
                "the unique id is empty: shmemx_get_uniqueid fills it on one process, and the others get that one's",
            ));
        }
        if version != VERSION {
            return Err(Error::new(format!(
                "the unique id has version {version}, this library {VERSION}: all processes need the same library"
            )));
        }
        let changed = || Error::new("the unique id was changed on its way: all 128 bytes must arrive as they are");
        let (said, check_bytes) = bytes[..USED_BYTES].split_at(USED_BYTES - CHECK_BYTES);
        if check(said) != check_bytes {
            return Err(changed());
        }
        let (secret, rest) = said[4..].split_first_chunk::<{ Secret::BYTES }>().ok_or_else(changed)?;
        let (port, rest) = rest.split_first_chunk::<2>().ok_or_else(changed)?;
        let addresses = rest.as_chunks::<ADDRESS_BYTES>().0.iter().filter_map(|bytes| {
            let (family, octets) = bytes.split_first()?;
            match family {
                4 => Some(IpAddr::from(*octets.first_chunk::<4>()?)),
                6 => Some(IpAddr::from(*octets.first_chunk::<16>()?)),
                _ => None,
            }
        });
        Ok(UniqueId { secret: Secret::of(*secret), port: u16::from_le_bytes(*port), addresses: addresses.collect() })
    }
}

/// Detects changes by accident. Changes by an attacker are detected by the proof.
fn check(said: &[u8]) -> [u8; CHECK_BYTES] {
    *crate::host::digest(said).first_chunk().expect("a digest is longer")
}

/// The addresses of this host that other processes may reach, the most likely first: addresses of networks, then loopback.
pub(super) fn addresses() -> Vec<IpAddr> {
    let mut found = interfaces::published(&interfaces::all().unwrap_or_default());
    found.retain(|address| !address.is_loopback());
    // Version 4 first: a host may have a version 6 address and no route for it.
    found.sort_by_key(IpAddr::is_ipv6);
    // One place remains for loopback, which processes of a host without a network use.
    found.truncate(ADDRESSES_MAX - 1);
    found.push(Ipv4Addr::LOCALHOST.into());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(addresses: usize) -> UniqueId {
        let all = ["10.0.0.1", "fd00::7", "192.168.3.4", "2001:db8::1", "127.0.0.1", "10.9.9.9"];
        let addresses = all[..addresses].iter().map(|text| text.parse().unwrap()).collect();
        UniqueId::new(Secret::of([9; 16]), 4711, addresses)
    }

    #[test]
    fn ids_survive_their_encoding() {
        for count in 0..=5 {
            assert_eq!(UniqueId::decode(&id(count).encode()).unwrap(), id(count));
        }
        assert_eq!(id(6), id(5));
        assert_eq!(id(2).targets()[1], "[fd00::7]:4711".parse().unwrap());
    }

    #[test]
    fn ids_that_were_changed_are_refused() {
        let bytes = id(5).encode();
        for at in 0..USED_BYTES {
            let mut bent = bytes;
            bent[at] ^= 1;
            UniqueId::decode(&bent).unwrap_err();
        }
        assert!(UniqueId::decode(&[0; 128]).unwrap_err().to_string().contains("shmemx_get_uniqueid"));
    }

    #[test]
    fn loopback_is_the_last_address() {
        let found = addresses();
        assert_eq!(found.last(), Some(&IpAddr::from([127, 0, 0, 1])));
        assert!(found.len() <= ADDRESSES_MAX && found.iter().filter(|address| address.is_loopback()).count() == 1);
    }
}
