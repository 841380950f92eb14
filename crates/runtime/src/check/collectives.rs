//! Collectives: whether all members call the same, and what they learn of each other.

use super::{
    Check,
    findings::{Finding, Weight},
};
use crate::{
    Ctx, World,
    live::Live,
    observe::{Answer, Call, Group, Kind},
};
use ferrite_check::{Collective, Mismatch, area::hash, collectives::Difference};

/// Clocks of one team that are in use at the same time. They are never cleared: what is in them from before is known to all.
const CLOCKS: u64 = 4;

/// A team, by a number that all its members have for it.
pub(super) fn team_key(group: Group) -> u64 {
    hash([u64::from(group.slot), group.born, u64::from(group.first), u64::from(group.size)])
}

fn clock_key(group: Group) -> u64 {
    hash([3, team_key(group), group.number % CLOCKS])
}

/// What a routine does, beside the type that it does it to.
fn routine_of(call: &Call) -> u32 {
    let name = call.site.name;
    let operation =
        ["_and_", "_or_", "_xor_", "_max_", "_min_", "_sum_", "_prod_", "inscan", "exscan", "alltoalls", "2d", "3d"];
    let which = operation.iter().fold(0, |bits, word| bits << 1 | u32::from(name.contains(word)));
    (call.kind as u32) << 16 | which
}

impl Check {
    /// Compare a call with those of the other members, and tell if one calls something else: they would hang, or worse.
    pub(super) fn compare(&self, world: &World, call: &Call, site: u16) {
        let Some(group) = call.group else { return };
        // Each member gives as much as it wants of these.
        let is_uneven = call.kind == Kind::Collect || call.site.name.contains("alltoallv");
        let counted = !is_uneven && !matches!(call.kind, Kind::Split | Kind::DestroyTeam | Kind::Free);
        let is_typed = matches!(call.kind, Kind::Reduce | Kind::Scan);
        let mine = Collective {
            routine: routine_of(call),
            root: if call.kind == Kind::Broadcast { call.root } else { -1 },
            element: match is_typed {
                true => call.layout.block as u64 | u64::from(is_float(call.site.name)) << 32,
                false => 0,
            },
            count: match (counted, is_typed) {
                (false, _) => u64::MAX,
                (true, true) => call.layout.count as u64,
                (true, false) => call.layout.bytes() as u64,
            },
            ranges: call.ranges,
            site,
            pe: self.me,
        };
        let Some(Mismatch { theirs, what }) = self.races.area().compare(team_key(group), group.number, mine) else {
            return;
        };
        let (here, there) = (self.place_of(site), self.place_of(theirs.site));
        let (differ, right) = match what {
            Difference::Routine => (String::new(), "all members of a team call the same collectives in the same order"),
            Difference::Root => {
                (format!(" with root {} and root {}", mine.root, theirs.root), "all members name the same root")
            }
            Difference::Element => (" with different types".into(), "all members use the same type"),
            Difference::Count if is_typed => {
                (format!(" with {} and {} elements", mine.count, theirs.count), "all members give as many elements")
            }
            Difference::Count => {
                (format!(" with {} and {} bytes", mine.count, theirs.count), "all members give as many")
            }
            Difference::Ranges => {
                let words = |[one, two, three]: [i32; 3]| format!("({one}, {two}, {three})");
                let (mine, theirs) = (words(mine.ranges), words(theirs.ranges));
                (format!(" with {mine} and {theirs}"), "all members of the parent describe the same teams")
            }
        };
        self.tell(world, &Finding {
            kind: "collective",
            weight: Weight::Fatal,
            what: format!(
                "PE {} calls {} at {} and PE {} calls {} at {}{differ}, as number {} of the collectives of one team of {} PEs",
                self.me,
                here.what,
                here.at,
                theirs.pe,
                there.what,
                there.at,
                group.number + 1,
                group.size
            ),
            right: right.into(),
            places: vec![here.at, there.at],
        });
    }

    /// The thread begins a collective.
    pub(super) fn enter(&self, world: &World, live: &Live, call: &Call, site: u16) {
        let Some(group) = call.group else { return };
        let quiets = matches!(call.kind, Kind::Barrier | Kind::Allocate | Kind::Reallocate | Kind::Free);
        let is_root = group.me as i32 == call.root;
        let conflict = self.with_thread(|thread| {
            if quiets {
                self.races.quiet(thread, Ctx::DEFAULT.0, None);
            }
            if call.kind != Kind::Broadcast || is_root {
                self.races.leave(thread, clock_key(group));
            }
            // What a member does from here on is unknown to those who leave the collective before it.
            let moves = matches!(
                call.kind,
                Kind::Broadcast | Kind::Collect | Kind::Fcollect | Kind::Alltoall | Kind::Reduce | Kind::Scan
            );
            if !moves || call.answer == Answer::Later {
                return None;
            }
            let given = call.layout.bytes();
            let taken = match call.kind {
                Kind::Fcollect => given.saturating_mul(group.size as usize),
                // Members may give different numbers: what is sure is that it takes its own.
                _ => given,
            };
            let reads = call.kind != Kind::Broadcast || is_root;
            let source = if reads { self.note_own(live, thread, (call.remote, given), false, site) } else { None };
            // A broadcast of an active set leaves the root's own destination alone, and may be one in place.
            let writes = !(call.kind == Kind::Broadcast && is_root);
            let dest = if writes { self.note_own(live, thread, (call.local, taken), true, site) } else { None };
            source.or(dest)
        });
        if let Some(conflict) = conflict.flatten() {
            self.tell_race(world, live, conflict, call.layout.block);
        }
    }

    /// A collective is over: what those have left who give something is known.
    pub(super) fn leave(&self, call: &Call) {
        let Some(group) = call.group else { return };
        if call.kind == Kind::Broadcast && group.me as i32 == call.root {
            return;
        }
        self.with_thread(|thread| self.races.take(thread, clock_key(group)));
    }
}

fn is_float(name: &str) -> bool {
    ["float", "double", "complex", "real", "comp"].iter().any(|word| name.contains(word))
}
