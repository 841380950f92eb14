//! Keeps writes to the static data from getting lost while the data move.
//!
//! Between the copy of a page and the mapping of its new place, a write to the old place would vanish. In a process of one thread no such
//! write can occur once signals are blocked; only their handlers could write. With more threads the range is made read-only first. A thread
//! that writes then faults; our handler of SIGSEGV makes it sleep and return, that is, try again, until the new mapping is there and the
//! write succeeds. The writers need no flag: the page tables are the flag.
//!
//! # States of the fault handler, and who may write what
//!
//! 1. *Absent.* `LO`, `HI`, `HOLDER`, `OLD` are written by the one thread that opens a window: it has locked `fork::STATE`.
//! 2. *Installed, range read-only.* The holder copies and maps, by inline system calls alone. No thread writes a static of this file; the
//!    statics may lie in the range.
//! 3. *Installed, range writable again.* A thread may have faulted without having received the signal yet: the kernel looks the handler up
//!    when it delivers the signal, and after a removal would deliver it to the old one. So every thread that is not asleep is pinged with a
//!    SIGSEGV of our own. Synchronous signals are delivered before others, so a thread that answers has no older fault to come. Neither has
//!    a thread that is asleep in a system call. `has_settled` explains how pings and faults merge.
//! 4. *Absent again.* If a thread does not answer in time, the handler stays; it passes on all signals that are not its own.
//!
//! Signal handlers read the atomics in threads that ran before the atomics were written, but only after a fault or a ping that the writer
//! caused later by a system call. Acquire and Release express this order for the compiler; the kernel orders the rest.
//!
//! # What remains
//!
//! - A *system call* of another thread that writes into the range (a `read` into a static buffer) does not fault: it fails with EFAULT if
//!   it falls into the window of about 100 microseconds.
//! - A thread that blocks SIGSEGV would be killed by a fault. If there is one, the range is not protected ([`Care::Unprotected`]), and a
//!   write in those microseconds can be lost.
//! - A thread that *begins* to block SIGSEGV within the window and writes the range then is killed, and the process with it. This can be a
//!   signal handler with a full mask, or, in a static executable, the C library's `pthread_create`.
//!
//! All of these need a program that starts threads which write statics *while* the library is initialised or finalised. Waiters on futexes
//! in the range are not disturbed: a private futex is identified by its address.

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
use crate::heap::pages::page_size;

/// How writes were kept from getting lost while the range was exchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Care {
    /// The process had no other thread.
    Alone,
    /// Other threads were stopped at their writes.
    Held,
    /// A thread blocks SIGSEGV and could not be stopped.
    Unprotected {
        /// The thread that blocks SIGSEGV.
        thread: i32,
    },
}

static LO: AtomicUsize = AtomicUsize::new(0);
static HI: AtomicUsize = AtomicUsize::new(0);
/// The thread that has the window open.
static HOLDER: AtomicI32 = AtomicI32::new(0);
/// Numbers of the last ping sent and of the last ping answered.
static SENT: AtomicUsize = AtomicUsize::new(0);
static ANSWERED: AtomicUsize = AtomicUsize::new(0);
/// Upper half of a ping's value; the lower half is the ping's number. It identifies a ping at any time: no program queues SIGSEGV with this
/// value.
const PING: usize = 0x4645_5252_0000_0000;
/// The disposition that ours replaced.
static OLD: Old = Old(UnsafeCell::new(MaybeUninit::zeroed()));

struct Old(UnsafeCell<MaybeUninit<sigaction>>);

// SAFETY: written in state 1 only, by the one thread that is about to install our handler; read by that handler.
unsafe impl Sync for Old {}

impl Old {
    /// # Safety
    /// Our handler is not installed, and `fork::STATE` is locked.
    unsafe fn set(&self, old: sigaction) {
        // SAFETY: the value is not read while our handler is not installed.
        unsafe { *self.0.get() = MaybeUninit::new(old) };
    }

    /// The old disposition; the default one before the first window.
    fn get(&self) -> &sigaction {
        // SAFETY: all zeros are a valid action: the default.
        unsafe { (*self.0.get()).assume_init_ref() }
    }
}

/// Run `swap`, which replaces the pages of the range, so that no thread's write is lost.
///
/// `swap` makes inline system calls only: it may write no static and allocate nothing. If it fails, the range is as before.
pub(super) fn exchange(range: &Range, swap: impl FnOnce() -> io::Result<()>) -> io::Result<Care> {
    let me = gettid().as_raw_nonzero().get();
    // Without /proc the threads are unknown, and the process is treated as multi-threaded, which does no harm.
    let alone = matches!(*Thread::all(), [only] if only.number == me);
    let _quiet = Quiet::begin();
    if alone {
        return swap().map(|()| Care::Alone);
    }
    let handler = Handler::install(range, me)?;
    // Look for such threads only now. A thread in the program's own handler of SIGSEGV blocks the signal, but from now on no thread enters
    // that handler directly.
    let swapped = match deaf_thread(me) {
        Some(thread) => swap().map(|()| Care::Unprotected { thread }),
        None => hold_and(range, swap).map(|()| Care::Held),
    };
    handler.retire(me);
    swapped
}

/// Run `swap` while the range is read-only.
fn hold_and(range: &Range, swap: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    let swapped = protect(range, false).and_then(|()| swap());
    if swapped.is_err() {
        // Make the pages that were not replaced writable again. If this fails too, the first failure is the one to report.
        let _ = protect(range, true);
    }
    swapped
}

/// Make the range writable or read-only, by inline system calls only.
fn protect(range: &Range, writable: bool) -> io::Result<()> {
    for piece in range.pieces() {
        let mut flags = MprotectFlags::READ;
        flags.set(MprotectFlags::WRITE, writable);
        flags.set(MprotectFlags::EXEC, piece.executable);
        // SAFETY: the pages stay readable and keep their contents; the handler stops threads that write.
        unsafe { rustix::mm::mprotect(piece.start as *mut c_void, piece.len(), flags)? };
    }
    Ok(())
}

/// While this lives, all signals except faults are blocked in this thread, because their handlers might write statics.
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

/// Our installed handler of SIGSEGV.
struct Handler;

impl Handler {
    fn install(range: &Range, me: i32) -> io::Result<Self> {
        LO.store(range.base(), Ordering::Release);
        HI.store(range.base() + range.len(), Ordering::Release);
        HOLDER.store(me, Ordering::Release);
        // SAFETY: zero is a valid empty action, which is then filled in.
        let mut ours: sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
        ours.sa_sigaction = on_fault as *const () as usize;
        // On the alternate stack, because it must pass stack overflows on. Restarting, because pings interrupt system calls. Not blocking
        // the signal, because a thread that is still in the handler of one window must not seem to block SIGSEGV in the next.
        ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART | libc::SA_NODEFER;
        let old = current()?;
        // If an earlier window had to leave its handler behind, that handler is ours, and `OLD` still has the disposition that it replaced.
        if old.sa_sigaction != ours.sa_sigaction {
            // SAFETY: our handler is not installed, as just checked, and windows are opened one after the other.
            unsafe { OLD.set(old) };
        }
        // SAFETY: `ours` is a complete action.
        match unsafe { sigaction(SIGSEGV, &ours, ptr::null_mut()) } {
            0 => Ok(Handler),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// Restore the old disposition, unless a fault of this window may still be on its way to a thread.
    fn retire(self, me: i32) {
        HOLDER.store(0, Ordering::Release);
        if !others(me).all(has_settled) {
            return;
        }
        // If the program has replaced our handler in the meantime, its handler stays.
        if current().is_ok_and(|now| now.sa_sigaction == on_fault as *const () as usize) {
            hand_over();
        }
    }
}

fn current() -> io::Result<sigaction> {
    let mut now = MaybeUninit::uninit();
    // SAFETY: the call fills `now` when it succeeds.
    match unsafe { sigaction(SIGSEGV, ptr::null(), now.as_mut_ptr()) } {
        // SAFETY: the call succeeded.
        0 => Ok(unsafe { now.assume_init() }),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Restore the old disposition. Async-signal-safe.
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
            // The holder itself wrote, against its rules, perhaps through a lazily bound call. Losing the write is better than a deadlock.
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

/// Pass a fault or signal that is not ours to the disposition that would have received it.
fn pass_on(info: &siginfo_t, context: *mut c_void, me: i32) {
    let old = OLD.get();
    match (old.sa_sigaction, old.sa_flags & libc::SA_SIGINFO != 0) {
        (libc::SIG_IGN, _) if info.si_code <= 0 => {}
        (libc::SIG_DFL | libc::SIG_IGN, _) => {
            // The process must die of this signal: the instruction runs again, and faults with the original details.
            hand_over();
            if info.si_code <= 0 {
                // The signal was sent, so no instruction will fault again. Send it again.
                // SAFETY: a signal to this very thread.
                unsafe { libc::syscall(libc::SYS_tgkill, libc::getpid(), me, SIGSEGV) };
            }
        }
        // Call the program's own handler from ours, because ours must stay installed while it stops other threads.
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

/// Pause between two looks. An inline system call: errno is unchanged.
fn nap() {
    let _ = nanosleep(&Timespec { tv_sec: 0, tv_nsec: 50_000 });
}

/// Whether certainly no fault of the window is on its way to `thread` any more. Tries for up to about a second.
///
/// One SIGSEGV can be pending, not two: a ping that meets a fault is dropped. So a ping that is neither answered nor pending is sent again,
/// under a new number. Only the answer to the last ping counts: then no ping is on its way any more.
fn has_settled(thread: Thread) -> bool {
    const NAPS_MAX: usize = 20_000;
    match thread.look() {
        None => return true,
        // A fault in a thread that blocks SIGSEGV would have killed the process; a ping to it would stay pending for ever.
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

/// Send `thread` a SIGSEGV that our handler, which is installed, answers. Returns the ping's number.
fn ping(thread: i32) -> usize {
    let number = SENT.fetch_add(1, Ordering::AcqRel) + 1;
    // SAFETY: zeros are a valid description, and its first fields are signal, errno and code. On 64 bits, a queued signal's value follows
    // sender and user at byte 24.
    unsafe {
        let mut info: siginfo_t = MaybeUninit::zeroed().assume_init();
        info.si_signo = SIGSEGV;
        info.si_code = libc::SI_QUEUE;
        (&raw mut info).cast::<usize>().add(3).write(PING | number);
        // The caller finds out if the thread has ended.
        libc::syscall(libc::SYS_rt_tgsigqueueinfo, libc::getpid(), thread, SIGSEGV, &raw const info);
    }
    number
}

/// Find a thread that blocks SIGSEGV and does not stop doing so. A thread that is just being created blocks it for a moment, so this waits
/// up to about a tenth of a second.
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

/// The other threads of this process.
fn others(me: i32) -> impl Iterator<Item = Thread> {
    Thread::all().into_iter().filter(move |thread| thread.number != me)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Such a thread would keep a ping pending for ever, and the wait for its answer would last until the timeout.
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
