//! A connection between oshrun and an agent, or between agents: frames over the standard streams of a remote shell.
//!
//! There is no socket of our own: whoever may start a program on a host may talk to it, nobody else can, and what is
//! said is as private as the remote shell makes it.

use super::trunk::FRAME_MAX;
use ferrite_bootstrap::wire::Frames;
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::{Errno, read, write};
use std::cell::{Cell, RefCell};
use std::io;
use std::os::fd::OwnedFd;
use std::rc::Rc;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::sync::Notify;
use tokio::time::Instant;

/// What an agent says first, on a stream that a login script may have written to before.
pub const OPENING: &[u8] = b"\0ferrite agent\0";
/// How much noise before the opening is kept, to be shown if the opening never comes, in bytes.
const NOISE_MAX: usize = 1 << 10;

/// One end of a connection.
pub struct Cable {
    from: AsyncFd<OwnedFd>,
    to: AsyncFd<OwnedFd>,
    unsent: RefCell<Vec<u8>>,
    /// Raised when `unsent` grew, or nobody reads any more.
    more: Notify,
    broken: Cell<bool>,
    heard_at: Cell<Instant>,
}

impl Cable {
    /// Over two descriptors that can be waited for: pipes or sockets, but no files.
    pub fn new(from: OwnedFd, to: OwnedFd) -> io::Result<Rc<Cable>> {
        for fd in [&from, &to] {
            fcntl_setfl(fd, fcntl_getfl(fd)? | OFlags::NONBLOCK)?;
        }
        // SAFETY: the `AsyncFd`s own the descriptors, so these stay open and the same while registered.
        let (from, to) = unsafe {
            (
                AsyncFd::register_with_interest(from, Interest::READABLE)?,
                AsyncFd::register_with_interest(to, Interest::WRITABLE)?,
            )
        };
        let cable = Rc::new(Cable {
            from,
            to,
            unsent: RefCell::default(),
            more: Notify::new(),
            broken: Cell::new(false),
            heard_at: Cell::new(Instant::now()),
        });
        tokio::task::spawn_local(cable.clone().write_on());
        Ok(cable)
    }

    /// When something came last.
    pub fn heard_at(&self) -> Instant {
        self.heard_at.get()
    }

    /// Send. Nothing is said of a reader that is gone: its end of the other direction says it.
    pub fn post(&self, frame: &[u8]) {
        if !self.broken.get() {
            self.unsent.borrow_mut().extend_from_slice(frame);
            self.flush();
            self.more.notify_one();
        }
    }

    /// Whether all that was posted is sent, or never will be.
    pub fn is_flushed(&self) -> bool {
        self.unsent.borrow().is_empty()
    }

    fn flush(&self) {
        let mut unsent = self.unsent.borrow_mut();
        let mut sent = 0;
        while sent < unsent.len() {
            match write(self.to.get_ref(), &unsent[sent..]) {
                Ok(more) => sent += more,
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => break,
                Err(_) => {
                    self.broken.set(true);
                    sent = unsent.len();
                }
            }
        }
        unsent.drain(..sent);
    }

    async fn write_on(self: Rc<Self>) {
        while !self.broken.get() {
            if self.is_flushed() {
                self.more.notified().await;
                continue;
            }
            let Ok(mut ready) = self.to.writable().await else { return };
            self.flush();
            if !self.is_flushed() {
                ready.clear_ready();
            }
        }
    }

    /// Read to the end, and say why that came, unless it was just the end. `opens` says that the other side is an
    /// agent: what comes before its opening is noise, and `opened` is called once it has come.
    pub async fn read_on(
        &self,
        mut opens: Option<impl FnOnce()>,
        mut digest: impl FnMut(&[u8]) -> Result<(), String>,
    ) -> Result<(), String> {
        let mut frames = Frames::up_to(FRAME_MAX);
        let mut noise = Vec::new();
        let mut chunk = vec![0_u8; 64 << 10];
        loop {
            let Ok(mut ready) = self.from.readable().await else { return Ok(()) };
            let got = match read(self.from.get_ref(), &mut chunk[..]) {
                Ok(0) => return silence(&noise),
                Ok(got) => got,
                Err(Errno::AGAIN) => {
                    ready.clear_ready();
                    continue;
                }
                Err(Errno::INTR) => continue,
                Err(error) => return Err(format!("it cannot be read: {error}")),
            };
            self.heard_at.set(Instant::now());
            let mut bytes = &chunk[..got];
            if opens.is_some() {
                noise.extend_from_slice(bytes);
                let Some(at) = noise.windows(OPENING.len()).position(|window| window == OPENING) else {
                    noise.drain(..noise.len().saturating_sub(NOISE_MAX));
                    continue;
                };
                opens.take().into_iter().for_each(|opened| opened());
                bytes = &noise[at + OPENING.len()..];
            }
            frames.push(bytes);
            while let Some(body) = frames.next_body().map_err(|error| error.to_string())? {
                digest(body)?;
            }
            noise.clear();
        }
    }
}

/// The end, with what was heard instead of an opening.
fn silence(noise: &[u8]) -> Result<(), String> {
    let text = String::from_utf8_lossy(noise);
    let last = text.lines().rev().map(str::trim).find(|line| !line.is_empty());
    last.map_or(Ok(()), |line| Err(format!("it said `{line}`")))
}
