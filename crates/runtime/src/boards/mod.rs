//! Where the boards of this host's PEs are: in a file of the launcher, with the boards of all PEs of the host, or else in the memory that
//! this PE maps, with the boards of the PEs whose memory is mapped.

pub(crate) mod names;

use crate::area;
use core::{ops::Deref, ptr::NonNull};
use ferrite_bootstrap::Boot;
use ferrite_diagnose::{
    board::Board,
    record::Records,
    status::{Seen, Status},
};
use ferrite_fabric::Pe;
use ferrite_memory::node::NodeMemory;
use rustix::{
    fs::fstat,
    mm::{MapFlags, ProtFlags, mmap, munmap},
};
use std::ptr;

/// The boards that this PE sees.
pub(crate) struct Boards {
    /// PEs that the boards belong to, in ascending order.
    pes: Box<[u32]>,
    boards: Box<[NonNull<Board>]>,
    /// Index of this PE's board among them, and the board itself: each collective writes there.
    own_index: usize,
    own: NonNull<Board>,
    /// Size of the launcher's file, if the boards are in it.
    mapped: Option<usize>,
}

// SAFETY: boards are only ever touched as atomics.
unsafe impl Send for Boards {}
// SAFETY: as above.
unsafe impl Sync for Boards {}

impl Boards {
    /// The boards of this host, or else of the PEs `local`, whose memory `node` maps.
    pub fn new(boot: &dyn Boot, node: &NodeMemory, local: &[u32]) -> Boards {
        let boards = Boards::of_launcher(boot).unwrap_or_else(|| {
            let board = |index| node.control(index).wrapping_add(area::BOARD_AT).cast::<Board>();
            let boards = (0..local.len()).map(|index| NonNull::new(board(index)).expect("mapped memory is somewhere"));
            Boards::with(local.into(), boards.collect(), node.index(), None)
        });
        names::write_all(&boards);
        boards
    }

    fn with(pes: Box<[u32]>, boards: Box<[NonNull<Board>]>, own_index: usize, mapped: Option<usize>) -> Boards {
        let own = boards[own_index];
        Boards { pes, boards, own_index, own, mapped }
    }

    fn of_launcher(boot: &dyn Boot) -> Option<Boards> {
        let (file, pes) = (boot.boards()?, boot.local());
        let (own_index, bytes) = (pes.iter().position(|&pe| pe == boot.me())?, bytes_for(pes));
        if usize::try_from(fstat(file).ok()?.st_size).ok()? < bytes {
            return None;
        }
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a fresh mapping, which nothing else knows of.
        let base = unsafe { mmap(ptr::null_mut(), bytes, access, MapFlags::SHARED, file, 0) }.ok()?;
        let base = NonNull::new(base.cast::<Board>())?;
        // SAFETY: within the mapping, which has a board for each PE.
        let boards = (0..pes.len()).map(|index| unsafe { base.add(index) }).collect();
        let boards = Boards::with(pes.iter().map(|pe| pe.0).collect(), boards, own_index, Some(bytes));
        // A launcher of another version may use another layout.
        boards.own().is_open().then_some(boards)
    }

    /// Whether the boards are in a file of the launcher, which reads them.
    pub fn are_of_launcher(&self) -> bool {
        self.mapped.is_some()
    }

    /// PEs whose boards are visible, in ascending order.
    pub fn pes(&self) -> &[u32] {
        &self.pes
    }

    /// The board at an index.
    pub fn at(&self, index: usize) -> &Board {
        // SAFETY: in a mapping that outlives this: aligned, zeros at first, and only ever touched as atomics.
        unsafe { self.boards[index].as_ref() }
    }

    /// Status of the first board, which also holds the state that concerns all PEs.
    pub fn first(&self) -> &Status {
        &self.at(0).status
    }

    /// Index of this PE's board.
    pub fn own_index(&self) -> usize {
        self.own_index
    }

    #[inline(always)]
    pub fn own(&self) -> &Board {
        // SAFETY: as above.
        unsafe { self.own.as_ref() }
    }

    /// The board of a PE, if it is visible.
    pub fn of(&self, pe: u32) -> Option<&Board> {
        self.pes.binary_search(&pe).ok().map(|index| self.at(index))
    }

    /// The visible state of all PEs.
    pub fn see(&self) -> Vec<Seen> {
        self.pes.iter().enumerate().map(|(index, &pe)| self.at(index).status.see(pe)).collect()
    }

    /// This PE's records of the team in `slot`. The boards exist as long as the team.
    pub fn own_records(&self, slot: usize) -> OwnRecords {
        OwnRecords((&self.own().records[slot]).into())
    }
}

impl Drop for Boards {
    fn drop(&mut self) {
        if let Some(bytes) = self.mapped {
            // SAFETY: the mapping was made for this object, and its users are gone: teams and handlers.
            let _ = unsafe { munmap(self.boards[0].as_ptr().cast(), bytes) };
        }
    }
}

/// Size in bytes of the boards of these PEs.
fn bytes_for(pes: &[Pe]) -> usize {
    pes.len() * size_of::<Board>()
}

/// A PE's records of one of its teams.
pub(crate) struct OwnRecords(NonNull<Records>);

// SAFETY: records are only ever touched as atomics.
unsafe impl Send for OwnRecords {}
// SAFETY: as above.
unsafe impl Sync for OwnRecords {}

impl Deref for OwnRecords {
    type Target = Records;

    #[inline(always)]
    fn deref(&self) -> &Records {
        // SAFETY: points into a board, which exists as long as the team ([`Boards::own_records`]).
        unsafe { self.0.as_ref() }
    }
}
