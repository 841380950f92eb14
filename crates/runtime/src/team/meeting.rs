//! Teams that their own members make, without the rest of any parent: Cray's `shmemx_team_split_strided`, which others
//! need not call, and the active sets of the collectives of old, which have no team at all.
//!
//! # The protocol
//!
//! The first member is the host. Every other member, a guest, talks with it through a lane of the guest's own control area,
//! in turns: a word and a key that names the set of members and what they meet for, the key last, with release; whoever waits for
//! the key (acquire) takes it away. Since the two alternate, one meeting of the same members cannot be mistaken for the next; and two
//! threads do not split one team at once, nor use one active set, so no two meetings of one key are under way.
//!
//! 1. A guest says which slots are vacant with it. Nothing is held meanwhile: the host may come late, and may have other
//!    meetings to come to before.
//! 2. The host, when it has heard all, proposes a slot. Now everybody is here.
//! 3. Each claims the slot, and says whether it could, and its horizon: another thread may have been faster.
//! 4. The host says whether all could. If not, all let go and begin again.
//!
//! There are as many lanes as threads of one PE that may be in a meeting at once (`lane`).
//!
//! # Active sets
//!
//! A set of PEs that calls a collective of old meets once, and is a team ever after, until finalize. It is never
//! forgotten in between: members forget at different times, and one that had forgotten would wait for a meeting that the
//! others do not come to.

use super::{
    TeamConfig, TeamState,
    slots::{SlotSet, TEAM_SLOTS},
};
use crate::{Site, World, coll::area::SLOTS, live::Live, shape::Shape};
use core::{
    ffi::c_int,
    hash::{Hash, Hasher},
    sync::atomic::{
        AtomicU64,
        Ordering::{Acquire, Relaxed},
    },
};
use ferrite_fabric::mutex;
use std::{hash::DefaultHasher, sync::Mutex};

const NO: u64 = 0;
const YES: u64 = 1;

/// Wait until `key` stands in `from`, and take it away.
fn take(world: &World, site: &'static Site, from: &AtomicU64, key: u64) {
    world.wait_for(site, || (from.load(Acquire) == key).then_some(()));
    from.store(0, Relaxed);
}

/// A slot that all members have claimed.
struct Claim {
    slot: usize,
    set: SlotSet,
    epoch: u64,
}

/// What the members of a set meet for. Threads may bring one set together for several things at once, and each has to find its own.
#[derive(Clone, Copy, Hash)]
pub(super) enum Purpose {
    /// To split off the team whose slot this is.
    Split(usize),
    /// To be an active set.
    ActiveSet,
}

/// A number for the set and its purpose, the same on all its members. Never 0.
fn key(shape: &Shape, purpose: Purpose) -> u64 {
    let mut hasher = DefaultHasher::new();
    purpose.hash(&mut hasher);
    match shape {
        Shape::Strided { start, stride, size } => (start, stride, size).hash(&mut hasher),
        Shape::Listed(members) => members.hash(&mut hasher),
    }
    hasher.finish() | 1
}

impl World {
    /// Make the team of this shape together with its other members, and nobody else. `None` if no slot is left.
    pub(super) fn meet(&self, site: &'static Site, live: &Live, shape: &Shape, purpose: Purpose) -> Option<TeamState> {
        let key = key(shape, purpose);
        let claim = if shape.world_pe(0) == live.me as c_int {
            self.host(site, live, shape, key)
        } else {
            self.attend(site, live, key)
        }?;
        mutex::lock(&live.slots).settle(&claim.set, &[claim.slot]);
        live.new_team(shape.clone(), TeamConfig::default(), &[claim.slot], claim.epoch)
    }

    fn host(&self, site: &'static Site, live: &Live, shape: &Shape, key: u64) -> Option<Claim> {
        for attempt in 0.. {
            let mut vacant = mutex::lock(&live.slots).vacant(&SlotSet::range(TEAM_SLOTS, SLOTS));
            let mut guests = Vec::new();
            for i in 1..shape.size() as c_int {
                let guest = live.guest(shape.world_pe(i));
                let (lane, said) = self.wait_for(site, || guest.take_question(key));
                vacant = vacant.and(&SlotSet(said.vacant));
                guests.push((guest, lane));
            }
            let tell =
                |word: u64, epoch: u64| guests.iter().for_each(|(guest, lane)| guest.tell(*lane, key, word, epoch));
            // After a claim that failed, the slot is another thread's for a moment, or for good: look further on.
            let common: Vec<usize> = vacant.iter().collect();
            let Some(&slot) = common.get(attempt % common.len().max(1)) else {
                tell(NO, 0);
                return None;
            };
            tell(slot as u64 + 1, 0);
            let (claim, mut epoch) = self.claim(live, slot);
            let mut all = claim.is_some();
            for (guest, _) in &guests {
                let (_, said) = self.wait_for(site, || guest.take_question(key));
                all &= said.claimed == YES;
                epoch = epoch.max(said.horizon);
            }
            tell(if all { YES } else { NO }, epoch);
            match claim {
                Some(set) if all => return Some(Claim { slot, set, epoch }),
                Some(set) => mutex::lock(&live.slots).settle(&set, &[]),
                None => {}
            }
        }
        unreachable!("attempts end by success or refusal")
    }

    fn attend(&self, site: &'static Site, live: &Live, key: u64) -> Option<Claim> {
        let lanes = live.lanes(live.node.index());
        let at = self.wait_for(site, || lanes.enter());
        let lane = lanes.lane(at);
        let claim = loop {
            let vacant = mutex::lock(&live.slots).vacant(&SlotSet::range(TEAM_SLOTS, SLOTS));
            for (word, free) in lane.vacant.iter().zip(vacant.0) {
                word.store(free, Relaxed);
            }
            lanes.ask(at, key);
            take(self, site, &lane.answered, key);
            let Some(slot) = lane.word.load(Relaxed).checked_sub(1).map(|slot| slot as usize) else { break None };
            let (claim, horizon) = self.claim(live, slot);
            lane.claimed.store(if claim.is_some() { YES } else { NO }, Relaxed);
            lane.horizon.store(horizon, Relaxed);
            lanes.ask(at, key);
            take(self, site, &lane.answered, key);
            let (all, epoch) = (lane.word.load(Relaxed) == YES, lane.epoch.load(Relaxed));
            match claim {
                Some(set) if all => break Some(Claim { slot, set, epoch }),
                Some(set) => mutex::lock(&live.slots).settle(&set, &[]),
                None => {}
            }
        };
        lanes.leave(at);
        claim
    }

    /// Claim a slot if it can be had; and this PE's horizon, which the claim keeps from growing in that slot.
    fn claim(&self, live: &Live, slot: usize) -> (Option<SlotSet>, u64) {
        live.open_slots(&[slot]);
        let mut slots = mutex::lock(&live.slots);
        (slots.claim(&[slot]), slots.horizon())
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
        // Of one member any stride names the same set.
        let triple = if triple.size == 1 && (0..31).contains(&triple.log_stride) {
            Triple { log_stride: 0, ..triple }
        } else {
            triple
        };
        if triple == (Triple { start: 0, log_stride: 0, size: live.size as c_int }) {
            return &live.world_team;
        }
        let known =
            mutex::lock(&live.sets.met).iter().find(|(one, _)| *one == triple).map(|(_, team)| &raw const **team);
        if let Some(team) = known {
            // SAFETY: boxed, and never removed while the world is live.
            return unsafe { &*team };
        }
        let shape = self.triple_shape(site, live, triple);
        let Some(team) = self.meet(site, live, &shape, Purpose::ActiveSet) else {
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
        mutex::lock(&live.sets.met).push((triple, team));
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
