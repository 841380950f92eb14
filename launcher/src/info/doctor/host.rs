//! Checks of the host: memory that PEs share, huge pages, NICs, libraries of launchers, a remote shell.

use super::Finding;
use crate::info::{
    loader,
    memory::{self, HugePages},
    transports,
};
use ferrite_topology::{Nic, NicKind};
use std::path::Path;

/// The directory of the files for libfabric's and UCX's own shared memory.
const DEV_SHM: &str = "/dev/shm";
/// Advice is given below this size. Containers have less by default.
const DEV_SHM_BYTES_MIN: u64 = 128 << 20;

pub(super) fn findings(nics: &[Nic]) -> Vec<Finding> {
    let mut findings = vec![shared_memory(), huge_pages(&memory::huge_pages()), dev_shm(bytes_of(Path::new(DEV_SHM)))];
    findings.extend(nics.iter().map(nic));
    findings.extend([pmi(), pmix(), remote_shell()]);
    findings
}

fn shared_memory() -> Finding {
    match memory::shares_memory() {
        Ok(()) => Finding::fine("shared memory", "a write through one mapping is seen through another"),
        Err(why) => Finding::broken(
            "shared memory",
            format!("{why}: PEs cannot share memory; allow memfd_create in this container's seccomp filter"),
        ),
    }
}

fn huge_pages(offer: &HugePages) -> Finding {
    match offer {
        HugePages::Offered(mode) => Finding::fine("huge pages", format!("offered for the symmetric heap ({mode})")),
        HugePages::Refused(mode) => Finding::advice(
            "huge pages",
            format!("{mode}; as root, `echo advise > {}` offers them to the symmetric heap", memory::HUGE_SHARED),
        ),
        HugePages::Unknown => {
            Finding::advice("huge pages", "this kernel has none for shared memory: small pages it is")
        }
    }
}

fn bytes_of(directory: &Path) -> Option<u64> {
    let found = rustix::fs::statvfs(directory).ok()?;
    Some(found.f_blocks.saturating_mul(found.f_frsize))
}

/// Check the size of /dev/shm. Ferrite itself does not use it.
fn dev_shm(bytes: Option<u64>) -> Finding {
    match bytes {
        Some(bytes) if bytes < DEV_SHM_BYTES_MIN => Finding::advice(
            DEV_SHM,
            format!(
                "{} MiB: Ferrite needs none of it, but libfabric's and UCX's shared memory does; containers get more by --shm-size=1g",
                bytes >> 20
            ),
        ),
        Some(bytes) => Finding::fine(DEV_SHM, format!("{} MiB, of which Ferrite needs nothing", bytes >> 20)),
        None => Finding::advice(DEV_SHM, "not there: Ferrite needs none, but libfabric's and UCX's shared memory does"),
    }
}

fn nic(nic: &Nic) -> Finding {
    let what = format!("NIC {}", nic.name);
    if nic.closed {
        return Finding::broken(
            what,
            "its device file cannot be opened: let this user read and write /dev/infiniband (the group rdma), or hand the device to \
             the container (--device=/dev/infiniband)",
        );
    }
    match nic.up {
        Some(false) => Finding::advice(what, format!("its link is down{}", nic.kind.look())),
        Some(true) => Finding::fine(what, "its link is up"),
        None => Finding::fine(what, "its driver does not tell of its link"),
    }
}

/// A hint for a NIC of this kind whose link is down.
trait Look {
    fn look(&self) -> &'static str;
}

impl Look for NicKind {
    fn look(&self) -> &'static str {
        match self {
            NicKind::Cxi => ": `cxi_stat` shows why",
            NicKind::Hfi => ": `opainfo` shows why",
            NicKind::Verbs => ": `ibstat` shows why",
            NicKind::Net => ": `ip link set NAME up`, if it is meant to be used",
            NicKind::Synthetic => "",
        }
    }
}

fn pmi() -> Finding {
    Finding::fine("PMI-1, PMI-2", "built in: oshrun, mpiexec.hydra and srun --mpi=pmi2 can start programs")
}

fn pmix() -> Finding {
    let (soname, package) = transports::PMIX_LIBRARY;
    match loader::find(soname, package) {
        Some(found) => {
            let version = found.version.map(|version| format!(" {version}")).unwrap_or_default();
            Finding::fine(
                "PMIx",
                format!("{}{version}: mpirun and srun --mpi=pmix can start programs", found.path.display()),
            )
        }
        None => Finding::advice(
            "PMIx",
            format!(
                "no {soname}: mpirun and srun --mpi=pmix cannot start programs; install it (Debian: libpmix2), or use oshrun"
            ),
        ),
    }
}

fn remote_shell() -> Finding {
    match crate::program_path::on_path("ssh") {
        Some(path) => Finding::fine("remote shell", format!("{}: oshrun --host starts agents by it", path.display())),
        None => Finding::advice(
            "remote shell",
            "no ssh: oshrun --host needs it, or another by --rsh; in an allocation of Slurm it uses srun",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Verdict;
    use super::*;

    fn device(name: &str, up: Option<bool>, closed: bool) -> Nic {
        Nic { name: name.to_owned(), kind: NicKind::Verbs, numa: None, up, closed, port: None, network: None }
    }

    #[test]
    fn a_nic_that_cannot_be_opened_is_broken_and_one_that_is_down_is_told() {
        let rows = [
            (device("mlx5_0", Some(true), false), Verdict::Fine, "is up"),
            (device("mlx5_0", None, false), Verdict::Fine, "does not tell"),
            (device("mlx5_0", Some(false), false), Verdict::Advice, "ibstat"),
            (device("mlx5_0", Some(true), true), Verdict::Broken, "--device=/dev/infiniband"),
        ];
        for (device, verdict, words) in rows {
            let found = nic(&device);
            assert!(found.verdict == verdict && found.text.contains(words), "{found:?}");
        }
    }

    #[test]
    fn what_a_container_has_for_shared_memory_is_told() {
        assert_eq!(dev_shm(Some(64 << 20)).verdict, Verdict::Advice);
        assert_eq!(dev_shm(Some(8 << 30)).verdict, Verdict::Fine);
        assert_eq!(dev_shm(None).verdict, Verdict::Advice);
    }

    #[test]
    fn huge_pages_that_are_refused_come_with_what_offers_them() {
        let found = huge_pages(&HugePages::Refused("shmem_enabled is never".to_owned()));
        assert!(found.verdict == Verdict::Advice && found.text.contains("echo advise"), "{found:?}");
        assert_eq!(huge_pages(&HugePages::Offered("advise".to_owned())).verdict, Verdict::Fine);
    }
}
