//! Non-blocking collectives: they give the results of the blocking ones, and run in the order in which they were started, while the PE does
//! other work.

mod local;

use ferrite_abi::constants::{SHMEM_CMP_EQ, SHMEM_CMP_GE};
use ferrite_runtime::{Ctx, Req, Site, Team, World};
use local::{world_of, worlds_of};
use proptest::prelude::*;
use std::{
    ffi::c_int,
    ptr,
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

static SITE: Site = Site::of_c("requests");

/// Element counts on both sides of every threshold between algorithms.
const COUNTS: [usize; 6] = [0, 1, 7, 300, 5000, 70_000];

fn words(world: &World, len: usize) -> *mut i64 {
    world.calloc(&SITE, len.max(1), 8).cast()
}

fn value(rank: usize, i: usize, round: usize) -> i64 {
    (rank * 1_000_003 + i * 7_919 + round * 104_729) as i64
}

fn fill(at: *mut i64, len: usize, rank: usize, round: usize) {
    // SAFETY: arrays of `len` words.
    (0..len).for_each(|i| unsafe { at.add(i).write(value(rank, i, round)) });
}

fn read(at: *mut i64, len: usize) -> Vec<i64> {
    // SAFETY: arrays of `len` words.
    (0..len).map(|i| unsafe { at.add(i).read() }).collect()
}

/// Many requests at once on one team, waited for in a different order than they were started in, with a blocking collective in between.
fn exercise(world: &World, team: Team) {
    // SAFETY: the arrays are as long as each call needs, and are not touched until the requests are complete.
    unsafe {
        let n = world.team_n_pes(&SITE, team) as usize;
        let me = world.team_my_pe(&SITE, team) as usize;
        for (round, &len) in COUNTS.iter().enumerate() {
            let sources = [0; 4].map(|_| words(world, len * n));
            let dests = [0; 4].map(|_| words(world, len * n));
            let small = [words(world, 1), words(world, 1)];
            for repeat in 0..4 {
                let round = round * 10 + repeat;
                sources.iter().enumerate().for_each(|(k, at)| fill(*at, len * n, me, round + 100 * k));
                let mut requests = [Req(7); 5];
                let [sum, copy, joined, across, sync] = &mut requests;
                let root = round % n;
                assert_eq!(world.sum_reduce_nb(&SITE, team, dests[0], sources[0], len, sum), 0);
                assert_eq!(world.broadcast_nb(&SITE, team, dests[1], sources[1], len, root as c_int, copy), 0);
                assert_eq!(world.fcollect_nb(&SITE, team, dests[2], sources[2], len, joined), 0);
                assert_eq!(world.alltoall_nb(&SITE, team, dests[3], sources[3], len, across), 0);
                assert_eq!(world.team_sync_nb(&SITE, team, sync), 0);
                assert_eq!(
                    requests.map(|request| request == Req::NULL),
                    [len == 0, len == 0, len == 0, len == 0, false]
                );
                if repeat % 2 == 0 {
                    small[0].write(1);
                    world.sum_reduce(&SITE, team, small[1], small[0], 1);
                    assert_eq!(small[1].read(), n as i64);
                    let done = requests.map(|mut request| world.req_test(&SITE, &mut request));
                    assert_eq!(done, [1; 5], "a blocking collective goes after what was asked for before");
                } else {
                    for k in [3, 1, 4, 0, 2] {
                        world.req_wait(&SITE, &mut requests[k]);
                        assert_eq!(requests[k], Req::NULL);
                        assert_eq!(world.req_test(&SITE, &mut requests[k]), 1, "no request is a complete one");
                    }
                }
                let sums: Vec<i64> = (0..len).map(|i| (0..n).map(|rank| value(rank, i, round)).sum()).collect();
                assert_eq!(read(dests[0], len), sums, "sum of {len} on {n}");
                let copied: Vec<i64> = (0..len).map(|i| value(root, i, round + 100)).collect();
                assert_eq!(read(dests[1], len), copied, "broadcast of {len} on {n}");
                let side: Vec<i64> =
                    (0..n).flat_map(|rank| (0..len).map(move |i| value(rank, i, round + 200))).collect();
                assert_eq!(read(dests[2], len * n), side, "fcollect of {len} on {n}");
                let mine: Vec<i64> =
                    (0..n).flat_map(|rank| (0..len).map(move |i| value(rank, me * len + i, round + 300))).collect();
                assert_eq!(read(dests[3], len * n), mine, "alltoall of {len} on {n}");
                world.team_sync(&SITE, team);
            }
            world.barrier_all(&SITE);
            sources.into_iter().chain(dests).chain(small).rev().for_each(|block| world.free(&SITE, block.cast()));
        }
    }
}

#[test]
fn requests_on_every_small_world() {
    for n in [1, 2, 3, 4] {
        worlds_of(n, |world, _| exercise(world, Team::WORLD));
    }
    for n in [5, 8] {
        world_of(n, |world, _| exercise(world, Team::WORLD));
    }
}

/// PE 0 starts a reduction and then waits for a word only. The others first complete the reduction, and only then write the word.
#[test]
fn a_request_goes_on_while_its_pe_waits_elsewhere() {
    world_of(4, |world, me| {
        let [dest, source, flag] = [0; 3].map(|_| words(world, 70_000));
        for round in 1..=20 {
            fill(source, 70_000, me as usize, round);
            let mut request = Req::NULL;
            // SAFETY: the arrays are long enough, and there is one flag.
            unsafe {
                world.max_reduce_nb(&SITE, Team::WORLD, dest, source, 70_000, &mut request);
                if me == 0 {
                    world.wait_until(&SITE, flag, SHMEM_CMP_EQ, 3 * round as i64);
                } else {
                    world.req_wait(&SITE, &mut request);
                    world.atomic_add(&SITE, Ctx::DEFAULT, flag, 1, 0);
                }
                world.req_wait(&SITE, &mut request);
                assert_eq!(dest.add(69_999).read(), value(3, 69_999, round));
                world.sync_all(&SITE);
            }
        }
    });
}

/// Some members start the row's request before the column's, others after it. Requests of different teams are not ordered.
#[test]
fn requests_of_different_teams_pass_each_other() {
    world_of(6, |world, me| {
        let [rows, columns, source] = [0; 3].map(|_| words(world, 1));
        let (mut x, mut y) = (Team::INVALID, Team::INVALID);
        // SAFETY: the handles may be written, and the arrays have one word each.
        unsafe {
            assert_eq!(world.team_split_2d(&SITE, Team::WORLD, 3, ptr::null(), 0, &mut x, ptr::null(), 0, &mut y), 0);
            for round in 0..300 {
                source.write(i64::from(me) + round);
                let (mut row, mut column) = (Req::NULL, Req::NULL);
                if me % 2 == 0 {
                    world.sum_reduce_nb(&SITE, x, rows, source, 1, &mut row);
                    world.sum_reduce_nb(&SITE, y, columns, source, 1, &mut column);
                    world.req_wait(&SITE, &mut column);
                    world.req_wait(&SITE, &mut row);
                } else {
                    world.sum_reduce_nb(&SITE, y, columns, source, 1, &mut column);
                    world.sum_reduce_nb(&SITE, x, rows, source, 1, &mut row);
                    while world.req_test(&SITE, &mut row) == 0 {}
                    world.req_wait(&SITE, &mut column);
                }
                let first = i64::from(me / 3 * 3);
                assert_eq!(rows.read(), 3 * first + 3 + 3 * round);
                assert_eq!(columns.read(), 2 * i64::from(me % 3) + 3 + 2 * round);
            }
            // A team may be destroyed while requests on it are complete but not tested; their handles stay valid.
            let mut left = Req::NULL;
            world.team_sync_nb(&SITE, x, &mut left);
            world.team_destroy(&SITE, x);
            world.team_destroy(&SITE, y);
            assert_eq!(world.req_test(&SITE, &mut left), 1);
        }
    });
}

#[test]
fn splits_and_allocations_go_after_requests() {
    world_of(3, |world, me| {
        let [dest, source] = [0; 2].map(|_| words(world, 3000));
        for round in 0..50 {
            fill(source, 3000, me as usize, round);
            let (mut sum, mut barrier, mut team) = (Req::NULL, Req::NULL, Team::INVALID);
            // SAFETY: the arrays are long enough, and the handles may be written.
            unsafe {
                world.sum_reduce_nb(&SITE, Team::WORLD, dest, source, 3000, &mut sum);
                world.barrier_all_nb(&SITE, &mut barrier);
                world.team_split_strided(&SITE, Team::WORLD, 0, 1, 2, ptr::null(), 0, &mut team);
                let block = words(world, 10);
                assert_eq!(world.req_test(&SITE, &mut barrier), 1);
                world.req_wait(&SITE, &mut sum);
                assert_eq!(dest.add(5).read(), (0..3).map(|rank| value(rank, 5, round)).sum::<i64>());
                world.team_destroy(&SITE, team);
                world.free(&SITE, block.cast());
            }
        }
        // SAFETY: no arrays are passed, and the handle may be written.
        unsafe {
            let mut request = Req(3);
            assert_ne!(world.team_sync_nb(&SITE, Team::INVALID, &mut request), 0);
            assert_eq!(request, Req::NULL);
        }
    });
}

/// Threads of one PE: each has a team and requests of its own. One more thread only waits, and so polls all requests.
#[test]
fn threads_poll_each_others_requests() {
    const THREADS: usize = 3;
    world_of(2, |world, me| {
        let [dest, source] = [0; 2].map(|_| words(world, THREADS * 600));
        let flag = words(world, 1);
        let done = AtomicBool::new(false);
        // SAFETY: the handles may be written; each thread has its part of the arrays.
        unsafe {
            let teams: Vec<Team> = (0..THREADS)
                .map(|_| {
                    let mut team = Team::INVALID;
                    assert_eq!(world.team_split_strided(&SITE, Team::WORLD, 0, 1, 2, ptr::null(), 0, &mut team), 0);
                    team
                })
                .collect();
            // The addresses are passed to the threads as numbers.
            let (to, from, word) = (dest as usize, source as usize, flag as usize);
            thread::scope(|scope| {
                scope.spawn(|| {
                    // The flag that ends this wait is written when all requests are done.
                    world.wait_until(&SITE, word as *const i64, SHMEM_CMP_GE, 1);
                    assert!(done.load(Ordering::Acquire));
                });
                let workers: Vec<_> = teams
                    .iter()
                    .enumerate()
                    .map(|(k, &team)| {
                        scope.spawn(move || {
                            let (to, from) = ((to as *mut i64).add(k * 600), (from as *mut i64).add(k * 600));
                            for round in 0..400 {
                                let len = if round % 3 == 0 { 600 } else { 1 };
                                fill(from, len, me as usize, round);
                                let mut request = Req::NULL;
                                world.sum_reduce_nb(&SITE, team, to, from, len, &mut request);
                                if round % 5 == 0 {
                                    world.team_sync(&SITE, team);
                                }
                                world.req_wait(&SITE, &mut request);
                                assert_eq!(to.read(), value(0, 0, round) + value(1, 0, round), "round {round}");
                            }
                        })
                    })
                    .collect();
                workers.into_iter().for_each(|worker| worker.join().expect("a worker"));
                done.store(true, Ordering::Release);
                world.p(&SITE, Ctx::DEFAULT, flag, 1, me);
            });
            teams.into_iter().for_each(|team| world.team_destroy(&SITE, team));
        }
    });
}

/// One step of a program that all PEs run: a collective on one of the teams.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// 0 is the world, 1 the row, 2 the column.
    team: usize,
    kind: Kind,
    len: usize,
    later: bool,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Sum,
    Broadcast,
    Fcollect,
    Alltoall,
    Sync,
}

/// The place of a step's result, and the expected words.
struct Expected {
    at: *mut i64,
    words: Vec<i64>,
}

struct Actor<'w> {
    world: &'w World,
    teams: [Team; 3],
    /// Each step has a part of `dest` and of `source`.
    dest: *mut i64,
    source: *mut i64,
}

/// Number of words of each step's part.
const PART: usize = 6 * 700;

impl Actor<'_> {
    /// Do a blocking step, or start a non-blocking one.
    ///
    /// # Safety
    /// The actor's arrays have a part for step `n`, and no other step uses it.
    unsafe fn play(&self, n: usize, step: Step) -> (Req, Expected) {
        let (world, team, mut request) = (self.world, self.teams[step.team], Req::NULL);
        // SAFETY: the caller guarantees a part of the arrays for this step.
        unsafe {
            let (dest, source, len) = (self.dest.add(n * PART), self.source.add(n * PART), step.len);
            let (size, me) = (world.team_n_pes(&SITE, team) as usize, world.team_my_pe(&SITE, team) as usize);
            fill(source, len * size, me, n);
            let side = |first: usize| (0..size).flat_map(move |rank| (0..len).map(move |i| value(rank, first + i, n)));
            let root = n % size;
            let ask = &raw mut request;
            let words = match (step.kind, step.later) {
                (Kind::Sum, later) => {
                    let (to, from) = (dest, source);
                    let _ = if later {
                        world.sum_reduce_nb(&SITE, team, to, from, len, ask)
                    } else {
                        world.sum_reduce(&SITE, team, to, from, len)
                    };
                    (0..len).map(|i| (0..size).map(|rank| value(rank, i, n)).sum()).collect()
                }
                (Kind::Broadcast, later) => {
                    let _ = if later {
                        world.broadcast_nb(&SITE, team, dest, source, len, root as c_int, ask)
                    } else {
                        world.broadcast(&SITE, team, dest, source, len, root as c_int)
                    };
                    (0..len).map(|i| value(root, i, n)).collect()
                }
                (Kind::Fcollect, later) => {
                    let _ = if later {
                        world.fcollect_nb(&SITE, team, dest, source, len, ask)
                    } else {
                        world.fcollect(&SITE, team, dest, source, len)
                    };
                    side(0).collect()
                }
                (Kind::Alltoall, later) => {
                    let _ = if later {
                        world.alltoall_nb(&SITE, team, dest, source, len, ask)
                    } else {
                        world.alltoall(&SITE, team, dest, source, len)
                    };
                    side(me * len).collect()
                }
                (Kind::Sync, later) => {
                    let _ = if later { world.team_sync_nb(&SITE, team, ask) } else { world.team_sync(&SITE, team) };
                    Vec::new()
                }
            };
            (request, Expected { at: dest, words })
        }
    }
}

fn step() -> impl Strategy<Value = Step> {
    let kind = prop::sample::select(vec![Kind::Sum, Kind::Broadcast, Kind::Fcollect, Kind::Alltoall, Kind::Sync]);
    let len = prop::sample::select(vec![0, 1, 6, 50, 700]);
    (0..3_usize, kind, len, prop::bool::weighted(0.75)).prop_map(|(team, kind, len, later)| Step {
        team,
        kind,
        len,
        later,
    })
}

/// Run the steps. Each PE completes its requests at its own times, which `whims` determine.
fn perform(world: &World, me: usize, steps: &[Step], whims: &[usize]) {
    let words = |len: usize| world.calloc(&SITE, len, 8).cast::<i64>();
    let (dest, source) = (words(steps.len() * PART), words(steps.len() * PART));
    let (mut x, mut y) = (Team::INVALID, Team::INVALID);
    // SAFETY: the handles may be written; each step has a part of the arrays.
    unsafe {
        assert_eq!(world.team_split_2d(&SITE, Team::WORLD, 3, ptr::null(), 0, &mut x, ptr::null(), 0, &mut y), 0);
        let actor = Actor { world, teams: [Team::WORLD, x, y], dest, source };
        let mut open: Vec<(Req, Expected)> = Vec::new();
        let check = |expected: Expected| assert_eq!(read(expected.at, expected.words.len()), expected.words);
        for (n, &step) in steps.iter().enumerate() {
            open.push(actor.play(n, step));
            let whim = whims[(n * 7 + me * 3) % whims.len()];
            if whim.is_multiple_of(2) {
                let (mut request, expected) = open.swap_remove(whim % open.len());
                world.req_wait(&SITE, &mut request);
                check(expected);
            } else if world.req_test(&SITE, &mut open[0].0) == 1 {
                check(open.swap_remove(0).1);
            }
        }
        for (mut request, expected) in open.into_iter().rev() {
            world.req_wait(&SITE, &mut request);
            check(expected);
        }
        world.barrier_all(&SITE);
        world.free(&SITE, source.cast());
        world.free(&SITE, dest.cast());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Any mixture of collectives, blocking or not, over teams that overlap.
    #[test]
    fn any_mixture_gives_what_blocking_calls_would(
        pes in 1..=6_u32,
        steps in prop::collection::vec(step(), 1..40),
        whims in prop::collection::vec(0..100_usize, 1..50),
    ) {
        world_of(pes, |world, me| perform(world, me as usize, &steps, &whims));
    }
}
