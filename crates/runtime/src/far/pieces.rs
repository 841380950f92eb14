//! The pieces of control areas (`area.rs`) that peers reach over a fabric.
//!
//! A PE registers a piece before it claims a slot in it, and writes the piece's key into its first piece, which peers can read from the
//! beginning. Members claim their slots before they agree on a team. So a member of a team finds the keys of all others, and reads each key
//! before its first send to that member.
//!
//! # Memory orders
//!
//! A PE writes the bytes of a key, then its length with release, then sends the message that its slot is claimed. A peer gets the key after
//! it has received the messages of all members.

use super::Far;
use crate::{
    area::{self, KEY_ROOM, PIECES},
    live::Live,
};
use core::sync::atomic::{AtomicU64, Ordering::Release};
use ferrite_fabric::{Error, Key, Op, Pe, Remote, Result, Segment, SegmentId};
use ferrite_os::mutex;
use std::sync::Mutex;

/// Number of bytes of a key's length field.
const LENGTH: usize = size_of::<u64>();

/// Which pieces of this PE are registered.
pub(super) struct ControlPieces(Mutex<[bool; PIECES]>);

impl Default for ControlPieces {
    /// Only the first piece is registered.
    fn default() -> ControlPieces {
        ControlPieces(Mutex::new(core::array::from_fn(|number| number == 0)))
    }
}

impl Far {
    /// Register a piece of the control area at `control` and publish its key, unless it is registered already.
    ///
    /// # Safety
    /// The control area stays mapped until this is dropped.
    unsafe fn open_piece(&self, control: *mut u8, number: usize) -> Result<()> {
        let mut open = mutex::lock(&self.pieces.0);
        if open[number] {
            return Ok(());
        }
        let range = area::piece(number);
        let segment =
            Segment { id: area::segment_of(number), base: control.wrapping_add(range.start), len: range.len() };
        // SAFETY: the caller's contract.
        let key = unsafe { self.fabric.register(segment) }?;
        // SAFETY: only this thread, which holds the lock, writes the room of this key. Peers read its length only after the message that
        // the slot is claimed.
        unsafe { tell(control.wrapping_add(area::key_at(number)), &key) }?;
        open[number] = true;
        tracing::debug!(piece = number, bytes = segment.len, "control area: registered for teams");
        Ok(())
    }
}

impl Live {
    /// Make these slots reachable for peers. Call this before the members of a team agree on the slots.
    pub(crate) fn open_slots(&self, slots: &[usize]) {
        let Some(far) = &self.far else { return };
        let control = self.memory.node.control(self.memory.node.index());
        for &slot in slots {
            // SAFETY: `take_apart` drops the fabric before the node's memory is unmapped.
            if let Err(error) = unsafe { far.open_piece(control, area::piece_of(slot)) } {
                self.die(&format!("PE {}: making a team's memory reachable: {error}", self.me));
            }
        }
    }

    /// Remote address of byte `offset` of `slot` at `pe`, a member of the slot's team.
    pub(crate) fn slot_of(&self, far: &Far, pe: Pe, slot: usize, offset: usize) -> Remote {
        let number = area::piece_of(slot);
        let segment = area::segment_of(number);
        if number > 0 && far.keyed && !far.book.knows(pe, segment) {
            self.learn_piece(far, pe, number);
        }
        Remote { pe, segment, offset: (area::slot_at(slot) - area::piece(number).start + offset) as u64 }
    }

    #[cold]
    fn learn_piece(&self, far: &Far, pe: Pe, number: usize) {
        let mut told = [0; KEY_ROOM];
        let from = Remote { pe, segment: SegmentId::CONTROL, offset: area::key_at(number) as u64 };
        // SAFETY: `told` lives until the fetch is complete.
        unsafe { self.fetch(&far.stream, &Op::Get { from, to: told.as_mut_ptr(), len: KEY_ROOM }) };
        match hear(&told) {
            Some(key) => far.book.learn(pe, area::segment_of(number), key),
            None => self.die(&format!("PE {}: {pe} is in a team and has not published its key", self.me)),
        }
    }
}

/// Write a key to the place where peers read it. A length field of 0 means that there is no key yet.
///
/// # Safety
/// This thread may write the [`KEY_ROOM`] bytes at `room`, which is aligned.
unsafe fn tell(room: *mut u8, Key(key): &Key) -> Result<()> {
    if key.len() > KEY_ROOM - LENGTH {
        return Err(Error::new(format!(
            "its key has {} bytes, and there is room for {}",
            key.len(),
            KEY_ROOM - LENGTH
        )));
    }
    // SAFETY: the caller's contract.
    unsafe {
        core::ptr::copy_nonoverlapping(key.as_ptr(), room.wrapping_add(LENGTH), key.len());
        AtomicU64::from_ptr(room.cast()).store(key.len() as u64 + 1, Release);
    }
    Ok(())
}

/// Decode a key that [`tell`] wrote.
fn hear(told: &[u8; KEY_ROOM]) -> Option<Key> {
    let (len, key) = told.split_first_chunk::<LENGTH>()?;
    let len = usize::try_from(u64::from_ne_bytes(*len)).ok()?.checked_sub(1)?;
    Some(Key(key.get(..len)?.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[repr(align(8))]
    struct Room([u8; KEY_ROOM]);

    #[test]
    fn keys_of_every_length_are_heard_as_they_were_told() {
        for len in [0, 1, 7, 8, 300, KEY_ROOM - LENGTH] {
            let mut room = Room([0; KEY_ROOM]);
            assert!(hear(&room.0).is_none());
            let key = Key((0..len).map(|i| i as u8).collect());
            // SAFETY: the room belongs to this test.
            unsafe { tell(room.0.as_mut_ptr(), &key) }.unwrap();
            assert_eq!(hear(&room.0).unwrap().0, key.0);
        }
    }

    #[test]
    fn a_key_that_is_too_long_is_refused_and_nothing_written() {
        let mut room = Room([0; KEY_ROOM]);
        let key = Key(vec![1; KEY_ROOM - LENGTH + 1].into());
        // SAFETY: the room belongs to this test.
        let refused = unsafe { tell(room.0.as_mut_ptr(), &key) }.unwrap_err().to_string();
        assert!(refused.contains("2041 bytes"), "{refused}");
        assert!(room.0.iter().all(|&byte| byte == 0));
    }

    #[test]
    fn a_length_beyond_the_room_is_no_key() {
        let mut told = [0; KEY_ROOM];
        told[..8].copy_from_slice(&(KEY_ROOM as u64).to_ne_bytes());
        assert!(hear(&told).is_none());
        told[..8].copy_from_slice(&u64::MAX.to_ne_bytes());
        assert!(hear(&told).is_none());
    }
}
