//! oshrun's end of one PE's connection: receives messages, sends answers, and knows which process wrote each message.
//!
//! The kernel attaches the writer's process id to received bytes (SO_PASSCRED), translated to our PID namespace even if
//! the PE lives in another one. One read never returns bytes of two processes.

use super::event::Event;
use super::pe_protocol::PeProtocol;
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

/// The most bytes of answers that may wait for a PE that does not read them.
const UNREAD_MAX: usize = 4 << 20;
/// The most messages of a PE that may wait to be handled. A PE waits for its answers, so a correct one has few.
const UNHANDLED_MAX: usize = 1000;
/// How many times a connection is read in a row, before other connections get their turn.
const CHUNKS_MAX: usize = 64;

/// oshrun's end.
pub struct PeLink {
    pe: Pe,
    stream: UnixStream,
    events: UnboundedSender<Event>,
    state: RefCell<State>,
    /// Raised when `unsent` grew.
    more: Notify,
}

struct State {
    protocol: PeProtocol,
    unsent: Vec<u8>,
    closed: bool,
    /// Messages sent as events and not handled yet.
    unhandled: usize,
}

impl PeLink {
    /// Serve this connection of a PE that runs program number `app`; what the PE says becomes events.
    pub fn serve(pe: Pe, app: usize, connection: OwnedFd, events: UnboundedSender<Event>) -> io::Result<Rc<Self>> {
        let stream = std::os::unix::net::UnixStream::from(connection);
        stream.set_nonblocking(true)?;
        let stream = UnixStream::from_std(stream)?;
        let state = State { protocol: PeProtocol::new(app), unsent: Vec::new(), closed: false, unhandled: 0 };
        let link = Rc::new(PeLink { pe, stream, events, state: RefCell::new(state), more: Notify::new() });
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

    /// Receive everything that has arrived. Called when the stream is readable, and before the end of a PE is judged,
    /// since its last messages decide how it ended.
    ///
    /// Does not use `try_io`: that reads only after tokio has seen the event, and a PE that has just ended may have
    /// written since.
    pub fn pump(&self) {
        let mut state = self.state.borrow_mut();
        let mut chunk = [0_u8; 16 << 10];
        // This is more than a socket holds. A PE that never stops writing is read again later.
        for _ in 0..CHUNKS_MAX {
            if state.closed {
                return;
            }
            match receive(&self.stream, &mut chunk) {
                Ok((0, _)) => state.closed = true,
                Ok((got, pid)) => {
                    if let Err(why) = self.receive_bytes(&mut state, &chunk[..got], pid) {
                        state.closed = true;
                        let _ = self.events.send(Event::PeProtocolError { pe: self.pe, why });
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return self.is_not(Interest::READABLE),
                // A reset: the PE ended with our answer unread. Its exit status says how it ended.
                Err(_) => state.closed = true,
            }
        }
    }

    /// Tell tokio that the stream is not ready, so that it waits for the next event.
    fn is_not(&self, interest: Interest) {
        let _ = self.stream.try_io(interest, || -> io::Result<()> { Err(Errno::AGAIN.into()) });
    }

    /// One message of this PE was handled.
    pub fn handled(&self) {
        self.state.borrow_mut().unhandled -= 1;
    }

    fn receive_bytes(&self, state: &mut State, bytes: &[u8], pid: i32) -> Result<(), String> {
        let received = state.protocol.receive(bytes)?;
        state.unhandled += received.messages.len();
        if state.unhandled > UNHANDLED_MAX {
            return Err(format!("more than {UNHANDLED_MAX} messages at once"));
        }
        for message in received.messages {
            let _ = self.events.send(Event::PeMessage { pe: self.pe, pid, message });
        }
        self.queue(state, &received.answer)
    }

    /// Send an answer. An error means that the PE does not read its answers.
    pub fn post(&self, answer: &ToPe) -> Result<(), String> {
        let mut state = self.state.borrow_mut();
        let bytes = state.protocol.encode(answer);
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

/// Receive bytes, and the id of the process that wrote them.
fn receive(stream: &UnixStream, chunk: &mut [u8]) -> io::Result<(usize, i32)> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmCredentials(1), ScmRights(8))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let flags = RecvFlags::DONTWAIT | RecvFlags::CMSG_CLOEXEC;
    let got = rustix::io::retry_on_intr(|| recvmsg(stream, &mut [IoSliceMut::new(chunk)], &mut control, flags))?;
    let mut writer = 0;
    for message in control.drain() {
        // A PE sends no descriptors here. Dropping them closes them.
        if let RecvAncillaryMessage::ScmCredentials(credentials) = message {
            writer = credentials.pid.as_raw_nonzero().get();
        }
    }
    Ok((got.bytes, writer))
}
