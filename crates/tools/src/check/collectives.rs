//! Collectives: whether all members call the same, and the order that a collective establishes between them.

use super::{
    Check,
    findings::{Finding, Weight},
};
use ferrite_check::{Collective, Mismatch, area::hash, collectives::Difference};
use ferrite_runtime::{
    Ctx,
    observe::{Answer, Call, Group, Kind, View},
};

/// Number of clocks that the collectives of a team use in turn. They are never cleared: all members already know what an earlier collective
/// left in a clock.
const CLOCKS: u64 = 4;

/// Key of a team, the same on all its members.
pub(super) fn team_key(group: Group) -> u64 {
    hash([u64::from(group.slot), group.born, u64::from(group.first), u64::from(group.size)])
}

fn clock_key(group: Group) -> u64 {
    hash([3, team_key(group), group.number % CLOCKS])
}

/// Number for a routine without its element type.
fn routine_of(call: &Call) -> u32 {
    let name = call.site.name;
    let operation =
        ["_and_", "_or_", "_xor_", "_max_", "_min_", "_sum_", "_prod_", "inscan", "exscan", "alltoalls", "2d", "3d"];
    let which = operation.iter().fold(0, |bits, word| bits << 1 | u32::from(name.contains(word)));
    (call.kind as u32) << 16 | which
}

impl Check {
    /// Compare a call with the other members' calls, and report a call that differs: the members would hang, or worse.
    pub(super) fn compare(&self, view: View<'_>, call: &Call, site: u16) {
        let Some(group) = call.group else { return };
        // In these calls each member contributes as much as it wants.
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
        self.tell(&view, &Finding {
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

    /// The thread enters a collective.
    pub(super) fn enter(&self, view: View<'_>, call: &Call, site: u16) {
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
            // The following accesses are not ordered before the return of members that leave the collective earlier.
            let moves = matches!(
                call.kind,
                Kind::Broadcast | Kind::Collect | Kind::Fcollect | Kind::Alltoall | Kind::Reduce | Kind::Scan
            );
            if !moves || call.answer == Answer::Later {
                return None;
            }
            let (given, taken) = call.extents();
            // Blocks that differ in length may leave gaps between them, which are not read.
            let reads = (call.kind != Kind::Broadcast || is_root) && call.source_len.is_none();
            let source = if reads { self.note_own(view, thread, (call.remote, given), false, site) } else { None };
            // A broadcast of an active set does not write the root's own destination, and may be in place.
            let writes = !(call.kind == Kind::Broadcast && is_root);
            let dest = if writes { self.note_own(view, thread, (call.local, taken), true, site) } else { None };
            source.or(dest)
        });
        if let Some(conflict) = conflict.flatten() {
            self.tell_race(view, conflict, call.layout.block);
        }
    }

    /// A collective returns: everything that the contributing members did before it is ordered before this.
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
