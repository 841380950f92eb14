//! Resources near to this PE: the NUMA node for its memory, and the NICs that it should use.
//!
//! The PEs of a host divide its NICs without communication: each PE knows the CPUs on which every other PE may run, and the division is a
//! pure function of these and of the machine's map.

use crate::memory::node::HostCpus;
use ferrite_topology::{Machine, NicKind, Sysfs, rails};

/// Resources near to a PE. Empty if the machine leaves no choice.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct Locality {
    /// The PE's home NUMA node.
    pub node: Option<u32>,
    /// NICs in descending order of preference.
    pub nics: Vec<String>,
    /// The PE's share of several equally near NICs, in UCX's device syntax.
    pub ucx_devices: Option<String>,
}

impl Locality {
    /// Find the resources near to PE `index` of the host, whose PEs may run on `cpus`. If neither memory nor NICs leave a choice, the
    /// machine is not probed.
    pub fn find(cpus: &HostCpus, index: usize, uses_nics: bool) -> Locality {
        if !uses_nics && !Sysfs::here().has_several_nodes() {
            return Locality::default();
        }
        match Machine::probe() {
            Ok(machine) => Locality::on(&machine, cpus, index),
            Err(error) => {
                tracing::warn!(%error, "memory and NICs are not chosen by nearness");
                Locality::default()
            }
        }
    }

    fn on(machine: &Machine, cpus: &HostCpus, index: usize) -> Locality {
        let node = cpus.get(index).and_then(|cpus| machine.home(cpus));
        let Some(rails) = rails(machine, cpus.iter()).into_iter().nth(index) else {
            return Locality { node, ..Locality::default() };
        };
        let nics = rails.nics.iter().map(|&nic| machine.nics[nic].name.clone()).collect();
        // UCX finds the nearest NIC by itself, but it cannot know that other PEs take the same one.
        let own = rails.nics[..rails.own].iter().map(|&nic| &machine.nics[nic]);
        let devices: Vec<String> = own
            .filter(|nic| nic.kind == NicKind::Verbs)
            .filter_map(|nic| Some(format!("{}:{}", nic.name, nic.port?)))
            .collect();
        let shared_out = !devices.is_empty() && rails.own < rails.nics.len();
        Locality { node, nics, ucx_devices: shared_out.then(|| devices.join(",")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine with InfiniBand NICs.
    fn machine(text: &str) -> Machine {
        let mut machine = Machine::synthetic(text).unwrap();
        for (i, nic) in machine.nics.iter_mut().enumerate() {
            (nic.name, nic.kind, nic.port) = (format!("mlx5_{i}"), NicKind::Verbs, Some(1));
        }
        machine
    }

    fn cpus(lists: &[&str]) -> HostCpus {
        HostCpus::new(lists.iter().copied())
    }

    #[test]
    fn what_is_near_follows_from_the_cpus_of_all() {
        let all = cpus(&["0", "1", "4", "5", "6"]);
        let rows = [
            ("2x[1x4]+2nic", 0, Some(0), "mlx5_0 mlx5_1", Some("mlx5_0:1")),
            ("2x[1x4]+2nic", 3, Some(1), "mlx5_1 mlx5_0", Some("mlx5_1:1")),
            ("2x[1x4]+4nic", 1, Some(0), "mlx5_1 mlx5_0 mlx5_3 mlx5_2", Some("mlx5_1:1")),
            ("2x[1x4]+4nic", 4, Some(1), "mlx5_2 mlx5_3 mlx5_0 mlx5_1", Some("mlx5_2:1")),
            ("1x[1x8]+1nic", 1, None, "mlx5_0", None),
            ("1x[1x8]", 1, None, "", None),
        ];
        for (text, index, node, nics, devices) in rows {
            let near = Locality::on(&machine(text), &all, index);
            assert_eq!((near.node, &*near.nics.join(" ")), (node, nics), "{text}, PE {index}");
            assert_eq!(near.ucx_devices.as_deref(), devices, "{text}, PE {index}");
        }
    }

    #[test]
    fn a_pe_alone_keeps_all_nics_and_no_node() {
        let near = Locality::on(&machine("2x[1x4]+2nic"), &cpus(&["0-7"]), 0);
        assert_eq!((near.node, near.nics.len(), near.ucx_devices), (None, 2, None));
        // Two of the four NICs of one package.
        let near = Locality::on(&machine("2x[1x4]+4nic"), &cpus(&["0-3"]), 0);
        assert_eq!(near.ucx_devices.as_deref(), Some("mlx5_0:1,mlx5_1:1"));
    }

    #[test]
    fn ucx_is_told_nothing_of_other_devices() {
        let synthetic = Machine::synthetic("2x[1x4]+2nic").unwrap();
        let near = Locality::on(&synthetic, &cpus(&["0", "4"]), 1);
        assert_eq!((near.nics.join(" "), near.ucx_devices), ("nic1 nic0".to_owned(), None));
    }

    #[test]
    fn a_pe_whose_cpus_nobody_knows_has_no_home() {
        let near = Locality::on(&machine("2x[1x4]"), &cpus(&["", "0"]), 0);
        assert_eq!(near, Locality::default());
    }
}
