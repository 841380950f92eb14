//! Sockets of members and roots, which a child of fork must not hold: the kernel ends a connection, by which the others see that a process
//! has died, only when the last copy of its descriptor is closed.
//!
//! The list of these sockets only grows, and an entry that is free is used again. So a child, which has one thread and perhaps a copy of a
//! lock that is never unlocked, reads it without a lock.

use ferrite_os::guarded_fd::GuardedFd;
use rustix::fs::fstat;
use std::ops::Deref;
use std::os::fd::{BorrowedFd, OwnedFd, RawFd};
use std::ptr;
use std::sync::Once;
use std::sync::atomic::{AtomicI32, AtomicPtr, AtomicU64, Ordering::*};

const FREE: RawFd = -1;
/// The entry is being filled.
const TAKEN: RawFd = -2;

/// A descriptor, with the file that it must still refer to: the program may have closed it, and have its number for a file of its own.
struct Entry {
    number: AtomicI32,
    device: AtomicU64,
    inode: AtomicU64,
    next: AtomicPtr<Entry>,
}

static FIRST: AtomicPtr<Entry> = AtomicPtr::new(ptr::null_mut());

fn entries() -> impl Iterator<Item = &'static Entry> {
    // SAFETY: null, or an entry that was leaked in full before its address was published.
    let follow = |link: &AtomicPtr<Entry>| unsafe { link.load(Acquire).as_ref() };
    std::iter::successors(follow(&FIRST), move |entry| follow(&entry.next))
}

/// A free entry, taken.
fn take() -> &'static Entry {
    let is_ours = |entry: &&Entry| entry.number.compare_exchange(FREE, TAKEN, Acquire, Relaxed).is_ok();
    if let Some(entry) = entries().find(is_ours) {
        return entry;
    }
    let entry: &'static mut Entry = Box::leak(Box::new(Entry {
        number: AtomicI32::new(TAKEN),
        device: AtomicU64::new(0),
        inode: AtomicU64::new(0),
        next: AtomicPtr::new(FIRST.load(Relaxed)),
    }));
    let made: *mut Entry = entry;
    // SAFETY: leaked, so valid for ever; from here on it is only shared.
    let entry = unsafe { &*made };
    let mut first = entry.next.load(Relaxed);
    while let Err(newer) = FIRST.compare_exchange(first, made, AcqRel, Relaxed) {
        entry.next.store(newer, Relaxed);
        first = newer;
    }
    entry
}

/// A socket that children of fork do not keep.
pub(super) struct Held {
    entry: &'static Entry,
    socket: GuardedFd,
}

impl Held {
    pub fn new(socket: OwnedFd) -> std::io::Result<Held> {
        static WATCHED: Once = Once::new();
        // SAFETY: the handler is a function of this library. If registration fails, children keep connections open until they end.
        WATCHED.call_once(|| _ = unsafe { libc::pthread_atfork(None, None, Some(close_in_child)) });
        let socket = GuardedFd::new(socket)?;
        let found = fstat(socket.get()?)?;
        let entry = take();
        entry.device.store(found.st_dev, Relaxed);
        entry.inode.store(found.st_ino, Relaxed);
        entry.number.store(socket.number(), Release);
        Ok(Held { entry, socket })
    }
}

impl Deref for Held {
    type Target = GuardedFd;

    fn deref(&self) -> &GuardedFd {
        &self.socket
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.entry.number.store(FREE, Release);
    }
}

/// Run in each child of fork: close its copies. It writes no memory: the child may still share its static data with the parent.
extern "C" fn close_in_child() {
    for entry in entries() {
        let number = entry.number.load(Acquire);
        if number < 0 {
            continue;
        }
        // SAFETY: the descriptor is only passed to a system call that refuses a closed one.
        let found = fstat(unsafe { BorrowedFd::borrow_raw(number) });
        let expected = (entry.device.load(Relaxed), entry.inode.load(Relaxed));
        if found.is_ok_and(|found| (found.st_dev, found.st_ino) == expected) {
            // SAFETY: the child's copy of a socket of the library. Its state belongs to the parent: the child does not use it.
            unsafe { libc::close(number) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::os::unix::net::UnixStream;

    #[test]
    fn a_child_of_fork_does_not_keep_connections() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let held = Held::new(ours.into()).unwrap();
        // A socket that the program has closed, and whose number is a file of its own now.
        let (closed, _other) = UnixStream::pair().unwrap();
        let closed = std::mem::ManuallyDrop::new(Held::new(closed.into()).unwrap());
        let program = std::fs::File::open("/dev/null").unwrap();
        // SAFETY: `closed` owns the number, and is not used as a socket again.
        assert_eq!(unsafe { libc::dup2(std::os::fd::AsRawFd::as_raw_fd(&program), closed.number()) }, closed.number());
        let (mut report, from_child) = UnixStream::pair().unwrap();
        // SAFETY: the child calls system calls only.
        let child = unsafe { libc::fork() };
        if child == 0 {
            // SAFETY: as above. The child lives until the parent has seen the end of the connection.
            unsafe {
                let kept = libc::fcntl(closed.number(), libc::F_GETFD) >= 0;
                libc::write(std::os::fd::AsRawFd::as_raw_fd(&from_child), [u8::from(kept)].as_ptr().cast(), 1);
                libc::pause();
                libc::_exit(0)
            }
        }
        let mut kept = [0];
        report.read_exact(&mut kept).unwrap();
        assert_eq!(kept, [1], "the program's own file was closed");
        drop(held);
        assert_eq!(theirs.read(&mut [0]).unwrap(), 0);
        // SAFETY: the child of this test, which is waited for once.
        unsafe {
            libc::kill(child, libc::SIGKILL);
            libc::waitpid(child, ptr::null_mut(), 0);
        }
    }
}
