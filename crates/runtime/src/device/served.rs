//! The target's side of operations on device memory: atomics of peers that do not map this PE's heap, and copies between the heap and slots
//! of host memory, through which the data of these peers pass.
//!
//! Peers reach both as words of segments that are not memory ([`Words`]): requests that the target's processor executes, on a thread that
//! polls the fabric, over every transport.
//!
//! | segment | operation | offset | operand | answer |
//! |---|---|---|---|---|
//! | `DEVICE` | any atomic | of a word of the heap | the atomic's | the old value |
//! | `MOVES` | [`CLAIM`] | 0 | | the number of a free slot, which now belongs to the peer, or [`NO_SLOT`] |
//! | `MOVES` | [`RELEASE`] | 0 | the slot | |
//! | `MOVES` | [`IN`] | in the heap | slot and length | 0, once the slot's bytes are in the heap |
//! | `MOVES` | [`LAST_IN`] | in the heap | slot and length | as for [`IN`]; then the slot is given back |
//! | `MOVES` | [`OUT`] | in the heap | slot and length | 0, once the heap's bytes are in the slot |
//!
//! A peer that dies with slots ends the job, so slots are not taken back. A device that fails ends the job as well: the launcher gets the
//! reason from the target, because the peer does not know it.

use super::{DeviceRoom, For};
use crate::end::EXIT_CODE;
use core::sync::atomic::{
    AtomicU64,
    Ordering::{AcqRel, Relaxed},
};
use ferrite_bootstrap::Boot;
use ferrite_device::Side;
use ferrite_fabric::{Amo, Width, Words};
use std::sync::Arc;

/// Bytes of a slot: long enough that its copies take longer than the requests around them.
pub(crate) const SLOT_BYTES: usize = 256 << 10;
/// Slots of a PE.
const SLOTS: u32 = 32;
/// Bytes of all slots.
pub(crate) const STAGING_BYTES: usize = SLOT_BYTES * SLOTS as usize;

/// Take a free slot.
pub(super) const CLAIM: Amo = Amo::Fetch;
/// Give a slot back.
pub(super) const RELEASE: Amo = Amo::Set;
/// Copy from a slot into the heap.
pub(super) const IN: Amo = Amo::Swap;
/// Copy from a slot into the heap, and give the slot back.
pub(super) const LAST_IN: Amo = Amo::Or;
/// Copy from the heap into a slot.
pub(super) const OUT: Amo = Amo::Xor;
/// The answer if no slot is free.
pub(super) const NO_SLOT: u64 = u64::MAX;
/// Answer if a copy was made.
pub(super) const DONE: u64 = 0;

/// The slots of a PE, in its symmetric host heap.
pub(crate) struct Staging {
    base: usize,
    /// Offset of the slots in the heap, the same on all PEs.
    offset: u64,
    /// A bit for each slot that belongs to a peer.
    claimed: AtomicU64,
    /// The driver has page-locked the memory.
    pub(super) is_locked: bool,
}

impl Staging {
    /// `base` has [`STAGING_BYTES`], and lies `offset` bytes into the heap.
    pub fn new(base: *mut u8, offset: u64) -> Staging {
        Staging { base: base as usize, offset, claimed: AtomicU64::new(0), is_locked: false }
    }

    /// The first byte.
    pub fn base(&self) -> *mut u8 {
        self.base as *mut u8
    }

    /// Offset of a slot in the symmetric heap of its PE.
    pub(super) fn slot_offset(&self, slot: u64) -> u64 {
        self.offset + slot * SLOT_BYTES as u64
    }

    /// Acquire and release: the next owner of a slot writes to it after the last one has read it.
    fn claim(&self) -> u64 {
        let free = |claimed: u64| (!claimed).trailing_zeros();
        let taken = self
            .claimed
            .fetch_update(AcqRel, Relaxed, |claimed| (free(claimed) < SLOTS).then(|| claimed | 1 << free(claimed)));
        taken.map_or(NO_SLOT, |claimed| free(claimed).into())
    }

    fn release(&self, slot: u64) -> Option<u64> {
        let bit = 1_u64.checked_shl(u32::try_from(slot).ok()?)?;
        Some(self.claimed.fetch_and(!bit, AcqRel) >> slot & 1)
    }

    /// The bytes that a request names, if they are within one slot.
    fn bytes(&self, operand: u64) -> Option<(usize, usize)> {
        let (slot, len) = unpacked(operand);
        (slot < SLOTS.into() && len <= SLOT_BYTES).then(|| (self.base + slot as usize * SLOT_BYTES, len))
    }
}

/// The operand of a copy between the heap and a slot.
pub(super) fn packed(slot: u64, len: usize) -> u64 {
    slot << 32 | len as u64
}

fn unpacked(operand: u64) -> (u64, usize) {
    (operand >> 32, operand as u32 as usize)
}

/// The segments that a room serves.
pub(crate) struct Served {
    pub room: Arc<DeviceRoom>,
    pub boot: Arc<dyn Boot>,
    /// True for `MOVES`, false for `DEVICE`.
    pub moves: bool,
}

impl Words for Served {
    fn update(&self, offset: u64, width: Width, op: Amo, operand: u64, compare: u64) -> Option<u64> {
        if self.moves { self.request(offset, op, operand) } else { self.atomic(offset, width, op, operand, compare) }
    }
}

impl Served {
    fn request(&self, offset: u64, op: Amo, operand: u64) -> Option<u64> {
        let staging = self.room.staging()?;
        match op {
            CLAIM => Some(staging.claim()),
            RELEASE => staging.release(operand),
            IN | LAST_IN | OUT => {
                let (slot, len) = staging.bytes(operand)?;
                let heap = self.room.heap();
                self.room.offset(heap.base.checked_add(usize::try_from(offset).ok()?)?, len)?;
                let (device, host) = (Side::Device(heap.base + offset as usize), Side::Host(slot));
                let (to, from) = if op == OUT { (host, device) } else { (device, host) };
                // SAFETY: both were checked for `len` bytes, and the slot belongs to the peer.
                let copied = unsafe { self.room.copy(For::Peer, to, from, len) };
                copied.map_err(|error| self.failed(&error)).ok()?;
                if op == LAST_IN {
                    let was_claimed = staging.release(unpacked(operand).0);
                    debug_assert_eq!(was_claimed, Some(1), "a peer gives back a slot that it has claimed");
                }
                Some(DONE)
            }
            _ => None,
        }
    }

    fn atomic(&self, offset: u64, width: Width, op: Amo, operand: u64, compare: u64) -> Option<u64> {
        let address = self.room.heap().base.checked_add(usize::try_from(offset).ok()?)?;
        self.room.offset(address, width.bytes()).filter(|_| address.is_multiple_of(width.bytes()))?;
        let mut old = 0;
        let change = |word: *mut u8| {
            // SAFETY: a word that is aligned to 8 bytes and belongs to this thread alone.
            old = unsafe { ferrite_engine::segments::update(word, width, op, operand, compare) };
        };
        // SAFETY: the word was checked.
        let updated = unsafe { self.room.update(For::Peer, self.room.me, address, width.bytes(), change) };
        updated.map_err(|error| self.failed(&error)).ok()?;
        Some(old)
    }

    /// Report the failure, which ends the job. The request is refused meanwhile. After the loss of a peer no job is ended.
    #[cold]
    fn failed(&self, error: &ferrite_device::Error) {
        if self.room.is_over() {
            return;
        }
        self.boot.announce(EXIT_CODE, &format!("ferrite: PE {}: device memory, used by a peer: {error}", self.room.me));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_claimed_once_and_can_be_claimed_again() {
        let staging = Staging::new(core::ptr::null_mut(), 64);
        let claimed: Vec<u64> = (0..SLOTS).map(|_| staging.claim()).collect();
        assert_eq!(claimed, (0..SLOTS.into()).collect::<Vec<u64>>());
        assert_eq!(staging.claim(), NO_SLOT);
        assert_eq!(staging.release(7), Some(1));
        assert_eq!((staging.claim(), staging.claim()), (7, NO_SLOT));
        assert_eq!((staging.release(64), staging.release(u64::MAX)), (None, None));
    }

    #[test]
    fn requests_stay_within_one_slot() {
        let staging = Staging::new(core::ptr::without_provenance_mut(1 << 20), 0);
        assert_eq!(staging.bytes(packed(0, SLOT_BYTES)), Some((1 << 20, SLOT_BYTES)));
        assert_eq!(staging.bytes(packed(2, 5)), Some(((1 << 20) + 2 * SLOT_BYTES, 5)));
        assert_eq!(staging.bytes(packed(0, SLOT_BYTES + 1)), None);
        assert_eq!(staging.bytes(packed(SLOTS.into(), 1)), None);
        assert_eq!(staging.slot_offset(3), 3 * SLOT_BYTES as u64);
    }
}
