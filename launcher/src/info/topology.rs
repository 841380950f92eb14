//! The section about the machine's topology, in numbers and drawn, with the PEs of a job placed on it.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use ferrite_topology::{self as map, BindTo, Machine, MapBy, place_programs};

use super::report::{Row, Section};
use crate::{hwloc, prefix::Prefix};

/// The library that reads the map of this machine.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum By {
    /// The library hwloc
    Hwloc,
    /// The kernel's files, as oshrun and PEs do
    Sysfs,
}

/// Which machine, and which job on it.
#[derive(Args)]
pub(super) struct Wishes {
    /// Show only the machine, as a drawing; with -n, also where PEs would be placed
    #[arg(long)]
    topology: bool,

    /// Show an imaginary machine, such as 2x[4x8x2]+2nic: 2 packages, each of 4 NUMA nodes of 8 cores of 2 threads, and 2 NICs in
    /// all (+2nic/package, +2nic/numa: on each)
    #[arg(long, value_name = "MACHINE", requires = "topology")]
    synthetic: Option<String>,

    /// Show another machine, from a file that 'lstopo --of xml' wrote on it
    #[arg(long, value_name = "FILE", requires = "topology", conflicts_with = "synthetic")]
    xml: Option<PathBuf>,

    /// Source of the topology of this host [default: hwloc if it is installed, else sysfs]
    #[arg(long, value_name = "SOURCE", requires = "topology", conflicts_with_all = ["synthetic", "xml"])]
    probe: Option<By>,

    /// Number of PEs to place
    #[arg(short = 'n', long = "np", value_name = "N", requires = "topology", value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pes: Option<u32>,

    /// Placement of successive PEs, as for oshrun
    #[arg(long, value_name = "WHAT", requires = "pes", default_value = "slot")]
    map_by: MapBy,

    /// Binding of each PE, as for oshrun
    #[arg(long, value_name = "WHAT", requires = "pes")]
    bind_to: Option<BindTo>,

    /// Number of CPUs for each PE, as for oshrun
    #[arg(long, value_name = "N", requires = "pes", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=65_536))]
    cpus_per_pe: u32,
}

impl Wishes {
    /// Whether the user asked for the topology only.
    pub(super) fn alone(&self) -> bool {
        self.topology
    }

    /// The section for the machine and the job.
    pub(super) fn section(&self, prefix: &Prefix) -> Result<Section, String> {
        let (machine, source) = self.machine(prefix)?;
        let wishes = map::Wishes { map_by: self.map_by, bind_to: self.bind_to, cpus_per_pe: self.cpus_per_pe };
        let placements =
            place_programs(&machine, &[self.pes.unwrap_or(0)], wishes).map_err(|error| error.to_string())?;
        let mut rows = counts(&machine, source);
        rows.push(Row::new("picture", machine.picture(&placements).trim_end()));
        Ok(Section { key: "topology", title: "Topology", rows })
    }

    /// The machine, and the source of its topology.
    fn machine(&self, prefix: &Prefix) -> Result<(Machine, String), String> {
        if let Some(text) = &self.synthetic {
            let machine = Machine::synthetic(text).map_err(|error| error.to_string())?;
            return Ok((machine, format!("written down: {text}")));
        }
        if let Some(file) = &self.xml {
            let (machine, version) = hwloc::ask(prefix, Some(file))?;
            return Ok((machine, format!("{}, by hwloc {version}", file.display())));
        }
        let sysfs = || Machine::probe().map_err(|error| error.to_string());
        if self.probe == Some(By::Sysfs) {
            return Ok((sysfs()?, SYSFS.to_owned()));
        }
        match (hwloc::ask(prefix, None), self.probe) {
            (Ok((machine, version)), _) => {
                let verdict = match sysfs().map(|other| agree(&machine, &other)) {
                    Ok(true) => "agrees with sysfs, which oshrun uses to place PEs",
                    Ok(false) => "differs from sysfs, which oshrun uses to place PEs: see --probe sysfs",
                    Err(_) => "sysfs cannot be read",
                };
                Ok((machine, format!("hwloc {version} ({verdict})")))
            }
            (Err(why), Some(_)) => Err(why),
            (Err(why), None) => Ok((sysfs()?, format!("{SYSFS} (not hwloc: {why})"))),
        }
    }
}

const SYSFS: &str = "sysfs";

/// Whether two topologies lead to the same placements: the same cores in the same nodes, and the same node for every
/// NIC whose node both know. hwloc leaves out the memory of GPUs.
fn agree(one: &Machine, other: &Machine) -> bool {
    let cores = |machine: &Machine| {
        let numas = machine.packages.iter().flat_map(|package| package.numas.iter().map(|numa| (package.id, numa)));
        numas.map(|(package, numa)| (package, numa.id, numa.cores.clone())).collect::<Vec<_>>()
    };
    let placed = |nic: &ferrite_topology::Nic| {
        let same = other.nics.iter().find(|known| known.name == nic.name);
        same.is_some_and(|known| known.numa.is_none() || nic.numa.is_none() || known.numa == nic.numa)
    };
    cores(one) == cores(other) && one.nics.len() == other.nics.len() && one.nics.iter().all(placed)
}

/// The topology of this machine.
pub(super) fn section(machine: &map::Result<Machine>) -> Section {
    let rows = match machine {
        Ok(machine) => rows(machine),
        Err(error) => vec![Row::new("map", format!("unknown: {error}"))],
    };
    Section { key: "topology", title: "Topology", rows }
}

fn rows(machine: &Machine) -> Vec<Row> {
    let mut rows = counts(machine, SYSFS.to_owned());
    rows.push(Row::new("drawing", machine.draw(&machine.usable)));
    rows.push(Row::new("map", machine.to_string().trim_end()));
    rows
}

fn counts(machine: &Machine, source: String) -> Vec<Row> {
    let usable = format!("{} of {} (CPUs {})", machine.usable.len(), machine.cpus().len(), machine.usable);
    let usable = match machine.quota {
        Some(worth) => format!("{usable}, limited by a control group to the time of {worth}"),
        None => usable,
    };
    vec![
        Row::new("packages", machine.packages.len().to_string()),
        Row::new("numas", machine.numa_ids().len().to_string()),
        Row::new("cores", machine.cores().count().to_string()),
        Row::new("threads", machine.cpus().len().to_string()),
        Row::new("nics", machine.nics.len().to_string()),
        Row::new("gpus", machine.gpus.len().to_string()),
        Row::new("usable", usable),
        Row::new("source", source),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_that_spans_packages_counts_once() {
        let mut machine = Machine::synthetic("2x[1x2]").unwrap();
        machine.packages[1].numas[0].id = 0;
        let rows = counts(&machine, String::new());
        assert_eq!(rows.iter().find(|row| row.key == "numas").unwrap().value, "1");
    }

    #[test]
    fn maps_agree_if_pes_would_go_to_the_same_places() {
        let one = Machine::synthetic("2x[2x2]+2nic").unwrap();
        let mut other = one.clone();
        other.packages[0].numas[0].memory_bytes = Some(1);
        other.nics[1].numa = None;
        assert!(agree(&one, &other) && agree(&other, &one));
        other.nics[0].numa = Some(1);
        assert!(!agree(&one, &other));
        for text in ["2x[1x4]+2nic", "2x[2x2]+1nic", "2x[2x2x2]+2nic"] {
            assert!(!agree(&one, &Machine::synthetic(text).unwrap()), "{text}");
        }
    }
}
