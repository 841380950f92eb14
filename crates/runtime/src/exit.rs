//! How a job ends before its time: the one place that ends processes.

use crate::{Site, World, misuse::EXIT_CODE};
use core::{ffi::c_int, sync::atomic::Ordering};
use std::{backtrace::Backtrace, io::Write, ptr};

impl World {
    /// End the whole job with `status`, from any one PE, whatever the others are doing. As `exit` does, this runs the
    /// program's exit handlers first; the last handler of all is [`World::at_exit`], which takes the others along.
    pub fn global_exit(&self, site: &'static Site, status: c_int) -> ! {
        let live = self.require_live(site);
        live.global_exit.store(true, Ordering::Relaxed);
        if live.handles_exit {
            // SAFETY: ends the process as the program could at this point.
            unsafe { libc::exit(status) }
        }
        self.take_along(status)
    }

    fn take_along(&self, status: c_int) -> ! {
        flush_streams();
        match self.boot() {
            Some(boot) => boot.abort(status, ""),
            None => leave_process(status),
        }
    }

    /// End the whole job because something is wrong, saying why on one line.
    #[cold]
    pub(crate) fn die(&self, status: c_int, why: &str) -> ! {
        flush_streams();
        let mut why = format!("ferrite: {}", why.replace('\n', " "));
        if self.live().is_some_and(|live| live.settings.backtrace) {
            why += &format!("\n{}", Backtrace::force_capture());
        }
        match self.boot() {
            Some(boot) => boot.abort(status, &why),
            None => {
                let _ = writeln!(std::io::stderr(), "{why}");
                leave_process(status)
            }
        }
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
    pub fn at_exit(&self, site: &'static Site, status: c_int) {
        let Some(live) = self.live() else { return };
        // A child of fork that exits is not the PE.
        if live.process != std::process::id() {
            return;
        }
        if live.global_exit.load(Ordering::Relaxed) {
            self.take_along(status);
        }
        if status != 0 {
            if live.boot.wants_to_hear_of_failure() {
                self.take_along(status);
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
        self.finalize_all(site);
    }
}

/// What the program has written through C's streams so far is not lost with the process.
pub(crate) fn flush_streams() {
    // SAFETY: a null stream stands for all of them.
    unsafe { libc::fflush(ptr::null_mut()) };
    let _ = std::io::stdout().flush();
}

/// Without the program's exit handlers, which may want what is no longer there.
fn leave_process(status: c_int) -> ! {
    // SAFETY: ends the process; nothing follows.
    unsafe { libc::_exit(status) }
}
