//! Checks of the host: memory that PEs share, huge pages, NICs, libraries of launchers, a remote shell.

use super::{Finding, roce};
use crate::info::{
    loader,
    memory::{self, HugePages},
    transports,
};
use ferrite_fabric::Slingshot;
use ferrite_memory::heap::pools::{self, LargePages};
use ferrite_settings::Settings;
use ferrite_topology::{Nic, NicKind};
use std::path::Path;

/// The directory of the files for libfabric's and UCX's own shared memory.
const DEV_SHM: &str = "/dev/shm";
/// Advice is given below this size. Containers have less by default.
const DEV_SHM_BYTES_MIN: u64 = 128 << 20;

pub(super) fn findings(nics: &[Nic]) -> Vec<Finding> {
    let mut findings = vec![
        shared_memory(),
        huge_pages(&memory::huge_pages(), pools::choose(LargePages::Auto).map(|pool| pool.to_string())),
        dev_shm(bytes_of(Path::new(DEV_SHM))),
    ];
    findings.extend(nics.iter().map(nic));
    let verbs = nics.iter().filter(|nic| nic.kind == NicKind::Verbs);
    findings.extend(verbs.flat_map(|nic| roce::findings(&nic.name)));
    findings.extend(slingshot(nics, &Settings::from_environment().map(|found| found.slingshot).unwrap_or_default()));
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

fn huge_pages(offer: &HugePages, pool: Option<String>) -> Finding {
    if let Some(pool) = pool {
        return Finding::fine("huge pages", format!("a pool of 2 MiB pages for the symmetric heap: {pool}"));
    }
    match offer {
        HugePages::Offered(mode) => Finding::fine("huge pages", format!("offered for the symmetric heap ({mode})")),
        HugePages::Refused(mode) => Finding::advice(
            "huge pages",
            format!(
                "{mode}; as root, `echo advise > {}` offers them to the symmetric heap, and /proc/sys/vm/nr_overcommit_hugepages makes a pool",
                memory::HUGE_SHARED
            ),
        ),
        HugePages::Unknown => {
            Finding::advice("huge pages", "this kernel has no huge pages for shared memory; small pages are used")
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
                "{} MiB; Ferrite needs none, but the shared memory of libfabric and UCX does; in a container, raise \
                 it with --shm-size=1g",
                bytes >> 20
            ),
        ),
        Some(bytes) => Finding::fine(DEV_SHM, format!("{} MiB; Ferrite needs none", bytes >> 20)),
        None => Finding::advice(
            DEV_SHM,
            "missing; Ferrite needs none, but the shared memory of libfabric and UCX \
                                          does",
        ),
    }
}

fn nic(nic: &Nic) -> Finding {
    let what = format!("NIC {}", nic.name);
    if nic.closed {
        return Finding::broken(
            what,
            "its device file cannot be opened: let this user read and write /dev/infiniband (the group rdma), or pass \
             the device to the container (--device=/dev/infiniband)",
        );
    }
    match nic.up {
        Some(false) => Finding::advice(what, format!("its link is down{}", nic.kind.look())),
        Some(true) => Finding::fine(what, "its link is up"),
        None => Finding::fine(what, "its driver does not report the state of its link"),
    }
}

/// Check the credentials without which cxi opens no NIC (fi_cxi(7), "Authorization Keys").
fn slingshot(nics: &[Nic], given: &Slingshot) -> Option<Finding> {
    let devices: Vec<&str> = nics.iter().filter(|nic| nic.kind == NicKind::Cxi).map(|nic| &*nic.name).collect();
    if devices.is_empty() {
        return None;
    }
    let what = "Slingshot's VNI";
    let Some(vni) = given.vni() else {
        return Some(Finding::advice(
            what,
            "none here (SLINGSHOT_VNIS is not set): each step of several hosts has one, a shell by ssh and a step of one host have none; \
             `srun -N 2 oshmem_info --doctor` shows a step's; sbatch --network=single_node_vni gives one to steps of one host, too",
        ));
    };
    let without: Vec<&str> = devices.iter().copied().filter(|device| given.service(device).is_none()).collect();
    if without.is_empty() {
        return Some(Finding::fine(
            what,
            format!("{vni} (SLINGSHOT_VNIS={given}), with a service for {}", devices.join(", ")),
        ));
    }
    Some(Finding::advice(
        what,
        format!(
            "{vni} (SLINGSHOT_VNIS={given}), but SLINGSHOT_DEVICES and SLINGSHOT_SVC_IDS have no service for {}: PEs cannot use it",
            without.join(", ")
        ),
    ))
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
        Some(path) => Finding::fine("remote shell", format!("{}: oshrun --host starts agents with it", path.display())),
        None => Finding::advice(
            "remote shell",
            "no ssh: oshrun --host needs ssh or another command (--rsh); in a Slurm allocation it uses srun",
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
    fn slingshots_credentials_are_judged_where_there_are_its_nics() {
        let cxi = |name| Nic { kind: NicKind::Cxi, ..device(name, Some(true), false) };
        let given = |vnis| Slingshot::parse(vnis, Some("cxi0,cxi1"), Some("5,6"));
        assert_eq!(slingshot(&[device("mlx5_0", None, false)], &given(None)), None);
        for (nics, vnis, verdict, words) in [
            (&[cxi("cxi0"), cxi("cxi1")][..], Some("1030,1024"), Verdict::Fine, "1024 (SLINGSHOT_VNIS=1030,1024)"),
            (&[cxi("cxi0"), cxi("cxi2")], Some("1030"), Verdict::Advice, "no service for cxi2"),
            (&[cxi("cxi0")], None, Verdict::Advice, "srun -N 2 oshmem_info --doctor"),
        ] {
            let found = slingshot(nics, &given(vnis)).unwrap();
            assert!(found.verdict == verdict && found.text.contains(words), "{found:?}");
        }
    }

    #[test]
    fn unopenable_nic_is_broken_and_down_nic_is_advice() {
        let rows = [
            (device("mlx5_0", Some(true), false), Verdict::Fine, "is up"),
            (device("mlx5_0", None, false), Verdict::Fine, "does not report"),
            (device("mlx5_0", Some(false), false), Verdict::Advice, "ibstat"),
            (device("mlx5_0", Some(true), true), Verdict::Broken, "--device=/dev/infiniband"),
        ];
        for (device, verdict, words) in rows {
            let found = nic(&device);
            assert!(found.verdict == verdict && found.text.contains(words), "{found:?}");
        }
    }

    #[test]
    fn shared_memory_of_a_container_is_reported() {
        assert_eq!(dev_shm(Some(64 << 20)).verdict, Verdict::Advice);
        assert_eq!(dev_shm(Some(8 << 30)).verdict, Verdict::Fine);
        assert_eq!(dev_shm(None).verdict, Verdict::Advice);
    }

    #[test]
    fn missing_huge_pages_come_with_advice() {
        let found = huge_pages(&HugePages::Refused("shmem_enabled is never".to_owned()), None);
        assert!(found.verdict == Verdict::Advice && found.text.contains("echo advise"), "{found:?}");
        assert_eq!(huge_pages(&HugePages::Offered("advise".to_owned()), None).verdict, Verdict::Fine);
        let pool = Some("3 free, 16 more on demand".to_owned());
        let found = huge_pages(&HugePages::Refused("shmem_enabled is never".to_owned()), pool);
        assert!(found.verdict == Verdict::Fine && found.text.contains("3 free"));
    }
}
