//! The ends of a job other than finalize: `global_exit`, errors, and the exit of the process. Only this file ends processes.

use crate::{
    Site, World,
    border::catch_loss,
    far::Far,
    live::Live,
    misuse::EXIT_CODE,
    observe::{Event, Observer},
    process::child::is_child,
};
use core::{
    ffi::{c_int, c_void},
    fmt::Arguments,
    ptr,
    sync::atomic::{AtomicBool, AtomicI64, Ordering},
};
use ferrite_bootstrap::Boot;
use ferrite_os::{error_text, mutex};
use ferrite_program::{fortran_flush::flush_units, streams::flush_streams};
use std::{
    backtrace::Backtrace,
    io::Write,
    sync::{Arc, Mutex, Once},
};

/// The exit status of the process, once it is ending; before that, a value that is not a status.
static ENDING: AtomicI64 = AtomicI64::new(i64::MIN);

unsafe extern "C" {
    /// glibc's variant of `atexit` that passes the exit status to the handler.
    fn on_exit(handler: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
}

/// Record the exit status of the process: a library's destructor does not get it.
pub(crate) fn watch_ending() {
    static WATCHED: Once = Once::new();
    extern "C" fn remember(status: c_int, _: *mut c_void) {
        ENDING.store(status.into(), Ordering::Relaxed);
    }
    // SAFETY: the handler is a function of this library, which is not unloaded while the process exits.
    WATCHED.call_once(|| _ = unsafe { on_exit(remember, ptr::null_mut()) });
}

/// What replaces the success of a process: an exit code, and the observers that report why.
struct Verdict {
    code: c_int,
    observers: Vec<Arc<dyn Observer>>,
}

/// The verdict on a world that no longer exists.
static LAST_VERDICT: Mutex<Option<Verdict>> = Mutex::new(None);

/// For a process whose library has no exit hooks: end it by the verdict that [`World::remember_verdict`] has kept. Must be called before the
/// program registers its exit handlers, so that those run first.
pub fn watch_verdict() {
    static WATCHED: Once = Once::new();
    extern "C" fn last(status: c_int, _: *mut c_void) {
        if is_child() {
            return;
        }
        if let Some(verdict) = &*mutex::lock(&LAST_VERDICT) {
            verdict.end(status);
        }
    }
    // SAFETY: the handler is a function of the program itself.
    WATCHED.call_once(|| _ = unsafe { on_exit(last, ptr::null_mut()) });
}

/// The end of the process, as a started world tracks it.
pub(crate) struct Ending {
    /// The process that joined the job; a child of fork is another.
    process: u32,
    /// Whether the process calls [`World::at_exit`] when it exits.
    handles_exit: bool,
    /// The program has called `global_exit`.
    global_exit: AtomicBool,
    /// The duties of this process at its end are done.
    has_ended: AtomicBool,
    /// Whether another PE has ended this one's waits, where that does not end the process: a PE that is a thread has ended the job, or, if
    /// losses return, a peer was lost.
    over: Option<Arc<AtomicBool>>,
}

impl Ending {
    /// The process is not ending.
    pub fn new(handles_exit: bool, over: Option<Arc<AtomicBool>>) -> Ending {
        Ending {
            process: std::process::id(),
            handles_exit,
            global_exit: AtomicBool::new(false),
            has_ended: AtomicBool::new(false),
            over,
        }
    }
}

impl World {
    /// End the whole job with `status`, from any one PE, whatever the other PEs are doing.
    ///
    /// The launcher is notified first, unless it ends the job at once ([`Boot::hears_last`](ferrite_bootstrap::Boot::hears_last)), so that
    /// nothing this process does on its way out delays the other PEs; then the program's exit handlers run and its streams are written, as
    /// `exit` does. A handler that does not return is killed.
    pub fn global_exit(&self, site: &'static Site, status: c_int) -> ! {
        if self.is_start_lost() {
            // No job is left to end.
            // SAFETY: ends the process as the program could at this point.
            unsafe { libc::exit(status) }
        }
        let live = self.require_live(site);
        live.ending.global_exit.store(true, Ordering::Relaxed);
        let why =
            if status == 0 { String::new() } else { format!("ferrite: PE {} called {}({status})", live.me, site.name) };
        if !live.boot.hears_last() {
            live.boot.announce(status, &why);
        }
        if live.ending.handles_exit {
            // SAFETY: ends the process as the program could at this point.
            unsafe { libc::exit(status) }
        }
        write_out();
        if live.boot.hears_last() {
            live.boot.announce(status, "");
        }
        leave_process(status)
    }

    /// End the whole job because of an error, and report the reason on one line.
    #[cold]
    pub fn die(&self, status: c_int, why: &str) -> ! {
        let backtrace = self.live().is_some_and(|live| live.settings.backtrace);
        end_job(self.boot().as_deref(), backtrace, status, why)
    }

    /// End the whole job with `status` for the reason `why`, which this process has printed already.
    #[cold]
    pub fn end_reported(&self, status: c_int, why: &str) -> ! {
        // The job and the buffered output are not those of a child.
        if !is_child() {
            write_out();
            self.boot().inspect(|boot| boot.announce_reported(status, &format!("ferrite: {}", error_text::plain(why))));
            flush_streams();
        }
        leave_process(status)
    }

    /// Make the threads of this PE notice soon that another PE has ended the job, or that a peer was lost: from here on each call takes the path of refused calls,
    /// which checks [`Boot::over`]. May be called from any thread at any time.
    pub fn interrupt(&self) {
        self.near.shut();
        self.words.shut();
    }

    /// End the whole job because of a mistake in this library.
    pub fn panicked(&self, panic: &std::panic::PanicHookInfo<'_>) -> ! {
        let pe = self.live().map_or("a process outside of init and finalize".into(), |live| format!("PE {}", live.me));
        self.die(EXIT_CODE, &format!("{pe}: internal error, please report it: {panic}"))
    }

    /// The process is ending with `status`, by `exit` or a return from main, and may not have left the job.
    ///
    /// After success, a missing finalize is made up for: `start_pes` promises it, and programs that forgot finalize meant it. After a
    /// failure it is not, since it would wait for peers that never come: the launcher sees the status and ends the job. If the launcher
    /// would not end the job by itself, it is asked to.
    ///
    /// The process may call this at several of its last moments: only the first call has an effect.
    pub fn at_exit(&self, site: &'static Site, status: c_int) {
        let Some(live) = self.live() else { return };
        // A child of fork that exits is not the PE.
        if live.ending.process != std::process::id() || live.ending.has_ended.swap(true, Ordering::Relaxed) {
            return;
        }
        if live.losses.is_some() && !live.ending.global_exit.load(Ordering::Relaxed) {
            return self.exit_where_losses_return(site, live, status);
        }
        if live.ending.global_exit.load(Ordering::Relaxed) || status != 0 {
            // Halt the fabric: no thread may be in its library while the library runs its exit handlers, so that a crash there does not
            // become the end that the launcher sees.
            live.far.iter().for_each(Far::halt);
            // Announce the end last: these launchers would end this process as soon as they hear of it.
            if live.boot.hears_last() {
                write_out();
                live.boot.announce(status, "");
            }
            return;
        }
        self.make_up_for_finalize(site, live);
    }

    fn make_up_for_finalize(&self, site: &'static Site, live: &Live) {
        if !self.finalizes_at_exit() && live.diagnosis.boards.first().claim_unfinished() {
            say(&format!(
                "ferrite: PE {}: the program ended without shmem_finalize; it is called now, and waits for all PEs \
                 (reported once per host)",
                live.me
            ));
        }
        self.say_goodbye(site);
    }

    /// As [`World::at_exit`]. If the job is broken, nothing is made up for; a PE that ends with a failure is lost to the others.
    fn exit_where_losses_return(&self, site: &'static Site, live: &Live, status: c_int) {
        if status == 0 && !self.is_broken() && catch_loss(|| self.make_up_for_finalize(site, live)).is_ok() {
            return;
        }
        if let Some(live) = self.live() {
            live.far.iter().for_each(Far::halt);
            live.boot.abandon();
        }
    }

    /// Last step of a process that ends with `status`. A success is replaced if an observer asked for it.
    pub fn at_last(&self, status: c_int) {
        let is_pe = !is_child() && self.live().is_none_or(|live| live.ending.process == std::process::id());
        if is_pe {
            self.tell(&Event::Exit);
            self.verdict().iter().for_each(|verdict| verdict.end(status));
        }
    }

    /// Called before the process's world is dropped: keep its verdict for [`watch_verdict`].
    pub fn remember_verdict(&self) {
        if let Some(verdict) = self.verdict() {
            *mutex::lock(&LAST_VERDICT) = Some(verdict);
        }
    }

    /// End the process with `code` instead of a success: an observer has found mistakes of the program.
    pub fn replace_success(&self, code: c_int) {
        self.success.store(code, Ordering::Relaxed);
    }

    fn verdict(&self) -> Option<Verdict> {
        let code = self.success.load(Ordering::Relaxed);
        (code != 0).then(|| Verdict { code, observers: self.observers() })
    }

    /// The libraries of the process are being unloaded. If the process is exiting, do the work of [`World::at_exit`]: this is the last
    /// moment at which a fabric's library can be used.
    pub fn at_unload(&self, site: &'static Site) {
        if let Ok(status) = c_int::try_from(ENDING.load(Ordering::Relaxed)) {
            self.at_exit(site, status);
        }
    }
}

impl Live {
    /// If PEs are threads and another PE has ended the job, or if losses return and a peer was lost, end this thread's work by unwinding:
    /// whatever this PE waits for would never come.
    #[inline]
    pub(crate) fn heed_end(&self) {
        if let Some(over) = &self.ending.over
            && over.load(Ordering::Relaxed)
        {
            self.heed_peer();
        }
    }

    /// End the whole job because of an error, and report the reason on one line.
    #[cold]
    pub(crate) fn die(&self, why: &str) -> ! {
        self.return_if_lost();
        end_job(Some(&*self.boot), self.settings.backtrace, EXIT_CODE, why)
    }

    /// End the whole job because of an error that has already been reported in full. The launcher gets no message, since its line might be
    /// printed before the report.
    #[cold]
    pub(crate) fn end_told(&self) -> ! {
        self.return_if_lost();
        write_out();
        self.boot.announce(EXIT_CODE, "");
        flush_streams();
        leave_process(EXIT_CODE)
    }
}

impl Verdict {
    /// The process ends with `status`.
    fn end(&self, status: c_int) {
        self.observers.iter().for_each(|observer| observer.conclude());
        if status == 0 {
            write_out();
            leave_process(self.code);
        }
    }
}

/// End the whole job because another PE has ended too early. Called from a thread of the library, whatever the program is doing.
pub(crate) fn peer_ended(boot: &dyn Boot, what: Arguments<'_>) -> ! {
    end_job(Some(boot), false, EXIT_CODE, &what.to_string())
}

/// End this process because another PE has ended the job: by this code, or, without one, by its own end. Called from a thread of the
/// library, where no launcher ends the processes of a job.
pub(crate) fn ended_elsewhere(code: Option<c_int>, why: &str) -> ! {
    write_out();
    if !why.is_empty() {
        say(why);
    }
    leave_process(code.unwrap_or(EXIT_CODE))
}

/// End this process, whose job is broken, and report the reason on one line. The other PEs go on.
pub(super) fn end_alone(why: &str) -> ! {
    write_out();
    say(&format!("ferrite: {}", error_text::plain(why).replace('\n', " ")));
    leave_process(EXIT_CODE)
}

fn end_job(boot: Option<&dyn Boot>, backtrace: bool, status: c_int, why: &str) -> ! {
    let mut why = format!("ferrite: {}", error_text::plain(why).replace('\n', " "));
    if backtrace {
        why += &format!("\n{}", with_note(&Backtrace::force_capture().to_string()));
    }
    if is_child() {
        // The job and the buffered output are the parent's: only this child ends, and its copy of the buffers is not written.
        say(&why);
        leave_process(status)
    }
    // Flush before the announcement as well as after: the launcher may end this process as soon as it gets the announcement.
    write_out();
    match boot {
        Some(boot) => boot.announce(status, &why),
        None => say(&why),
    }
    flush_streams();
    leave_process(status)
}

/// Write the line with one call: the launcher may end this process at any time, and lines of different PEs must not mix.
fn say(why: &str) {
    let _ = std::io::stderr().write_all(format!("{why}\n").as_bytes());
}

/// Add a note to a backtrace without line numbers that says where to get them. A backtrace with line numbers names this file, because a
/// function of this file captures it.
fn with_note(backtrace: &str) -> String {
    let note = match backtrace.contains(file!()) {
        true => "",
        false => {
            "\nferrite: the library's debug files are not installed, so its functions have no names and lines here: ferrite(7), Debug files"
        }
    };
    format!("{}{note}", backtrace.trim_end())
}

/// Flush all output of the program, in C and in Fortran.
fn write_out() {
    flush_streams();
    flush_units();
}

/// End the process as the C library does when its last thread ends.
pub(crate) fn end_by_last_thread() -> ! {
    // SAFETY: no thread of the program is left; this ends the process as the last of them would have.
    unsafe { libc::exit(0) }
}

/// End the process without the program's exit handlers, which may use state that no longer exists.
fn leave_process(status: c_int) -> ! {
    // SAFETY: ends the process; nothing follows.
    unsafe { libc::_exit(status) }
}
