//! The ends of a job other than finalize: `global_exit`, errors, and the exit of the process. Only this file ends processes.

use crate::{
    Site, World, check,
    far::Far,
    life::{child::is_child, fortran_flush::flush_units, streams::flush_streams},
    live::Live,
    misuse::EXIT_CODE,
};
use core::{
    ffi::{c_int, c_void},
    fmt::Arguments,
    ptr,
    sync::atomic::{AtomicBool, AtomicI64, Ordering},
};
use ferrite_bootstrap::Boot;
use std::{
    backtrace::Backtrace,
    io::Write,
    sync::{Arc, Once},
};

/// The status that the process is ending with, once it is; before that, what no status is.
static ENDING: AtomicI64 = AtomicI64::new(i64::MIN);

unsafe extern "C" {
    /// glibc's sibling of `atexit` that says with which status the process ends.
    fn on_exit(handler: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
}

/// Remember with which status the process ends: nobody tells a library that when it is taken apart.
pub(crate) fn watch_ending() {
    static WATCHED: Once = Once::new();
    extern "C" fn remember(status: c_int, _: *mut c_void) {
        ENDING.store(status.into(), Ordering::Relaxed);
    }
    // SAFETY: the handler is a function of this library, which is not unloaded while the process exits.
    WATCHED.call_once(|| _ = unsafe { on_exit(remember, ptr::null_mut()) });
}

/// Mistakes of the program were looked for and found by a world that is gone.
static FOUND: AtomicBool = AtomicBool::new(false);

/// Have the process, whose library has no hooks in its end, end with [`check::EXIT_CODE`] where [`World::remember_mistakes`] was called
/// after mistakes. Called before the program registers what it wants at its end, which comes first then.
pub fn watch_mistakes() {
    static WATCHED: Once = Once::new();
    extern "C" fn last(status: c_int, _: *mut c_void) {
        if status == 0 && FOUND.load(Ordering::Relaxed) && !is_child() {
            write_out();
            leave_process(check::EXIT_CODE);
        }
    }
    // SAFETY: the handler is a function of the program's.
    WATCHED.call_once(|| _ = unsafe { on_exit(last, ptr::null_mut()) });
}

/// What a started world knows of its process's end.
pub(crate) struct Ending {
    /// The process that joined the job; a child of fork is another.
    process: u32,
    /// Whether the process calls [`World::at_exit`] when it exits.
    handles_exit: bool,
    /// The program has called `global_exit`.
    global_exit: AtomicBool,
    /// What the end of the process owes the job has been done.
    has_ended: AtomicBool,
    /// Where PEs are threads: whether one of them has ended the job.
    over: Option<Arc<AtomicBool>>,
}

impl Ending {
    /// The end of this process is not in sight.
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
    /// End the whole job with `status`, from any one PE, whatever the others are doing.
    ///
    /// The launcher is told first, so that nothing this process does on its way out keeps the others; then the program's
    /// exit handlers run and its streams are written, as `exit` does. A handler that does not end is ended.
    pub fn global_exit(&self, site: &'static Site, status: c_int) -> ! {
        let live = self.require_live(site);
        live.ending.global_exit.store(true, Ordering::Relaxed);
        if !live.boot.hears_last() {
            live.boot.announce(status, "");
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

    /// End the whole job because something is wrong, saying why on one line.
    #[cold]
    pub(crate) fn die(&self, status: c_int, why: &str) -> ! {
        let backtrace = self.live().is_some_and(|live| live.settings.backtrace);
        end_job(self.boot().as_deref(), backtrace, status, why)
    }

    /// Have the thread that is this PE see soon that another PE has ended the job: each call from here on goes the way of calls that
    /// are refused, which looks ([`Boot::over`]). Any thread may call this at any time.
    pub fn interrupt(&self) {
        self.near.shut();
        self.words.shut();
    }

    /// End the whole job because of a mistake in this library.
    pub fn panicked(&self, panic: &std::panic::PanicHookInfo<'_>) -> ! {
        let pe = self.live().map_or("a process outside of init and finalize".into(), |live| format!("PE {}", live.me));
        self.die(EXIT_CODE, &format!("{pe}: internal error, please report it: {panic}"))
    }

    /// The process is ending with `status`, by `exit` or a return from main, and may not have said goodbye.
    ///
    /// After a success the missing finalize is made up for: it is what `start_pes` promises, and what the authors of
    /// a forgotten one meant. After a failure it is not, since it would wait for peers that never come: the launcher
    /// sees the status and ends the job, or is told to if it is one that would not.
    ///
    /// The process may call this at several of its last moments: the first counts.
    pub fn at_exit(&self, site: &'static Site, status: c_int) {
        let Some(live) = self.live() else { return };
        // A child of fork that exits is not the PE.
        if live.ending.process != std::process::id() || live.ending.has_ended.swap(true, Ordering::Relaxed) {
            return;
        }
        if live.ending.global_exit.load(Ordering::Relaxed) || status != 0 {
            // What the fabric's library does at the process's end is not to be the end that the launcher sees.
            live.far.iter().for_each(Far::halt);
            // A launcher that hears of it earlier would not let this process come to its end.
            if live.boot.hears_last() {
                write_out();
                live.boot.announce(status, "");
            }
            return;
        }
        if !self.finalizes_at_exit() {
            let _ = writeln!(
                std::io::stderr(),
                "ferrite: PE {}: the program ended without shmem_finalize; it is called now, and waits for all PEs",
                self.my_pe(site)
            );
        }
        self.say_goodbye(site);
    }

    /// The last that the process does as it ends with `status`: where mistakes of the program were looked for and found, a success is
    /// none.
    pub fn at_last(&self, status: c_int) {
        let is_pe = !is_child() && self.live().is_none_or(|live| live.ending.process == std::process::id());
        if status == 0 && is_pe && self.is_mistaken() {
            write_out();
            leave_process(check::EXIT_CODE);
        }
    }

    /// This world, the one of the process, is gone: see [`watch_mistakes`].
    pub fn remember_mistakes(&self) {
        if self.is_mistaken() {
            FOUND.store(true, Ordering::Relaxed);
        }
    }

    /// The process's libraries are being taken apart. Where that is because the process exits, this is [`World::at_exit`]:
    /// the last moment at which a fabric's library can be used.
    pub fn at_unload(&self, site: &'static Site) {
        if let Ok(status) = c_int::try_from(ENDING.load(Ordering::Relaxed)) {
            self.at_exit(site, status);
        }
    }
}

impl Live {
    /// Where PEs are threads: end this one, by unwinding, if another has ended the job. Nothing that this PE waits for would come.
    #[inline]
    pub(crate) fn heed_end(&self) {
        if let Some(over) = &self.ending.over
            && over.load(Ordering::Relaxed)
        {
            self.boot.announce(EXIT_CODE, "");
        }
    }

    /// End the whole job because something is wrong, saying why on one line.
    #[cold]
    pub(crate) fn die(&self, why: &str) -> ! {
        end_job(Some(&*self.boot), self.settings.backtrace, EXIT_CODE, why)
    }

    /// End the whole job because something is wrong that has been told in full: what the launcher would say might come before it.
    #[cold]
    pub(crate) fn end_told(&self) -> ! {
        write_out();
        self.boot.announce(EXIT_CODE, "");
        flush_streams();
        leave_process(EXIT_CODE)
    }
}

/// End the whole job because another PE has ended that owed it more. Called by a thread of ours, while the program is anywhere.
pub(crate) fn peer_ended(boot: &dyn Boot, what: Arguments<'_>) -> ! {
    end_job(Some(boot), false, EXIT_CODE, &what.to_string())
}

fn end_job(boot: Option<&dyn Boot>, backtrace: bool, status: c_int, why: &str) -> ! {
    let mut why = format!("ferrite: {}", why.replace('\n', " "));
    if backtrace {
        why += &format!("\n{}", with_note(&Backtrace::force_capture().to_string()));
    }
    if is_child() {
        // The parent's end is its own affair, and so is what it has in its streams: the child's copy is not written.
        say(&why);
        leave_process(status)
    }
    // Before as well as after: a launcher that is told may end this process at once.
    write_out();
    match boot {
        Some(boot) => boot.announce(status, &why),
        None => say(&why),
    }
    flush_streams();
    leave_process(status)
}

/// In one piece: the launcher may end this process at any time, and lines of PEs are not to mix.
fn say(why: &str) {
    let _ = std::io::stderr().write_all(format!("{why}\n").as_bytes());
}

/// A backtrace, and where to get its lines if it has none: this file is named by the backtraces that have them, for a function of it takes
/// them.
fn with_note(backtrace: &str) -> String {
    let note = match backtrace.contains(file!()) {
        true => "",
        false => {
            "\nferrite: the library's debug files are not installed, so its functions have no names and lines here: ferrite(7), Debug files"
        }
    };
    format!("{}{note}", backtrace.trim_end())
}

/// What the program has printed, in C and in Fortran.
fn write_out() {
    flush_streams();
    flush_units();
}

/// As the C library ends a process by its last thread.
pub(crate) fn end_by_last_thread() -> ! {
    // SAFETY: no thread of the program is left, and ends the process as the last of them would have.
    unsafe { libc::exit(0) }
}

/// Without the program's exit handlers, which may want what is no longer there.
fn leave_process(status: c_int) -> ! {
    // SAFETY: ends the process; nothing follows.
    unsafe { libc::_exit(status) }
}
