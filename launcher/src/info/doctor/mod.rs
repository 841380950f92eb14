//! `oshmem_info --doctor`: checks whether this host is fit for jobs. One line for each thing that jobs need: it is fine, it could be
//! better, or it is broken, and then the line tells how to repair it.
//!
//! `host`, `roce` and `limits` judge facts. `self_test` has two PEs (`pe`) communicate over each transport, since a transport that is
//! installed and configured may still not carry anything.

mod host;
mod limits;
mod pe;
mod roce;
mod self_test;

use clap::Args;
use std::{
    io::{self, Write},
    path::PathBuf,
};

pub(super) use pe::run as be_a_pe;

/// The first argument that makes a program a PE of the doctor's own job.
pub(crate) const PE: &str = "--doctor-pe";

#[derive(Args)]
pub(super) struct Examination {
    /// Check that this host is fit for jobs: limits, devices and libraries, and a job of two PEs over each transport. Prints a line for
    /// each check, with a remedy if it failed; exits with 1 if something is broken
    #[arg(long)]
    pub(super) doctor: bool,

    /// Hosts of the two PEs of these jobs, one on each [default: both on this one]
    #[arg(long, value_name = "HOST,HOST", requires = "doctor")]
    host: Option<String>,

    /// Also write a file for a bug report: versions, paths, transports, memory, topology, settings and the results of the checks
    #[arg(long, value_name = "FILE", requires = "doctor")]
    pub(super) report: Option<PathBuf>,

    /// A PE of the doctor's own job.
    #[arg(long, hide = true)]
    pub(super) doctor_pe: bool,
}

/// The judgement of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// As it should be.
    Fine,
    /// Jobs run, but something could be better.
    Advice,
    /// Jobs that need this fail.
    Broken,
}

/// The subject of a check, and its result.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Finding {
    what: String,
    verdict: Verdict,
    text: String,
}

impl Finding {
    fn fine(what: impl Into<String>, text: impl Into<String>) -> Finding {
        Finding { what: what.into(), verdict: Verdict::Fine, text: text.into() }
    }

    fn advice(what: impl Into<String>, text: impl Into<String>) -> Finding {
        Finding { verdict: Verdict::Advice, ..Finding::fine(what, text) }
    }

    fn broken(what: impl Into<String>, text: impl Into<String>) -> Finding {
        Finding { verdict: Verdict::Broken, ..Finding::fine(what, text) }
    }

    fn line(&self, parsable: bool) -> String {
        let word = match self.verdict {
            Verdict::Fine => "ok",
            Verdict::Advice => "note",
            Verdict::Broken => "FIX",
        };
        let text = self.text.replace('\n', "; ");
        if parsable {
            // A key must have no colon, although an address may have one.
            return format!("doctor:{}:{word}:{text}\n", self.what.replace([' ', ':'], "-"));
        }
        format!("{word:4}  {:26}  {text}\n", self.what)
    }
}

/// Result of an examination.
pub(super) struct Findings {
    pub(super) are_good: bool,
    /// All lines, as people read them.
    pub(super) lines: String,
}

/// Check everything, and print each line as soon as it is known.
pub(super) fn examine(wishes: &Examination, parsable: bool) -> io::Result<Findings> {
    let mut broken = 0;
    let mut lines = String::new();
    let mut tell = |finding: Finding| {
        broken += usize::from(finding.verdict == Verdict::Broken);
        lines += &finding.line(false);
        let mut out = io::stdout().lock();
        out.write_all(finding.line(parsable).as_bytes()).and_then(|()| out.flush())
    };
    let machine = ferrite_topology::Machine::probe();
    let nics = machine.as_ref().map(|machine| machine.nics.as_slice()).unwrap_or_default();
    host::findings(nics).into_iter().chain(limits::findings(nics)).try_for_each(&mut tell)?;
    for test in self_test::tests(wishes.host.as_deref()) {
        let finding = match test {
            Ok(test) => test.run(),
            Err(finding) => finding,
        };
        let is_last = finding.what == self_test::HOSTS;
        tell(finding)?;
        if is_last {
            break;
        }
    }
    if !parsable {
        let end = match broken {
            0 => "nothing is broken".to_owned(),
            1 => "1 line to fix".to_owned(),
            lines => format!("{lines} lines to fix"),
        };
        writeln!(io::stdout(), "{end}")?;
    }
    Ok(Findings { are_good: broken == 0, lines })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_is_one_line() {
        let finding = Finding::broken("tcp, fe80::1", "lost\nreally");
        assert_eq!(finding.line(false), "FIX   tcp, fe80::1                lost; really\n");
        assert_eq!(finding.line(true), "doctor:tcp,-fe80--1:FIX:lost; really\n");
    }
}
