//! Raises the limit of open descriptors: first for oshrun itself, then for all PEs.

use super::Refusal;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Descriptors per PE that oshrun keeps: its stdout, stderr and connection, and a pidfd under a wrapper.
const PER_PE: u64 = 4;
/// Descriptors per agent: the three streams of its remote shell.
const PER_AGENT: u64 = 3;
/// All other descriptors, including [`super::spawn::BOOT_FD`].
const OTHER: u64 = 160;

/// Descriptors that a job needs besides those for PEs and agents: all others, and a claim for each cpu that its PEs may be bound to.
fn besides() -> u64 {
    OTHER + ferrite_topology::allowed().len() as u64
}

/// The limit of open descriptors, raised for oshrun itself.
pub struct DescriptorLimit {
    had: Rlimit,
}

impl DescriptorLimit {
    /// Raise the limit for oshrun itself. Must come first: later code would panic for lack of descriptors.
    pub fn raise_for_launcher() -> Result<DescriptorLimit, Refusal> {
        let had = getrlimit(Resource::Nofile);
        let besides = besides();
        raise(besides, |hard| {
            format!(
                "needs {besides} open descriptors and {PER_PE} for each PE, but the hard limit is {hard} (ulimit \
                 -Hn): raise the limit"
            )
        })?;
        Ok(DescriptorLimit { had })
    }

    /// Raise the limit for `pes` PEs and `agents` agents. Returns the original limit, which the PEs get.
    pub fn raise_for_job(self, pes: usize, agents: usize) -> Result<Rlimit, Refusal> {
        let need = PER_PE * pes as u64 + PER_AGENT * agents as u64 + besides();
        raise(need, |hard| too_many(pes as u64, need, hard))?;
        Ok(self.had)
    }
}

/// Check that the hard limit allows `pes` PEs on this host, before anything is prepared for each of them.
pub fn check(pes: u32) -> Result<(), Refusal> {
    let need = PER_PE * u64::from(pes) + besides();
    permit(getrlimit(Resource::Nofile), need, |hard| too_many(pes.into(), need, hard))
}

fn too_many(pes: u64, need: u64, hard: u64) -> String {
    let whom = if pes == 1 { "a PE needs".to_owned() } else { format!("{pes} PEs on one host need") };
    let fewer = match hard.saturating_sub(besides()) / PER_PE {
        0 => String::new(),
        most => format!("start at most {most} on a host, or "),
    };
    format!(
        "{whom} {need} open descriptors, with oshrun's own, but the hard limit is {hard} (ulimit -Hn): {fewer}raise \
         the limit"
    )
}

/// Check that the hard limit allows `need` descriptors; `too_hard` makes the error.
fn permit(has: Rlimit, need: u64, too_hard: impl FnOnce(u64) -> String) -> Result<(), Refusal> {
    has.maximum.filter(|&hard| hard < need).map_or(Ok(()), |hard| Err(Refusal::new(too_hard(hard))))
}

/// Raise the soft limit to `need`, if the hard limit allows it.
fn raise(need: u64, too_hard: impl FnOnce(u64) -> String) -> Result<(), Refusal> {
    let has = getrlimit(Resource::Nofile);
    if has.current.is_none_or(|soft| soft >= need) {
        return Ok(());
    }
    permit(has, need, too_hard)?;
    setrlimit(Resource::Nofile, Rlimit { current: Some(need), maximum: has.maximum })
        .map_err(|error| Refusal::new(format!("cannot raise the limit of open descriptors to {need}: {error}")))
}
