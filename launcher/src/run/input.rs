//! The user's input, which goes to PE 0.
//!
//! A file, pipe or /dev/null is handed to PE 0 as it is: nothing is read that PE 0 does not ask for, so a shell loop
//! that reads the same input keeps its lines. A terminal is read by a thread of ours and passed on: PE 0 is in a
//! process group of its own, which the terminal would stop for reading.

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{Errno, retry_on_intr};
use rustix::pipe::{PipeFlags, pipe_with};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::process::Stdio;
use std::time::Duration;

/// What PE 0 reads, and what is to be done for it once all PEs are started.
pub struct Input {
    /// PE 0's standard input.
    pub stream: Stdio,
    pump: Option<OwnedFd>,
}

impl Input {
    /// Choose by what our own standard input is.
    pub fn prepare() -> io::Result<Self> {
        if !rustix::termios::isatty(io::stdin()) {
            return Ok(Input { stream: Stdio::inherit(), pump: None });
        }
        let (theirs, ours) = pipe_with(PipeFlags::CLOEXEC)?;
        Ok(Input { stream: theirs.into(), pump: Some(ours) })
    }

    /// The pump for a terminal, if there is one; to be started by [`pump`] when no more processes are forked.
    pub fn take_pump(&mut self) -> Option<OwnedFd> {
        self.pump.take()
    }
}

/// Pass on what the user types. The thread ends with the input, with PE 0, or with oshrun.
pub fn pump(to: OwnedFd) -> io::Result<()> {
    std::thread::Builder::new().name("input".into()).stack_size(64 << 10).spawn(move || {
        hold_back_sigttin();
        let mut chunk = [0_u8; 4096];
        loop {
            let typed = PollFd::from_borrowed_fd(rustix::stdio::stdin(), PollFlags::IN);
            let _ = poll(&mut [typed], None);
            match retry_on_intr(|| rustix::io::read(rustix::stdio::stdin(), &mut chunk)) {
                Ok(0) => return,
                Ok(got) if write_all(&to, &chunk[..got]).is_err() => return,
                Ok(_) => {}
                // In the background: what is typed is not for us, until we are brought back.
                Err(Errno::IO) => std::thread::sleep(Duration::from_millis(300)),
                Err(_) => return,
            }
        }
    })?;
    Ok(())
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
