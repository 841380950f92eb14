//! Moves the executable's static data into a file, and back.

use std::ffi::c_void;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::{io, slice};

use rustix::fs::{Mode, OFlags};
use rustix::mm::MapFlags;
use rustix::process::{Resource, getrlimit};

use super::fork::{self, Moved};
use super::range::{DataPiece, PIECES_MAX, Range};
use super::window::{self, Care};
use crate::memory::heap::pages::{self, page_size};
use ferrite_os::guarded_fd::GuardedFd;

/// The executable's data, moved into a file: peers that map the file load and store them directly.
///
/// Dropping it moves them back into private memory with what they hold then, so that the program goes on and the file
/// can go. They can be moved again after, into another file.
#[derive(Debug)]
#[must_use = "dropping it moves the data back"]
pub struct Statics {
    range: Range,
    copied: u64,
    care: Care,
}

impl Statics {
    /// Moves the data in `range` into `file` from `at` on, and maps them from there.
    ///
    /// Only pages that were touched are copied: a large `.bss` that nobody has written costs nothing. The file is not
    /// truncated or extended; the caller has sized it.
    ///
    /// # Errors
    /// The data are moved already; the file is too short or `at` is no multiple of a page; or the kernel refused. The
    /// program's data are as before then.
    ///
    /// # Safety
    /// `range` is the executable's. From `at`, `range.len()` bytes of the file belong to this process, until the value
    /// is dropped.
    pub unsafe fn share(range: Range, file: BorrowedFd<'_>, at: u64) -> io::Result<Self> {
        let status = rustix::fs::fstat(file)?;
        let fits =
            at.checked_add(range.len() as u64).is_some_and(|end| end <= u64::try_from(status.st_size).unwrap_or(0));
        if !fits || !at.is_multiple_of(page_size() as u64) {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "the file has no such page-aligned range for static data",
            ));
        }
        // Writing beyond the limit would be a SIGXFSZ, even within the file's size.
        if getrlimit(Resource::Fsize).current.is_some_and(|limit| at + range.len() as u64 > limit) {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "static data lie beyond RLIMIT_FSIZE (ulimit -f)"));
        }
        let kept = GuardedFd::new(file.try_clone_to_owned()?)?;
        fork::watch()?;
        let mut state = fork::state();
        if state.is_some() {
            return Err(io::Error::new(
                io::ErrorKind::AlreadyExists,
                "the executable's static data are symmetric already",
            ));
        }
        // What an earlier life has left there would show through the pages that are not copied.
        let discard = rustix::fs::FallocateFlags::PUNCH_HOLE | rustix::fs::FallocateFlags::KEEP_SIZE;
        rustix::fs::fallocate(file, discard, at, range.len() as u64)?;
        let residency = Residency::open();
        let mut copied = 0;
        let care = window::exchange(&range, || {
            for piece in range.pieces() {
                copied += copy_out(piece, &residency, file, at + (piece.start - range.base()) as u64)?;
            }
            for piece in range.pieces() {
                map_over(piece, file, at + (piece.start - range.base()) as u64)?;
            }
            Ok(())
        })?;
        tell_registrars(&range);
        *state = Some(Moved { range, file: kept, at });
        Ok(Statics { range, copied, care })
    }

    /// Moves the data back into private memory. What peers wrote until now is kept; from now on they write the file
    /// alone.
    ///
    /// # Errors
    /// Without memory for the copy the data stay where they are, and the file stays alive with them.
    pub fn unshare(self) -> io::Result<Care> {
        // The work is done here, with its result; there is none left for `drop`.
        let result = bring_back();
        std::mem::forget(self);
        result
    }

    /// The range that was moved.
    pub fn range(&self) -> &Range {
        &self.range
    }

    /// The bytes that were copied.
    pub fn copied(&self) -> u64 {
        self.copied
    }

    /// How other threads' writes were kept.
    pub fn care(&self) -> Care {
        self.care
    }
}

impl Drop for Statics {
    fn drop(&mut self) {
        // A failure leaves the data in the file, which their mapping keeps alive: nothing is lost.
        let _ = bring_back();
    }
}

/// In a forked child the data are private already, and this does nothing.
fn bring_back() -> io::Result<Care> {
    let mut state = fork::state();
    let Some(moved) = state.as_ref() else { return Ok(Care::Alone) };
    let range = moved.range;
    // Now, for what is private has no file to come back from.
    tell_registrars(&range);
    let mut rooms = [std::ptr::null_mut(); PIECES_MAX];
    let made = range.pieces().iter().zip(&mut rooms).try_for_each(|(piece, room)| {
        *room = fork::private_room(piece)?;
        Ok(())
    });
    let moved_back = made.and_then(|()| {
        window::exchange(&range, || {
            for (piece, &room) in range.pieces().iter().zip(&rooms) {
                // SAFETY: the room is as long as its piece and nobody else knows it.
                unsafe { fork::fill(room, moved, piece) };
            }
            for (piece, room) in range.pieces().iter().zip(&mut rooms) {
                fork::place(piece, *room)?;
                *room = std::ptr::null_mut();
            }
            Ok(())
        })
    });
    for (piece, room) in range.pieces().iter().zip(rooms) {
        if !room.is_null() {
            // SAFETY: a private mapping of our own that was not moved.
            let _ = unsafe { rustix::mm::munmap(room, piece.len()) };
        }
    }
    if moved_back.is_ok() {
        *state = None;
    }
    moved_back
}

/// An MPI may have registered static data of the program. The exchange itself is by system calls that nobody hears of: other
/// threads are held at their writes meanwhile, perhaps within the locks of such a library.
fn tell_registrars(range: &Range) {
    for piece in range.pieces() {
        // SAFETY: the piece is mapped from the file.
        unsafe { pages::tell_registrars(piece.start as *mut u8, piece.len()) };
    }
}

/// Maps the file over `piece`, in one step: a thread that loads meanwhile finds the old page or the new one, and both
/// hold the same.
fn map_over(piece: &DataPiece, file: BorrowedFd<'_>, at: u64) -> io::Result<()> {
    let flags = MapFlags::SHARED | MapFlags::FIXED;
    // SAFETY: the file's pages hold what the piece holds.
    unsafe { rustix::mm::mmap(piece.start as *mut c_void, piece.len(), fork::protection(piece), flags, file, at)? };
    Ok(())
}

/// Writes the pages of `piece` that hold something to the file; returns how many bytes.
///
/// By plain system calls: a sanitizer's `pwrite` would object to the red zones between globals.
fn copy_out(piece: &DataPiece, residency: &Residency, file: BorrowedFd<'_>, at: u64) -> io::Result<u64> {
    let page = page_size();
    let mut copied = 0;
    let mut from = piece.start;
    while from < piece.end {
        let (count, holds) = residency.look(piece, from)?;
        // Runs of pages that hold something go out together.
        let mut index = 0;
        while index < count {
            let run = (index..count).take_while(|&next| holds[next]).count();
            if run > 0 {
                let start = from + index * page;
                write_out(start, run * page, file, at + (start - piece.start) as u64)?;
                copied += (run * page) as u64;
            }
            index += run.max(1);
        }
        from += count * page;
    }
    Ok(copied)
}

fn write_out(start: usize, len: usize, file: BorrowedFd<'_>, at: u64) -> io::Result<()> {
    let mut done = 0;
    while done < len {
        // SAFETY: pages of the executable's data, which are mapped and initialised. Only the kernel reads through this
        // reference; other threads are held at their writes, or it is as good as any moment.
        let bytes = unsafe { slice::from_raw_parts((start + done) as *const u8, len - done) };
        match rustix::io::pwrite(file, bytes, at + done as u64)? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            written => done += written,
        }
    }
    Ok(())
}

/// Pages looked at in one go: a buffer of 4 KiB on the stack covers 2 MiB.
const LOOK: usize = 512;

/// Which pages hold something, by `/proc/self/pagemap`; where that is closed, by their contents.
struct Residency {
    pagemap: Option<OwnedFd>,
}

impl Residency {
    fn open() -> Self {
        Residency {
            pagemap: rustix::fs::open("/proc/self/pagemap", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok(),
        }
    }

    /// Which of the next pages of `piece` from `from` on must be copied, and how many were looked at: at least one.
    fn look(&self, piece: &DataPiece, from: usize) -> io::Result<(usize, [bool; LOOK])> {
        let page = page_size();
        let count = ((piece.end - from) / page).min(LOOK);
        let mut entries = [0u64; LOOK];
        let known = self.pagemap.as_ref().is_some_and(|pagemap| {
            // SAFETY: plain memory of the array, as bytes.
            let bytes = unsafe { slice::from_raw_parts_mut(entries.as_mut_ptr().cast::<u8>(), count * 8) };
            rustix::io::pread(pagemap, bytes, (from / page * 8) as u64) == Ok(count * 8)
        });
        let mut holds = [false; LOOK];
        for (index, holds) in holds.iter_mut().enumerate().take(count) {
            let start = from + index * page;
            // A page of the file has contents even if it was never touched. Beyond, a page holds something if it is
            // present (bit 63) or swapped out (bit 62).
            *holds = start < piece.file_end || if known { entries[index] >> 62 != 0 } else { !is_zero(start, page) };
        }
        Ok((count, holds))
    }
}

fn is_zero(start: usize, len: usize) -> bool {
    let words = start as *const u64;
    // SAFETY: a page of the executable's data; volatile, for other threads may write it.
    (0..len / 8).all(|index| unsafe { words.wrapping_add(index).read_volatile() } == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where the kernel does not tell, contents decide: what it would have had copied and is not zero is copied too.
    #[test]
    fn without_pagemap_no_page_with_contents_is_missed() {
        static mut SPARSE: [u8; 1 << 20] = [0; 1 << 20];
        // SAFETY: a static of this test alone.
        unsafe { (&raw mut SPARSE).cast::<u8>().add(500_000).write_volatile(1) };
        let range = Range::of_executable().expect("a Rust executable has data");
        let closed = Residency { pagemap: None };
        let at = ((&raw const SPARSE).addr() + 500_000) / page_size() * page_size();
        let (mut holding, mut empty) = (0, 0);
        for piece in range.pieces() {
            let mut from = piece.start;
            while from < piece.end {
                let (count, holds) = closed.look(piece, from).expect("contents can always be read");
                for (index, &holds) in holds[..count].iter().enumerate() {
                    let page = from + index * page_size();
                    assert!(holds || page != at, "the page with contents is missed");
                    assert!(holds || page >= piece.file_end, "a page of the file is missed");
                    *if holds { &mut holding } else { &mut empty } += 1;
                }
                from += count * page_size();
            }
        }
        assert!(holding > 0 && empty >= 200, "{holding} pages hold something, {empty} do not");
    }
}
