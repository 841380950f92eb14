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
};
use ferrite_memory::heap::budget::Bytes;
use ferrite_program::line::Line;
use libc::{sigaction, siginfo_t};

pub(super) const SIGNAL: c_int = libc::SIGUSR1;

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
