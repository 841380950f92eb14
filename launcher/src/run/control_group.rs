//! A control group of the job's own, where one can be made: what is in it is killed whole and at once, however fast it multiplies
//! and whatever it has made of its sessions and parents. Elsewhere, killing by ancestry does (`kill_descendants`), which it does in
//! any case.
//!
//! The guard makes the group, below its own. Guard and worker stay outside, and all that the worker starts is born inside ([`spawn`]):
//! no process is ever moved, which takes the kernel milliseconds. Of processes below a wrapper that outlive all of oshrun, a PE that
//! waits notices, and kills the group, which it is told by [`VARIABLE`]; then the directory stays, empty, until the next job makes
//! one beside it. That one knows by a lock on the directory, which guard and worker have, whether somebody is about to start programs
//! there: their numbers say nothing where containers share the directories, and do not see each other's processes.
//!
//! This needs version 2 of control groups, a kernel that kills them (5.14), and the right to make them below one's own: root has it,
//! and a user's service to whom they are delegated.

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

/// The environment variable by which PEs know the directory of their job's group.
pub const VARIABLE: &str = ferrite_bootstrap::JOB_GROUP;
/// What the names of groups begin with.
const PREFIX: &str = "ferrite-job-";
/// How long what was killed may take to leave the group. A process that hangs in the kernel stays.
const PATIENCE: Duration = Duration::from_secs(2);
/// `clone3` makes the process in the group that a descriptor names (Linux 5.7). libc's constant is too narrow for it.
const CLONE_INTO_CGROUP: u64 = 0x2_0000_0000;
const LOOK_AGAIN: Duration = Duration::from_millis(1);
/// So often a group is made again that somebody else has removed before it was locked.
const ATTEMPTS: usize = 3;

/// The group that all is born into which this process, a worker, starts.
static OF_THE_JOB: OnceLock<ControlGroup> = OnceLock::new();

/// A group that was made here.
pub struct ControlGroup {
    directory: PathBuf,
    /// The same, locked for as long as a process has this.
    lock: OwnedFd,
}

impl ControlGroup {
    /// Make one below this process's own group; `None` where that cannot be.
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

    /// Make one in a directory; `None` if it cannot be made, or is gone again: whoever came across it before it was locked has removed it.
    fn below(above: &Path) -> Option<ControlGroup> {
        // Containers that share the directory may give the same number to two processes.
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

    /// In the worker: have all that it starts from now on born inside.
    pub fn adopt(self) {
        let _ = OF_THE_JOB.set(self);
    }

    /// Start a program inside. `None` where the kernel makes no process there, as where a container's rules forbid it.
    fn start(&self, command: &mut Command) -> io::Result<Option<Pid>> {
        let (failure, tell) = pipe_with(PipeFlags::CLOEXEC)?;
        // SAFETY: a structure of numbers.
        let mut wanted: libc::clone_args = unsafe { std::mem::zeroed() };
        wanted.flags = CLONE_INTO_CGROUP;
        wanted.exit_signal = libc::SIGCHLD as u64;
        wanted.cgroup = self.lock.as_raw_fd() as u64;
        // SAFETY: the arguments are valid for the call, which makes a copy of this process, as fork does. This process has one thread,
        // so its copy may allocate and do what `exec` does; until then it makes system calls, and ends by one.
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

    /// Kill all that is in it, and below.
    pub fn kill(&self) {
        let _ = fs::write(self.file("cgroup.kill"), "1");
    }

    /// Remove the directory, when all that was killed has left.
    pub fn remove(&self) {
        let begin = Instant::now();
        while self.directory.exists() && begin.elapsed() < PATIENCE {
            // An agent on this very host has made one below.
            remove_empty_below(&self.directory);
            if fs::remove_dir(&self.directory).is_ok() {
                return;
            }
            sleep(LOOK_AGAIN);
        }
    }
}

/// In the worker: start a program, inside of the job's group if there is one. The process has one thread. What the standard streams of
/// `command` are must be said, and none of them be a pipe that is still to be made.
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

/// In the worker: kill all that is in the job's group.
pub fn kill_all() {
    OF_THE_JOB.get().iter().for_each(|group| group.kill());
}

/// In the worker: remove the group's directory. The guard, which does the same, may be gone.
pub fn remove() {
    OF_THE_JOB.get().iter().for_each(|group| group.remove());
}

/// A group's directory, unless somebody has locked it, or it is gone.
fn lock(directory: &Path) -> Option<OwnedFd> {
    let file = open(directory, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()).ok()?;
    flock(&file, FlockOperation::NonBlockingLockExclusive).ok()?;
    Some(file)
}

/// Remove groups of jobs of which nothing is left. A group that is locked may only be about to be entered.
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

/// Where the group of this process is to be seen.
fn own_directory() -> Option<PathBuf> {
    let own = fs::read_to_string("/proc/self/cgroup").ok()?;
    let path = own.lines().find_map(|line| line.strip_prefix("0::"))?;
    let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
    mounts.lines().find_map(|mount| directory(mount, path)).filter(|found| found.is_dir())
}

/// Where group `path` is to be seen, if a line of mountinfo shows it: `id parent device root point options... - kind ...`.
fn directory(mount: &str, path: &str) -> Option<PathBuf> {
    let (place, kind) = mount.split_once(" - ")?;
    let mut place = place.split(' ').skip(3);
    let (root, point) = (place.next()?, place.next()?);
    let inside = Path::new(path).strip_prefix(root).ok()?;
    // Outside of what this process's namespace shows.
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
    fn what_is_in_a_group_is_killed_with_it_and_nothing_is_left() {
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
        // As where guard and worker are gone: what is in it holds it.
        flock(&group.lock, FlockOperation::Unlock).unwrap();
        remove_empty_below(group.directory.parent().unwrap());
        assert_eq!(count(), 2);
        group.kill();
        assert!(!child.wait().unwrap().success());
        group.remove();
        assert!(!group.directory.exists());
    }

    #[test]
    fn what_nobody_has_locked_is_removed_and_what_is_about_to_be_entered_stays() {
        let (Some(group), Some(left)) = (ControlGroup::make(), ControlGroup::make()) else {
            return println!("skipped: this process may not make control groups, or the kernel cannot kill them");
        };
        let ControlGroup { directory: left, lock } = left;
        drop(lock);
        // A process that another test has just begun may have a copy of the lock until it executes its program.
        let begin = Instant::now();
        while left.exists() && begin.elapsed() < PATIENCE {
            remove_empty_below(group.directory.parent().unwrap());
        }
        assert_eq!((group.directory.exists(), left.exists()), (true, false));
        group.remove();
    }
}
