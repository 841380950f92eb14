//! Collectives of active sets: checks of the array `pSync`, which this library does not use and others do, and of whether PEs that share an
//! array name the same set.
//!
//! A call is checked before the members of its set meet, because members that name different sets never meet. When the call returns, a
//! store to the array is recorded, such as other libraries make: a PE that uses the array again must know of this store, or other members
//! may still be using the array. No store is recorded after a barrier or a synchronisation: the standard lets the same set use the array
//! again at once.

use super::{
    Check,
    collectives::team_key,
    findings::{Finding, Weight},
};
use core::{
    cell::{Cell, RefCell},
    ffi::{c_int, c_long},
};
use ferrite_abi::constants::{SHMEM_REDUCE_SYNC_SIZE, SHMEM_SYNC_VALUE};
use ferrite_callstack::caller;
use ferrite_check::{Place, Returned, SetCall, races::Manner};
use ferrite_runtime::{
    Language, Site,
    observe::{Call, Kind, View},
};
use std::collections::HashMap;

/// Collective of an active set that this thread is in.
#[derive(Clone, Copy)]
struct SetUse {
    psync: usize,
    site: u16,
    triple: [c_int; 3],
}

thread_local! {
    static IN_SET: Cell<Option<SetUse>> = const { Cell::new(None) };
    /// For each array, the call site of the last collective with it that this thread has returned from.
    static LAST: RefCell<HashMap<usize, u16>> = RefCell::default();
}

/// Number of elements of a work array, the same for all kinds.
const LEN: usize = SHMEM_REDUCE_SYNC_SIZE as usize;

impl Check {
    /// A collective of an active set begins.
    pub(super) fn set_begins(&self, view: View<'_>, routine: &'static Site, triple: [c_int; 3], psync: usize) {
        IN_SET.set(None);
        let members = members(triple, view.size());
        let site = self.site(routine.name, caller::find());
        if !members.clone().any(|pe| pe == view.me() as c_int) {
            return self.called_by_an_outsider(view, site, triple);
        }
        let word = match routine.language {
            Language::Fortran => size_of::<c_int>(),
            _ => size_of::<c_long>(),
        };
        let (first, last) = (self.here(view, psync), self.here(view, psync + LEN * word - 1));
        let (Place::Shared(at), Place::Shared(end)) = (first, last) else {
            return self.tell_psync(view, site, "pSync is not symmetric, or too short".into(), None);
        };
        if end - at != LEN * word - 1 {
            return self.tell_psync(view, site, "pSync is too short".into(), None);
        }
        self.judge_contents(view, site, psync, word);
        self.judge_range(view, psync, LEN * word, site);
        IN_SET.set(Some(SetUse { psync, site, triple }));
        self.compare_sets(view, (triple, psync, site), members);
    }

    /// Report a member that may still be in the previous collective with the same array, as far as the thread knows. Every member must have
    /// left the previous one. A member that has left the current one has checked this itself.
    pub(super) fn judge_psync(&self, view: View<'_>, call: &Call) {
        let (Some(SetUse { psync, site, triple }), Some(group)) = (IN_SET.get(), call.group) else { return };
        if !self.sees_all() || moves_nothing(call) {
            return;
        }
        let (area, team) = (self.races.area(), team_key(group));
        let key = view.memory().symmetric_key(psync);
        let mine = match area.set_return_of(key, self.me) {
            Returned::From { team: of, number } if of == team => Some(number),
            _ => None,
        };
        let in_use = |pe: c_int| {
            match area.set_return_of(key, pe as u32) {
                Returned::Forgotten => return None,
                Returned::From { team: of, number } if of == team => match mine {
                    _ if number >= group.number => return None,
                    Some(mine) if number < mine => return Some(None),
                    _ => {}
                },
                Returned::FromNone if mine.is_some() => return Some(None),
                _ => {}
            }
            let place = self.there(view, psync, pe)?;
            let conflict = self.with_thread(|thread| self.races.look(thread, (place, 1), Manner::READ, site))??;
            // By now the member may have returned from the collective that begins, as the root of a broadcast does.
            let is_through = matches!(area.set_return_of(key, pe as u32),
                Returned::From { team: of, number } if of == team && number >= group.number);
            (!is_through).then_some(Some(conflict.other.site))
        };
        let Some((pe, other)) = members(triple, view.size()).find_map(|pe| in_use(pe).map(|site| (pe, site))) else {
            return;
        };
        // A member that has not even returned is in the call that this PE has made before.
        let other = other.or_else(|| LAST.with_borrow(|last| last.get(&psync).copied())).unwrap_or(site);
        let there = self.place_of(other);
        let wrong = format!("pSync may still be in use by PE {pe}, for {} at {}", there.what, there.at);
        self.tell_psync(view, site, wrong, Some(there.at));
    }

    /// Report a member that uses the same array at this moment and names another set.
    fn compare_sets(
        &self,
        view: View<'_>,
        (triple, psync, site): ([c_int; 3], usize, u16),
        mut members: impl Iterator<Item = c_int>,
    ) {
        let area = self.races.area();
        let key = view.memory().symmetric_key(psync);
        area.set_call(key, self.me, Some(SetCall { triple, site }));
        let other = members.find_map(|pe| {
            let other = area.set_call_of(key, pe as u32)?;
            (pe != self.me as c_int && other.triple != triple).then_some((pe, other))
        });
        let Some((pe, other)) = other else { return };
        let (here, there) = (self.place_of(site), self.place_of(other.site));
        self.tell(
            &view,
            &Finding {
                kind: "collective",
                weight: Weight::Fatal,
                what: format!(
                    "PE {} calls {} at {} over the active set {triple:?} and PE {pe} calls {} at {} over {:?}, with the same pSync",
                    self.me, here.what, here.at, there.what, there.at, other.triple
                ),
                right: "all members name the same PE_start, logPE_stride and PE_size; another set needs another \
                        pSync".into(),
                places: vec![here.at, there.at],
            },
        );
    }

    fn judge_contents(&self, view: View<'_>, site: u16, psync: usize, word: usize) {
        let value = |nth: usize| {
            let at = psync + nth * word;
            // SAFETY: symmetric memory of this PE from the first to the last byte, as was checked before; it may have any alignment.
            unsafe {
                match word == size_of::<c_int>() {
                    true => (at as *const c_int).read_unaligned().into(),
                    false => (at as *const c_long).read_unaligned(),
                }
            }
        };
        if let Some(nth) = (0..LEN).find(|&nth| value(nth) != SHMEM_SYNC_VALUE) {
            let held = value(nth);
            self.tell_psync(
                view,
                site,
                format!("element {nth} of pSync is {held}, not SHMEM_SYNC_VALUE ({SHMEM_SYNC_VALUE})"),
                None,
            );
        }
    }

    fn tell_psync(&self, view: View<'_>, site: u16, wrong: String, there: Option<String>) {
        let here = self.place_of(site);
        self.tell(
            &view,
            &Finding {
                kind: "psync",
                weight: Weight::Error,
                what: format!("{} at {}: {wrong}", here.what, here.at),
                right: format!(
                    "use a symmetric array of {LEN} elements, all SHMEM_SYNC_VALUE on all members before the first \
                     call; synchronise the members between two calls with it, or use two arrays in turn"
                ),
                places: [here.at].into_iter().chain(there).collect(),
            },
        );
    }

    /// A collective returns. If it was one of an active set, its array is free for PEs that know of the return.
    pub(super) fn set_ends(&self, view: View<'_>, call: &Call) {
        let Some(SetUse { psync, site, .. }) = IN_SET.take() else { return };
        let key = view.memory().symmetric_key(psync);
        self.races.area().set_call(key, self.me, None);
        let Some(group) = call.group.filter(|_| self.sees_all()) else { return };
        if !matches!(call.kind, Kind::Barrier | Kind::Sync) && !moves_nothing(call) {
            // In this order: a PE that sees the store also sees that this PE has returned.
            self.races.area().set_return(key, self.me, team_key(group), group.number);
            let place = self.here(view, psync);
            self.with_thread(|thread| self.races.by_thread(thread, (place, 1), Manner::WRITE, site));
            LAST.with_borrow_mut(|last| last.insert(psync, site));
        }
    }
}

/// True if no member contributes anything: such a call does not synchronise, and needs no array.
fn moves_nothing(call: &Call) -> bool {
    let is_even = matches!(call.kind, Kind::Broadcast | Kind::Fcollect | Kind::Alltoall | Kind::Reduce);
    is_even && call.layout.bytes() == 0 && !call.site.name.contains("alltoallv")
}

/// Members of a set as PEs of the world, up to the first that does not exist.
fn members([start, log_stride, size]: [c_int; 3], pes: u32) -> impl Iterator<Item = c_int> + Clone {
    let stride = 1_i64 << log_stride.clamp(0, 30);
    (0..i64::from(size))
        .map(move |nth| i64::from(start) + nth * stride)
        .take_while(move |&pe| (0..i64::from(pes)).contains(&pe))
        .map(|pe| pe as c_int)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_those_that_there_are() {
        for (triple, expected) in
            [([1, 1, 3], vec![1, 3, 5]), ([0, 0, 9], (0..6).collect()), ([-1, 0, 2], vec![]), ([2, 99, 2], vec![2])]
        {
            assert_eq!(members(triple, 6).collect::<Vec<_>>(), expected, "{triple:?}");
        }
    }
}
