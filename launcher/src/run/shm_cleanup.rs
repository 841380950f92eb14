//! Removes the files that dead PEs have left in /dev/shm. Ferrite itself creates none. libfabric's provider `shm` creates one for each
//! endpoint, named `PROCESS:USER:ENDPOINT`; a process that is killed, or ends without finalize, does not remove it.
//!
//! Containers of one user may share /dev/shm and use the same process ids. So a name is not enough: a file is removed only if it was
//! created after the first PE was started, and no process has it open or mapped. The kernel knows the latter across all namespaces: it
//! grants a write lease only to a process that has the file to itself.

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, StatxFlags, fstat, openat, statx, unlinkat};
use rustix::process::{Pid, getuid, test_kill_process};
use rustix::time::{ClockId, clock_gettime};
use std::collections::HashSet;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::Path;

/// A file timestamp of the kernel: seconds and nanoseconds.
type Stamp = (i64, i64);

/// The ended processes of a job on this host, and the time from which they may have created files.
pub struct ShmCleanup {
    since: Stamp,
    dead: HashSet<i32>,
}

impl ShmCleanup {
    /// For the processes that are started from now on.
    pub fn from_now_on() -> Self {
        // Files are stamped by this clock.
        let now = clock_gettime(ClockId::RealtimeCoarse);
        ShmCleanup { since: (now.tv_sec, now.tv_nsec as i64), dead: HashSet::new() }
    }

    /// Process `pid` has ended.
    pub fn note(&mut self, pid: Pid) {
        self.dead.insert(pid.as_raw_nonzero().get());
    }

    /// Remove the files of the processes that have ended. Call it when their peers have ended too, since peers map the files.
    pub fn remove(&mut self) {
        self.remove_in(Path::new("/dev/shm"));
    }

    fn remove_in(&mut self, directory: &Path) {
        // The process ids may be in use again.
        let is_gone = |&pid: &i32| Pid::from_raw(pid).is_some_and(|pid| test_kill_process(pid).is_err());
        let dead: HashSet<i32> = self.dead.drain().filter(is_gone).collect();
        if dead.is_empty() {
            return;
        }
        let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC;
        let Ok(directory) = openat(CWD, directory, flags, Mode::empty()) else { return };
        let Ok(entries) = Dir::read_from(&directory) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name();
            if name.to_str().is_ok_and(|name| author(name).is_some_and(|pid| dead.contains(&pid)))
                && let Some(_lease) = lease(directory.as_fd(), name, self.since)
            {
                let _ = unlinkat(&directory, name, AtFlags::empty());
            }
        }
    }
}

/// The process id in the name of a file, if it is a file of libfabric and of this user.
fn author(name: &str) -> Option<i32> {
    let mut parts = name.splitn(3, ':');
    let numbers = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let (pid, user, endpoint) = (parts.next()?, parts.next()?, parts.next()?);
    let is_ours = numbers(pid) && numbers(endpoint) && user == getuid().as_raw().to_string();
    if is_ours { pid.parse().ok() } else { None }
}

/// The command of `fcntl` that sets the signal. The number holds for all Linux but MIPS.
const F_SETSIG: i32 = 10;

/// Open the file and take a lease, if it was created at or after `since` and no other process has it open. Until the lease is closed,
/// another process that opens the file waits.
fn lease(directory: impl AsFd, name: &std::ffi::CStr, since: Stamp) -> Option<OwnedFd> {
    let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = openat(directory, name, flags, Mode::empty()).ok()?;
    let is_plain = fstat(&file).is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile);
    if !is_plain || made(&file)? < since {
        return None;
    }
    // If another process opens the file meanwhile, the kernel sends this signal. SIGCHLD does no harm; the default, SIGIO, would end this
    // process.
    // SAFETY: the descriptor is open, and the arguments are numbers.
    let granted = unsafe {
        libc::fcntl(file.as_raw_fd(), F_SETSIG, libc::SIGCHLD) == 0
            && libc::fcntl(file.as_raw_fd(), libc::F_SETLEASE, libc::F_WRLCK) == 0
    };
    granted.then_some(file)
}

/// When a file was created. If the file system does not record that: the earlier of its last modification and status change.
fn made(file: &OwnedFd) -> Option<Stamp> {
    let wanted = StatxFlags::BTIME | StatxFlags::MTIME | StatxFlags::CTIME;
    let found = statx(file, c"", AtFlags::EMPTY_PATH, wanted).ok()?;
    let stamp = |time: rustix::fs::StatxTimestamp| (time.tv_sec, i64::from(time.tv_nsec));
    let has_birth = found.stx_mask & StatxFlags::BTIME.bits() != 0;
    Some(if has_birth { stamp(found.stx_btime) } else { stamp(found.stx_mtime).min(stamp(found.stx_ctime)) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
    use std::fs;
    use std::io::Write;
    use std::process::{Command, Stdio, id};
    use std::ptr::null_mut;

    const WRITE_WHAT_IS_READ: &str = "while read -r file; do head -c 4096 /dev/zero >\"$file\" || exit 1; done";

    #[test]
    fn only_files_of_dead_processes_are_removed() {
        let directory = Path::new("/dev/shm").join(format!("ferrite-shm-cleanup-{}", id()));
        if let Err(error) = fs::create_dir(&directory) {
            return println!("skipped: /dev/shm cannot be written: {error}");
        }
        // The child creates the files itself, as PEs do: a file that this process has created may still be open in a process that another
        // test is about to start.
        let mut child = Command::new("sh").args(["-c", WRITE_WHAT_IS_READ]).stdin(Stdio::piped()).spawn().unwrap();
        let (dead, living, user) = (child.id(), id(), getuid().as_raw());
        let old = format!("{dead}:{user}:3");
        fs::write(directory.join(&old), "").unwrap();
        let mut cleanup = ShmCleanup::from_now_on();
        while ShmCleanup::from_now_on().since == cleanup.since {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        cleanup = ShmCleanup::from_now_on();
        let gone = [format!("{dead}:{user}:0"), format!("{dead}:{user}:17")];
        // A file of a living process in another namespace, which has the same process id.
        let mapped = format!("{dead}:{user}:4");
        let others = [
            format!("{living}:{user}:0"),
            format!("{dead}:{}:0", user + 1),
            format!("{dead}:{user}:"),
            format!("{dead}:{user}:x"),
            format!("{dead}1:{user}:0"),
            format!("{dead}"),
        ];
        let mut names = child.stdin.take().unwrap();
        for name in gone.iter().chain(&others).chain([&mapped]) {
            writeln!(names, "{}", directory.join(name).display()).unwrap();
        }
        drop(names);
        assert!(child.wait().unwrap().success());
        let file = fs::File::options().read(true).write(true).open(directory.join(&mapped)).unwrap();
        // SAFETY: a new mapping, at an address that the kernel chooses, of a file whose length does not change.
        let mapping =
            unsafe { mmap(null_mut(), 4096, ProtFlags::READ, MapFlags::SHARED, &file, 0).expect("a mapping") };
        drop(file);
        for pid in [dead, living] {
            cleanup.note(Pid::from_raw(pid.cast_signed()).unwrap());
        }
        cleanup.remove_in(&directory);
        let mut left: Vec<String> =
            fs::read_dir(&directory).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        // SAFETY: the mapping from above, to which no reference exists.
        unsafe { munmap(mapping, 4096).unwrap() };
        let mut expected = [&others[..], &[old, mapped]].concat();
        left.sort();
        expected.sort();
        fs::remove_dir_all(&directory).unwrap();
        assert_eq!(left, expected);
    }
}
