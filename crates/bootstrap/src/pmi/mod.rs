//! PMI-1 and PMI-2, as spoken by MPICH's launchers and Slurm. [`over`] asks a launcher which of the two it speaks.
//!
//! Both versions begin with a line that requests a version, so a client can request one and then the other on the same connection. PMI-1 is
//! requested first, for two reasons. Its abort carries an exit code, which `mpiexec.hydra` passes on; in PMI-2, `mpiexec.hydra` treats an
//! abort as a protocol error. And in PMI-2, `mpiexec.hydra` 4.0.2 hung with 256 PEs, as it and its proxy each waited for the other to read;
//! in PMI-1 it started 400. Slurm speaks both.

mod channel;
mod pmi1;
mod pmi2;

pub use channel::{MESSAGE_MAX, MPICH};

use crate::kvs::{Served, Store};
use channel::Channel;
use ferrite_fabric::{Error, Pe, Result};
use pmi1::Pmi1;
use pmi2::Pmi2;
use std::os::fd::OwnedFd;

/// Which version of PMI to speak.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Version {
    /// PMI-1 if the launcher speaks it, or else PMI-2.
    Any,
    /// Only PMI-1.
    One,
    /// Only PMI-2.
    Two,
}

/// Speak PMI over a connected socket. `launcher` is the name of the launcher at the other end. `me`, `size` and `job`
/// (the job's id, if there is one) come from the environment. Collective over the job.
pub fn over(
    socket: OwnedFd,
    launcher: &str,
    (me, size): (Pe, u32),
    job: Option<&str>,
    version: Version,
) -> Result<Served> {
    let channel = Channel::new(socket, launcher)?;
    let store: Box<dyn Store> = if version != Version::Two && channel.agree(1, 1)? {
        Box::new(Pmi1::begin(channel, me, size)?)
    } else if version != Version::One && channel.agree(2, 0)? {
        Box::new(Pmi2::begin(channel, me, job.unwrap_or(""))?)
    } else {
        let asked = match version {
            Version::Any => "neither PMI-1 nor PMI-2",
            Version::One => "no PMI-1",
            Version::Two => "no PMI-2",
        };
        return Err(Error::new(format!("{launcher} speaks {asked}")));
    };
    Served::over(store)
}
