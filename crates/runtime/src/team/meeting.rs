//! Teams that their own members make, without the rest of any parent: Cray's `shmemx_team_split_strided`, which others
//! need not call, and the active sets of the collectives of old, which have no team at all.
//!
//! # The protocol
//!
//! The first member is the host. Every other member puts a request into a lane of its own control area: the slots that are
//! free with it, its horizon, and last, with release, a key that names the set of members. The host, when it comes to the
//! same call, looks for the key in the lanes of each member in turn (acquire), takes note, and clears the key. When it has
//! heard all, it writes the answer into each member's lane, and last, with release, the key again, where the member waits
//! for it (acquire) and takes it away. Since only a member's own call writes its request, and only the host takes it, a
//! second meeting of the same members cannot be mistaken for the first.
//!
//! There are as many lanes as threads of one PE that may be in a meeting at once.
//!
//! # Active sets
//!
//! A set of PEs that calls a collective of old meets once, and is a team ever after, until finalize. It is never
//! forgotten in between: members forget at different times, and one that had forgotten would wait for a meeting that the
//! others do not come to.

use super::{
    TeamConfig, TeamState,
    slots::{SlotSet, TEAM_SLOTS, WORDS},
};
use crate::{
    Site, World,
    coll::area::{MEETING_AT, SLOTS},
    live::{Live, locked},
    shape::Shape,
};
use core::{
    ffi::c_int,
    hash::{Hash, Hasher},
    sync::atomic::{
        AtomicU64,
        Ordering::{AcqRel, Acquire, Relaxed, Release},
    },
};
use std::{hash::DefaultHasher, sync::Mutex};

const LANES: usize = 8;

/// One meeting of one member: its request, and the answer to it.
#[repr(C, align(64))]
struct Lane {
    /// 0 if the lane is free, else the thread's claim to it.
    claimed: AtomicU64,
    /// The key of the request, 0 while there is none.
    asked: AtomicU64,
    horizon: AtomicU64,
    free: [AtomicU64; WORDS],
    /// The key of the answer, 0 while there is none.
    answered: AtomicU64,
    /// The slot, plus 1, or one of the answers that name none.
    slot: AtomicU64,
    epoch: AtomicU64,
}

const _: () = assert!(size_of::<Lane>() * LANES <= 4096, "the lanes have a page");

/// What a member has to offer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Request {
    free: SlotSet,
    horizon: u64,
    /// Another thread of the member is in a meeting and has offered slots there.
    held_back: bool,
}

impl Request {
    /// What both can do.
    fn and(&self, other: &Request) -> Request {
        Request {
            free: self.free.and(&other.free),
            horizon: self.horizon.max(other.horizon),
            held_back: self.held_back || other.held_back,
        }
    }
}

/// What a meeting comes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Answer {
    /// The team lives in this slot, and its epochs follow this one.
    Slot { slot: usize, epoch: u64 },
    /// No slot is free with all members.
    Full,
    /// One may be soon.
    Again,
}

/// How [`Answer`] is written into a lane that names no slot.
const FULL: u64 = 0;
const AGAIN: u64 = u64::MAX;

impl Lane {
    fn ask(&self, request: &Request) {
        for (word, offered) in self.free.iter().zip(request.free.0) {
            word.store(offered, Relaxed);
        }
        // Epochs have 48 bits.
        self.horizon.store(request.horizon << 1 | u64::from(request.held_back), Relaxed);
    }

    fn request(&self) -> Request {
        let horizon = self.horizon.load(Relaxed);
        Request {
            free: SlotSet(core::array::from_fn(|word| self.free[word].load(Relaxed))),
            horizon: horizon >> 1,
            held_back: horizon & 1 == 1,
        }
    }

    fn answer(&self, answer: Answer) {
        let (slot, epoch) = match answer {
            Answer::Slot { slot, epoch } => (slot as u64 + 1, epoch),
            Answer::Full => (FULL, 0),
            Answer::Again => (AGAIN, 0),
        };
        self.slot.store(slot, Relaxed);
        self.epoch.store(epoch, Relaxed);
    }

    fn answered_with(&self) -> Answer {
        match self.slot.load(Relaxed) {
            FULL => Answer::Full,
            AGAIN => Answer::Again,
            slot => Answer::Slot { slot: slot as usize - 1, epoch: self.epoch.load(Relaxed) },
        }
    }
}

impl Live {
    /// The lanes of the node's PE `pe`, by its world number.
    fn lanes(&self, pe: c_int) -> &[Lane; LANES] {
        let index = self.local.binary_search(&(pe as u32)).expect("members of a meeting are on this node");
        // SAFETY: mapped, aligned, zero at first, and atomics all of it.
        unsafe { &*self.node.control(index).wrapping_add(MEETING_AT).cast() }
    }
}

/// A number for the set, the same on all its members. Never 0.
fn key(shape: &Shape) -> u64 {
    let mut hasher = DefaultHasher::new();
    match shape {
        Shape::Strided { start, stride, size } => (start, stride, size).hash(&mut hasher),
        Shape::Listed(members) => members.hash(&mut hasher),
    }
    hasher.finish() | 1
}

impl World {
    /// Make the team of this shape together with its other members, and nobody else. `None` if no slot is left.
    pub(super) fn meet(&self, site: &'static Site, live: &Live, shape: &Shape) -> Option<TeamState> {
        let range = SlotSet::range(TEAM_SLOTS, SLOTS);
        loop {
            let (offer, request) = {
                let mut slots = locked(&live.slots);
                let (offer, held_back) = slots.offer(&range);
                (offer, Request { free: offer, horizon: slots.horizon(), held_back })
            };
            let answer = if shape.world_pe(0) == live.me as c_int {
                self.host(site, live, shape, request)
            } else {
                self.attend(site, live, shape, &request)
            };
            let taken = if let Answer::Slot { slot, .. } = answer { vec![slot] } else { Vec::new() };
            locked(&live.slots).settle(&offer, &taken);
            match answer {
                Answer::Slot { slot, epoch } => {
                    return live.new_team(shape.clone(), TeamConfig::default(), slot, epoch);
                }
                Answer::Full => return None,
                // A thread of some member is in another meeting, and will let go of what it offered.
                Answer::Again => {}
            }
        }
    }

    fn host(&self, site: &'static Site, live: &Live, shape: &Shape, mine: Request) -> Answer {
        let key = key(shape);
        let mut all = mine;
        let mut guests = Vec::new();
        for i in 1..shape.size() as c_int {
            let lanes = live.lanes(shape.world_pe(i));
            let lane = self.wait_for(site, || lanes.iter().find(|lane| lane.asked.load(Acquire) == key));
            all = all.and(&lane.request());
            lane.asked.store(0, Relaxed);
            guests.push(lane);
        }
        let answer = match all.free.iter().next() {
            Some(slot) => Answer::Slot { slot, epoch: all.horizon },
            None if all.held_back => Answer::Again,
            None => Answer::Full,
        };
        for lane in guests {
            lane.answer(answer);
            lane.answered.store(key, Release);
        }
        answer
    }

    fn attend(&self, site: &'static Site, live: &Live, shape: &Shape, mine: &Request) -> Answer {
        let key = key(shape);
        let lanes = live.lanes(live.me as c_int);
        let free = |lane: &&Lane| lane.claimed.compare_exchange(0, 1, AcqRel, Relaxed).is_ok();
        let lane = self.wait_for(site, || lanes.iter().find(free));
        lane.ask(mine);
        lane.asked.store(key, Release);
        self.wait_for(site, || (lane.answered.load(Acquire) == key).then_some(()));
        let answer = lane.answered_with();
        lane.answered.store(0, Relaxed);
        lane.claimed.store(0, Release);
        answer
    }
}

/// The active sets that have met, each a team.
#[derive(Default)]
pub(crate) struct ActiveSets {
    met: Mutex<Vec<(Triple, Box<TeamState>)>>,
}

/// An active set as its callers name it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Triple {
    pub start: c_int,
    pub log_stride: c_int,
    pub size: c_int,
}

impl World {
    /// The team of an active set that this PE is a member of.
    pub(crate) fn active_set<'l>(&self, site: &'static Site, live: &'l Live, triple: Triple) -> &'l TeamState {
        let Triple { start, log_stride, size } = triple;
        if (start, size) == (0, live.size as c_int) && (log_stride == 0 || size == 1) {
            return &live.world_team;
        }
        let known = locked(&live.sets.met).iter().find(|(one, _)| *one == triple).map(|(_, team)| &raw const **team);
        if let Some(team) = known {
            // SAFETY: boxed, and never removed while the world is live.
            return unsafe { &*team };
        }
        let shape = self.triple_shape(site, live, triple);
        let Some(team) = self.meet(site, live, &shape) else {
            self.misuse(
                site,
                format_args!(
                    "more than {} active sets or teams of members are in use; use fewer, or teams",
                    SLOTS - TEAM_SLOTS
                ),
            )
        };
        let team = Box::new(team);
        let at = &raw const *team;
        locked(&live.sets.met).push((triple, team));
        // SAFETY: as above.
        unsafe { &*at }
    }

    /// The members of a triple, or the end of the job.
    fn triple_shape(&self, site: &'static Site, live: &Live, triple: Triple) -> Shape {
        let Triple { start, log_stride, size } = triple;
        if !(0..31).contains(&log_stride) {
            self.misuse(
                site,
                format_args!("logPE_stride is {log_stride}; it is the logarithm of the stride to base 2, from 0 to 30"),
            );
        }
        let Some(shape) = Shape::world(live.size).select(start, 1 << log_stride, size) else {
            self.misuse(
                site,
                format_args!(
                    "the active set (PE_start {start}, logPE_stride {log_stride}, PE_size {size}) is not within PEs 0 to {}",
                    live.size - 1
                ),
            )
        };
        if shape.index_of(live.me as c_int).is_none() {
            self.misuse(
                site,
                format_args!(
                    "PE {} is not in the active set (PE_start {start}, logPE_stride {log_stride}, PE_size {size}) that it calls for",
                    live.me
                ),
            );
        }
        shape
    }
}
