//! Starts the process of one PE: sets its process group, limits, cpus and connection, and has it killed if oshrun ends.

use super::close_on_exec;
use super::control_group;
use super::job_spec::{AgentSettings, JobSpec};
use ferrite_bootstrap::{BOARDS, VARIABLE};
use ferrite_fabric::Pe;
use ferrite_topology::CpuSet;
use rustix::fs::fstat;
use rustix::io::{FdFlags, fcntl_dupfd_cloexec, fcntl_setfd};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use rustix::process::{Pid, Resource, Rlimit, Signal, getpid, getppid, set_parent_process_death_signal, setrlimit};
use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// The lowest descriptor number of a PE's connection. Scripts use 3 to 9 for their own files.
pub const BOOT_FD: i32 = 100;

/// One PE to start.
#[derive(Clone, Debug)]
pub struct Task {
    /// The PE's number.
    pub pe: Pe,
    /// The index of its program in the job.
    pub app: usize,
    /// Its number among the PEs of this host.
    pub local: usize,
    /// The cpus to bind it to, if it is bound.
    pub cpus: Option<CpuSet>,
    /// Its value of `CUDA_VISIBLE_DEVICES`, if oshrun chooses its GPUs.
    pub gpus: Option<String>,
}

/// The connections of a PE's standard streams.
pub struct StandardStreams {
    /// For PE 0, the user's input.
    pub input: Stdio,
    /// A pipe or a file.
    pub output: Stdio,
    /// A pipe or a file.
    pub error: Stdio,
}

pub struct Started {
    /// Its process, which leads a group of the same number.
    pub pid: Pid,
    /// oshrun's end of its connection.
    pub connection: OwnedFd,
}

/// Turn off address randomisation for the programs that this process starts from now on.
pub fn keep_addresses() -> io::Result<()> {
    /// The argument that reads the flags without changing them.
    const ASK: libc::c_ulong = 0xffff_ffff;
    // SAFETY: the call takes and returns numbers. The change only concerns programs that are executed later.
    unsafe {
        let now = libc::personality(ASK);
        if now >= 0 && libc::personality((now | libc::ADDR_NO_RANDOMIZE) as libc::c_ulong) >= 0 {
            return Ok(());
        }
    }
    Err(io::Error::last_os_error())
}

/// Variables that follow from options of oshrun. GPUs are numbered by PCI addresses; by default CUDA puts the fastest GPU first.
fn of_options<'a>(task: &'a Task, spec: &JobSpec) -> impl Iterator<Item = (&'static str, &'a str)> {
    let report = spec.report_bindings.then_some(("FERRITE_REPORT_TRANSPORT", "1"));
    let gpus = task.gpus.as_deref();
    let gpus = gpus.map(|gpus| [("CUDA_VISIBLE_DEVICES", gpus), ("CUDA_DEVICE_ORDER", "PCI_BUS_ID")]);
    report.into_iter().chain(gpus.into_iter().flatten())
}

/// Start a PE. Only the main thread may call this, while it is the only thread.
///
/// `boards`: the descriptor of the host's boards, and the value by which the PE finds them.
pub fn spawn(
    task: &Task,
    spec: &JobSpec,
    limit: Rlimit,
    streams: StandardStreams,
    boards: Option<(RawFd, &str)>,
) -> io::Result<Started> {
    let (ours, theirs) = socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
    // Must be set before the PE can write: earlier bytes carry no process id.
    rustix::net::sockopt::set_socket_passcred(ours.as_fd(), true)?;
    let theirs = fcntl_dupfd_cloexec(&theirs, BOOT_FD)?;
    let (fd, inode) = (theirs.as_raw_fd(), fstat(&theirs)?.st_ino);
    let app = &spec.apps[task.app];
    let mut command = Command::new(&app.program);
    command.arg0(&app.words[0]).args(&app.words[1..]);
    let directory = app.directory.as_ref().unwrap_or(&spec.directory);
    command.current_dir(directory).env("PWD", directory);
    // Later values override earlier ones: the variables of one program come after the variables of the job.
    command.envs(spec.carried.iter().map(|(name, value)| (name, value)));
    let AgentSettings { patience_ms, lost_ms, .. } = spec.agent_settings;
    for (name, ms) in [("FERRITE_HOST_TIMEOUT", patience_ms), ("FERRITE_LOST_TIMEOUT", lost_ms)] {
        command.env(name, (f64::from(ms) / 1e3).to_string());
    }
    command.envs(of_options(task, spec));
    command.envs(app.set.iter().map(|(name, value)| (name, value)));
    command
        .env(VARIABLE, format!("oshrun:{fd}:{inode}"))
        .env("FERRITE_PE", task.pe.0.to_string())
        .env("FERRITE_NPES", spec.nodes.size().to_string())
        .env("FERRITE_LOCAL_PE", task.local.to_string())
        // Programs that speak PMI-1 find the same connection by these variables.
        .env("PMI_FD", fd.to_string())
        .env("PMI_RANK", task.pe.0.to_string())
        .env("PMI_SIZE", spec.nodes.size().to_string());
    let group = control_group::of_the_job().map(Path::as_os_str);
    for (name, value) in [(control_group::VARIABLE, group), (BOARDS, boards.map(|(_, name)| OsStr::new(name)))] {
        match value {
            Some(value) => command.env(name, value),
            // The value belongs to another job, of which this oshrun is a part.
            None => command.env_remove(name),
        };
    }
    command.stdin(streams.input).stdout(streams.output).stderr(streams.error).process_group(0);
    let (parent, cpus) = (getpid(), task.cpus.clone());
    let kept = [Some(fd), boards.map(|(fd, _)| fd)];
    // SAFETY: oshrun has one thread while it spawns, so the forked copy may do whatever the parent might. The closure only makes system
    // calls, and touches nothing that it shares with the parent.
    unsafe {
        command.pre_exec(move || {
            set_parent_process_death_signal(Some(Signal::KILL))?;
            if getppid() != Some(parent) {
                return Err(io::Error::other("oshrun has ended"));
            }
            if let Some(cpus) = &cpus {
                ferrite_topology::bind_current(cpus)?;
            }
            setrlimit(Resource::Nofile, limit)?;
            // If this oshrun is itself a PE of another oshrun, it has a connection to that one, which the PE must not inherit.
            close_on_exec::from(BOOT_FD)?;
            for fd in kept.into_iter().flatten() {
                // SAFETY: the descriptor is open in the parent until the spawn is done, so it is open in its copy.
                fcntl_setfd(BorrowedFd::borrow_raw(fd), FdFlags::empty())?;
            }
            Ok(())
        })
    };
    let pid = control_group::spawn(&mut command)?;
    drop(theirs);
    Ok(Started { pid, connection: ours })
}
