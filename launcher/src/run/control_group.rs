//! A control group of the job's own, if one can be made. All its processes are killed at once, however fast they multiply and whatever
//! sessions and parents they have. Killing by ancestry (`kill_descendants`) is done in any case, and is all there is without a group.
//!
//! The guard makes the group, below its own. Guard and worker stay outside, and every process that the worker starts is created inside
//! ([`spawn`]): no process is ever moved, since that takes the kernel milliseconds.
//!
//! Processes below a wrapper may outlive all of oshrun. A waiting PE notices that and kills the group, whose directory it knows from
//! [`VARIABLE`]. The empty directory then stays until the next job makes its group beside it and removes it. A lock on the directory, which
//! guard and worker hold, shows that job whether another oshrun is about to start programs there. Process ids would not show it: containers
//! may share the directories without seeing each other's processes.
//!
//! This needs version 2 of control groups, a kernel with `cgroup.kill` (5.14), and the right to make groups below one's own: root has it,
//! and a user's service to which the group is delegated.

use rustix::fs::{FlockOperation, Mode, OFlags, flock, open};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, WaitOptions, waitpid};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

/// The environment variable that holds the directory of the job's group, for PEs.
pub const VARIABLE: &str = ferrite_bootstrap::JOB_GROUP;
/// The prefix of the names of groups.
const PREFIX: &str = "ferrite-job-";
/// How long killed processes may take to leave the group. A process that hangs in the kernel stays.
const PATIENCE: Duration = Duration::from_secs(2);
/// `clone3` creates the process in the group that a descriptor names (Linux 5.7). libc's constant is too narrow for it.
const CLONE_INTO_CGROUP: u64 = 0x2_0000_0000;
const LOOK_AGAIN: Duration = Duration::from_millis(1);
/// Number of attempts to make a group. Another oshrun may remove a group before it is locked.
const ATTEMPTS: usize = 3;

/// The group in which this process, a worker, creates its children.
static OF_THE_JOB: OnceLock<ControlGroup> = OnceLock::new();

/// The control group of a job.
pub struct ControlGroup {
    directory: PathBuf,
    /// The open directory, locked as long as a process has this descriptor.
    lock: OwnedFd,
}

impl ControlGroup {
    /// Make a group below this process's own. `None` if that is not possible.
    pub fn make() -> Option<ControlGroup> {
        let above = own_directory()?;
        remove_empty_below(&above);
        let group = (0..ATTEMPTS).find_map(|_| ControlGroup::below(&above))?;
        if group.file("cgroup.kill").exists() {
            return Some(group);
        }
        group.remove();
        None
    }

    /// Make a group in a directory. `None` if that is not possible, or if another process removed the group before it was locked.
    fn below(above: &Path) -> Option<ControlGroup> {
        // Containers that share the directory may give the same process id to two processes.
        let moment = SystemTime::UNIX_EPOCH.elapsed().map_or(0, |since| since.subsec_nanos());
        let directory = above.join(format!("{PREFIX}{}-{moment}", std::process::id()));
        fs::create_dir(&directory).ok()?;
        let Some(lock) = lock(&directory) else {
            let _ = fs::remove_dir(&directory);
            return None;
        };
        directory.exists().then_some(ControlGroup { directory, lock })
    }

    fn file(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// In the worker: create all further children inside the group.
    pub fn adopt(self) {
        let _ = OF_THE_JOB.set(self);
    }

    /// Start a program inside. `None` if the kernel does not create the process there, for example because a container's rules forbid it.
    fn start(&self, command: &mut Command) -> io::Result<Option<Pid>> {
        let (failure, tell) = pipe_with(PipeFlags::CLOEXEC)?;
        // SAFETY: a structure of numbers.
        let mut wanted: libc::clone_args = unsafe { std::mem::zeroed() };
        wanted.flags = CLONE_INTO_CGROUP;
        wanted.exit_signal = libc::SIGCHLD as u64;
        wanted.cgroup = self.lock.as_raw_fd() as u64;
        // SAFETY: the arguments are valid for the call, which makes a copy of this process, as fork does. This process has one thread, so
        // its copy may allocate and do what `exec` does; until then it makes system calls, and it ends with one.
        match unsafe { libc::syscall(libc::SYS_clone3, &raw const wanted, size_of::<libc::clone_args>()) } {
            0 => {
                let error = command.exec();
                let _ = File::from(tell).write_all(&error.raw_os_error().unwrap_or(libc::EINVAL).to_ne_bytes());
                // SAFETY: it only ends the copy.
                unsafe { libc::_exit(127) }
            }
            -1 => Ok(None),
            child => {
                drop(tell);
                let child = Pid::from_raw(child as i32).expect("a child's number is positive");
                let mut error = [0; 4];
                if File::from(failure).read_exact(&mut error).is_err() {
                    return Ok(Some(child));
                }
                let _ = rustix::io::retry_on_intr(|| waitpid(Some(child), WaitOptions::empty()));
                Err(io::Error::from_raw_os_error(i32::from_ne_bytes(error)))
            }
        }
    }

    /// Kill all processes in the group and below.
    pub fn kill(&self) {
        let _ = fs::write(self.file("cgroup.kill"), "1");
    }

    /// Remove the directory when all killed processes have left it.
    pub fn remove(&self) {
        let begin = Instant::now();
        while self.directory.exists() && begin.elapsed() < PATIENCE {
            // An agent on this same host may have made a group below.
            remove_empty_below(&self.directory);
            if fs::remove_dir(&self.directory).is_ok() {
                return;
            }
            sleep(LOOK_AGAIN);
        }
    }
}

/// In the worker: start a program, inside the job's group if there is one. The process has one thread. The caller must set all standard
/// streams of `command`. None may be `Stdio::piped()`, whose pipe would be made only at the start.
pub fn spawn(command: &mut Command) -> io::Result<Pid> {
    if let Some(group) = OF_THE_JOB.get()
        && let Some(child) = group.start(command)?
    {
        return Ok(child);
    }
    // Not waited for here: the worker reaps all children by `wait`.
    let child = command.spawn()?;
    Ok(Pid::from_raw(child.id().cast_signed()).expect("a child's number is positive"))
}

/// In the worker: the directory of the job's group.
pub fn of_the_job() -> Option<&'static Path> {
    OF_THE_JOB.get().map(|group| group.directory.as_path())
}

/// In the worker: kill all processes in the job's group.
pub fn kill_all() {
    OF_THE_JOB.get().iter().for_each(|group| group.kill());
}

/// In the worker: remove the group's directory. The guard does the same, but may be gone.
pub fn remove() {
    OF_THE_JOB.get().iter().for_each(|group| group.remove());
}

/// Open and lock a group's directory. `None` if another process has locked it, or it is gone.
fn lock(directory: &Path) -> Option<OwnedFd> {
    let file = open(directory, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()).ok()?;
    flock(&file, FlockOperation::NonBlockingLockExclusive).ok()?;
    Some(file)
}

/// Remove groups of jobs that have no process left. A locked group may be empty only because its processes are yet to be started.
fn remove_empty_below(above: &Path) {
    for entry in fs::read_dir(above).into_iter().flatten().flatten() {
        let is_of_a_job = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
        if is_of_a_job && let Some(_lock) = lock(&entry.path()) {
            remove_empty_below(&entry.path());
            // Refused while a process is in it.
            let _ = fs::remove_dir(entry.path());
        }
    }
}

/// The directory of this process's own group.
fn own_directory() -> Option<PathBuf> {
    let own = fs::read_to_string("/proc/self/cgroup").ok()?;
    let path = own.lines().find_map(|line| line.strip_prefix("0::"))?;
    let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
    mounts.lines().find_map(|mount| directory(mount, path)).filter(|found| found.is_dir())
}

/// The directory of group `path`, if a line of mountinfo shows it: `id parent device root point options... - kind ...`.
fn directory(mount: &str, path: &str) -> Option<PathBuf> {
    let (place, kind) = mount.split_once(" - ")?;
    let mut place = place.split(' ').skip(3);
    let (root, point) = (place.next()?, place.next()?);
    let inside = Path::new(path).strip_prefix(root).ok()?;
    // Such a path is outside of this process's namespace.
    let is_shown = kind.starts_with("cgroup2 ") && !path.starts_with("/..");
    is_shown.then(|| Path::new(point).join(inside))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_found_where_it_is_mounted() {
        let rows = [
            ("30 24 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw", "/a/b", Some("/sys/fs/cgroup/a/b")),
            ("30 24 0:26 / /sys/fs/cgroup rw - cgroup2 none rw", "/", Some("/sys/fs/cgroup")),
            ("30 24 0:26 /docker/1 /cg rw - cgroup2 cgroup rw", "/docker/1/x", Some("/cg/x")),
            ("30 24 0:26 /docker/1 /cg rw - cgroup2 cgroup rw", "/docker/12", None),
            ("30 24 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw", "/../outside", None),
            ("30 24 0:26 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu", "/a", None),
            ("nonsense", "/a", None),
        ];
        for (mount, path, found) in rows {
            assert_eq!(directory(mount, path), found.map(PathBuf::from), "{path} in {mount}");
        }
    }

    #[test]
    fn killing_a_group_leaves_nothing() {
        let Some(group) = ControlGroup::make() else {
            return println!("skipped: this process may not make control groups, or the kernel cannot kill them");
        };
        let mut command = Command::new("sh");
        command.args(["-c", "echo 0 > $0/cgroup.procs; setsid sleep 600 & exec sleep 600"]).arg(&group.directory);
        let mut child = command.spawn().unwrap();
        let count = || fs::read_to_string(group.file("cgroup.procs")).unwrap().lines().count();
        while count() < 2 {
            sleep(LOOK_AGAIN);
        }
        // As after the death of guard and worker: only the processes inside keep the group.
        flock(&group.lock, FlockOperation::Unlock).unwrap();
        remove_empty_below(group.directory.parent().unwrap());
        assert_eq!(count(), 2);
        group.kill();
        assert!(!child.wait().unwrap().success());
        group.remove();
        assert!(!group.directory.exists());
    }

    #[test]
    fn unlocked_groups_are_removed_and_new_ones_stay() {
        let (Some(group), Some(left)) = (ControlGroup::make(), ControlGroup::make()) else {
            return println!("skipped: this process may not make control groups, or the kernel cannot kill them");
        };
        let ControlGroup { directory: left, lock } = left;
        drop(lock);
        // A process that another test has just started may have a copy of the lock until it executes its program.
        let begin = Instant::now();
        while left.exists() && begin.elapsed() < Duration::from_secs(60) {
            remove_empty_below(group.directory.parent().unwrap());
        }
        assert_eq!((group.directory.exists(), left.exists()), (true, false));
        group.remove();
    }
}
