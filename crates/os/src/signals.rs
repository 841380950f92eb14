//! What a provider's own threads do about signals.
#![allow(unsafe_code)]

use std::{mem::MaybeUninit, ptr};

/// The signals that an instruction raises in its own thread. Where one is blocked the kernel kills instead, and whoever
/// installs a handler for them counts on every thread: the runtime does while it exchanges the pages of static data.
const FAULTS: [libc::c_int; 5] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGTRAP];

/// Leave all signals but faults to the program's threads: its handlers do not run on the calling one any more.
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

#[cfg(test)]
mod tests {
    use super::*;

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
