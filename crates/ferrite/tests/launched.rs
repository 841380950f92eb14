//! The library in processes that `oshrun` has started: how they begin, communicate and end. The PEs are further processes of this program.

use ferrite::prelude::*;
use std::process::{Command, Output};

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("talk") => talk(),
        Some("panic") => panics(),
        Some("panic-in-main") => panics_in_main(),
        Some("error") => returns_an_error(),
        Some("lines-of-an-error") => returns_an_error_of_two_lines(),
        Some("exit") => exits(),
        Some("leave") => leaves(),
        Some("leave-well") => leaves_well(),
        Some("caught") => catches_a_panic(),
        Some("own-hook") => has_a_hook_of_its_own(),
        Some("thread") => panics_in_a_thread(),
        Some("misuse") => misuse(),
        Some("too-much") => asks_for_too_much(),
        Some("spans") => collectives(),
        Some("race") => race(),
        Some("mismatch") => mismatch(),
        Some("stall") => stalls(),
        Some("fault") => faults(),
        Some("overflow") => overflows(),
        Some("fork") => forks(),
        _ => drive(),
    }
}

/// Use each part of the library that communicates between processes.
fn talk() {
    let world = &ferrite::init();
    let (me, n) = (world.my_pe(), world.n_pes());
    let (mut words, signal) = (world.alloc::<u64>(1000).unwrap(), world.alloc_signal().unwrap());
    let (count, lock) = (world.alloc_atomic::<u64>().unwrap(), world.alloc_lock().unwrap());
    let right = (me + 1) % n;
    world.put_signal(&words, &[u64::from(me); 1000], &signal, SignalOp::Set(1), right);
    world.wait_until(&signal, Cmp::Eq(1));
    assert_eq!(words.to_vec(), [u64::from((me + n - 1) % n); 1000]);
    world.barrier();
    world.scope(|s| s.put(words.range(..2), &[7, 8], right));
    for _ in 0..100 {
        let _held = world.acquire(&lock);
        world.inc(&count, 0);
    }
    let sum: u64 = world.phase(&mut words, |words| words[..2].iter().sum());
    assert_eq!((sum, world.fetch(&count, 0)), (15, 100 * u64::from(n)));
    let (row, _column) = world.split_2d(2).unwrap();
    let total = world.sum(row.sum(1_u32));
    drop(words);
    assert_eq!(world.reclaim(), 1);
    if me == 0 {
        println!("total {total}");
    }
}

fn panics() {
    let world = ferrite::init();
    assert!(world.my_pe() != 1, "as it was told");
    world.barrier();
}

#[ferrite::main]
fn panics_in_main(world: &World) {
    assert!(world.my_pe() != 1, "as it was told");
    world.barrier();
}

#[ferrite::main]
fn returns_an_error(world: &World) -> std::io::Result<()> {
    if world.my_pe() == 1 {
        // ENOENT, as of a missing file.
        return Err(std::io::Error::from_raw_os_error(2));
    }
    world.barrier();
    world.barrier();
    Ok(())
}

#[ferrite::main]
fn returns_an_error_of_two_lines(world: &World) -> Result<(), &'static str> {
    if world.my_pe() == 1 {
        return Err("expected a number\nfound a word");
    }
    world.barrier();
    Ok(())
}

fn exits() {
    let world = ferrite::init();
    if world.my_pe() == 1 {
        world.exit(3);
    }
    world.barrier();
}

#[expect(clippy::disallowed_methods, reason = "the end that is tested")]
fn leaves() {
    let world = ferrite::init();
    if world.my_pe() == 1 {
        std::process::exit(5);
    }
    world.barrier();
}

#[expect(clippy::disallowed_methods, reason = "the end that is tested")]
fn leaves_well() {
    let world = ferrite::init();
    world.barrier();
    std::process::exit(0);
}

fn catches_a_panic() {
    let world = ferrite::init();
    if world.my_pe() == 1 {
        assert!(std::panic::catch_unwind(|| panic!("a small one")).is_err());
    }
    world.barrier();
}

fn panics_in_a_thread() {
    let world = ferrite::init();
    if world.my_pe() == 1 {
        assert!(std::thread::spawn(|| panic!("a small one")).join().is_err());
    }
    world.barrier();
}

/// A panic that the program has caught is not the reason of the end by a later one.
#[ferrite::main]
fn has_a_hook_of_its_own(world: &World) {
    if world.my_pe() == 1 {
        assert!(std::panic::catch_unwind(|| panic!("a small one")).is_err());
        std::panic::set_hook(Box::new(|_| eprintln!("told by the program")));
        panic!("a large one");
    }
    world.barrier();
}

fn misuse() {
    let world = ferrite::init();
    let word = world.alloc_box::<u64>().unwrap();
    if world.my_pe() == 1 {
        world.put(&word, 1, 99);
    }
    world.barrier();
}

fn asks_for_too_much() {
    assert!(ferrite::init().alloc::<u8>(usize::MAX / 2).is_err());
}

fn collectives() {
    let world = ferrite::init();
    world.barrier();
    assert_eq!(world.sum(2_u64), 2);
}

/// One PE, which needs no launcher: the log has the duration of each step of the start and of each collective, if the user asks for it.
fn spans_are_told_to_whom_asks() {
    let run = |filter: Option<&str>| {
        let mut program = Command::new("timeout");
        program.arg("240").arg(std::env::current_exe().expect("this program has a path")).arg("spans");
        program.env_remove("FERRITE_LOG");
        let output = program.envs(filter.map(|filter| ("FERRITE_LOG", filter))).output().expect("it can be started");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{said}");
        said
    };
    let ends = |said: &str, span: &str| said.lines().filter(|l| l.contains(span) && l.contains("time.busy=")).count();
    let steps =
        ["join the job", "share memory", "place memory", "share static data", "reach others", "compare settings"];
    let both = run(Some("ferrite_runtime::life=debug,ferrite_runtime::coll=trace"));
    for step in steps {
        assert_eq!(ends(&both, &format!("init{{step=\"{step}\"}}")), 1, "{step}: {both}");
    }
    assert_eq!(ends(&both, "collective{routine=\"Group::barrier\""), 1, "{both}");
    assert_eq!(ends(&both, "collective{routine=\"Group::sum\""), 1, "{both}");
    let life = run(Some("ferrite_runtime::life=debug"));
    assert_eq!((ends(&life, "init{"), ends(&life, "collective{")), (steps.len(), 0), "{life}");
    assert_eq!(run(None), "");
}

/// Two PEs put to the same place without any order.
fn race() {
    let world = ferrite::init();
    let word = world.alloc_box::<u64>().unwrap();
    world.barrier();
    if world.my_pe() == 0 {
        world.put(&word, 1, 1); // the first
    }
    if world.my_pe() == 2 {
        world.put(&word, 2, 1); // the second
    }
    world.barrier();
}

fn mismatch() {
    let world = ferrite::init();
    if world.my_pe() == 1 { world.sync() } else { world.barrier() }
}

fn stalls() {
    let world = ferrite::init();
    let signal = world.alloc_signal().unwrap();
    if world.my_pe() == 1 {
        world.wait_until(&signal, Cmp::Eq(1));
    }
    world.barrier();
}

fn faults() {
    let world = ferrite::init();
    if world.my_pe() == 1 {
        // SAFETY: none: it is the fault that this program is for.
        unsafe { std::ptr::without_provenance_mut::<u64>(8).write_volatile(1) };
    }
    world.barrier();
}

fn overflows() {
    let world = ferrite::init();
    if world.my_pe() == 1 {
        println!("{}", deeper(&[1; 512]));
    }
    world.barrier();
}

/// A barrier in a child of fork ends the child. It does not count as an arrival of the parent, for which the other PEs then wait.
fn forks() {
    unsafe extern "C" {
        fn fork() -> i32;
        fn waitpid(process: i32, status: &mut i32, options: i32) -> i32;
        fn _exit(status: i32) -> !;
    }
    let world = ferrite::init();
    let word = world.alloc_box::<u64>().unwrap();
    world.barrier();
    if world.my_pe() == 1 {
        // SAFETY: this process has one thread, and the child only makes the call that is tested.
        let child = unsafe { fork() };
        if child == 0 {
            world.barrier();
            // SAFETY: ends the child without the functions that Rust has registered for the parent's end.
            unsafe { _exit(0) }
        }
        let mut status = 0;
        // SAFETY: the variable outlives the call.
        assert_eq!(unsafe { waitpid(child, &mut status, 0) }, child);
        println!("the child's status is {}", status >> 8);
        world.put(&word, 1, 0);
    }
    world.barrier();
    assert_eq!(world.get(&word, 0), 1);
}

#[expect(unconditional_recursion, reason = "the stack is to overflow")]
fn deeper(above: &[u64; 512]) -> u64 {
    let mine = std::hint::black_box([above[0]; 512]);
    deeper(&mine) + mine[1]
}

/// The line of this file that contains a mark.
fn line_of(mark: &str) -> usize {
    1 + include_str!("launched.rs").lines().position(|line| line.ends_with(mark)).expect("the mark is there")
}

#[expect(clippy::disallowed_methods, reason = "where the installation is, as for the tests of the C interface")]
fn prefix() -> Option<String> {
    std::env::var("FERRITE_PREFIX").ok()
}

/// Check how a case has ended: its status, and what it has printed.
fn judge(case: &str, output: &Output, (status, out, err): (i32, &str, &[&str])) {
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(status), "{case}: {stdout}{stderr}");
    let said = err.iter().all(|part| stderr.contains(part));
    assert!(stdout.contains(out) && said, "{case}: {stdout}{stderr}");
    let others = stderr.lines().filter(|line| !line.starts_with("ferrite: check: no mistakes found; ")).count();
    assert!(!case.ends_with("talk") || others == 0, "{case}: {stderr}");
    assert!(!stderr.contains("shmem_"), "a name of C: {case}: {stderr}");
    // One line of the library, and nothing of Rust's.
    assert!(!case.contains("panic") || stderr.matches("panic").count() == 1, "{case}: {stderr}");
    assert!(!case.ends_with("error") || stderr.lines().count() == 1, "{case}: {stderr}");
}

/// A case: options of oshrun, the program's argument, the status of oshrun, and what is printed on standard output and on standard error.
type Case<'a> = (&'a str, &'a str, i32, &'a str, &'a [&'a str]);

/// Ends of a process. The guide's page on errors lists the statuses.
const ENDS: [Case<'static>; 11] = [
    ("", "panic", 70, "", &["ferrite: PE 1: panicked at", ": as it was told\n"]),
    ("", "panic-in-main", 70, "", &["ferrite: PE 1: panicked at", ": as it was told\n"]),
    ("", "error", 1, "", &["ferrite: PE 1: No such file or directory\n"]),
    ("", "lines-of-an-error", 1, "", &["ferrite: PE 1: expected a number found a word\n"]),
    ("", "exit", 3, "", &["ferrite: PE 1 called World::exit(3)\n"]),
    ("", "leave", 5, "", &["PE 1 on host ", " exited with 5"]),
    ("", "leave-well", 1, "", &["exited without finalize"]),
    ("", "caught", 0, "", &["ferrite: PE 1: panicked at", ": a small one\n"]),
    ("", "thread", 0, "", &["ferrite: PE 1: panicked at", ": a small one\n"]),
    ("", "own-hook", 70, "", &["told by the program\n", "ferrite: PE 1: main: a panic ends the job"]),
    ("--timeout 1", "stall", 124, "", &["its --timeout has expired"]),
];

fn drive() {
    spans_are_told_to_whom_asks();
    println!("test spans ... ok");
    let Some(prefix) = prefix() else {
        println!("skipped: FERRITE_PREFIX names no installation, so there is no oshrun");
        println!("\ntest result: ok. 1 passed; 0 failed; 0 ignored");
        return;
    };
    let run = |option: &str, what: &str| -> Output {
        let mut oshrun = Command::new("timeout");
        oshrun.args(["240", &format!("{prefix}/bin/oshrun"), "-n", "4"]).args(option.split_whitespace());
        let program = std::env::current_exe().expect("this program has a path");
        oshrun.arg(program).arg(what).output().expect("oshrun can be started")
    };
    let (first, second) =
        (format!("launched.rs:{}", line_of("// the first")), format!("launched.rs:{}", line_of("// the second")));
    let others: [Case<'_>; 11] = [
        ("", "talk", 0, "total 8", &[]),
        ("", "misuse", 70, "", &["PE 1: Ctx::put: pe is 99; PE numbers go from 0 to 3"]),
        (
            "",
            "too-much",
            0,
            "",
            &["PE 0: World::alloc(8.00 EiB) returns an AllocError on all PEs: no free block of this size"],
        ),
        (
            "--on-stall abort",
            "stall",
            70,
            "",
            &["3 of 4 PEs wait together in Group::barrier (launched.rs:", "; PE 1 is in Ctx::wait_until (launched.rs:"],
        ),
        ("", "fault", 139, "", &["PE 1: SIGSEGV, segmentation fault, at launched.rs:", ": address 0x8 (NULL + 8)"]),
        // Rust's own library reports the overflow, and aborts.
        ("", "overflow", 134, "", &["has overflowed its stack", "PE 1: SIGABRT, aborted, at launched.rs:"]),
        (
            "",
            "fork",
            0,
            "the child's status is 70",
            &["Group::barrier: called in a child of fork, which is not a PE; call the library in PE 1 alone"],
        ),
        // Checks that need no compiler instrumentation.
        ("--check", "talk", 0, "total 8", &[]),
        ("--check", "misuse", 86, "", &["argument: Ctx::put at launched.rs:", "pe is 99"]),
        ("--check", "race", 86, "", &["race: Ctx::put at ", &first, &second]),
        (
            "--check",
            "mismatch",
            86,
            "",
            &["collective: ", "Group::sync at launched.rs:", "Group::barrier at launched.rs:"],
        ),
    ];
    for (option, what, status, out, err) in ENDS.into_iter().chain(others) {
        let output = run(option, what);
        judge(&format!("{option} {what}"), &output, (status, out, err));
        println!("test {option} {what} ... ok");
    }
    println!("\ntest result: ok. {} passed; 0 failed; 0 ignored", ENDS.len() + others.len() + 1);
}
