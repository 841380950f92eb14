//! Reports of panics: a panic is reported once, with the number of its PE.
//!
//! Rust's own report names no PE, and in a process that has a world a second report would follow, since a panic that reaches the `World` ends
//! the job. So the first world of a process installs a hook, which stays. While the process has a world, it prints one line that names the
//! PE, and keeps it for the end of the job, which passes it on to the others and prints nothing more. Without a world, and for PEs that are
//! threads, the hook calls the one that was there before: the threads are named after their PEs.
//!
//! A hook that the program sets later replaces this one. The end of the job then says that a panic is the reason. Where the payload of the
//! panic is known, its text decides whether it is the one that was reported, or another one before, which the program has caught. A world that
//! is dropped by a panic does not know the payload.

use core::{
    any::Any,
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
/// The last panic that was reported with a PE.
static LAST: Mutex<Option<Reported>> = Mutex::new(None);

/// A panic that was reported.
struct Reported {
    line: String,
    /// The payload, if it is text.
    text: Option<String>,
}

/// Set how panics of this thread are reported.
pub(crate) fn of_this_thread(voice: Voice) {
    install();
    VOICE.set(voice);
}

/// The process has a world, as PE `me`.
pub(crate) fn of_process(me: u32) {
    install();
    mutex::lock(&LAST).take();
    ME.store(me, Relaxed);
}

/// The process has no world any more.
pub(crate) fn of_no_process() {
    ME.store(NONE, Relaxed);
}

/// The line of the panic that ends the job, if this hook has printed it. `payload` is what it has thrown, if that is known: a program that has
/// set a hook of its own may have caught an earlier panic.
pub(crate) fn reported(payload: Option<&(dyn Any + Send)>) -> Option<String> {
    let last = mutex::lock(&LAST).take()?;
    let is_it = payload.is_none_or(|payload| text(payload) == last.text.as_deref());
    is_it.then_some(last.line)
}

/// The text of a panic's payload, if it is text.
pub(crate) fn text(payload: &(dyn Any + Send)) -> Option<&str> {
    payload.downcast_ref::<String>().map(String::as_str).or_else(|| payload.downcast_ref::<&str>().copied())
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
    let backtrace = Backtrace::capture();
    let after = if backtrace.status() == BacktraceStatus::Captured { backtrace.to_string() } else { String::new() };
    let line = tell(me, &panic.to_string().replace('\n', " "), &after);
    *mutex::lock(&LAST) = Some(Reported { line, text: text(panic.payload()).map(str::to_owned) });
}

/// Print a line of this PE, and what comes after it, on standard error. Return the line.
pub(crate) fn tell(me: u32, text: &str, after: &str) -> String {
    let line = format!("PE {me}: {text}");
    // Nothing can be done if standard error is closed.
    let _ = io::stderr().write_all(format!("ferrite: {line}\n{after}").as_bytes());
    line
}
