//! A PE started by our own launcher. It sends frames over an inherited stream socket.
//!
//! The environment names the socket by descriptor *and* inode, as `oshrun:FD:INODE`. So a descriptor that a wrapper script has closed or
//! reused is detected, and never written to. After the variable is read, its first byte is overwritten in place (see [`spend`]), and the
//! descriptor is marked close-on-exec: a program that this PE starts must not take itself for a PE.

use crate::wire::{self, Entry, Frames, ToLauncher, ToPe, VERSION};
use crate::{Boot, NodeMap, Secret, end};
use ferrite_fabric::{Error, Pe, Result};
use ferrite_os::guarded_fd::GuardedFd;
use ferrite_os::mutex;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, retry_on_intr};
use rustix::net::{RecvFlags, SendFlags, recv, send};
use std::collections::HashMap;
use std::os::fd::{AsFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::path::PathBuf;
use std::sync::Mutex;

/// The environment variable in which the launcher passes the socket to its PEs.
pub const VARIABLE: &str = "FERRITE_BOOT";

/// The environment variable with the directory of the control group of the job's processes on this host, if they are in one.
pub const JOB_GROUP: &str = "FERRITE_JOB_GROUP";

/// The environment variable with the file in which the PEs of this host publish their state, as `FD:INODE`, if there is one.
pub const BOARDS: &str = "FERRITE_BOARDS";

/// A PE's end of the connection to `oshrun`.
///
/// Callable from any thread. A thread that waits for an answer locks `book`, but not `sending`, so another thread can send an abort
/// meanwhile.
pub struct Launched {
    /// Guarded, because the program may close descriptors that it has not opened: daemons do, with closefrom(3).
    socket: GuardedFd,
    me: Pe,
    nodes: NodeMap,
    local: Vec<Pe>,
    secret: Secret,
    /// The job's control group.
    group: Option<PathBuf>,
    /// The file of this host's boards.
    boards: Option<GuardedFd>,
    /// The process that connected. A forked child shares the socket but is not the PE.
    owner: u32,
    published: Mutex<Vec<(String, Vec<u8>)>>,
    sending: Mutex<()>,
    book: Mutex<Book>,
}

/// Data received from the launcher.
#[derive(Default)]
struct Book {
    frames: Frames,
    values: HashMap<(Pe, String), Vec<u8>>,
    /// Whether the launcher has withheld the values of an exchange, so that a value missing from `values` may still exist.
    partial: bool,
}

impl Launched {
    /// Connect as described by `value`, the content of [`VARIABLE`]; `group` is the content of [`JOB_GROUP`], `boards` that of [`BOARDS`].
    pub fn from_environment(value: &str, group: Option<String>, boards: Option<String>) -> Result<Self> {
        let mut boot = Self::over(inherited(value)?)?;
        boot.group = group.map(PathBuf::from);
        // The file is optional: a wrapper may have closed it.
        boot.boards = boards.and_then(|value| GuardedFd::new(named(&value).ok()?).ok());
        spend();
        Ok(boot)
    }

    /// Introduce this process over a connected stream socket.
    pub fn over(socket: OwnedFd) -> Result<Self> {
        let socket = GuardedFd::new(socket).map_err(|error| {
            Error::because("keeping the launcher's socket from programs that this PE starts", error)
        })?;
        let mut boot = Launched {
            socket,
            me: Pe(0),
            nodes: NodeMap::one(0),
            local: Vec::new(),
            secret: Secret::of([0; 16]),
            group: None,
            boards: None,
            owner: std::process::id(),
            published: Mutex::default(),
            sending: Mutex::default(),
            book: Mutex::default(),
        };
        boot.tell(&ToLauncher::Hello { version: VERSION })?;
        let answer = boot.hear(&mut mutex::lock(&boot.book))?;
        match answer {
            ToPe::Welcome { me, nodes, secret } if me.0 < nodes.size() => {
                boot.local = nodes.pes_of(nodes.node_of(me));
                (boot.me, boot.nodes, boot.secret) = (me, nodes, secret);
            }
            ToPe::Refused { why } => return Err(Error::new(format!("oshrun refuses this process: {why}"))),
            other => return Err(Error::new(format!("oshrun answered a greeting by {other:?}"))),
        }
        tracing::debug!(me = boot.me.0, size = boot.size(), "joined oshrun's job");
        Ok(boot)
    }

    fn socket(&self) -> Result<BorrowedFd<'_>> {
        self.socket.get().map_err(|closed| Error::because(format!("{} cannot reach oshrun", self.me), closed))
    }

    fn tell(&self, message: &ToLauncher) -> Result<()> {
        if std::process::id() != self.owner {
            let (child, owner) = (std::process::id(), self.owner);
            return Err(Error::new(format!("process {child} was forked from {} ({owner}) and is no PE", self.me)));
        }
        let frame = message.frame();
        let _turn = mutex::lock(&self.sending);
        let mut rest = &frame[..];
        while !rest.is_empty() {
            let socket = self.socket()?;
            let sent = retry_on_intr(|| send(socket, rest, SendFlags::NOSIGNAL))
                .map_err(|error| Error::because(format!("{} cannot reach oshrun", self.me), error))?;
            rest = &rest[sent..];
        }
        Ok(())
    }

    fn hear(&self, book: &mut Book) -> Result<ToPe> {
        let wrong = |error| Error::because(format!("{} got bytes from oshrun that are no message", self.me), error);
        loop {
            if let Some(body) = book.frames.next_body().map_err(wrong)? {
                return ToPe::parse(body).map_err(wrong);
            }
            let mut chunk = [0_u8; 16 << 10];
            let socket = self.socket()?;
            let (got, _) = retry_on_intr(|| recv(socket, &mut chunk[..], RecvFlags::empty()))
                .map_err(|error| Error::because(format!("{} lost oshrun", self.me), error))?;
            if got == 0 {
                return Err(Error::new(format!("{}: oshrun has ended, and this job with it", self.me)));
            }
            book.frames.push(&chunk[..got]);
        }
    }

    fn ask(&self, question: &ToLauncher, book: &mut Book) -> Result<ToPe> {
        self.tell(question)?;
        self.hear(book)
    }
}

impl Boot for Launched {
    fn me(&self) -> Pe {
        self.me
    }

    fn size(&self) -> u32 {
        self.nodes.size()
    }

    fn nodes(&self) -> &NodeMap {
        &self.nodes
    }

    fn local(&self) -> &[Pe] {
        &self.local
    }

    fn secret(&self) -> Secret {
        self.secret
    }

    fn launcher(&self) -> &str {
        "oshrun"
    }

    fn has_ended(&self) -> bool {
        let Some(socket) = self.socket.file() else { return false };
        // POLLHUP and POLLERR are reported without being requested.
        let mut asked = [PollFd::from_borrowed_fd(socket, PollFlags::empty())];
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        poll(&mut asked, Some(&now)).is_ok() && asked[0].revents().intersects(PollFlags::HUP | PollFlags::ERR)
    }

    fn end_the_rest(&self) {
        if let Some(group) = &self.group {
            let _ = std::fs::write(group.join("cgroup.kill"), "1");
        }
    }

    fn boards(&self) -> Option<BorrowedFd<'_>> {
        self.boards.as_ref()?.file()
    }

    fn publish(&self, key: &str, value: &[u8]) -> Result<()> {
        wire::check(key, value)?;
        let mut published = mutex::lock(&self.published);
        let bytes: usize = published.iter().map(|(key, value)| key.len() + value.len() + 8).sum();
        if bytes + key.len() + value.len() + 64 > wire::FRAME_MAX {
            return Err(Error::new(format!("publishing `{key}`: more than {} bytes in one turn", wire::FRAME_MAX)));
        }
        published.push((key.to_owned(), value.to_vec()));
        Ok(())
    }

    fn exchange(&self) -> Result<()> {
        let published = std::mem::take(&mut *mutex::lock(&self.published));
        let mut book = mutex::lock(&self.book);
        match self.ask(&ToLauncher::Exchange { published }, &mut book)? {
            ToPe::Released { entries: Some(entries) } => keep(&mut book, entries),
            ToPe::Released { entries: None } => {
                book.values.clear();
                book.partial = true;
            }
            other => return Err(Error::new(format!("oshrun answered an exchange by {other:?}"))),
        }
        Ok(())
    }

    fn lookup(&self, pe: Pe, key: &str) -> Result<Vec<u8>> {
        let wanted = (pe, key.to_owned());
        let mut book = mutex::lock(&self.book);
        if book.partial && !book.values.contains_key(&wanted) {
            match self.ask(&ToLauncher::Lookup { pe, key: key.to_owned() }, &mut book)? {
                ToPe::Found { entries } => keep(&mut book, entries),
                other => return Err(Error::new(format!("oshrun answered a look-up by {other:?}"))),
            }
        }
        let found = book.values.get(&wanted).cloned();
        found.ok_or_else(|| Error::new(format!("{pe} has published nothing under `{key}`")))
    }

    // Nothing ties the process to its parent here: oshrun has done that for the processes that it started itself, and finds the others by
    // their ancestry. The kernel's mechanism follows the parent's *thread*, which may end long before the parent.
    fn join(&self) -> Result<()> {
        self.tell(&ToLauncher::Join)
    }

    fn leave(&self) -> Result<()> {
        self.tell(&ToLauncher::Leave)
    }

    fn announce(&self, code: i32, why: &str) {
        // The launcher prints the reason once for the job. If it cannot be reached, this process prints it.
        if self.tell(&ToLauncher::Abort { code, why: why.to_owned() }).is_err() {
            end::say(why);
        }
    }
}

fn keep(book: &mut Book, entries: Vec<Entry>) {
    book.values.extend(entries.into_iter().map(|entry| ((entry.pe, entry.key), entry.value)));
}

/// The socket that `oshrun:FD:INODE` describes, if this process still has it.
fn inherited(value: &str) -> Result<OwnedFd> {
    let Some((fd, _)) = value.strip_prefix("oshrun:").and_then(parsed) else {
        return Err(Error::new(format!(
            "{VARIABLE}={value}: pmi1, pmi2, pmix or alone is right, or what oshrun sets for its PEs"
        )));
    };
    match named(&value["oshrun:".len()..]) {
        Ok(file) => Ok(file),
        Err(None | Some(Errno::BADF)) => Err(Error::new(format!(
            "oshrun's connection, descriptor {fd}, was closed on the way to this program: a wrapper that starts PEs \
             must pass on its open descriptors (Python's subprocess: close_fds=False); to run as PE 0 of 1 instead, \
             set {VARIABLE}=alone"
        ))),
        Err(Some(error)) => Err(Error::because(format!("looking at oshrun's connection, descriptor {fd}"), error)),
    }
}

/// Descriptor and inode in `FD:INODE`.
fn parsed(value: &str) -> Option<(RawFd, u64)> {
    let (fd, inode) = value.split_once(':')?;
    Some((fd.parse::<RawFd>().ok()?, inode.parse::<u64>().ok()?)).filter(|&(fd, _)| fd > 2)
}

/// The file that `FD:INODE` describes, if this process still has it. The error is the kernel's, if there is one.
fn named(value: &str) -> Result<OwnedFd, Option<Errno>> {
    let (fd, inode) = parsed(value).ok_or(None)?;
    // SAFETY: the descriptor is only passed to a system call that refuses a closed one.
    let borrowed = unsafe { BorrowedFd::borrow_raw(fd) };
    match rustix::fs::fstat(borrowed.as_fd()) {
        // SAFETY: the inode shows that this is the file which the launcher made for this PE and passed down for the PE to own. No other
        // code in this process knows the number, and `spend` prevents that it is taken twice.
        Ok(found) if found.st_ino == inode => Ok(unsafe { OwnedFd::from_raw_fd(fd) }),
        Ok(_) => Err(None),
        Err(error) => Err(Some(error)),
    }
}

/// Mark [`VARIABLE`] as used, for programs that this process starts: its value then begins with `-`.
///
/// `unsetenv` would move the pointers of `environ` while other threads call `getenv` (a PE may be initialised late, by a program with
/// threads). Overwriting one byte of the value in place moves nothing, and no other code reads this value.
fn spend() {
    // SAFETY: the name is a C string. `getenv` returns null or a pointer to the value's first byte; a value of length 0 has its terminating
    // zero there, which is not changed. Environment strings are writable memory of this process (its initial stack, or the heap of the
    // caller of setenv), and only this function writes to this one.
    unsafe {
        let value = libc::getenv(c"FERRITE_BOOT".as_ptr());
        if !value.is_null() && *value != 0 {
            *value = b'-' as libc::c_char;
        }
    }
}
