//! Teams that are made by their members alone, without the other members of a parent: Cray's `shmemx_team_split_strided`, which the
//! others need not call, and active sets, which have no parent.
//!
//! # The protocol
//!
//! The first member is the host. Every other member, a guest, talks with the host through a mailbox in the guest's control area, in
//! turns. A message is some words and then, stored with release, a key: a hash of the members and of the purpose of the meeting. The
//! receiver loads the key with acquire and clears it. Host and guest alternate, so messages of one meeting are not
//! mistaken for those of the next one of the same members. Two meetings of one key never overlap: the standard forbids that two
//! threads split one team, or use one active set, at the same time.
//!
//! 1. Each guest sends the slots that are vacant at it. It reserves none: the host may come late, and may be needed in other
//!    meetings first.
//! 2. The host has heard all guests, so all members are here. It proposes a slot.
//! 3. Each member claims the slot, unless another of its threads was faster, and sends whether it could, and its horizon of epochs.
//! 4. The host answers whether all could. If not, all release the slot and begin again.
//!
//! A PE has one mailbox for each thread that may be in a meeting at the same time (`mailbox`).

use super::{
    TeamConfig, TeamState,
    slots::{LASTING_END, SlotSet, TEAM_SLOTS},
};
use crate::{Site, World, coll::area::SLOTS, groups::shape::Shape, live::Live};
use core::{
    ffi::c_int,
    hash::{Hash, Hasher},
    sync::atomic::{
        AtomicU64,
        Ordering::{Acquire, Relaxed},
    },
};
use ferrite_os::mutex;
use std::hash::DefaultHasher;

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
pub(crate) enum Purpose {
    /// To split off the team whose slot this is.
    Split(usize),
    /// To be an active set from now on.
    ActiveSet,
    /// To be one for a single call.
    Call,
}

impl Purpose {
    /// The slots that there are for it.
    fn slots(self) -> SlotSet {
        match self {
            Purpose::Split(_) | Purpose::ActiveSet => SlotSet::range(TEAM_SLOTS, LASTING_END),
            Purpose::Call => SlotSet::range(LASTING_END, SLOTS),
        }
    }
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
    pub(crate) fn meet(&self, site: &'static Site, live: &Live, shape: &Shape, purpose: Purpose) -> Option<TeamState> {
        let (key, slots) = (key(shape, purpose), purpose.slots());
        let claim = if shape.world_pe(0) == live.me as c_int {
            self.host(site, live, shape, key, &slots)
        } else {
            self.attend(site, live, key, &slots)
        }?;
        mutex::lock(&live.teams.slots).settle(&claim.set, &[claim.slot]);
        live.new_team(shape.clone(), TeamConfig::default(), &[claim.slot], claim.epoch)
    }

    fn host(&self, site: &'static Site, live: &Live, shape: &Shape, key: u64, slots: &SlotSet) -> Option<Claim> {
        for attempt in 0.. {
            let mut vacant = mutex::lock(&live.teams.slots).vacant(slots);
            let mut guests = Vec::new();
            for i in 1..shape.size() as c_int {
                let guest = live.guest(shape.world_pe(i));
                let (mailbox, said) = self.wait_for(site, || guest.take_question(key));
                vacant = vacant.and(&SlotSet(said.vacant));
                guests.push((guest, mailbox));
            }
            let tell = |word: u64, epoch: u64| {
                guests.iter().for_each(|(guest, mailbox)| guest.tell(*mailbox, key, word, epoch))
            };
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
                Some(set) => mutex::lock(&live.teams.slots).settle(&set, &[]),
                None => {}
            }
        }
        unreachable!("attempts end by success or refusal")
    }

    fn attend(&self, site: &'static Site, live: &Live, key: u64, slots: &SlotSet) -> Option<Claim> {
        let mailboxes = live.mailboxes(live.memory.node.index());
        let at = self.wait_for(site, || mailboxes.enter());
        let mailbox = mailboxes.mailbox(at);
        let claim = loop {
            let vacant = mutex::lock(&live.teams.slots).vacant(slots);
            for (word, free) in mailbox.vacant.iter().zip(vacant.0) {
                word.store(free, Relaxed);
            }
            mailboxes.ask(at, key);
            take(self, site, &mailbox.answered, key);
            let Some(slot) = mailbox.word.load(Relaxed).checked_sub(1).map(|slot| slot as usize) else { break None };
            let (claim, horizon) = self.claim(live, slot);
            mailbox.claimed.store(if claim.is_some() { YES } else { NO }, Relaxed);
            mailbox.horizon.store(horizon, Relaxed);
            mailboxes.ask(at, key);
            take(self, site, &mailbox.answered, key);
            let (all, epoch) = (mailbox.word.load(Relaxed) == YES, mailbox.epoch.load(Relaxed));
            match claim {
                Some(set) if all => break Some(Claim { slot, set, epoch }),
                Some(set) => mutex::lock(&live.teams.slots).settle(&set, &[]),
                None => {}
            }
        };
        mailboxes.leave(at);
        claim
    }

    /// Claim a slot if it can be had; and this PE's horizon, which the claim keeps from growing in that slot.
    fn claim(&self, live: &Live, slot: usize) -> (Option<SlotSet>, u64) {
        live.open_slots(&[slot]);
        let mut slots = mutex::lock(&live.teams.slots);
        (slots.claim(&[slot]), slots.horizon())
    }
}
