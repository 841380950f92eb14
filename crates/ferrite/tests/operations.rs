//! Put, get, atomics, signals, waiting, locks and scopes: their results are compared with the expected ones.

use ferrite::prelude::*;

#[derive(Clone, Copy, PartialEq, Debug, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Wide {
    words: [u64; 5],
}

#[derive(Clone, Copy, PartialEq, Debug, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Odd([u8; 3]);

fn round<T: Element + PartialEq + std::fmt::Debug>(world: &World, make: impl Fn(u32) -> T) {
    let slice = world.alloc::<T>(9).unwrap();
    let (me, n) = (world.my_pe(), world.n_pes());
    let (left, right) = ((me + n - 1) % n, (me + 1) % n);
    for i in 0..9 {
        world.put(slice.at(i), make(me * 10 + i as u32), right);
    }
    world.barrier();
    for i in 0..9 {
        assert_eq!(slice.read(i), make(left * 10 + i as u32));
        assert_eq!(world.get(slice.at(i), right), make(me * 10 + i as u32));
    }
    let all: Vec<T> = (0..9).map(|i| make(left * 10 + i)).collect();
    assert_eq!(slice.to_vec(), all);
    assert_eq!(world.get_vec(&slice, me), all);
    assert_eq!(slice.range(2..4).to_vec(), all[2..4]);
    world.barrier();
    slice.write_slice(1..=3, &all[5..8]);
    assert_eq!(slice.range(1..4).to_vec(), all[5..8]);
    world.barrier();
}

#[ferrite::test(pes = 3)]
fn every_size_of_element_travels(world: &World) {
    round(world, |x| x as u8);
    round(world, |x| x as i16);
    round(world, |x| x);
    round(world, |x| x as f32 + 0.5);
    round(world, |x| u64::from(x) << 40);
    round(world, |x| u128::from(x) << 100);
    round(world, |x| [x as u16; 5]);
    round(world, |x| Odd([x as u8, 1, 2]));
    round(world, |x| Wide { words: [u64::from(x); 5] });
    round(world, |x| [f64::from(x); 16]);
}

#[ferrite::test(pes = 2)]
fn contexts_of_every_kind_move_the_same(world: &World) {
    let words = world.alloc::<u64>(4).unwrap();
    let other = 1 - world.my_pe();
    let (shared, serialized) = (world.shared_context().unwrap(), world.serialized_context().unwrap());
    let private = world.private_context().unwrap();
    world.put(words.at(0), 1, other);
    shared.put(words.at(1), 2, other);
    private.put(words.at(2), 3, other);
    std::thread::scope(|threads| {
        let words = &words;
        threads.spawn(move || {
            serialized.put(words.at(3), 4, other);
            serialized.quiet();
        });
    });
    shared.quiet();
    private.quiet();
    world.barrier();
    assert_eq!(words.to_vec(), [1, 2, 3, 4]);
}

#[ferrite::test(pes = 2)]
fn contexts_come_and_go(world: &World) {
    for _ in 0..100_000 {
        world.private_context().unwrap().fence();
    }
}

#[ferrite::test(pes = 4)]
fn team_contexts_number_by_the_team(world: &World) {
    let word = world.alloc_box::<u32>().unwrap();
    let team = world.split_strided(3, -1, 4).unwrap().unwrap();
    let ctx = team.private_context().unwrap();
    ctx.put(&word, team.my_pe(), (team.my_pe() + 1) % 4);
    ctx.quiet();
    team.sync();
    assert_eq!(word.read(), (team.my_pe() + 3) % 4);
    drop(ctx);
    team.destroy();
}

#[ferrite::test(pes = 3)]
fn atomics_of_threads_and_pes_add_up(world: &World) {
    let (sum, bits) = (world.alloc_atomic::<i64>().unwrap(), world.alloc_atomic::<u32>().unwrap());
    let ctx = world.ctx();
    std::thread::scope(|threads| {
        for _ in 0..3 {
            threads.spawn(|| {
                for _ in 0..1000 {
                    ctx.add(&sum, 2, 1);
                    ctx.fetch_add(&sum, -1, 1);
                }
            });
        }
    });
    world.xor(&bits, 1 << world.my_pe(), 2);
    world.barrier();
    assert_eq!(world.fetch(&sum, 1), 9000);
    assert_eq!(world.fetch(&bits, 2), 7);
}

#[ferrite::test(pes = 4)]
fn compare_swap_has_one_winner_each_time(world: &World) {
    let words = world.alloc_atomics::<u64>(500).unwrap();
    let me = u64::from(world.my_pe()) + 1;
    let won = (0..500).filter(|&i| world.compare_swap(words.at(i), 0, me, i as u32 % 4) == 0).count();
    assert_eq!(world.sum(won), 500);
}

#[ferrite::test(pes = 4)]
fn a_lock_lets_one_in(world: &World) {
    let (lock, count) = (world.alloc_lock().unwrap(), world.alloc_box::<u64>().unwrap());
    for _ in 0..200 {
        let _held = world.acquire(&lock);
        let old = world.get(&count, 3);
        world.put(&count, old + 1, 3);
    }
    let mut tries = 0;
    while tries < 50 {
        if let Some(_held) = world.try_acquire(&lock) {
            tries += 1;
            world.put(&count, world.get(&count, 3) + 1, 3);
        }
    }
    world.barrier();
    assert_eq!(world.get(&count, 3), 1000);
}

#[ferrite::test(pes = 3)]
fn a_signal_comes_after_its_data(world: &World) {
    let (data, signal) = (world.alloc::<u64>(300).unwrap(), world.alloc_signal().unwrap());
    let ack = world.alloc_signal().unwrap();
    let (left, right) = ((world.my_pe() + 2) % 3, (world.my_pe() + 1) % 3);
    for turn in 1..300 {
        world.put_signal(&data, &[turn; 300], &signal, SignalOp::Set(turn), right);
        assert_eq!(world.wait_until(&signal, Cmp::Ge(turn)), turn);
        assert!(data.to_vec().iter().all(|&word| word == turn));
        world.signal_op(&ack, SignalOp::Add(1), left);
        world.wait_until(&ack, Cmp::Ge(turn));
    }
}

#[ferrite::test(pes = 1)]
fn comparisons(world: &World) {
    let word = world.alloc_box::<i32>().unwrap();
    word.write(-2);
    for (wanted, holds) in [
        (Cmp::Eq(-2), true),
        (Cmp::Ne(-2), false),
        (Cmp::Gt(-3), true),
        (Cmp::Gt(-2), false),
        (Cmp::Ge(-2), true),
        (Cmp::Lt(1), true),
        (Cmp::Lt(-2), false),
        (Cmp::Le(-2), true),
    ] {
        assert_eq!(world.test(&word, wanted), holds, "{wanted:?}");
        if holds {
            assert_eq!(world.wait_until(&word, wanted), -2);
        }
    }
}

#[ferrite::test(pes = 1)]
fn vectors_of_words_are_searched(world: &World) {
    let words = world.alloc::<u64>(4).unwrap();
    words.write_slice(.., &[5, 0, 5, 7]);
    assert!(world.test_all(words.range(2..), Cmp::Ge(5)) && !world.test_all(&words, Cmp::Ne(0)));
    assert!(world.test_all_masked(&words, &[false, true, false, false], Cmp::Ge(5)));
    assert_eq!(world.test_some(&words, Cmp::Eq(5)), [0, 2]);
    assert_eq!(world.test_some_masked(&words, &[true, false, false, false], Cmp::Eq(5)), [2]);
    assert_eq!(world.test_some_each(&words, &[Cmp::Eq(5), Cmp::Eq(1), Cmp::Eq(6), Cmp::Eq(7)]), [0, 3]);
    assert_eq!(world.test_any(&words, Cmp::Eq(7)), Some(3));
    assert_eq!(world.test_any_each(&words, &[Cmp::Gt(9); 4]), None);
    assert_eq!(world.wait_until_some(&words, Cmp::Lt(1)), [1]);
    assert_eq!(world.wait_until_any_masked(&words, &[true; 4], Cmp::Eq(5)), None);
    world.wait_until_all_each(&words, &[Cmp::Le(5), Cmp::Le(0), Cmp::Le(5), Cmp::Le(7)]);
}

#[ferrite::test(pes = 2)]
fn strided_transfers(world: &World) {
    let matrix = world.alloc::<u32>(20).unwrap();
    let other = 1 - world.my_pe();
    let sent: Vec<u32> = (1..=12).collect();
    world.put_strided(matrix.range(1..), 5, &sent, 3, 2, other);
    world.barrier();
    let wanted = [0, 1, 2, 0, 0, 0, 4, 5, 0, 0, 0, 7, 8, 0, 0, 0, 10, 11, 0, 0];
    assert_eq!(matrix.to_vec(), wanted);
    let mut back = [0; 8];
    world.get_strided(&mut back, 2, matrix.range(1..), 5, 2, other);
    assert_eq!(back, [1, 2, 4, 5, 7, 8, 10, 11]);
}

#[ferrite::test(pes = 2)]
fn a_scope_is_quiet_at_its_end(world: &World) {
    let words = world.alloc::<u64>(1000).unwrap();
    let counts = world.alloc_atomics::<u64>(4).unwrap();
    let sent: Vec<u64> = (0..1000).collect();
    let mut got = vec![0; 1000];
    let mut old = [9; 4];
    world.scope(|s| {
        s.put(&words, &sent, world.my_pe());
        s.quiet();
        s.get(&words, &mut got, world.my_pe());
        for (i, old) in old.iter_mut().enumerate() {
            s.fetch_add(counts.at(i), 1, old, world.my_pe());
        }
    });
    assert_eq!((got, old), (sent, [0; 4]));
    assert_eq!(counts.at(3).load(), 1);
}

#[ferrite::test(pes = 2)]
fn a_scope_that_panics_is_quiet_too(world: &World) {
    let words = world.alloc::<u64>(100).unwrap();
    let sent = vec![7; 100];
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        world.scope(|s| {
            s.put(&words, &sent, 1 - world.my_pe());
            panic!("within the scope");
        })
    }));
    assert!(caught.is_err());
    drop(sent);
    world.barrier();
    assert_eq!(words.to_vec(), [7; 100]);
}

#[ferrite::test(pes = 2)]
fn put_from_and_get_into_symmetric_memory(world: &World) {
    let (a, b) = (world.alloc::<u16>(6).unwrap(), world.alloc::<u16>(6).unwrap());
    a.write_slice(.., &[1, 2, 3, 4, 5, 6]);
    world.barrier();
    world.put_from(b.range(..3), a.range(3..), 1 - world.my_pe());
    world.get_into(b.range(3..), a.range(..3), 1 - world.my_pe());
    world.barrier();
    assert_eq!(b.to_vec(), [4, 5, 6, 1, 2, 3]);
}
