//! Checks of InfiniBand over Ethernet (RoCE), by what the kernel lists of each port: the address that packets carry (GID), the length of
//! packets (MTU), and signs of lost packets, which RoCE takes badly.

use super::Finding;
use ferrite_os::sysfs::{numbered, text};
use std::net::Ipv6Addr;
use std::path::Path;

/// Where the kernel lists devices.
const CLASSES: &str = "/sys/class";
/// Bytes that Linux subtracts from an interface's MTU for the headers of RoCE (`iboe_get_mtu` in include/rdma/ib_addr.h), and the MTU that
/// its longest packets need.
const HEADERS: u32 = 96;
const MTU: u32 = 4096 + HEADERS;
/// Counters of lost packets (Linux, Documentation/infiniband; NVIDIA's "Understanding mlx5 Linux Counters"): packets that arrived out of
/// sequence, and requests that were sent again.
const LOSSES: [&str; 3] = ["out_of_sequence", "packet_seq_err", "local_ack_timeout_err"];

/// A line for each RoCE port of the device `name`.
pub(super) fn findings(name: &str) -> Vec<Finding> {
    findings_in(Path::new(CLASSES), name)
}

fn findings_in(classes: &Path, name: &str) -> Vec<Finding> {
    let ports = classes.join("infiniband").join(name).join("ports");
    let is_roce =
        |number: &u32| text(&ports.join(number.to_string()).join("link_layer")).as_deref() == Some("Ethernet");
    numbered(&ports, "").into_iter().filter(is_roce).map(|number| port(classes, &ports, name, number)).collect()
}

/// An entry of a port's table of addresses.
struct Gid {
    index: u32,
    address: Ipv6Addr,
    version_2: bool,
    interface: String,
}

fn port(classes: &Path, ports: &Path, name: &str, number: u32) -> Finding {
    let (what, port) = (format!("RoCE {name}:{number}"), ports.join(number.to_string()));
    let gids = gids(&port);
    let routable = |gid: &&Gid| gid.version_2 && !gid.address.is_unicast_link_local();
    // IPv4 first, as UCX and rdma_cm choose.
    let best = gids.iter().filter(routable).min_by_key(|gid| (gid.address.to_ipv4_mapped().is_none(), gid.index));
    let Some(gid) = best else {
        return Finding::advice(
            what,
            "no GID of RoCE v2 with an address that routers know: give the interface an IPv4 address; UCX_IB_GID_INDEX names another GID",
        );
    };
    let address = gid.address.to_ipv4_mapped().map_or_else(|| gid.address.to_string(), |ip| ip.to_string());
    let mut told = vec![format!("GID {} ({address} on {})", gid.index, gid.interface)];
    let mut complaints = Vec::new();
    if let Some(mtu) =
        text(&classes.join("net").join(&gid.interface).join("mtu")).and_then(|text| text.parse::<u32>().ok())
    {
        told.push(format!("MTU {mtu}"));
        if mtu < MTU {
            complaints.push(format!(
                "an MTU of 9000, here and on the switches, lets packets be 4096 bytes long instead of {}",
                payload(mtu)
            ));
        }
    }
    let count = |counter: &&str| {
        let count: u64 = text(&port.join("hw_counters").join(counter))?.parse().ok()?;
        (count > 0).then(|| format!("{counter} {count}"))
    };
    let losses: Vec<String> = LOSSES.iter().filter_map(count).collect();
    if !losses.is_empty() {
        complaints.push(format!(
            "packets were lost ({}): switches need PFC or ECN for RoCE; if these counters grow during a job, that is why it is slow",
            losses.join(", ")
        ));
    }
    let told = told.join(", ");
    if complaints.is_empty() {
        Finding::fine(what, told)
    } else {
        Finding::advice(what, format!("{told}; {}", complaints.join("; ")))
    }
}

/// The longest payload of RoCE's packets below an MTU.
fn payload(mtu: u32) -> u32 {
    [2048, 1024, 512].into_iter().find(|payload| payload + HEADERS <= mtu).unwrap_or(256)
}

/// The entries of a port's table that have an address.
fn gids(port: &Path) -> Vec<Gid> {
    let of = |index: u32| {
        let attribute = |kind: &str| text(&port.join("gid_attrs").join(kind).join(index.to_string()));
        let address: Ipv6Addr = text(&port.join("gids").join(index.to_string()))?.parse().ok()?;
        // The type of an empty entry cannot be read.
        let version_2 = attribute("types")? == "RoCE v2";
        (!address.is_unspecified()).then_some(())?;
        Some(Gid { index, address, version_2, interface: attribute("ndevs")? })
    };
    numbered(&port.join("gids"), "").into_iter().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::super::Verdict;
    use super::*;
    use std::fs;

    /// A device with one port, as the kernel lists it: GIDs by index, their types and interface, and counters.
    fn found(layer: &str, gids: &[(&str, &str)], mtu: &str, counters: &[(&str, &str)]) -> Vec<Finding> {
        static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let number = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let classes = std::env::temp_dir().join(format!("ferrite-roce-{}-{number}", std::process::id()));
        let write = |path: String, text: &str| {
            let path = classes.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, format!("{text}\n")).unwrap();
        };
        let port = "infiniband/mlx5_0/ports/1";
        write(format!("{port}/link_layer"), layer);
        for (index, (gid, kind)) in gids.iter().enumerate() {
            write(format!("{port}/gids/{index}"), gid);
            write(format!("{port}/gid_attrs/types/{index}"), kind);
            write(format!("{port}/gid_attrs/ndevs/{index}"), "eth1");
        }
        counters.iter().for_each(|(name, count)| write(format!("{port}/hw_counters/{name}"), count));
        write("net/eth1/mtu".into(), mtu);
        let findings = findings_in(&classes, "mlx5_0");
        fs::remove_dir_all(classes).unwrap();
        findings
    }

    #[test]
    fn ports_of_roce_are_judged_by_address_packets_and_losses() {
        let (local, v4) = ("fe80:0000:0000:0000:0a00:27ff:fe11:2233", "0000:0000:0000:0000:0000:ffff:0a00:0001");
        let (v1, v2, none) = ("IB/RoCE v1", "RoCE v2", "0000:0000:0000:0000:0000:0000:0000:0000");
        assert_eq!(found("InfiniBand", &[(local, v1)], "4096", &[]), []);
        for (gids, mtu, counters, verdict, words) in [
            (
                &[(local, v1), (local, v2), (v4, v1), (v4, v2)][..],
                "9000",
                &[][..],
                Verdict::Fine,
                "GID 3 (10.0.0.1 on eth1), MTU 9000",
            ),
            (&[(local, v1), (local, v2), (none, v2)], "9000", &[], Verdict::Advice, "no GID of RoCE v2"),
            (&[(v4, v2)], "1500", &[], Verdict::Advice, "instead of 1024"),
            (&[(v4, v2)], "9000", &[("out_of_sequence", "0")], Verdict::Fine, "GID 0"),
            (
                &[(v4, v2)],
                "9000",
                &[("out_of_sequence", "7")],
                Verdict::Advice,
                "packets were lost (out_of_sequence 7)",
            ),
        ] {
            let findings = found("Ethernet", gids, mtu, counters);
            assert!(
                findings.len() == 1 && findings[0].verdict == verdict && findings[0].text.contains(words),
                "{findings:?}"
            );
        }
    }
}
