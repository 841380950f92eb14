//! Resources near to this PE: the NUMA node for its memory, and the NICs that it should use.
//!
//! The PEs of a host divide its NICs without communication: each PE knows the CPUs on which every other PE may run, and the division is a
//! pure function of these and of the machine's map.

use ferrite_memory::node::HostCpus;
use ferrite_settings::Nics;
use ferrite_topology::{Machine, NicKind, Probe, Sysfs, rails};

/// Resources near to a PE. Empty if the machine leaves no choice.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Locality {
    /// The PE's home NUMA node.
    pub node: Option<u32>,
    /// NICs in descending order of preference.
    pub nics: Vec<String>,
    /// Number of NICs at the front of `nics` that are the PE's own: it cuts long transfers over them.
    pub own: usize,
    /// NICs that the user does not want.
    pub unwanted: Vec<String>,
    /// NUMA nodes of the machine's NICs, by the NIC's name, where the kernel knows them.
    pub nodes: Vec<(String, u32)>,
    /// The PE's NICs, in UCX's device syntax, if it shall not use all of the host's.
    pub ucx_devices: Option<String>,
    /// Number of the PE's own NICs that UCX drives.
    pub ucx_rails: usize,
}

impl Locality {
    /// Find the resources near to PE `index` of the host, whose PEs may run on `cpus`. If neither memory nor NICs leave a choice, the
    /// machine is not probed. `nics`: the NICs that the user wants, or does not want.
    pub fn find(cpus: &HostCpus, index: usize, uses_nics: bool, nics: Option<&Nics>) -> Locality {
        if !uses_nics && !Sysfs::here().has_several_nodes() {
            return Locality::default();
        }
        match Sysfs::here().without_gpus().probe() {
            Ok(machine) => Locality::on(machine, cpus, index, nics),
            Err(error) => {
                tracing::warn!(%error, "memory and NICs are not chosen by nearness");
                Locality::without_map(nics)
            }
        }
    }

    /// The NICs that the user wants, or does not want, on a machine whose map cannot be read.
    fn without_map(wanted: Option<&Nics>) -> Locality {
        let nics = wanted.map_or(&[][..], Nics::named).to_vec();
        let unwanted = wanted.map_or(&[][..], Nics::unwanted).to_vec();
        let ucx_devices = (!nics.is_empty()).then(|| nics.join(","));
        Locality { own: nics.len(), ucx_rails: nics.len(), ucx_devices, nics, unwanted, ..Locality::default() }
    }

    fn on(mut machine: Machine, cpus: &HostCpus, index: usize, wanted: Option<&Nics>) -> Locality {
        machine.nics.retain(|nic| wanted.is_none_or(|wanted| wanted.allow(&nic.name)));
        let rails = rails(&machine, cpus.iter()).into_iter().nth(index).unwrap_or_default();
        let mut nics: Vec<String> = rails.nics.iter().map(|&at| machine.nics[at].name.clone()).collect();
        // Named NICs that cannot be divided, because the kernel does not show their network (Ethernet) or lists no such hardware: each PE
        // uses them.
        let named = wanted.map_or(&[][..], Nics::named);
        let others: Vec<String> = named.iter().filter(|name| !nics.contains(name)).cloned().collect();
        let own = rails.own + others.len();
        nics.splice(rails.own..rails.own, others);
        let mut devices: Vec<String> = nics[..own].iter().filter_map(|name| device(&machine, name)).collect();
        let ucx_rails = devices.len();
        if devices.is_empty() && wanted.is_some() {
            devices = machine.nics.iter().filter_map(|nic| device(&machine, &nic.name)).collect();
        }
        // UCX finds the nearest NIC by itself, but it cannot know that other PEs take the same one.
        let shared_out = !devices.is_empty() && (rails.own < rails.nics.len() || wanted.is_some());
        Locality {
            node: cpus.get(index).and_then(|cpus| machine.home(cpus)),
            nodes: machine.nics.iter().filter_map(|nic| Some((nic.name.clone(), nic.numa?))).collect(),
            nics,
            own,
            unwanted: wanted.map_or(&[][..], Nics::unwanted).to_vec(),
            ucx_devices: shared_out.then(|| devices.join(",")),
            ucx_rails,
        }
    }
}

/// UCX's name of a NIC: the kernel's name, and the port of a verbs device. `None` for devices of other kinds, which UCX lacks.
fn device(machine: &Machine, name: &str) -> Option<String> {
    match machine.nics.iter().find(|nic| nic.name == *name) {
        Some(nic) if nic.kind == NicKind::Verbs => Some(format!("{name}:{}", nic.port?)),
        Some(nic) if nic.kind == NicKind::Net => Some(name.to_owned()),
        Some(_) => None,
        None => Some(name.to_owned()),
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
            let near = Locality::on(machine(text), &all, index, None);
            assert_eq!((near.node, &*near.nics.join(" ")), (node, nics), "{text}, PE {index}");
            assert_eq!(near.ucx_devices.as_deref(), devices, "{text}, PE {index}");
        }
    }

    #[test]
    fn a_pe_alone_keeps_all_nics_and_no_node() {
        let near = Locality::on(machine("2x[1x4]+2nic"), &cpus(&["0-7"]), 0, None);
        assert_eq!((near.node, near.nics.len(), near.ucx_devices), (None, 2, None));
        // Two of the four NICs of one package.
        let near = Locality::on(machine("2x[1x4]+4nic"), &cpus(&["0-3"]), 0, None);
        assert_eq!(near.ucx_devices.as_deref(), Some("mlx5_0:1,mlx5_1:1"));
    }

    #[test]
    fn ucx_is_told_nothing_of_other_devices() {
        let synthetic = Machine::synthetic("2x[1x4]+2nic").unwrap();
        let near = Locality::on(synthetic, &cpus(&["0", "4"]), 1, None);
        assert_eq!((near.nics.join(" "), near.ucx_devices), ("nic1 nic0".to_owned(), None));
    }

    #[test]
    fn a_pe_whose_cpus_nobody_knows_has_no_home() {
        let near = Locality::on(machine("2x[1x4]"), &cpus(&["", "0"]), 0, None);
        assert_eq!(near, Locality::default());
    }

    #[test]
    fn user_is_obeyed_without_a_map() {
        let near = |nics: &str| Locality::without_map(Nics::parse(nics).as_ref());
        let named = near("eth0,eth1");
        assert_eq!((named.nics.join(" "), named.own, named.ucx_rails), ("eth0 eth1".to_owned(), 2, 2));
        assert_eq!(named.ucx_devices.as_deref(), Some("eth0,eth1"));
        assert_eq!(near("^eth0"), Locality { unwanted: vec!["eth0".to_owned()], ..Locality::default() });
        assert_eq!(Locality::without_map(None), Locality::default());
    }

    #[test]
    fn user_names_the_nics_that_are_divided() {
        let near = |nics: &str, lists: &[&str], index| {
            Locality::on(machine("2x[1x4]+4nic"), &cpus(lists), index, Nics::parse(nics).as_ref())
        };
        let two = ["0", "1"];
        for (nics, index, own, devices) in [
            ("mlx5_0,mlx5_1", 0, "mlx5_0", "mlx5_0:1"),
            ("mlx5_0,mlx5_1", 1, "mlx5_1", "mlx5_1:1"),
            ("^mlx5_0", 0, "mlx5_1", "mlx5_1:1"),
            ("mlx5_2", 1, "mlx5_2", "mlx5_2:1"),
            ("eth7,eth8", 1, "eth7 eth8", "eth7,eth8"),
            ("eth7,mlx5_3", 1, "mlx5_3 eth7", "mlx5_3:1,eth7"),
        ] {
            let near = near(nics, &two, index);
            assert_eq!(near.nics[..near.own].join(" "), own, "{nics}, PE {index}");
            assert_eq!(near.ucx_devices.as_deref(), Some(devices), "{nics}, PE {index}");
        }
        let alone = near("^mlx5_3", &["0-3"], 0);
        assert_eq!((alone.own, alone.ucx_rails, alone.unwanted), (2, 2, vec!["mlx5_3".to_owned()]));
    }

    #[test]
    fn nics_of_ethernets_are_used_if_they_are_named() {
        let near = |nics: &str| {
            let mut machine = machine("1x[1x4]+3nic");
            machine.nics.iter_mut().for_each(|nic| nic.network = None);
            Locality::on(machine, &cpus(&["0", "1"]), 0, Nics::parse(nics).as_ref())
        };
        for (nics, own, devices) in [
            ("mlx5_1,mlx5_0", "mlx5_1 mlx5_0", Some("mlx5_1:1,mlx5_0:1")),
            ("^mlx5_0", "", Some("mlx5_1:1,mlx5_2:1")),
            ("^mlx5_0,mlx5_1,mlx5_2", "", None),
        ] {
            let near = near(nics);
            assert_eq!(near.nics[..near.own].join(" "), own, "{nics}");
            assert_eq!(near.ucx_devices.as_deref(), devices, "{nics}");
        }
    }
}
