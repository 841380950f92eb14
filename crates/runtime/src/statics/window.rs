//! Lets no write to the static data be lost while they move.
//!
//! Between the copy of a page and the mapping of its new place, a write to the old place would vanish. In a process of
//! one thread nobody writes, once signals are blocked: their handlers could. With more threads the range is made
//! read-only first. A thread that writes then faults; our handler of SIGSEGV lets it sleep and return, that is, try
//! again, until the new mapping is there and the write succeeds. No flag tells the writers: the page tables do.
//!
//! # States of the fault handler, and who may write what
//!
//! 1. *Absent.* `LO`, `HI`, `HOLDER`, `OLD` are written by the one thread that opens a window (`fork::STATE` is locked).
//! 2. *Installed, range read-only.* The holder copies and maps, by inline system calls alone. Nobody writes a static of
//!    this file; they may lie in the range.
//! 3. *Installed, range writable again.* A thread may have faulted and not yet been told: the kernel looks the handler up
//!    when it delivers the signal, and after a removal would deliver it to the old one. So every thread that is not asleep is
//!    pinged with a SIGSEGV of our own. Synchronous signals are delivered before others, so a thread that answers has
//!    its fault behind it. A thread asleep in a system call has none before it.
//! 4. *Absent again.* If a thread does not answer in time the handler stays; it hands over what is not its own.
//!
//! The atomics are read in signal handlers of threads that ran before they were written, but only after a fault or a ping that
//! the writer caused later by a system call; Acquire and Release say so to the compiler, the kernel orders the rest.
//!
//! # What remains
//!
//! - A *system call* of another thread that writes into the range (a `read` into a static buffer) does not fault: it fails
//!   with EFAULT if it falls into the window of about 100 microseconds.
//! - A thread that blocks SIGSEGV would be killed by a fault. If there is one the range is not protected
//!   ([`Care::Unprotected`]), and a write in those microseconds can be lost.
//! - A thread that *begins* to block SIGSEGV within the window and writes the range then is killed, and the process with it:
//!   a signal handler with a full mask, or, in a static executable, the C library's `pthread_create`.
//!
//! All need a program that starts threads which write statics *while* the library is initialised or finalised.
//! Waiters on futexes in the range are not disturbed: a private futex is known by its address.

use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicI32, AtomicPtr, AtomicUsize, Ordering};
use std::{fs, io, ptr};

use crate::heap::pages::page_size;
use libc::{SIG_SETMASK, SIGSEGV, sigaction, siginfo_t, sigset_t};
use rustix::mm::MprotectFlags;
use rustix::thread::{Timespec, gettid, nanosleep};

use super::range::Range;

/// How writes were kept while the range was exchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Care {
    /// No other thread was there.
    Alone,
    /// Other threads were held at their writes.
    Held,
    /// A thread blocks SIGSEGV and could not be held.
    Unprotected {
        /// That thread.
        thread: i32,
    },
}

static LO: AtomicUsize = AtomicUsize::new(0);
static HI: AtomicUsize = AtomicUsize::new(0);
/// The thread that has the window open.
static HOLDER: AtomicI32 = AtomicI32::new(0);
/// The thread that is asked for a sign, and the thread that gave one.
static PINGED: AtomicI32 = AtomicI32::new(0);
static ANSWERED: AtomicI32 = AtomicI32::new(0);
/// The disposition that ours replaced; leaked, for a late handler may still read it.
static OLD: AtomicPtr<sigaction> = AtomicPtr::new(ptr::null_mut());

/// Runs `swap`, which puts other pages in the place of the range, so that no thread's write is lost.
///
/// `swap` makes inline system calls only: it may write no static and allocate nothing. If it fails the range is as before.
pub(super) fn exchange(range: &Range, swap: impl FnOnce() -> io::Result<()>) -> io::Result<Care> {
    let me = gettid().as_raw_nonzero().get();
    // Without /proc nothing is known, and care does no harm.
    let alone = threads() == [me];
    let deaf = if alone { None } else { deaf_thread(me) };
    let _quiet = Quiet::begin();
    match (alone, deaf) {
        (true, _) => swap().map(|()| Care::Alone),
        (_, Some(thread)) => swap().map(|()| Care::Unprotected { thread }),
        _ => {
            let handler = Handler::install(range, me)?;
            let swapped = protect(range, false).and_then(|()| swap());
            if swapped.is_err() {
                // What was not replaced is made writable again; a failure of this too leaves nothing to do but to report the first.
                let _ = protect(range, true);
            }
            handler.retire(me);
            swapped.map(|()| Care::Held)
        }
    }
}

/// Makes the range writable or read-only. Inline system calls alone.
fn protect(range: &Range, writable: bool) -> io::Result<()> {
    for piece in range.pieces() {
        let mut flags = MprotectFlags::READ;
        flags.set(MprotectFlags::WRITE, writable);
        flags.set(MprotectFlags::EXEC, piece.executable);
        // SAFETY: the pages stay readable and keep their contents; writers are held by the handler.
        unsafe { rustix::mm::mprotect(piece.start as *mut c_void, piece.len(), flags)? };
    }
    Ok(())
}

/// All signals but faults are blocked in this thread while this lives: their handlers might write statics.
struct Quiet(sigset_t);

impl Quiet {
    fn begin() -> Self {
        let (mut all, mut before) = (MaybeUninit::uninit(), MaybeUninit::uninit());
        // SAFETY: both sets are filled by these calls before they are read; the arguments are valid.
        unsafe {
            libc::sigfillset(all.as_mut_ptr());
            for fault in [SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGTRAP] {
                libc::sigdelset(all.as_mut_ptr(), fault);
            }
            libc::pthread_sigmask(SIG_SETMASK, all.as_ptr(), before.as_mut_ptr());
            Quiet(before.assume_init())
        }
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        // SAFETY: the set is the one that was in force.
        unsafe { libc::pthread_sigmask(SIG_SETMASK, &self.0, ptr::null_mut()) };
    }
}

/// Our handler of SIGSEGV, installed.
struct Handler;

impl Handler {
    fn install(range: &Range, me: i32) -> io::Result<Self> {
        LO.store(range.base(), Ordering::Release);
        HI.store(range.base() + range.len(), Ordering::Release);
        HOLDER.store(me, Ordering::Release);
        // SAFETY: zero is a valid empty action, which is then filled in.
        let mut ours: sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
        ours.sa_sigaction = on_fault as *const () as usize;
        // On the alternate stack, for it must hand stack overflows over; restarting, for pings interrupt; not blocking the
        // signal, for a thread that is still in the handler of one window must not look deaf to the next.
        ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART | libc::SA_NODEFER;
        let old = current()?;
        // A handler that an earlier window had to leave behind is still ours, and what it replaced still the old one.
        if old.sa_sigaction != ours.sa_sigaction {
            OLD.store(Box::into_raw(Box::new(old)), Ordering::Release);
        }
        // SAFETY: `ours` is a complete action.
        match unsafe { sigaction(SIGSEGV, &ours, ptr::null_mut()) } {
            0 => Ok(Handler),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// Restores the old disposition as soon as no thread has a fault of the window before it.
    fn retire(self, me: i32) {
        HOLDER.store(0, Ordering::Release);
        if !threads().into_iter().filter(|&thread| thread != me).all(has_settled) {
            return;
        }
        // Who has replaced our handler in the meantime keeps theirs.
        if current().is_ok_and(|now| now.sa_sigaction == on_fault as *const () as usize) {
            hand_over();
        }
    }
}

fn current() -> io::Result<sigaction> {
    let mut now = MaybeUninit::uninit();
    // SAFETY: the call fills `now` when it succeeds.
    match unsafe { sigaction(SIGSEGV, ptr::null(), now.as_mut_ptr()) } {
        // SAFETY: as said.
        0 => Ok(unsafe { now.assume_init() }),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Puts the old disposition back. Async-signal-safe.
fn hand_over() {
    let old = OLD.load(Ordering::Acquire);
    if !old.is_null() {
        // SAFETY: a leaked action of `install`; sigaction is async-signal-safe and leaves errno alone when it succeeds.
        unsafe { sigaction(SIGSEGV, old, ptr::null_mut()) };
    }
}

extern "C" fn on_fault(_signal: c_int, info: *mut siginfo_t, _context: *mut c_void) {
    // SAFETY: the kernel passes a valid description.
    let info = unsafe { &*info };
    let me = gettid().as_raw_nonzero().get();
    if info.si_code == libc::SI_TKILL && PINGED.load(Ordering::Acquire) == me {
        ANSWERED.store(me, Ordering::Release);
        return;
    }
    const SEGV_ACCERR: c_int = 2;
    // SAFETY: for a fault (a positive code) the address is set; for others it is not used.
    let address = unsafe { info.si_addr() }.addr();
    let in_range = (LO.load(Ordering::Acquire)..HI.load(Ordering::Acquire)).contains(&address);
    if info.si_code == SEGV_ACCERR && in_range {
        if HOLDER.load(Ordering::Acquire) == me {
            // The holder itself wrote, against its rules, through a lazily bound call perhaps: a lock-up would be worse than
            // what the write is worth.
            let page = page_size();
            let start = (address / page * page) as *mut c_void;
            // SAFETY: a page of the range, writable before the window and after it.
            let _ = unsafe { rustix::mm::mprotect(start, page, MprotectFlags::READ | MprotectFlags::WRITE) };
            return;
        }
        nap();
        return;
    }
    // Not ours. Under the old disposition the faulting instruction runs again and faults with all that is true of it.
    hand_over();
    if info.si_code <= 0 {
        // Sent by somebody: nothing will run again, so it is sent again.
        // SAFETY: a signal to this very thread.
        unsafe { libc::syscall(libc::SYS_tgkill, libc::getpid(), me, SIGSEGV) };
    }
}

/// A wait between two looks. An inline system call: errno stays.
fn nap() {
    let _ = nanosleep(&Timespec { tv_sec: 0, tv_nsec: 50_000 });
}

/// Whether `thread` surely has no fault of the window before it, asked for up to about a second.
fn has_settled(thread: i32) -> bool {
    const NAPS_MAX: usize = 20_000;
    match Thread::read(thread) {
        None => return true,
        Some(seen) if seen.asleep && !seen.fault_pending => return true,
        Some(_) => {}
    }
    ANSWERED.store(0, Ordering::Release);
    PINGED.store(thread, Ordering::Release);
    // SAFETY: a signal that our handler, which is installed, answers.
    if unsafe { libc::syscall(libc::SYS_tgkill, libc::getpid(), thread, SIGSEGV) } != 0 {
        return true;
    }
    for _ in 0..NAPS_MAX {
        if ANSWERED.load(Ordering::Acquire) == thread || Thread::read(thread).is_none() {
            PINGED.store(0, Ordering::Release);
            return true;
        }
        nap();
    }
    false
}

/// A thread that blocks SIGSEGV and does not stop doing so. One that is just being created does for a moment, and is worth
/// a wait of up to about a tenth of a second.
fn deaf_thread(me: i32) -> Option<i32> {
    const NAPS_MAX: usize = 2_000;
    let mut naps = 0;
    loop {
        let deaf = threads().into_iter().filter(|&thread| thread != me).find_map(|thread| {
            let seen = Thread::read(thread)?;
            seen.blocks_faults.then_some((thread, seen.asleep))
        });
        match deaf {
            Some((_, false)) if naps < NAPS_MAX => naps += 1,
            _ => return deaf.map(|(thread, _)| thread),
        }
        nap();
    }
}

/// The threads of this process.
fn threads() -> Vec<i32> {
    let Ok(entries) = fs::read_dir("/proc/self/task") else { return Vec::new() };
    entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// What the kernel tells about a thread.
struct Thread {
    asleep: bool,
    fault_pending: bool,
    blocks_faults: bool,
}

impl Thread {
    /// `None` if it is gone.
    fn read(thread: i32) -> Option<Self> {
        Self::parse(&fs::read_to_string(format!("/proc/self/task/{thread}/status")).ok()?)
    }

    fn parse(status: &str) -> Option<Self> {
        let field = |key: &str| Some(status.lines().find_map(|line| line.strip_prefix(key))?.trim());
        let fault = |key: &str| u64::from_str_radix(field(key)?, 16).ok().map(|set| set >> (SIGSEGV - 1) & 1 == 1);
        let state = field("State:")?.chars().next()?;
        if matches!(state, 'Z' | 'X') {
            return None;
        }
        Some(Thread {
            // Stopped by a signal or a debugger counts: what is pending shows.
            asleep: matches!(state, 'S' | 'T' | 't'),
            fault_pending: fault("SigPnd:")?,
            blocks_faults: fault("SigBlk:")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threads_state_and_signals_are_read() {
        let status = |state: &str, pending: &str, blocked: &str| {
            format!(
                "Name:\tState: x\nState:\t{state} (x)\nSigQ:\t0/9\nSigPnd:\t{pending}\nShdPnd:\t0\nSigBlk:\t{blocked}\n"
            )
        };
        let none = "0000000000000000";
        let fault = "0000000000000400";
        let seen = Thread::parse(&status("S", none, fault)).expect("a thread");
        assert!(seen.asleep && !seen.fault_pending && seen.blocks_faults);
        let seen = Thread::parse(&status("R", fault, none)).expect("a thread");
        assert!(!seen.asleep && seen.fault_pending && !seen.blocks_faults);
        assert!(Thread::parse(&status("Z", none, none)).is_none());
        assert!(Thread::parse("").is_none());
        let me = gettid().as_raw_nonzero().get();
        assert!(threads().contains(&me));
        assert!(Thread::read(me).is_some_and(|seen| !seen.asleep));
    }
}
