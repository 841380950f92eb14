//! Checks that all PEs of a job have the same SHMEM_TRANSPORT before any PE waits for another in a way that depends on it, and, on
//! Slingshot, that they have a VNI in common.
//!
//! The first PE of each host publishes its values. The other PEs of the host look them up, and first PEs look up PE 0's: one lookup a PE.

use ferrite_bootstrap::Boot;
use ferrite_fabric::{Error, Pe, Result};

/// The key of the first PE of a host. Its meeting with the other PEs of the host is open when they find the key.
const KEY: &str = "transport";

/// The published values: the transport's words, and the VNI behind a blank.
fn encode(transport: &str, vni: Option<u16>) -> String {
    vni.map_or_else(|| transport.to_owned(), |vni| format!("{transport} {vni}"))
}

/// Publish this PE's values, if it is the first PE of its host. An exchange has to follow.
pub(super) fn publish(boot: &dyn Boot, transport: &str, vni: Option<u16>) -> Result<()> {
    if boot.me() == boot.local()[0] { boot.publish(KEY, encode(transport, vni).as_bytes()) } else { Ok(()) }
}

/// Check that this PE has the same values as the first PE of its host. A first PE compares with PE 0. Call it after the exchange.
pub(super) fn compare(boot: &dyn Boot, transport: &str, vni: Option<u16>) -> Result<()> {
    let first = boot.local()[0];
    let other = if boot.me() == first { Pe(0) } else { first };
    if other == boot.me() {
        return Ok(());
    }
    let theirs = boot.lookup(other, KEY)?;
    let theirs = String::from_utf8_lossy(&theirs);
    let (their_transport, their_vni) = theirs.split_once(' ').unwrap_or((&theirs, "none"));
    let me = boot.me();
    if transport != their_transport {
        return Err(Error::new(format!(
            "SHMEM_TRANSPORT is {transport} on {me}, and {their_transport} on {other}; it must be the same for all PEs"
        )));
    }
    let our_vni = vni.map_or_else(|| "none".to_owned(), |vni| vni.to_string());
    if our_vni == their_vni {
        return Ok(());
    }
    Err(Error::new(format!(
        "the last VNI of SLINGSHOT_VNIS is {our_vni} on {me}, and {their_vni} on {other}: NICs of Slingshot carry nothing between them; start all \
         PEs in one step (oshrun, srun --mpi=pmi2, mpiexec --pmi=pmix), or ask for a VNI of the job (sbatch --network=job_vni); \
         SHMEM_TRANSPORT=shm,tcp needs none"
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
            let (word, vni) = value.split_once(' ').unwrap_or((value, ""));
            let (transport, vni) = (word.to_owned(), vni.parse().ok());
            thread::spawn(move || {
                publish(&*boot, &transport, vni).unwrap();
                boot.exchange().unwrap();
                compare(&*boot, &transport, vni).err().map(|error| error.to_string())
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
        assert_eq!(compared(&["auto", "tcp"], &[0, 0]), [None, differ("tcp", 1, "auto", 0)]);
        assert_eq!(compared(&["shm,tcp", "tcp"], &[0, 1]), [None, differ("tcp", 1, "shm,tcp", 0)]);
        let of_four = compared(&["tcp", "ucx", "auto", "auto"], &[0, 0, 1, 1]);
        assert_eq!(of_four, [None, differ("ucx", 1, "tcp", 0), differ("auto", 2, "tcp", 0), None]);
    }

    #[test]
    fn pes_without_a_vni_in_common_are_refused_by_name() {
        assert_eq!(compared(&["auto 7", "auto 7", "auto 7"], &[0, 1, 1]), [None, None, None]);
        for (values, ours, theirs) in
            [(["auto 7", "auto 8"], "8", "7"), (["auto", "auto 8"], "8", "none"), (["auto 7", "auto"], "none", "7")]
        {
            let [none, refused] = &*compared(&values, &[0, 1]) else { panic!("two PEs") };
            assert_eq!(*none, None);
            let refused = refused.as_ref().unwrap();
            let start = format!("the last VNI of SLINGSHOT_VNIS is {ours} on PE 1, and {theirs} on PE 0:");
            assert!(refused.starts_with(&start) && refused.contains("in one step"), "{refused}");
        }
    }
}
