//! The initiator's side of transfers between device memory and PEs that are not mapped.
//!
//! A transfer to or from the device heap of such a PE passes through slots of host memory at that PE, in pieces of one slot (`served`
//! lists the requests). A put writes a piece into a slot, and then asks the target to copy it; the fabric orders the request after
//! the piece. A get asks the target to copy a piece into a slot, and reads the slot once that is answered. Up to [`LANES`] pieces are under
//! way at once, so that copies of the device, the network and the target overlap.
//!
//! A local side in device memory passes through a page-locked buffer here, with a part for each lane. The last request of a put for a slot
//! gives the slot back, and a get gives the slots back by further requests. All other operations use the stream of the call's context, so
//! that its fences order them behind operations on host memory. They are waited for, so quiet need not know of them.

use super::{
    DeviceRoom, For,
    served::{CLAIM, DONE, IN, LAST_IN, NO_SLOT, OUT, RELEASE, SLOT_BYTES, packed},
    transfer::{Direction, offset_by},
};
use crate::{Site, far::ContextStream, live::Live};
use ferrite_device::{HostBuffer, Result, Side};
use ferrite_fabric::{Amo, Op, Pe, Remote, SegmentId, Ticket, Width};

/// Pieces under way at once.
const LANES: usize = 4;
/// Bytes of a bounce buffer.
pub(super) const BOUNCE_BYTES: usize = LANES * SLOT_BYTES;

/// A place of the pipeline: a slot of the target, and the piece that is in it.
struct Lane {
    slot: u64,
    /// Part of the bounce buffer, if the local side is in device memory.
    bounce: Option<*mut u8>,
    piece: Option<Piece>,
}

/// A piece under way.
struct Piece {
    /// Distance from the start of the transfer.
    at: usize,
    len: usize,
    /// The answer to the request.
    answer: Box<u64>,
    request: Ticket,
    /// The transfer between here and the slot.
    moved: Option<Ticket>,
}

/// The transfers of one call.
struct Staged<'l> {
    live: &'l Live,
    /// The stream of the call's context.
    stream: &'l ContextStream,
    room: &'l DeviceRoom,
    site: &'static Site,
    pe: Pe,
    /// Where the transfer begins in the target's device heap.
    offset: u64,
    /// Where it begins here.
    local: Side,
}

fn host(address: *mut u8) -> Side {
    Side::Host(address as usize)
}

/// A lane's part of a bounce buffer.
fn part(bounce: &HostBuffer, lane: usize) -> *mut u8 {
    bounce.base().as_ptr().wrapping_add(lane * SLOT_BYTES)
}

impl Staged<'_> {
    /// A request to the target. Its answer goes to `answer`, unless that is null.
    fn question(&self, op: Amo, offset: u64, operand: u64, answer: *mut u64) -> Op {
        let at = Remote { pe: self.pe, segment: SegmentId::MOVES, offset };
        Op::Amo { at, width: Width::W64, op, operand, compare: 0, fetch: answer.cast() }
    }

    /// Ask the target; the answer is in `answer` once the ticket is local.
    ///
    /// # Safety
    /// `answer` stays valid until then.
    unsafe fn ask(&self, op: Amo, offset: u64, operand: u64, answer: *mut u64) -> Ticket {
        // SAFETY: the caller's contract.
        unsafe { self.live.issue_unowed(self.stream, &self.question(op, offset, operand, answer)) }
    }

    /// As [`Live::copy_piece`].
    ///
    /// # Safety
    /// As for [`DeviceRoom::copy`].
    unsafe fn copy(&self, to: Side, from: Side, len: usize) {
        // SAFETY: the caller's contract.
        unsafe { self.live.copy_piece(self.room, self.site, to, from, len) }
    }

    /// Claim slots for a transfer of this many pieces: at least one. Waits while the target has none.
    fn claim(&self, pieces: usize) -> Vec<u64> {
        loop {
            let mut answers = [NO_SLOT; LANES];
            let wanted = &mut answers[..pieces.min(LANES)];
            // SAFETY: the answers are waited for.
            let asked: Vec<Ticket> = wanted.iter_mut().map(|answer| unsafe { self.ask(CLAIM, 0, 0, answer) }).collect();
            asked.into_iter().for_each(|ticket| self.live.wait_for_one(self.stream, ticket));
            let slots: Vec<u64> = answers.into_iter().filter(|&slot| slot != NO_SLOT).collect();
            if !slots.is_empty() {
                return slots;
            }
            self.live.failed_look();
        }
    }

    fn lanes(&self, pieces: usize, bounce: Option<&HostBuffer>) -> Vec<Lane> {
        let slots = self.claim(pieces).into_iter().enumerate();
        slots.map(|(lane, slot)| Lane { slot, bounce: bounce.map(|bounce| part(bounce, lane)), piece: None }).collect()
    }

    /// Give the slots back, without a wait. The requests use the stream of the PE: nothing orders them, and the end of the job waits for that
    /// stream. They are sent off at once, because other PEs may wait for a slot.
    fn release(&self, lanes: Vec<Lane>) {
        let far = self.live.far.as_ref().expect("the target is not mapped");
        for lane in lanes {
            debug_assert!(lane.piece.is_none(), "the pieces have arrived");
            // SAFETY: no answer is asked for.
            unsafe {
                self.live.issue_unowed(&far.stream, &self.question(RELEASE, 0, lane.slot, core::ptr::null_mut()))
            };
        }
        far.stream.progress();
    }

    fn slot(&self, lane: &Lane) -> Remote {
        let staging = self.room.staging().expect("a job with PEs that are not mapped has slots");
        Remote { pe: self.pe, segment: SegmentId::HEAP, offset: staging.slot_offset(lane.slot) }
    }

    /// Ask the target to copy a piece between its device and the slot.
    fn request(&self, lane: &mut Lane, op: Amo, at: usize, len: usize, moved: Option<Ticket>) {
        let mut piece = Piece { at, len, answer: Box::new(!DONE), request: Ticket::NONE, moved };
        // SAFETY: the answer lives in the lane until it is waited for.
        piece.request =
            unsafe { self.ask(op, self.offset + at as u64, packed(lane.slot, len), &raw mut *piece.answer) };
        lane.piece = Some(piece);
    }

    /// Wait until the target has copied the piece.
    fn answered(&self, piece: &Piece) {
        self.live.wait_for_one(self.stream, piece.request);
        // SAFETY: the answer has been written, by the fabric, whose writes the compiler does not see.
        let answer = unsafe { (&raw const *piece.answer).read_volatile() };
        if answer != DONE {
            self.live.die(&format!(
                "PE {}: {}: PE {} could not copy {} bytes of its device memory",
                self.live.me, self.site.name, self.pe.0, piece.len
            ));
        }
    }

    /// Put a piece into the lane, which is free. `op` is [`IN`] or [`LAST_IN`].
    ///
    /// # Safety
    /// The piece is readable here until it has arrived.
    unsafe fn send(&self, lane: &mut Lane, op: Amo, at: usize, len: usize) {
        let from = match (lane.bounce, offset_by(self.local, at)) {
            (Some(bounce), from) => {
                // SAFETY: the caller's contract; the lane's part of the buffer is free.
                unsafe { self.copy(host(bounce), from, len) };
                bounce
            }
            (None, Side::Host(from) | Side::Device(from)) => from as *mut u8,
        };
        let put = Op::Put { to: self.slot(lane), from, len };
        // SAFETY: the bytes stay until the piece is answered.
        let moved = unsafe { self.live.issue_unowed(self.stream, &put) };
        self.stream.fence();
        self.request(lane, op, at, len, Some(moved));
    }

    /// Wait until the lane's piece is in the target's device memory.
    fn sent(&self, lane: &mut Lane) {
        if let Some(piece) = lane.piece.take() {
            self.answered(&piece);
            self.live.wait_for_one(self.stream, piece.moved.unwrap_or(Ticket::NONE));
        }
    }

    /// Read the lane's piece from the slot, once the target has copied it there.
    ///
    /// # Safety
    /// The piece is writable here until it has arrived.
    unsafe fn fetch(&self, lane: &mut Lane) {
        let from = self.slot(lane);
        let Some(piece) = lane.piece.as_mut().filter(|piece| piece.moved.is_none()) else { return };
        self.answered(piece);
        let to = match (lane.bounce, offset_by(self.local, piece.at)) {
            (Some(bounce), _) => bounce,
            (None, Side::Host(to) | Side::Device(to)) => to as *mut u8,
        };
        let get = Op::Get { from, to, len: piece.len };
        // SAFETY: the caller's contract.
        piece.moved = Some(unsafe { self.live.issue_unowed(self.stream, &get) });
    }

    /// Wait until the lane's piece is here.
    ///
    /// # Safety
    /// As for [`Staged::fetch`].
    unsafe fn fetched(&self, lane: &mut Lane) {
        // SAFETY: passed on.
        unsafe { self.fetch(lane) };
        let Some(piece) = lane.piece.take() else { return };
        self.live.wait_for_one(self.stream, piece.moved.unwrap_or(Ticket::NONE));
        if let Some(bounce) = lane.bounce {
            // SAFETY: the caller's contract.
            unsafe { self.copy(offset_by(self.local, piece.at), host(bounce), piece.len) };
        }
    }

    /// Put `len` bytes, and wait until they have arrived. The slots belong to the target again afterwards.
    ///
    /// # Safety
    /// As for [`Live::stage`].
    unsafe fn put(&self, lanes: &mut [Lane], len: usize) {
        let (count, all) = (lanes.len(), len.div_ceil(SLOT_BYTES));
        for (number, (at, len)) in pieces(len, SLOT_BYTES).enumerate() {
            let lane = &mut lanes[number % count];
            self.sent(lane);
            let op = if is_last_of_lane(number, all, count) { LAST_IN } else { IN };
            // SAFETY: the caller's contract.
            unsafe { self.send(lane, op, at, len) };
        }
        lanes.iter_mut().for_each(|lane| self.sent(lane));
    }

    /// Get `len` bytes, and wait until they have arrived.
    ///
    /// # Safety
    /// As for [`Live::stage`].
    unsafe fn get(&self, lanes: &mut [Lane], len: usize) {
        let count = lanes.len();
        let mut rest = pieces(len, SLOT_BYTES);
        // SAFETY: the caller's contract, for each piece.
        unsafe {
            for number in 0..len.div_ceil(SLOT_BYTES) + count {
                let lane = &mut lanes[number % count];
                self.fetched(lane);
                if let Some((at, len)) = rest.next() {
                    self.request(lane, OUT, at, len, None);
                }
                // About half of the pieces wait for the target's device, the others for the network.
                self.fetch(&mut lanes[(number + count - count.div_ceil(2)) % count]);
            }
        }
    }
}

/// The pieces of a transfer: where each begins, and its length.
fn pieces(len: usize, max: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..len).step_by(max).map(move |at| (at, max.min(len - at)))
}

impl Live {
    /// Copy between a bounce buffer and device memory. A failure ends the job here: pieces that are under way use memory of the call.
    ///
    /// # Safety
    /// As for [`DeviceRoom::copy`].
    unsafe fn copy_piece(&self, room: &DeviceRoom, site: &'static Site, to: Side, from: Side, len: usize) {
        // SAFETY: the caller's contract.
        let copied = unsafe { room.copy(For::Program, to, from, len) };
        copied.unwrap_or_else(|error| self.device_failed(site, &error));
    }

    /// Transfer between memory here and the device heap of a PE that is not mapped.
    ///
    /// # Safety
    /// The local side is valid for `len` bytes, and these are in the heap of the PE at the offset, both in `at`.
    pub(super) unsafe fn stage(
        &self,
        room: &DeviceRoom,
        site: &'static Site,
        stream: &ContextStream,
        direction: Direction,
        at: (Pe, u64),
        local: Side,
        len: usize,
    ) -> Result<()> {
        let staged = Staged { live: self, stream, room, site, pe: at.0, offset: at.1, local };
        let bounce = matches!(local, Side::Device(_)).then(|| room.take_bounce()).transpose()?;
        let mut lanes = staged.lanes(len.div_ceil(SLOT_BYTES), bounce.as_ref());
        // SAFETY: the caller's contract.
        unsafe {
            match direction {
                Direction::Put => staged.put(&mut lanes, len),
                Direction::Get => {
                    staged.get(&mut lanes, len);
                    staged.release(lanes);
                }
            }
        }
        bounce.into_iter().for_each(|bounce| room.keep_bounce(bounce));
        Ok(())
    }

    /// Transfer between device memory here and the host memory of a PE that is not mapped. Pieces are under way while others are copied.
    ///
    /// # Safety
    /// The local side is valid for `len` bytes.
    pub(super) unsafe fn bounce(
        &self,
        room: &DeviceRoom,
        site: &'static Site,
        stream: &ContextStream,
        direction: Direction,
        there: Remote,
        here: Side,
        len: usize,
    ) -> Result<()> {
        let bounce = room.take_bounce()?;
        // The piece in each part of the buffer: where it begins, its length, its operation.
        let mut under_way = [None; LANES];
        let finish = |lane: usize, piece: &mut Option<(usize, usize, Ticket)>| {
            let Some((at, len, ticket)) = piece.take() else { return };
            self.wait_for_one(stream, ticket);
            if direction == Direction::Get {
                // SAFETY: the caller's contract; the part of the buffer belongs to this piece.
                unsafe { self.copy_piece(room, site, offset_by(here, at), host(part(&bounce, lane)), len) };
            }
        };
        for (number, (at, len)) in pieces(len, SLOT_BYTES).enumerate() {
            let lane = number % LANES;
            finish(lane, &mut under_way[lane]);
            let there = Remote { offset: there.offset + at as u64, ..there };
            // SAFETY: the part stays until `finish` has waited for the operation.
            let ticket = unsafe {
                match direction {
                    Direction::Put => {
                        self.copy_piece(room, site, host(part(&bounce, lane)), offset_by(here, at), len);
                        self.issue(stream, &Op::Put { to: there, from: part(&bounce, lane), len })
                    }
                    Direction::Get => self.issue_unowed(stream, &Op::Get { from: there, to: part(&bounce, lane), len }),
                }
            };
            under_way[lane] = Some((at, len, ticket));
        }
        let count = len.div_ceil(SLOT_BYTES);
        for lane in (count..count + LANES).map(|number| number % LANES) {
            finish(lane, &mut under_way[lane]);
        }
        room.keep_bounce(bounce);
        Ok(())
    }
}

/// Whether piece `number` of `all` is the last one that its lane carries. Pieces go round the lanes, and there is one for each at least.
fn is_last_of_lane(number: usize, all: usize, lanes: usize) -> bool {
    number + lanes >= all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_lane_gives_its_slot_back_with_its_last_piece() {
        for (all, lanes) in [(1, 1), (4, 4), (6, 4), (6, 2), (7, 3)] {
            let last =
                |lane: usize| (0..all).filter(|number| number % lanes == lane).max().expect("as many pieces as lanes");
            let given_back: Vec<usize> = (0..all).filter(|&number| is_last_of_lane(number, all, lanes)).collect();
            let mut expected: Vec<usize> = (0..lanes).map(last).collect();
            expected.sort_unstable();
            assert_eq!(given_back, expected, "{all} pieces, {lanes} lanes");
        }
    }

    #[test]
    fn pieces_cover_a_transfer() {
        assert_eq!(pieces(0, 4).collect::<Vec<_>>(), []);
        assert_eq!(pieces(4, 4).collect::<Vec<_>>(), [(0, 4)]);
        assert_eq!(pieces(9, 4).collect::<Vec<_>>(), [(0, 4), (4, 4), (8, 1)]);
    }
}
