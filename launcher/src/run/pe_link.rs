//! oshrun's end of one PE's connection: receives messages, sends answers, and determines which process wrote each message.
//!
//! The kernel attaches the writer's process id to received bytes (SO_PASSCRED), translated to our PID namespace if the PE lives in a
//! namespace below it. A writer in any other namespace has no process id in ours: the kernel reports 0. One read never returns bytes of two
//! processes.

use super::event::Event;
use super::pe_output::PeOutput;
use super::pe_protocol::PeProtocol;
use ferrite_bootstrap::wire::{ToLauncher, ToPe};
use ferrite_fabric::Pe;
use rustix::io::Errno;
use rustix::net::{SendFlags, send};
use std::cell::RefCell;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::rc::Rc;
use tokio::io::Interest;
use tokio::net::UnixStream;
use tokio::sync::Notify;
use tokio::sync::mpsc::UnboundedSender;

/// The most bytes of answers that may wait for a PE that does not read them.
const UNREAD_MAX: usize = 4 << 20;
/// The most messages of a PE that may wait to be handled. A PE waits for its answers, so a correct PE has few.
const UNHANDLED_MAX: usize = 1000;
/// How many times a connection is read in a row, before other connections get their turn.
const CHUNKS_MAX: usize = 64;

/// oshrun's end of a PE's connection.
pub struct PeLink {
    pe: Pe,
    output: Rc<PeOutput>,
    stream: UnixStream,
    events: UnboundedSender<Event>,
    state: RefCell<State>,
    /// Notified when `unsent` grew.
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
    /// Serve the connection of the PE with this output, which runs program number `app`. The PE's messages become events.
    pub fn serve(
        app: usize,
        connection: OwnedFd,
        output: Rc<PeOutput>,
        events: UnboundedSender<Event>,
    ) -> io::Result<Rc<Self>> {
        let stream = std::os::unix::net::UnixStream::from(connection);
        stream.set_nonblocking(true)?;
        let stream = UnixStream::from_std(stream)?;
        let state = State { protocol: PeProtocol::new(app), unsent: Vec::new(), closed: false, unhandled: 0 };
        let link =
            Rc::new(PeLink { pe: output.pe, output, stream, events, state: RefCell::new(state), more: Notify::new() });
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
                // The PE ended with our answer unread. Its exit status says how it ended.
                Err(error) if error.kind() == io::ErrorKind::ConnectionReset => state.closed = true,
                Err(error) => self.fail(&mut state, "read", &error),
            }
        }
    }

    /// The connection has failed, and not because the PE has closed it. The PE would wait in vain.
    fn fail(&self, state: &mut State, what: &str, error: &dyn std::fmt::Display) {
        state.closed = true;
        state.unsent.clear();
        let why = format!("{what} its connection: {error}");
        let _ = self.events.send(Event::PeUnreachable { pe: self.pe, why });
    }

    /// Clear tokio's readiness of the stream, so that it waits for the next event.
    fn is_not(&self, interest: Interest) {
        let _ = self.stream.try_io(interest, || -> io::Result<()> { Err(Errno::AGAIN.into()) });
    }

    /// The output of the PE.
    pub fn output(&self) -> &PeOutput {
        &self.output
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
            // The reason comes after what the PE has printed before.
            if matches!(message, ToLauncher::Abort { .. }) {
                self.output.catch_up();
            }
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
                // The PE does not read any more.
                Err(Errno::PIPE | Errno::CONNRESET) => state.unsent.clear(),
                Err(error) => self.fail(state, "write", &error),
            }
        }
    }
}

/// Buffer for the control messages of a read, with their alignment.
#[repr(C, align(8))]
struct Control([u8; 256]);

/// Receive bytes, and the id of the process that wrote them: 0 if it has none here.
///
/// rustix is not used: its type for a process id cannot be 0.
fn receive(stream: &impl AsRawFd, chunk: &mut [u8]) -> io::Result<(usize, i32)> {
    let mut control = Control([0; 256]);
    let mut bytes = libc::iovec { iov_base: chunk.as_mut_ptr().cast(), iov_len: chunk.len() };
    // SAFETY: a header of zeros is valid: it has no buffers.
    let mut header: libc::msghdr = unsafe { std::mem::zeroed() };
    (header.msg_iov, header.msg_iovlen) = (&raw mut bytes, 1);
    (header.msg_control, header.msg_controllen) = ((&raw mut control.0).cast(), control.0.len() as _);
    let got = loop {
        // SAFETY: the header names two buffers that outlive the call, with their lengths.
        let got =
            unsafe { libc::recvmsg(stream.as_raw_fd(), &raw mut header, libc::MSG_DONTWAIT | libc::MSG_CMSG_CLOEXEC) };
        match usize::try_from(got) {
            Ok(got) => break got,
            Err(_) if io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return Err(io::Error::last_os_error()),
        }
    };
    let mut writer = 0;
    // SAFETY: the kernel has filled the control buffer and set its length. These functions walk its messages, each of which is complete and
    // has the data that its type names; the data are read unaligned.
    unsafe {
        let mut message = libc::CMSG_FIRSTHDR(&raw const header);
        while let Some(head) = message.as_ref() {
            let data = libc::CMSG_DATA(message);
            match (head.cmsg_level, head.cmsg_type) {
                (libc::SOL_SOCKET, libc::SCM_CREDENTIALS) => writer = data.cast::<libc::ucred>().read_unaligned().pid,
                // A PE should not send descriptors here. They are ours now, so close them.
                (libc::SOL_SOCKET, libc::SCM_RIGHTS) => {
                    let length = head.cmsg_len - (data.addr() - message.addr());
                    for at in 0..length / size_of::<RawFd>() {
                        drop(OwnedFd::from_raw_fd(data.cast::<RawFd>().add(at).read_unaligned()));
                    }
                }
                _ => {}
            }
            message = libc::CMSG_NXTHDR(&raw const header, message);
        }
    }
    Ok((got, writer))
}

#[cfg(test)]
mod tests {
    use super::super::pe_output;
    use super::*;
    use std::io::Write;
    use std::os::unix::net;
    use std::os::unix::process::CommandExt;
    use std::process::Command;
    use std::time::Duration;
    use tokio::sync::mpsc;

    #[test]
    fn unreadable_connection_is_reported() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        tokio::task::LocalSet::new().block_on(&runtime, async {
            let (events, mut happened) = mpsc::unbounded_channel();
            // A pipe can be polled like a socket, but not received from.
            let (reader, mut writer) = io::pipe().unwrap();
            let streams = [io::pipe().unwrap(), io::pipe().unwrap()].map(|(reader, _)| reader.into());
            let output = PeOutput::of(Pe(3), streams, &pe_output::windows(), &events).unwrap();
            let _link = PeLink::serve(0, reader.into(), Rc::new(output), events).unwrap();
            writer.write_all(b"x").unwrap();
            let told = tokio::time::timeout(Duration::from_secs(60), happened.recv()).await.expect("nothing is told");
            assert!(matches!(told, Some(Event::PeUnreachable { pe: Pe(3), .. })), "{told:?}");
        });
    }

    #[test]
    fn the_writer_is_known_and_descriptors_that_it_sends_are_closed() {
        let (ours, theirs) = net::UnixStream::pair().unwrap();
        rustix::net::sockopt::set_socket_passcred(&ours, true).unwrap();
        let (reader, writer) = io::pipe().unwrap();
        let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = rustix::net::SendAncillaryBuffer::new(&mut space);
        let sent = [std::os::fd::AsFd::as_fd(&writer)];
        assert!(control.push(rustix::net::SendAncillaryMessage::ScmRights(&sent)));
        rustix::net::sendmsg(&theirs, &[io::IoSlice::new(b"ab")], &mut control, SendFlags::empty()).unwrap();
        let mut chunk = [0; 9];
        assert_eq!(receive(&ours, &mut chunk).unwrap(), (2, std::process::id().cast_signed()));
        drop(writer);
        let mut end = Vec::new();
        assert_eq!(io::Read::read_to_end(&mut &reader, &mut end).unwrap(), 0, "nobody holds the pipe open");
    }

    /// The variable that names the descriptor for the second process of the test below.
    const FOREIGN: &str = "FERRITE_TEST_FOREIGN";

    /// Run again as the first process of a PID namespace, in which the writer has no process id.
    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test's own variable")]
    fn writer_of_another_namespace_is_unknown() {
        if let Some(fd) = std::env::var(FOREIGN).ok().and_then(|fd| fd.parse().ok()) {
            // SAFETY: the descriptor was inherited for this purpose, and nothing else here owns it.
            let stream = unsafe { net::UnixStream::from_raw_fd(fd) };
            assert_eq!(receive(&stream, &mut [0; 9]).unwrap(), (1, 0));
            return;
        }
        let (ours, mut theirs) = net::UnixStream::pair().unwrap();
        rustix::net::sockopt::set_socket_passcred(&ours, true).unwrap();
        theirs.write_all(b"x").unwrap();
        let name = "run::pe_link::tests::writer_of_another_namespace_is_unknown";
        let mut again = Command::new("unshare");
        again.args(["--fork", "--pid"]).arg(std::env::current_exe().unwrap()).args(["--exact", name]);
        let fd = ours.as_raw_fd();
        // SAFETY: between fork and exec the closure makes one system call, on a descriptor that is open in parent and child.
        unsafe {
            again.env(FOREIGN, fd.to_string()).pre_exec(move || {
                rustix::io::fcntl_setfd(rustix::fd::BorrowedFd::borrow_raw(fd), rustix::io::FdFlags::empty())?;
                Ok(())
            })
        };
        let ran = again.output();
        match ran {
            Ok(ran) if String::from_utf8_lossy(&ran.stdout).contains("running 1 test") => {
                assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stdout));
            }
            _ => println!("skipped: PID namespaces cannot be made here"),
        }
    }
}
