//! The topology as a picture for the terminal, with the PEs of a job: a box for each NUMA node, a cell for each core.
//!
//! ```text
//! package 0
//! ┌ numa 0  CPUs 0-3  7.8 GiB
//! │ 0  1  2+  ·
//! └ nic nic0 (synthetic)
//! ```
//!
//! A cell shows the first PE that is bound to the core, with a `+` if other PEs are too; `·` for a core without PEs,
//! and `-` for one that the job may not use. PEs that are bound to more than one core are listed below the boxes.

use std::{collections::HashMap, fmt::Write};

use crate::{Core, CpuSet, Machine, Numa, Package, Placement, draw::gibibytes};

/// Number of cores in a line.
const CELLS: usize = 16;

impl Machine {
    /// The picture, with a line for each PE below it.
    pub fn picture(&self, placements: &[Placement]) -> String {
        let cells = self.cells(placements);
        let width = cells.values().map(|cell| cell.chars().count()).max().unwrap_or(1);
        let mut text = String::new();
        for package in &self.packages {
            self.package(&mut text, package, &cells, width);
        }
        for numa in &self.memory_only {
            let _ = writeln!(text, "{}", head(numa));
            let _ = writeln!(text, "└ memory only{}", self.devices(numa));
        }
        let known = |id: u32| self.numas().chain(&self.memory_only).any(|numa| numa.id == id);
        for nic in self.nics.iter().filter(|nic| !nic.numa.is_some_and(known)) {
            let _ = writeln!(text, "{nic}, on an unknown node");
        }
        for gpu in self.gpus.iter().filter(|gpu| !gpu.numa.is_some_and(known)) {
            let _ = writeln!(text, "{gpu}, on an unknown node");
        }
        for (pe, placement) in placements.iter().enumerate() {
            let (cpus, nics) = (&placement.cpus, self.name_nics(&placement.rails));
            let free = if placement.unbound.is_some() { " (not bound)" } else { "" };
            let _ = writeln!(text, "PE {pe}  CPUs {cpus}{free}{nics}");
        }
        if let Some(why) = placements.first().and_then(|one| one.unbound.as_ref()) {
            let _ = writeln!(text, "not bound, since {why}");
        }
        text
    }

    fn package(&self, text: &mut String, package: &Package, cells: &HashMap<u32, String>, width: usize) {
        let _ = writeln!(text, "package {}", package.id);
        for numa in &package.numas {
            let _ = writeln!(text, "{}", head(numa));
            for line in numa.cores.chunks(CELLS) {
                let line = line.iter().map(|core| format!("{:width$}", cells[&core.threads[0]]));
                let _ = writeln!(text, "│ {}", line.collect::<Vec<_>>().join(" ").trim_end());
            }
            let _ = writeln!(text, "{}", format!("└{}", self.devices(numa)).trim_end());
        }
    }

    /// The text of each core's cell, by the first thread of the core.
    fn cells(&self, placements: &[Placement]) -> HashMap<u32, String> {
        let of = |core: &Core| core.threads.iter().map(|&cpu| (cpu, core.threads[0])).collect::<Vec<_>>();
        let core_of: HashMap<u32, u32> = self.cores().flat_map(of).collect();
        let core_around = |placement: &Placement| {
            let mut cores = placement.cpus.iter().map(|cpu| core_of.get(&cpu).copied());
            let first = cores.next()??;
            cores.all(|core| core == Some(first)).then_some(first)
        };
        let mut bound: HashMap<u32, Vec<usize>> = HashMap::new();
        for (pe, placement) in placements.iter().enumerate() {
            core_around(placement).into_iter().for_each(|core| bound.entry(core).or_default().push(pe));
        }
        let cell = |core: &Core| match bound.get(&core.threads[0]).map(Vec::as_slice) {
            Some([pe]) => pe.to_string(),
            Some([pe, ..]) => format!("{pe}+"),
            _ if core.usable(&self.usable).next().is_some() => "·".to_owned(),
            _ => "-".to_owned(),
        };
        self.cores().map(|core| (core.threads[0], cell(core))).collect()
    }

    /// The NICs and GPUs of a node, each after a blank.
    fn devices(&self, numa: &Numa) -> String {
        let is_here = |node: Option<u32>| node == Some(numa.id) && self.speaks_for_node(numa);
        let nics = self.nics.iter().filter(|nic| is_here(nic.numa)).map(|nic| nic.to_string());
        let gpus = self.gpus.iter().filter(|gpu| is_here(gpu.numa)).map(|gpu| gpu.to_string());
        let here: Vec<String> = nics.chain(gpus).collect();
        if here.is_empty() { String::new() } else { format!(" {}", here.join("  ")) }
    }
}

fn head(numa: &Numa) -> String {
    let cpus: CpuSet = numa.cores.iter().flat_map(|core| core.threads.iter().copied()).collect();
    let cpus = if cpus.is_empty() { String::new() } else { format!("  CPUs {cpus}") };
    let memory = numa.memory_bytes.map(|bytes| format!("  {}", gibibytes(bytes))).unwrap_or_default();
    format!("┌ numa {}{cpus}{memory}", numa.id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BindTo, MapBy, Nic, NicKind, place};

    #[track_caller]
    fn check(machine: &Machine, pes: u32, by: MapBy, bind: Option<BindTo>, lines: &[&str]) {
        let placements = place(machine, pes, by, bind).unwrap();
        assert_eq!(machine.picture(&placements).lines().collect::<Vec<_>>(), lines);
    }

    #[test]
    fn boxes_hold_cores_and_pes() {
        let machine = Machine::synthetic("2x[1x3]+1nic/package").unwrap();
        let lines = [
            "package 0",
            "┌ numa 0  CPUs 0-2",
            "│ 0 2 ·",
            "└ nic nic0 (synthetic)",
            "package 1",
            "┌ numa 1  CPUs 3-5",
            "│ 1 · ·",
            "└ nic nic1 (synthetic)",
            "PE 0  CPUs 0 nic nic0",
            "PE 1  CPUs 3 nic nic1",
            "PE 2  CPUs 1 nic nic0",
        ];
        check(&machine, 3, MapBy::Socket, None, &lines);
    }

    #[test]
    fn cores_are_shared_or_not_to_be_used() {
        let machine = Machine::synthetic("1x[1x3x2]").unwrap().restricted_to(&"0,1,3".parse().unwrap());
        let lines =
            ["package 0", "┌ numa 0  CPUs 0-5", "│ 0+ 1  -", "└", "PE 0  CPUs 0,3", "PE 1  CPUs 1", "PE 2  CPUs 0,3"];
        check(&machine, 3, MapBy::Slot, Some(BindTo::Core), &lines);
    }

    #[test]
    fn pes_that_are_bound_to_more_are_below() {
        let mut machine = Machine::synthetic("1x[2x1]").unwrap();
        machine.packages[0].numas[0].memory_bytes = Some(3 << 29);
        machine.memory_only.push(Numa { id: 2, memory_bytes: Some(16 << 30), cores: Vec::new() });
        machine.nics.push(Nic {
            name: "eth0".into(),
            kind: NicKind::Net,
            numa: None,
            up: Some(false),
            closed: false,
            port: None,
            network: None,
        });
        let lines = [
            "package 0",
            "┌ numa 0  CPUs 0  1.5 GiB",
            "│ ·",
            "└",
            "┌ numa 1  CPUs 1",
            "│ ·",
            "└",
            "┌ numa 2  16.0 GiB",
            "└ memory only",
            "nic eth0 (net, down), on an unknown node",
            "PE 0  CPUs 0-1 (not bound)",
            "not bound, since one PE has the whole host",
        ];
        check(&machine, 1, MapBy::Slot, None, &lines);
    }

    #[test]
    fn the_nics_of_a_node_that_spans_packages_are_drawn_once() {
        let mut machine = Machine::synthetic("2x[1x1]+1nic").unwrap();
        machine.packages[1].numas[0].id = 0;
        assert_eq!(machine.picture(&[]).matches("nic0").count(), 1);
        assert_eq!(machine.to_string().matches("nic0").count(), 1);
    }

    #[test]
    fn who_is_bound_to_all_of_the_machine_is_bound() {
        let lines = |bind| {
            let machine = Machine::synthetic("1x[1x4]").unwrap();
            let picture = machine.picture(&place(&machine, 2, MapBy::Slot, bind).unwrap());
            picture.lines().filter(|line| line.contains("PE ") || line.contains("since")).collect::<Vec<_>>().join("; ")
        };
        assert_eq!(lines(Some(BindTo::Numa)), "PE 0  CPUs 0-3; PE 1  CPUs 0-3");
        let free = "PE 0  CPUs 0-3 (not bound); PE 1  CPUs 0-3 (not bound); not bound, since this was requested";
        assert_eq!(lines(Some(BindTo::None)), free);
    }

    #[test]
    fn a_large_job_on_the_largest_machine_is_drawn() {
        let machine = Machine::synthetic("32x[2x512x2]").unwrap();
        let picture = machine.picture(&place(&machine, 4_096, MapBy::Slot, None).unwrap());
        assert_eq!(picture.matches("\nPE ").count(), 4_096);
    }

    #[test]
    fn many_cores_take_several_lines() {
        let machine = Machine::synthetic("1x[1x20]").unwrap();
        let picture = machine.picture(&place(&machine, 20, MapBy::Slot, None).unwrap());
        assert!(picture.contains("│ 0  1  2 ") && picture.contains("│ 16 17 18 19\n"), "{picture}");
    }
}
