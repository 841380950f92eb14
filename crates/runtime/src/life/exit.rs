//! `global_exit`, and what the library does when the process exits.

use crate::{
    Site, World,
    border::catch_loss,
    end::{EXIT_CODE, exit, leave_process, say, write_out},
    far::Far,
    fork::is_child,
    live::Live,
    observe::{Event, Observer},
};
use core::{
    ffi::{c_int, c_void},
    ptr,
    sync::atomic::{AtomicI64, Ordering},
};
use ferrite_os::mutex;
use std::sync::{Arc, Mutex, Once};

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

/// The exit code that replaces the success of a process, and the observers that report why.
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

impl World {
    /// End the whole job with `status`, from any one PE, whatever the other PEs are doing.
    ///
    /// The launcher is notified first, unless it ends the job at once ([`Boot::hears_last`](ferrite_bootstrap::Boot::hears_last)), so that
    /// nothing this process does on its way out delays the other PEs; then the program's exit handlers run and its streams are written, as
    /// `exit` does. A handler that does not return is killed.
    pub fn global_exit(&self, site: &'static Site, status: c_int) -> ! {
        if self.is_start_lost() {
            // No job is left to end.
            exit(status)
        }
        let live = self.require_live(site);
        live.ending.global_exit.store(true, Ordering::Relaxed);
        let why =
            if status == 0 { String::new() } else { format!("ferrite: PE {} called {}({status})", live.me, site.name) };
        if !live.boot.hears_last() {
            live.boot.announce(status, &why);
        }
        if live.ending.handles_exit {
            exit(status)
        }
        write_out();
        if live.boot.hears_last() {
            live.boot.announce(status, "");
        }
        leave_process(status)
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
