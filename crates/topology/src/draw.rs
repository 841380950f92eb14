//! The topology as text: one line for the cpus of a PE, a few lines for the machine.

use std::fmt;

use crate::{Core, CpuSet, Machine, Nic, NicKind, Numa, Rails};

impl Machine {
    /// One line that shows where `cpus` lie: brackets around packages, bars between NUMA nodes, slashes between
    /// cores, and for each hardware thread `#` if it is in the set, `.` if not, `-` if the job may not use it.
    pub fn draw(&self, cpus: &CpuSet) -> String {
        let core = |core: &Core| -> String { core.threads.iter().map(|&cpu| self.mark(cpu, cpus)).collect() };
        let numa = |numa: &Numa| numa.cores.iter().map(core).collect::<Vec<_>>().join("/");
        self.packages
            .iter()
            .map(|package| format!("[{}]", package.numas.iter().map(numa).collect::<Vec<_>>().join("|")))
            .collect()
    }

    /// The PE's NICs, to append to the line of [`Machine::draw`]: ` nic mlx5_0`, ` nics mlx5_0, mlx5_1`, or an empty string.
    pub fn name_nics(&self, rails: &Rails) -> String {
        let own: Vec<&str> = rails.nics[..rails.own].iter().map(|&nic| &*self.nics[nic].name).collect();
        match own.len() {
            0 => String::new(),
            1 => format!(" nic {}", own[0]),
            _ => format!(" nics {}", own.join(", ")),
        }
    }

    fn mark(&self, cpu: u32, cpus: &CpuSet) -> char {
        match (cpus.contains(cpu), self.usable.contains(cpu)) {
            (true, _) => '#',
            (false, true) => '.',
            (false, false) => '-',
        }
    }
}

impl fmt::Display for Machine {
    /// A line for each package, NUMA node and device without a node.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for package in &self.packages {
            writeln!(f, "package {}", package.id)?;
            for numa in &package.numas {
                self.write_numa(f, numa)?;
            }
        }
        for numa in &self.memory_only {
            self.write_numa(f, numa)?;
        }
        let known = |id: u32| self.numas().chain(&self.memory_only).any(|numa| numa.id == id);
        self.write_devices(f, "", |numa| !numa.is_some_and(known))
    }
}

impl Machine {
    fn write_numa(&self, f: &mut fmt::Formatter<'_>, numa: &Numa) -> fmt::Result {
        write!(f, "  numa {}", numa.id)?;
        if let Some(bytes) = numa.memory_bytes {
            write!(f, "  {}", gibibytes(bytes))?;
        }
        let cpus: CpuSet = numa.cores.iter().flat_map(|core| core.threads.iter().copied()).collect();
        match numa.cores.len() {
            0 => writeln!(f, "  memory only")?,
            1 => writeln!(f, "  1 core  CPUs {cpus}")?,
            cores => writeln!(f, "  {cores} cores  CPUs {cpus}")?,
        }
        let here = self.speaks_for_node(numa);
        self.write_devices(f, "    ", |at| here && at == Some(numa.id))
    }

    fn write_devices(
        &self,
        f: &mut fmt::Formatter<'_>,
        indent: &str,
        here: impl Fn(Option<u32>) -> bool,
    ) -> fmt::Result {
        self.nics.iter().filter(|nic| here(nic.numa)).try_for_each(|nic| writeln!(f, "{indent}{nic}"))?;
        self.gpus.iter().filter(|gpu| here(gpu.numa)).try_for_each(|gpu| writeln!(f, "{indent}{gpu}"))
    }
}

impl fmt::Display for Nic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = match self.up {
            Some(true) => ", up",
            Some(false) => ", down",
            None => "",
        };
        let closed = if self.closed { ", cannot be opened here" } else { "" };
        write!(f, "nic {} ({}{state}{closed})", self.name, self.kind)
    }
}

impl fmt::Display for NicKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NicKind::Verbs => "verbs",
            NicKind::Cxi => "cxi",
            NicKind::Hfi => "hfi",
            NicKind::Net => "net",
            NicKind::Synthetic => "synthetic",
        })
    }
}

/// A size in GiB with one decimal.
pub(crate) fn gibibytes(bytes: u64) -> String {
    format!("{:.1} GiB", bytes as f64 / (1u64 << 30) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_shows_where_the_cpus_lie() {
        let rows = [
            ("2x[1x2]", "0", "[#/.][./.]"),
            ("2x[2x2]", "2-5", "[./.|#/#][#/#|./.]"),
            ("1x[1x2x2]", "1,3", "[../##]"),
            ("1x[1x2x2]", "", "[../..]"),
        ];
        for (machine, cpus, line) in rows {
            assert_eq!(Machine::synthetic(machine).unwrap().draw(&cpus.parse().unwrap()), line);
        }
    }

    #[test]
    fn what_the_job_may_not_use_is_marked() {
        let machine = Machine::synthetic("2x[1x2]").unwrap().restricted_to(&"1-2".parse().unwrap());
        assert_eq!(machine.draw(&"1".parse().unwrap()), "[-/#][./-]");
    }

    #[test]
    fn the_nics_of_a_pe_are_named() {
        let machine = Machine::synthetic("1x[1x4]+3nic").unwrap();
        for (own, words) in [(0, ""), (1, " nic nic2"), (2, " nics nic2, nic0")] {
            assert_eq!(machine.name_nics(&Rails { nics: vec![2, 0, 1], own }), words);
        }
    }

    #[test]
    fn the_whole_map_names_every_part() {
        let mut machine = Machine::synthetic("1x[2x2x2]+2nic").unwrap();
        machine.packages[0].numas[0].memory_bytes = Some(3 << 29);
        machine.memory_only.push(Numa { id: 2, memory_bytes: Some(16 << 30), cores: Vec::new() });
        machine.nics[1].numa = None;
        machine.nics[1].up = Some(false);
        machine.nics[0].closed = true;
        let expected = "package 0\n  numa 0  1.5 GiB  2 cores  CPUs 0-1,4-5\n    \
                        nic nic0 (synthetic, cannot be opened here)\n  numa 1  2 cores  \
                        CPUs 2-3,6-7\n  numa 2  16.0 GiB  memory only\nnic nic1 (synthetic, down)\n";
        assert_eq!(machine.to_string(), expected);
    }
}
