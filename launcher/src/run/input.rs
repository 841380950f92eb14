//! What the user types, which goes to PE 0.
//!
//! A file, pipe or /dev/null is handed to PE 0 as it is: nothing is read that PE 0 does not ask for, so a shell loop
//! that reads the same input keeps its lines. A terminal is read by the supervisor, which is in the group that the
//! terminal listens to, and passed on by a pipe: PE 0 is in a process group of its own, which the terminal would stop
//! for reading.

use ferrite_fabric::threads;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{Errno, retry_on_intr};
use rustix::pipe::{PipeFlags, pipe_with};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::mpsc;
use std::time::Duration;

/// How much input is read at once for another host, in bytes.
const CHUNK: usize = 32 << 10;

/// Give up our own standard input, which is PE 0's alone: who writes it shall see its end when PE 0 has ended.
pub fn give_up_input() -> io::Result<()> {
    Ok(rustix::stdio::dup2_stdin(File::open("/dev/null")?)?)
}

/// The pipe between a terminal and the job.
pub struct Typed {
    ours: OwnedFd,
    theirs: OwnedFd,
}

impl Typed {
    /// The pipe, if standard input is a terminal.
    pub fn prepare() -> io::Result<Option<Typed>> {
        if !rustix::termios::isatty(io::stdin()) {
            return Ok(None);
        }
        let (theirs, ours) = pipe_with(PipeFlags::CLOEXEC)?;
        Ok(Some(Typed { ours, theirs }))
    }

    /// Make the pipe this process's standard input.
    pub fn receive(self) -> io::Result<()> {
        Ok(rustix::stdio::dup2_stdin(self.theirs)?)
    }

    /// Pass on what the user types. The thread ends with the input, with PE 0, or with the process.
    pub fn pass_on(self) -> io::Result<()> {
        let Typed { ours, theirs } = self;
        drop(theirs);
        threads::start(std::thread::Builder::new().stack_size(64 << 10), "input", move || pump(&ours))?;
        Ok(())
    }
}

fn pump(to: &OwnedFd) {
    hold_back_sigttin();
    let mut chunk = [0_u8; 4096];
    loop {
        let typed = PollFd::from_borrowed_fd(rustix::stdio::stdin(), PollFlags::IN);
        let _ = poll(&mut [typed], None);
        match retry_on_intr(|| rustix::io::read(rustix::stdio::stdin(), &mut chunk)) {
            Ok(0) => return,
            Ok(got) if write_all(to, &chunk[..got]).is_err() => return,
            Ok(_) => {}
            // In the background: what is typed is not for us, until we are brought back.
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

/// Let a read in the background fail instead of stopping all of oshrun.
fn hold_back_sigttin() {
    // SAFETY: the set is initialised by `sigemptyset` before it is used; only this thread's mask changes.
    unsafe {
        let mut set = std::mem::MaybeUninit::uninit();
        libc::sigemptyset(set.as_mut_ptr());
        libc::sigaddset(set.as_mut_ptr(), libc::SIGTTIN);
        libc::pthread_sigmask(libc::SIG_BLOCK, set.as_ptr(), std::ptr::null_mut());
    }
}

/// Read our standard input for a PE 0 that is on another host: so much at a time as it has room for, which is what is
/// sent to the channel. What was read is given to `pass_on`, nothing at the end; it says whether to go on.
pub fn read_by_room(pass_on: impl Fn(Vec<u8>) -> bool + Send + 'static) -> mpsc::Sender<usize> {
    let (rooms, granted) = mpsc::channel::<usize>();
    // Without the thread there is no input, as for all other PEs.
    let _ = std::thread::Builder::new().name("input".into()).stack_size(64 << 10).spawn(move || {
        for room in granted {
            let mut left = room;
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
    rooms
}
