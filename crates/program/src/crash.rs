//! The report of a PE that dies by a signal: the signal, the place in the program, and the address that was touched.
//!
//! This file has the handlers, and the child in which the [`Reporter`] prints the report.
//!
//! # What a handler may do
//!
//! Next to nothing: the thread may hold the allocator's lock. So the handler makes a child with the bare system call, without the work that
//! the C library does at a fork. The child has a copy of everything, including its stack, and reports as much as it can. A lock that no
//! thread will release there makes the child hang: it uses next to no processor time for `PATIENCE`. Then the handler kills it and reports
//! what it knows itself, without any library.
//!
//! # Several threads
//!
//! A loop over a bad pointer makes several threads crash at once. The first to enter reports; the others wait until it is done
//! (`REPORT`), because a thread that took the signal's default action earlier would end the process, and with it the report. All stores
//! are `SeqCst`, since this is no hot path; they order only the one word.
//!
//! # Other handlers
//!
//! A handler that was installed before ours runs first, as if ours did not exist: the program's, a tool's, or the handler of Rust's own
//! library, which every program in Rust has for SIGSEGV and SIGBUS. We report only if that handler returns and has restored the signal's
//! default action, as a handler does that cannot do better. A handler that is installed later replaces ours, and an ignored signal stays
//! ignored. After the report the default action is restored and the signal ends the process, with the exit status and core dump of that
//! signal.

use crate::line::Line;
use core::{
    ffi::{c_int, c_void},
    fmt::Write as _,
    mem::{self, MaybeUninit},
    ptr,
    sync::atomic::{AtomicI32, Ordering::SeqCst},
    time::Duration,
};
use libc::{sigaction, siginfo_t};
use std::{sync::OnceLock, time::Instant};

/// Maximum processor time of the child, which reads the program's debug information. It may need longer by the clock, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(5);
/// A child hangs that uses less than this of the processor time of [`PATIENCE`]: some locks sleep and look again for ever.
const SIGN_OF_LIFE: Duration = Duration::from_millis(250);
/// Size of the handler's stack. It has its own, since a program may die because its stack is full.
const STACK: usize = 512 << 10;
/// The signals, and their names for the user.
const SIGNALS: [(c_int, &str); 5] = [
    (libc::SIGSEGV, "SIGSEGV, segmentation fault"),
    (libc::SIGBUS, "SIGBUS, bus error"),
    (libc::SIGFPE, "SIGFPE, arithmetic error"),
    (libc::SIGILL, "SIGILL, illegal instruction"),
    (libc::SIGABRT, "SIGABRT, aborted"),
];

/// The handlers that were installed before ours, for each signal.
static EARLIER: [OnceLock<sigaction>; SIGNALS.len()] = [const { OnceLock::new() }; SIGNALS.len()];

/// A signal that ends the process.
pub struct Death {
    /// The signal's name, for the user.
    pub name: &'static str,
    /// The accessed address, if the signal has one.
    pub address: Option<usize>,
    /// Address of the instruction.
    pub at: Option<usize>,
    /// The end of the stack.
    pub stack: Option<usize>,
    /// How the address was accessed, if the processor reports it.
    pub touched: Option<Touched>,
}

/// How an instruction uses an address.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Touched {
    /// The instruction reads from the address.
    Read,
    /// The instruction writes to the address.
    Written,
}

/// The functions that the handlers call.
pub struct Reporter {
    /// This process's PE number; `None` outside a job: nothing is reported.
    pub pe: fn() -> Option<u32>,
    /// Print the report, and return whether there was one. Runs in a child, which is a copy of the process.
    pub report: fn(&Death) -> bool,
}

/// The reporter of this process.
static REPORTER: OnceLock<Reporter> = OnceLock::new();

/// Report when the process ends by a signal, from now on. Calls after the first do nothing.
pub fn watch(reporter: Reporter) {
    if REPORTER.set(reporter).is_err() {
        return;
    }
    give_stack();
    for ((signal, _), earlier) in SIGNALS.into_iter().zip(&EARLIER) {
        let Some(old) = disposition(signal) else { continue };
        if old.sa_sigaction != libc::SIG_DFL {
            // A handler that wants one call only would remain installed behind ours.
            if old.sa_sigaction == libc::SIG_IGN || old.sa_flags & libc::SA_RESETHAND != 0 {
                continue;
            }
            let _ = earlier.set(old);
        }
        // Keep the other fields of the earlier handler, such as the signals that it blocks while it runs.
        let mut ours = old;
        ours.sa_sigaction = die as *const () as usize;
        ours.sa_flags |= libc::SA_SIGINFO | libc::SA_ONSTACK;
        // SAFETY: the handler has the signature that SA_SIGINFO asks for, and exists as long as the process.
        unsafe { sigaction(signal, &raw const ours, ptr::null_mut()) };
    }
}

/// Give this thread a stack for handlers, unless it has one that is large enough: the one of Rust's own library is not.
fn give_stack() {
    // SAFETY: a fresh mapping, which is never unmapped.
    unsafe {
        let mut old = MaybeUninit::<libc::stack_t>::zeroed().assume_init();
        if libc::sigaltstack(ptr::null(), &raw mut old) != 0
            || (old.ss_flags & libc::SS_DISABLE == 0 && old.ss_size >= STACK)
        {
            return;
        }
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let base = libc::mmap(ptr::null_mut(), STACK, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0);
        if base != libc::MAP_FAILED {
            let stack = libc::stack_t { ss_sp: base, ss_flags: 0, ss_size: STACK };
            libc::sigaltstack(&raw const stack, ptr::null_mut());
        }
    }
}

/// The present action for a signal.
fn disposition(signal: c_int) -> Option<sigaction> {
    // SAFETY: queries, and changes nothing; all zeros are a valid value.
    unsafe {
        let mut now = MaybeUninit::<sigaction>::zeroed().assume_init();
        (sigaction(signal, ptr::null(), &raw mut now) == 0).then_some(now)
    }
}

/// Call the handler that was installed before ours. True if it has handled the signal: it has returned, and has not restored the default
/// action.
fn is_dealt_with(signal: c_int, info: *mut siginfo_t, context: *mut c_void) -> bool {
    let place = SIGNALS.iter().position(|(number, _)| *number == signal);
    let Some(earlier) = place.and_then(|at| EARLIER[at].get()) else { return false };
    // SAFETY: the program's handler, called as the kernel would: with all three arguments if it has asked for them.
    unsafe {
        if earlier.sa_flags & libc::SA_SIGINFO != 0 {
            let handler: extern "C" fn(c_int, *mut siginfo_t, *mut c_void) = mem::transmute(earlier.sa_sigaction);
            handler(signal, info, context);
        } else {
            let handler: extern "C" fn(c_int) = mem::transmute(earlier.sa_sigaction);
            handler(signal);
        }
    }
    disposition(signal).is_some_and(|now| now.sa_sigaction != libc::SIG_DFL)
}

extern "C" fn die(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    if is_dealt_with(signal, info, context) {
        return;
    }
    // SAFETY: the kernel's argument.
    let (code, address) = unsafe { ((*info).si_code, (*info).si_addr() as usize) };
    let (at, stack) = registers(context).unzip();
    report_once(&Death {
        name: SIGNALS.iter().find(|(number, _)| *number == signal).map_or("a signal", |(_, name)| name),
        address: (code > 0 && signal != libc::SIGABRT && signal != libc::SIGFPE).then_some(address),
        at,
        stack,
        touched: (signal == libc::SIGSEGV).then(|| touched(context)).flatten(),
    });
    // The default action ends the process: at once if the signal was sent, else when the instruction is executed again.
    restore_default(signal);
    if code <= 0 {
        // SAFETY: raises a signal in this thread.
        unsafe { libc::raise(signal) };
    }
}

fn restore_default(signal: c_int) {
    // SAFETY: all zeros are a valid value, and the default needs no handler.
    unsafe {
        let mut default = MaybeUninit::<sigaction>::zeroed().assume_init();
        default.sa_sigaction = libc::SIG_DFL;
        sigaction(signal, &raw const default, ptr::null_mut());
    }
}

/// Number of the thread that reports, until the report is out; then [`REPORTED`]. 0 before.
static REPORT: AtomicI32 = AtomicI32::new(0);
const REPORTED: i32 = -1;

/// Report a death if it is the first of the process. Another thread's call returns when the first report is out.
fn report_once(death: &Death) {
    // SAFETY: asks for this thread's number.
    let me = unsafe { libc::syscall(libc::SYS_gettid) } as i32;
    match REPORT.compare_exchange(0, me, SeqCst, SeqCst) {
        Ok(_) => {
            tell(death);
            REPORT.store(REPORTED, SeqCst);
            // SAFETY: wakes all threads that sleep on the word.
            unsafe {
                libc::syscall(libc::SYS_futex, REPORT.as_ptr(), libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG, i32::MAX)
            };
        }
        // This thread is already reporting, and got another signal: it must not wait for itself.
        Err(reporter) if reporter == me => {}
        Err(mut reporter) => {
            while reporter != REPORTED {
                let forever = ptr::null::<libc::timespec>();
                // SAFETY: sleeps while the word, a static, has this value.
                unsafe {
                    libc::syscall(
                        libc::SYS_futex,
                        REPORT.as_ptr(),
                        libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG,
                        reporter,
                        forever,
                    );
                }
                reporter = REPORT.load(SeqCst);
            }
        }
    }
}

/// The interrupted instruction of the thread, and the end of its stack.
#[allow(clippy::unnecessary_cast, reason = "registers have another type on each processor")]
fn registers(context: *mut c_void) -> Option<(usize, usize)> {
    let context = context.cast::<libc::ucontext_t>();
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the kernel's argument to the handler.
    return Some(unsafe {
        let registers = &(*context).uc_mcontext.gregs;
        (registers[libc::REG_RIP as usize] as usize, registers[libc::REG_RSP as usize] as usize)
    });
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as above.
    return Some(unsafe { ((*context).uc_mcontext.pc as usize, (*context).uc_mcontext.sp as usize) });
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        let _ = context;
        None
    }
}

/// How the faulting instruction accessed its address.
fn touched(context: *mut c_void) -> Option<Touched> {
    #[cfg(target_arch = "x86_64")]
    {
        /// The bit of a page fault's error code for a write access.
        const WRITE: i64 = 2;
        // SAFETY: the kernel's argument to the handler.
        let error = unsafe { (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs[libc::REG_ERR as usize] };
        Some(if error & WRITE == 0 { Touched::Read } else { Touched::Written })
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = context;
        None
    }
}

fn tell(death: &Death) {
    let Some(reporter) = REPORTER.get() else { return };
    let Some(pe) = (reporter.pe)() else { return };
    // SAFETY: a bare fork: the child has this thread alone, and ends by `_exit`. No signal reports its end.
    let child = unsafe { libc::syscall(libc::SYS_clone, 0, 0, 0, 0, 0) } as libc::pid_t;
    if child == 0 {
        // A crash of the child ends it. The child writes no static data: in a static program the parent still shares them.
        SIGNALS.into_iter().for_each(|(signal, _)| restore_default(signal));
        let is_reported = (reporter.report)(death);
        // SAFETY: ends the child; nothing follows.
        unsafe { libc::_exit(c_int::from(!is_reported)) }
    }
    if child < 0 || !comes_to_its_end(child) {
        let mut line = Line::default();
        let _ = write!(line, "ferrite: PE {pe}: {}", death.name);
        let _ = death.address.map_or(Ok(()), |address| write!(line, " at address {address:#x}"));
        let _ = writeln!(line);
        line.print();
    }
}

/// Wait for the child. True if it has finished its report; it is killed if it hangs, or uses too much processor time.
fn comes_to_its_end(child: libc::pid_t) -> bool {
    let (mut used, mut since) = (Duration::ZERO, Instant::now());
    let mut status = 0;
    loop {
        // SAFETY: a child of ours; the calls take plain values.
        unsafe {
            match libc::waitpid(child, &raw mut status, libc::__WALL | libc::WNOHANG) {
                0 => {}
                ended => return ended == child && status == 0,
            }
            libc::poll(ptr::null_mut(), 0, 5);
        }
        let by_now = processor_time(child);
        if by_now - used >= SIGN_OF_LIFE {
            (used, since) = (by_now, Instant::now());
        }
        if by_now > PATIENCE || since.elapsed() > PATIENCE {
            // SAFETY: as above; the child was not waited for yet, so the number is still its own.
            unsafe {
                libc::kill(child, libc::SIGKILL);
                libc::waitpid(child, &raw mut status, libc::__WALL);
            }
            return false;
        }
    }
}

/// Processor time of a child; zero if it is unknown.
fn processor_time(child: libc::pid_t) -> Duration {
    let (mut clock, mut time) = (0, libc::timespec { tv_sec: 0, tv_nsec: 0 });
    // SAFETY: both are system calls with variables of this function.
    let known = unsafe {
        libc::clock_getcpuclockid(child, &raw mut clock) == 0 && libc::clock_gettime(clock, &raw mut time) == 0
    };
    if known { Duration::new(time.tv_sec as u64, time.tv_nsec as u32) } else { Duration::ZERO }
}
