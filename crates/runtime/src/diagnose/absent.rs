//! Which member has not called a collective, and which has called another one under the same number.

use crate::{boards::Boards, teams::TeamState};
use ferrite_diagnose::{compare::differences, entry::Entry, record::DEPTH, report::Difference};

/// Maximum number of members in one look: the next look covers more.
const PER_LOOK: u32 = 256;

/// A member that this PE needs and that has not called this PE's last collective. A member for which `is_waiting` is true is preferred,
/// because only a PE that waits elsewhere can be stuck. The search begins at rank `first`: in large teams at another rank each time.
pub(super) fn absent(boards: &Boards, team: &TeamState, first: u32, is_waiting: impl Fn(u32) -> bool) -> Option<u32> {
    let (number, me) = (team.calls(), team.me as u32);
    let call = team.called(boards, me, number)?;
    let missing = |rank: &u32| team.arrived(boards, *rank).is_some_and(|arrived| arrived < number);
    let mut absent = ranks(team, first)
        .filter(|&rank| call.needs(me, rank, team.shape.size()))
        .filter(missing)
        .map(|rank| pe(team, rank));
    let one = absent.next()?;
    Some(if is_waiting(one) { one } else { absent.find(|&pe| is_waiting(pe)).unwrap_or(one) })
}

/// The first difference between the members' calls among this PE's last collectives of `team`.
pub(super) fn different(boards: &Boards, team: &TeamState, first: u32) -> Option<Difference> {
    let (last, me) = (team.calls(), team.me as u32);
    let find = |number: u64| {
        let mine = team.called(boards, me, number)?;
        let differs = |rank: &u32| team.called(boards, *rank, number).is_some_and(|theirs| theirs != mine);
        ranks(team, first).find(differs)?;
        let called = |rank: u32| -> Option<(u32, Entry)> { Some((pe(team, rank), team.called(boards, rank, number)?)) };
        let versions = differences((0..team.shape.size()).filter_map(called))?;
        let members = team.shape.size();
        let still = (0..members)
            .filter(|&rank| team.arrived(boards, rank) == Some(number))
            .map(|rank| pe(team, rank))
            .collect();
        Some(Difference { versions, number, members, still })
    };
    (last.saturating_sub(DEPTH as u64 - 1).max(1)..=last).find_map(find)
}

/// Whether the next member has made the same calls as this PE, among the last collectives of `team` that this PE has completed.
pub(super) fn agrees_with_next(boards: &Boards, team: &TeamState) -> bool {
    let (last, me) = (team.calls(), team.me as u32);
    let next = if me + 1 == team.shape.size() { 0 } else { me + 1 };
    (last.saturating_sub(DEPTH as u64 - 1).max(1)..last).all(|number| {
        let (mine, theirs) = (team.called(boards, me, number), team.called(boards, next, number));
        mine.is_none() || theirs.is_none() || mine == theirs
    })
}

/// Whether all members have made the call in which they differ: only then the call that most of them have made is known.
pub(super) fn have_all_called(boards: &Boards, team: &TeamState, difference: &Difference) -> bool {
    (0..team.shape.size()).all(|rank| team.arrived(boards, rank).is_none_or(|arrived| arrived >= difference.number))
}

fn ranks(team: &TeamState, first: u32) -> impl Iterator<Item = u32> {
    let size = team.shape.size();
    (0..size.min(PER_LOOK)).map(move |i| ((u64::from(first) + u64::from(i)) % u64::from(size)) as u32)
}

fn pe(team: &TeamState, rank: u32) -> u32 {
    team.shape.world_pe(rank as i32) as u32
}
