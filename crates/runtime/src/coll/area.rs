//! Where the flags, cells, tallies and scratch of a team lie in each member's control area.
//!
//! ```text
//! control area of a PE:   | slot 0 (world) | slot 1 (shared) | slot 2 | ...
//! slot:                   | share 0 | share 1 | ... | share WINDOW - 1 |
//! share:                  | cells: LINES x 64 bytes | tallies: TALLIES x 64 bytes | scratch |
//! ```
//!
//! All of it starts as zeros and is never reset: tags and tallies are told apart by epoch.

use ferrite_collectives::{CELL_STRIDE, TALLIES, WINDOW, exchange::lines};

/// Cells for the largest team that there can be.
const LINES: usize = lines(u32::MAX);
/// Bytes of scratch per share: what a long message is streamed through.
pub(crate) const SCRATCH: usize = 16 << 10;
const TALLIES_AT: usize = LINES * CELL_STRIDE;
const SCRATCH_AT: usize = TALLIES_AT + TALLIES * CELL_STRIDE;
const SHARE: usize = SCRATCH_AT + SCRATCH;

/// Bytes of one slot, whole pages.
pub(crate) const SLOT: usize = (SHARE * WINDOW as usize).next_multiple_of(4096);
/// Slots, one for each team that can live at the same time.
pub(crate) const SLOTS: usize = 256;
/// Bytes of a PE's control area.
pub(crate) const CONTROL: usize = SLOT * SLOTS;

/// The slot of the world team.
pub(crate) const WORLD_SLOT: usize = 0;

/// Offsets within a slot.
pub(crate) const fn cells_at(share: usize) -> usize {
    share * SHARE
}

/// Where the counter of `tally` lies.
pub(crate) const fn tally_at(share: usize, tally: usize) -> usize {
    share * SHARE + TALLIES_AT + tally * CELL_STRIDE
}

/// Where the scratch of a share begins.
pub(crate) const fn scratch_at(share: usize) -> usize {
    share * SHARE + SCRATCH_AT
}
