//! Moves the executable's static data into a file and back.

use std::ffi::c_void;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::{io, slice};

use rustix::fs::{Mode, OFlags};
use rustix::mm::MapFlags;
use rustix::process::{Resource, getrlimit};

use super::fork::{self, Moved};
use super::range::{DataPiece, PIECES_MAX, Range};
use super::window::{self, Care};
use crate::heap::pages::{self, page_size};
use ferrite_os::guarded_fd::GuardedFd;

/// The executable's data, moved into a file: peers that map the file load and store them directly.
///
/// Dropping the value moves the data, with their contents at that time, back into private memory, so that the program can go on and the
/// file can be freed. The data can be moved into another file afterwards.
#[derive(Debug)]
#[must_use = "dropping it moves the data back"]
pub struct Statics {
    range: Range,
    copied: u64,
    care: Care,
}

impl Statics {
    /// Move the data in `range` into `file` from offset `at` on, and map them from there.
    ///
    /// Only touched pages are copied: a large `.bss` that was never written costs nothing. The file is not truncated or extended; the
    /// caller has sized it.
    ///
    /// # Errors
    /// The data are moved already; the file is too short or `at` is not a multiple of a page; or the kernel refused. In all cases the
    /// program's data are as before.
    ///
    /// # Safety
    /// `range` is the executable's. From `at`, `range.len()` bytes of the file belong to this process until the value is dropped.
    pub unsafe fn share(range: Range, file: BorrowedFd<'_>, at: u64) -> io::Result<Self> {
        let status = rustix::fs::fstat(file)?;
        let fits =
            at.checked_add(range.len() as u64).is_some_and(|end| end <= u64::try_from(status.st_size).unwrap_or(0));
        if !fits || !at.is_multiple_of(page_size() as u64) {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "the file has no page-aligned range for static data",
            ));
        }
        // Writing beyond the limit is a SIGXFSZ, even within the file's size.
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
        // Data of an earlier world in the file would show through the pages that are not copied.
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

    /// Move the data back into private memory. Writes of peers up to now are kept; later ones reach the file only.
    ///
    /// # Errors
    /// If there is no memory for the copy, the data stay where they are, and the file stays alive with them.
    pub fn unshare(self) -> io::Result<Care> {
        // The move is done here, so that its result can be returned; `drop` must not do it again.
        let result = bring_back();
        std::mem::forget(self);
        result
    }

    /// The range of the moved data.
    pub fn range(&self) -> &Range {
        &self.range
    }

    /// Number of bytes that were copied.
    pub fn copied(&self) -> u64 {
        self.copied
    }

    /// How the writes of other threads were kept from getting lost.
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

/// Move the data back. In a forked child they are private already, and this does nothing.
fn bring_back() -> io::Result<Care> {
    let mut state = fork::state();
    let Some(moved) = state.as_ref() else { return Ok(Care::Alone) };
    let range = moved.range;
    // Before the move, because private memory has no file from which its contents could come back.
    tell_registrars(&range);
    let mut rooms = [std::ptr::null_mut(); PIECES_MAX];
    let made = range.pieces().iter().zip(&mut rooms).try_for_each(|(piece, room)| {
        *room = fork::private_room(piece)?;
        Ok(())
    });
    let moved_back = made.and_then(|()| {
        window::exchange(&range, || {
            for (piece, &room) in range.pieces().iter().zip(&rooms) {
                // SAFETY: the room is as long as its piece, and no other code knows it.
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
            // SAFETY: a private mapping made above that was not moved.
            let _ = unsafe { rustix::mm::munmap(room, piece.len()) };
        }
    }
    if moved_back.is_ok() {
        *state = None;
    }
    moved_back
}

/// Notify registration caches: an MPI may have registered static data of the program. It is done outside of the exchange, whose system
/// calls such a library does not see: during the exchange, other threads are stopped at their writes, perhaps while they hold the locks of
/// such a library.
fn tell_registrars(range: &Range) {
    for piece in range.pieces() {
        // SAFETY: the piece is mapped from the file.
        unsafe { pages::tell_registrars(piece.start as *mut u8, piece.len()) };
    }
}

/// Map the file over `piece` in one step. A thread that loads meanwhile finds the old page or the new one, and both have the same contents.
fn map_over(piece: &DataPiece, file: BorrowedFd<'_>, at: u64) -> io::Result<()> {
    let flags = MapFlags::SHARED | MapFlags::FIXED;
    // SAFETY: the file's pages have the contents of the piece.
    unsafe { rustix::mm::mmap(piece.start as *mut c_void, piece.len(), fork::protection(piece), flags, file, at)? };
    Ok(())
}

/// Write the pages of `piece` that have contents to the file, and return the number of bytes.
///
/// It uses plain system calls: a sanitizer's `pwrite` would object to the red zones between globals.
fn copy_out(piece: &DataPiece, residency: &Residency, file: BorrowedFd<'_>, at: u64) -> io::Result<u64> {
    let page = page_size();
    let mut copied = 0;
    let mut from = piece.start;
    while from < piece.end {
        let (count, holds) = residency.look(piece, from)?;
        // Runs of pages with contents are written together.
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
        // SAFETY: pages of the executable's data, which are mapped and initialised. Only the kernel reads through this reference. Other
        // threads are stopped at their writes; if they could not be stopped, this moment is as good as any.
        let bytes = unsafe { slice::from_raw_parts((start + done) as *const u8, len - done) };
        match rustix::io::pwrite(file, bytes, at + done as u64)? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            written => done += written,
        }
    }
    Ok(())
}

/// Number of pages per look: a buffer of 4 KiB on the stack covers 2 MiB.
const LOOK: usize = 512;

/// Finds the pages that have contents: by `/proc/self/pagemap`, or by reading the pages if that file is closed to us.
struct Residency {
    pagemap: Option<OwnedFd>,
}

impl Residency {
    fn open() -> Self {
        Residency {
            pagemap: rustix::fs::open("/proc/self/pagemap", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok(),
        }
    }

    /// Look at the next pages of `piece` from `from` on. Returns how many were looked at (at least one), and which of them must be copied.
    fn look(&self, piece: &DataPiece, from: usize) -> io::Result<(usize, [bool; LOOK])> {
        let page = page_size();
        let count = ((piece.end - from) / page).min(LOOK);
        let mut entries = [0u64; LOOK];
        let known = self.pagemap.as_ref().is_some_and(|pagemap| {
            // SAFETY: the array's plain memory, as bytes.
            let bytes = unsafe { slice::from_raw_parts_mut(entries.as_mut_ptr().cast::<u8>(), count * 8) };
            rustix::io::pread(pagemap, bytes, (from / page * 8) as u64) == Ok(count * 8)
        });
        let mut holds = [false; LOOK];
        for (index, holds) in holds.iter_mut().enumerate().take(count) {
            let start = from + index * page;
            // A page of the executable's file has contents even if it was never touched. A later page has contents if it is present (bit
            // 63) or swapped out (bit 62).
            *holds = start < piece.file_end || if known { entries[index] >> 62 != 0 } else { !is_zero(start, page) };
        }
        Ok((count, holds))
    }
}

fn is_zero(start: usize, len: usize) -> bool {
    let words = start as *const u64;
    // SAFETY: a page of the executable's data; volatile, because other threads may write it.
    (0..len / 8).all(|index| unsafe { words.wrapping_add(index).read_volatile() } == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without pagemap the contents decide: a page that pagemap would have had copied and that is not zero is copied too.
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
