//! Removes the files that dead PEs have left in /dev/shm. Ferrite itself makes none. libfabric's provider `shm` makes
//! one for each endpoint, named `PROCESS:USER:ENDPOINT`; a process that is killed, or ends without finalize, does not
//! remove it.
//!
//! Containers of one user may share /dev/shm, and number their processes alike. So a name is not enough: a file is
//! removed if it was made after the first PE was started, and nobody has it open or mapped. The kernel knows that of all
//! namespaces: it grants a lease for writing only to the one who has the file to itself.

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, StatxFlags, fstat, openat, statx, unlinkat};
use rustix::process::{Pid, getuid, test_kill_process};
use rustix::time::{ClockId, clock_gettime};
use std::collections::HashSet;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::Path;

/// A time as the kernel stamps files with it: seconds, and nanoseconds.
type Stamp = (i64, i64);

/// The dead of a job on this host, and since when they may have made files.
pub struct ShmCleanup {
    since: Stamp,
    dead: HashSet<i32>,
}

impl ShmCleanup {
    /// For the processes that are started from now on.
    pub fn from_now_on() -> Self {
        // The clock by which files are stamped.
        let now = clock_gettime(ClockId::RealtimeCoarse);
        ShmCleanup { since: (now.tv_sec, now.tv_nsec as i64), dead: HashSet::new() }
    }

    /// Process `pid` has ended.
    pub fn note(&mut self, pid: Pid) {
        self.dead.insert(pid.as_raw_nonzero().get());
    }

    /// Remove the files of the processes that have ended. Called when their peers have ended too, which map the files.
    pub fn remove(&mut self) {
        self.remove_in(Path::new("/dev/shm"));
    }

    fn remove_in(&mut self, directory: &Path) {
        // Others may have the numbers already.
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

/// The process that a file of this user is named after, if it is one of libfabric's.
fn author(name: &str) -> Option<i32> {
    let mut parts = name.splitn(3, ':');
    let numbers = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let (pid, user, endpoint) = (parts.next()?, parts.next()?, parts.next()?);
    let is_ours = numbers(pid) && numbers(endpoint) && user == getuid().as_raw().to_string();
    if is_ours { pid.parse().ok() } else { None }
}

/// The command of `fcntl` that names the signal, as on all Linux but that of MIPS.
const F_SETSIG: i32 = 10;

/// The file, if it was made since then and nobody else has it. While it is held, who opens it waits.
fn lease(directory: impl AsFd, name: &std::ffi::CStr, since: Stamp) -> Option<OwnedFd> {
    let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = openat(directory, name, flags, Mode::empty()).ok()?;
    let is_plain = fstat(&file).is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile);
    if !is_plain || made(&file)? < since {
        return None;
    }
    // Who opens it meanwhile has the kernel send a signal: one that does no harm, for SIGIO would end this process.
    // SAFETY: the descriptor is open, and the arguments are numbers.
    let granted = unsafe {
        libc::fcntl(file.as_raw_fd(), F_SETSIG, libc::SIGCHLD) == 0
            && libc::fcntl(file.as_raw_fd(), libc::F_SETLEASE, libc::F_WRLCK) == 0
    };
    granted.then_some(file)
}

/// When a file was made; where its file system does not tell, when it was changed first as far as is known.
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
    fn only_what_the_dead_have_left_is_removed() {
        let directory = Path::new("/dev/shm").join(format!("ferrite-shm-cleanup-{}", id()));
        if let Err(error) = fs::create_dir(&directory) {
            return println!("skipped: /dev/shm cannot be written: {error}");
        }
        // As PEs do, the child makes files itself: one that this process has made may still be open in a process that
        // another test is about to start.
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
        // Of a process of another namespace, which has the same number and lives.
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
        // SAFETY: a new mapping, at an address of the kernel's choice, of a file that keeps its length.
        let mapping =
            unsafe { mmap(null_mut(), 4096, ProtFlags::READ, MapFlags::SHARED, &file, 0).expect("a mapping") };
        drop(file);
        for pid in [dead, living] {
            cleanup.note(Pid::from_raw(pid.cast_signed()).unwrap());
        }
        cleanup.remove_in(&directory);
        let mut left: Vec<String> =
            fs::read_dir(&directory).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        // SAFETY: the mapping of above, which nothing refers to.
        unsafe { munmap(mapping, 4096).unwrap() };
        let mut expected = [&others[..], &[old, mapped]].concat();
        left.sort();
        expected.sort();
        fs::remove_dir_all(&directory).unwrap();
        assert_eq!(left, expected);
    }
}
