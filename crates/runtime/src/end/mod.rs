//! The end of the job with a reason, by any room: an error of this PE, or the end or the loss of another. Only this file ends processes.
//!
//! `loss` is the loss of a peer that ends no PE.

pub(crate) mod loss;

use crate::{World, fork::is_child, live::Live};
use core::{
    ffi::c_int,
    fmt::Arguments,
    sync::atomic::{AtomicBool, Ordering},
};
use ferrite_bootstrap::Boot;
use ferrite_os::error_text;
use ferrite_program::{fortran_flush::flush_units, streams::flush_streams};
use std::{backtrace::Backtrace, io::Write, sync::Arc};

/// Exit code of the job after a misuse or any other failure reported by the library: sysexits' EX_SOFTWARE.
pub const EXIT_CODE: c_int = 70;

/// The end of the process, as a started world tracks it.
pub(crate) struct Ending {
    /// The process that joined the job; a child of fork is another.
    pub process: u32,
    /// Whether the process calls [`World::at_exit`] when it exits.
    pub handles_exit: bool,
    /// The program has called `global_exit`.
    pub global_exit: AtomicBool,
    /// The duties of this process at its end are done.
    pub has_ended: AtomicBool,
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

    /// The flag that ends this PE's waits, for a wait in a thread of the library, which must not unwind.
    pub fn over(&self) -> Option<Arc<AtomicBool>> {
        self.over.clone()
    }
}

impl World {
    /// End the whole job because of an error, and report the reason on one line.
    #[cold]
    pub fn die(&self, status: c_int, why: &str) -> ! {
        let backtrace = self.live().is_some_and(|live| live.settings.backtrace);
        end_job(self.boot().as_deref(), backtrace, status, why)
    }

    /// End the whole job with `status` for the reason `why`, which this process has printed already.
    #[cold]
    pub fn end_reported(&self, status: c_int, why: &str) -> ! {
        // A child of fork has no part in the job, and its buffered output is a copy of its parent's.
        if !is_child() {
            write_out();
            self.boot().inspect(|boot| boot.announce_reported(status, &format!("ferrite: {}", error_text::plain(why))));
            flush_streams();
        }
        leave_process(status)
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
fn end_alone(why: &str) -> ! {
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
pub(crate) fn say(why: &str) {
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
pub(crate) fn write_out() {
    flush_streams();
    flush_units();
}

/// End the process as the program could: its exit handlers run, and its streams are written.
pub(crate) fn exit(status: c_int) -> ! {
    // SAFETY: ends the process; nothing follows.
    unsafe { libc::exit(status) }
}

/// End the process without the program's exit handlers, which may use state that no longer exists.
pub(crate) fn leave_process(status: c_int) -> ! {
    // SAFETY: ends the process; nothing follows.
    unsafe { libc::_exit(status) }
}
