//! Signals of the library's threads, and SIGXFSZ, by which a write beyond `ulimit -f` ends a process.
#![allow(unsafe_code)]

use std::{io, mem::MaybeUninit, ptr};

/// The signals that an instruction raises in its own thread. If one of these is blocked, the kernel kills the process instead of calling a
/// handler. Code that installs a handler for them relies on all threads leaving them unblocked: the runtime does so while it exchanges the
/// pages of static data.
const FAULTS: [libc::c_int; 5] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGTRAP];

/// Block all signals but faults on the calling thread, so that the program's handlers run on the program's threads.
pub fn leave_to_program() {
    let mut all = MaybeUninit::uninit();
    // SAFETY: the set is filled before anything else is done with it, and only the calling thread's mask changes.
    unsafe {
        libc::sigfillset(all.as_mut_ptr());
        for fault in FAULTS {
            libc::sigdelset(all.as_mut_ptr(), fault);
        }
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), ptr::null_mut());
    }
}

/// Make writes beyond the limit of the size of files fail with EFBIG: install a handler of SIGXFSZ that does nothing. This is for commands;
/// programs that they start have the default action again.
pub fn survive_file_size_limit() {
    extern "C" fn nothing(_: libc::c_int) {}
    let mut now = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: both actions are valid values, zeroed too; the handler touches nothing.
    unsafe {
        libc::sigaction(libc::SIGXFSZ, ptr::null(), now.as_mut_ptr());
        let mut action = now.assume_init();
        // An ignored signal stays ignored, in the programs as well.
        if action.sa_sigaction == libc::SIG_DFL {
            action.sa_sigaction = nothing as *const () as usize;
            action.sa_flags = libc::SA_RESTART;
            libc::sigaction(libc::SIGXFSZ, &raw const action, ptr::null_mut());
        }
    }
}

/// Run `work`, in which a write beyond the limit of the size of files fails instead of ending the process. The error then names the limit.
///
/// For libraries, which leave the action of SIGXFSZ to the program: the signal is blocked on this thread, to which the kernel sends it, and
/// taken from the queue afterwards.
pub fn report_file_size_limit<T>(work: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    let mut before = MaybeUninit::uninit();
    // SAFETY: each set is filled before it is read, and only the calling thread's mask and queue change.
    let (xfsz, was_pending) = unsafe {
        let mut xfsz = MaybeUninit::uninit();
        libc::sigemptyset(xfsz.as_mut_ptr());
        libc::sigaddset(xfsz.as_mut_ptr(), libc::SIGXFSZ);
        libc::pthread_sigmask(libc::SIG_BLOCK, xfsz.as_ptr(), before.as_mut_ptr());
        (xfsz.assume_init(), is_pending())
    };
    let done = work();
    // SAFETY: as above; `before` was filled by the first call.
    let was_sent = unsafe {
        let was_sent = !was_pending && is_pending();
        if was_sent {
            let at_once = libc::timespec { tv_sec: 0, tv_nsec: 0 };
            libc::sigtimedwait(&raw const xfsz, ptr::null_mut(), &raw const at_once);
        }
        libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), ptr::null_mut());
        was_sent
    };
    done.map_err(|error| if was_sent { file_size_limit() } else { name_file_size_limit(error) })
}

/// Whether SIGXFSZ is pending for this thread.
fn is_pending() -> bool {
    let mut pending = MaybeUninit::uninit();
    // SAFETY: the set is filled before it is read.
    unsafe {
        libc::sigpending(pending.as_mut_ptr());
        libc::sigismember(pending.as_ptr(), libc::SIGXFSZ) == 1
    }
}

/// Return the error; if it was caused by the limit of the size of files, the new error names the limit.
pub fn name_file_size_limit(error: io::Error) -> io::Error {
    if error.raw_os_error() == Some(libc::EFBIG) { file_size_limit() } else { error }
}

fn file_size_limit() -> io::Error {
    io::Error::new(
        io::ErrorKind::FileTooLarge,
        "the file would be larger than the limit of the size of files (ulimit -f)",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    use std::{fs::File, io::Write, process::Command};

    /// The limit holds for a whole process, so the test is a process of its own.
    #[test]
    fn file_size_limit_is_an_error_that_names_it() {
        const NAME: &str = "signals::tests::file_size_limit_is_an_error_that_names_it";
        if std::env::args().any(|argument| argument == NAME) {
            return write_beyond_the_limit();
        }
        let mut alone = Command::new(std::env::current_exe().unwrap());
        alone.args(["--exact", NAME]);
        let ended = alone.output().unwrap();
        assert!(ended.status.success() && String::from_utf8_lossy(&ended.stdout).contains("1 passed"), "{ended:?}");
    }

    fn write_beyond_the_limit() {
        let path = std::env::temp_dir().join(format!("ferrite-limited-{}", std::process::id()));
        let mut file = File::create(&path).unwrap();
        setrlimit(Resource::Fsize, Rlimit { current: Some(10), ..getrlimit(Resource::Fsize) }).unwrap();
        for _ in 0..2 {
            let refused = report_file_size_limit(|| file.write_all(b"more than ten bytes"));
            assert!(refused.unwrap_err().to_string().contains("ulimit -f"));
        }
        // The limit is found even if another library has replaced the error.
        let told = report_file_size_limit(|| file.write_all(b"x").map_err(|_| io::Error::other("failed")));
        assert!(told.unwrap_err().to_string().contains("ulimit -f"));
        assert!(!is_pending());
        survive_file_size_limit();
        let refused = file.write_all(b"x").unwrap_err();
        assert!(name_file_size_limit(refused).to_string().contains("ulimit -f"));
        let killed = Command::new("sh").args(["-c", "kill -XFSZ $$"]).status().unwrap();
        assert!(!killed.success(), "programs have the default action");
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn all_but_faults_are_blocked() {
        std::thread::spawn(|| {
            leave_to_program();
            let mut mask = MaybeUninit::uninit();
            // SAFETY: the call fills the set, which is read then.
            let blocked = unsafe {
                libc::pthread_sigmask(libc::SIG_BLOCK, ptr::null(), mask.as_mut_ptr());
                let mask = mask.assume_init();
                move |signal| libc::sigismember(&raw const mask, signal) == 1
            };
            assert!([libc::SIGTERM, libc::SIGALRM, libc::SIGUSR1].into_iter().all(&blocked));
            assert!(!FAULTS.into_iter().any(blocked));
        })
        .join()
        .unwrap();
    }
}
