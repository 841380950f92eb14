//! What PEs print, on its way to the user.
//!
//! It comes by the host, each with its own carrier; goes out by the line (see [`super::lines`]), and what went out is
//! credited to its host, which may then read as much again of that stream. The channel to the thread that writes is short. A user who
//! does not read (`| less`) thus slows the PEs down, as a pipe does, and nothing is lost.
//!
//! Each stream has its own thread and its own carriers: who pauses one must not keep from the other why the job ended.
//! But if both are the same file, pipe or terminal (`2>&1`), they have one of each, and what was said first comes first.

use super::event::Event;
use super::lines::Lines;
use ferrite_fabric::{Pe, threads};
use rustix::fd::{AsFd, BorrowedFd};
use rustix::io::Errno;
use std::cell::Cell;
use std::collections::HashMap;
use std::fmt::Display;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout};

/// How long a line without end is held from who may answer it.
const PROMPT_AFTER: Duration = Duration::from_millis(200);
/// Pieces on their way to a writing thread.
const PIECES_MAX: usize = 64;
/// How long stderr may take to be told that output was lost: who reads neither stream shall not hold oshrun back.
const LAMENT_GRACE: Duration = Duration::from_millis(300);

/// Which of the two.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
}

/// Who wrote a piece: a PE, or (`None`) oshrun itself.
type Author = Option<u32>;

/// What a PE has printed; nothing is the end of its stream.
type Printed = (Pe, Stream, Vec<u8>);

struct Piece {
    stream: Stream,
    author: Author,
    bytes: Vec<u8>,
    /// Where it goes, if not to the stream.
    file: Option<PathBuf>,
}

/// The way to the user's terminal, file or pipe.
pub struct Output {
    out: mpsc::Sender<Piece>,
    /// The same as `out`, if one thread writes both streams.
    err: mpsc::Sender<Piece>,
    /// What oshrun itself says. Who waits for hosts and signals does not wait for a reader.
    own: UnboundedSender<Piece>,
    wishes: Rc<Wishes>,
    /// What each node's PEs print, by stream.
    nodes: HashMap<(u32, Stream), UnboundedSender<Printed>>,
    events: UnboundedSender<Event>,
}

/// What the user wants of it.
pub struct Wishes {
    /// The PE's number before each line.
    pub tag: bool,
    /// Somebody may answer PE 0: a user at a terminal, or a program at the other end of its input.
    pub prompts: bool,
    /// Files in a directory, instead of lines.
    pub directory: Option<PathBuf>,
}

/// Why output is lost.
pub enum Spoiled {
    /// The reader of stdout went away.
    Unread,
    /// It cannot be written, and this is what is said of it.
    Failed(String),
}

/// What comes back from the writing threads.
pub struct Written {
    /// Why something cannot be written any more: the first reason of each thread. Ends when all is written.
    pub spoiled: UnboundedReceiver<Spoiled>,
    /// Ends when all [`Output`]s are dropped and their pieces written.
    all: mpsc::Receiver<()>,
    /// Both streams are one.
    one: bool,
}

impl Written {
    /// Wait until all [`Output`]s are dropped and their pieces written.
    pub async fn all(&mut self) {
        while self.all.recv().await.is_some() {}
    }

    /// Say on stderr that output was lost, unless that cannot be written either.
    pub async fn lament(&self) {
        // What was lost may have broken off within a line, of which only the stuck thread knows.
        let anew = if self.one { "\n" } else { "" };
        let line = format!("{anew}oshrun: some output was lost: nobody read it\n");
        let (tell, told) = oneshot::channel();
        // A thread, as this write may never return: stderr can fill up between any look at it and the write.
        let thread = std::thread::Builder::new().name("lament".into()).stack_size(64 << 10);
        let started = thread.spawn(move || {
            let _ = write_to(Stream::Err, line.as_bytes());
            let _ = tell.send(());
        });
        if started.is_ok() {
            let _ = timeout(LAMENT_GRACE, told).await;
        }
    }
}

/// The writing threads, before they are any.
pub struct Pen {
    queues: Vec<mpsc::Receiver<Piece>>,
}

impl Pen {
    /// Start the threads. Nothing may be forked after this.
    pub fn start(self) -> std::io::Result<Written> {
        let (tell_spoiled, spoiled) = mpsc::unbounded_channel();
        let (writing, all) = mpsc::channel(1);
        let one = self.queues.len() == 1;
        for queue in self.queues {
            let (tell_spoiled, writing) = (tell_spoiled.clone(), writing.clone());
            threads::start(std::thread::Builder::new().stack_size(64 << 10), "output", move || {
                write_all(queue, &tell_spoiled);
                drop(writing);
            })?;
        }
        Ok(Written { spoiled, all, one })
    }
}

impl Output {
    /// A way to the user, and the threads that are to write. What was written becomes events.
    pub fn prepare(wishes: Wishes, events: UnboundedSender<Event>) -> (Self, Pen) {
        let (out, queue) = mpsc::channel(PIECES_MAX);
        let mut queues = vec![queue];
        // What PEs print into files of their own is in nobody's order.
        let one = wishes.directory.is_none() && is_one_file(std::io::stdout(), std::io::stderr());
        let err = if one {
            out.clone()
        } else {
            let (err, queue) = mpsc::channel(PIECES_MAX);
            queues.push(queue);
            err
        };
        let (own, mut said) = mpsc::unbounded_channel();
        let to = err.clone();
        tokio::task::spawn_local(async move {
            while let Some(piece) = said.recv().await {
                // The thread ends only after all senders.
                let _ = to.send(piece).await;
            }
        });
        (Output { out, err, own, wishes: Rc::new(wishes), nodes: HashMap::new(), events }, Pen { queues })
    }

    /// Whether no more can be taken before the user has read.
    pub fn is_stuck(&self) -> bool {
        self.out.capacity() == 0 || self.err.capacity() == 0
    }

    /// A line of oshrun's own, on stderr.
    pub fn say(&self, line: &str) {
        let bytes = format!("{}\n", line.trim_end()).into_bytes();
        let _ = self.own.send(Piece { stream: Stream::Err, author: None, bytes, file: None });
    }

    /// Take what a PE of a node has printed; nothing is the end of its stream.
    pub fn take(&mut self, node: u32, pe: Pe, stream: Stream, bytes: Vec<u8>) {
        let one = self.out.same_channel(&self.err);
        let carrier = self.nodes.entry((node, if one { Stream::Out } else { stream })).or_insert_with(|| {
            let (to, printed) = mpsc::unbounded_channel();
            // A file that cannot be written shall not hold back oshrun's own lines.
            let is_out = stream == Stream::Out || self.wishes.directory.is_some();
            let carrier = Carrier {
                node,
                lines: HashMap::new(),
                held: Rc::default(),
                pieces: if is_out { self.out.clone() } else { self.err.clone() },
                wishes: self.wishes.clone(),
                events: self.events.clone(),
            };
            tokio::task::spawn_local(carrier.carry(printed));
            to
        });
        let _ = carrier.send((pe, stream, bytes));
    }
}

/// Whether two descriptors lead to the same file, pipe or terminal. If that cannot be told, then rather so.
fn is_one_file(a: impl AsFd, b: impl AsFd) -> bool {
    match (rustix::fs::fstat(a), rustix::fs::fstat(b)) {
        (Ok(a), Ok(b)) => (a.st_dev, a.st_ino) == (b.st_dev, b.st_ino),
        _ => true,
    }
}

/// The file of a PE's stream.
pub fn file_of(directory: &Path, pe: Pe, stream: Stream) -> PathBuf {
    let kind = if stream == Stream::Out { "out" } else { "err" };
    directory.join(format!("pe.{}.{kind}", pe.0))
}

/// Carries what the PEs of one node print, to one of the streams or to both.
struct Carrier {
    node: u32,
    lines: HashMap<(Pe, Stream), Lines>,
    held: Rc<Cell<usize>>,
    pieces: mpsc::Sender<Piece>,
    wishes: Rc<Wishes>,
    events: UnboundedSender<Event>,
}

impl Carrier {
    async fn carry(mut self, mut printed: UnboundedReceiver<Printed>) {
        let mut asked = Instant::now();
        loop {
            // Who answers PE 0 must see what it asks, whatever others print meanwhile: its line goes out without an end.
            // What was printed since comes first: it may be the end.
            let patience = (asked + PROMPT_AFTER).saturating_duration_since(Instant::now());
            match timeout(if self.asks() { patience } else { Duration::MAX }, printed.recv()).await {
                Ok(None) => break,
                Ok(Some((pe, stream, bytes))) => {
                    let length = bytes.len();
                    self.pass_on(pe, stream, bytes).await;
                    if pe == Pe(0) {
                        asked = Instant::now();
                    }
                    if length > 0 {
                        let _ = self.events.send(Event::Written { node: self.node, stream, bytes: length as u32 });
                    }
                }
                Err(_) => {
                    for stream in [Stream::Out, Stream::Err] {
                        let bytes = self.lines.get_mut(&(Pe(0), stream)).map(Lines::rest).unwrap_or_default();
                        self.send(Pe(0), stream, bytes, None).await;
                    }
                }
            }
        }
        let rest: Vec<_> = self.lines.iter_mut().map(|((pe, stream), lines)| (*pe, *stream, lines.rest())).collect();
        for (pe, stream, bytes) in rest {
            self.send(pe, stream, bytes, None).await;
        }
    }

    /// Whether PE 0 has begun a line that somebody may have to read before it goes on.
    fn asks(&self) -> bool {
        let is_open = |stream| self.lines.get(&(Pe(0), stream)).is_some_and(Lines::is_open);
        self.wishes.prompts && (is_open(Stream::Out) || is_open(Stream::Err))
    }

    async fn pass_on(&mut self, pe: Pe, stream: Stream, bytes: Vec<u8>) {
        if let Some(directory) = &self.wishes.directory {
            let file = file_of(directory, pe, stream);
            return self.send(pe, stream, bytes, Some(file)).await;
        }
        let tag = || self.wishes.tag.then(|| format!("[{}] ", pe.0).into_bytes());
        let bytes = if bytes.is_empty() {
            self.lines.remove(&(pe, stream)).map(|mut lines| lines.rest()).unwrap_or_default()
        } else {
            let lines = self.lines.entry((pe, stream));
            lines.or_insert_with(|| Lines::new(tag(), self.held.clone())).push(&bytes)
        };
        self.send(pe, stream, bytes, None).await;
    }

    async fn send(&self, pe: Pe, stream: Stream, bytes: Vec<u8>, file: Option<PathBuf>) {
        if !bytes.is_empty() {
            let _ = self.pieces.send(Piece { stream, author: Some(pe.0), bytes, file }).await;
        }
    }
}

/// A writing thread.
fn write_all(mut queue: mpsc::Receiver<Piece>, spoiled: &UnboundedSender<Spoiled>) {
    let mut spoiled = Some(spoiled);
    // Whose unfinished line is the last of each stream.
    let mut open: [Option<Author>; 2] = [None; 2];
    while let Some(Piece { stream, author, bytes, file }) = queue.blocking_recv() {
        let written = match &file {
            Some(file) => append(file, &bytes).map_err(|error| cannot_write(&file.display(), &error)),
            None => write_line(stream, author, &bytes, &mut open[stream as usize]),
        };
        if let Err(why) = written
            && let Some(spoiled) = spoiled.take()
        {
            let _ = spoiled.send(why);
        }
    }
}

fn write_line(stream: Stream, author: Author, bytes: &[u8], open: &mut Option<Author>) -> Result<(), Spoiled> {
    let anew = open.is_some_and(|other| other != author);
    *open = (bytes.last() != Some(&b'\n')).then_some(author);
    let written = if anew { write_to(stream, b"\n") } else { Ok(()) };
    match (written.and_then(|()| write_to(stream, bytes)), stream) {
        (Err(Errno::PIPE), Stream::Out) => Err(Spoiled::Unread),
        // Who does not want to be told need not be.
        (Ok(()), _) | (Err(Errno::PIPE), Stream::Err) => Ok(()),
        (Err(error), Stream::Out) => Err(cannot_write(&"standard output", &error)),
        (Err(error), Stream::Err) => Err(cannot_write(&"standard error", &error)),
    }
}

fn cannot_write(what: &dyn Display, why: &dyn Display) -> Spoiled {
    Spoiled::Failed(format!("cannot write {what}: {why}"))
}

fn append(file: &Path, bytes: &[u8]) -> std::io::Result<()> {
    OpenOptions::new().append(true).open(file)?.write_all(bytes)
}

/// Make the files of a directory, empty: from then on there is one for each stream of each PE.
pub fn make_files(directory: &Path, pes: impl Iterator<Item = Pe>) -> Result<(), String> {
    std::fs::create_dir_all(directory).map_err(|error| error.to_string())?;
    for pe in pes {
        for stream in [Stream::Out, Stream::Err] {
            let file = file_of(directory, pe, stream);
            File::create(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        }
    }
    Ok(())
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

    #[test]
    fn what_leads_to_one_place_is_one_file() {
        let (reader, writer) = std::io::pipe().unwrap();
        let (_other_reader, other) = std::io::pipe().unwrap();
        assert!(is_one_file(&writer, writer.try_clone().unwrap()));
        assert!(is_one_file(&writer, &reader));
        assert!(!is_one_file(&writer, &other));
        let null = || OpenOptions::new().write(true).open("/dev/null").unwrap();
        assert!(is_one_file(null(), null()), "opened twice");
        assert!(!is_one_file(&writer, null()));
    }
}
