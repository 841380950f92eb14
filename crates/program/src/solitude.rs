//! Whether anything but other PEs could end this PE's wait for memory: a thread, a child or a signal handler of its own, or a tracer.
//!
//! All of these are rare in programs, and none can begin while the only thread of the process waits. If it cannot be determined whether one
//! exists, it counts as existing.

use std::fs;

/// Signals whose handlers do not count as a way to end a wait: the signals of crashes and of the end of a process, for all of which
/// Fortran's library has a handler, and the C library's own (32 to 34).
const HARMLESS: u64 = bits(&[
    libc::SIGHUP,
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGTERM,
    libc::SIGPIPE,
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGFPE,
    libc::SIGILL,
    libc::SIGABRT,
    libc::SIGTRAP,
    libc::SIGSYS,
    libc::SIGXCPU,
    libc::SIGXFSZ,
    32,
    33,
    34,
]);

const fn bits(signals: &[libc::c_int]) -> u64 {
    let (mut bits, mut at) = (0, 0);
    while at < signals.len() {
        bits |= 1 << (signals[at] - 1);
        at += 1;
    }
    bits
}

/// Whether this process has one thread of the program's, and nothing else that could store to its memory. `handled` is a signal whose handler
/// is the library's own, if there is one.
pub fn is_alone(handled: Option<libc::c_int>) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let harmless = handled.map_or(HARMLESS, |signal| HARMLESS | bits(&[signal]));
    is_undisturbed(&status, harmless) && has_one_thread() == Some(true) && has_children() == Some(false)
}

/// Whether the process has no tracer, and no signal handler that could store the awaited value.
fn is_undisturbed(status: &str, harmless: u64) -> bool {
    let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(":\t"));
    let tracer = field("TracerPid").and_then(|pid| pid.trim().parse().ok());
    let caught = field("SigCgt").and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    tracer == Some(0) && caught.is_some_and(|caught| caught & !harmless == 0)
}

/// Whether the program has one thread. The library's own threads do not count: they only do what the program's peers have asked for.
fn has_one_thread() -> Option<bool> {
    let mut of_program = 0;
    for task in fs::read_dir("/proc/self/task").ok()? {
        let name = fs::read_to_string(task.ok()?.path().join("comm")).ok()?;
        of_program += u32::from(!name.starts_with("ferrite-"));
    }
    Some(of_program == 1)
}

fn has_children() -> Option<bool> {
    for task in fs::read_dir("/proc/self/task").ok()? {
        if !fs::read_to_string(task.ok()?.path().join("children")).ok()?.trim().is_empty() {
            return Some(true);
        }
    }
    Some(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handlers_and_tracers_disturb() {
        let status = |tracer: &str, caught: &str| format!("Name:\ta\nTracerPid:\t{tracer}\nSigCgt:\t{caught}\n");
        for (tracer, caught, undisturbed) in [
            ("0", "0000000000000000", true),
            // Handlers for SIGSEGV and SIGINT.
            ("0", "0000000000000402", true),
            // Signals that gfortran's library has handlers for.
            ("0", "00000000418004fc", true),
            // A handler for SIGALRM.
            ("0", "0000000000002000", false),
            ("17", "0000000000000000", false),
        ] {
            assert_eq!(is_undisturbed(&status(tracer, caught), HARMLESS), undisturbed, "{tracer} {caught}");
        }
        assert!(!is_undisturbed("", HARMLESS));
    }
}
