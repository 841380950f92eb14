//! A forked child gets its own copy of the static data.
//!
//! The data are shared memory while they are symmetric, and `fork` shares shared memory: without help a child would write its parent's
//! variables. So before the fork, the forking thread copies all touched pages into private memory. In the child it would be too late,
//! because the parent goes on meanwhile. The child moves the copy over the range; the parent drops it. `vfork`, `posix_spawn` and `system`
//! run no fork handlers and need none: their child runs nothing but exec.
//!
//! The symmetric heap is not copied. A child keeps it mapped and sees what its parent sees, but the child is not a PE: once its statics are
//! its own, and no longer symmetric, the function of [`call_in_children`] closes the library in it.
//!
//! # Order among the program's own fork handlers
//!
//! Prepare handlers run in reverse order of registration, the others in order. The library registers early. So its copy includes what the
//! program's own prepare handlers write, and the copy is in place before the program's child handlers write.
//!
//! # Where state may lie
//!
//! In a static executable this file's statics are in the range, so until the child has its copy they are the *parent's*. The child
//! therefore works from thread-local memory, and unlocks `STATE` only in its own copy, which was taken with the lock held. A static C
//! library has statics in the range too and resets some of them in the child before any handler runs. If a process with several threads
//! forks, these are the parent's thread list and locks. No handler can prevent that: *a statically linked libc, threads and fork do not go
//! together*. With one thread nothing is reset.

use ferrite_os::mutex;
use std::cell::Cell;
use std::ffi::c_void;
use std::mem::ManuallyDrop;
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock};
use std::{io, ptr, slice};

use rustix::mm::{MapFlags, MremapFlags, ProtFlags};

use super::range::{DataPiece, PIECES_MAX, Range};
use crate::heap::pages;
use ferrite_os::guarded_fd::GuardedFd;

/// The executable's data while they are in a file.
pub(super) struct Moved {
    pub range: Range,
    pub file: GuardedFd,
    pub at: u64,
}

/// The moved data; `None` while they are private. Locked while they move, and from before a fork until after it.
pub(super) static STATE: Mutex<Option<Moved>> = Mutex::new(None);

pub(super) fn state() -> MutexGuard<'static, Option<Moved>> {
    mutex::lock(&STATE)
}

/// State that the forking thread passes across the fork.
#[derive(Clone, Copy)]
struct Luggage {
    pieces: [DataPiece; PIECES_MAX],
    count: usize,
    /// The copy of each piece; null if there was no memory for it.
    copies: [*mut c_void; PIECES_MAX],
    base: usize,
    /// The descriptor of the file; negative if the program has closed it.
    file: RawFd,
    at: u64,
}

thread_local! {
    static LUGGAGE: Cell<Option<Luggage>> = const { Cell::new(None) };
    static LOCKED: Cell<Option<ManuallyDrop<MutexGuard<'static, Option<Moved>>>>> = const { Cell::new(None) };
}

/// Called in a child once its static data are its own.
static IN_CHILD: OnceLock<fn()> = OnceLock::new();

/// Have each child of fork call `in_child` once its static data are its own. The first function is kept.
pub fn call_in_children(in_child: fn()) -> io::Result<()> {
    IN_CHILD.get_or_init(|| in_child);
    watch()
}

/// Register the handlers, once per process.
pub(super) fn watch() -> io::Result<()> {
    static WATCHED: AtomicBool = AtomicBool::new(false);
    if WATCHED.swap(true, Ordering::AcqRel) {
        return Ok(());
    }
    // SAFETY: the handlers are functions of this library and live as long as it does; the C library removes them when it unloads this
    // library.
    match unsafe { libc::pthread_atfork(Some(prepare), Some(parent), Some(child)) } {
        0 => Ok(()),
        error => {
            WATCHED.store(false, Ordering::Release);
            Err(io::Error::from_raw_os_error(error))
        }
    }
}

/// Runs in the parent, before the fork. It does not call malloc, whose locks other handlers may have taken.
unsafe extern "C" fn prepare() {
    let state = state();
    // The lock is taken before the copy is made, so the child may unlock its copy of the lock.
    if let Some(moved) = state.as_ref() {
        let mut luggage = Luggage {
            pieces: [DataPiece::default(); PIECES_MAX],
            count: moved.range.pieces().len(),
            copies: [ptr::null_mut(); PIECES_MAX],
            base: moved.range.base(),
            file: moved.file.file().map_or(-1, |file| file.as_raw_fd()),
            at: moved.at,
        };
        for (index, piece) in moved.range.pieces().iter().enumerate() {
            luggage.pieces[index] = *piece;
            luggage.copies[index] = copy_of(moved, piece).unwrap_or(ptr::null_mut());
        }
        LUGGAGE.set(Some(luggage));
    }
    LOCKED.set(Some(ManuallyDrop::new(state)));
}

/// Runs in the parent, after the fork.
unsafe extern "C" fn parent() {
    if let Some(luggage) = LUGGAGE.take() {
        for (piece, copy) in luggage.pieces.iter().zip(luggage.copies).take(luggage.count) {
            if !copy.is_null() {
                // SAFETY: a private mapping from `copy_of`, which no other code knows.
                let _ = unsafe { rustix::mm::munmap(copy, piece.len()) };
            }
        }
    }
    LOCKED.take().map(ManuallyDrop::into_inner);
}

/// Runs in the child. It writes no static until the pieces are the child's own.
unsafe extern "C" fn child() {
    if let Some(luggage) = LUGGAGE.take() {
        for (piece, copy) in luggage.pieces.iter().zip(luggage.copies).take(luggage.count) {
            let file_at = luggage.at + (piece.start - luggage.base) as u64;
            if place(piece, copy).is_err() && map_private(piece, luggage.file, file_at).is_err() {
                let message = b"ferrite: no memory for a forked child's static data\n";
                // SAFETY: a constant message to a descriptor that may or may not be open. The child must not go on: it would write the
                // parent's variables.
                unsafe {
                    libc::write(2, message.as_ptr().cast(), message.len());
                    libc::_exit(127)
                };
            }
        }
    }
    if let Some(mut state) = LOCKED.take().map(ManuallyDrop::into_inner) {
        // The child's data are private: they need no copy when it forks and no move when it ends.
        *state = None;
    }
    if let Some(in_child) = IN_CHILD.get() {
        in_child();
    }
}

/// Make a private copy of `piece`. It contains the pages that the file has.
pub(super) fn copy_of(moved: &Moved, piece: &DataPiece) -> io::Result<*mut c_void> {
    let copy = private_room(piece)?;
    // SAFETY: the room is as long as the piece, and no other code knows it.
    unsafe { fill(copy, moved, piece) };
    Ok(copy)
}

/// Map untouched private memory for `piece`.
pub(super) fn private_room(piece: &DataPiece) -> io::Result<*mut c_void> {
    // SAFETY: a fresh mapping at an address of the kernel's choice.
    Ok(unsafe {
        rustix::mm::mmap_anonymous(
            ptr::null_mut(),
            piece.len(),
            protection(piece),
            MapFlags::PRIVATE | MapFlags::NORESERVE,
        )?
    })
}

/// Protection of the pages of `piece`: the access that the program may have.
pub(super) fn protection(piece: &DataPiece) -> ProtFlags {
    let mut flags = ProtFlags::READ | ProtFlags::WRITE;
    flags.set(ProtFlags::EXEC, piece.executable);
    flags
}

/// Fill `copy` with the contents of `piece`.
///
/// # Safety
/// `copy` is as long as the piece, untouched, and belongs to the caller.
pub(super) unsafe fn fill(copy: *mut c_void, moved: &Moved, piece: &DataPiece) {
    // SAFETY: the caller's contract.
    if unsafe { fill_from_file(copy, moved, piece) }.is_ok() {
        return;
    }
    // The program closed a descriptor that it had not opened. The memory itself has all contents, but does not distinguish holes from
    // zeros. The copy goes word by word, because a sanitizer's memcpy would object to the red zones between globals.
    let (from, to) = (piece.start as *const u64, copy.cast::<u64>());
    for index in 0..piece.len() / 8 {
        // SAFETY: both are whole mapped pages of the same length; volatile, because peers may write meanwhile.
        unsafe { to.wrapping_add(index).write_volatile(from.wrapping_add(index).read_volatile()) };
    }
}

/// Read `piece` from the file into `copy` and skip holes. It uses system calls, which no sanitizer inspects.
///
/// # Safety
/// As for [`fill`].
unsafe fn fill_from_file(copy: *mut c_void, moved: &Moved, piece: &DataPiece) -> io::Result<()> {
    let file = moved.file.file().ok_or(io::ErrorKind::NotFound)?;
    let start = moved.at + (piece.start - moved.range.base()) as u64;
    for run in pages::runs(file, start..start + piece.len() as u64) {
        let std::ops::Range { start: mut at, end: stop } = run?;
        while at < stop {
            let into = copy.cast::<u8>().wrapping_add((at - start) as usize);
            // SAFETY: within the copy; fresh anonymous memory is initialised.
            let buffer = unsafe { slice::from_raw_parts_mut(into, (stop - at) as usize) };
            match rustix::io::pread(file, buffer, at)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                read => at += read as u64,
            }
        }
    }
    Ok(())
}

/// Move `copy` over `piece`: one system call, after which the piece is private.
pub(super) fn place(piece: &DataPiece, copy: *mut c_void) -> io::Result<()> {
    if copy.is_null() {
        return Err(io::ErrorKind::OutOfMemory.into());
    }
    let flags = MremapFlags::MAYMOVE;
    // SAFETY: both ranges are as long as the piece; the contents are equal, so the program does not notice.
    unsafe { rustix::mm::mremap_fixed(copy, piece.len(), piece.len(), flags, piece.start as *mut c_void)? };
    Ok(())
}

/// If there is no memory for a copy, map the file's own pages privately; each is copied when the child writes it. The parent's later writes
/// show in the pages that the child has not written, but no write of the child reaches the parent.
fn map_private(piece: &DataPiece, file: RawFd, at: u64) -> io::Result<()> {
    if file < 0 {
        return Err(io::ErrorKind::NotFound.into());
    }
    let flags = MapFlags::PRIVATE | MapFlags::FIXED | MapFlags::NORESERVE;
    // SAFETY: the parent had the file open at the fork; the mapping has the same pages in the same place, private instead of shared.
    unsafe {
        let file = BorrowedFd::borrow_raw(file);
        rustix::mm::mmap(piece.start as *mut c_void, piece.len(), protection(piece), flags, file, at)?;
    }
    Ok(())
}
