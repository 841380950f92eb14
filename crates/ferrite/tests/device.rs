//! Device memory in Rust, under the stand-in for CUDA's driver. The PEs are this program again, started by `oshrun`.

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
    use ferrite::Group;
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
    collectives_have_device_operands(&world, &device);
    device.free(theirs);
    println!("device ok");
}

fn words_are_updated_and_waited_for(world: &ferrite::World, device: &ferrite::Device<'_>) {
    use ferrite::{Cmp, Group, SignalOp};
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
    device.put_signal(&data, 0..70_000, &sent, &words, 4, SignalOp::Add(7), right);
    assert_eq!(device.wait_until(&words, 4, Cmp::Ge(7)), 7);
    let mut here = vec![0; 70_000];
    device.get_slice(&data, 0..70_000, &mut here, me);
    assert!(here.iter().enumerate().all(|(at, &value)| value == (at as u16).wrapping_add(left as u16)));
    world.barrier();
}

fn collectives_have_device_operands(world: &ferrite::World, device: &ferrite::Device<'_>) {
    let (me, n) = (world.my_pe(), world.n_pes() as usize);
    let (mine, mut all) = (device.alloc::<i32>(3).unwrap(), device.alloc::<i32>(3 * n).unwrap());
    let mut result = device.alloc::<i32>(3).unwrap();
    let read = |block: &ferrite::DeviceSlice<'_, i32>| {
        let mut values = vec![0; block.len()];
        device.get_slice(block, 0..block.len(), &mut values, me);
        values
    };
    let rank = me as i32 + 1;
    device.put_slice(&mine, 0..3, &[rank, -rank, 2], me);
    let pes = 1..=n as i32;
    device.sum(&mine, &mut result);
    assert_eq!(read(&result), [pes.clone().sum(), -pes.clone().sum::<i32>(), 2 * n as i32]);
    device.max(&mine, &mut result);
    assert_eq!(read(&result), [n as i32, -1, 2]);
    device.min(&mine, &mut result);
    assert_eq!(read(&result), [1, -(n as i32), 2]);
    device.prod(&mine, &mut result);
    assert_eq!(read(&result)[0], pes.clone().product());
    device.broadcast(&mine, &mut result, 1);
    assert_eq!(read(&result), [2, -2, 2]);
    device.fcollect(&mine, &mut all);
    assert_eq!(read(&all), pes.flat_map(|rank| [rank, -rank, 2]).collect::<Vec<_>>());
}
