//! The topology as lines of text: the form in which one program passes it to another.
//!
//! ```text
//! package 0
//! numa 0 memory 8589934592 cores 0,2 1,3
//! memory 1 17179869184
//! gpu 0000:3b:00.0 nvidia numa 0 near mlx5_0
//! nic mlx5_0 verbs numa 0 up 1 port 1 network InfiniBand fe80:0000:0000:0000
//! usable 0-3
//! quota 2
//! ```
//!
//! A NUMA node belongs to the package above it. Unknown values are left out. So are flags that are not set: `closed 1`
//! of a NIC or GPU, `astray 1` of the process.

use std::fmt::Write;

use crate::{Core, CpuSet, Error, Gpu, GpuMaker, Machine, Nic, NicKind, Numa, Package, Result};

const KINDS: [(&str, NicKind); 5] = [
    ("cxi", NicKind::Cxi),
    ("hfi", NicKind::Hfi),
    ("verbs", NicKind::Verbs),
    ("net", NicKind::Net),
    ("synthetic", NicKind::Synthetic),
];

impl Machine {
    /// The map as lines that [`Machine::from_listing`] reads.
    pub fn listing(&self) -> String {
        let mut text = String::new();
        for package in &self.packages {
            let _ = writeln!(text, "package {}", package.id);
            for numa in &package.numas {
                let _ = write!(text, "numa {}", numa.id);
                numa.memory_bytes.iter().for_each(|bytes| text += &format!(" memory {bytes}"));
                text += " cores";
                for core in &numa.cores {
                    let _ = write!(text, " {}", core.threads.iter().copied().collect::<CpuSet>());
                }
                text.push('\n');
            }
        }
        for numa in &self.memory_only {
            let _ = writeln!(text, "memory {} {}", numa.id, numa.memory_bytes.unwrap_or(0));
        }
        for nic in &self.nics {
            let _ = writeln!(text, "nic {}", words(nic));
        }
        for gpu in &self.gpus {
            let _ = writeln!(text, "gpu {}", words_of_gpu(gpu));
        }
        let _ = writeln!(text, "usable {}", self.usable);
        self.quota.iter().for_each(|worth| text += &format!("quota {worth}\n"));
        text += if self.astray { "astray 1\n" } else { "" };
        text
    }

    /// Parses the map that [`Machine::listing`] wrote.
    pub fn from_listing(text: &str) -> Result<Machine> {
        let mut machine = Machine {
            packages: Vec::new(),
            memory_only: Vec::new(),
            nics: Vec::new(),
            gpus: Vec::new(),
            usable: CpuSet::new(),
            quota: None,
            astray: false,
        };
        for line in text.lines() {
            machine.add(line).ok_or_else(|| Error::new(format!("'{line}' is not a line of a machine's map")))?;
        }
        match machine.usable.is_empty() {
            true => Err(Error::new("the map of a machine ends early: it does not list the usable CPUs")),
            false => Ok(machine),
        }
    }

    /// Adds one line to the map; `None` if it is not a line of a map.
    fn add(&mut self, line: &str) -> Option<()> {
        let (what, rest) = line.split_once(' ')?;
        match what {
            "package" => self.packages.push(Package { id: rest.parse().ok()?, numas: Vec::new() }),
            "numa" => self.packages.last_mut()?.numas.push(numa(rest)?),
            "memory" => {
                let (id, bytes) = rest.split_once(' ')?;
                let memory_bytes = Some(bytes.parse().ok()?);
                self.memory_only.push(Numa { id: id.parse().ok()?, memory_bytes, cores: Vec::new() });
            }
            "nic" => self.nics.push(nic(rest)?),
            "gpu" => self.gpus.push(gpu(rest)?),
            "usable" => self.usable = rest.parse().ok().filter(|set: &CpuSet| !set.is_empty())?,
            "quota" => self.quota = Some(rest.parse().ok()?),
            "astray" => self.astray = rest == "1",
            _ => return None,
        }
        Some(())
    }
}

fn words(nic: &Nic) -> String {
    let kind = KINDS.iter().find(|(_, kind)| *kind == nic.kind).map_or("net", |(word, _)| word);
    let mut text = format!("{} {kind}", nic.name);
    nic.numa.iter().for_each(|numa| text += &format!(" numa {numa}"));
    nic.up.iter().for_each(|&up| text += &format!(" up {}", u8::from(up)));
    text += if nic.closed { " closed 1" } else { "" };
    nic.port.iter().for_each(|port| text += &format!(" port {port}"));
    nic.network.iter().for_each(|network| text += &format!(" network {network}"));
    text
}

fn words_of_gpu(gpu: &Gpu) -> String {
    let mut text = format!("{} {}", gpu.pci, gpu.maker.name());
    gpu.numa.iter().for_each(|numa| text += &format!(" numa {numa}"));
    text += if gpu.closed { " closed 1" } else { "" };
    gpu.nics.iter().for_each(|nic| text += &format!(" near {nic}"));
    text
}

fn gpu(text: &str) -> Option<Gpu> {
    let mut words = text.split(' ');
    let (pci, maker) = (words.next().filter(|pci| !pci.is_empty())?.to_owned(), GpuMaker::named(words.next()?)?);
    let mut gpu = Gpu { pci, maker, numa: None, nics: Vec::new(), closed: false };
    while let Some(word) = words.next() {
        let value = words.next()?;
        match word {
            "numa" => gpu.numa = Some(value.parse().ok()?),
            "closed" => gpu.closed = value == "1",
            "near" => gpu.nics.push(value.to_owned()),
            _ => return None,
        }
    }
    Some(gpu)
}

fn numa(text: &str) -> Option<Numa> {
    let (head, cores) = text.split_once(" cores")?;
    let (id, memory_bytes) = match head.split_once(" memory ") {
        Some((id, bytes)) => (id, Some(bytes.parse().ok()?)),
        None => (head, None),
    };
    let core = |list: &str| {
        let threads: Vec<u32> = list.parse::<CpuSet>().ok()?.iter().collect();
        (!threads.is_empty()).then_some(Core { threads })
    };
    Some(Numa { id: id.parse().ok()?, memory_bytes, cores: cores.split_whitespace().map(core).collect::<Option<_>>()? })
}

fn nic(text: &str) -> Option<Nic> {
    let (facts, network) = match text.split_once(" network ") {
        Some((facts, network)) => (facts, Some(network.to_owned())),
        None => (text, None),
    };
    let mut facts = facts.split(' ');
    let (name, kind) = (facts.next().filter(|name| !name.is_empty())?.to_owned(), facts.next()?);
    let &(_, kind) = KINDS.iter().find(|(word, _)| *word == kind)?;
    let mut nic = Nic { name, kind, numa: None, up: None, closed: false, port: None, network };
    while let Some(fact) = facts.next() {
        let number: u32 = facts.next()?.parse().ok()?;
        match fact {
            "numa" => nic.numa = Some(number),
            "up" => nic.up = Some(number != 0),
            "closed" => nic.closed = number != 0,
            "port" => nic.port = Some(number),
            _ => return None,
        }
    }
    Some(nic)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_map_survives_the_way() {
        for text in ["1x[1x1]", "2x[2x3x2]+3nic", "1x[4x2]+1nic/numa"] {
            let mut machine = Machine::synthetic(text).unwrap();
            assert_eq!(Machine::from_listing(&machine.listing()).unwrap(), machine, "{text}");
            machine.packages[0].numas[0].memory_bytes = Some(1 << 40);
            machine.memory_only.push(Numa { id: 9, memory_bytes: Some(5), cores: Vec::new() });
            let network = Some("InfiniBand fe80:0000:0000:0000".to_owned());
            let name = "mlx5_0".to_owned();
            let (kind, up, port) = (NicKind::Verbs, Some(false), Some(2));
            machine.nics.push(Nic { name, kind, numa: None, up, closed: true, port, network });
            let (pci, near) = ("0000:3b:00.0".to_owned(), vec!["mlx5_0".to_owned(), "mlx5_1".to_owned()]);
            machine.gpus = vec![
                Gpu { pci: pci.clone(), maker: GpuMaker::Nvidia, numa: Some(1), nics: near, closed: true },
                Gpu { pci, maker: GpuMaker::Amd, numa: None, nics: Vec::new(), closed: false },
            ];
            let machine = Machine { quota: Some(3), astray: true, ..machine.restricted_to(&"0".parse().unwrap()) };
            assert_eq!(Machine::from_listing(&machine.listing()).unwrap(), machine, "{text}");
        }
    }

    #[test]
    fn what_is_no_map_is_refused_by_its_line() {
        let rows = [
            "numa 0 cores 0",
            "package x",
            "package 0\nnuma 0 cores 0 ,",
            "package 0\nnuma 0 cores 99999",
            "nic a verbs numa",
            "nic a odd",
            "gpu 0000:3b:00.0 odd",
            "gpu 0000:3b:00.0 amd numa",
            "memory 1",
            "usable ",
            "",
            "what",
        ];
        for text in rows {
            let error = Machine::from_listing(text).unwrap_err().to_string();
            assert!(
                error.contains(&format!("'{}'", text.lines().last().unwrap_or("x"))) || error.contains("early"),
                "{error}"
            );
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_the_reader_panic(text in "(package|numa|nic|gpu|usable|memory|cores|up|[0-9 ,\\-\n]){0,30}") {
            if let Ok(machine) = Machine::from_listing(&text) {
                prop_assert!(!machine.usable.is_empty());
            }
        }
    }
}
