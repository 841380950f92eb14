//! A PE started by our own launcher. It sends frames over an inherited stream socket.
//!
//! The environment names the socket by descriptor *and* inode, as `oshrun:FD:INODE`. So a descriptor that a wrapper script has closed or
//! reused is detected, and never written to. After the variable is read, its first byte is overwritten in place (see [`spend`]), and the
//! descriptor is marked close-on-exec: a program that this PE starts must not take itself for a PE.

use crate::received::Received;
use crate::wire::{self, Frames, ToLauncher, ToPe, VERSION};
use crate::{Boot, Seat, end};
use ferrite_fabric::{Error, Pe, Result};
use ferrite_os::guarded_fd::GuardedFd;
use ferrite_os::mutex;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, retry_on_intr};
use rustix::net::{RecvFlags, SendFlags, recv, send};
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
/// Callable from any thread: a thread that waits for an answer holds no lock that another one needs to send.
pub struct Launched {
    /// Guarded, because the program may close descriptors that it has not opened: daemons do, with closefrom(3).
    socket: GuardedFd,
    seat: Seat,
    /// The job's control group.
    group: Option<PathBuf>,
    /// The file of this host's boards.
    boards: Option<GuardedFd>,
    published: Mutex<Vec<(String, Vec<u8>)>>,
    sending: Mutex<()>,
    received: Received<Frames>,
}

impl Launched {
    /// Connect as described by `value`, `group` and `boards`: the contents of [`VARIABLE`], [`JOB_GROUP`] and [`BOARDS`].
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
            seat: Seat::unknown(),
            group: None,
            boards: None,
            published: Mutex::default(),
            sending: Mutex::default(),
            received: Received::new("oshrun", Frames::default()),
        };
        boot.tell(&ToLauncher::Hello { version: VERSION })?;
        let mut frames = Frames::default();
        let answer = boot.hear(&mut frames)?;
        boot.received = Received::new("oshrun", frames);
        match answer {
            ToPe::Welcome { me, nodes, secret } if me.0 < nodes.size() => {
                boot.seat = Seat::new(me, nodes, secret);
            }
            ToPe::Refused { why } => return Err(Error::new(format!("oshrun refuses this process: {why}"))),
            other => return Err(Error::new(format!("oshrun answered a greeting with {}", other.name()))),
        }
        tracing::debug!(me = boot.me().0, size = boot.size(), "joined oshrun's job");
        Ok(boot)
    }

    fn socket(&self) -> Result<BorrowedFd<'_>> {
        self.socket.get().map_err(|closed| Error::because(format!("{} cannot reach oshrun", self.seat.me), closed))
    }

    fn tell(&self, message: &ToLauncher) -> Result<()> {
        self.seat.check_process()?;
        let frame = message.frame();
        let _turn = mutex::lock(&self.sending);
        let mut rest = &frame[..];
        while !rest.is_empty() {
            let socket = self.socket()?;
            let sent = retry_on_intr(|| send(socket, rest, SendFlags::NOSIGNAL))
                .map_err(|error| Error::because(format!("{} cannot reach oshrun", self.seat.me), error))?;
            rest = &rest[sent..];
        }
        Ok(())
    }

    fn hear(&self, frames: &mut Frames) -> Result<ToPe> {
        let wrong = |error| Error::because(format!("{} got malformed bytes from oshrun", self.seat.me), error);
        loop {
            if let Some(body) = frames.next_body().map_err(wrong)? {
                return ToPe::parse(body).map_err(wrong);
            }
            let mut chunk = [0_u8; 16 << 10];
            let socket = self.socket()?;
            let (got, _) = retry_on_intr(|| recv(socket, &mut chunk[..], RecvFlags::empty()))
                .map_err(|error| Error::because(format!("{} lost oshrun", self.seat.me), error))?;
            if got == 0 {
                return Err(Error::new(format!("{}: oshrun has ended, and this job with it", self.seat.me)));
            }
            frames.push(&chunk[..got]);
        }
    }
}

impl Boot for Launched {
    fn seat(&self) -> &Seat {
        &self.seat
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
        wire::publish(&mut mutex::lock(&self.published), key, value)
    }

    fn exchange(&self) -> Result<()> {
        let published = std::mem::take(&mut *mutex::lock(&self.published));
        self.received.exchange(|| self.tell(&ToLauncher::Exchange { published }), |frames| self.hear(frames))
    }

    fn lookup(&self, pe: Pe, key: &str) -> Result<Vec<u8>> {
        self.received.look_up(pe, key, |question| self.tell(&question), |frames| self.hear(frames))
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

/// The socket that `oshrun:FD:INODE` describes, if this process still has it.
fn inherited(value: &str) -> Result<OwnedFd> {
    let Some((fd, _)) = value.strip_prefix("oshrun:").and_then(parsed) else {
        return Err(Error::new(format!(
            "{VARIABLE}={value}: expected tcp://host:port, torchrun, pmi1, pmi2, pmix, alone, or what oshrun sets for its PEs"
        )));
    };
    match named(&value["oshrun:".len()..]) {
        Ok(file) => Ok(file),
        Err(None | Some(Errno::BADF)) => Err(Error::new(format!(
            "oshrun's connection, descriptor {fd}, was closed on the way to this program: a wrapper that starts PEs \
             must pass on its open descriptors (Python's subprocess: close_fds=False); to run as PE 0 of 1 instead, \
             set {VARIABLE}=alone"
        ))),
        Err(Some(error)) => Err(Error::because(format!("examining oshrun's connection, descriptor {fd}"), error)),
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
pub(crate) fn spend() {
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
