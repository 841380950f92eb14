//! The boards of this host's PEs: a file in which PEs publish their state. PEs map it, and oshrun reads it, even after they have died.

use super::spawn::BOOT_FD;
use ferrite_diagnose::board::Board;
use ferrite_fabric::Pe;
use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, fstat, ftruncate, memfd_create};
use rustix::io::fcntl_dupfd_cloexec;
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::ptr::{self, NonNull};

/// The boards of this host's PEs.
pub struct Boards {
    pes: Vec<Pe>,
    base: NonNull<Board>,
    /// Open until the PEs are started.
    file: Option<OwnedFd>,
    name: String,
}

impl Boards {
    /// Boards for these PEs, in ascending order. `None` if the shared memory cannot be made: then PEs use memory of their own.
    pub fn make(pes: Vec<Pe>) -> Option<Boards> {
        if pes.is_empty() {
            return None;
        }
        let bytes = pes.len() * size_of::<Board>();
        let file = memfd_create("ferrite-boards", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING).ok()?;
        ftruncate(&file, bytes as u64).ok()?;
        // The seals keep every process from shortening the file while others map it.
        fcntl_add_seals(&file, SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL).ok()?;
        // One above the descriptor number of each PE's connection.
        let file = fcntl_dupfd_cloexec(file, BOOT_FD + 1).ok()?;
        let name = format!("{}:{}", file.as_raw_fd(), fstat(&file).ok()?.st_ino);
        // SAFETY: a fresh mapping, to which nothing else refers.
        let base = unsafe {
            mmap(ptr::null_mut(), bytes, ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED, &file, 0).ok()?
        };
        let boards = Boards { pes, base: NonNull::new(base.cast())?, file: Some(file), name };
        boards.iter().for_each(|(_, board)| board.open());
        Some(boards)
    }

    /// How a PE that is started now finds the file: the descriptor to pass on, and the value for the PE's environment.
    pub fn passed_on(&self) -> Option<(RawFd, &str)> {
        Some((self.file.as_ref()?.as_raw_fd(), &self.name))
    }

    /// Close the file: all PEs are started.
    pub fn close(&mut self) {
        self.file = None;
    }

    /// The PEs with their boards.
    pub fn iter(&self) -> impl Iterator<Item = (Pe, &Board)> {
        // SAFETY: the mapping has a board for each PE. It lives as long as `self`, is aligned and initially zero, and is only accessed with
        // atomics.
        let board = |index| unsafe { self.base.add(index).as_ref() };
        self.pes.iter().enumerate().map(move |(index, &pe)| (pe, board(index)))
    }
}

impl Drop for Boards {
    fn drop(&mut self) {
        // SAFETY: the mapping was made for `self`, and no reference to it remains.
        let _ = unsafe { munmap(self.base.as_ptr().cast(), self.pes.len() * size_of::<Board>()) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrite_diagnose::status::Phase;

    #[test]
    fn both_mappings_show_the_same_memory() {
        let boards = Boards::make(vec![Pe(4), Pe(7)]).expect("this host has memory files");
        let (fd, name) = boards.passed_on().unwrap();
        assert!(fd > BOOT_FD && name.starts_with(&format!("{fd}:")));
        let (pe, board) = boards.iter().nth(1).unwrap();
        board.status.enter(Phase::Joined);
        board.name(1, "shmem_quiet");
        board.ring.other(1, None, 0);
        assert_eq!((pe, board.past()), (Pe(7), vec!["shmem_quiet".to_owned()]));
        assert_eq!(boards.iter().next().unwrap().1.past(), [""; 0]);
    }
}
