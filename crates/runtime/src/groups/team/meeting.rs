//! Teams made by their members alone, without the other members of a parent: teams of Cray's `shmemx_team_split_strided`, which the other
//! members need not call, and active sets, which have no parent.
//!
//! # The protocol
//!
//! The members form a tree ([`Node`]) by rank, so a member speaks to its parent and at most to [`RADIX`] - 1 children of each level. A
//! child talks with its parent through a mailbox in the child's control area, in turns. A message is some words and then, stored
//! with release, a key: a hash of the members and of the purpose of the meeting. The receiver loads the key with acquire and clears
//! it. Child and parent alternate, so a message of one meeting is not mistaken for a message of the next one of the same members.
//! Two meetings of one key never overlap: the standard forbids that two threads split one team, or use one active set, at the same time.
//!
//! 1. Up: each member sends the slots that are vacant at all members of its subtree. It reserves none: others may come late, and may
//!    be needed in other meetings first.
//! 2. Down: the root has heard of all members, so all are here. It proposes a slot.
//! 3. Up: each member claims the slot, unless another of its threads was faster, and sends whether all of its subtree could, and their
//!    highest horizon of epochs.
//! 4. Down: the root answers whether all could. If not, all release the slot and begin again.
//!
//! A PE has one mailbox for each thread that may be in a meeting at the same time (`mailbox`).

use super::mailbox::{Guest, Mailboxes, Said};
use crate::{
    Site, World,
    area::SLOTS,
    live::Live,
    teams::{
        TeamConfig, TeamState,
        shape::Shape,
        slots::{LASTING_END, SlotSet, TEAM_SLOTS},
    },
};
use core::{
    ffi::c_int,
    hash::{Hash, Hasher},
    sync::atomic::{
        AtomicU64,
        Ordering::{Acquire, Relaxed},
    },
};
use ferrite_collectives::{Rank, pattern::knomial::Node};
use ferrite_os::mutex;
use std::hash::DefaultHasher;

const NO: u64 = 0;
const YES: u64 = 1;
/// Radix of the tree. A parent serves its children in turn, each over the network if it is on another host.
const RADIX: Rank = 4;

/// Wait until `from` contains `key`, and clear it.
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

/// The reason why the members of a set meet. Threads may bring the same set together for several reasons at once, and each meeting needs
/// its own key.
#[derive(Clone, Copy, Hash)]
pub(crate) enum Purpose {
    /// Split off a team from the parent in this slot.
    Split(usize),
    /// Become an active set that keeps its team until finalize.
    ActiveSet,
    /// Make a team for a single call of a passing set.
    Call,
}

impl Purpose {
    /// The slots that this purpose may use.
    fn slots(self) -> SlotSet {
        match self {
            Purpose::Split(_) | Purpose::ActiveSet => SlotSet::range(TEAM_SLOTS, LASTING_END),
            Purpose::Call => SlotSet::range(LASTING_END, SLOTS),
        }
    }
}

/// Hash of the set and its purpose, equal on all members. Never 0.
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
    /// Make the team of this shape, together with its other members only. `None` if no slot is left.
    pub(crate) fn meet(&self, site: &'static Site, live: &Live, shape: &Shape, purpose: Purpose) -> Option<TeamState> {
        let (key, slots) = (key(shape, purpose), purpose.slots());
        let place = Place::of(self, site, live, shape, key);
        let claim = place.agree(&slots);
        place.leave();
        let claim = claim?;
        mutex::lock(&live.teams.slots).settle(&claim.set, &[claim.slot]);
        live.new_team(shape.clone(), TeamConfig::default(), &[claim.slot], claim.epoch)
    }
}

/// A member's place in the tree of a meeting.
struct Place<'l> {
    world: &'l World,
    site: &'static Site,
    live: &'l Live,
    key: u64,
    children: Vec<Guest<'l>>,
    /// The mailbox in which this member talks with its parent; `None` at the root.
    parent: Option<(&'l Mailboxes, usize)>,
}

impl<'l> Place<'l> {
    /// Place of this PE, which must be one of the members.
    fn of(world: &'l World, site: &'static Site, live: &'l Live, shape: &Shape, key: u64) -> Place<'l> {
        let me = shape.index_of(live.me as c_int).expect("only members meet");
        let node = Node::new(me as Rank, shape.size(), RADIX);
        let children = node.children().map(|child| live.guest(shape.world_pe(child.rank as c_int))).collect();
        let parent = node.parent().map(|_| {
            let mailboxes = live.mailboxes(live.memory.node.index());
            (mailboxes, world.wait_for(site, || mailboxes.enter()))
        });
        Place { world, site, live, key, children, parent }
    }

    fn leave(self) {
        if let Some((mailboxes, at)) = self.parent {
            mailboxes.leave(at);
        }
    }

    /// Agree on a slot that all members have claimed; `None` if none is left.
    fn agree(&self, slots: &SlotSet) -> Option<Claim> {
        for attempt in 0.. {
            let mut vacant = mutex::lock(&self.live.teams.slots).vacant(slots);
            let heard = self.hear(|said| vacant = vacant.and(&SlotSet(said.vacant)));
            let (word, _) = self.ask(&Said { vacant: vacant.0, claimed: NO, horizon: 0 }).unwrap_or_else(|| {
                // After a failed claim, another thread has the slot for a moment or for good: try the next one.
                let common: Vec<usize> = vacant.iter().collect();
                let proposed = common.get(attempt % common.len().max(1));
                (proposed.map_or(0, |&slot| slot as u64 + 1), 0)
            });
            self.tell(&heard, word, 0);
            let slot = word.checked_sub(1)? as usize;
            let (claim, mut horizon) = self.claim(slot);
            let mut claimed = if claim.is_some() { YES } else { NO };
            let heard = self.hear(|said| {
                claimed = claimed.min(said.claimed);
                horizon = horizon.max(said.horizon);
            });
            let verdict = self.ask(&Said { vacant: vacant.0, claimed, horizon });
            let (all, epoch) = verdict.unwrap_or((claimed, horizon));
            self.tell(&heard, all, epoch);
            match claim {
                Some(set) if all == YES => return Some(Claim { slot, set, epoch }),
                Some(set) => mutex::lock(&self.live.teams.slots).settle(&set, &[]),
                None => {}
            }
        }
        unreachable!("attempts end by success or refusal")
    }

    /// Wait until every child has asked. Return the mailboxes in which the children wait for an answer.
    fn hear(&self, mut heard: impl FnMut(Said)) -> Vec<usize> {
        let listen = |child: &Guest<'_>| {
            let (mailbox, said) = self.world.wait_for(self.site, || child.take_question(self.key));
            heard(said);
            mailbox
        };
        self.children.iter().map(listen).collect()
    }

    fn tell(&self, mailboxes: &[usize], word: u64, epoch: u64) {
        self.children.iter().zip(mailboxes).for_each(|(child, &at)| child.tell(at, self.key, word, epoch));
    }

    /// Ask the parent and wait for its answer: a word and an epoch. `None` at the root.
    fn ask(&self, say: &Said) -> Option<(u64, u64)> {
        let (mailboxes, at) = self.parent?;
        let mailbox = mailboxes.mailbox(at);
        mailbox.say(say);
        mailboxes.ask(at, self.key);
        take(self.world, self.site, &mailbox.answered, self.key);
        Some((mailbox.word.load(Relaxed), mailbox.epoch.load(Relaxed)))
    }

    /// Claim a slot if it is available. Also return this PE's horizon, which cannot grow in that slot while it is claimed.
    fn claim(&self, slot: usize) -> (Option<SlotSet>, u64) {
        self.live.open_slots(&[slot]);
        let mut slots = mutex::lock(&self.live.teams.slots);
        (slots.claim(&[slot]), slots.horizon())
    }
}
