//! Splits as the standard defines them: all members of the parent call, and all get the same answer.
//!
//! Two agreements over the parent (by recursive doubling, or within each node first) settle three questions: whether every member could do
//! its part, which slots are vacant at all members, and where the epochs of the new team begin. Teams without a common member may
//! share a slot, so the rows of a 2-D split need one slot between them, and so do the columns.

use crate::{
    Site, Team, World,
    coll::agree_among,
    live::Live,
    observe::{Call, Kind},
    teams::{
        SLOTS_OF_WIDE, TeamConfig, TeamState,
        shape::Shape,
        slots::{SlotSet, TEAM_SLOTS},
    },
};
use core::ffi::{c_int, c_long};
use ferrite_abi::constants::SHMEM_TEAM_NUM_CONTEXTS;
use ferrite_diagnose::entry::{Entry, EntryKind};
use ferrite_os::mutex;

/// Number of words for the slots that a split chooses from.
const TEAM_WORDS: usize = TEAM_SLOTS / 64;

/// A team to be made. Its members are world numbers; this PE may or may not be among them.
pub(crate) struct Wish {
    pub shape: Option<Shape>,
    pub config: TeamConfig,
}

/// The result of an agreement: slots for each wish, and the epoch to begin after.
struct Agreement {
    slots: Vec<usize>,
    epoch: u64,
}

/// The fields of a configuration that a mask names.
///
/// # Safety
/// `config` is valid for a read where the mask names a field, unless null.
unsafe fn read_config(config: *const TeamConfig, mask: c_long) -> Option<TeamConfig> {
    if mask & SHMEM_TEAM_NUM_CONTEXTS == 0 {
        return Some(TeamConfig::default());
    }
    // SAFETY: the caller's promise.
    unsafe { config.as_ref() }.copied()
}

impl World {
    /// Split off members `start + i * stride` of the parent. Return 0 on all members of the parent, or nonzero on all of them.
    ///
    /// # Safety
    /// `parent_team` is a team; `config` may be read where the mask names a field; `new_team` may be written.
    pub unsafe fn team_split_strided(
        &self,
        site: &'static Site,
        parent_team: Team,
        start: c_int,
        stride: c_int,
        size: c_int,
        config: *const TeamConfig,
        config_mask: c_long,
        new_team: *mut Team,
    ) -> c_int {
        let live = self.require_live(site);
        // SAFETY: the caller's promises.
        let (parent, config) = unsafe {
            self.write_team(site, "new_team", new_team, Team::INVALID);
            (self.team(site, live, parent_team), read_config(config, config_mask))
        };
        let Some(parent) = parent else { return -1 };
        let _observed =
            self.observe(|_| Call { ranges: [start, stride, size], ..Call::among(site, Kind::Split, parent) });
        let shape = parent.shape.select(start, stride, size);
        let possible = shape.is_some() && config.is_some();
        let Some([team]) =
            self.form(site, live, parent, possible, || [Wish { shape, config: config.unwrap_or_default() }])
        else {
            return -1;
        };
        // SAFETY: the caller's promise.
        unsafe { new_team.write(team) };
        0
    }

    /// Split the parent into rows of `xrange` members and columns across them. All or nothing, on all members.
    ///
    /// # Safety
    /// `parent_team` is a team; the configurations may be read where their masks name a field; the teams may be written.
    pub unsafe fn team_split_2d(
        &self,
        site: &'static Site,
        parent_team: Team,
        xrange: c_int,
        xaxis_config: *const TeamConfig,
        xaxis_mask: c_long,
        xaxis_team: *mut Team,
        yaxis_config: *const TeamConfig,
        yaxis_mask: c_long,
        yaxis_team: *mut Team,
    ) -> c_int {
        let live = self.require_live(site);
        // SAFETY: the caller's promises.
        let (parent, x_config, y_config) = unsafe {
            self.write_team(site, "xaxis_team", xaxis_team, Team::INVALID);
            self.write_team(site, "yaxis_team", yaxis_team, Team::INVALID);
            (
                self.team(site, live, parent_team),
                read_config(xaxis_config, xaxis_mask),
                read_config(yaxis_config, yaxis_mask),
            )
        };
        let Some(parent) = parent else { return -1 };
        let _observed = self.observe(|_| Call { ranges: [xrange, 0, 0], ..Call::among(site, Kind::Split, parent) });
        let possible = xrange > 0 && x_config.is_some() && y_config.is_some();
        let teams = self.form(site, live, parent, possible, || {
            let (row, column) = cross(&parent.shape, parent.me, xrange);
            [
                Wish { shape: row, config: x_config.unwrap_or_default() },
                Wish { shape: column, config: y_config.unwrap_or_default() },
            ]
        });
        let Some([row, column]) = teams else { return -1 };
        // SAFETY: the caller's promise.
        unsafe {
            xaxis_team.write(row);
            yaxis_team.write(column);
        }
        0
    }

    /// Store a handle at the address that the program passed.
    ///
    /// # Safety
    /// `at` may be written, unless null, which ends the job.
    pub unsafe fn write_team(&self, site: &'static Site, what: &str, at: *mut Team, team: Team) {
        if at.is_null() {
            self.misuse(site, format_args!("{what} is NULL; pass the address of a shmem_team_t"));
        }
        // SAFETY: the caller's promise.
        unsafe { at.write(team) };
    }

    /// Make the wished teams, if `possible` is true on every member of the parent. A wish of which this PE is not a member yields the
    /// invalid team.
    pub(crate) fn form<const N: usize>(
        &self,
        site: &'static Site,
        live: &Live,
        parent: &TeamState,
        possible: bool,
        wishes: impl FnOnce() -> [Wish; N],
    ) -> Option<[Team; N]> {
        let each = if !parent.member.is_near() && live.map().is_some() { SLOTS_OF_WIDE } else { 1 };
        let agreement = self.agree_on_slots(site, live, parent, possible, N * each)?;
        let mut slots = agreement.slots.chunks_exact(each);
        Some(wishes().map(|wish| {
            let slots = slots.next().expect("slots for each wish");
            let team = wish.shape.and_then(|shape| live.new_team(shape, wish.config, slots, agreement.epoch));
            match team {
                Some(team) => self.add_team(live, team),
                None => {
                    // This PE is not a member of the team, so it does not need the slots.
                    let mut held = mutex::lock(&live.teams.slots);
                    slots.iter().for_each(|&slot| held.give_back(slot, 0));
                    Team::INVALID
                }
            }
        }))
    }

    /// Choose slots that are vacant at all members, in two rounds.
    ///
    /// 1. The members compare their vacant slots, and claim none: the other threads of a late member may need slots for splits that must
    ///    come first.
    /// 2. All members are here now, and each claims the same slots. If one claim fails, because another thread was faster, all release
    ///    theirs and begin again with other slots.
    fn agree_on_slots(
        &self,
        site: &'static Site,
        live: &Live,
        parent: &TeamState,
        possible: bool,
        count: usize,
    ) -> Option<Agreement> {
        for attempt in 0.. {
            let mut mine = [0; 1 + TEAM_WORDS];
            mine[0] = u64::from(possible);
            let vacant = mutex::lock(&live.teams.slots).vacant(&SlotSet::range(0, TEAM_SLOTS));
            mine[1..].copy_from_slice(&vacant.0[..TEAM_WORDS]);
            live.enter(site, parent, Entry::bare(EntryKind::Split));
            let all = agree_among(live, parent, mine, |_, a, b| a & b);
            let common = SlotSet(core::array::from_fn(|i| all.get(1 + i).copied().unwrap_or(0)));
            if all[0] == 0 {
                return None;
            }
            // Splits of different parents begin their search at different places.
            let from = (parent.slot + attempt * (2 * parent.slot + 1)) % TEAM_SLOTS;
            let (early, late): (Vec<_>, Vec<_>) = common.iter().partition(|&slot| slot < from);
            let slots: Vec<usize> = late.into_iter().chain(early).take(count).collect();
            if slots.len() < count {
                tracing::warn!(teams = TEAM_SLOTS, "a split was refused: as many teams exist as there can be");
                return None;
            }
            if !parent.member.is_near() {
                live.open_slots(&slots);
            }
            let (claim, horizon) = {
                let mut held = mutex::lock(&live.teams.slots);
                (held.claim(&slots), held.horizon())
            };
            let mine = [u64::from(claim.is_some()), horizon];
            let combine = |word, a: u64, b: u64| if word == 1 { a.max(b) } else { a & b };
            live.enter(site, parent, Entry::bare(EntryKind::Split));
            let [claimed, epoch] = agree_among(live, parent, mine, combine);
            let taken: &[usize] = if claimed == 1 { &slots } else { &[] };
            mutex::lock(&live.teams.slots).settle(&claim.unwrap_or(SlotSet::NONE), taken);
            if claimed == 1 {
                return Some(Agreement { slots, epoch });
            }
        }
        unreachable!("attempts end by success or refusal")
    }
}

/// The row and the column of member `me` if the members are laid out in rows of `xrange`. The last row may be shorter.
fn cross(parent: &Shape, me: c_int, xrange: c_int) -> (Option<Shape>, Option<Shape>) {
    let n = parent.size() as c_int;
    let xrange = xrange.min(n);
    let (x, y) = (me % xrange, me / xrange);
    let row = parent.select(y * xrange, 1, xrange.min(n - y * xrange));
    let column = parent.select(x, xrange, (n - x + xrange - 1) / xrange);
    (row, column)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_columns_follow_the_formula() {
        for n in 1..=16 {
            for xrange in 1..=n + 3 {
                let parent = Shape::world(n as u32);
                let width = xrange.min(n);
                for me in 0..n {
                    let (row, column) = cross(&parent, me, xrange);
                    let members = |shape: Option<Shape>| {
                        let shape = shape.expect("every member has a row and a column");
                        (0..shape.size() as c_int).map(|i| shape.world_pe(i)).collect::<Vec<_>>()
                    };
                    let (row, column) = (members(row), members(column));
                    let wanted_row: Vec<c_int> = (0..n).filter(|pe| pe / width == me / width).collect();
                    let wanted_column: Vec<c_int> = (0..n).filter(|pe| pe % width == me % width).collect();
                    assert_eq!((row, column), (wanted_row, wanted_column), "n {n}, xrange {xrange}, member {me}");
                }
            }
        }
    }
}
