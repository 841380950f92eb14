//! Writes the output of the PEs to oshrun's standard output and error, or to files.
//!
//! Output arrives by host. A carrier per host and stream cuts it into lines (see [`super::lines`]) and passes them to a
//! writing thread. Written bytes are credited to the host, which may then read as many again from that stream. The
//! channel to the writing thread is short, so a user who does not read (`| less`) slows the PEs down, as a pipe does,
//! and no output is lost.
//!
//! Each stream has its own writing thread and its own carriers: a user who pauses one stream must still be able to read
//! in the other why the job ended. If both streams are the same file, pipe or terminal (`2>&1`), they share a thread
//! and carriers, so that output keeps its order.

use super::event::Event;
use super::lines::Lines;
use super::output_files::OutputFiles;
use super::output_stream::OutputStream;
use super::status_line::StatusLine;
use ferrite_fabric::Pe;
use ferrite_os::{error_text, signals::name_file_size_limit, threads};
use rustix::fd::{AsFd, BorrowedFd};
use rustix::io::Errno;
use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout};

/// How long an unfinished line of PE 0 is held back, if it may be a prompt.
const PROMPT_AFTER: Duration = Duration::from_millis(200);
/// How many chunks may wait for a writing thread.
const CHUNKS_MAX: usize = 64;
/// How long the line about lost output may take to be written: a user who reads neither stream must not block oshrun.
const REPORT_GRACE: Duration = Duration::from_secs(2);

/// The writer of a chunk: a PE, or (`None`) oshrun itself.
pub type Author = Option<u32>;

/// Output of a PE. No bytes: the stream has ended.
type Printed = (Pe, OutputStream, Vec<u8>);

struct Chunk {
    stream: OutputStream,
    author: Author,
    /// The chunk is shown until the next chunk is written.
    passes: bool,
    bytes: Vec<u8>,
    /// The PE's output files. The chunk goes to one of them instead of the stream.
    files: Option<Arc<OutputFiles>>,
}

/// Takes output, and passes it to the writing threads.
pub struct Output {
    out: mpsc::Sender<Chunk>,
    /// The same as `out`, if one thread writes both streams.
    err: mpsc::Sender<Chunk>,
    /// oshrun's own lines. Unbounded, since the task that handles hosts and signals must not wait for a reader.
    own: UnboundedSender<Chunk>,
    options: Rc<OutputOptions>,
    /// The carriers, by node and stream.
    nodes: HashMap<(u32, OutputStream), UnboundedSender<Printed>>,
    events: UnboundedSender<Event>,
}

/// The user's options for output.
pub struct OutputOptions {
    /// `--tag-output`: write the PE's number before each line.
    pub tag: bool,
    /// PE 0's unfinished lines may be prompts that a user or a program answers.
    pub prompts: bool,
    /// `--output-filename`: write these files, instead of the streams.
    pub files: Option<Arc<OutputFiles>>,
}

/// Why output is lost.
pub enum OutputLoss {
    /// Standard output has no reader any more.
    Unread,
    /// It cannot be written, for this reason.
    Failed(String),
}

/// The receiving end of the writing threads' reports.
pub struct WriterStatus {
    /// The first error of each thread. Ends when all output is written.
    pub losses: UnboundedReceiver<OutputLoss>,
    /// Ends when all [`Output`]s are dropped and their chunks written.
    all: mpsc::Receiver<()>,
    /// Both streams are the same file.
    one: bool,
}

impl WriterStatus {
    /// Wait until all [`Output`]s are dropped and their chunks written.
    pub async fn all(&mut self) {
        while self.all.recv().await.is_some() {}
    }

    /// Report on stderr that output was lost, unless stderr cannot be written either.
    pub async fn report_loss(&self) {
        // The lost output may have ended within a line; only the stuck thread knows.
        let anew = if self.one { "\n" } else { "" };
        let line = format!("{anew}oshrun: some output was lost: it was not read in time\n");
        let (tell, told) = oneshot::channel();
        // In a thread, since this write may never return: stderr may fill up at any time before it.
        let thread = std::thread::Builder::new().name("report-loss".into()).stack_size(64 << 10);
        let started = thread.spawn(move || {
            let _ = write_to(OutputStream::Err, line.as_bytes());
            let _ = tell.send(());
        });
        if started.is_ok() {
            let _ = timeout(REPORT_GRACE, told).await;
        }
    }
}

/// The writing threads, before they are started.
pub struct Writers {
    queues: Vec<mpsc::Receiver<Chunk>>,
}

impl Writers {
    /// Start the threads. The process must not fork after this.
    pub fn start(self) -> std::io::Result<WriterStatus> {
        let (tell_loss, losses) = mpsc::unbounded_channel();
        let (writing, all) = mpsc::channel(1);
        let one = self.queues.len() == 1;
        for queue in self.queues {
            let (tell_loss, writing) = (tell_loss.clone(), writing.clone());
            threads::start(std::thread::Builder::new().stack_size(64 << 10), "output", move || {
                write_all(queue, &tell_loss);
                drop(writing);
            })?;
        }
        Ok(WriterStatus { losses, all, one })
    }
}

#[cfg(test)]
impl Writers {
    /// Collect the output, by author, instead of writing it.
    pub fn collect(self) -> (WriterStatus, Collected) {
        let (_, losses) = mpsc::unbounded_channel();
        let (writing, all) = mpsc::channel(1);
        let collected = Collected::default();
        for mut queue in self.queues {
            let (collected, writing) = (collected.clone(), writing.clone());
            tokio::task::spawn_local(async move {
                while let Some(Chunk { author, bytes, .. }) = queue.recv().await {
                    collected.borrow_mut().push((author, bytes));
                }
                drop(writing);
            });
        }
        (WriterStatus { losses, all, one: true }, collected)
    }
}

/// The output of PEs (by number) and of oshrun itself.
#[cfg(test)]
pub type Collected = Rc<std::cell::RefCell<Vec<(Author, Vec<u8>)>>>;

impl Output {
    /// An output, and its writing threads. The number of written bytes is sent to `events`.
    pub fn prepare(options: OutputOptions, events: UnboundedSender<Event>) -> (Self, Writers) {
        let (out, queue) = mpsc::channel(CHUNKS_MAX);
        let mut queues = vec![queue];
        // Output to files has no order between the streams.
        let one = options.files.is_none() && is_one_file(std::io::stdout(), std::io::stderr());
        let err = if one {
            out.clone()
        } else {
            let (err, queue) = mpsc::channel(CHUNKS_MAX);
            queues.push(queue);
            err
        };
        let (own, mut said) = mpsc::unbounded_channel();
        let to = err.clone();
        tokio::task::spawn_local(async move {
            while let Some(chunk) = said.recv().await {
                // Output that PEs printed before this line goes first: its carrier was woken before, but may not have run yet.
                tokio::task::yield_now().await;
                // The thread ends only after all senders.
                let _ = to.send(chunk).await;
            }
        });
        (Output { out, err, own, options: Rc::new(options), nodes: HashMap::new(), events }, Writers { queues })
    }

    /// Whether the channel to a writing thread is full: the output is not being read.
    pub fn is_stuck(&self) -> bool {
        self.out.capacity() == 0 || self.err.capacity() == 0
    }

    /// Write one of oshrun's own lines to stderr.
    pub fn say(&self, line: &str) {
        let bytes = format!("{}\n", error_text::plain(line.trim_end())).into_bytes();
        let _ = self.own.send(Chunk { stream: OutputStream::Err, author: None, passes: false, bytes, files: None });
    }

    /// Show a line on stderr, which is a terminal, until something else is printed. An empty line removes it.
    pub fn show(&self, line: &str) {
        let bytes = line.as_bytes().to_vec();
        let _ = self.own.send(Chunk { stream: OutputStream::Err, author: None, passes: true, bytes, files: None });
    }

    /// Take output of a PE. No bytes: the stream has ended.
    pub fn take(&mut self, node: u32, pe: Pe, stream: OutputStream, bytes: Vec<u8>) {
        let one = self.out.same_channel(&self.err);
        let carrier = self.nodes.entry((node, if one { OutputStream::Out } else { stream })).or_insert_with(|| {
            let (to, printed) = mpsc::unbounded_channel();
            // A file that cannot be written must not block oshrun's own lines.
            let is_out = stream == OutputStream::Out || self.options.files.is_some();
            let carrier = Carrier {
                node,
                lines: HashMap::new(),
                held: Rc::default(),
                chunks: if is_out { self.out.clone() } else { self.err.clone() },
                options: self.options.clone(),
                events: self.events.clone(),
            };
            tokio::task::spawn_local(carrier.carry(printed));
            to
        });
        let _ = carrier.send((pe, stream, bytes));
    }
}

/// Whether two descriptors are the same file, pipe or terminal. True if that is unknown.
fn is_one_file(a: impl AsFd, b: impl AsFd) -> bool {
    match (rustix::fs::fstat(a), rustix::fs::fstat(b)) {
        (Ok(a), Ok(b)) => (a.st_dev, a.st_ino) == (b.st_dev, b.st_ino),
        _ => true,
    }
}

/// Carries the output of one node's PEs to one writing thread.
struct Carrier {
    node: u32,
    lines: HashMap<(Pe, OutputStream), Lines>,
    held: Rc<Cell<usize>>,
    chunks: mpsc::Sender<Chunk>,
    options: Rc<OutputOptions>,
    events: UnboundedSender<Event>,
}

impl Carrier {
    async fn carry(mut self, mut printed: UnboundedReceiver<Printed>) {
        let mut asked = Instant::now();
        loop {
            // A prompt of PE 0 must be visible whatever other PEs print meanwhile, so an unfinished line is written after a while. Output
            // that has arrived since comes first: it may finish the line.
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
                        let _ =
                            self.events.send(Event::OutputWritten { node: self.node, stream, bytes: length as u32 });
                    }
                }
                Err(_) => {
                    for stream in [OutputStream::Out, OutputStream::Err] {
                        let bytes = self.lines.get_mut(&(Pe(0), stream)).map(Lines::rest).unwrap_or_default();
                        self.send(Pe(0), stream, bytes).await;
                    }
                }
            }
        }
        let rest: Vec<_> = self.lines.iter_mut().map(|((pe, stream), lines)| (*pe, *stream, lines.rest())).collect();
        for (pe, stream, bytes) in rest {
            self.send(pe, stream, bytes).await;
        }
    }

    /// Whether PE 0 has an unfinished line that may be a prompt.
    fn asks(&self) -> bool {
        let is_open = |stream| self.lines.get(&(Pe(0), stream)).is_some_and(Lines::is_open);
        self.options.prompts && (is_open(OutputStream::Out) || is_open(OutputStream::Err))
    }

    async fn pass_on(&mut self, pe: Pe, stream: OutputStream, bytes: Vec<u8>) {
        if self.options.files.is_some() {
            return self.send(pe, stream, bytes).await;
        }
        let tag = || self.options.tag.then(|| format!("[{}] ", pe.0).into_bytes());
        let bytes = if bytes.is_empty() {
            self.lines.remove(&(pe, stream)).map(|mut lines| lines.rest()).unwrap_or_default()
        } else {
            let lines = self.lines.entry((pe, stream));
            lines.or_insert_with(|| Lines::new(tag(), self.held.clone())).push(&bytes)
        };
        self.send(pe, stream, bytes).await;
    }

    async fn send(&self, pe: Pe, stream: OutputStream, bytes: Vec<u8>) {
        if !bytes.is_empty() {
            let files = self.options.files.clone();
            let _ = self.chunks.send(Chunk { stream, author: Some(pe.0), passes: false, bytes, files }).await;
        }
    }
}

/// The writing thread's loop.
fn write_all(mut queue: mpsc::Receiver<Chunk>, losses: &UnboundedSender<OutputLoss>) {
    let mut losses = Some(losses);
    // Per stream, the author of the unfinished line at its end.
    let mut open: [Option<Author>; 2] = [None; 2];
    let mut status = StatusLine::default();
    let to_terminal = |bytes: &[u8]| write_to(OutputStream::Err, bytes);
    while let Some(Chunk { stream, author, passes, bytes, files }) = queue.blocking_recv() {
        // A line that cannot be shown is no loss. An unfinished line stays as it is.
        let shown = if passes && open == [None; 2] { &bytes[..] } else { &[] };
        let _ = status.show(shown, to_terminal);
        if passes {
            continue;
        }
        let written = match files.zip(author) {
            Some((files, pe)) => {
                files.append(Pe(pe), stream, &bytes).map_err(|why| OutputLoss::Failed(format!("cannot write {why}")))
            }
            None => write_line(stream, author, &bytes, &mut open[stream as usize]),
        };
        if let Err(why) = written
            && let Some(losses) = losses.take()
        {
            let _ = losses.send(why);
        }
    }
    let _ = status.show(&[], to_terminal);
}

fn write_line(stream: OutputStream, author: Author, bytes: &[u8], open: &mut Option<Author>) -> Result<(), OutputLoss> {
    let anew = open.is_some_and(|other| other != author);
    *open = (bytes.last() != Some(&b'\n')).then_some(author);
    let written = if anew { write_to(stream, b"\n") } else { Ok(()) };
    match (written.and_then(|()| write_to(stream, bytes)), stream) {
        (Err(Errno::PIPE), OutputStream::Out) => Err(OutputLoss::Unread),
        // A closed stderr is no error.
        (Ok(()), _) | (Err(Errno::PIPE), OutputStream::Err) => Ok(()),
        (Err(error), OutputStream::Out) => Err(cannot_write("standard output", error)),
        (Err(error), OutputStream::Err) => Err(cannot_write("standard error", error)),
    }
}

fn cannot_write(what: &str, why: Errno) -> OutputLoss {
    OutputLoss::Failed(format!("cannot write {what}: {}", name_file_size_limit(why.into())))
}

/// Write to one of our own standard streams. Another process may have made it non-blocking.
fn write_to(stream: OutputStream, mut bytes: &[u8]) -> Result<(), Errno> {
    let (out, err) = (std::io::stdout(), std::io::stderr());
    let fd: BorrowedFd<'_> = match stream {
        OutputStream::Out => out.as_fd(),
        OutputStream::Err => err.as_fd(),
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
    fn streams_to_one_place_are_one_file() {
        let (reader, writer) = std::io::pipe().unwrap();
        let (_other_reader, other) = std::io::pipe().unwrap();
        assert!(is_one_file(&writer, writer.try_clone().unwrap()));
        assert!(is_one_file(&writer, &reader));
        assert!(!is_one_file(&writer, &other));
        let null = || std::fs::OpenOptions::new().write(true).open("/dev/null").unwrap();
        assert!(is_one_file(null(), null()), "opened twice");
        assert!(!is_one_file(&writer, null()));
    }
}
