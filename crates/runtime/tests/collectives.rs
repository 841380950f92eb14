//! Collectives and teams over mapped memory, against their definitions, for every small number of PEs.

mod local;

use ferrite_abi::constants::SHMEM_TEAM_NUM_CONTEXTS;
use ferrite_runtime::{Ctx, Shape, Site, Team, TeamConfig, World};
use local::{world_of, worlds_of};
use std::{
    ffi::{c_int, c_long},
    ptr, thread,
};

static SITE: Site = Site::of_c("collectives");

/// Element counts on both sides of every threshold between algorithms: a cell, the work area, a page, a chunk.
const COUNTS: [usize; 9] = [0, 1, 6, 7, 8, 300, 1024, 5000, 70_000];

/// Two symmetric arrays of `len` words.
fn pair(world: &World, len: usize) -> (*mut i64, *mut i64) {
    let words = || world.calloc(&SITE, len.max(1), 8).cast::<i64>();
    (words(), words())
}

/// The contribution of member `rank` at index `i` in `round`.
fn value(rank: usize, i: usize, round: usize) -> i64 {
    let mixed = (rank * 1_000_003 + i * 7_919 + round * 104_729) as i64;
    mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15_u64 as i64)
}

fn fill(at: *mut i64, len: usize, rank: usize, round: usize) {
    // SAFETY: arrays of `len` words.
    (0..len).for_each(|i| unsafe { at.add(i).write(value(rank, i, round)) });
}

fn read(at: *mut i64, len: usize) -> Vec<i64> {
    // SAFETY: arrays of `len` words.
    (0..len).map(|i| unsafe { at.add(i).read() }).collect()
}

/// The collectives that move blocks between members. `source` is filled for `round`.
///
/// # Safety
/// `dest` and `source` are arrays of `len` words for each member.
unsafe fn exchange(
    world: &World,
    team: Team,
    dest: *mut i64,
    source: *mut i64,
    len: usize,
    round: usize,
    repeat: usize,
) {
    // SAFETY: the caller guarantees the arrays.
    unsafe {
        let n = world.team_n_pes(&SITE, team) as usize;
        let me = world.team_my_pe(&SITE, team) as usize;
        world.fcollect(&SITE, team, dest, source, len);
        let side_by_side: Vec<i64> = (0..n).flat_map(|rank| (0..len).map(move |i| value(rank, i, round))).collect();
        assert_eq!(read(dest, len * n), side_by_side, "fcollect of {len} on {n}");
        world.team_sync(&SITE, team);

        let part = |rank: usize| len * (rank + repeat) % (len + 1);
        world.collect(&SITE, team, dest, source, part(me));
        let joined: Vec<i64> = (0..n).flat_map(|rank| (0..part(rank)).map(move |i| value(rank, i, round))).collect();
        assert_eq!(read(dest, joined.len()), joined, "collect of up to {len} on {n}");
        world.team_sync(&SITE, team);

        fill(source, len * n, me, round);
        world.alltoall(&SITE, team, dest, source, len);
        let mine: Vec<i64> = (0..n).flat_map(|rank| (0..len).map(move |i| value(rank, me * len + i, round))).collect();
        assert_eq!(read(dest, len * n), mine, "alltoall of {len} on {n}");
        world.team_sync(&SITE, team);
    }
}

fn exercise(world: &World, team: Team) {
    // SAFETY: the arrays are as long as each call needs.
    unsafe {
        let n = world.team_n_pes(&SITE, team) as usize;
        let me = world.team_my_pe(&SITE, team) as usize;
        for (round, &len) in COUNTS.iter().enumerate() {
            let (dest, source) = pair(world, len * n + 1);
            // Back to back, except for the synchronisation that the standard requires: all members must be done with a destination, because
            // a peer may write to it as soon as the first member is in the next collective.
            for repeat in 0..3 {
                let round = round * 10 + repeat;
                fill(source, len, me, round);
                let all = |op: fn(i64, i64) -> i64| -> Vec<i64> {
                    (0..len)
                        .map(|i| (0..n).map(|rank| value(rank, i, round)).reduce(op).expect("a team has members"))
                        .collect()
                };
                assert_eq!(world.sum_reduce(&SITE, team, dest, source, len), 0);
                assert_eq!(read(dest, len), all(i64::wrapping_add), "sum of {len} on {n}");
                world.team_sync(&SITE, team);
                assert_eq!(world.max_reduce(&SITE, team, dest, source, len), 0);
                assert_eq!(read(dest, len), all(i64::max), "max of {len} on {n}");
                world.xor_reduce(&SITE, team, source, source, len);
                assert_eq!(read(source, len), all(|a, b| a ^ b), "xor of {len} on {n} in place");
                world.team_sync(&SITE, team);

                fill(source, len, me, round);
                world.sum_inscan(&SITE, team, dest, source, len);
                let upto = |last: usize| -> Vec<i64> {
                    (0..len)
                        .map(|i| (0..last).fold(0, |sum: i64, rank| sum.wrapping_add(value(rank, i, round))))
                        .collect()
                };
                assert_eq!(read(dest, len), upto(me + 1), "inclusive scan of {len} on {n}");
                world.team_sync(&SITE, team);
                world.sum_exscan(&SITE, team, dest, source, len);
                assert_eq!(read(dest, len), upto(me), "exclusive scan of {len} on {n}");
                world.team_sync(&SITE, team);

                let root = round % n;
                world.broadcast(&SITE, team, dest, source, len, root as c_int);
                assert_eq!(
                    read(dest, len),
                    (0..len).map(|i| value(root, i, round)).collect::<Vec<_>>(),
                    "broadcast of {len} on {n}"
                );
                world.team_sync(&SITE, team);

                exchange(world, team, dest, source, len, round, repeat);
            }
            world.barrier_all(&SITE);
            world.free(&SITE, source.cast());
            world.free(&SITE, dest.cast());
        }
    }
}

/// On one node and on several, or with many PEs on one node only: threads that outnumber the cores wait for each other's time slices.
fn few_on_nodes(n: u32, body: impl Fn(&World, c_int) + Sync) {
    if n <= 4 { worlds_of(n, body) } else { world_of(n, body) }
}

#[test]
fn all_collectives_on_every_small_world() {
    for n in 1..=8 {
        few_on_nodes(n, |world, _| exercise(world, Team::WORLD));
    }
}

#[test]
fn strided_alltoall_spreads_its_elements() {
    worlds_of(3, |world, me| {
        let (dest, source) = pair(world, 3 * 4 * 3);
        fill(source, 36, me as usize, 0);
        // SAFETY: 3 blocks of 4 elements, 3 and 2 apart, end at element 34 of 36.
        unsafe {
            world.alltoalls(&SITE, Team::WORLD, dest, source, 3, 2, 4);
            for rank in 0..3 {
                for i in 0..4 {
                    let wanted = value(rank, (me as usize * 4 + i) * 2, 0);
                    assert_eq!(dest.add((rank * 4 + i) * 3).read(), wanted, "block {rank}, element {i}");
                }
            }
        }
    });
}

/// Split, use and destroy: rows and columns of every width, over the world, a strided and a reversed parent.
#[test]
fn rows_and_columns_work_at_once() {
    for n in [1, 2, 3, 5, 7, 8] {
        few_on_nodes(n, |world, _| {
            // SAFETY: the handles may be written, and no configuration is passed.
            unsafe {
                let mut reversed = Team::INVALID;
                assert_eq!(
                    world.team_split_strided(
                        &SITE,
                        Team::WORLD,
                        n as c_int - 1,
                        -1,
                        n as c_int,
                        ptr::null(),
                        0,
                        &mut reversed
                    ),
                    0
                );
                for parent in [Team::WORLD, reversed] {
                    for xrange in 1..=n as c_int + 2 {
                        let (mut x, mut y) = (Team::INVALID, Team::INVALID);
                        assert_eq!(
                            world.team_split_2d(&SITE, parent, xrange, ptr::null(), 0, &mut x, ptr::null(), 0, &mut y),
                            0
                        );
                        let me = world.team_my_pe(&SITE, parent);
                        let width = xrange.min(n as c_int);
                        assert_eq!((world.team_my_pe(&SITE, x), world.team_my_pe(&SITE, y)), (me % width, me / width));
                        assert_eq!(world.team_translate_pe(&SITE, x, 0, parent), me / width * width);
                        assert_eq!(world.team_translate_pe(&SITE, y, 0, parent), me % width);
                        let (dest, source) = pair(world, 2);
                        source.write(i64::from(me));
                        world.sum_reduce(&SITE, x, dest, source, 1);
                        let row: i64 = (0..n as c_int).filter(|pe| pe / width == me / width).map(i64::from).sum();
                        assert_eq!(dest.read(), row, "row of {me}, n {n}, xrange {xrange}");
                        // The column has a destination of its own, because it may be ahead of the row.
                        world.max_reduce(&SITE, y, dest.add(1), source, 1);
                        assert_eq!(
                            dest.add(1).read(),
                            i64::from((0..n as c_int).filter(|pe| pe % width == me % width).max().unwrap())
                        );
                        world.team_destroy(&SITE, x);
                        world.team_destroy(&SITE, y);
                        world.free(&SITE, source.cast());
                        world.free(&SITE, dest.cast());
                    }
                }
                world.team_destroy(&SITE, reversed);
            }
        });
    }
}

#[test]
fn impossible_splits_fail_alike_everywhere() {
    world_of(4, |world, me| {
        // SAFETY: the handles may be written, and configurations exist where the mask names their fields.
        unsafe {
            let mut team = Team::WORLD;
            for (start, stride, size) in [(3, 3, 3), (0, 0, 2), (0, 1, 5), (-1, 1, 2), (0, 1, 0)] {
                assert_ne!(
                    world.team_split_strided(&SITE, Team::WORLD, start, stride, size, ptr::null(), 0, &mut team),
                    0
                );
                assert_eq!(team, Team::INVALID);
            }
            let (mut x, mut y) = (Team::WORLD, Team::WORLD);
            for xrange in [0, -3] {
                assert_ne!(
                    world.team_split_2d(&SITE, Team::WORLD, xrange, ptr::null(), 0, &mut x, ptr::null(), 0, &mut y),
                    0
                );
                assert_eq!((x, y), (Team::INVALID, Team::INVALID));
            }
            assert_ne!(world.team_split_2d(&SITE, Team::INVALID, 2, ptr::null(), 0, &mut x, ptr::null(), 0, &mut y), 0);
            // If one member names a field but passes no configuration, the split fails on all members.
            let mask = if me == 2 { SHMEM_TEAM_NUM_CONTEXTS } else { 0 };
            assert_ne!(world.team_split_strided(&SITE, Team::WORLD, 0, 1, 4, ptr::null(), mask, &mut team), 0);
            let config = TeamConfig { num_contexts: 3 };
            assert_eq!(
                world.team_split_strided(&SITE, Team::WORLD, 0, 1, 2, &config, SHMEM_TEAM_NUM_CONTEXTS, &mut team),
                0
            );
            assert_eq!(team == Team::INVALID, me >= 2, "non-members get the invalid team");
            let mut got = TeamConfig::default();
            assert_eq!(world.team_get_config(&SITE, team, SHMEM_TEAM_NUM_CONTEXTS, &mut got) == 0, me < 2);
            assert_eq!(got.num_contexts, if me < 2 { 3 } else { 0 });
            world.team_destroy(&SITE, team);
        }
    });
}

#[test]
fn ten_thousand_splits_leave_nothing_behind() {
    world_of(3, |world, me| {
        let (dest, source) = pair(world, 1);
        for round in 0..10_000 {
            // SAFETY: the handle may be written; the arrays have one word each.
            unsafe {
                let mut team = Team::INVALID;
                assert_eq!(
                    world.team_split_strided(&SITE, Team::WORLD, 0, 2, 2, ptr::null(), 0, &mut team),
                    0,
                    "split {round}"
                );
                if me != 1 && round % 97 == 0 {
                    let mut ctx = Ctx::INVALID;
                    world.team_create_ctx(&SITE, team, 0, &mut ctx);
                    source.write(i64::from(me) + round);
                    world.p(&SITE, ctx, dest, round, 1);
                    world.sum_reduce(&SITE, team, dest, source, 1);
                    assert_eq!(dest.read(), 2 + 2 * round);
                }
                world.team_destroy(&SITE, team);
            }
        }
    });
}

#[test]
fn active_sets_overlap_and_leave_their_work_arrays_alone() {
    worlds_of(6, |world, me| {
        let (dests, source) = pair(world, 600);
        let psync = world.calloc(&SITE, 64, 8).cast::<c_long>();
        let pwrk = world.calloc(&SITE, 301, 8).cast::<i64>();
        // SAFETY: the arrays are as long as each call needs.
        unsafe {
            for round in 0..200 {
                let sets = [(0, 0, 6), (1, 1, 2), (0, 1, 3), (2, 0, 4), (4, 0, 1)];
                for (number, (start, log_stride, size)) in sets.into_iter().enumerate() {
                    let stride = 1 << log_stride;
                    let member = |pe: c_int| (0..size).any(|i| start + i * stride == pe);
                    if !member(me) {
                        continue;
                    }
                    // Each set has destinations of its own, because a PE of the next set may be ahead of this PE.
                    let (dest, heard) = (dests.add(number * 101), dests.add(number * 101 + 100));
                    heard.write(-7);
                    fill(source, 100, me as usize, round);
                    world.max_to_all(&SITE, dest, source, 100, start, log_stride, size, pwrk, psync);
                    let wanted = (0..6).filter(|pe| member(*pe)).map(|pe| value(pe as usize, 99, round)).max();
                    assert_eq!(Some(dest.add(99).read()), wanted, "set ({start}, {log_stride}, {size}), round {round}");
                    world.set_broadcast(&SITE, heard, source, 1, 0, start, log_stride, size, psync);
                    let wanted = if me == start { -7 } else { value(start as usize, 0, round) };
                    assert_eq!(heard.read(), wanted, "the root's own destination stays as it is");
                    world.barrier(&SITE, start, log_stride, size, psync);
                }
            }
            assert!(read(psync, 64).iter().chain(&read(pwrk, 301)).all(|&word| word == 0));
        }
    });
}

/// The members' teams take all permanent slots. Sets that meet afterwards get a slot for each call; a set that had met before keeps its
/// team.
#[test]
fn active_sets_that_find_no_slot_meet_for_each_call() {
    const SLOTS_THAT_LAST: usize = 1024 - 64 - 256;
    worlds_of(4, |world, me| {
        let (dests, source) = pair(world, 600);
        let psync = world.calloc(&SITE, 64, 8).cast::<c_long>();
        let pwrk = world.calloc(&SITE, 301, 8).cast::<i64>();
        // SAFETY: the arrays are as long as each call needs, and there is a place for each team.
        unsafe {
            if me < 2 {
                world.barrier(&SITE, 0, 0, 2, psync);
            }
            let mut teams = [Team::INVALID; SLOTS_THAT_LAST - 1];
            teams.fill_with(|| world.form_team_alone(&SITE, Team::WORLD, &Shape::world(4)));
            for round in 0..200 {
                let sets = [(0, 0, 2), (1, 1, 2), (0, 1, 2), (1, 0, 3), (3, 0, 1), (0, 0, 3)];
                for (number, (start, log_stride, size)) in sets.into_iter().enumerate() {
                    let member = |pe: c_int| (0..size).any(|i| start + (i << log_stride) == pe);
                    if !member(me) {
                        continue;
                    }
                    let (dest, heard) = (dests.add(number * 61), dests.add(number * 61 + 60));
                    fill(source, 60, me as usize, round);
                    world.max_to_all(&SITE, dest, source, 60, start, log_stride, size, pwrk, psync);
                    let wanted = (0..4).filter(|pe| member(*pe)).map(|pe| value(pe as usize, 59, round)).max();
                    assert_eq!(Some(dest.add(59).read()), wanted, "set ({start}, {log_stride}, {size}), round {round}");
                    heard.write(-7);
                    world.set_broadcast(&SITE, heard, source, 1, 0, start, log_stride, size, psync);
                    let wanted = if me == start { -7 } else { value(start as usize, 0, round) };
                    assert_eq!(heard.read(), wanted, "set ({start}, {log_stride}, {size}), round {round}");
                    world.barrier(&SITE, start, log_stride, size, psync);
                }
            }
            world.barrier(&SITE, 0, 0, 4, psync);
            teams.into_iter().for_each(|team| world.team_destroy(&SITE, team));
        }
    });
}

/// Two threads of each PE make, use and destroy teams at the same time: one by meetings, one by splits of a team of its own.
#[test]
fn threads_make_teams_at_the_same_time() {
    worlds_of(4, |world, me| {
        let mut halves = Team::INVALID;
        // SAFETY: the handles may be written, and the arrays have one word each.
        unsafe {
            assert_eq!(world.team_split_strided(&SITE, Team::WORLD, 0, 1, 4, ptr::null(), 0, &mut halves), 0);
            let words = world.calloc(&SITE, 4, 8).cast::<i64>() as usize;
            thread::scope(|scope| {
                for lane in 0..2 {
                    scope.spawn(move || {
                        let (dest, source) = ((words as *mut i64).add(2 * lane), (words as *mut i64).add(2 * lane + 1));
                        for round in 0..300 {
                            let mut team = Team::INVALID;
                            let members = if lane == 0 { 3 } else { 4 };
                            if lane == 0 && me < 3 {
                                team = world.form_team_alone(&SITE, Team::WORLD, &Shape::world(3));
                            } else if lane == 1 {
                                assert_eq!(
                                    world.team_split_strided(&SITE, halves, 3, -1, 4, ptr::null(), 0, &mut team),
                                    0
                                );
                            }
                            if team == Team::INVALID {
                                continue;
                            }
                            source.write(round + i64::from(me));
                            world.sum_reduce(&SITE, team, dest, source, 1);
                            let wanted: i64 = (0..members).map(|pe| round + pe).sum();
                            assert_eq!(dest.read(), wanted, "lane {lane}, round {round}");
                            world.team_destroy(&SITE, team);
                        }
                    });
                }
            });
            world.barrier_all(&SITE);
            world.team_destroy(&SITE, halves);
        }
    });
}
