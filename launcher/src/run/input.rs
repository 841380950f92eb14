//! Standard input, which belongs to PE 0.
//!
//! A file, pipe or /dev/null is handed to PE 0 as it is: oshrun reads nothing from it, so a shell loop that reads the same input keeps its
//! lines. The supervisor reads a terminal, since it is in the terminal's foreground process group, and forwards the input through a pipe.
//! PE 0 is in a process group of its own, and would be stopped for reading the terminal.

use ferrite_os::threads;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{Errno, retry_on_intr};
use rustix::pipe::{PipeFlags, pipe_with};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::mpsc;
use std::time::Duration;

/// How many bytes of input are read at once for a PE 0 on another host.
const CHUNK: usize = 32 << 10;

/// Replace our standard input by /dev/null. Only PE 0 must hold it, so that its writer sees the end when PE 0 ends.
pub fn give_up_input() -> io::Result<()> {
    Ok(rustix::stdio::dup2_stdin(File::open("/dev/null")?)?)
}

/// The pipe from the supervisor, which reads the terminal, to the worker.
pub struct TerminalPipe {
    ours: OwnedFd,
    theirs: OwnedFd,
}

impl TerminalPipe {
    /// Make the pipe, if standard input is a terminal.
    pub fn prepare() -> io::Result<Option<TerminalPipe>> {
        if !rustix::termios::isatty(io::stdin()) {
            return Ok(None);
        }
        let (theirs, ours) = pipe_with(PipeFlags::CLOEXEC)?;
        Ok(Some(TerminalPipe { ours, theirs }))
    }

    /// Make the pipe this process's standard input.
    pub fn receive(self) -> io::Result<()> {
        Ok(rustix::stdio::dup2_stdin(self.theirs)?)
    }

    /// Start a thread that copies the terminal's input to the pipe. It ends with the input, with PE 0, or with the
    /// process.
    pub fn pass_on(self) -> io::Result<()> {
        let TerminalPipe { ours, theirs } = self;
        drop(theirs);
        threads::start(std::thread::Builder::new().stack_size(64 << 10), "input", move || pump(&ours))?;
        Ok(())
    }
}

fn pump(to: &OwnedFd) {
    hold_back_sigttin();
    let mut chunk = [0_u8; 4096];
    loop {
        let terminal = PollFd::from_borrowed_fd(rustix::stdio::stdin(), PollFlags::IN);
        let _ = poll(&mut [terminal], None);
        match retry_on_intr(|| rustix::io::read(rustix::stdio::stdin(), &mut chunk)) {
            Ok(0) => return,
            Ok(got) if write_all(to, &chunk[..got]).is_err() => return,
            Ok(_) => {}
            // In the background, the terminal's input is not ours until we are in the foreground again.
            Err(Errno::IO) => std::thread::sleep(Duration::from_millis(300)),
            Err(_) => return,
        }
    }
}

fn write_all(to: &OwnedFd, mut bytes: &[u8]) -> Result<(), Errno> {
    while !bytes.is_empty() {
        let written = retry_on_intr(|| rustix::io::write(to.as_fd(), bytes))?;
        bytes = &bytes[written..];
    }
    Ok(())
}

/// Block SIGTTIN, so that a read in the background fails instead of stopping oshrun.
fn hold_back_sigttin() {
    // SAFETY: the set is initialised by `sigemptyset` before it is used; only this thread's mask changes.
    unsafe {
        let mut set = std::mem::MaybeUninit::uninit();
        libc::sigemptyset(set.as_mut_ptr());
        libc::sigaddset(set.as_mut_ptr(), libc::SIGTTIN);
        libc::pthread_sigmask(libc::SIG_BLOCK, set.as_ptr(), std::ptr::null_mut());
    }
}

/// Start a thread that reads our standard input for a PE 0 on another host. The returned channel grants the thread credit, in bytes. Each
/// chunk is passed to `pass_on`, and an empty chunk at the end; `pass_on` returns whether to continue.
pub fn read_by_credit(pass_on: impl Fn(Vec<u8>) -> bool + Send + 'static) -> mpsc::Sender<usize> {
    let (credits, granted) = mpsc::channel::<usize>();
    // If the thread cannot be started, PE 0 has no input, like all other PEs.
    let _ = std::thread::Builder::new().name("input".into()).stack_size(64 << 10).spawn(move || {
        for credit in granted {
            let mut left = credit;
            while left > 0 {
                let mut chunk = vec![0; left.min(CHUNK)];
                let got = retry_on_intr(|| rustix::io::read(rustix::stdio::stdin(), &mut chunk)).unwrap_or(0);
                chunk.truncate(got);
                left -= got;
                if !pass_on(chunk) || got == 0 {
                    return;
                }
            }
        }
    });
    credits
}
