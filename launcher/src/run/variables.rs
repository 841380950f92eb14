//! The variables that oshrun reads, and those that it passes on to the PEs.

use super::Refusal;
use super::options::JobOptions;
use crate::stderr::print_line;
use ferrite_bootstrap::ON_LOSS;
use std::env;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

/// Prefixes of environment variables that are passed to other hosts. The last three belong to libraries below libfabric and UCX: PSM3,
/// Slingshot (CXI_FORK_SAFE), and verbs (RDMAV_FORK_SAFE). SLINGSHOT_ is not passed, because each step has values of its own.
const CARRIED: [&str; 9] = ["SHMEM_", "SMA_", "UCX_", "FI_", "FERRITE_", "OMP_", "PSM3_", "CXI_", "RDMAV_"];
/// Further variables that are passed. srun must not see the second (see [`super::rsh`]); scripts read it.
const CARRIED_TOO: [&str; 4] =
    ["LD_LIBRARY_PATH", "SLURM_CPUS_PER_TASK", "XT_SYMMETRIC_HEAP_SIZE", "OMPI_MCA_shmem_symmetric_heap_size"];
/// Variables that are set for each PE, and are not passed.
const NOT_CARRIED: [&str; 6] = [
    "FERRITE_BOOT",
    ferrite_bootstrap::BOARDS,
    "FERRITE_PE",
    "FERRITE_NPES",
    "FERRITE_LOCAL_PE",
    super::control_group::VARIABLE,
];

/// The value of a variable. One that is empty counts as not set.
pub fn of_variable(name: &str) -> Option<String> {
    variable_of_ours(name).filter(|value| !value.is_empty()).map(|value| value.to_string_lossy().into_owned())
}

/// The variables that are passed to all hosts, and the variables that options set. Relative file names start at the directory in which
/// oshrun was started, whichever host PE 0 writes the files on.
pub fn carried(job: &JobOptions, directory: &Path) -> Vec<(OsString, OsString)> {
    let travels = |name: &str| {
        !NOT_CARRIED.contains(&name)
            && (CARRIED.iter().any(|begin| name.starts_with(begin)) || CARRIED_TOO.contains(&name))
    };
    let mut carried: Vec<_> = env::vars_os().filter(|(name, _)| name.to_str().is_some_and(travels)).collect();
    // The last value of a variable counts.
    let mut set = |name: &str, value: Option<OsString>| carried.extend(value.map(|value| (name.into(), value)));
    set("SHMEM_TRANSPORT", job.transport.as_ref().map(|transport| transport.to_string().into()));
    set("SHMEM_PROFILE", job.profile.as_ref().map(|file| directory.join(file).into()));
    set("SHMEM_TRACE", job.trace.as_ref().map(|file| directory.join(file).into()));
    set("SHMEM_CHECK", job.check.as_deref().map(OsString::from));
    set(ON_LOSS, job.on_loss.as_deref().map(OsString::from));
    set("SHMEM_ON_STALL", job.on_stall.as_deref().map(OsString::from));
    carried
}

/// A variable and its value, from `-x`. A variable that is not set is no error: scripts list variables that may be set.
pub fn exported(given: OsString) -> Option<Result<(OsString, OsString), Refusal>> {
    let bytes = given.as_bytes();
    let (name, value) = match bytes.iter().position(|&byte| byte == b'=') {
        Some(at) => (&bytes[..at], Some(OsString::from_vec(bytes[at + 1..].to_vec()))),
        None => (bytes, variable_of_ours(&given.to_string_lossy())),
    };
    if name.is_empty() {
        return Some(Err(Refusal::new(format!("-x {}: expected VARIABLE or VARIABLE=VALUE", given.to_string_lossy()))));
    }
    let name = OsString::from_vec(name.to_vec());
    if value.is_none() {
        print_line(format_args!("oshrun: -x {}: not set here, so not passed on", name.to_string_lossy()));
    }
    Some(Ok((name, value?)))
}

/// A variable of the environment of oshrun.
#[expect(clippy::disallowed_methods, reason = "the launcher passes on its environment; this is where it reads it")]
pub fn variable_of_ours(name: &str) -> Option<OsString> {
    env::var_os(name)
}
