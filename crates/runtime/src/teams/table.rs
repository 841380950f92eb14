//! The teams of a started world.

use super::{Locale, TeamConfig, TeamState, Triple, shape::Shape, slots::Slots};
use crate::{Team, area};
use ferrite_os::mutex;
use ferrite_registry::Registry;
use std::sync::Mutex;

/// The teams of a started world.
pub(crate) struct Teams {
    pub world: TeamState,
    pub shared: TeamState,
    /// Teams made by splits; at most as many as there are slots.
    pub split: Registry<TeamState, 10>,
    /// Vacant and taken slots.
    pub slots: Mutex<Slots>,
    /// The teams of active sets.
    pub sets: ActiveSets,
}

impl Teams {
    /// The predefined teams, in the first slots: all `size` PEs, and the PEs that share memory.
    pub fn new(locale: &Locale<'_>, size: u32, shared: Shape) -> Teams {
        let new = |shape, slots: &[usize]| {
            TeamState::new(locale, shape, TeamConfig::default(), slots, 0).expect("every PE is in the predefined teams")
        };
        Teams {
            world: new(Shape::world(size), &area::WORLD_SLOTS),
            shared: new(shared, &[area::SHARED_SLOT]),
            split: Registry::new(),
            slots: Mutex::new(Slots::new(area::PREDEFINED)),
            sets: ActiveSets::default(),
        }
    }

    /// The team of a handle; `None` if the handle is invalid.
    #[inline(always)]
    pub fn get(&self, team: Team) -> Option<&TeamState> {
        match team {
            Team::INVALID => None,
            Team::WORLD => Some(&self.world),
            Team::SHARED => Some(&self.shared),
            made => self.split.get(made.0),
        }
    }
}

/// The active sets that have met, the most recently used first. Each has its team; a passing set has one only during a call.
#[derive(Default)]
pub(crate) struct ActiveSets(Mutex<Vec<(Triple, Option<Box<TeamState>>)>>);

impl ActiveSets {
    /// Apply `look` to the team of a set; `None` if the set has not met.
    pub fn look<R>(&self, triple: Triple, look: impl FnOnce(&mut Option<Box<TeamState>>) -> R) -> Option<R> {
        let mut sets = mutex::lock(&self.0);
        let at = sets.iter().position(|(one, _)| *one == triple)?;
        sets.swap(0, at);
        Some(look(&mut sets[0].1))
    }

    /// Record that a set has met. `team` is `None` if its members found no common slot: the set is passing.
    pub fn add(&self, triple: Triple, team: Option<TeamState>) {
        mutex::lock(&self.0).push((triple, team.map(Box::new)));
    }

    /// Take the team that lives in `slot` out of its set.
    pub fn take(&self, slot: usize) -> Option<Box<TeamState>> {
        mutex::lock(&self.0).iter_mut().find_map(|(_, place)| place.take_if(|team| team.slot == slot))
    }
}
