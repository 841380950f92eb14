//! Which PEs share this host, by what each says of itself.
//!
//! What a launcher says of its nodes is not relied on: two nodes of Slurm may be one machine, one node of a launcher
//! may be several containers, and ranks need not be dealt in blocks. Each PE publishes an identity of what has to be
//! the same for memory to be shared; PE 0 reads them all, and publishes for each host its list of PEs, under a key
//! that the PEs of the host can work out. So PE 0 makes as many look-ups as there are PEs, and every other PE one.

use ferrite_fabric::{Error, Pe, Result};
use std::fs;

/// The longest identity, in bytes.
const IDENTITY_MAX: usize = 1 << 10;

/// What two processes have in common if they can share memory by way of an abstract socket: the booted kernel (its
/// id is drawn anew at each boot; the name of the host tells apart machines restored from one snapshot), and the
/// namespaces of network, IPC and host name. What cannot be read counts as the same everywhere.
pub(crate) fn identity() -> Vec<u8> {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let mut identity = boot.trim().as_bytes().to_vec();
    identity.push(b' ');
    identity.extend(rustix::system::uname().nodename().to_bytes());
    for namespace in ["net", "ipc", "uts"] {
        let link = fs::read_link(format!("/proc/self/ns/{namespace}")).unwrap_or_default();
        identity.push(b' ');
        identity.extend(link.as_os_str().as_encoded_bytes());
    }
    identity.truncate(IDENTITY_MAX);
    identity
}

/// A short name of an identity, for use in keys (FNV-1a). Whoever looks under it compares the identity itself.
pub(crate) fn short(identity: &[u8]) -> u64 {
    identity.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// What PE 0 tells the PEs of one host.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Host {
    /// Which host.
    pub identity: Vec<u8>,
    /// Its PEs, ascending.
    pub pes: Vec<Pe>,
    /// The job's secret.
    pub secret: [u8; 16],
}

impl Host {
    /// The secret, the identity's length and the identity, then runs of PEs: the first of a run, and how many.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = self.secret.to_vec();
        bytes.extend((self.identity.len() as u32).to_le_bytes());
        bytes.extend(&self.identity);
        let mut pes = self.pes.iter().map(|pe| pe.0).peekable();
        while let Some(first) = pes.next() {
            let mut count = 1;
            while pes.next_if_eq(&(first + count)).is_some() {
                count += 1;
            }
            bytes.extend([first.to_le_bytes(), count.to_le_bytes()].as_flattened());
        }
        bytes
    }

    /// The other way. Trusts nothing: `size` is how many PEs there are, and they must ascend.
    pub fn decode(bytes: &[u8], size: u32) -> Option<Host> {
        let (secret, rest) = bytes.split_first_chunk::<16>()?;
        let (length, rest) = rest.split_first_chunk::<4>()?;
        let length = u32::from_le_bytes(*length) as usize;
        if length > IDENTITY_MAX {
            return None;
        }
        let (identity, runs) = rest.split_at_checked(length)?;
        let (runs, rest) = runs.as_chunks::<4>();
        if !rest.is_empty() || runs.len() % 2 != 0 {
            return None;
        }
        let (mut pes, mut next) = (Vec::new(), 0);
        for run in runs.chunks_exact(2) {
            let (first, count) = (u32::from_le_bytes(run[0]), u32::from_le_bytes(run[1]));
            let end = first.checked_add(count).filter(|&end| first >= next && count > 0 && end <= size)?;
            pes.extend((first..end).map(Pe));
            next = end;
        }
        Some(Host { identity: identity.to_vec(), pes, secret: *secret })
    }

    /// Whether this is what PE 0 owes a PE of this identity.
    pub fn is_of(&self, me: Pe, identity: &[u8]) -> Result<()> {
        if self.identity != identity || !self.pes.contains(&me) {
            return Err(Error::new(format!("{me} is not among the PEs that PE 0 found on its host: {:?}", self.pes)));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_process_is_on_its_own_host() {
        let (one, two) = (identity(), identity());
        assert_eq!(one, two);
        assert!(one.len() > 36 && String::from_utf8_lossy(&one).contains("net:["), "{one:?}");
        assert_ne!(short(&one), short(b"another"));
    }

    #[test]
    fn what_is_not_ascending_or_outside_of_the_job_is_refused() {
        let host = |runs: &[u32]| {
            let mut bytes = vec![0; 20];
            runs.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
            Host::decode(&bytes, 8)
        };
        assert_eq!(host(&[0, 2, 5, 3]).unwrap().pes, [0, 1, 5, 6, 7].map(Pe));
        for runs in [&[5, 1, 0, 2][..], &[0, 9], &[u32::MAX, 2], &[0, 0], &[0], &[1, 2, 2, 1]] {
            assert_eq!(host(runs), None, "{runs:?}");
        }
    }

    proptest! {
        #[test]
        fn what_is_said_is_heard(
            secret: [u8; 16], identity in prop::collection::vec(any::<u8>(), 0..100),
            pes in prop::collection::btree_set(0..300_u32, 0..100),
        ) {
            let host = Host { identity, pes: pes.into_iter().map(Pe).collect(), secret };
            prop_assert_eq!(Host::decode(&host.encode(), 300), Some(host));
        }

        #[test]
        fn any_bytes_are_heard_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            if let Some(host) = Host::decode(&bytes, 64) {
                prop_assert!(host.pes.is_sorted() && host.pes.iter().all(|pe| pe.0 < 64));
            }
        }
    }
}
