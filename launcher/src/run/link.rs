//! One PE's connection: its messages in, our answers out, and who wrote them.
//!
//! The kernel attaches the writer's process number to what is read (SO_PASSCRED), in our own numbering even if the
//! PE lives in another PID namespace. Bytes of different processes never come in one read.

use super::event::Event;
use super::tongue::Tongue;
use ferrite_bootstrap::wire::ToPe;
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
/// A PE waits for its answers, so few of its messages are ever under way: more are a flood.
const UNHEARD_MAX: usize = 1000;
/// How many times a connection is read before others have their turn.
const CHUNKS_MAX: usize = 64;

/// oshrun's end.
pub struct Link {
    pe: Pe,
    stream: UnixStream,
    events: UnboundedSender<Event>,
    state: RefCell<State>,
    /// Raised when `unsent` grew.
    more: Notify,
}

struct State {
    tongue: Tongue,
    unsent: Vec<u8>,
    closed: bool,
    /// Messages that are events, but have not been acted upon.
    unheard: usize,
}

impl Link {
    /// Serve this connection of a PE that runs program number `app`; what the PE says becomes events.
    pub fn serve(pe: Pe, app: usize, connection: OwnedFd, events: UnboundedSender<Event>) -> io::Result<Rc<Self>> {
        let stream = std::os::unix::net::UnixStream::from(connection);
        stream.set_nonblocking(true)?;
        let stream = UnixStream::from_std(stream)?;
        let state = State { tongue: Tongue::new(app), unsent: Vec::new(), closed: false, unheard: 0 };
        let link = Rc::new(Link { pe, stream, events, state: RefCell::new(state), more: Notify::new() });
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
                        self.flush(&mut self.state.borrow_mut());
                    }
                    if ready.is_readable() || ready.is_read_closed() {
                        self.pump();
                    }
                }
                () = self.more.notified() => {}
            }
        }
    }

    /// Take in what has come. Called when something may have, and before a PE's end is judged: what it said last
    /// counts.
    ///
    /// Not by way of `try_io`: that looks only once tokio has seen the event, and a PE whose end is judged now may have
    /// spoken since.
    pub fn pump(&self) {
        let mut state = self.state.borrow_mut();
        let mut chunk = [0_u8; 16 << 10];
        // More than a socket holds; a PE that never stops writing is come back to.
        for _ in 0..CHUNKS_MAX {
            if state.closed {
                return;
            }
            match receive(&self.stream, &mut chunk) {
                Ok((0, _)) => state.closed = true,
                Ok((got, pid)) => {
                    if let Err(why) = self.digest(&mut state, &chunk[..got], pid) {
                        state.closed = true;
                        let _ = self.events.send(Event::Garbled { pe: self.pe, why });
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return self.is_not(Interest::READABLE),
                // A reset: the PE ended with our answer unread. How it ended is seen elsewhere.
                Err(_) => state.closed = true,
            }
        }
    }

    /// Tell tokio that the stream is not ready after all, so that the next event is waited for.
    fn is_not(&self, interest: Interest) {
        let _ = self.stream.try_io(interest, || -> io::Result<()> { Err(Errno::AGAIN.into()) });
    }

    /// One message of this PE was acted upon.
    pub fn acted(&self) {
        self.state.borrow_mut().unheard -= 1;
    }

    fn digest(&self, state: &mut State, bytes: &[u8], pid: i32) -> Result<(), String> {
        let said = state.tongue.hear(bytes)?;
        state.unheard += said.messages.len();
        if state.unheard > UNHEARD_MAX {
            return Err(format!("more than {UNHEARD_MAX} messages at once"));
        }
        for message in said.messages {
            let _ = self.events.send(Event::Said { pe: self.pe, pid, message });
        }
        self.queue(state, &said.answer)
    }

    /// Answer. An error says that the PE does not read.
    pub fn post(&self, answer: &ToPe) -> Result<(), String> {
        let mut state = self.state.borrow_mut();
        let bytes = state.tongue.utter(answer);
        self.queue(&mut state, &bytes)
    }

    fn queue(&self, state: &mut State, bytes: &[u8]) -> Result<(), String> {
        if state.unsent.len() + bytes.len() > UNREAD_MAX {
            return Err(format!("it leaves {} bytes of answers unread", state.unsent.len()));
        }
        state.unsent.extend_from_slice(bytes);
        self.flush(state);
        if !state.unsent.is_empty() {
            self.more.notify_one();
        }
        Ok(())
    }

    fn flush(&self, state: &mut State) {
        while !state.unsent.is_empty() {
            match send(&self.stream, &state.unsent, SendFlags::NOSIGNAL | SendFlags::DONTWAIT) {
                Ok(sent) => drop(state.unsent.drain(..sent)),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return self.is_not(Interest::WRITABLE),
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
