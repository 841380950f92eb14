//! One PE's connection: its messages in, our answers out, and who wrote them.
//!
//! The kernel attaches the writer's process number to what is read (SO_PASSCRED), in our own numbering even if the
//! PE lives in another PID namespace. Bytes of different processes never come in one read.

use super::host::Event;
use ferrite_bootstrap::wire::{Frames, ToLauncher};
use ferrite_fabric::Pe;
use rustix::io::Errno;
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendFlags, recvmsg, send};
use std::cell::RefCell;
use std::io::{self, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::rc::Rc;
use tokio::io::Interest;
use tokio::net::UnixStream;
use tokio::sync::Notify;
use tokio::sync::mpsc::UnboundedSender;

/// A PE that asks and never reads the answers gets no more than this.
const UNREAD_MAX: usize = 4 << 20;

/// oshrun's end.
pub struct Link {
    pe: Pe,
    stream: UnixStream,
    events: UnboundedSender<Event>,
    state: RefCell<State>,
    /// Raised when `unsent` grew.
    more: Notify,
}

#[derive(Default)]
struct State {
    frames: Frames,
    unsent: Vec<u8>,
    closed: bool,
}

impl Link {
    /// Serve this connection; what the PE says becomes events.
    pub fn serve(pe: Pe, connection: OwnedFd, events: UnboundedSender<Event>) -> io::Result<Rc<Self>> {
        let stream = std::os::unix::net::UnixStream::from(connection);
        stream.set_nonblocking(true)?;
        let stream = UnixStream::from_std(stream)?;
        let link = Rc::new(Link { pe, stream, events, state: RefCell::default(), more: Notify::new() });
        tokio::task::spawn_local(link.clone().run());
        Ok(link)
    }

    async fn run(self: Rc<Self>) {
        loop {
            let (closed, idle) = {
                let state = self.state.borrow();
                (state.closed, state.unsent.is_empty())
            };
            if closed {
                return;
            }
            let interest = if idle { Interest::READABLE } else { Interest::READABLE | Interest::WRITABLE };
            tokio::select! {
                ready = self.stream.ready(interest) => {
                    let Ok(ready) = ready else { return };
                    if ready.is_writable() {
                        self.flush();
                    }
                    if ready.is_readable() || ready.is_read_closed() {
                        self.pump();
                    }
                }
                () = self.more.notified() => {}
            }
        }
    }

    /// Take in all that has come. Called when something may have, and before a PE's end is judged: what it said last
    /// counts.
    pub fn pump(&self) {
        let mut state = self.state.borrow_mut();
        while !state.closed {
            let mut chunk = [0_u8; 16 << 10];
            // Not by way of `try_io`: that refuses until tokio has seen the event, and a PE's last words may have come since.
            match receive(&self.stream, &mut chunk) {
                Ok((0, _)) => state.closed = true,
                Ok((got, pid)) => {
                    if let Err(why) = self.digest(&mut state, &chunk[..got], pid) {
                        state.closed = true;
                        let _ = self.events.send(Event::Garbled { pe: self.pe, why });
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    // Tell tokio that there is no more, so that the next event is waited for.
                    let _ = self.stream.try_io(Interest::READABLE, || -> io::Result<()> { Err(Errno::AGAIN.into()) });
                    return;
                }
                // A reset: the PE ended with our answer unread. How it ended is seen elsewhere.
                Err(_) => state.closed = true,
            }
        }
    }

    fn digest(&self, state: &mut State, bytes: &[u8], pid: i32) -> Result<(), String> {
        state.frames.push(bytes);
        while let Some(body) = state.frames.next_body().map_err(|error| error.to_string())? {
            let message = ToLauncher::parse(body).map_err(|error| error.to_string())?;
            let _ = self.events.send(Event::Said { pe: self.pe, pid, message });
        }
        Ok(())
    }

    /// Answer. An error says that the PE does not read.
    pub fn post(&self, frame: &[u8]) -> Result<(), String> {
        let mut state = self.state.borrow_mut();
        if state.unsent.len() + frame.len() > UNREAD_MAX {
            return Err(format!("it leaves {} bytes of answers unread", state.unsent.len()));
        }
        state.unsent.extend_from_slice(frame);
        drop(state);
        self.flush();
        if !self.state.borrow().unsent.is_empty() {
            self.more.notify_one();
        }
        Ok(())
    }

    fn flush(&self) {
        let mut state = self.state.borrow_mut();
        while !state.unsent.is_empty() {
            // Not by way of `try_io`: that refuses until the first event has come, and the socket has room now.
            match send(&self.stream, &state.unsent, SendFlags::NOSIGNAL | SendFlags::DONTWAIT) {
                Ok(sent) => drop(state.unsent.drain(..sent)),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => {
                    // Tell tokio that it is not writable, so that the next event is waited for.
                    let _ = self.stream.try_io(Interest::WRITABLE, || -> io::Result<()> { Err(Errno::AGAIN.into()) });
                    return;
                }
                // Nobody reads any more.
                Err(_) => state.unsent.clear(),
            }
        }
    }
}

/// Some bytes and who wrote them.
fn receive(stream: &UnixStream, chunk: &mut [u8]) -> io::Result<(usize, i32)> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmCredentials(1), ScmRights(8))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let flags = RecvFlags::DONTWAIT | RecvFlags::CMSG_CLOEXEC;
    let got = rustix::io::retry_on_intr(|| recvmsg(stream, &mut [IoSliceMut::new(chunk)], &mut control, flags))?;
    let mut writer = 0;
    for message in control.drain() {
        // Descriptors are nothing that a PE sends here; dropping them closes them.
        if let RecvAncillaryMessage::ScmCredentials(credentials) = message {
            writer = credentials.pid.as_raw_nonzero().get();
        }
    }
    Ok((got.bytes, writer))
}
