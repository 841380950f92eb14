//! Collectives: the algorithms of `crates/collectives`, run over mapped memory and over a fabric.
//!
//! An algorithm is a future over an `Exchange`. [`engine`] implements the exchange for a team whose members are all mapped, [`wide`] for a
//! team with other members. [`drive`] polls the future until it is done, and waits between polls as `wait` describes. [`request`] keeps the
//! futures of the non-blocking collectives.
//!
//! | part | files |
//! |---|---|
//! | one call | `work`: buffers, algorithm, execution; `calls`: the same for a team that spans hosts |
//! | exchanges | `engine`, `wide` |
//! | routines | `ops`: of teams; `sets`: of active sets; `request`, `later`: non-blocking; `vector`: blocks of different lengths; `device`: operands in device memory |
//!
//! Elsewhere: the user's choice of algorithm (`ferrite_settings::tuning`), the layout of the control area (`area`), element-wise operations
//! (`ferrite_kernels`).

mod calls;
mod device;
mod engine;
mod later;
mod ops;
mod request;
mod sets;
mod vector;
mod wide;
mod work;

use crate::{
    Ctx, Site, Team, World,
    live::Live,
    observe::{Call as Shown, Kind},
    teams::TeamState,
    wait::state::Awaited,
};
use calls::Calls;
use core::{
    future::Future,
    pin::pin,
    ptr,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    task::{Context, Poll, Waker},
};
pub(crate) use engine::Call;
use ferrite_collectives::{barrier, hierarchy, select::Barrier, words};
use ferrite_diagnose::entry::{Entry, EntryKind};
use ferrite_program::streams::flush_streams;
use ferrite_settings::tuning::Choices;
use request::Requests;
pub(crate) use sets::SetTeams;
pub(crate) use wide::Wide;
pub(crate) use work::Work;

/// The collectives of a started world: how they are chosen, and the non-blocking ones under way.
pub(crate) struct Collectives {
    pub choices: Choices,
    /// Whether all PEs run the same executable.
    pub uniform: AtomicBool,
    /// Whether some host of the job has more PEs than cores. The same on all PEs, since the choice of algorithms depends on it.
    pub crowded: AtomicBool,
    /// Whether there is a choice of barriers: if the job spans hosts, or if the user asked for an algorithm.
    pub chooses_barriers: bool,
    /// Non-blocking collectives that the program has not seen complete.
    pub requests: Requests,
}

/// Drive an algorithm that moves no data of the program, among the members of a team: `among!(live, team, |x| barrier::tree(x, 4))`.
macro_rules! among {
    ($live:expr, $team:expr, |$x:ident| $algorithm:expr) => {{
        let (live, team): (&$crate::live::Live, &$crate::teams::TeamState) = ($live, $team);
        let call = $crate::coll::Call::bare(&team.member);
        match team.far(live) {
            None => {
                let $x = &call;
                $crate::coll::drive(live, team, $algorithm)
            }
            Some(far) => {
                let $x = &$crate::coll::Wide::new(call, live, far, &team.shape);
                $crate::coll::drive(live, team, $algorithm)
            }
        }
    }};
}
pub(crate) use among;

/// Poll a collective of `team` until done, after the team's requests that were posted before.
#[inline(always)]
pub(crate) fn drive<T>(live: &Live, team: &TeamState, algorithm: impl Future<Output = T>) -> T {
    live.coll.requests.make_way(live, team.slot);
    let mut algorithm = pin!(algorithm);
    let mut context = Context::from_waker(Waker::noop());
    live.until(Awaited::Collective(team), || match algorithm.as_mut().poll(&mut context) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    })
}

impl Collectives {
    /// State before this PE has met the others. `uniform`: whether the PEs of its host run the same executable. `crowded`: whether they are
    /// more than its cores. `has_far`: whether there are other hosts.
    pub fn new(choices: Choices, uniform: bool, crowded: bool, has_far: bool) -> Collectives {
        Collectives {
            uniform: AtomicBool::new(uniform),
            crowded: AtomicBool::new(crowded),
            chooses_barriers: has_far || choices.wish::<Barrier>().is_some(),
            choices,
            requests: Requests::default(),
        }
    }
}

impl World {
    /// Complete the operations issued on the default context, then wait until all PEs have called this.
    #[inline]
    pub fn barrier_all(&self, site: &'static Site) {
        self.barrier_as(site, EntryKind::Barrier);
    }

    /// The same barrier, as a part of another routine.
    #[inline(always)]
    pub(crate) fn barrier_as(&self, site: &'static Site, kind: EntryKind) {
        let _observed = self.observe(|live| Shown::among_all(live, site, Kind::Barrier));
        self.quiet(site, Ctx::DEFAULT);
        self.sync_as(site, kind);
        if self.require_live(site).settings.barriers_flush {
            flush_streams();
        }
    }

    /// Wait until all PEs have called this. Completes no communication, but stores that peers made before are visible after it.
    #[inline]
    pub fn sync_all(&self, site: &'static Site) {
        self.sync_as(site, EntryKind::Barrier);
    }

    #[inline(always)]
    fn sync_as(&self, site: &'static Site, kind: EntryKind) {
        let live = self.require_live(site);
        let _observed = self.observe(|live| Shown::among_all(live, site, Kind::Sync));
        self.begin_collective(site);
        live.enter(site, &live.teams.world, Entry::bare(kind));
        if live.coll.chooses_barriers {
            let (dest, source) = (ptr::null_mut(), ptr::null());
            Work { world: self, live, site, team: &live.teams.world, dest, source }.meet();
        } else if !live.coll.crowded.load(Relaxed) {
            drive(live, &live.teams.world, barrier::dissemination(&Call::bare(&live.teams.world.member)));
        } else {
            // With more PEs than cores each round would cost a turn of the scheduler.
            drive(live, &live.teams.world, barrier::central(&Call::bare(&live.teams.world.member)));
        }
    }

    /// Meet the members of a team and compare words. True if all members passed the same words. Collective over the team. No word may be
    /// `u64::MAX`, which stands for words that differ.
    ///
    /// # Safety
    /// `team` is a team.
    pub unsafe fn meet_with<const N: usize>(&self, site: &'static Site, team: Team, mine: [u64; N]) -> bool {
        self.quiet(site, Ctx::DEFAULT);
        let live = self.require_live(site);
        let Some(team) = self.team(site, live, team) else { return false };
        live.enter(site, team, Entry::bare(EntryKind::Meeting));
        agree_among(live, team, mine, |_, a, b| if a == b { a } else { u64::MAX }) == mine
    }

    /// Return every member's word, by its number in the team.
    ///
    /// # Safety
    /// `team` is a team.
    pub unsafe fn team_gather(&self, site: &'static Site, team: Team, word: u64) -> Vec<u64> {
        let live = self.require_live(site);
        let Some(team) = self.team(site, live, team) else { return Vec::new() };
        live.enter(site, team, Entry::bare(EntryKind::Meeting));
        among!(live, team, |x| words::gather(x, word))
    }

    /// Combine all PEs' words, index by index. Collective over the world.
    pub fn agree_on<const N: usize>(
        &self,
        site: &'static Site,
        mine: [u64; N],
        combine: impl Fn(usize, u64, u64) -> u64,
    ) -> [u64; N] {
        let live = self.require_live(site);
        live.enter(site, &live.teams.world, Entry::bare(EntryKind::Meeting));
        agree_among(live, &live.teams.world, mine, combine)
    }
}

/// Combine the words of a team's members, index by index. Within a node the algorithm is a tree: each wait may cost a turn of the scheduler
/// there, and most members of a tree wait only twice.
pub(crate) fn agree_among<const N: usize>(
    live: &Live,
    team: &TeamState,
    mine: [u64; N],
    combine: impl Fn(usize, u64, u64) -> u64,
) -> [u64; N] {
    match Calls::bare(live, team) {
        Some(calls) => {
            let (here, leaders) = calls.now(live);
            drive(live, team, hierarchy::agree(&here, leaders.as_ref(), mine, combine))
        }
        None => match team.far(live) {
            None => {
                let here = Call::bare(&team.member);
                drive(live, team, hierarchy::agree(&here, None::<&Wide<'_>>, mine, combine))
            }
            Some(far) => {
                let all = Wide::new(Call::bare(&team.member), live, far, &team.shape);
                drive(live, team, words::agree(&all, mine, combine))
            }
        },
    }
}

/// Last barrier of a team. When it returns, no member reads this PE's counters again, since the barrier waited for every member that
/// counts.
pub(crate) fn last_barrier(live: &Live, team: &TeamState) {
    match Calls::bare(live, team) {
        Some(calls) => {
            let (here, leaders) = calls.now(live);
            drive(live, team, hierarchy::barrier(&here, leaders.as_ref()));
        }
        None => among!(live, team, |x| barrier::dissemination(x)),
    }
}
