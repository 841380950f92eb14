//! Checks of the limits of this user's processes: descriptors, locked memory, access to each other's memory.

use super::Finding;
use ferrite_topology::{Nic, NicKind};
use rustix::process::{Resource, Rlimit, getrlimit};
use std::fs;

/// A PE over TCP has a descriptor for each peer that it talks to; oshrun has several for each PE of its host.
const DESCRIPTORS_MIN: u64 = 4_096;
/// Whether processes of the same user may read each other's memory.
const PTRACE_SCOPE: &str = "/proc/sys/kernel/yama/ptrace_scope";

pub(super) fn findings(nics: &[Nic]) -> Vec<Finding> {
    let locks_memory = nics.iter().any(|nic| matches!(nic.kind, NicKind::Verbs | NicKind::Hfi | NicKind::Cxi));
    vec![
        descriptors(getrlimit(Resource::Nofile)),
        locked_memory(getrlimit(Resource::Memlock), locks_memory),
        ptrace(fs::read_to_string(PTRACE_SCOPE).ok().as_deref().map(str::trim)),
    ]
}

/// Only the hard limit counts: PEs raise the soft limit themselves.
fn descriptors(limit: Rlimit) -> Finding {
    match limit.maximum {
        Some(most) if most < DESCRIPTORS_MIN => Finding::advice(
            "descriptors",
            format!(
                "{most} at most: over TCP a PE needs one for each peer; raise it for large jobs (`ulimit -Hn 65536`, \
                 nofile in /etc/security/limits.conf, LimitNOFILE= for the scheduler's daemon)"
            ),
        ),
        Some(most) => Finding::fine("descriptors", format!("{most} at most")),
        None => Finding::fine("descriptors", "unlimited"),
    }
}

/// NICs read and write memory that is locked.
fn locked_memory(limit: Rlimit, is_needed: bool) -> Finding {
    match limit.maximum {
        None => Finding::fine("locked memory", "unlimited"),
        Some(most) if !is_needed => {
            Finding::fine("locked memory", format!("{} KiB at most; no NIC of this host needs more", most >> 10))
        }
        Some(most) => Finding::broken(
            "locked memory",
            format!(
                "{} KiB at most, but this host's NIC needs locked memory: set memlock unlimited in \
                 /etc/security/limits.conf, LimitMEMLOCK=infinity for the scheduler's daemon, or --ulimit memlock=-1 \
                 for a container",
                most >> 10
            ),
        ),
    }
}

fn ptrace(scope: Option<&str>) -> Finding {
    match scope {
        None | Some("0") => Finding::fine("CMA, ptrace", "allowed between processes of a user; Ferrite needs neither"),
        Some(scope) => Finding::fine(
            "CMA, ptrace",
            format!(
                "refused (ptrace_scope is {scope}): Ferrite needs neither; debuggers attach to a PE as root, or with ptrace_scope 0"
            ),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Verdict;
    use super::*;

    fn limit(maximum: Option<u64>) -> Rlimit {
        Rlimit { current: Some(64), maximum }
    }

    #[test]
    fn locked_memory_matters_where_a_nic_needs_it() {
        let rows = [
            (None, true, Verdict::Fine),
            (Some(64 << 10), false, Verdict::Fine),
            (Some(64 << 10), true, Verdict::Broken),
        ];
        for (most, is_needed, verdict) in rows {
            assert_eq!(locked_memory(limit(most), is_needed).verdict, verdict, "{most:?}");
        }
    }

    #[test]
    fn few_descriptors_are_reported() {
        assert_eq!(descriptors(limit(Some(1_024))).verdict, Verdict::Advice);
        assert_eq!(descriptors(limit(Some(1 << 20))).verdict, Verdict::Fine);
        assert_eq!(descriptors(limit(None)).verdict, Verdict::Fine);
    }

    #[test]
    fn ptrace_limits_are_reported() {
        assert!(ptrace(Some("1")).text.contains("ptrace_scope is 1"));
        assert!(ptrace(Some("0")).text.starts_with("allowed") && ptrace(None).text.starts_with("allowed"));
    }
}
