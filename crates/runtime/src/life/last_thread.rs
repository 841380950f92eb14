//! The end of a process whose main thread has called `pthread_exit`.
//!
//! The C library then ends the process with its last thread, by `exit(0)`. The library's service threads would keep the process alive. So a
//! new thread is started when the main thread leaves; it waits until only the library's threads are left, and then calls `exit(0)`. The
//! thread is started even if the library has no other thread: `exit` in the last thread of the program would run after that thread's local
//! data are destroyed, and the exit handlers need them.
//!
//! Threads started by a transport's library count as the program's: UCX has one, which keeps the process alive.
//!
//! The kernel does not report the end of a thread to other threads, so the thread polls every [`PAUSE`]. It exists only in programs whose
//! main thread leaves.

use crate::{end, fork::is_child};
use core::{cell::Cell, ffi::c_void, ptr};
use ferrite_os::threads;
use std::{
    sync::Once,
    thread::{self, Builder},
    time::Duration,
};

/// How often the thread checks whether threads of the program are left. It delays the end of the job, and nothing else.
const PAUSE: Duration = Duration::from_millis(10);

thread_local! {
    static IS_LAST: Cell<bool> = const { Cell::new(false) };
}

/// True in the thread that ends the process after the last thread of the program has ended.
pub fn is_last_thread() -> bool {
    IS_LAST.get()
}

/// Make the process end with the last thread of the program, once its main thread has left. Called before `main`; in any other thread it
/// does nothing.
pub fn watch_main_thread() {
    static WATCHED: Once = Once::new();
    if rustix::thread::gettid() != rustix::process::getpid() {
        return;
    }
    WATCHED.call_once(|| {
        let mut key = 0;
        // SAFETY: the key's destructor is a function of this library. It is called by `pthread_exit`, and not by a return from `main`,
        // for a value that is not null.
        unsafe {
            if libc::pthread_key_create(&raw mut key, Some(main_thread_leaves)) == 0 {
                libc::pthread_setspecific(key, ptr::dangling());
            }
        }
    });
}

unsafe extern "C" fn main_thread_leaves(_: *mut c_void) {
    // A child of fork has none of the library's threads.
    if is_child() {
        return;
    }
    // If the thread cannot be started, the process ends with the library's last thread, as it would without this file.
    let _ = threads::start(Builder::new(), "ferrite-last", || {
        while !threads::program_has_ended() {
            thread::sleep(PAUSE);
        }
        IS_LAST.set(true);
        end::exit(0)
    });
}
