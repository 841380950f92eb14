//! One end of the connection between oshrun and an agent, or between two agents: frames over the standard streams of a
//! remote shell.
//!
//! The launcher opens no socket for this. So only a user who may start programs on the host can talk to the agent, and
//! the messages are as private as the remote shell makes them.

use super::agent_protocol::FRAME_MAX;
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

/// The first bytes that an agent sends. A login script may have written to the stream before.
pub const OPENING: &[u8] = b"\0ferrite agent\0";
/// How much of the output before the opening is kept, in bytes: it is shown if the opening never comes.
const NOISE_MAX: usize = 1 << 10;

/// One end of a connection.
pub struct AgentLink {
    from: AsyncFd<OwnedFd>,
    to: AsyncFd<OwnedFd>,
    unsent: RefCell<Vec<u8>>,
    /// Raised when `unsent` grew, or nobody reads any more.
    more: Notify,
    broken: Cell<bool>,
    heard_at: Cell<Instant>,
}

impl AgentLink {
    /// `from` and `to` must be pollable: pipes or sockets, not files.
    pub fn new(from: OwnedFd, to: OwnedFd) -> io::Result<Rc<AgentLink>> {
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
        let link = Rc::new(AgentLink {
            from,
            to,
            unsent: RefCell::default(),
            more: Notify::new(),
            broken: Cell::new(false),
            heard_at: Cell::new(Instant::now()),
        });
        tokio::task::spawn_local(link.clone().write_on());
        Ok(link)
    }

    /// When bytes were last received.
    pub fn heard_at(&self) -> Instant {
        self.heard_at.get()
    }

    /// Send a frame. A reader that is gone is no error here: the end of the other direction reports it.
    pub fn post(&self, frame: &[u8]) {
        if !self.broken.get() {
            self.unsent.borrow_mut().extend_from_slice(frame);
            self.flush();
            self.more.notify_one();
        }
    }

    /// Whether everything posted was sent, or can no longer be sent.
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

    /// Read until the stream ends, and return why, unless it simply ended. Where the other side is an agent, `opens` is
    /// given: bytes before [`OPENING`] are noise, and `opens` is called once the opening was received.
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

/// The result for a stream that ended: the last line of noise, if there was one instead of an opening.
fn silence(noise: &[u8]) -> Result<(), String> {
    let text = String::from_utf8_lossy(noise);
    let last = text.lines().rev().map(str::trim).find(|line| !line.is_empty());
    last.map_or(Ok(()), |line| Err(format!("it said `{line}`")))
}
