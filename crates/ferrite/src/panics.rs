//! Reports of panics: a panic is reported once, with the number of its PE.
//!
//! Rust's own report names no PE, and in a process that has a world a second report would follow, since a panic that reaches the `World` ends
//! the job. So the first world of a process installs a hook, which stays. While the process has a world, it prints one line that names the
//! PE, and keeps it for the end of the job, which passes it on to the others and prints nothing more. Without a world, and for PEs that are
//! threads, the hook calls the one that was there before: the threads are named after their PEs.
//!
//! A hook that the program sets later replaces this one. The end of the job then says that a panic is the reason.

use core::{
    cell::Cell,
    sync::atomic::{AtomicU32, Ordering::Relaxed},
};
use ferrite_os::mutex;
use std::{
    backtrace::{Backtrace, BacktraceStatus},
    io::{self, Write},
    panic::{self, PanicHookInfo},
    sync::{Mutex, Once},
};

/// How panics of a thread are reported.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Voice {
    /// As those of the process that it is in.
    OfProcess,
    /// By the program's hook.
    Loud,
    /// Not at all.
    Silent,
}

thread_local! {
    static VOICE: Cell<Voice> = const { Cell::new(Voice::OfProcess) };
}

/// The PE of this process, while it has a world. Relaxed: it orders nothing.
static ME: AtomicU32 = AtomicU32::new(NONE);
const NONE: u32 = u32::MAX;
/// The line of the last panic that was reported with a PE.
static LAST: Mutex<Option<String>> = Mutex::new(None);

/// Set how panics of this thread are reported.
pub(crate) fn of_this_thread(voice: Voice) {
    install();
    VOICE.set(voice);
}

/// The process has a world, as PE `me`.
pub(crate) fn of_process(me: u32) {
    install();
    ME.store(me, Relaxed);
}

/// The process has no world any more.
pub(crate) fn of_no_process() {
    ME.store(NONE, Relaxed);
}

/// The line of the panic that ends the job, which was printed already.
pub(crate) fn reported() -> Option<String> {
    mutex::lock(&LAST).take()
}

fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |panic| match (VOICE.get(), ME.load(Relaxed)) {
            (Voice::Silent, _) => {}
            (Voice::Loud, _) | (_, NONE) => before(panic),
            (Voice::OfProcess, me) => report(me, panic),
        }));
    });
}

/// Print a panic in one line, with a backtrace if `RUST_BACKTRACE` asks for one: reports of several PEs would mix.
fn report(me: u32, panic: &PanicHookInfo<'_>) {
    let line = format!("PE {me}: {}", panic.to_string().replace('\n', " "));
    let mut text = format!("ferrite: {line}\n");
    let backtrace = Backtrace::capture();
    if backtrace.status() == BacktraceStatus::Captured {
        text += &backtrace.to_string();
    }
    // Nothing can be done if standard error is closed.
    let _ = io::stderr().write_all(text.as_bytes());
    *mutex::lock(&LAST) = Some(line);
}
