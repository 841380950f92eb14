//! Report of where each PE of a node is: requested by a signal, or due because nothing has moved for long.
//!
//! The waiting PE that looks at all PEs of its node holds the node's roll-call. A signal handler only records that one is requested. If no
//! PE waits, none can hold it; then the handler of the node's first PE reports this, in a line that it can write without any lock.
//!
//! The signal is SIGUSR1. oshrun itself reads the boards of all hosts, so its PEs need no handler: they ignore the signal, which then
//! interrupts no `sleep` or `poll` of the program. If the program has a handler of its own, that handler stays.

use super::Diagnosis;
use crate::live::Live;
use core::{
    ffi::{c_int, c_void},
    fmt::Write,
    mem::MaybeUninit,
    ptr,
    sync::atomic::{AtomicBool, AtomicPtr, Ordering::SeqCst},
    time::Duration,
};
use ferrite_diagnose::status::{Phase, Seen};
use ferrite_memory::heap::budget::Bytes;
use ferrite_os::process::Process;
use ferrite_program::line::Line;
use libc::{sigaction, siginfo_t};
use std::{fs, time::Instant};

pub(super) const SIGNAL: c_int = libc::SIGUSR1;

/// Number of looks at the processes within the stall timeout.
const LOOKS: u32 = 16;

/// Diagnosis of this process's PE, for the handler. Null if there is none.
static DIAGNOSIS: AtomicPtr<Diagnosis> = AtomicPtr::new(ptr::null_mut());

impl Live {
    /// Hold a roll-call when a signal asks for one, until [`forget`].
    pub(crate) fn watch_for_roll_calls(&self) {
        if !self.diagnosis.is_on {
            return;
        }
        DIAGNOSIS.store(ptr::from_ref(&self.diagnosis).cast_mut(), SeqCst);
        static INSTALLED: AtomicBool = AtomicBool::new(false);
        if !INSTALLED.swap(true, SeqCst) {
            install(SIGNAL, self.diagnosis.boards.are_of_launcher());
        }
    }
}

/// This PE is about to leave the job.
pub(crate) fn forget(live: *mut Live) {
    // SAFETY: null, or a live world that its owner is about to take.
    let Some(live) = (unsafe { live.as_ref() }) else { return };
    let mine = ptr::from_ref(&live.diagnosis).cast_mut();
    let _ = DIAGNOSIS.compare_exchange(mine, ptr::null_mut(), SeqCst, SeqCst);
}

/// Whether the handler of this signal is ours.
pub(super) fn is_ours(signal: c_int) -> bool {
    handler_of(signal) == Some(want as *const () as usize)
}

fn handler_of(signal: c_int) -> Option<usize> {
    // SAFETY: asks, and changes nothing.
    unsafe {
        let mut old = MaybeUninit::<sigaction>::zeroed().assume_init();
        (sigaction_of(signal, ptr::null(), &raw mut old) == 0).then_some(old.sa_sigaction)
    }
}

use libc::sigaction as sigaction_of;

fn install(signal: c_int, is_for_launcher: bool) {
    if handler_of(signal) != Some(libc::SIG_DFL) {
        return;
    }
    // SAFETY: the handler exists as long as the process, and calls only functions that handlers may call.
    unsafe {
        let mut ours = MaybeUninit::<sigaction>::zeroed().assume_init();
        ours.sa_sigaction = if is_for_launcher { libc::SIG_IGN } else { want as *const () as usize };
        ours.sa_flags = libc::SA_RESTART | libc::SA_ONSTACK | libc::SA_SIGINFO;
        sigaction_of(signal, &raw const ours, ptr::null_mut());
    }
}

extern "C" fn want(_: c_int, _: *mut siginfo_t, _: *mut c_void) {
    // SAFETY: null, or the PE's diagnosis; `forget` is called before it is dropped.
    let Some(diagnosis) = (unsafe { DIAGNOSIS.load(SeqCst).as_ref() }) else { return };
    if diagnosis.boards.pes()[diagnosis.boards.own_index()] == 0 {
        let line = diagnosis.carriage();
        // SAFETY: reads the bytes of the line.
        let _ = unsafe { libc::write(libc::STDERR_FILENO, line.as_ptr().cast(), line.len()) };
        let [bytes, page] = diagnosis.large_pages();
        if bytes > 0 {
            let mut line = Line::default();
            let _ = writeln!(line, "ferrite: PE 0 has {} of its heap on pages of {}", Bytes(bytes), Bytes(page));
            line.print();
        }
    }
    diagnosis.boards.first().want_roll_call();
    let (pes, is_first) = (diagnosis.boards.pes(), diagnosis.boards.own_index() == 0);
    if is_first && !(0..pes.len()).any(|index| diagnosis.boards.at(index).status.is_waiting()) {
        let mut line = Line::default();
        let _ = match pes.len() {
            1 => {
                writeln!(line, "ferrite: PE {} does not wait in the library: it computes, or waits elsewhere", pes[0])
            }
            count => writeln!(
                line,
                "ferrite: PEs {} to {} on this host do not wait in the library: they compute, or wait elsewhere",
                pes[0],
                pes[count - 1]
            ),
        };
        line.print();
    }
}

/// How long nothing has moved on this node.
#[derive(Default)]
pub(super) struct Stillness {
    /// The PEs, each with the version of its wait or the time that it has computed.
    what: Vec<(u32, u64)>,
    since: Option<Instant>,
    looked: Option<Instant>,
    is_told: bool,
}

impl Stillness {
    /// Return true, once, if nothing has moved for `limit`. `processes` are the processes of the PEs in `seen`.
    pub fn lasts(&mut self, seen: &[Seen], processes: &[Process], limit: Duration, now: Instant) -> bool {
        if self.looked.is_some_and(|looked| now - looked < limit / LOOKS) {
            return false;
        }
        let what: Option<Vec<(u32, u64)>> =
            seen.iter().zip(processes).map(|(one, process)| Some((one.pe, activity(one, *process)?))).collect();
        match what {
            Some(what) if what == self.what => {}
            what => *self = Stillness { what: what.unwrap_or_default(), ..Stillness::default() },
        }
        self.looked = Some(now);
        let since = *self.since.get_or_insert(now);
        let is_due = !self.what.is_empty() && now - since >= limit && !self.is_told;
        self.is_told |= is_due;
        is_due
    }

    /// Whether `lasts` has returned true, and nothing has moved since.
    pub fn holds(&self) -> bool {
        self.is_told
    }
}

/// The long waits that were reported.
#[derive(Default)]
pub(super) struct LongWaits {
    /// PE, and when its wait began.
    told: Vec<(u32, u64)>,
}

impl LongWaits {
    /// A wait that is published again may have a slightly different beginning: the difference is less than this.
    const SAME_NS: u64 = 10_000_000;

    /// Return true if a wait has lasted for `limit` and was not reported yet. All such waits then count as reported.
    pub fn is_new(&mut self, seen: &[Seen], limit: Duration, now_ns: u64) -> bool {
        let begins = seen.iter().filter_map(|one| Some((one.pe, one.waiting.as_ref()?.since_ns)));
        let long: Vec<(u32, u64)> =
            begins.filter(|(_, since)| now_ns.saturating_sub(*since) >= limit.as_nanos() as u64).collect();
        let is_told = |(pe, since): &(u32, u64)| {
            self.told.iter().any(|(told, then)| told == pe && then.abs_diff(*since) < Self::SAME_NS)
        };
        let is_new = !long.iter().all(is_told);
        self.told = long;
        is_new
    }
}

/// A value that changes when a PE goes on; `None` if it computes now.
fn activity(one: &Seen, process: Process) -> Option<u64> {
    match (&one.waiting, one.phase) {
        (Some(waiting), _) => Some(waiting.version),
        (None, Phase::Left) => Some(0),
        (None, _) => time_of_sleeper(process),
    }
}

/// A number that changes with the time that a process has computed so far, if it sleeps now. A stopped process (in a debugger, say) does
/// not count as asleep.
fn time_of_sleeper(process: Process) -> Option<u64> {
    if process.namespace == 0 || process.namespace != Process::current().namespace {
        return None;
    }
    let read = |file| fs::read_to_string(format!("/proc/{}/{file}", process.number)).ok();
    let ticks = sleeper(&read("stat")?)?;
    // Ticks include all threads and are coarse; the time of the first thread is known more precisely.
    let first_ns = read("schedstat").and_then(|text| text.split(' ').next()?.parse::<u64>().ok()).unwrap_or(0);
    Some(first_ns ^ ticks << 40)
}

fn sleeper(stat: &str) -> Option<u64> {
    // The name may contain anything, but it ends with the last parenthesis.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let time = |at: usize| fields.get(at)?.parse::<u64>().ok();
    matches!(*fields.first()?, "S" | "D").then_some(())?;
    // Plus 1: 0 marks a PE that has left.
    Some(time(11)? + time(12)? + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_computes_is_told_from_who_sleeps() {
        let stat = |state| format!("7 (a) b) {state} 1 7 7 0 -1 4194560 100 0 0 0 31 4 0 0 20 0 1 0 100 0");
        for (state, expected) in [("S", Some(36)), ("D", Some(36)), ("R", None), ("t", None), ("T", None)] {
            assert_eq!(sleeper(&stat(state)), expected, "{state}");
        }
        assert_eq!(sleeper(""), None);
    }

    #[test]
    fn a_long_wait_is_told_once() {
        let seen = |since_ns| {
            let waiting = ferrite_diagnose::status::Waiting {
                version: 1,
                class: ferrite_diagnose::status::Class::Anyone,
                since_ns,
                name: "w".into(),
                absent: None,
                team: None,
                place: None,
            };
            [Seen { pe: 0, phase: Phase::Joined, looks: 0, waiting: Some(waiting) }]
        };
        let (s, limit) = (1_000_000_000, Duration::from_secs(3));
        let mut long = LongWaits::default();
        let mut is_new = |since, now| long.is_new(&seen(since), limit, now);
        assert!(!is_new(s, 2 * s) && is_new(s, 4 * s) && !is_new(s, 5 * s) && !is_new(s + 1, 6 * s));
        assert!(!is_new(6 * s, 7 * s) && is_new(6 * s, 9 * s));
        assert!(!is_new(u64::MAX, 9 * s));
    }

    #[test]
    fn stillness_is_told_once_and_anew_after_a_move() {
        let seen = |version| {
            let waiting = ferrite_diagnose::status::Waiting {
                version,
                class: ferrite_diagnose::status::Class::Anyone,
                since_ns: 0,
                name: "w".into(),
                absent: None,
                team: None,
                place: None,
            };
            [Seen { pe: 0, phase: Phase::Joined, looks: 0, waiting: Some(waiting) }]
        };
        let (begin, limit) = (Instant::now(), Duration::from_secs(30));
        let mut still = Stillness::default();
        let mut lasts =
            |version, s| still.lasts(&seen(version), &[Process::default()], limit, begin + Duration::from_secs(s));
        assert!(!lasts(1, 0) && !lasts(1, 27) && lasts(1, 30) && !lasts(1, 33));
        assert!(!lasts(3, 35) && !lasts(3, 62) && lasts(3, 65));
        let computes = [Seen { waiting: None, ..seen(1)[0].clone() }];
        assert!(!Stillness::default().lasts(&computes, &[Process::default()], Duration::ZERO, begin));
    }
}
