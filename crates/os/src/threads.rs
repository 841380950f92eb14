//! Threads of the library: their start, their number, and the explanation if no thread can be started.

use std::{
    fs, io,
    sync::atomic::{AtomicU64, Ordering::SeqCst},
    thread::{Builder, JoinHandle, Scope, ScopedJoinHandle},
};

/// Explanation of a refused process or thread, which the kernel reports as a lack of resources.
pub const NO_MORE: &str =
    "no more processes and threads are allowed here: ulimit -u, the cgroup's pids.max, or ulimit -v";

/// Start a thread as `builder` describes it, named `name`. An error names the limit that was reached.
pub fn start(builder: Builder, name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    builder.name(name.to_owned()).spawn(counted(work)).map_err(explained)
}

/// Start a thread that ends with `scope`.
pub fn start_within<'scope>(
    scope: &'scope Scope<'scope, '_>,
    name: &str,
    work: impl FnOnce() + Send + 'scope,
) -> io::Result<ScopedJoinHandle<'scope, ()>> {
    Builder::new().name(name.to_owned()).spawn_scoped(scope, counted(work)).map_err(explained)
}

/// Lower half: the number of the library's threads. Upper half: the number of changes, so that a reader sees whether there was one
/// meanwhile.
static RUNNING: AtomicU64 = AtomicU64::new(0);
const CHANGE: u64 = 1 << 32;

/// Count the thread while it does its work.
fn counted(work: impl FnOnce()) -> impl FnOnce() {
    struct Running;
    impl Drop for Running {
        fn drop(&mut self) {
            RUNNING.fetch_add(CHANGE - 1, SeqCst);
        }
    }
    move || {
        RUNNING.fetch_add(CHANGE + 1, SeqCst);
        let _running = Running;
        work();
    }
}

/// Whether the process's main thread has ended, and all other threads are the library's. False if that cannot be determined.
///
/// A thread of the library that is not counted yet, or no longer, counts as one of the program.
pub fn program_has_ended() -> bool {
    let before = RUNNING.load(SeqCst);
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let Some((b'Z', threads)) = state_and_threads(&stat) else { return false };
    before == RUNNING.load(SeqCst) && threads == 1 + (before % CHANGE)
}

/// The state of the main thread and the number of threads, from the text of `/proc/self/stat`.
fn state_and_threads(stat: &str) -> Option<(u8, u64)> {
    // The program's name comes before, in parentheses, and may contain parentheses itself.
    let mut fields = stat.rsplit_once(") ")?.1.split(' ');
    let state = fields.next()?.bytes().next()?;
    Some((state, fields.nth(16)?.parse().ok()?))
}

fn explained(error: io::Error) -> io::Error {
    let hint = if error.kind() == io::ErrorKind::WouldBlock { format!(" ({NO_MORE})") } else { String::new() };
    io::Error::new(error.kind(), format!("{error}{hint}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_programs_do_not_disturb_the_account() {
        let stat = |name: &str| format!("7 ({name}) Z 1 7 7 0 -1 4227084 99 0 0 0 3 1 0 0 20 0 5 0 30 0 0\n");
        for name in ["a.out", ") S 1 (", "two words"] {
            assert_eq!(state_and_threads(&stat(name)), Some((b'Z', 5)), "{name}");
        }
        assert_eq!(state_and_threads(""), None);
        // With one test at a time, the test's thread is the process's only one.
        let own = std::thread::spawn(|| fs::read_to_string("/proc/self/stat").unwrap()).join().unwrap();
        assert!(state_and_threads(&own).is_some_and(|(state, threads)| state != b'Z' && threads > 1), "{own}");
    }

    #[test]
    fn threads_of_ours_are_counted_while_they_work() {
        let running = || RUNNING.load(SeqCst) % CHANGE;
        let before = running();
        start(Builder::new(), "ferrite-test", move || assert_eq!(running(), before + 1)).unwrap().join().unwrap();
        assert_eq!(running(), before);
        std::thread::spawn(move || assert_eq!(running(), before)).join().unwrap();
    }
}
