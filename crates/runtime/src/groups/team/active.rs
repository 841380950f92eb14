//! The active sets of OpenSHMEM 1.4 and before. Each is a team that the program does not see.
//!
//! The members of a set meet at its first collective ([`super::meeting`]) and form a team, which lasts until finalize. No member
//! forgets a team earlier: members would forget at different times, and one that had forgotten would wait for a meeting to which the
//! others do not come.
//!
//! The standard does not limit the number of sets, but the number of slots is limited. A set whose members have no vacant slot in common is
//! *passing*: its members meet for each call, in slots that are kept for passing sets. At the end of the call they give the slot back, in
//! the same way as the members of a team that is destroyed. All members know that their set is passing, since the first of them tells the
//! others. A call of a passing set takes the time of two more meetings. A thread of a PE is in one call at a time, so a slot becomes vacant
//! again.

use super::meeting::Purpose;
use crate::{
    Site, World,
    coll::{SetTeams, last_barrier},
    live::Live,
    teams::{TeamState, Triple, shape::Shape, slots::LASTING_END},
};
use core::ffi::c_int;
use std::ptr;

impl SetTeams for World {
    fn active_set<'l>(&self, site: &'static Site, live: &'l Live, triple: Triple) -> Option<&'l TeamState> {
        if triple == (Triple { start: 0, log_stride: 0, size: live.size as c_int }) {
            return Some(&live.teams.world);
        }
        loop {
            let known = live.teams.sets.look(triple, |team| team.as_deref().map(ptr::from_ref));
            if let Some(Some(team)) = known {
                // SAFETY: boxed, and kept while the world is live; the team of a passing set is kept until its call ends with `leave_set`.
                return Some(unsafe { &*team });
            }
            let shape = self.triple_shape(site, live, triple)?;
            if known.is_none() {
                live.teams.sets.add(triple, self.meet(site, live, &shape, Purpose::ActiveSet));
            } else if let Some(team) = self.meet(site, live, &shape, Purpose::Call) {
                live.teams.sets.look(triple, |place| *place = Some(Box::new(team)));
            }
            // If there was no slot for this call, threads of its members hold all of them, in calls that end. So try again.
        }
    }

    #[inline]
    fn leave_set(live: &Live, slot: usize) {
        if slot >= LASTING_END {
            live.dissolve(slot);
        }
    }
}

impl World {
    /// The members of a triple; `None` if this PE is not one of them.
    fn triple_shape(&self, site: &'static Site, live: &Live, triple: Triple) -> Option<Shape> {
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
        shape.index_of(live.me as c_int).is_some().then_some(shape)
    }
}

impl Live {
    /// End the team of a passing set.
    #[cold]
    fn dissolve(&self, slot: usize) {
        // Take the team out before the barrier: after it, another set may get the slot and be mistaken for this one.
        if let Some(team) = self.teams.sets.take(slot) {
            last_barrier(self, &team);
            self.vacate(&team);
        }
    }
}
