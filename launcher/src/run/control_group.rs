//! A control group of the job's own, where one can be made: what is in it is killed whole and at once, however fast it multiplies
//! and whatever it has made of its sessions and parents. Elsewhere, killing by ancestry does (`kill_descendants`), which it does in
//! any case.
//!
//! The guard makes the group, below its own, and stays outside. The worker enters it, and all that it starts is born there: once
//! for a job, for the kernel takes milliseconds to move a process. Before the worker kills the group it leaves it. Of processes
//! below a wrapper that outlive all of oshrun, a PE that waits notices, and kills the group, which it is told by [`VARIABLE`];
//! then the directory stays, empty, until the next job makes one beside it.
//!
//! This needs version 2 of control groups, a kernel that kills them (5.14), and the right to make them below one's own: root has it,
//! and a user's service to whom they are delegated.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

/// The environment variable by which PEs know the directory of their job's group.
pub const VARIABLE: &str = ferrite_bootstrap::JOB_GROUP;
/// What the names of groups begin with.
const PREFIX: &str = "ferrite-job-";
/// How long what was killed may take to leave the group. A process that hangs in the kernel stays.
const PATIENCE: Duration = Duration::from_secs(2);
const LOOK_AGAIN: Duration = Duration::from_millis(1);

/// The group that this process, a worker, is in with all that it starts.
static ENTERED: OnceLock<ControlGroup> = OnceLock::new();

/// A group that was made here.
pub struct ControlGroup {
    directory: PathBuf,
}

impl ControlGroup {
    /// Make one below this process's own group; `None` where that cannot be.
    pub fn make() -> Option<ControlGroup> {
        let above = own_directory()?;
        remove_empty_below(&above);
        // Containers that share the directory may give the same number to two processes.
        let moment = SystemTime::UNIX_EPOCH.elapsed().map_or(0, |since| since.subsec_nanos());
        let directory = above.join(format!("{PREFIX}{}-{moment}", std::process::id()));
        fs::create_dir(&directory).ok()?;
        let group = ControlGroup { directory };
        if group.file("cgroup.kill").exists() {
            return Some(group);
        }
        group.remove();
        None
    }

    fn file(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// Move this process, a worker, into it, for good; where that is not allowed the job does without. What it starts is told by
    /// [`entered`].
    pub fn enter(self) {
        if move_here(&self.directory) {
            let _ = ENTERED.set(self);
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

/// The directory of the group that this worker has entered.
pub fn entered() -> Option<&'static Path> {
    ENTERED.get().map(|group| group.directory.as_path())
}

/// In the worker: kill all that is in the job's group, but not the worker.
pub fn kill_others() {
    let Some(group) = ENTERED.get() else { return };
    if group.directory.parent().is_some_and(move_here) {
        group.kill();
    }
}

/// In the worker: remove the group's directory. The guard, which does the same, may be gone.
pub fn remove_entered() {
    if let Some(group) = ENTERED.get() {
        group.remove();
    }
}

/// Move this process into a group. Whether that is allowed.
fn move_here(directory: &Path) -> bool {
    fs::write(directory.join("cgroup.procs"), "0").is_ok()
}

/// Remove groups of jobs of which nothing is left. A group whose maker lives may only be about to be entered.
fn remove_empty_below(above: &Path) {
    for entry in fs::read_dir(above).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let maker = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.split('-').next());
        if maker.is_some_and(|maker| !Path::new("/proc").join(maker).exists()) {
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
    use std::os::unix::process::CommandExt;
    use std::process::Command;

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
        let inside = group.directory.clone();
        let mut command = Command::new("sh");
        command.args(["-c", "setsid sleep 600 & exec sleep 600"]);
        // SAFETY: it opens, writes and closes a file; that it allocates is nothing to a test whose other threads wait or end.
        unsafe {
            command.pre_exec(move || if move_here(&inside) { Ok(()) } else { Err(std::io::Error::last_os_error()) })
        };
        let mut child = command.spawn().unwrap();
        let count = || fs::read_to_string(group.file("cgroup.procs")).unwrap().lines().count();
        while count() < 2 {
            sleep(LOOK_AGAIN);
        }
        // What a process that is no more has left goes, and this one, whose maker lives, stays.
        let above = group.directory.parent().unwrap();
        let left = above.join(format!("{PREFIX}{}-0", i32::MAX));
        fs::create_dir(&left).unwrap();
        remove_empty_below(above);
        assert_eq!((count(), left.exists()), (2, false));
        group.kill();
        assert!(!child.wait().unwrap().success());
        group.remove();
        assert!(!group.directory.exists());
    }
}
