//! The output of one PE: the pipes of its standard streams, read as fast as earlier output is written.

use super::event::Event;
use super::output_stream::OutputStream;
use super::spawn::StandardStreams;
use ferrite_fabric::Pe;
use rustix::pipe::{PipeFlags, pipe_with};
use std::cell::RefCell;
use std::io;
use std::os::fd::OwnedFd;
use std::process::Stdio;
use std::rc::Rc;
use tokio::net::unix::pipe::Receiver;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::{Semaphore, SemaphorePermit};

/// How many bytes of output per stream may be read but not yet written.
const WINDOW: usize = 512 << 10;
/// How many bytes are read at once.
pub const CHUNK: usize = 32 << 10;

/// Per stream, how many more bytes of output may be read before earlier bytes were written. Each stream has its own count, so that a reader
/// who stops reading one stream does not block the other.
pub type Windows = [Rc<Semaphore>; 2];

/// Windows of which nothing is used.
pub fn windows() -> Windows {
    [(); 2].map(|()| Rc::new(Semaphore::new(WINDOW)))
}

/// The standard streams of a PE, and the ends of its output and error streams that oshrun reads.
pub fn streams(input: Stdio) -> io::Result<(StandardStreams, [OwnedFd; 2])> {
    let (out, output) = pipe_with(PipeFlags::CLOEXEC)?;
    let (err, error) = pipe_with(PipeFlags::CLOEXEC)?;
    Ok((StandardStreams { input, output: output.into(), error: error.into() }, [out, err]))
}

/// The output of one PE.
pub struct PeOutput {
    pub pe: Pe,
    pipes: [Receiver; 2],
    windows: Windows,
    events: UnboundedSender<Event>,
}

impl PeOutput {
    /// The output of `pe` from these pipes. The bytes that are read become events.
    pub fn of(
        pe: Pe,
        [out, err]: [OwnedFd; 2],
        windows: &Windows,
        events: &UnboundedSender<Event>,
    ) -> io::Result<PeOutput> {
        let pipes = [Receiver::from_owned_fd(out)?, Receiver::from_owned_fd(err)?];
        Ok(PeOutput { pe, pipes, windows: windows.clone(), events: events.clone() })
    }

    /// Read a stream to its end, as long as its window has room: earlier output of the stream is being written.
    pub async fn read_on(self: Rc<Self>, stream: OutputStream, scratch: Rc<RefCell<Vec<u8>>>) {
        let (from, window) = (&self.pipes[stream as usize], &self.windows[stream as usize]);
        while from.readable().await.is_ok() {
            let Ok(room) = window.acquire_many(CHUNK as u32).await else { break };
            let mut scratch = scratch.borrow_mut();
            match from.try_read(&mut scratch) {
                Ok(0) => break,
                Ok(got) => self.pass_on(stream, scratch[..got].to_vec(), room),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => {
                    let why = format!("read its output: {error}");
                    let _ = self.events.send(Event::PeUnreachable { pe: self.pe, why });
                    break;
                }
            }
        }
        let _ = self.events.send(Event::PeOutput { pe: self.pe, stream, bytes: Vec::new() });
    }

    /// Read what the PE has printed so far, so that it comes before what oshrun says of the PE. If a window is full, the rest comes later.
    ///
    /// Does not use `try_read`: that reads only after tokio has seen the event, and a PE that has just ended may have written since.
    pub fn catch_up(&self) {
        for stream in [OutputStream::Out, OutputStream::Err] {
            let (from, window) = (&self.pipes[stream as usize], &self.windows[stream as usize]);
            while let Ok(room) = window.try_acquire_many(CHUNK as u32) {
                let mut bytes = vec![0; CHUNK];
                match rustix::io::read(from, &mut bytes) {
                    Ok(got) if got > 0 => {
                        bytes.truncate(got);
                        self.pass_on(stream, bytes, room);
                    }
                    _ => break,
                }
            }
        }
    }

    /// The bytes that were read are credited when they are written, the rest of the room at once.
    fn pass_on(&self, stream: OutputStream, bytes: Vec<u8>, room: SemaphorePermit<'_>) {
        room.forget();
        self.windows[stream as usize].add_permits(CHUNK - bytes.len());
        let _ = self.events.send(Event::PeOutput { pe: self.pe, stream, bytes });
    }
}
