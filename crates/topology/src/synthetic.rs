//! Machines that are written down rather than found: for tests, and for planning a job on another machine.
//!
//! ```text
//! machine := PACKAGES "x" "[" NUMAS "x" CORES [ "x" THREADS ] "]" [ "+" NICS "nic" ]
//! ```
//!
//! `2x[4x8]` is two packages of four NUMA nodes of eight cores; `2x[4x8x2]+2nic` has two threads in each core and two
//! NICs, spread evenly over the NUMA nodes. The first threads of all cores are numbered before the second threads of
//! any, as kernels do.

use crate::{Core, CpuSet, Error, Machine, Nic, NicKind, Numa, Package, Result};

/// The most cpus a written machine may have: what [`CpuSet`] can name.
const CPUS_MAX: u64 = 65_536;

/// The counts of a written machine.
struct Shape {
    packages: u32,
    numas: u32,
    cores: u32,
    threads: u32,
    nics: u32,
}

impl Machine {
    /// The machine that `text` describes, all of it usable. The grammar is
    /// `PACKAGESx[NUMASxCORES]`, with `xTHREADS` inside the brackets and `+Nnic` after them if wanted.
    pub fn synthetic(text: &str) -> Result<Machine> {
        let shape = shape(text).ok_or_else(|| {
            Error::new(format!(
                "'{text}' is not a machine: PACKAGESx[NUMASxCORES] is accepted, with xTHREADS inside the brackets and \
                 +Nnic after them if wanted, as in '2x[4x8x2]+2nic', up to {CPUS_MAX} cpus"
            ))
        })?;
        Ok(shape.build())
    }
}

/// Reads the counts; `None` if the text is not of the grammar, a count is zero, or the machine is too large.
fn shape(text: &str) -> Option<Shape> {
    let (body, nics) = match text.split_once('+') {
        Some((body, nics)) => (body, count(nics.strip_suffix("nic")?)?),
        None => (text, 0),
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
    (cpus <= CPUS_MAX && u64::from(nics) <= CPUS_MAX).then_some(Shape { packages, numas, cores, threads, nics })
}

/// A count: digits alone, and not zero.
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
        let nic = |index: u32| Nic {
            name: format!("nic{index}"),
            kind: NicKind::Synthetic,
            numa: Some((u64::from(index) * u64::from(all_numas) / u64::from(self.nics)) as u32),
            up: None,
        };
        Machine {
            packages: (0..self.packages).map(package).collect(),
            memory_only: Vec::new(),
            nics: (0..self.nics).map(nic).collect(),
            usable: (0..all_cores * self.threads).collect::<CpuSet>(),
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
        fn no_text_makes_the_reader_panic(text in "[0-9x\\[\\]+nic]{0,16}") {
            if let Ok(machine) = Machine::synthetic(&text) {
                prop_assert_eq!(machine.cpus(), machine.usable);
            }
        }
    }
}
