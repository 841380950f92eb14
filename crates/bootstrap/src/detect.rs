//! Finds the launch protocol of this process: a table of the protocols that this build speaks, and a table of the
//! launchers that it recognises.
//!
//! The worst outcome would be N programs that each take themselves for PE 0 of 1. So if a launcher's environment shows more than one task
//! and no protocol of this build works, detection fails with an error that names the evidence. The opposite mistake must be avoided too:
//! the shell of an allocation (salloc, sbatch, qsub) has the size of the allocation in its environment without being one of its tasks. So
//! only variables that are set for *tasks* count.

use crate::cleared::refuse_cleared;
use crate::join;
use crate::mpich;
use crate::oshrun::spend;
use crate::pmi::{self, MPICH, Version};
use crate::survivor::Survivor;
use crate::{Alone, BOARDS, Boot, JOB_GROUP, Launched, Served, VARIABLE, kvs, pmix};
use ferrite_fabric::{Error, Pe, Result};
use ferrite_os::mutex;
use rustix::fs::{FileType, fstat};
use rustix::io::{FdFlags, fcntl_setfd};
use std::os::fd::{BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::sync::{Arc, Mutex};

/// How this process finds its peers. It is found once: the library may be finalised and initialised again, and the mark of a used
/// variable ([`spend`]) is for other programs.
#[derive(Clone)]
enum Found {
    /// A connection that is kept.
    Kept(Arc<dyn Boot>),
    /// Another meeting of the members at each init.
    Meeting(join::Start),
    /// The same, through our own launcher.
    Survivor(Arc<Launched>),
}

static FOUND: Mutex<Option<Found>> = Mutex::new(None);

/// The connection of this process to its launcher: the same one every time, or, where the processes of a job meet without a launcher,
/// a new one.
///
/// `FERRITE_BOOT=tcp://host:port` and `FERRITE_BOOT=torchrun` have the processes meet there. `FERRITE_BOOT=alone` makes a program PE 0 of 1
/// whatever else the environment says; `FERRITE_BOOT=pmi1`, `pmi2` and `pmix` select that protocol and no other.
pub fn detect() -> Result<Arc<dyn Boot>> {
    let found = {
        let mut found = mutex::lock(&FOUND);
        match &*found {
            Some(found) => found.clone(),
            None => found.insert(find(&variable)?).clone(),
        }
    };
    match found {
        Found::Kept(boot) => Ok(boot),
        Found::Meeting(start) => Ok(Arc::new(start.join()?)),
        Found::Survivor(launched) => Ok(Arc::new(Survivor::meet(launched)?)),
    }
}

fn find(env: &Env) -> Result<Found> {
    if let Some(start) = join::from_environment(env)? {
        spend();
        return Ok(Found::Meeting(start));
    }
    if env(VARIABLE).is_some_and(|value| value.starts_with("oshrun:")) && join::returns_losses(env)? {
        return Ok(Found::Survivor(Arc::new(launched(env)?)));
    }
    let boot = choose(env)?;
    tracing::debug!(launcher = boot.launcher(), me = boot.me().0, size = boot.size(), "found the launcher");
    Ok(Found::Kept(boot))
}

/// A protocol of this build: returns a connection if the environment offers one, otherwise `None`.
type Protocol = fn(&Env) -> Result<Option<Arc<dyn Boot>>>;

/// In order of preference. Launchers can be nested, and the innermost one counts. A descriptor that is open must be its own, while
/// variables may be left over from an outer launcher. So the protocols with an inherited socket come before the one with variables only.
const PROTOCOLS: [Protocol; 3] = [ours, by_pmi, by_pmix];

fn choose(env: &Env) -> Result<Arc<dyn Boot>> {
    for protocol in PROTOCOLS {
        if let Some(boot) = protocol(env)? {
            return Ok(boot);
        }
    }
    refuse_one_of_many(env)?;
    if env(VARIABLE).is_none() {
        refuse_cleared()?;
    }
    Ok(Arc::new(Alone::new()?))
}

fn ours(env: &Env) -> Result<Option<Arc<dyn Boot>>> {
    Ok(match env(VARIABLE).as_deref() {
        None | Some("") => None,
        // Second arm: a PE has started this program, which is therefore not a PE.
        Some("alone") => Some(Arc::new(Alone::new()?)),
        Some(spent) if spent.starts_with('-') => Some(Arc::new(Alone::new()?)),
        Some("pmi1") => Some(demanded(env, pmi_of(env, Version::One)?, "open socket in PMI_FD")?),
        Some("pmi2") => Some(demanded(env, pmi_of(env, Version::Two)?, "open socket in PMI_FD")?),
        Some("pmix") => Some(demanded(env, by_pmix(env)?, "set of PMIX_NAMESPACE, PMIX_RANK and PMIX_SERVER_URI")?),
        Some(_) => Some(Arc::new(launched(env)?)),
    })
}

/// The connection to our own launcher.
fn launched(env: &Env) -> Result<Launched> {
    Launched::from_environment(&env(VARIABLE).unwrap_or_default(), env(JOB_GROUP), env(BOARDS))
}

/// The connection of the protocol that the user has selected.
fn demanded(env: &Env, found: Option<Arc<dyn Boot>>, sign: &str) -> Result<Arc<dyn Boot>> {
    found.ok_or_else(|| {
        let value = env(VARIABLE).unwrap_or_default();
        Error::new(format!("{VARIABLE}={value}, but no launcher offers it: there is no {sign}"))
    })
}

fn by_pmi(env: &Env) -> Result<Option<Arc<dyn Boot>>> {
    pmi_of(env, Version::Any)
}

/// A connection by PMI-1 or PMI-2, if there is a socket for them.
fn pmi_of(env: &Env, version: Version) -> Result<Option<Arc<dyn Boot>>> {
    let number = |name: &str| env(name)?.trim().parse::<u32>().ok();
    let (Some(fd), Some(rank), Some(size)) = (open_socket(env), number("PMI_RANK"), number("PMI_SIZE")) else {
        return Ok(None);
    };
    let launcher = if env("MPI_LOCALNRANKS").is_some() { MPICH } else { name(env).unwrap_or("a PMI launcher") };
    mpich::refuse_to_share(launcher)?;
    // SAFETY: an open socket, which the launcher made for this process. Another library that speaks PMI may use it as well, but none closes
    // it: it is needed until the end, and this owner is kept until then.
    let socket = unsafe { OwnedFd::from_raw_fd(fd) };
    fcntl_setfd(&socket, FdFlags::CLOEXEC)
        .map_err(|error| Error::because("keeping PMI_FD from programs that this PE starts", error))?;
    let job = env("PMI_JOBID");
    let boot = pmi::over(socket, launcher, (Pe(rank), size), job.as_deref(), version)?;
    Ok(Some(kept(boot)))
}

/// The descriptor of `PMI_FD`, if it is an open socket.
fn open_socket(env: &Env) -> Option<RawFd> {
    let fd = env("PMI_FD")?.trim().parse::<RawFd>().ok().filter(|&fd| fd > 2)?;
    // SAFETY: the descriptor is only passed to a system call that refuses a closed one.
    let found = fstat(unsafe { BorrowedFd::borrow_raw(fd) }).ok()?;
    FileType::from_raw_mode(found.st_mode).is_socket().then_some(fd)
}

/// Variables in which the releases of PMIx name their server; a client needs one of them.
const PMIX_SERVERS: [&str; 6] = [
    "PMIX_SERVER_URI",
    "PMIX_SERVER_URI2",
    "PMIX_SERVER_URI21",
    "PMIX_SERVER_URI3",
    "PMIX_SERVER_URI4",
    "PMIX_SERVER_URI41",
];

fn by_pmix(env: &Env) -> Result<Option<Arc<dyn Boot>>> {
    let named = env("PMIX_NAMESPACE").is_some() && env("PMIX_RANK").is_some();
    if !named || PMIX_SERVERS.iter().all(|name| env(name).is_none()) {
        return Ok(None);
    }
    let launcher = name(env).unwrap_or("a PMIx server");
    match pmix::load(env("PMIX_PREFIX").as_deref()) {
        Ok(library) => Ok(Some(kept(pmix::connect(library, launcher)?))),
        // A job of one task needs no server.
        Err(_) if refuse_one_of_many(env).is_ok() => Ok(None),
        Err(error) => Err(Error::because(
            format!(
                "{launcher} speaks PMIx, whose library is missing: install it (Debian: libpmix2), put its directory \
                 into LD_LIBRARY_PATH, start the program with `oshrun -n N`, or set {VARIABLE}=alone to run each task as \
                 PE 0 of 1"
            ),
            error,
        )),
    }
}

/// Keep a connection until the process ends, and say goodbye then.
fn kept(boot: Served) -> Arc<dyn Boot> {
    let boot = Arc::new(boot);
    kvs::say_goodbye_at_exit(boot.clone());
    boot
}

/// The launcher of this process, by its marks.
fn name(env: &Env) -> Option<&'static str> {
    LAUNCHERS.iter().find(|launcher| launcher.marks.iter().all(|mark| env(mark).is_some())).map(|found| found.name)
}

/// The environment that a launcher gives to its tasks.
struct Launcher {
    name: &'static str,
    /// Variables that are set for tasks only.
    marks: &'static [&'static str],
    /// Variables with the number of tasks; the first that is set counts.
    sizes: &'static [&'static str],
    /// Variables with the number of this task, used if no size is given.
    ranks: &'static [&'static str],
    /// The job script carries the marks of task 0 as well, without being a task.
    script_is_first: bool,
}

/// The common case: a rank that every task has, and that a job script does not have.
const fn tasks(name: &'static str, rank: &'static [&'static str], sizes: &'static [&'static str]) -> Launcher {
    Launcher { name, marks: rank, sizes, ranks: rank, script_is_first: false }
}

/// The known launchers. The first one whose marks are all set counts as the launcher of the process.
const LAUNCHERS: [Launcher; 11] = [
    Launcher {
        name: "Slurm (srun)",
        // A batch script and the shell of salloc have SLURM_NTASKS, but no step.
        marks: &["SLURM_STEP_ID", "SLURM_PROCID"],
        // Within a step, both give the size of the step.
        sizes: &["SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"],
        ranks: &["SLURM_PROCID"],
        script_is_first: false,
    },
    tasks(MPICH, &["PMI_RANK"], &["PMI_SIZE"]),
    tasks("Open MPI's mpirun", &["OMPI_COMM_WORLD_RANK"], &["OMPI_COMM_WORLD_SIZE"]),
    Launcher {
        name: "a PMIx server (prterun)",
        marks: &["PMIX_NAMESPACE", "PMIX_RANK"],
        // PMIx gives no size in the environment, but the launcher that started the tasks often does.
        sizes: &["OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS"],
        ranks: &["PMIX_RANK"],
        script_is_first: false,
    },
    tasks("Cray PALS (aprun, mpiexec)", &["PALS_RANKID"], &["PMI_SIZE"]),
    tasks("Cray ALPS (aprun)", &["ALPS_APP_PE"], &["PMI_SIZE"]),
    tasks("Flux", &["FLUX_TASK_RANK"], &["FLUX_JOB_SIZE"]),
    tasks("IBM's jsrun", &["JSM_NAMESPACE_RANK"], &["JSM_NAMESPACE_SIZE"]),
    tasks("MVAPICH's mpirun_rsh", &["MV2_COMM_WORLD_RANK"], &["MV2_COMM_WORLD_SIZE"]),
    tasks("an MPI launcher", &["MPI_LOCALRANKID"], &["MPI_LOCALNRANKS"]),
    Launcher {
        name: "PBS (pbsdsh)",
        marks: &["PBS_TASKNUM", "PBS_VNODENUM"],
        sizes: &[],
        ranks: &["PBS_VNODENUM"],
        script_is_first: true,
    },
];

/// Return an error if this process is one task of several.
fn refuse_one_of_many(env: &Env) -> Result<()> {
    for launcher in &LAUNCHERS {
        if !launcher.marks.iter().all(|mark| env(mark).is_some()) {
            continue;
        }
        let number = |names: &[&'static str]| {
            names.iter().find_map(|name| Some((*name, env(name)?.trim().parse::<u64>().ok()?)))
        };
        let evidence = match (number(launcher.sizes), number(launcher.ranks)) {
            (Some((_, size)), _) if size <= 1 => continue,
            (Some(told), _) => told,
            (None, Some((_, 0))) if launcher.script_is_first => continue,
            // Without a size, task 0 cannot know that it is the only task, so assume that there are more.
            (None, Some(rank)) => rank,
            (None, None) => (launcher.marks[0], 0),
        };
        return Err(several(launcher, evidence, env));
    }
    Ok(())
}

fn several(launcher: &Launcher, evidence: (&str, u64), env: &Env) -> Error {
    let named: Vec<String> = [launcher.marks, launcher.sizes]
        .concat()
        .iter()
        .filter_map(|name| Some(format!("{name}={}", env(name)?)))
        .collect();
    let (name, value) = evidence;
    let says = if launcher.sizes.contains(&name) {
        format!("started this process as one of {value} tasks")
    } else {
        "started this process, perhaps as one of several tasks".to_owned()
    };
    let advice = match env("PMI_FD") {
        Some(fd) => {
            format!("PMI_FD={fd} is not an open socket: a wrapper that starts PEs must pass on its open descriptors")
        }
        None if launcher.name.starts_with("Slurm") => "without PMI: use `srun --mpi=pmi2`".to_owned(),
        None if launcher.name.contains("PALS") => {
            "without PMIx: use `mpiexec --pmi=pmix`, since PALS' own protocol is Cray's".to_owned()
        }
        None => "it cannot be reached: there is no PMI-1, PMI-2 or PMIx".to_owned(),
    };
    Error::new(format!(
        "{} {says} ({}), but {advice}; or start the program with `oshrun -n N`, or set {VARIABLE}=alone to run each \
         task as PE 0 of 1",
        launcher.name,
        named.join(" "),
    ))
}

/// The environment, as far as this file reads it.
type Env = dyn Fn(&str) -> Option<String>;

/// Read a variable that a launcher sets. These are not settings: users do not set them, except `FERRITE_BOOT`.
#[expect(clippy::disallowed_methods, reason = "what launchers say is no setting; this is its one home")]
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(set: &[(&'static str, &'static str)]) -> Result<Arc<dyn Boot>> {
        let set = set.to_vec();
        choose(&move |name: &str| set.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn without_a_launcher_a_program_is_alone() {
        for set in [
            &[][..],
            &[("SLURM_NTASKS", "8"), ("SLURM_JOB_ID", "7")],
            &[("SLURM_NTASKS", "8"), ("SLURM_PROCID", "0"), ("SLURM_LOCALID", "0")],
            &[("PBS_TASKNUM", "1"), ("PBS_VNODENUM", "0")],
            &[("PBS_NODEFILE", "/var/spool/nodes"), ("PBS_NP", "8")],
            &[("SLURM_STEP_ID", "0"), ("SLURM_PROCID", "0"), ("SLURM_STEP_NUM_TASKS", "1")],
            &[("PMI_RANK", "0"), ("PMI_SIZE", "1"), ("MPI_LOCALRANKID", "0"), ("MPI_LOCALNRANKS", "1")],
            &[("OMPI_COMM_WORLD_SIZE", "1"), ("OMPI_COMM_WORLD_RANK", "0")],
            &[("PMI_RANK", "3"), ("PMI_SIZE", "8"), (VARIABLE, "alone")],
            &[("PMI_RANK", "3"), ("PMI_SIZE", "8"), (VARIABLE, "-shrun:100:17")],
        ] {
            let boot = chosen(set).unwrap_or_else(|error| panic!("{set:?}: {error}"));
            assert_eq!((boot.launcher(), boot.size()), ("alone", 1), "{set:?}");
        }
    }

    #[test]
    fn one_of_many_is_an_error_that_names_what_was_found() {
        for (set, named) in [
            (
                &[("SLURM_STEP_ID", "0"), ("SLURM_PROCID", "0"), ("SLURM_STEP_NUM_TASKS", "4")][..],
                "SLURM_STEP_NUM_TASKS=4",
            ),
            (&[("PMI_RANK", "0"), ("PMI_SIZE", "2"), ("PMI_FD", "900")], "PMI_FD=900 is not an open socket"),
            (&[("PMIX_NAMESPACE", "prte-1"), ("PMIX_RANK", "0")], "PMIX_NAMESPACE=prte-1"),
            (&[("OMPI_COMM_WORLD_SIZE", "3"), ("OMPI_COMM_WORLD_RANK", "1")], "OMPI_COMM_WORLD_SIZE=3"),
            (&[("PBS_TASKNUM", "2"), ("PBS_VNODENUM", "1")], "PBS_VNODENUM=1"),
            (&[("PALS_RANKID", "2")], "PALS_RANKID=2"),
            (&[("PALS_RANKID", "0"), ("PMI_SIZE", "4")], "use `mpiexec --pmi=pmix`"),
            (&[("MPI_LOCALRANKID", "0"), ("MPI_LOCALNRANKS", "2")], "MPI_LOCALNRANKS=2"),
            (&[("FLUX_TASK_RANK", "0"), ("FLUX_JOB_SIZE", "16")], "FLUX_JOB_SIZE=16"),
        ] {
            let error = chosen(set).err().unwrap_or_else(|| panic!("{set:?} went alone")).to_string();
            assert!(error.contains(named) && error.contains("oshrun -n N") && error.contains("alone"), "{error}");
        }
    }

    #[test]
    fn a_lost_connection_is_an_error_and_not_a_singleton() {
        for value in ["oshrun:800:1", "oshrun:1:1", "oshrun:x:y", "oshrun", "something"] {
            let error = chosen(&[(VARIABLE, value)]).err().unwrap_or_else(|| panic!("{value} went alone")).to_string();
            assert!(error.contains("oshrun") && error.contains(VARIABLE), "{error}");
        }
    }

    #[test]
    fn a_protocol_that_is_asked_for_and_not_offered_is_an_error() {
        for (value, sign) in [("pmi1", "PMI_FD"), ("pmi2", "PMI_FD"), ("pmix", "PMIX_NAMESPACE")] {
            let error = chosen(&[(VARIABLE, value), ("PMI_RANK", "0"), ("PMI_SIZE", "1"), ("PMI_FD", "900")]);
            let error = error.err().unwrap_or_else(|| panic!("{value} went alone")).to_string();
            assert!(error.contains(sign) && error.contains(value), "{error}");
        }
    }
}
