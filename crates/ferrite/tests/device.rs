//! Device memory in Rust, under the stand-in for CUDA's driver. The PEs are this program again, started by `oshrun`.

use ferrite::prelude::*;
use std::process::Command;

fn main() {
    if std::env::args().nth(1).as_deref() == Some("pe") {
        return pe();
    }
    let Some(prefix) = prefix() else {
        println!("skipped: FERRITE_PREFIX names no installation, so there is no oshrun");
        println!("\ntest result: ok. 0 passed; 0 failed; 0 ignored");
        return;
    };
    let program = std::env::current_exe().expect("this program has a path");
    let stand_in = cuda_standin::folder(&program).expect("the stand-in was built with this test");
    for transport in ["auto", "tcp"] {
        let mut oshrun = Command::new("timeout");
        oshrun
            .arg("240")
            .arg(std::path::Path::new(&prefix).join("bin/oshrun"))
            .args(["-n", "3"])
            .arg(&program)
            .arg("pe");
        oshrun.env("LD_LIBRARY_PATH", cuda_standin::library_path(&stand_in)).env("SHMEM_GPU_SUPPORT_ENABLED", "1");
        oshrun.env("SHMEM_DEVICE_SYMMETRIC_SIZE", "16m").env("SHMEM_TRANSPORT", transport);
        let output = oshrun.output().expect("oshrun can be started");
        assert!(output.status.success(), "{transport}: {output:?}");
        assert_eq!(String::from_utf8_lossy(&output.stdout).matches("device ok").count(), 3, "{transport}: {output:?}");
    }
    println!("\ntest result: ok. 2 passed; 0 failed; 0 ignored");
}

#[expect(clippy::disallowed_methods, reason = "where the installation is, as for the tests of the C interface")]
fn prefix() -> Option<std::ffi::OsString> {
    std::env::var_os("FERRITE_PREFIX")
}

fn pe() {
    let world = ferrite::init();
    let (me, n) = (world.my_pe(), world.n_pes());
    let right = (me + 1) % n;
    let device = world.device().expect("SHMEM_GPU_SUPPORT_ENABLED requests it");
    let (ours, theirs) = (device.alloc::<u64>(100).unwrap(), device.alloc::<u64>(100).unwrap());
    assert!(ours.len() == 100 && !ours.is_empty() && ours.address() != theirs.address());
    assert!(device.alloc::<u64>(1 << 40).unwrap_err().to_string().contains("SHMEM_DEVICE_SYMMETRIC_SIZE"));
    device.put_slice(&ours, 10..13, &[1, 2, u64::from(me)], me);
    device.copy(&theirs, 0..3, &ours, 10..13, right);
    world.barrier();
    let mut here = [9; 4];
    device.get_slice(&theirs, 0..4, &mut here, me);
    assert_eq!(here, [1, 2, u64::from((me + n - 1) % n), 0]);
    device.get_slice(&theirs, 2..3, &mut here[..1], right);
    assert_eq!(here[0], u64::from(me));
    world.barrier();
    words_are_updated_and_waited_for(&world, &device);
    strides_and_host_memory_take_part(&world, &device);
    bits_are_combined(&world, &device);
    collectives_of_teams_have_operands_in_both_memories(&world, &device);
    device.free(theirs);
    println!("device ok");
}

fn words_are_updated_and_waited_for(world: &World, device: &ferrite::Device<'_>) {
    let (me, n) = (world.my_pe(), world.n_pes());
    let (right, left) = ((me + 1) % n, (me + n - 1) % n);
    let (words, data) = (device.alloc::<u64>(5).unwrap(), device.alloc::<u16>(70_000).unwrap());
    for _ in 0..50 {
        device.add(&words, 0, 2, 0);
    }
    let before = device.fetch_add(&words, 1, 1, 0);
    assert!(before < u64::from(n));
    let won = device.compare_swap(&words, 2, 0, u64::from(me) + 1, 0) == 0;
    world.barrier();
    assert_eq!(device.fetch(&words, 0, 0), 100 * u64::from(n));
    assert_eq!(device.fetch(&words, 1, 0), u64::from(n));
    assert_eq!(device.fetch(&words, 2, 0) == u64::from(me) + 1, won);
    assert_eq!(device.swap(&words, 3, 8, me), 0);
    device.set(&words, 3, 9, me);
    assert_eq!(device.fetch(&words, 3, me), 9);
    let sent: Vec<u16> = (0..70_000).map(|at| (at as u16).wrapping_add(me as u16)).collect();
    device.put_signal(&data, 0..70_000, &sent, (&words, 4), SignalOp::Add(7), right);
    assert_eq!(device.wait_until(&words, 4, Cmp::Ge(7)), 7);
    assert!(device.test(&words, 4, Cmp::Eq(7)) && !device.test(&words, 4, Cmp::Lt(7)));
    let mut here = vec![0; 70_000];
    device.get_slice(&data, 0..70_000, &mut here, me);
    assert!(here.iter().enumerate().all(|(at, &value)| value == (at as u16).wrapping_add(left as u16)));
    world.barrier();
}

/// This PE's elements of a block.
fn read<T: Element>(device: &ferrite::Device<'_>, block: &ferrite::DeviceSlice<'_, T>, me: u32) -> Vec<T> {
    let mut values = vec![T::zeroed(); block.len()];
    device.get_slice(block, 0..block.len(), &mut values, me);
    values
}

fn strides_and_host_memory_take_part(world: &World, device: &ferrite::Device<'_>) {
    let (me, n) = (world.my_pe(), world.n_pes());
    let (right, left) = ((me + 1) % n, (me + n - 1) % n);
    let matrix = device.alloc::<u32>(12).unwrap();
    device.put_strided(&matrix, 1..12, 4, &[me, 10 + me, 20 + me], 1, 1, right);
    world.barrier();
    assert_eq!(read(device, &matrix, me), [0, left, 0, 0, 0, 10 + left, 0, 0, 0, 20 + left, 0, 0]);
    let mut corner = [9; 5];
    device.get_strided(&mut corner, 3, &matrix, 4..12, 4, 2, right);
    assert_eq!(corner, [0, 10 + me, 9, 0, 20 + me]);
    world.barrier();

    let (host, signal) = (world.alloc::<u32>(5).unwrap(), world.alloc_signal().unwrap());
    device.copy_signal(&host, 0..3, &matrix, 4..7, &signal, SignalOp::Set(1), right);
    world.wait_until(&signal, Cmp::Eq(1));
    let two_back = (left + n - 1) % n;
    assert_eq!(host.to_vec(), [0, 10 + two_back, 0, 0, 0]);
    world.barrier();
    host.fill(me);
    device.copy(&matrix, 0..5, &host, 0..5, right);
    world.barrier();
    assert_eq!(read(device, &matrix, me)[..6], [left, left, left, left, left, 10 + left]);
    device.get_into(&host, 1..3, &matrix, 4..6, right);
    assert_eq!(host.to_vec(), [me, me, 10 + me, me, me]);
    world.barrier();
}

fn bits_are_combined(world: &World, device: &ferrite::Device<'_>) {
    let (me, n) = (world.my_pe(), world.n_pes());
    let words = device.alloc::<u64>(2).unwrap();
    device.or(&words, 0, 1 << me, 0);
    let before = device.fetch_or(&words, 0, 1 << (me + 8), 0);
    assert_eq!(before >> me & 1, 1);
    world.barrier();
    let all = (1 << n) - 1;
    assert_eq!(device.fetch(&words, 0, 0), all << 8 | all);
    world.barrier();
    device.and(&words, 0, !(1 << me), 0);
    assert_eq!(device.fetch_and(&words, 0, !(1 << (me + 8)), 0) >> (me + 8) & 1, 1);
    world.barrier();
    assert_eq!(device.fetch(&words, 0, 0), 0);
    device.xor(&words, 1, 5, me);
    assert_eq!(device.fetch_xor(&words, 1, 4, me), 5);
    assert_eq!(device.fetch(&words, 1, me), 1);
    world.barrier();
}

fn collectives_of_teams_have_operands_in_both_memories(world: &World, device: &ferrite::Device<'_>) {
    every_collective(device, world, world);
    // The last PE comes first.
    let team = world.split_by(Some(0), -(world.my_pe() as i32)).expect("each PE is a member");
    every_collective(device, world, &team);
    let pair = world.split_strided(0, 1, 2).unwrap();
    if let Some(pair) = &pair {
        let mut sums = world_pair(device, world);
        device.sum_reduce(pair, &sums.0, &mut sums.1);
        assert_eq!(sums.1.to_vec(), [1, 1]);
    } else {
        world_pair(device, world);
    }
    world.barrier();
}

/// A block on the device with this PE's number, and one on the host.
fn world_pair<'w>(device: &ferrite::Device<'w>, world: &World) -> (ferrite::DeviceSlice<'w, u32>, SymSlice<u32>) {
    let (on_device, on_host) = (device.alloc(2).unwrap(), world.alloc(2).unwrap());
    device.put_slice(&on_device, 0..2, &[world.my_pe(); 2], world.my_pe());
    (on_device, on_host)
}

fn every_collective(device: &ferrite::Device<'_>, world: &World, group: &impl Group) {
    let (here, me, n) = (world.my_pe(), group.my_pe() as i32, group.n_pes() as usize);
    let (mine, mut result) = (device.alloc::<i32>(3).unwrap(), device.alloc::<i32>(3).unwrap());
    let mut all = device.alloc::<i32>(3 * n).unwrap();
    let mut on_host = world.alloc::<i32>(3).unwrap();
    let rank = me + 1;
    device.put_slice(&mine, 0..3, &[rank, -rank, 2], here);
    let ranks = 1..=n as i32;
    let sum: i32 = ranks.clone().sum();
    device.sum_reduce(group, &mine, &mut result);
    assert_eq!(read(device, &result, here), [sum, -sum, 2 * n as i32]);
    device.max_reduce(group, &mine, &mut result);
    assert_eq!(read(device, &result, here), [n as i32, -1, 2]);
    device.min_reduce(group, &mine, &mut on_host);
    assert_eq!(on_host.to_vec(), [1, -(n as i32), 2]);
    device.product_reduce(group, &mine, &mut result);
    assert_eq!(read(device, &result, here)[0], ranks.clone().product::<i32>());
    device.and_reduce(group, &mine, &mut on_host);
    assert_eq!(on_host.read(0), ranks.clone().fold(-1, |bits, rank| bits & rank));
    device.or_reduce(group, &mine, &mut on_host);
    assert_eq!(on_host.read(0), ranks.clone().fold(0, |bits, rank| bits | rank));
    device.xor_reduce(group, &mine, &mut result);
    assert_eq!(read(device, &result, here)[0], ranks.clone().fold(0, |bits, rank| bits ^ rank));
    device.broadcast(group, &mine, &mut on_host, 1);
    assert_eq!(on_host.to_vec(), [2, -2, 2]);
    group.sync();
    // From the host to devices.
    on_host.write_slice(.., &[rank, 7, 0]);
    device.fcollect(group, &on_host, &mut all);
    assert_eq!(read(device, &all, here), ranks.clone().flat_map(|rank| [rank, 7, 0]).collect::<Vec<_>>());
    group.sync();
    let total = device.collect(group, &mine, me as usize % 3, &mut all);
    assert_eq!(total, (0..n).map(|rank| rank % 3).sum::<usize>());
    assert_eq!(read(device, &all, here)[..1], [2]);
    device.sum_inscan(group, &mine, &mut result);
    assert_eq!(read(device, &result, here)[0], (1..=rank).sum::<i32>());
    device.sum_exscan(group, &mine, &mut result);
    assert_eq!(read(device, &result, here)[0], (1..rank).sum::<i32>());
    let (sent, mut got) = (device.alloc::<i32>(n).unwrap(), world.alloc::<i32>(n).unwrap());
    let to_each: Vec<i32> = (0..n as i32).map(|to| 100 * me + to).collect();
    device.put_slice(&sent, 0..n, &to_each, here);
    device.alltoall(group, &sent, &mut got);
    assert_eq!(got.to_vec(), (0..n as i32).map(|from| 100 * from + me).collect::<Vec<_>>());
    world.barrier();
}
