//! One line about what carries a PE's traffic to other hosts: for SHMEM_INFO, `oshrun --report-bindings` and SIGUSR1.

use crate::locality::Locality;
use ferrite_fabric::{About, Fabric};

/// Describe an open fabric: library and provider, devices with their NUMA nodes, executor of atomics, endpoints.
pub fn of_fabric(fabric: &dyn Fabric, near: &Locality) -> String {
    describe(&fabric.about(), fabric.caps().nic_atomics, near)
}

fn describe(about: &About, nic_atomics: bool, near: &Locality) -> String {
    let devices: Vec<String> = about.devices.iter().map(|device| with_node(device, near)).collect();
    let on = if devices.is_empty() { String::new() } else { format!(" on {}", devices.join(", ")) };
    let atomics = if nic_atomics { "the NIC" } else { "the target's processor" };
    let endpoints = match about.endpoints_max {
        Some(1) => "; 1 endpoint sends".to_owned(),
        Some(many) => format!("; up to {many} endpoints send"),
        None => String::new(),
    };
    format!("{}{on}; atomics by {atomics}{endpoints}", about.by)
}

/// A device of a library, with the NUMA node of its NIC. Libraries add to the NIC's name: EFA's `rdmap0s6-rdm`, UCX's `rc_mlx5/mlx5_0:1`.
fn with_node(device: &str, near: &Locality) -> String {
    let name = device.rsplit('/').next().unwrap_or(device);
    let is = |nic: &str| name.strip_prefix(nic).is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', ':']));
    match near.nodes.iter().find(|(nic, _)| is(nic)) {
        Some((_, node)) => format!("{device} (NUMA node {node})"),
        None => device.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_have_the_numa_nodes_of_their_nics() {
        let nodes = [("cxi0", 0), ("mlx5_1", 1), ("mlx5_11", 3), ("rdmap0s6", 2)];
        let near = Locality { nodes: nodes.map(|(nic, node)| (nic.to_owned(), node)).into(), ..Locality::default() };
        let about = |by: &str, devices: &[&str], endpoints_max| About {
            by: by.to_owned(),
            devices: devices.iter().map(|&device| device.to_owned()).collect(),
            endpoints_max,
        };
        for (about, nic_atomics, line) in [
            (
                about("libfabric 2.1, cxi", &["cxi0"], Some(12)),
                true,
                "libfabric 2.1, cxi on cxi0 (NUMA node 0); atomics by the NIC; up to 12 endpoints send",
            ),
            (
                about("UCX 1.16.0", &["rc_mlx5/mlx5_1:1", "rc_mlx5/mlx5_11:2", "tcp/lo"], Some(1)),
                false,
                "UCX 1.16.0 on rc_mlx5/mlx5_1:1 (NUMA node 1), rc_mlx5/mlx5_11:2 (NUMA node 3), tcp/lo; atomics by the target's \
                 processor; 1 endpoint sends",
            ),
            (
                about("libfabric 1.22, efa", &["rdmap0s6-rdm"], Some(2)),
                false,
                "libfabric 1.22, efa on rdmap0s6-rdm (NUMA node 2); atomics by the target's processor; up to 2 endpoints send",
            ),
            (about("tcp", &["10.0.0.1"], None), false, "tcp on 10.0.0.1; atomics by the target's processor"),
            (about("simulated", &[], None), false, "simulated; atomics by the target's processor"),
        ] {
            assert_eq!(describe(&about, nic_atomics, &near), line);
        }
    }
}
