//! What PEs print, carried to the user by the line.
//!
//! A line goes out whole, in one piece: lines of different PEs never mix. What has no end of line yet is held, until
//! its PE ends its output. Only if all that is held exceeds `HELD_MAX` does a part of a line go out early; should
//! another PE's line follow, an end of line is put between.
//!
//! One thread writes; the channel to it is short. A user who does not read (`| less`) thus slows the PEs down, as a
//! pipe does, and nothing is lost.

use rustix::fd::{AsFd, BorrowedFd};
use rustix::io::Errno;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;
use tokio::net::unix::pipe::Receiver;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

/// How much of unfinished lines is held, over all PEs.
const HELD_MAX: usize = 256 << 20;
/// How long a line without end is held from a user at the terminal.
const PROMPT_AFTER: Duration = Duration::from_millis(200);
/// Pieces on their way to the writing thread.
const PIECES_MAX: usize = 64;

/// Which of the two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
}

/// Who wrote a piece: a PE, or (`None`) oshrun itself.
type Author = Option<u32>;

struct Piece {
    stream: Stream,
    author: Author,
    bytes: Vec<u8>,
}

/// The way to the user's terminal, file or pipe.
#[derive(Clone)]
pub struct Output {
    pieces: mpsc::Sender<Piece>,
    held: Rc<Cell<usize>>,
    /// What a pipe gave, until it is cut into lines: one for all, or a thousand PEs would take memory for nothing.
    scratch: Rc<RefCell<Vec<u8>>>,
    tag: bool,
    prompts: bool,
}

/// What comes back from the writing thread.
pub struct Written {
    /// Resolves when stdout cannot be written any more (its reader went away).
    pub spoiled: oneshot::Receiver<Errno>,
    /// Resolves when all [`Output`]s are dropped and their pieces written.
    pub all: oneshot::Receiver<()>,
}

/// The writing thread, before it is one.
pub struct Pen {
    queue: mpsc::Receiver<Piece>,
}

impl Pen {
    /// Start the thread. Nothing may be forked after this.
    pub fn start(self) -> std::io::Result<Written> {
        let (tell_spoiled, spoiled) = oneshot::channel();
        let (tell_all, all) = oneshot::channel();
        std::thread::Builder::new().name("output".into()).stack_size(64 << 10).spawn(move || {
            write_all(self.queue, tell_spoiled);
            let _ = tell_all.send(());
        })?;
        Ok(Written { spoiled, all })
    }
}

impl Output {
    /// A way to the user, and the thread that is to write. `tag` puts the PE's number before each line; `prompts` says that a
    /// user at a terminal answers PE 0.
    pub fn prepare(tag: bool, prompts: bool) -> (Self, Pen) {
        let (pieces, queue) = mpsc::channel(PIECES_MAX);
        let scratch = Rc::new(RefCell::new(vec![0; 64 << 10]));
        (Output { pieces, held: Rc::default(), scratch, tag, prompts }, Pen { queue })
    }

    /// A line of oshrun's own, on stderr.
    pub async fn say(&self, line: &str) {
        let bytes = format!("{}\n", line.trim_end()).into_bytes();
        // The thread ends only after all senders.
        let _ = self.pieces.send(Piece { stream: Stream::Err, author: None, bytes }).await;
    }

    /// Carry one PE's stream to its end.
    pub async fn carry(self, pe: u32, stream: Stream, from: Receiver) {
        let mut lines = Lines::new(self.tag.then(|| format!("[{pe}] ").into_bytes()), self.held.clone());
        // A user at the terminal answers PE 0, and must see what it asks: a line without end goes out after a while.
        let prompts = self.prompts && pe == 0;
        loop {
            let waiting = if prompts && lines.is_open() { PROMPT_AFTER } else { Duration::MAX };
            let bytes = match timeout(waiting, from.readable()).await {
                Ok(Ok(())) => {
                    let mut scratch = self.scratch.borrow_mut();
                    match from.try_read(&mut scratch) {
                        Ok(0) => break,
                        Ok(got) => lines.push(&scratch[..got]),
                        Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => continue,
                        Err(_) => break,
                    }
                }
                Ok(Err(_)) => break,
                Err(_) => lines.rest(),
            };
            self.send(pe, stream, bytes).await;
        }
        self.send(pe, stream, lines.rest()).await;
    }

    async fn send(&self, pe: u32, stream: Stream, bytes: Vec<u8>) {
        if !bytes.is_empty() {
            let _ = self.pieces.send(Piece { stream, author: Some(pe), bytes }).await;
        }
    }
}

/// One stream's bytes, cut into whole lines.
struct Lines {
    tag: Option<Vec<u8>>,
    /// The unfinished line, with its tag.
    open: Vec<u8>,
    /// Whether a part of the unfinished line went out already.
    begun: bool,
    held: Rc<Cell<usize>>,
}

impl Lines {
    fn new(tag: Option<Vec<u8>>, held: Rc<Cell<usize>>) -> Self {
        Lines { tag, open: Vec::new(), begun: false, held }
    }

    /// Take in what was read; give back what can go out.
    fn push(&mut self, chunk: &[u8]) -> Vec<u8> {
        let before = self.open.len();
        let out = match chunk.iter().rposition(|&byte| byte == b'\n') {
            None => {
                self.open_line(chunk);
                Vec::new()
            }
            Some(last) => {
                let mut lines = chunk[..=last].split_inclusive(|&byte| byte == b'\n');
                self.open_line(lines.next().unwrap_or_default());
                let mut out = std::mem::take(&mut self.open);
                self.begun = false;
                for line in lines {
                    out.extend_from_slice(self.tag.as_deref().unwrap_or_default());
                    out.extend_from_slice(line);
                }
                self.open_line(&chunk[last + 1..]);
                out
            }
        };
        self.held.set(self.held.get() + self.open.len() - before);
        if self.held.get() > HELD_MAX && out.is_empty() { self.rest() } else { out }
    }

    fn open_line(&mut self, part: &[u8]) {
        if part.is_empty() {
            return;
        }
        if let Some(tag) = self.tag.as_ref().filter(|_| self.open.is_empty() && !self.begun) {
            self.open.extend_from_slice(tag);
        }
        self.open.extend_from_slice(part);
    }

    fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// What is held, as it stands.
    fn rest(&mut self) -> Vec<u8> {
        let rest = std::mem::take(&mut self.open);
        self.begun |= !rest.is_empty();
        self.held.set(self.held.get() - rest.len());
        rest
    }
}

/// The writing thread.
fn write_all(mut queue: mpsc::Receiver<Piece>, spoiled: oneshot::Sender<Errno>) {
    let mut spoiled = Some(spoiled);
    // Whose unfinished line is the last of each stream.
    let mut open: [Option<Author>; 2] = [None; 2];
    while let Some(Piece { stream, author, bytes }) = queue.blocking_recv() {
        let open = &mut open[stream as usize];
        let result = match *open {
            Some(other) if other != author => write_to(stream, b"\n"),
            _ => Ok(()),
        };
        *open = (bytes.last() != Some(&b'\n')).then_some(author);
        if let Err(error) = result.and_then(|()| write_to(stream, &bytes))
            && stream == Stream::Out
            && let Some(spoiled) = spoiled.take()
        {
            let _ = spoiled.send(error);
        }
    }
}

/// Write to one of our own standard streams, which may be non-blocking by another's doing.
fn write_to(stream: Stream, mut bytes: &[u8]) -> Result<(), Errno> {
    let (out, err) = (std::io::stdout(), std::io::stderr());
    let fd: BorrowedFd<'_> = match stream {
        Stream::Out => out.as_fd(),
        Stream::Err => err.as_fd(),
    };
    while !bytes.is_empty() {
        match rustix::io::write(fd, bytes) {
            Ok(written) => bytes = &bytes[written..],
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => {
                let wanted = rustix::event::PollFd::from_borrowed_fd(fd, rustix::event::PollFlags::OUT);
                let _ = rustix::event::poll(&mut [wanted], None);
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lines(tag: Option<&str>) -> Lines {
        Lines::new(tag.map(|tag| tag.as_bytes().to_vec()), Rc::default())
    }

    #[test]
    fn only_whole_lines_go_out_until_the_end() {
        let mut lines = lines(None);
        assert_eq!(lines.push(b"ab"), b"");
        assert_eq!(lines.push(b"c\nde\nf"), b"abc\nde\n");
        assert_eq!(lines.held.get(), 1);
        assert_eq!(lines.push(b"\n"), b"f\n");
        assert_eq!(lines.push(b"g"), b"");
        assert_eq!(lines.rest(), b"g");
        assert_eq!(lines.held.get(), 0);
    }

    #[test]
    fn every_line_is_tagged_once() {
        let mut lines = lines(Some("[3] "));
        assert_eq!(lines.push(b"a\n\nb"), b"[3] a\n[3] \n");
        assert_eq!(lines.push(b"c\nd"), b"[3] bc\n");
        assert_eq!(lines.rest(), b"[3] d");
        assert_eq!(lines.push(b"e\n"), b"e\n", "it continues a line that went out in part");
    }

    #[test]
    fn too_much_held_goes_out_early() {
        let mut lines = lines(None);
        lines.held.set(HELD_MAX);
        assert_eq!(lines.push(b"abc"), b"abc");
        assert_eq!(lines.held.get(), HELD_MAX);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_or_added(text in "[ab\n]{0,60}", cuts in prop::collection::vec(1_usize..9, 1..9)) {
            let (mut lines, mut out, mut rest) = (lines(None), Vec::new(), text.as_bytes());
            for cut in cuts.iter().cycle() {
                if rest.is_empty() { break }
                let (part, after) = rest.split_at((*cut).min(rest.len()));
                let piece = lines.push(part);
                prop_assert!(piece.is_empty() || piece.ends_with(b"\n"));
                out.extend(piece);
                rest = after;
            }
            out.extend(lines.rest());
            prop_assert_eq!(out, text.as_bytes());
            prop_assert_eq!(lines.held.get(), 0);
        }
    }
}
