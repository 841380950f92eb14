//! Lets no write to the static data be lost while they move.
//!
//! Between the copy of a page and the mapping of its new place, a write to the old place would vanish. In a process of
//! one thread nobody writes, once signals are blocked: their handlers could. With more threads the range is made
//! read-only first. A thread that writes then faults; our handler of SIGSEGV lets it sleep and return, that is, try
//! again, until the new mapping is there and the write succeeds. No flag tells the writers: the page tables do.
//!
//! # States of the fault handler, and who may write what
//!
//! 1. *Absent.* `LO`, `HI`, `HOLDER`, `OLD` are written by the one thread that opens a window: it has locked
//!    `fork::STATE`.
//! 2. *Installed, range read-only.* The holder copies and maps, by inline system calls alone. Nobody writes a static of
//!    this file; they may lie in the range.
//! 3. *Installed, range writable again.* A thread may have faulted and not yet been told: the kernel looks the handler
//!    up when it delivers the signal, and after a removal would deliver it to the old one. So every thread that is not
//!    asleep is pinged with a SIGSEGV of our own. Synchronous signals are delivered before others, so a thread that
//!    answers has its fault behind it. A thread asleep in a system call has none before it. How pings and faults merge
//!    is told at `has_settled`.
//! 4. *Absent again.* If a thread does not answer in time the handler stays; it passes on what is not its own.
//!
//! The atomics are read in signal handlers of threads that ran before they were written, but only after a fault or a
//! ping that the writer caused later by a system call; Acquire and Release say so to the compiler, the kernel orders
//! the rest.
//!
//! # What remains
//!
//! - A *system call* of another thread that writes into the range (a `read` into a static buffer) does not fault: it
//!   fails with EFAULT if it falls into the window of about 100 microseconds.
//! - A thread that blocks SIGSEGV would be killed by a fault. If there is one the range is not protected
//!   ([`Care::Unprotected`]), and a write in those microseconds can be lost.
//! - A thread that *begins* to block SIGSEGV within the window and writes the range then is killed, and the process
//!   with it: a signal handler with a full mask, or, in a static executable, the C library's `pthread_create`.
//!
//! All need a program that starts threads which write statics *while* the library is initialised or finalised.
//! Waiters on futexes in the range are not disturbed: a private futex is known by its address.

use std::cell::UnsafeCell;
use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};
use std::{io, ptr};

use libc::{SIG_SETMASK, SIGSEGV, sigaction, siginfo_t, sigset_t};
use rustix::mm::MprotectFlags;
use rustix::thread::{Timespec, gettid, nanosleep};

use super::range::Range;
use super::threads::Thread;
use crate::memory::heap::pages::page_size;

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
/// The number of the last ping that was sent, and of the last that was answered.
static SENT: AtomicUsize = AtomicUsize::new(0);
static ANSWERED: AtomicUsize = AtomicUsize::new(0);
/// What a ping carries beside its number, so that it is known for one at any time. No program queues SIGSEGV with this.
const PING: usize = 0x4645_5252_0000_0000;
/// The disposition that ours replaced.
static OLD: Old = Old(UnsafeCell::new(MaybeUninit::zeroed()));

struct Old(UnsafeCell<MaybeUninit<sigaction>>);

// SAFETY: written in state 1 alone, by the one thread that is about to install our handler; read by that handler.
unsafe impl Sync for Old {}

impl Old {
    /// # Safety
    /// Our handler is not installed, and `fork::STATE` is locked.
    unsafe fn set(&self, old: sigaction) {
        // SAFETY: nobody reads while our handler is not installed.
        unsafe { *self.0.get() = MaybeUninit::new(old) };
    }

    /// The disposition; the default one before any window.
    fn get(&self) -> &sigaction {
        // SAFETY: all zeros are a valid action: the default.
        unsafe { (*self.0.get()).assume_init_ref() }
    }
}

/// Runs `swap`, which puts other pages in the place of the range, so that no thread's write is lost.
///
/// `swap` makes inline system calls only: it may write no static and allocate nothing. If it fails the range is as
/// before.
pub(super) fn exchange(range: &Range, swap: impl FnOnce() -> io::Result<()>) -> io::Result<Care> {
    let me = gettid().as_raw_nonzero().get();
    // Without /proc nothing is known, and care does no harm.
    let alone = matches!(*Thread::all(), [only] if only.number == me);
    let _quiet = Quiet::begin();
    if alone {
        return swap().map(|()| Care::Alone);
    }
    let handler = Handler::install(range, me)?;
    // Asked only now: a thread in the program's own handler of SIGSEGV is deaf, but nobody enters that one directly any
    // more.
    let swapped = match deaf_thread(me) {
        Some(thread) => swap().map(|()| Care::Unprotected { thread }),
        None => hold_and(range, swap).map(|()| Care::Held),
    };
    handler.retire(me);
    swapped
}

/// Runs `swap` while the range is read-only.
fn hold_and(range: &Range, swap: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    let swapped = protect(range, false).and_then(|()| swap());
    if swapped.is_err() {
        // What was not replaced is made writable again; should this fail too, the first failure is the one to report.
        let _ = protect(range, true);
    }
    swapped
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
        // On the alternate stack, for it must hand stack overflows over; restarting, for pings interrupt; not blocking
        // the signal, for a thread that is still in the handler of one window must not look deaf to the next.
        ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART | libc::SA_NODEFER;
        let old = current()?;
        // A handler that an earlier window had to leave behind is still ours, and what it replaced still the old one.
        if old.sa_sigaction != ours.sa_sigaction {
            // SAFETY: as just seen; and windows are opened one after the other.
            unsafe { OLD.set(old) };
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
        if !others(me).all(has_settled) {
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
    // SAFETY: a complete action; sigaction is async-signal-safe and leaves errno alone when it succeeds.
    unsafe { sigaction(SIGSEGV, OLD.get(), ptr::null_mut()) };
}

extern "C" fn on_fault(_signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel passes a valid description.
    let info = unsafe { &*info };
    let me = gettid().as_raw_nonzero().get();
    // SAFETY: a queued signal has a value.
    let value = if info.si_code == libc::SI_QUEUE { unsafe { info.si_value() }.sival_ptr.addr() } else { 0 };
    if value >> 32 == PING >> 32 {
        ANSWERED.store(value & !PING, Ordering::Release);
        return;
    }
    const SEGV_ACCERR: c_int = 2;
    // SAFETY: for a fault (a positive code) the address is set; for others it is not used.
    let address = unsafe { info.si_addr() }.addr();
    let in_range = (LO.load(Ordering::Acquire)..HI.load(Ordering::Acquire)).contains(&address);
    if info.si_code == SEGV_ACCERR && in_range {
        if HOLDER.load(Ordering::Acquire) == me {
            // The holder itself wrote, against its rules, through a lazily bound call perhaps: a lock-up would be worse
            // than what the write is worth.
            let page = page_size();
            let start = (address / page * page) as *mut c_void;
            // SAFETY: a page of the range, writable before the window and after it.
            let _ = unsafe { rustix::mm::mprotect(start, page, MprotectFlags::READ | MprotectFlags::WRITE) };
            return;
        }
        nap();
        return;
    }
    pass_on(info, context, me);
}

/// A fault or signal that is not ours goes to whom it would have gone to.
fn pass_on(info: &siginfo_t, context: *mut c_void, me: i32) {
    let old = OLD.get();
    match (old.sa_sigaction, old.sa_flags & libc::SA_SIGINFO != 0) {
        (libc::SIG_IGN, _) if info.si_code <= 0 => {}
        (libc::SIG_DFL | libc::SIG_IGN, _) => {
            // The process is to die of it: the instruction runs again, and faults with all that is true of it.
            hand_over();
            if info.si_code <= 0 {
                // Sent by somebody: nothing will run again, so it is sent again.
                // SAFETY: a signal to this very thread.
                unsafe { libc::syscall(libc::SYS_tgkill, libc::getpid(), me, SIGSEGV) };
            }
        }
        // The program's own handler is called from ours, for ours must stay while other threads are held by it.
        (handler, true) => {
            // SAFETY: the program installed a handler of this type under SA_SIGINFO.
            let handler: extern "C" fn(c_int, *const siginfo_t, *mut c_void) = unsafe { std::mem::transmute(handler) };
            handler(SIGSEGV, info, context);
        }
        (handler, false) => {
            // SAFETY: the program installed a handler of this type without SA_SIGINFO.
            let handler: extern "C" fn(c_int) = unsafe { std::mem::transmute(handler) };
            handler(SIGSEGV);
        }
    }
}

/// A wait between two looks. An inline system call: errno stays.
fn nap() {
    let _ = nanosleep(&Timespec { tv_sec: 0, tv_nsec: 50_000 });
}

/// Whether `thread` surely has no fault of the window before it, asked for up to about a second.
///
/// One SIGSEGV can be pending, not two: a ping that meets a fault is dropped. So it is sent again when it is neither
/// answered nor pending, under a new number, and only the answer to the last counts: then no ping is on its way any
/// more.
fn has_settled(thread: Thread) -> bool {
    const NAPS_MAX: usize = 20_000;
    match thread.look() {
        None => return true,
        // A fault of a thread that blocks them would have killed the process; a ping would lie there for ever.
        Some(seen) if (seen.asleep || seen.blocks_faults) && !seen.fault_pending => return true,
        Some(_) => {}
    }
    let mut sent = ping(thread.number);
    for naps in 1..NAPS_MAX {
        if ANSWERED.load(Ordering::Acquire) == sent {
            return true;
        }
        nap();
        match thread.look() {
            None => return true,
            Some(seen) if naps % 16 == 0 && !seen.fault_pending => sent = ping(thread.number),
            Some(_) => {}
        }
    }
    false
}

/// Sends `thread` a SIGSEGV that our handler, which is installed, answers. Returns its number.
fn ping(thread: i32) -> usize {
    let number = SENT.fetch_add(1, Ordering::AcqRel) + 1;
    // SAFETY: zeros are a valid description, and its first fields are signal, errno and code; on 64 bits a queued
    // signal's value follows sender and user at byte 24.
    unsafe {
        let mut info: siginfo_t = MaybeUninit::zeroed().assume_init();
        info.si_signo = SIGSEGV;
        info.si_code = libc::SI_QUEUE;
        (&raw mut info).cast::<usize>().add(3).write(PING | number);
        // A thread that is gone is found out by the caller.
        libc::syscall(libc::SYS_rt_tgsigqueueinfo, libc::getpid(), thread, SIGSEGV, &raw const info);
    }
    number
}

/// A thread that blocks SIGSEGV and does not stop doing so. One that is just being created does for a moment, and is
/// worth a wait of up to about a tenth of a second.
fn deaf_thread(me: i32) -> Option<i32> {
    const NAPS_MAX: usize = 2_000;
    let mut naps = 0;
    loop {
        let deaf = others(me).find_map(|thread| {
            let seen = thread.look()?;
            seen.blocks_faults.then_some((thread.number, seen.asleep))
        });
        match deaf {
            Some((_, false)) if naps < NAPS_MAX => naps += 1,
            _ => return deaf.map(|(thread, _)| thread),
        }
        nap();
    }
}

/// The threads of this process without this one.
fn others(me: i32) -> impl Iterator<Item = Thread> {
    Thread::all().into_iter().filter(move |thread| thread.number != me)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// It would keep a ping for ever, and whoever waits for its answer would wait to the end.
    #[test]
    fn a_busy_thread_that_blocks_faults_is_not_pinged() {
        let (busy, done) = (std::sync::Barrier::new(2), AtomicUsize::new(0));
        let thread = AtomicI32::new(0);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                // SAFETY: the set is filled before it is used, and only this thread's mask changes.
                unsafe {
                    let mut all = MaybeUninit::uninit();
                    libc::sigfillset(all.as_mut_ptr());
                    libc::pthread_sigmask(SIG_SETMASK, all.as_ptr(), ptr::null_mut());
                }
                thread.store(gettid().as_raw_nonzero().get(), Ordering::Relaxed);
                busy.wait();
                let mut rounds = 0_u64;
                while done.load(Ordering::Relaxed) == 0 {
                    rounds += 1;
                }
                assert!(rounds < u64::MAX);
            });
            busy.wait();
            let number = thread.load(Ordering::Relaxed);
            let thread = Thread::all().into_iter().find(|thread| thread.number == number).expect("it runs");
            let settled = has_settled(thread);
            let seen = thread.look();
            done.store(1, Ordering::Relaxed);
            assert!(settled && seen.is_some_and(|seen| seen.blocks_faults && !seen.fault_pending));
        });
    }
}
