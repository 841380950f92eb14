//! Where the flags, cells, tallies and scratch of a team lie in each member's control area.
//!
//! ```text
//! control area of a PE:   | slot 0 (world) | slot 1 (shared) | slot 2 | ... | lanes of meetings | arrived |
//! slot:                   | share 0 | share 1 | ... | share WINDOW - 1 |
//! share:                  | cells: LINES x 64 bytes | tally | arrivals | scratch |
//! ```
//!
//! The tally and the arrivals have a line each. All of it starts as zeros; tags are told apart by epoch, counters by
//! what they have counted before.

use ferrite_collectives::{CELL_STRIDE, WINDOW, exchange::lines};

/// Cells for the largest team that there can be.
const LINES: usize = lines(u32::MAX);
/// Bytes of scratch per share: what a long message is streamed through.
pub(crate) const SCRATCH: usize = 16 << 10;
const TALLY_AT: usize = LINES * CELL_STRIDE;
const ARRIVALS_AT: usize = TALLY_AT + CELL_STRIDE;
const SCRATCH_AT: usize = ARRIVALS_AT + CELL_STRIDE;
const SHARE: usize = SCRATCH_AT + SCRATCH;

/// Bytes of one slot, whole pages.
pub(crate) const SLOT: usize = (SHARE * WINDOW as usize).next_multiple_of(4096);
/// Slots, one for each team that can live at the same time.
pub(crate) const SLOTS: usize = 1024;
/// Where the lanes of meetings begin.
pub(crate) const MEETING_AT: usize = SLOT * SLOTS;
/// Their bytes.
pub(crate) const MEETING: usize = 16 << 10;
/// Where the writes are counted that have come to this PE, if anyone counts.
pub(crate) const ARRIVED_AT: usize = MEETING_AT + MEETING;
/// Bytes of a PE's control area.
pub(crate) const CONTROL: usize = ARRIVED_AT + 4096;

/// Where a slot begins.
pub(crate) const fn slot_at(slot: usize) -> usize {
    slot * SLOT
}

/// The slots of the world team.
pub(crate) const WORLD_SLOTS: [usize; 3] = [0, 2, 3];
/// The slot of the shared team.
pub(crate) const SHARED_SLOT: usize = 1;
/// Slots of predefined teams.
pub(crate) const PREDEFINED: usize = 4;

/// Offsets within a slot.
pub(crate) const fn cells_at(share: usize) -> usize {
    share * SHARE
}

/// Where a share has its tally.
pub(crate) const fn tally_at(share: usize) -> usize {
    share * SHARE + TALLY_AT
}

/// Where it has the arrivals, which are counted at rank 0.
pub(crate) const fn arrivals_at(share: usize) -> usize {
    share * SHARE + ARRIVALS_AT
}

/// Where the scratch of a share begins.
pub(crate) const fn scratch_at(share: usize) -> usize {
    share * SHARE + SCRATCH_AT
}
