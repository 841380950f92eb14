//! The simulated world: the PEs' memory, the groups that are teams to the algorithms, and the messages in flight.
//!
//! The world is passive. [`crate::schedule`] decides which message arrives next and which PE runs next. A violated rule is recorded as the
//! world's [`World::failure`].

use crate::memory::{MessageId, Race, Region, Stage, Stages};
use crate::ops::Op;
use crate::rng::mix;
use ferrite_collectives::exchange::lines;
use ferrite_collectives::{CELL, CELL_STRIDE, Epochs, Flag, QUEUE, WINDOW};
use std::cell::RefCell;
use std::task::Poll;

/// Rules of the protocol that a world can break on request, to show that its adversary notices.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Faults {
    /// Every epoch uses the same share of flags and slots.
    pub no_window: bool,
    /// The check at the end that every flag was awaited is left out, so that a forgotten wait has to show through its effects.
    pub no_account: bool,
    /// PEs do not wait until the sources of their sends have been read.
    pub no_settling: bool,
}

/// The layout of a world.
#[derive(Clone, Debug)]
pub struct Shape {
    pub pes: usize,
    /// Groups of PEs; each is a team with flags and scratch of its own.
    pub groups: Vec<Vec<usize>>,
    /// Bytes of scratch per share of the window.
    pub scratch: usize,
    /// Rules of the protocol to break.
    pub faults: Faults,
}

/// A run of bytes in one PE's memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ByteRange {
    pub region: usize,
    pub offset: usize,
    pub len: usize,
}

/// Bytes of a member's queue.
pub(crate) const QUEUE_BYTES: usize = QUEUE as usize * CELL_STRIDE;

/// Counters per member and share of the window.
pub(crate) const TALLIES: usize = 2;

/// A counter of arrivals.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Tally {
    /// A member's own counter.
    Own,
    /// The counter at rank 0 that all members watch.
    Arrivals,
}

/// The flag or counter that a message raises at its target once its bytes are in place.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Notification {
    Flag(Flag),
    Tally(Tally),
}

/// A message under way, or a pull not yet performed.
#[derive(Debug)]
pub(crate) enum Flight {
    Message(Message),
    Pull(Pull),
}

#[derive(Debug)]
pub(crate) struct Message {
    pub id: MessageId,
    pub from_pe: usize,
    pub to_pe: usize,
    pub group: usize,
    pub rank: usize,
    pub epoch: u64,
    pub slot: usize,
    pub notification: Notification,
    pub identity: u64,
    parts: Vec<(ByteRange, ByteRange)>,
    captured: Option<Vec<Vec<u8>>>,
}

#[derive(Debug)]
pub(crate) struct Pull {
    pub by: usize,
    pub from_pe: usize,
    pub into: ByteRange,
    pub mine: Option<ByteRange>,
    pub from: ByteRange,
    pub op: Op,
    pub identity: u64,
}

/// The event that a PE waits for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wait {
    Nothing,
    Flag { group: usize, rank: usize, slot: usize, tag: u64, own: bool },
    Tally { group: usize, rank: usize, me: usize, slot: usize, count: u64 },
    Settled,
    Pulled,
    Done,
}

#[derive(Debug)]
struct Post {
    tags: Vec<u64>,
    claims: Vec<MessageId>,
    counts: Vec<u64>,
    counted: Vec<Vec<MessageId>>,
    expected: Vec<u64>,
}

#[derive(Debug)]
pub(crate) struct Group {
    pub members: Vec<usize>,
    pub lines: usize,
    first_region: usize,
    posts: Vec<Post>,
}

#[derive(Debug)]
pub(crate) struct State {
    pub regions: Vec<Region>,
    pub groups: Vec<Group>,
    pub flight: Vec<Flight>,
    pub waits: Vec<Wait>,
    pub stages: Stages,
    pub history: Vec<u64>,
    failure: Option<String>,
    hasty: bool,
    reading: Vec<usize>,
    pulling: Vec<usize>,
    seed: u64,
}

/// The PEs, their memory and the messages in flight.
pub struct World {
    pub(crate) shape: Shape,
    pub(crate) epochs: Vec<Vec<Epochs>>,
    pub(crate) state: RefCell<State>,
}

impl World {
    /// A world of this shape; `seed` decides when the sources of long sends are read.
    pub fn new(shape: Shape, seed: u64) -> World {
        let mut regions = Vec::new();
        let groups = shape.groups.iter().map(|members| Group::new(members, shape.scratch, &mut regions)).collect();
        let epochs = shape.groups.iter().map(|m| m.iter().map(|_| Epochs::new()).collect()).collect();
        let pes = shape.pes;
        let state = State {
            regions,
            groups,
            flight: Vec::new(),
            waits: vec![Wait::Nothing; pes],
            stages: Stages::default(),
            history: (0..pes as u64).map(mix).collect(),
            failure: None,
            hasty: shape.faults.no_settling,
            reading: vec![0; pes],
            pulling: vec![0; pes],
            seed,
        };
        World { shape, epochs, state: RefCell::new(state) }
    }

    /// Allocate `len` bytes at every PE. Returns the index of PE 0's region; the other PEs' regions follow.
    pub fn buffer(&self, len: usize, fill: u8) -> usize {
        let mut state = self.state.borrow_mut();
        let first = state.regions.len();
        state.regions.extend((0..self.shape.pes).map(|_| Region::new(len, fill, false)));
        first
    }

    /// The user of `pe` writes `bytes` at the beginning of a region of its own.
    pub(crate) fn put(&self, pe: usize, region: usize, bytes: &[u8]) {
        let place = ByteRange { region, offset: 0, len: bytes.len() };
        self.state.borrow_mut().write(pe, place, bytes);
    }

    /// The contents of a region.
    pub(crate) fn bytes(&self, region: usize) -> Vec<u8> {
        self.state.borrow().regions[region].bytes.clone()
    }

    /// The first broken rule.
    pub fn failure(&self) -> Option<String> {
        self.state.borrow().failure.clone()
    }

    /// Record a broken rule; only the first counts.
    pub fn fail(&self, what: String) {
        self.state.borrow_mut().fail(what);
    }

    /// Messages sent so far.
    pub fn messages(&self) -> usize {
        self.state.borrow().stages.count()
    }

    /// A fingerprint of the state that can influence the rest of the run: what every PE has done and seen, and what is in flight.
    pub fn fingerprint(&self) -> u64 {
        let state = self.state.borrow();
        let identity = |f: &Flight| match f {
            Flight::Message(m) => mix(m.identity),
            Flight::Pull(p) => mix(!p.identity),
        };
        let flying = state.flight.iter().fold(0u64, |sum, f| sum.wrapping_add(identity(f)));
        let asleep = |wait: &Wait| !matches!(wait, Wait::Nothing) as u64;
        state
            .history
            .iter()
            .zip(&state.waits)
            .fold(flying, |all, (one, wait)| mix(all ^ one).wrapping_add(asleep(wait)))
    }

    /// The share of the window that `epoch` uses.
    pub(crate) fn share(&self, epoch: u64) -> usize {
        if self.shape.faults.no_window { 0 } else { (epoch % WINDOW) as usize }
    }

    /// Poll `wait`: if it is over, apply its effects; otherwise `pe` sleeps on it.
    pub(crate) fn poll(&self, pe: usize, wait: Wait) -> Poll<()> {
        let state = &mut *self.state.borrow_mut();
        if !state.holds(pe, &wait) {
            state.waits[pe] = wait;
            return Poll::Pending;
        }
        state.waits[pe] = Wait::Nothing;
        state.remember(pe, 1);
        match wait {
            Wait::Flag { group, rank, slot, tag, own } => {
                state.remember(pe, mix(tag) ^ slot as u64);
                if own {
                    let id = state.groups[group].posts[rank].claims[slot];
                    state.stages.set(id, Stage::Known);
                }
            }
            Wait::Tally { group, rank, me, slot, count } => state.tally_known(pe, group, rank, me, slot, count),
            _ => {}
        }
        Poll::Ready(())
    }

    /// Deliver the flight at `index`.
    pub(crate) fn deliver(&self, index: usize) {
        let state = &mut *self.state.borrow_mut();
        match state.flight.swap_remove(index) {
            Flight::Message(message) => {
                let current = self.epochs[message.group][message.rank].current();
                state.land(message, current);
            }
            Flight::Pull(pull) => state.perform(pull),
        }
    }
}

impl Group {
    fn new(members: &[usize], scratch: usize, regions: &mut Vec<Region>) -> Group {
        let lines = lines(members.len() as u32);
        let window = WINDOW as usize;
        let first_region = regions.len();
        for _ in members {
            regions.push(Region::new(window * lines * CELL_STRIDE, 0xEE, true));
            regions.push(Region::new(window * scratch, 0xDD, true));
            regions.push(Region::new(QUEUE_BYTES, 0xCC, true));
        }
        let post = || Post {
            tags: vec![0; window * lines + QUEUE as usize],
            claims: vec![0; window * lines + QUEUE as usize],
            counts: vec![0; window * TALLIES],
            counted: vec![Vec::new(); window * TALLIES],
            expected: vec![0; window * TALLIES],
        };
        Group { members: members.to_vec(), lines, first_region, posts: members.iter().map(|_| post()).collect() }
    }
    pub(crate) fn cells(&self, rank: usize) -> usize {
        self.first_region + 3 * rank
    }
    pub(crate) fn scratch(&self, rank: usize) -> usize {
        self.first_region + 3 * rank + 1
    }
    pub(crate) fn queue(&self, rank: usize) -> usize {
        self.first_region + 3 * rank + 2
    }
}

impl State {
    pub(crate) fn fail(&mut self, what: String) {
        self.failure.get_or_insert(what);
    }

    pub(crate) fn failed(&self) -> bool {
        self.failure.is_some()
    }

    /// Mix `what` into the history of `pe`.
    pub(crate) fn remember(&mut self, pe: usize, what: u64) {
        self.history[pe] = mix(self.history[pe].rotate_left(5) ^ what);
    }

    pub(crate) fn check(&mut self, pe: usize, place: ByteRange, verdict: Result<(), Race>) {
        if let Err(race) = verdict {
            let ByteRange { region, offset, len } = place;
            self.fail(format!("pe {pe} {race}: {len} bytes at {offset} of region {region}"));
        }
    }

    /// The owner reads `place`.
    pub(crate) fn read(&mut self, pe: usize, place: ByteRange) -> Vec<u8> {
        let verdict = self.regions[place.region].read(place.offset, place.len, &self.stages);
        self.check(pe, place, verdict);
        let bytes = self.regions[place.region].bytes[place.offset..place.offset + place.len].to_vec();
        let seen = bytes.iter().fold(0, |h, b| mix(h ^ *b as u64));
        self.remember(pe, seen);
        bytes
    }

    /// The owner writes `place`.
    pub(crate) fn write(&mut self, pe: usize, place: ByteRange, bytes: &[u8]) {
        let verdict = self.regions[place.region].write(place.offset, place.len, &self.stages);
        self.check(pe, place, verdict);
        self.regions[place.region].bytes[place.offset..place.offset + place.len].copy_from_slice(bytes);
    }

    /// True if `wait` of `pe` is over.
    pub(crate) fn holds(&self, pe: usize, wait: &Wait) -> bool {
        match *wait {
            Wait::Nothing => true,
            Wait::Flag { group, rank, slot, tag, .. } => self.groups[group].posts[rank].tags[slot] == tag,
            Wait::Tally { group, rank, me, slot, count } => {
                let posts = &self.groups[group].posts;
                posts[rank].counts[slot].wrapping_sub(posts[me].expected[slot]) >= count
            }
            Wait::Settled => self.reading[pe] == 0 || self.hasty,
            Wait::Pulled => self.pulling[pe] == 0,
            Wait::Done => false,
        }
    }

    /// True if the target of the flight at `index` waits for it, or if its source is still to be read and its sender waits for that.
    pub(crate) fn wanted(&self, index: usize) -> bool {
        let Flight::Message(m) = &self.flight[index] else { return true };
        let settling = m.captured.is_none() && matches!(self.waits[m.from_pe], Wait::Settled);
        settling
            || match self.waits[m.to_pe] {
                Wait::Flag { group, rank, slot, .. } => {
                    matches!(m.notification, Notification::Flag(_)) && (group, rank, slot) == (m.group, m.rank, m.slot)
                }
                Wait::Tally { group, rank, slot, .. } => {
                    matches!(m.notification, Notification::Tally(_)) && (group, rank, slot) == (m.group, m.rank, m.slot)
                }
                _ => false,
            }
    }

    fn tally_known(&mut self, pe: usize, group: usize, rank: usize, me: usize, slot: usize, count: u64) {
        self.remember(pe, mix(count) ^ slot as u64);
        if rank == me {
            let ids = std::mem::take(&mut self.groups[group].posts[rank].counted[slot]);
            if ids.len() as u64 != count {
                self.fail(format!("pe {pe} awaited {count} in tally {slot}, and {} were counted", ids.len()));
            }
            ids.into_iter().for_each(|id| self.stages.set(id, Stage::Known));
        }
        self.groups[group].posts[me].expected[slot] += count;
    }

    /// Send a message. `parts` are pairs of (to, from).
    pub(crate) fn depart(
        &mut self,
        (from_pe, to_pe): (usize, usize),
        (group, rank, epoch, slot): (usize, usize, u64, usize),
        parts: Vec<(ByteRange, ByteRange)>,
        notification: Notification,
    ) {
        self.remember(from_pe, mix(slot as u64 ^ epoch << 20) ^ to_pe as u64);
        let total: usize = parts.iter().map(|(to, _)| to.len).sum();
        let data: Vec<Vec<u8>> = parts.iter().map(|(_, from)| self.read(from_pe, *from)).collect();
        if from_pe == to_pe {
            parts.iter().zip(&data).for_each(|((to, _), bytes)| self.write(to_pe, *to, bytes));
            self.raise(group, rank, slot, notification, epoch, 0);
            return;
        }
        let id = self.stages.add();
        for (to, _) in &parts {
            let verdict = self.regions[to.region].claim(to.offset, to.len, id, &self.stages);
            self.check(from_pe, *to, verdict);
        }
        if matches!(notification, Notification::Flag(_)) {
            let claim = std::mem::replace(&mut self.groups[group].posts[rank].claims[slot], id);
            if self.stages.of(claim) != Stage::Known {
                self.fail(format!("pe {from_pe} raises flag {slot} of pe {to_pe}, which has not awaited its last use"));
            }
        }
        let identity = self.history[from_pe];
        let now = total <= CELL || mix(identity ^ self.seed) & 1 == 0;
        self.reading[from_pe] += !now as usize;
        let captured = now.then_some(data);
        let message = Message { id, from_pe, to_pe, group, rank, epoch, slot, notification, identity, parts, captured };
        self.flight.push(Flight::Message(message));
    }

    pub(crate) fn ask(&mut self, pull: Pull) {
        self.pulling[pull.by] += 1;
        self.flight.push(Flight::Pull(pull));
    }

    fn land(&mut self, message: Message, current: u64) {
        let Message { id, from_pe, to_pe, group, rank, epoch, slot, notification, parts, captured, .. } = message;
        if current > epoch {
            self.fail(format!("a message of pe {from_pe} from epoch {epoch} lands at pe {to_pe}, now in {current}"));
        }
        self.reading[from_pe] -= captured.is_none() as usize;
        for (i, (to, from)) in parts.into_iter().enumerate() {
            let late = || self.regions[from.region].bytes[from.offset..from.offset + from.len].to_vec();
            let bytes = captured.as_ref().map_or_else(late, |data| data[i].clone());
            self.regions[to.region].bytes[to.offset..to.offset + to.len].copy_from_slice(&bytes);
        }
        self.stages.set(id, Stage::Landed);
        self.raise(group, rank, slot, notification, epoch, id);
    }

    fn raise(&mut self, group: usize, rank: usize, slot: usize, notification: Notification, epoch: u64, id: MessageId) {
        let post = &mut self.groups[group].posts[rank];
        match notification {
            Notification::Flag(flag) => post.tags[slot] = flag.tag(epoch),
            Notification::Tally(_) => {
                post.counts[slot] += 1;
                post.counted[slot].push(id);
            }
        }
    }

    /// Perform the first half of a pull, or all of a short one; the rest stays in flight.
    fn perform(&mut self, pull: Pull) {
        let grain = pull.op.grain();
        let half = if pull.from.len >= 2 * grain { pull.from.len / grain / 2 * grain } else { pull.from.len };
        let cut = |place: ByteRange| ByteRange { len: half, ..place };
        let (into, from) = (cut(pull.into), cut(pull.from));
        let verdict = self.regions[from.region].peek(from.offset, from.len, &self.stages);
        self.check(pull.by, from, verdict);
        let theirs = self.regions[from.region].bytes[from.offset..from.offset + half].to_vec();
        let result = match pull.mine {
            None => theirs,
            Some(mine) => {
                let mut bytes = self.read(pull.by, cut(mine));
                pull.op.fold(&mut bytes, &theirs);
                bytes
            }
        };
        self.remember(pull.by, result.iter().fold(1, |h, b| mix(h ^ *b as u64)));
        self.write(pull.by, into, &result);
        if half == pull.from.len {
            self.pulling[pull.by] -= 1;
            return;
        }
        let rest = |place: ByteRange| ByteRange { offset: place.offset + half, len: place.len - half, ..place };
        let identity = mix(pull.identity);
        let mine = pull.mine.map(rest);
        self.flight.push(Flight::Pull(Pull { into: rest(pull.into), from: rest(pull.from), mine, identity, ..pull }));
    }
}
