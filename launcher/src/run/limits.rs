//! Room for the descriptors of all PEs.

use super::Refusal;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Descriptors per PE that oshrun keeps: its stdout, stderr and connection, and a pidfd under a wrapper.
const PER_PE: u64 = 4;
/// Descriptors per agent: the three streams of its remote shell.
const PER_AGENT: u64 = 3;
/// Everything else, [`super::spawn::BOOT_FD`] among it.
const OTHER: u64 = 160;

/// Raise the soft limit of open descriptors as far as so many PEs and agents need. What it was comes back, for the PEs
/// to have.
pub fn make_room(pes: usize, agents: usize) -> Result<Rlimit, Refusal> {
    let had = getrlimit(Resource::Nofile);
    let need = pes as u64 * PER_PE + agents as u64 * PER_AGENT + OTHER;
    if had.current.is_none_or(|soft| soft >= need) {
        return Ok(had);
    }
    if let Some(hard) = had.maximum.filter(|&hard| hard < need) {
        let most = hard.saturating_sub(OTHER) / PER_PE;
        return Err(Refusal::new(format!(
            "{pes} PEs on one host need {need} open descriptors, the hard limit is {hard} (ulimit -Hn): start at most \
             {most} PEs, or raise the limit"
        )));
    }
    setrlimit(Resource::Nofile, Rlimit { current: Some(need), maximum: had.maximum }).map_err(|error| {
        Refusal::new(format!("cannot raise the limit of open descriptors to {need} for {pes} PEs: {error}"))
    })?;
    Ok(had)
}
