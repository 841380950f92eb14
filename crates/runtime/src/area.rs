//! The layout of the control area: where each member of a team has its flags, cells, tallies and scratch.
//!
//! ```text
//! control area of a PE:   | mailboxes of meetings | arrived | keys | slot 0 (world) | slot 1 (shared) | slot 2 | ... | board |
//! keys:                   | of piece 0 (never read) | of piece 1 | ...
//! slot:                   | share 0 | share 1 | ... | share WINDOW - 1 | queue: QUEUE x 64 bytes |
//! share:                  | cells: LINES x 64 bytes | tally | arrivals | scratch |
//! ```
//!
//! The board holds what a PE publishes about itself if the launcher has no place for it (`diagnose`). The tally and the arrivals have a
//! cache line each. The area starts as zeros. Epochs distinguish the tags of one collective from those of another, and counters are
//! compared with their earlier counts.
//!
//! # Pieces
//!
//! PEs of the node map the whole area at once, and a page takes memory only when it is touched. For peers on a fabric the area must be
//! registered, and a NIC pins registered memory, touched or not. So a PE registers the control area piece by piece, when a team claims a
//! slot in a piece (`far/pieces.rs`). Each piece is a segment. The first piece, which contains everything before the slots, is registered
//! at start.

use ferrite_collectives::{CELL_STRIDE, QUEUE, WINDOW, exchange::lines};
use ferrite_diagnose::board::{Board, TEAMS};
use ferrite_fabric::SegmentId;
use std::ops::Range;

/// Cells for the largest possible team.
const LINES: usize = lines(u32::MAX);
/// Bytes of scratch per share. Long messages are streamed through it.
pub(crate) const SCRATCH: usize = ferrite_collectives::SCRATCH_BYTES;
const TALLY_AT: usize = LINES * CELL_STRIDE;
const ARRIVALS_AT: usize = TALLY_AT + CELL_STRIDE;
const SCRATCH_AT: usize = ARRIVALS_AT + CELL_STRIDE;
const SHARE: usize = SCRATCH_AT + SCRATCH;

/// Where in a slot the queue of broadcasts begins: on a page of its own, which takes no memory before there are any.
pub(crate) const QUEUE_AT: usize = (SHARE * WINDOW as usize).next_multiple_of(4096);
/// Bytes of one slot, whole pages.
pub(crate) const SLOT: usize = (QUEUE_AT + QUEUE as usize * CELL_STRIDE).next_multiple_of(4096);
/// Slots, one for each team that can live at the same time.
pub(crate) const SLOTS: usize = TEAMS;
/// Slots of a piece: enough for the teams of most programs, and no more memory than a NIC should pin for them.
const PIECE_SLOTS: usize = 16;
pub(crate) const PIECES: usize = SLOTS / PIECE_SLOTS;

/// Where the mailboxes of meetings begin.
pub(crate) const MEETING_AT: usize = 0;
/// Bytes of the mailboxes.
pub(crate) const MEETING: usize = 16 << 10;
/// Where the writes that have arrived at this PE are counted, if they are.
pub(crate) const ARRIVED_AT: usize = MEETING_AT + MEETING;
/// Where this PE counts the beginnings and ends of its waits, on a line of its own.
pub(crate) const WAITS_AT: usize = ARRIVED_AT + CELL_STRIDE;
/// Where this PE has the lock of the words of its device heap, on a line of its own.
pub(crate) const DEVICE_LOCK_AT: usize = WAITS_AT + CELL_STRIDE;
/// Where the keys of pieces begin.
const KEYS_AT: usize = ARRIVED_AT + 4096;
/// Bytes for the key of one piece. UCX's keys grow with the number of NICs, and stay below this size with as many NICs as UCX can drive.
pub(crate) const KEY_ROOM: usize = 2 << 10;
/// Where the slots begin.
const SLOTS_AT: usize = (KEYS_AT + KEY_ROOM * PIECES).next_multiple_of(4096);
/// Where the PE's board is, which no NIC needs to reach.
pub(crate) const BOARD_AT: usize = SLOTS_AT + SLOT * SLOTS;
/// Bytes of a PE's control area.
pub(crate) const CONTROL: usize = BOARD_AT + size_of::<Board>();

/// Where a slot begins.
pub(crate) const fn slot_at(slot: usize) -> usize {
    SLOTS_AT + slot * SLOT
}

/// The piece that a slot is in.
pub(crate) const fn piece_of(slot: usize) -> usize {
    slot / PIECE_SLOTS
}

/// Bytes of the control area that a piece takes.
pub(crate) fn piece(number: usize) -> Range<usize> {
    let begin = if number == 0 { 0 } else { slot_at(number * PIECE_SLOTS) };
    begin..slot_at((number + 1) * PIECE_SLOTS)
}

/// The segment that peers use to address a piece.
pub(crate) fn segment_of(piece: usize) -> SegmentId {
    let SegmentId(first) = SegmentId::CONTROL;
    SegmentId(first + piece as u8)
}

/// Where the key of a piece is published.
pub(crate) const fn key_at(piece: usize) -> usize {
    KEYS_AT + piece * KEY_ROOM
}

/// The slots of the world team.
pub(crate) const WORLD_SLOTS: [usize; 3] = [0, 2, 3];
/// The slot of the shared team.
pub(crate) const SHARED_SLOT: usize = 1;
/// Slots of predefined teams.
pub(crate) const PREDEFINED: usize = 4;

/// Where the cells of a share begin, within a slot.
pub(crate) const fn cells_at(share: usize) -> usize {
    share * SHARE
}

/// Where a share has its tally.
pub(crate) const fn tally_at(share: usize) -> usize {
    share * SHARE + TALLY_AT
}

/// Where a share has its arrivals, which are counted at rank 0.
pub(crate) const fn arrivals_at(share: usize) -> usize {
    share * SHARE + ARRIVALS_AT
}

/// Where the scratch of a share begins.
pub(crate) const fn scratch_at(share: usize) -> usize {
    share * SHARE + SCRATCH_AT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_side_by_side_and_hold_whole_slots() {
        assert_eq!(piece(0).start, 0);
        for number in 1..PIECES {
            assert_eq!(piece(number).start, piece(number - 1).end);
        }
        assert_eq!(piece(PIECES - 1).end, BOARD_AT);
        for slot in 0..SLOTS {
            let (home, begin) = (piece(piece_of(slot)), slot_at(slot));
            assert!(home.start <= begin && begin + SLOT <= home.end, "slot {slot}");
            assert!(begin.is_multiple_of(4096));
        }
        assert!(key_at(PIECES) <= slot_at(0));
    }

    /// A NIC pins this from the start for each PE of a host, of which there may be 128.
    #[test]
    fn little_is_registered_before_teams_are_made() {
        assert!(piece(0).len() <= 2 << 20, "{} bytes", piece(0).len());
    }

    #[test]
    fn each_piece_has_a_segment_of_its_own() {
        let mut ids: Vec<u8> = (0..PIECES).map(|number| segment_of(number).0).collect();
        assert_eq!(segment_of(0), SegmentId::CONTROL);
        ids.extend([SegmentId::HEAP, SegmentId::STATICS, SegmentId::DEVICE, SegmentId::MOVES].map(|id| id.0));
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), PIECES + 4);
    }
}
