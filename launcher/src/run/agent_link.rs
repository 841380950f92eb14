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
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tokio::sync::{Mutex as AsyncMutex, Notify};
use tokio::time::Instant;

/// The first bytes that an agent sends. A login script may have written to the stream before.
pub const OPENING: &[u8] = b"\0ferrite agent\0";
/// How much of the output before the opening is kept, in bytes: it is shown if the opening never comes.
const NOISE_MAX: usize = 1 << 10;

/// The carrier of the bytes.
enum Ends {
    /// Pipes or sockets to another process.
    Streams { from: AsyncFd<OwnedFd>, to: AsyncFd<OwnedFd> },
    /// Channels within this process.
    Channels { from: AsyncMutex<UnboundedReceiver<Vec<u8>>>, to: UnboundedSender<Vec<u8>> },
}

/// One end of a connection.
pub struct AgentLink {
    ends: Ends,
    unsent: RefCell<Vec<u8>>,
    /// Notified when `unsent` grew, or the other side does not read any more.
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
        Ok(Self::of(Ends::Streams { from, to }))
    }

    /// A link within this process: one message for each frame. The link ends when the other side drops its sender, or sends an empty
    /// message.
    pub fn within(from: UnboundedReceiver<Vec<u8>>, to: UnboundedSender<Vec<u8>>) -> Rc<AgentLink> {
        Self::of(Ends::Channels { from: AsyncMutex::new(from), to })
    }

    fn of(ends: Ends) -> Rc<AgentLink> {
        let link = Rc::new(AgentLink {
            ends,
            unsent: RefCell::default(),
            more: Notify::new(),
            broken: Cell::new(false),
            heard_at: Cell::new(Instant::now()),
        });
        tokio::task::spawn_local(link.clone().write_on());
        link
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
    fn is_flushed(&self) -> bool {
        self.unsent.borrow().is_empty()
    }

    fn flush(&self) {
        let mut unsent = self.unsent.borrow_mut();
        let mut sent = 0;
        while sent < unsent.len() {
            let written = match &self.ends {
                Ends::Streams { to, .. } => write(to.get_ref(), &unsent[sent..]),
                Ends::Channels { to, .. } => {
                    to.send(unsent[sent..].to_vec()).map(|()| unsent.len() - sent).map_err(|_| Errno::PIPE)
                }
            };
            match written {
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

    /// Receive bytes into `room`. Returns how many: 0 at the end.
    async fn receive(&self, room: &mut Vec<u8>) -> Result<usize, Errno> {
        let from = match &self.ends {
            Ends::Streams { from, .. } => from,
            Ends::Channels { from, .. } => {
                *room = from.lock().await.recv().await.unwrap_or_default();
                return Ok(room.len());
            }
        };
        loop {
            let Ok(mut ready) = from.readable().await else { return Ok(0) };
            match read(from.get_ref(), &mut room[..]) {
                Err(Errno::AGAIN) => ready.clear_ready(),
                Err(Errno::INTR) => {}
                received => return received,
            }
        }
    }

    async fn write_on(self: Rc<Self>) {
        while !self.broken.get() {
            if self.is_flushed() {
                self.more.notified().await;
                continue;
            }
            // A channel takes all bytes at once.
            let Ends::Streams { to, .. } = &self.ends else { return };
            let Ok(mut ready) = to.writable().await else { return };
            self.flush();
            if !self.is_flushed() {
                ready.clear_ready();
            }
        }
    }

    /// Read until the stream ends. Returns the error, if it did not simply end. If the other side is an agent, `opens` is given: bytes
    /// before [`OPENING`] are noise, and `opens` is called once the opening was received.
    pub async fn read_on(
        &self,
        mut opens: Option<impl FnOnce()>,
        mut digest: impl FnMut(&[u8]) -> Result<(), String>,
    ) -> Result<(), String> {
        let mut frames = Frames::up_to(FRAME_MAX);
        let mut noise = Vec::new();
        let mut chunk = vec![0_u8; 64 << 10];
        loop {
            let got = match self.receive(&mut chunk).await {
                Ok(0) => return silence(&noise),
                Ok(got) => got,
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
    last.map_or(Ok(()), |line| Err(format!("it printed `{line}`")))
}
