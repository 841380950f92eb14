//! The observer behind `oshrun --profile` and `--trace`: records the calls of this PE. When all PEs have reached finalize, PE 0 writes the
//! page and the trace of all of them. A trace `DIR.otf2` is written by OTF2's library.
//!
//! | file | job |
//! |---|---|
//! | `recorder` | adds each call to this PE's record |
//! | `gather` | brings the records of all PEs to PE 0 |
//!
//! `crates/profile` defines the records and the output that is made of them.
//!
//! # Cost
//!
//! Two readings of the clock and one uncontended lock a call, and the near path's own cost, which is a few instructions of a cold twin. A
//! call site is looked up only if its call has taken long beside that ([`recorder::SLOW_NS`]). Memory is bounded by the number of peers,
//! routines and collectives that are kept, whatever the length of the run.

mod gather;
mod recorder;

use ferrite_fabric::Result;
use ferrite_os::{clock::monotonic_ns, error_text, files::Place};
use ferrite_profile::{Job, Record, chrome, codec, otf2, page};
use ferrite_runtime::{
    Site,
    observe::{Attachment, Call, Observer, Start, Tool, View},
};
use recorder::Recorder;
use std::{
    ffi::OsStr,
    io::{self, Write},
    path::{Path, PathBuf},
};

/// Attaches the observer if the user wants a page or a trace.
pub struct Profiler;

impl Tool for Profiler {
    fn attach(&self, start: &Start<'_>) -> Result<Option<Attachment>> {
        let files = [&start.settings.profile, &start.settings.trace];
        let [page, trace] = files.map(|file| file.as_ref().map(PathBuf::from));
        let recorder = Recorder::new(trace.is_some());
        Ok((page.is_some() || trace.is_some()).then(|| Attachment::of(Profile { recorder, page, trace })))
    }
}

/// The recorder, and the files that it is written to.
struct Profile {
    recorder: Recorder,
    page: Option<PathBuf>,
    trace: Option<PathBuf>,
}

static SITE: Site = Site::of_c("shmem_finalize");

/// Number of synchronisations of all PEs by which the clocks of hosts are compared.
const CLOCK_ROUNDS: usize = 24;

/// Permissions of new files, less the umask.
const FILE_MODE: u32 = 0o666;

impl Profile {
    /// Write the requested files, at PE 0, from the records of all PEs.
    fn write(&self, view: View<'_>, records: Vec<Record>) {
        let job = Job::of(records);
        let lost: u64 = job.records.iter().map(|record| record.events_lost).sum();
        write_to(view, "profile", &self.page, &|path| {
            Place::of(path)?.write_file(FILE_MODE, |out| out.write_all(page::page(&job).as_bytes()))
        });
        write_to(view, "trace", &self.trace, &|path| match path.extension() {
            Some(extension) if extension == "otf2" => write_archive(path, &job),
            _ => Place::of(path)?.write_file(FILE_MODE, |out| chrome::write(&job, out)),
        });
        if self.trace.is_some() && lost > 0 {
            tell(
                view,
                format_args!(
                    "the trace lacks {lost} calls, for which there was no room; exclude parts of the run with \
                     shmem_pcontrol(0)"
                ),
            );
        }
    }
}

/// Write a file, if it was requested, and report that.
fn write_to(view: View<'_>, what: &str, path: &Option<PathBuf>, write: &dyn Fn(&Path) -> io::Result<()>) {
    let Some(path) = path else { return };
    match write(path) {
        Ok(()) => tell(view, format_args!("{what} written to {}", path.display())),
        Err(error) => tell(view, format_args!("the {what} cannot be written to {}: {error}", path.display())),
    }
}

impl Observer for Profile {
    fn before(&self, _view: View<'_>, _call: &Call) {
        self.recorder.begin();
    }

    fn after(&self, view: View<'_>, call: &Call) {
        self.recorder.end(view, call);
    }

    fn finish(&self, view: View<'_>) {
        let mut record = self.recorder.take(view);
        if view.nodes().nodes() > 1 {
            record.syncs = (0..CLOCK_ROUNDS)
                .map(|_| {
                    let come = monotonic_ns();
                    view.sync_all(&SITE);
                    (come, monotonic_ns())
                })
                .collect();
        }
        match gather::gather(view, &SITE, &codec::encode(&record)) {
            Some(all) if view.me() == 0 => {
                self.write(view, all.iter().filter_map(|bytes| codec::decode(bytes)).collect());
            }
            Some(_) => {}
            None if view.me() == 0 => {
                tell(view, format_args!("there is no profile: the symmetric heap has no room to gather it in"));
            }
            None => {}
        }
    }
}

/// Write a trace in OTF2, whose library makes a directory. It replaces an older trace, and nothing else.
fn write_archive(path: &Path, job: &Job) -> io::Result<()> {
    let check_older = |name: &OsStr| match Path::new(name).file_stem() {
        Some(stem) if stem == otf2::NAME => Ok(()),
        _ => Err(io::Error::other("there is something other than an older trace")),
    };
    Place::of(path)?.write_directory(check_older, |new| otf2::write(job, new).map_err(io::Error::other))
}

/// Print a line for the user. A closed stream is no reason to end a job.
fn tell(view: View<'_>, what: core::fmt::Arguments<'_>) {
    let _ = io::stderr().write_all(error_text::plain(&format!("ferrite: PE {}: {what}\n", view.me())).as_bytes());
}
