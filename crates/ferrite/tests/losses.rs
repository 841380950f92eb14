//! Losses that return: a PE is killed at a random moment of every kind of call, and the others meet again. The PEs are this program again.
//!
//! `FERRITE_TEST_KILLS` is the number of kills, `FERRITE_TEST_SEED` the first seed, and `FERRITE_TEST_TRANSPORTS` a list of values of
//! SHMEM_TRANSPORT.

mod id_text;

use ferrite::prelude::*;
use ferrite::{UniqueId, World, WorldError};
use id_text::{hex, id_of};
use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::{Duration, Instant},
};

/// Time that only ends hangs.
const LONG: Duration = Duration::from_secs(240);
/// Maximum time from a death until each survivor has its world back. A busy machine may take most of it. Without any word of the death, that
/// is 60 s later, when a silent peer is lost.
const RETURN_LIMIT: Duration = Duration::from_secs(50);

/// Calls that all PEs make, over and over, until one of them is killed.
const CALLS: [&str; 12] =
    ["put", "get", "atomic", "signal", "wait", "lock", "barrier", "reduce", "alloc", "split", "finalize", "start"];

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    match arguments.get(1).map(String::as_str) {
        Some("pe") => pe(arguments[2].parse().unwrap(), arguments[3].parse().unwrap(), &arguments[4], &arguments[5]),
        _ => drive(),
    }
}

/// Print a line for the test.
fn tell(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").unwrap();
    out.flush().unwrap();
}

/// One process: a world that breaks, then one of those that are left.
fn pe(rank: u32, size: u32, call: &str, id: &str) {
    let id = match id {
        "draw" => {
            let id = UniqueId::draw().unwrap();
            tell(&format!("id {}", hex(&id)));
            id
        }
        given => id_of(given),
    };
    match World::join_with(&id, rank, size, |world| repeat(world, call)) {
        Ok(()) => tell("whole"),
        Err(WorldError::Lost(loss)) => {
            let pes: Vec<String> = loss.pes().iter().map(u32::to_string).collect();
            assert!(!loss.to_string().is_empty());
            tell(&format!("lost {}", pes.join(",")));
        }
        Err(WorldError::Join(error)) => tell(&format!("apart {error}")),
    }
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).unwrap();
    let words: Vec<&str> = line.split_whitespace().collect();
    let (rank, size) = (words[0].parse().unwrap(), words[1].parse().unwrap());
    let total = World::join_with(&id_of(words[2]), rank, size, works).unwrap();
    tell(&format!("total {total}"));
}

/// The survivors' world: it starts with zeros, and computes what is right.
fn works(world: &World) -> u64 {
    let (me, n) = (world.my_pe(), world.n_pes());
    let words = world.alloc::<u64>(2000).unwrap();
    assert_eq!(words.to_vec(), [0; 2000]);
    let count = world.alloc_atomic::<u64>().unwrap();
    world.barrier();
    world.put_slice(&words, &[u64::from(me) + 1; 2000], (me + 1) % n);
    world.add(&count, u64::from(me) + 1, 0);
    world.barrier();
    assert_eq!(words.to_vec(), [u64::from((me + n - 1) % n) + 1; 2000]);
    let total = world.fetch(&count, 0);
    assert_eq!(total, world.sum(u64::from(me) + 1));
    total
}

fn repeat(world: &World, call: &str) {
    let (me, n) = (world.my_pe(), world.n_pes());
    let next = (me + 1) % n;
    let words = world.alloc::<u64>(8192).unwrap();
    let (count, signal, lock) =
        (world.alloc_atomic::<u64>().unwrap(), world.alloc_signal().unwrap(), world.alloc_lock().unwrap());
    let (mine, mut theirs) = (vec![7; 8192], vec![0; 8192]);
    world.barrier();
    tell("ready");
    match call {
        "put" => loop {
            world.put_slice(&words, &mine, next);
            world.quiet();
        },
        "get" => loop {
            world.get_slice(&words, &mut theirs, next);
        },
        "atomic" => loop {
            world.fetch_add(&count, 1, next);
        },
        "signal" => {
            for round in 1.. {
                world.put_signal(&words, &mine, &signal, SignalOp::Set(round), next);
                world.wait_until(&signal, Cmp::Ge(round));
            }
        }
        // In this case no PE sets the signal.
        "wait" => _ = world.wait_until(&signal, Cmp::Eq(1)),
        "lock" => loop {
            let _held = world.acquire(&lock);
            world.put_slice(&words, &mine, 0);
        },
        "barrier" => loop {
            world.barrier();
        },
        "reduce" => loop {
            assert_eq!(world.sum(1_u32), n);
        },
        "alloc" => loop {
            drop(world.alloc::<u64>(10_000).unwrap());
        },
        "split" => loop {
            let team = world.split_by(Some(me % 2), 0).unwrap();
            team.barrier();
            team.destroy();
        },
        // The end follows at once, or, for some, the wait for those that are late.
        "finalize" => thread::sleep(Duration::from_millis(u64::from(me) * 3)),
        "start" => world.barrier(),
        other => panic!("{other}?"),
    }
}

/// Numbers that a seed decides (xorshift).
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

/// A process that the test has started. It is killed with this value.
struct Pe {
    process: Child,
    to: ChildStdin,
    lines: Receiver<(Instant, String)>,
}

impl Pe {
    fn start(transport: &str, arguments: &[&str]) -> Pe {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.arg("pe").args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        for name in ["FERRITE_BOOT", "FERRITE_SECRET", "FERRITE_SECRET_FILE", "FERRITE_NETWORK", "PMI_FD", "PMI_RANK"] {
            command.env_remove(name);
        }
        // Only where a PE is killed before the others have met does a test wait for this time.
        let start_timeout = if arguments.get(2) == Some(&"start") { "10" } else { "60" };
        command.env("SHMEM_TRANSPORT", transport).env("SHMEM_SYMMETRIC_SIZE", "64m");
        command.env("FERRITE_START_TIMEOUT", start_timeout);
        let mut process = command.spawn().unwrap();
        let (to, from) = (process.stdin.take().unwrap(), process.stdout.take().unwrap());
        let (send, lines) = channel();
        thread::spawn(move || {
            // UCX prints its errors to the standard output.
            let lines = BufReader::new(from).lines().map_while(Result::ok);
            for line in lines.filter(|line| !line.contains(" UCX ")) {
                let _ = send.send((Instant::now(), line));
            }
        });
        Pe { process, to, lines }
    }

    /// The next line, and when it came.
    fn line(&self, what: &str) -> (Instant, String) {
        self.lines.recv_timeout(LONG).unwrap_or_else(|_| panic!("{what}: nothing came within {LONG:?}"))
    }
}

impl Drop for Pe {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Kill one PE as the seed says. Returns how long each survivor took to return, and from what.
fn kill(seed: u64, transport: &str) -> Vec<(Duration, String)> {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    (0..4).for_each(|_| _ = dice.below(2));
    let size = 2 + dice.below(7) as u32;
    let (victim, call) = (dice.below(size.into()) as u32, CALLS[dice.below(CALLS.len() as u64) as usize]);
    // Either the test or PE 0 has the root.
    let drawn = (dice.below(2) == 0).then(|| hex(&UniqueId::draw().unwrap()));
    let what =
        format!("seed {seed}, {transport}: PE {victim} of {size} in {call}, PE 0 has the root: {}", drawn.is_none());
    let first = Pe::start(transport, &["0", &size.to_string(), call, drawn.as_deref().unwrap_or("draw")]);
    let id = drawn.unwrap_or_else(|| first.line(&what).1.trim_start_matches("id ").to_owned());
    let rest = (1..size).map(|rank| Pe::start(transport, &[&rank.to_string(), &size.to_string(), call, &id]));
    let mut pes: Vec<Pe> = [first].into_iter().chain(rest).collect();
    if call == "start" {
        thread::sleep(Duration::from_micros(dice.below(40_000)));
    } else {
        pes.iter().for_each(|pe| assert_eq!(pe.line(&what).1, "ready", "{what}"));
        thread::sleep(Duration::from_micros(dice.below(20_000)));
    }
    let killed = Instant::now();
    drop(pes.remove(victim as usize));
    let mut times = Vec::new();
    for pe in &pes {
        let (at, line) = std::iter::repeat_with(|| pe.line(&what)).find(|(_, line)| line != "ready").unwrap();
        // A world may have come to its end before the kill, and one that has never begun ends when the time is over.
        let is_early = matches!(call, "finalize" | "start") && line == "whole";
        let is_apart = call == "start" && line.starts_with("apart");
        let time = at.saturating_duration_since(killed);
        if !is_early && !is_apart {
            let named: Vec<u32> = line
                .strip_prefix("lost ")
                .unwrap_or_else(|| panic!("{what}: {line}"))
                .split(',')
                .map(|pe| pe.parse().unwrap_or_else(|_| panic!("{what}: {line}")))
                .collect();
            assert!(named.contains(&victim), "{what}: {line}");
            assert!(time < RETURN_LIMIT, "{what}: {time:?}");
            times.push((time, what.clone()));
        }
    }
    let (id, left) = (hex(&UniqueId::draw().unwrap()), pes.len() as u64);
    for (rank, pe) in pes.iter_mut().enumerate() {
        writeln!(pe.to, "{rank} {left} {id}").unwrap();
    }
    for pe in &mut pes {
        assert_eq!(pe.line(&what).1, format!("total {}", left * (left + 1) / 2), "{what}");
        assert!(pe.process.wait().unwrap().success(), "{what}");
    }
    times
}

#[expect(clippy::disallowed_methods, reason = "how much is tested is no setting of the library")]
fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |value| value.parse().expect("a number"))
}

#[expect(clippy::disallowed_methods, reason = "as above")]
fn transports() -> Vec<String> {
    let given = std::env::var("FERRITE_TEST_TRANSPORTS").unwrap_or("auto,tcp".to_owned());
    given.split(',').map(str::to_owned).collect()
}

fn kills_return() {
    let transports = transports();
    let (count, first) = (number("FERRITE_TEST_KILLS", 24), number("FERRITE_TEST_SEED", 1));
    let mut times = Vec::new();
    for seed in first..first + count {
        times.extend(kill(seed, &transports[(seed % transports.len() as u64) as usize]));
    }
    times.sort();
    // The library has to start before it can return, and libfabric alone may take a second of a busy machine for it.
    let (starts, calls): (Vec<_>, Vec<_>) = times.into_iter().partition(|(_, what)| what.contains(" in start,"));
    for (name, times) in [("calls", calls), ("starts", starts)] {
        if let (Some((median, _)), Some((worst, what))) = (times.get(times.len() / 2), times.last()) {
            println!("{count} kills, {} returns of {name}: median {median:?}, worst {worst:?} ({what})", times.len());
        }
    }
}

/// A process that is stopped is not lost.
fn a_stopped_process_is_not_lost() {
    let id = hex(&UniqueId::draw().unwrap());
    let start = |rank: &str| Pe::start("auto", &[rank, "2", "wait", &id]);
    let mut pes = ["0", "1"].map(start);
    pes.iter().for_each(|pe| assert_eq!(pe.line("stopped").1, "ready"));
    let signal = |pe: &Pe, name: &str| {
        assert!(Command::new("kill").args([name, &pe.process.id().to_string()]).status().unwrap().success());
    };
    signal(&pes[1], "-STOP");
    assert!(pes[0].lines.recv_timeout(Duration::from_secs(3)).is_err(), "PE 1 was stopped, and is not lost");
    signal(&pes[1], "-CONT");
    pes[1].process.kill().unwrap();
    assert_eq!(pes[0].line("killed").1, "lost 1");
}

fn drive() {
    let tests: [(&str, fn()); 2] =
        [("kills_return", kills_return), ("a_stopped_process_is_not_lost", a_stopped_process_is_not_lost)];
    for (name, test) in &tests {
        test();
        println!("test {name} ... ok");
    }
    println!("\ntest result: ok. {} passed; 0 failed; 0 ignored", tests.len());
}
