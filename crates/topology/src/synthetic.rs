//! Topologies written by hand: for tests, and for planning a job on another machine.
//!
//! ```text
//! machine := PACKAGES "x" "[" NUMAS "x" CORES [ "x" THREADS ] "]" [ "+" NICS "nic" [ "/package" | "/numa" ] ]
//! ```
//!
//! `2x[4x8]` is two packages of four NUMA nodes of eight cores; `2x[4x8x2]+2nic` has two threads in each core and two
//! NICs, spread evenly over the NUMA nodes; `+2nic/package` and `+2nic/numa` put two on each package or NUMA node. The
//! NICs of a package are at its first NUMA node, as on most boards. The first threads of all cores have lower numbers
//! than the second threads, as in Linux.

use std::iter;

use crate::{Core, CpuSet, Error, Machine, Nic, NicKind, Numa, Package, Result};

/// Largest number of cpus of a written machine: the limit of [`CpuSet`].
const CPUS_MAX: u64 = 65_536;

/// The counts of a written machine.
struct Shape {
    packages: u32,
    numas: u32,
    cores: u32,
    threads: u32,
    nics: Nics,
}

/// Number and places of the NICs of a written machine.
#[derive(Clone, Copy)]
enum Nics {
    Spread(u32),
    OnPackage(u32),
    OnNuma(u32),
}

impl Machine {
    /// The machine that `text` describes, all of it usable. The grammar is
    /// `PACKAGESx[NUMASxCORES]`, with `xTHREADS` inside the brackets and `+Nnic`, `+Nnic/package` or `+Nnic/numa` after
    /// them if wanted.
    pub fn synthetic(text: &str) -> Result<Machine> {
        let shape = shape(text).ok_or_else(|| {
            Error::new(format!(
                "'{text}' is not a machine: expected PACKAGESx[NUMASxCORES], optionally with xTHREADS inside the \
                 brackets and +Nnic, +Nnic/package or +Nnic/numa after them, as in '2x[4x8x2]+2nic'; at most \
                 {CPUS_MAX} CPUs and as many NICs"
            ))
        })?;
        Ok(shape.build())
    }
}

/// Reads the counts; `None` if the text does not match the grammar, a count is zero, or the machine is too large.
fn shape(text: &str) -> Option<Shape> {
    let (body, nics) = match text.split_once('+') {
        Some((body, text)) => (body, nics(text)?),
        None => (text, Nics::Spread(0)),
    };
    let (packages, inner) = body.split_once("x[")?;
    let counts: Vec<u32> = inner.strip_suffix(']')?.split('x').map(count).collect::<Option<_>>()?;
    let (numas, cores, threads) = match counts[..] {
        [numas, cores] => (numas, cores, 1),
        [numas, cores, threads] => (numas, cores, threads),
        _ => return None,
    };
    let packages = count(packages)?;
    let cpus = [packages, numas, cores, threads].iter().try_fold(1u64, |all, &n| all.checked_mul(n.into()))?;
    let devices = match nics {
        Nics::Spread(all) => u64::from(all),
        Nics::OnPackage(each) => u64::from(each) * u64::from(packages),
        Nics::OnNuma(each) => u64::from(each).checked_mul(u64::from(packages) * u64::from(numas))?,
    };
    (cpus <= CPUS_MAX && devices <= CPUS_MAX).then_some(Shape { packages, numas, cores, threads, nics })
}

/// Reads the text after the `+`.
fn nics(text: &str) -> Option<Nics> {
    let (each, place) = text.split_once("nic")?;
    let each = count(each)?;
    match place {
        "" => Some(Nics::Spread(each)),
        "/package" => Some(Nics::OnPackage(each)),
        "/numa" => Some(Nics::OnNuma(each)),
        _ => None,
    }
}

/// Reads a count: digits only, and not zero.
fn count(text: &str) -> Option<u32> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|&count| digits && count > 0)
}

impl Shape {
    fn build(&self) -> Machine {
        let all_numas = self.packages * self.numas;
        let all_cores = all_numas * self.cores;
        let core = |index| Core { threads: (0..self.threads).map(|thread| thread * all_cores + index).collect() };
        let numa =
            |id| Numa { id, memory_bytes: None, cores: (id * self.cores..(id + 1) * self.cores).map(core).collect() };
        let package = |id| Package { id, numas: (id * self.numas..(id + 1) * self.numas).map(numa).collect() };
        let nic = |(index, numa)| Nic {
            name: format!("nic{index}"),
            kind: NicKind::Synthetic,
            numa: Some(numa),
            up: None,
            closed: false,
            port: None,
            network: Some("synthetic".to_owned()),
        };
        Machine {
            packages: (0..self.packages).map(package).collect(),
            memory_only: Vec::new(),
            nics: self.nic_numas().into_iter().enumerate().map(nic).collect(),
            gpus: Vec::new(),
            usable: (0..all_cores * self.threads).collect::<CpuSet>(),
            quota: None,
            astray: false,
        }
    }

    /// The NUMA node of each NIC.
    fn nic_numas(&self) -> Vec<u32> {
        let all_numas = self.packages * self.numas;
        let on = |count: u32, step: u32, each: u32| {
            (0..count).flat_map(move |part| iter::repeat_n(part * step, each as usize)).collect()
        };
        match self.nics {
            Nics::Spread(all) => {
                let numa = |index: u32| (u64::from(index) * u64::from(all_numas) / u64::from(all)) as u32;
                (0..all).map(numa).collect()
            }
            Nics::OnPackage(each) => on(self.packages, self.numas, each),
            Nics::OnNuma(each) => on(all_numas, 1, each),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn counts_become_a_machine() {
        let machine = Machine::synthetic("2x[4x8x2]+2nic").unwrap();
        assert_eq!(machine.packages.len(), 2);
        assert_eq!(machine.numas().count(), 8);
        assert_eq!(machine.cores().count(), 64);
        assert_eq!(machine.cpus().to_string(), "0-127");
        assert_eq!(machine.packages[1].numas[0].id, 4);
        assert_eq!(machine.packages[1].numas[0].cores[0].threads, [32, 96]);
        assert_eq!(machine.nics.iter().map(|nic| nic.numa).collect::<Vec<_>>(), [Some(0), Some(4)]);
    }

    #[test]
    fn nics_are_where_they_are_written() {
        let rows: [(&str, &[u32]); 5] = [
            ("2x[2x1]+1nic", &[0]),
            ("2x[2x1]+3nic", &[0, 1, 2]),
            ("1x[1x1]+3nic", &[0, 0, 0]),
            ("2x[2x1]+2nic/package", &[0, 0, 2, 2]),
            ("2x[2x1]+1nic/numa", &[0, 1, 2, 3]),
        ];
        for (text, numas) in rows {
            let nics = Machine::synthetic(text).unwrap().nics;
            assert_eq!(nics.iter().map(|nic| nic.numa.unwrap()).collect::<Vec<_>>(), numas, "{text}");
        }
    }

    #[test]
    fn what_is_no_machine_is_told_the_grammar() {
        let rows = [
            "",
            "2",
            "2x4",
            "2x[4]",
            "2x[4x8",
            "0x[4x8]",
            "2x[4x0]",
            "2x[4x8]+nic",
            "2x[4x8]+0nic",
            "2x[4x8]+2nic/core",
            "2x[4x8]+2nics",
            "2x[4x8]+9999nic/numa",
            "2x[4x8]x2",
            "2x[1x2x3x4]",
            "+2x[1x1]",
            "65537x[1x1]",
            "99999x[99999x99999]",
        ];
        for text in rows {
            let error = Machine::synthetic(text).unwrap_err().to_string();
            assert!(error.contains(&format!("'{text}'")) && error.contains("2x[4x8x2]+2nic"), "{error}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_the_reader_panic(text in "[0-9x\\[\\]+nic/uma]{0,20}") {
            if let Ok(machine) = Machine::synthetic(&text) {
                prop_assert_eq!(machine.cpus(), machine.usable);
            }
        }
    }
}
