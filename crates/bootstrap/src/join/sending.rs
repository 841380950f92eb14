//! A member's messages to its root, sent by several threads, each of which may have a time limit.
//!
//! One message at a time is under way. If the time of its sender passes, its rest stays here, and leaves before the next message. Threads
//! wait for room without a lock, so each keeps its own time.

use super::{left, timespec};
use ferrite_os::{guarded_fd::GuardedFd, mutex};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::net::{SendFlags, send};
use std::collections::VecDeque;
use std::io;
use std::os::fd::BorrowedFd;
use std::sync::Mutex;
use std::time::Instant;

#[derive(Default)]
pub(super) struct Sending(Mutex<UnderWay>);

/// The message under way.
#[derive(Default)]
struct UnderWay {
    rest: VecDeque<u8>,
    /// Number of messages that were begun.
    begun: u64,
}

impl Sending {
    /// Send a frame. Returns false, and sends nothing, if earlier messages have not left by `end`. If a part of the frame has left by then, the
    /// rest leaves before the next message.
    pub fn send(&self, socket: &GuardedFd, frame: &[u8], end: Option<Instant>) -> io::Result<bool> {
        let mut mine = None;
        loop {
            let file = socket.get()?;
            {
                let mut under_way = mutex::lock(&self.0);
                let mut is_sent = under_way.push(file)?;
                if is_sent && mine.is_none() {
                    mine = Some(under_way.begin(frame));
                    is_sent = under_way.push(file)?;
                }
                if mine.is_some_and(|mine| is_sent || under_way.begun > mine) {
                    return Ok(true);
                }
            }
            let left = match end.map(left) {
                None => None,
                Some(None) => return Ok(mine.is_some()),
                Some(Some(left)) => Some(timespec(left)),
            };
            match poll(&mut [PollFd::from_borrowed_fd(file, PollFlags::OUT)], left.as_ref()) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

impl UnderWay {
    /// Begin a message; the one before has left. Returns its number.
    fn begin(&mut self, frame: &[u8]) -> u64 {
        debug_assert!(self.rest.is_empty());
        self.rest.extend(frame);
        self.begun += 1;
        self.begun
    }

    /// Send what the socket takes now. True if nothing is left.
    fn push(&mut self, file: BorrowedFd<'_>) -> io::Result<bool> {
        while !self.rest.is_empty() {
            match send(file, self.rest.as_slices().0, SendFlags::NOSIGNAL | SendFlags::DONTWAIT) {
                Ok(count) => drop(self.rest.drain(..count)),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Ok(false),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::os::unix::net::UnixStream;
    use std::thread;
    use std::time::Duration;

    #[test]
    fn a_frame_whose_time_passes_leaves_whole_before_the_next() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let (socket, sending) = (GuardedFd::new(ours.into()).unwrap(), Sending::default());
        let soon = || Some(Instant::now() + Duration::from_millis(5));
        let long = |byte: u8| vec![byte; 8 << 20];
        assert!(sending.send(&socket, &long(1), soon()).unwrap(), "it is begun");
        assert!(!sending.send(&socket, &[2], soon()).unwrap(), "the first has not left");
        let reader = thread::spawn(move || {
            let mut all = Vec::new();
            theirs.read_to_end(&mut all).unwrap();
            all
        });
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| assert!(sending.send(&socket, &long(3), None).unwrap()));
            }
        });
        assert!(sending.send(&socket, &[4], None).unwrap());
        drop(socket);
        assert!(reader.join().unwrap() == [long(1), long(3), long(3), vec![4]].concat());
    }
}
