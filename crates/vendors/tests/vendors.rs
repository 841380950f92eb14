//! Routines of other vendors: Cray's teams and all-to-all of uneven blocks, and smaller ones.

#[path = "../../runtime/tests/local/mod.rs"]
mod local;

use ferrite_runtime::{Ctx, Site, Team, World};
use ferrite_vendors::{COLOR_UNDEFINED, Vendors};
use local::worlds_of;
use std::{
    ffi::{CStr, c_int, c_long, c_void},
    ptr,
};

static SITE: Site = Site::of_c("vendors");

/// [`worlds_of`], with the routines of this crate.
fn vendors_of(n: u32, body: impl Fn(&Vendors, c_int) + Sync) {
    worlds_of(n, |world, me| body(Vendors::of(world), me));
}

/// The members of a team, by their numbers in the world.
fn members(world: &World, team: Team) -> Vec<c_int> {
    // SAFETY: teams.
    unsafe {
        (0..world.team_n_pes(&SITE, team)).map(|i| world.team_translate_pe(&SITE, team, i, Team::WORLD)).collect()
    }
}

/// Either only the members call, or other PEs too; from the world, a strided and a reversed parent. Members are numbered in the world's
/// order, even if the parent's order is reversed.
#[test]
fn strided_teams_are_made_by_their_members_in_the_worlds_order() {
    vendors_of(7, |world, me| {
        // SAFETY: handles to write to.
        unsafe {
            let mut reversed = Team::INVALID;
            world.team_split_strided(&SITE, Team::WORLD, 6, -1, 7, ptr::null(), 0, &mut reversed);
            for (parent, in_world) in [(Team::WORLD, [0, 1, 2, 3, 4, 5, 6]), (reversed, [6, 5, 4, 3, 2, 1, 0])] {
                for (start, stride, size) in [(0, 1, 7), (1, 2, 3), (0, 3, 3), (4, 9, 1), (4, 0, 1), (2, 4, 2)] {
                    let mut wanted: Vec<c_int> = (0..size).map(|i| in_world[(start + i * stride) as usize]).collect();
                    wanted.sort_unstable();
                    for others_call in [false, true] {
                        let member = wanted.contains(&me);
                        if !member && !others_call {
                            continue;
                        }
                        let mut team = Team::WORLD;
                        world.x_team_split_strided(&SITE, parent, start, stride, size, &mut team);
                        if !member {
                            assert_eq!(team, Team::INVALID, "no member of ({start}, {stride}, {size})");
                            assert_eq!(world.team_my_pe(&SITE, team), -1);
                            continue;
                        }
                        assert_eq!(members(world, team), wanted, "({start}, {stride}, {size})");
                        world.team_sync(&SITE, team);
                        world.x_team_destroy(&SITE, &mut team);
                        assert_eq!(team, Team::INVALID);
                    }
                }
            }
            world.team_destroy(&SITE, reversed);
        }
    });
}

#[test]
fn grids_have_lines_and_leave_the_rest_out() {
    vendors_of(8, |world, me| {
        // SAFETY: handles to write to.
        unsafe {
            let (mut x, mut y, mut z) = (Team::WORLD, Team::WORLD, Team::WORLD);
            world.x_team_split_2d(&SITE, Team::WORLD, 3, 2, &mut x, &mut y);
            if me < 6 {
                assert_eq!(members(world, x), [me / 3 * 3, me / 3 * 3 + 1, me / 3 * 3 + 2]);
                assert_eq!(members(world, y), [me % 3, me % 3 + 3]);
            } else {
                assert_eq!((x, y), (Team::INVALID, Team::INVALID));
            }
            world.x_team_split_3d(&SITE, Team::WORLD, 2, 2, 2, &mut x, &mut y, &mut z);
            assert_eq!(members(world, x), [me & !1, me | 1]);
            assert_eq!(members(world, y), [me & !2, me | 2]);
            assert_eq!(members(world, z), [me & !4, me | 4]);
        }
    });
}

#[test]
fn colors_and_keys_make_teams() {
    vendors_of(6, |world, me| {
        let mut team = Team::WORLD;
        let color = if me == 5 { COLOR_UNDEFINED } else { me % 2 };
        // SAFETY: a handle to write to.
        unsafe { world.x_team_split(&SITE, Team::WORLD, color, -me, &mut team) };
        match me {
            5 => assert_eq!(team, Team::INVALID),
            _ if color == 0 => assert_eq!(members(world, team), [4, 2, 0]),
            _ => assert_eq!(members(world, team), [3, 1]),
        }
    });
}

/// Number of bytes that `from` sends to `to` in a round.
fn len(from: usize, to: usize, round: usize) -> usize {
    match (from + to + round) % 5 {
        0 => 0,
        1 => 1,
        2 => 13,
        3 => 1000,
        _ => 40_000 + from,
    }
}

fn byte(from: usize, to: usize, i: usize, round: usize) -> u8 {
    (from * 31 + to * 7 + i * 3 + round) as u8
}

#[test]
fn uneven_blocks_find_their_places() {
    const ROOM: usize = 50_000;
    for n in [1, 2, 3, 5, 8] {
        vendors_of(n, |world, me| {
            let (n, me) = (n as usize, me as usize);
            let source = world.malloc(&SITE, n * ROOM).cast::<u8>();
            let target = world.malloc(&SITE, n * ROOM).cast::<u8>();
            let psync = world.calloc(&SITE, 64, 8).cast::<c_long>();
            for round in 0..12 {
                // SAFETY: ROOM bytes for each peer in both arrays, and arrays of n elements.
                unsafe {
                    // The blocks lie unevenly and in reverse order of the PEs; the destination's order is different again.
                    let mut s_offsets: Vec<usize> = (0..n).map(|to| (n - 1 - to) * ROOM + to).collect();
                    let mut s_sizes: Vec<usize> = (0..n).map(|to| len(me, to, round)).collect();
                    for to in 0..n {
                        (0..s_sizes[to]).for_each(|i| source.add(s_offsets[to] + i).write(byte(me, to, i, round)));
                    }
                    let mut t_offsets: Vec<usize> = (0..n).map(|from| (from + 1) % n * ROOM + from).collect();
                    let mut t_sizes = vec![usize::MAX; n];
                    let (to, from) = (target.cast::<c_void>(), source.cast_const().cast::<c_void>());
                    let (places, sizes) = (t_offsets.as_mut_ptr(), t_sizes.as_mut_ptr());
                    let (offsets, lens) = (s_offsets.as_mut_ptr(), s_sizes.as_mut_ptr());
                    if round % 2 == 0 {
                        world.x_alltoallv(&SITE, to, places, sizes, from, offsets, lens, 0, 0, n as c_int, psync);
                    } else {
                        world.x_team_alltoallv(&SITE, to, places, sizes, from, offsets, lens, Team::WORLD, psync);
                    }
                    for from in 0..n {
                        assert_eq!(t_sizes[from], len(from, me, round), "from {from} to {me}");
                        for i in 0..t_sizes[from] {
                            assert_eq!(target.add(t_offsets[from] + i).read(), byte(from, me, i, round));
                        }
                    }
                    let mut total = 0;
                    let room = n * ROOM;
                    if round % 2 == 0 {
                        world.x_team_alltoallv_packed(
                            &SITE,
                            to,
                            room,
                            &mut total,
                            from,
                            offsets,
                            lens,
                            Team::WORLD,
                            psync,
                        );
                    } else {
                        world.x_alltoallv_packed(
                            &SITE, to, room, &mut total, from, offsets, lens, 0, 0, n as c_int, psync,
                        );
                    }
                    let wanted: Vec<u8> = (0..n)
                        .flat_map(|from| (0..len(from, me, round)).map(move |i| byte(from, me, i, round)))
                        .collect();
                    assert_eq!(total, wanted.len());
                    assert!(std::slice::from_raw_parts(target, total) == wanted, "packed, round {round}");
                }
            }
        });
    }
}

#[test]
fn small_things() {
    vendors_of(2, |world, me| {
        let words = world.calloc(&SITE, 8, 8).cast::<u64>();
        let shorts = world.calloc(&SITE, 8, 2).cast::<i16>();
        let mut handle = ptr::dangling_mut::<c_void>();
        // SAFETY: words of symmetric blocks, one use each; a handle to write to.
        unsafe {
            world.x_add_nb(&SITE, Ctx::DEFAULT, words, 5_u64, 1 - me, &mut handle);
            assert!(handle.is_null(), "a transfer that is complete has the null handle");
            world.x_inc_nb(&SITE, Ctx::DEFAULT, words, 1 - me, ptr::null_mut());
            world.x_put_signal(&SITE, Ctx::DEFAULT, words.add(1), &77, 1, words.add(2), 9, 1 - me);
            world.atomic_add(&SITE, Ctx::DEFAULT, shorts.add(1), i16::MAX, 1 - me);
            assert_eq!(world.atomic_fetch_add(&SITE, Ctx::DEFAULT, shorts.add(1), 2, 1 - me), i16::MAX);
            world.barrier_all(&SITE);
            assert_eq!((words.read(), words.add(1).read(), words.add(2).read()), (6, 77, 9));
            assert_eq!(
                [0, 1, 2].map(|i| shorts.add(i).read()),
                [0, i16::MIN + 1, 0],
                "wraps, and leaves neighbours alone"
            );
            let mut old = 0_u64;
            world.x_cswap_nb(&SITE, Ctx::DEFAULT, &mut old, words, 6, 60, me, &mut handle);
            world.x_fadd_nb(&SITE, Ctx::DEFAULT, &mut old, words, 1, me, &mut handle);
            assert_eq!(old, 60);
            world.x_finc_nb(&SITE, Ctx::DEFAULT, &mut old, words, me, &mut handle);
            world.x_swap_nb(&SITE, Ctx::DEFAULT, &mut old, words, 1, me, &mut handle);
            assert_eq!((old, words.read()), (62, 1));
            world.x_pe_quiet(&SITE, 1 - me);
            world.x_local_complete(&SITE);
            world.x_thread_register(&SITE);
            world.x_thread_unregister(&SITE);
            world.x_session_start(&SITE, Ctx::DEFAULT, 0x1ff);
            world.session_stop(&SITE, Ctx::DEFAULT);
            let (before, after) = (world.x_wtime(&SITE), world.x_wtime(&SITE));
            assert!(before > 0.0 && after >= before);
            let name = CStr::from_ptr(world.x_nodename(&SITE));
            assert!(!name.is_empty());
            assert_eq!(world.x_nodename(&SITE), name.as_ptr().cast_mut());
        }
    });
}
