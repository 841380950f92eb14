//! An archive of traces, written by one process for all locations.

use crate::{
    Error, Library,
    number::{COMPRESSION_NONE, FILEMODE_WRITE, FLUSH, SUBSTRATE_POSIX},
    table::{FlushCallbacks, Handle, OnError, Writer},
};
use libc::{c_char, c_int, c_void};
use std::{
    ffi::{CStr, CString},
    fmt,
    os::unix::ffi::OsStrExt,
    path::Path,
    ptr,
};

/// Sizes of the library's buffers, in bytes, as its headers recommend.
const CHUNK_EVENTS: u64 = 1 << 20;
const CHUNK_DEFINITIONS: u64 = 4 << 20;

/// A buffer is written to its file whenever it is full.
static ON_FULL: FlushCallbacks = FlushCallbacks { before: flush, after: flushed };

unsafe extern "C" fn flush(_: *mut c_void, _: u8, _: u64, _: *mut c_void, _: bool) -> u8 {
    FLUSH
}

/// The time of the flush, for a record of it: 0, since the job is over by then.
unsafe extern "C" fn flushed(_: *mut c_void, _: u8, _: u64) -> u64 {
    0
}

/// Replaces the library's error handler, which prints lines of its own: the status that is returned says the same.
unsafe extern "C" fn be_silent(
    _: *mut c_void,
    _: *const c_char,
    _: u64,
    _: *const c_char,
    error: c_int,
    _: *const c_char,
    _: *mut c_void,
) -> c_int {
    error
}

/// Why a trace could not be written, in one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed(String);

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Failed {}

impl From<Error> for Failed {
    fn from(error: Error) -> Failed {
        Failed(format!("OTF2's library is not here (Debian has it with otf2-tools): {error}"))
    }
}

impl Library {
    /// Converts the status of a library call to a result; `what` names the step.
    fn checked(&self, what: &str, status: c_int) -> Result<(), Failed> {
        if status == 0 {
            return Ok(());
        }
        // SAFETY: any status is good; the text is the library's, ended by a zero and never freed.
        let text = unsafe {
            let text = (self.describe)(status);
            if text.is_null() { None } else { Some(CStr::from_ptr(text).to_string_lossy().into_owned()) }
        };
        Err(Failed(format!("OTF2, {what}: {}", text.unwrap_or_else(|| format!("status {status}")))))
    }
}

/// An archive that is being written, by one thread.
pub struct Archive<'l> {
    library: &'l Library,
    handle: Handle,
    /// The error callback that was registered before.
    on_error: OnError,
    /// Each location with its number of events.
    counts: Vec<(u64, u64)>,
    events_open: bool,
}

impl<'l> Archive<'l> {
    /// Makes a new archive in the directory `path`, which the library creates. The names of its files begin with `name`.
    pub fn create(library: &'l Library, path: &Path, name: &str, description: &str) -> Result<Archive<'l>, Failed> {
        let path = CString::new(path.as_os_str().as_bytes()).map_err(|_| failed("a path holds a zero byte"))?;
        let (name, description, creator) = (text(name), text(description), text("Ferrite"));
        // SAFETY: the function exists for the life of the process, and needs no data.
        let on_error = unsafe { (library.on_error)(Some(be_silent), ptr::null_mut()) };
        // SAFETY: all texts end with a zero and are copied.
        let handle = unsafe {
            (library.open)(
                path.as_ptr(),
                name.as_ptr(),
                FILEMODE_WRITE,
                CHUNK_EVENTS,
                CHUNK_DEFINITIONS,
                SUBSTRATE_POSIX,
                COMPRESSION_NONE,
            )
        };
        let archive = Archive { library, handle, on_error, counts: Vec::new(), events_open: true };
        if handle.is_null() {
            return Err(failed("it cannot make an archive there"));
        }
        // SAFETY: the archive is open; the callbacks exist for the life of the process, and texts are copied.
        unsafe {
            archive.checked("flushing", (library.set_flush)(handle, &raw const ON_FULL, ptr::null_mut()))?;
            archive.checked("making the archive", (library.set_serial)(handle))?;
            archive.checked("the creator", (library.set_creator)(handle, creator.as_ptr()))?;
            archive.checked("the description", (library.set_description)(handle, description.as_ptr()))?;
            archive.checked("opening files of events", (library.open_events)(handle))?;
        }
        Ok(archive)
    }

    fn checked(&self, what: &str, status: c_int) -> Result<(), Failed> {
        self.library.checked(what, status)
    }

    /// Calls `write` to write the events of one location, in the order of their times. Call this once for each location, and before
    /// [`Archive::definitions`].
    pub fn events(
        &mut self,
        location: u64,
        write: impl FnOnce(&mut Events<'_>) -> Result<(), Failed>,
    ) -> Result<(), Failed> {
        assert!(self.events_open, "events come before definitions");
        // SAFETY: an archive whose files of events are open.
        let writer = unsafe { (self.library.event_writer)(self.handle, location) };
        if writer.is_null() {
            return Err(failed("it has no room for the events of a location"));
        }
        let mut count = 0;
        let mut events = Events { library: self.library, writer };
        let written = write(&mut events);
        // SAFETY: a writer of this archive, which is not used after it is closed, and room for a number.
        let (counted, closed) = unsafe {
            ((self.library.event_count)(writer, &raw mut count), (self.library.close_event_writer)(self.handle, writer))
        };
        self.counts.push((location, count));
        written.and(self.checked("counting events", counted)).and(self.checked("closing events", closed))
    }

    /// Calls `write` to define the numbers that all events use, and closes the archive.
    pub fn definitions(mut self, write: impl FnOnce(&mut Definitions<'_>) -> Result<(), Failed>) -> Result<(), Failed> {
        let library = self.library;
        self.close_events()?;
        // SAFETY: an archive that is open; each writer is closed once.
        unsafe {
            self.checked("opening definitions", (library.open_definitions)(self.handle))?;
            for &(location, _) in &self.counts {
                let writer = (library.definition_writer)(self.handle, location);
                if writer.is_null() {
                    return Err(failed("it has no room for the definitions of a location"));
                }
                self.checked("definitions", (library.close_definition_writer)(self.handle, writer))?;
            }
            self.checked("closing definitions", (library.close_definitions)(self.handle))?;
        }
        // SAFETY: an archive that is open. The writer is freed with it.
        let writer = unsafe { (library.global_writer)(self.handle) };
        if writer.is_null() {
            return Err(failed("it has no room for definitions"));
        }
        write(&mut Definitions { library, writer, counts: &self.counts })?;
        self.close()
    }

    fn close_events(&mut self) -> Result<(), Failed> {
        self.events_open = false;
        // SAFETY: the files are open, and closed once.
        self.checked("closing files of events", unsafe { (self.library.close_events)(self.handle) })
    }

    fn close(mut self) -> Result<(), Failed> {
        let handle = std::mem::replace(&mut self.handle, ptr::null_mut());
        // SAFETY: the archive is open, and not used again.
        self.checked("closing the archive", unsafe { (self.library.close)(handle) })
    }
}

impl Drop for Archive<'_> {
    /// Closes an archive that was not finished, and restores the error callback.
    fn drop(&mut self) {
        if !self.handle.is_null() {
            if self.events_open {
                let _ = self.close_events();
            }
            // SAFETY: the archive is open, and not used again. The status that the library returns is of no interest.
            unsafe { (self.library.close)(self.handle) };
        }
        // SAFETY: the callback that was registered before.
        unsafe { (self.library.on_error)(self.on_error, ptr::null_mut()) };
    }
}

fn failed(why: &str) -> Failed {
    Failed(format!("OTF2: {why}"))
}

/// A text for C, up to its first zero byte.
fn text(text: &str) -> CString {
    CString::new(text.split('\0').next().unwrap_or_default()).unwrap_or_default()
}

macro_rules! written {
    ($($(#[$doc:meta])* fn $name:ident($($argument:ident: $type:ty),*);)*) => { $(
        $(#[$doc])*
        #[allow(clippy::too_many_arguments, reason = "as many as the format has")]
        pub fn $name(&mut self $(, $argument: $type)*) -> Result<(), Failed> {
            // SAFETY: a writer that is open, numbers, and no attributes.
            let status = unsafe { (self.library.$name)(self.writer $(, $argument)*) };
            self.library.checked(stringify!($name), status)
        }
    )* };
}

macro_rules! events {
    ($($(#[$doc:meta])* fn $name:ident($($argument:ident: $type:ty),*);)*) => { $(
        $(#[$doc])*
        #[allow(clippy::too_many_arguments, reason = "as many as the format has")]
        pub fn $name(&mut self, time: u64 $(, $argument: $type)*) -> Result<(), Failed> {
            // SAFETY: a writer that is open, numbers, and no attributes.
            let status = unsafe { (self.library.$name)(self.writer, ptr::null(), time $(, $argument)*) };
            self.library.checked(stringify!($name), status)
        }
    )* };
}

/// Writes the events of one location.
pub struct Events<'a> {
    library: &'a Library,
    writer: Writer,
}

impl Events<'_> {
    events! {
        /// A region is entered.
        fn enter(region: u32);
        /// A region is left.
        fn leave(region: u32);
        /// A window of remote memory begins.
        fn window_create(window: u32);
        /// A window of remote memory ends.
        fn window_destroy(window: u32);
        /// A put begins; `number` distinguishes it from the other operations of this location.
        fn put(window: u32, remote: u32, bytes: u64, number: u64);
        /// A get begins.
        fn get(window: u32, remote: u32, bytes: u64, number: u64);
        /// An atomic begins.
        fn atomic(window: u32, remote: u32, kind: u8, sent: u64, received: u64, number: u64);
        /// An operation is complete, and its call waited for it.
        fn complete(window: u32, number: u64);
        /// An operation is complete, and the program waited for it later.
        fn complete_later(window: u32, number: u64);
        /// Record the begin of a collective.
        fn collective_begin();
        /// Record the end of a collective.
        fn collective_end(operation: u8, synchronizes: u32, window: u32, root: u32, sent: u64, received: u64);
    }
}

/// Writes the definitions of the numbers that events use.
pub struct Definitions<'a> {
    library: &'a Library,
    writer: Writer,
    counts: &'a [(u64, u64)],
}

impl Definitions<'_> {
    written! {
        /// Ticks in a second, the first tick, the number of ticks, and the calendar time of the first in nanoseconds.
        fn clock(resolution: u64, begin: u64, length: u64, calendar: u64);
        /// A region: its name, canonical name and description; its role and paradigm; its file and lines.
        fn region(number: u32, name: u32, canonical: u32, description: u32, role: u8, paradigm: u8, flags: u32, file: u32,
            begin: u32, end: u32);
        /// A part of the system: its name, its class, and the part that contains it.
        fn node(number: u32, name: u32, class: u32, parent: u32);
        /// A group of locations: a process.
        fn process(number: u32, name: u32, kind: u8, node: u32, creator: u32);
        /// Processes that communicate: a group with a name.
        fn communicator(number: u32, name: u32, group: u32, parent: u32, flags: u32);
        /// Memory that the members of a communicator reach.
        fn window(number: u32, name: u32, communicator: u32, flags: u32);
    }

    /// A location that has events: a thread.
    pub fn location(&mut self, number: u64, name: u32, kind: u8, process: u32) -> Result<(), Failed> {
        let events = self.counts.iter().find(|(location, _)| *location == number).map_or(0, |(_, count)| *count);
        // SAFETY: a writer that is open, and numbers.
        let status = unsafe { (self.library.location)(self.writer, number, name, kind, events, process) };
        self.library.checked("location", status)
    }

    /// Define the text with this number.
    pub fn string(&mut self, number: u32, string: &str) -> Result<(), Failed> {
        let string = text(string);
        // SAFETY: a writer that is open; the text ends with a zero and is copied.
        let status = unsafe { (self.library.string)(self.writer, number, string.as_ptr()) };
        self.library.checked("string", status)
    }

    /// A group of locations, or of members of the group of all locations that communicate.
    pub fn group(&mut self, number: u32, name: u32, kind: u8, paradigm: u8, members: &[u64]) -> Result<(), Failed> {
        let len = u32::try_from(members.len()).map_err(|_| failed("a group has too many members"))?;
        // SAFETY: a writer that is open, and `len` members, which are copied.
        let status =
            unsafe { (self.library.group)(self.writer, number, name, kind, paradigm, 0, len, members.as_ptr()) };
        self.library.checked("group", status)
    }
}
