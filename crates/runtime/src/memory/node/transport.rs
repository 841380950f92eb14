//! Checks that all PEs of a job have the same SHMEM_TRANSPORT before any PE waits for another in a way that depends on it.
//!
//! The first PE of each host publishes its value. The other PEs of the host look that up, and first PEs look up PE 0's: one lookup a PE.

use crate::settings::Transport;
use ferrite_bootstrap::Boot;
use ferrite_fabric::{Error, Pe, Result};

/// The key of the first PE of a host. Its meeting with the other PEs of the host is open when they find the key.
const KEY: &str = "transport";

/// Publish this PE's value, if it is the first PE of its host. An exchange has to follow.
pub(super) fn publish(boot: &dyn Boot, transport: Transport) -> Result<()> {
    if boot.me() == boot.local()[0] { boot.publish(KEY, transport.to_string().as_bytes()) } else { Ok(()) }
}

/// Check that this PE has the same value as the first PE of its host. A first PE compares with PE 0. Call it after the exchange.
pub(super) fn compare(boot: &dyn Boot, transport: Transport) -> Result<()> {
    let first = boot.local()[0];
    let other = if boot.me() == first { Pe(0) } else { first };
    if other == boot.me() {
        return Ok(());
    }
    let theirs = boot.lookup(other, KEY)?;
    let (ours, theirs) = (transport.to_string(), String::from_utf8_lossy(&theirs));
    if ours == theirs {
        return Ok(());
    }
    Err(Error::new(format!(
        "SHMEM_TRANSPORT is {ours} on {}, and {theirs} on {other}; it must be the same for all PEs",
        boot.me()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrite_bootstrap::NodeMap;
    use std::{sync::Arc, thread};

    /// Compare the values of PEs, each with its host.
    fn compared(values: &[&str], hosts: &[u32]) -> Vec<Option<String>> {
        let pe = |(boot, value): (Arc<dyn Boot>, &str)| {
            let transport = Transport::parse(value).unwrap();
            thread::spawn(move || {
                publish(&*boot, transport).unwrap();
                boot.exchange().unwrap();
                compare(&*boot, transport).err().map(|error| error.to_string())
            })
        };
        let boots =
            ferrite_bootstrap::threads_on(NodeMap::of(hosts.iter().copied())).into_iter().zip(values.iter().copied());
        let pes: Vec<_> = boots.map(pe).collect();
        pes.into_iter().map(|pe| pe.join().unwrap()).collect()
    }

    #[test]
    fn pe_with_another_transport_is_named_with_both_values() {
        let differ = |ours, pe, theirs, other| {
            Some(format!(
                "SHMEM_TRANSPORT is {ours} on PE {pe}, and {theirs} on PE {other}; it must be the same for all PEs"
            ))
        };
        assert_eq!(compared(&["tcp", "tcp", "tcp", "tcp"], &[0, 0, 1, 1]), [None, None, None, None]);
        assert_eq!(compared(&["ofi", "libfabric"], &[0, 0]), [None, None], "two words for one value");
        assert_eq!(compared(&["auto", "tcp"], &[0, 0]), [None, differ("tcp", 1, "auto", 0)]);
        assert_eq!(compared(&["shm,tcp", "tcp"], &[0, 1]), [None, differ("tcp", 1, "shm,tcp", 0)]);
        let of_four = compared(&["tcp", "ucx", "auto", "auto"], &[0, 0, 1, 1]);
        assert_eq!(of_four, [None, differ("ucx", 1, "tcp", 0), differ("auto", 2, "tcp", 0), None]);
    }
}
