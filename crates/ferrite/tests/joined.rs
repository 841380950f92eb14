//! The library in processes without a launcher: they join by a unique id, or by environment variables. The PEs are further processes of
//! this program.

mod id_text;

use ferrite::prelude::*;
use ferrite::{UniqueId, World};
use id_text::{hex, id_of};
use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpListener,
    process::{Child, Command, Output, Stdio},
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

/// Time limit, which only ends hangs.
const LONG_SECONDS: &str = "600";

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let number = |at: usize| arguments[at].parse::<u32>().expect("a number");
    match arguments.get(1).map(String::as_str) {
        Some("join") => body(&arguments[4])(&World::join(&id_of(&arguments[5]), number(2), number(3)).unwrap()),
        Some("draw") => draw(number(2)),
        Some("init") => body(&arguments[2])(&ferrite::init()),
        Some("with") => drop(ferrite::with_world(|world| body(&arguments[2])(world))),
        Some("threads") => drop(ferrite::local(3, |world| {
            assert!(world.my_pe() != 1, "as it was told");
            world.barrier();
        })),
        Some("again") => again(&arguments[2]),
        Some("rounds") => rounds(number(2), number(3)),
        _ => drive(),
    }
}

/// PE 0 draws the id and prints it. The test passes it to the other PEs.
fn draw(size: u32) {
    let id = UniqueId::draw().unwrap();
    println!("{}", hex(&id));
    talk(&World::join(&id, 0, size).unwrap());
}

fn body(name: &str) -> fn(&World) {
    match name {
        "talk" => talk,
        "killed" => |world| dies(world, || std::process::abort()),
        "exits" => |world| dies(world, exits),
        "ends" => |world| dies(world, || ()),
        "panics" => |world| dies(world, || panic!("as it was told")),
        other => panic!("{other}?"),
    }
}

/// Use each part of the library that communicates between processes.
fn talk(world: &World) {
    let (me, n) = (world.my_pe(), world.n_pes());
    let (words, signal) = (world.alloc::<u64>(1000).unwrap(), world.alloc_signal().unwrap());
    let (count, lock) = (world.alloc_atomic::<u64>().unwrap(), world.alloc_lock().unwrap());
    let right = (me + 1) % n;
    world.put_signal(&words, &[u64::from(me); 1000], &signal, SignalOp::Set(1), right);
    world.wait_until(&signal, Cmp::Eq(1));
    assert_eq!(words.to_vec(), [u64::from((me + n - 1) % n); 1000]);
    world.barrier();
    for _ in 0..100 {
        let _held = world.acquire(&lock);
        world.inc(&count, 0);
    }
    world.barrier();
    assert_eq!(world.fetch(&count, 0), 100 * u64::from(n));
    let total = world.sum(me);
    if me == 0 {
        println!("total {total}, {} on this host", world.shared().n_pes());
    }
}

/// PE 1 ends in its own way, while PE 0 waits in the library and PE 2 sleeps outside of it.
fn dies(world: &World, end: fn()) {
    world.barrier();
    match world.my_pe() {
        0 => world.barrier(),
        1 => {
            end();
            world.exit(5)
        }
        _ => loop {
            std::thread::sleep(Duration::from_secs(1));
        },
    }
}

#[expect(clippy::disallowed_methods, reason = "a program that ends like this is what is tested")]
fn exits() {
    std::process::exit(3)
}

/// Number of descriptors, threads and mappings that the process has.
fn kept() -> [usize; 3] {
    let lines = |name: &str| fs::read_to_string(name).unwrap().lines().count();
    let entries = |name: &str| fs::read_dir(name).unwrap().count();
    [entries("/proc/self/fd"), entries("/proc/self/task"), lines("/proc/self/maps")]
}

/// The same members join again, by environment variables.
fn again(times: &str) {
    for _ in 0..times.parse().unwrap() {
        talk(&ferrite::init());
    }
}

/// One process in many worlds. It reads the ids from standard input, and prints at the end what it still has.
fn rounds(rank: u32, count: u32) {
    let mut first: Option<[usize; 3]> = None;
    let mut lines = std::io::stdin().lines();
    for round in 0..count {
        // Worlds of one, two and three PEs follow each other. A PE skips the worlds to which it does not belong.
        let size = 1 + round % 3;
        if rank >= size {
            continue;
        }
        let id = match rank {
            0 => {
                let id = UniqueId::draw().unwrap();
                println!("{}", hex(&id));
                id
            }
            _ => id_of(&lines.next().unwrap().unwrap()),
        };
        let world = World::join(&id, rank, size).unwrap();
        assert_eq!(world.sum(1_u32), size);
        drop(world);
        // A thread that has been waited for leaves the list a moment later, so the least of several rounds counts.
        if (6..12).contains(&round) {
            let now = kept();
            let least = first.map_or(now, |least| [0, 1, 2].map(|kind| least[kind].min(now[kind])));
            first = Some(least);
        }
    }
    let (first, mut last) = (first.unwrap(), kept());
    while last[0] > first[0] || last[1] > first[1] {
        std::thread::sleep(Duration::from_millis(1));
        last = kept();
    }
    println!("kept {first:?}, then {last:?}");
    // The allocator and the start of the library's threads may add a few mappings once.
    assert!(last[2] <= first[2] + 4, "{first:?} {last:?}");
}

/// This program, which is killed if it hangs.
fn program(arguments: &[&str]) -> Command {
    wrapped(&[], arguments)
}

fn wrapped(wrapper: &[&str], arguments: &[&str]) -> Command {
    let this = std::env::current_exe().expect("this program has a path");
    let mut command = Command::new("timeout");
    command.args(["--kill-after=5", LONG_SECONDS]).args(wrapper).arg(this).args(arguments);
    for name in ["FERRITE_BOOT", "FERRITE_SECRET", "FERRITE_SECRET_FILE", "FERRITE_NETWORK", "PMI_FD", "PMI_RANK"] {
        command.env_remove(name);
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn outputs(children: Vec<Child>) -> Vec<Output> {
    children.into_iter().map(|child| child.wait_with_output().expect("it can be waited for")).collect()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn all_succeed(outputs: &[Output]) -> String {
    for output in outputs {
        assert!(output.status.success(), "{:?}: {}{}", output.status, text(&output.stdout), text(&output.stderr));
    }
    outputs.iter().map(|output| text(&output.stdout)).collect()
}

/// The test's own process draws the id and runs the root, and is not a PE.
fn by_an_id(size: u32, wrapper: &[&str], body: &str) -> Vec<Output> {
    let id = hex(&UniqueId::draw().unwrap());
    // Start the PEs in reverse order.
    let started = (0..size)
        .rev()
        .map(|rank| wrapped(wrapper, &["join", &rank.to_string(), &size.to_string(), body, &id]).spawn().unwrap());
    let mut all = outputs(started.collect());
    all.reverse();
    all
}

fn by_environment(size: u32, variables: &[(&str, &str)], arguments: &[&str]) -> Vec<Output> {
    let started = (0..size).rev().map(|rank| {
        let mut command = program(arguments);
        command.envs(variables.iter().copied());
        command.env("FERRITE_RANK", rank.to_string()).env("FERRITE_SIZE", size.to_string());
        command.env("RANK", rank.to_string()).env("WORLD_SIZE", size.to_string());
        command.spawn().unwrap()
    });
    let mut all = outputs(started.collect());
    all.reverse();
    all
}

/// A free port, followed by another free port. The kernel assigns neither of them to other processes, because they are below the range that
/// it chooses from.
fn free_port() -> u16 {
    static PICKED: AtomicU32 = AtomicU32::new(0);
    let is_free = |port| TcpListener::bind(("127.0.0.1", port)).is_ok();
    let mut candidates = std::iter::repeat_with(|| {
        let picked = 2 * PICKED.fetch_add(1, Ordering::Relaxed);
        12_000 + (std::process::id().wrapping_mul(62).wrapping_add(picked) % 8_000) as u16
    });
    candidates.find(|&port| is_free(port) && is_free(port + 1)).expect("a port is free")
}

fn members_join_by_an_id() {
    for size in [1, 2, 5] {
        let told = all_succeed(&by_an_id(size, &[], "talk"));
        assert_eq!(told, format!("total {}, {size} on this host\n", size * (size - 1) / 2));
    }
    // PE 0 draws the id, so the root is in a process of the job.
    let mut first = program(&["draw", "3"]).spawn().unwrap();
    let mut lines = BufReader::new(first.stdout.take().unwrap());
    let mut id = String::new();
    lines.read_line(&mut id).unwrap();
    let others = ["1", "2"].map(|rank| program(&["join", rank, "3", "talk", id.trim()]).spawn().unwrap());
    let mut rest = String::new();
    lines.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "total 3, 3 on this host\n");
    all_succeed(&outputs(others.into_iter().chain([first]).collect()));
}

fn members_join_by_environment() {
    let port = free_port();
    let place = format!("tcp://127.0.0.1:{port}");
    let secret = ("FERRITE_SECRET", "correct horse battery staple");
    for variables in [
        vec![("FERRITE_BOOT", place.as_str()), secret],
        vec![("FERRITE_BOOT", &place), ("FERRITE_NETWORK", "trusted")],
        // Without a secret, only processes of one user on one host can join.
        vec![("FERRITE_BOOT", &place)],
        vec![("FERRITE_BOOT", "torchrun"), ("MASTER_ADDR", "127.0.0.1"), ("MASTER_PORT", &port.to_string()), secret],
    ] {
        let told = all_succeed(&by_environment(3, &variables, &["init", "talk"]));
        assert_eq!(told, "total 3, 3 on this host\n", "{variables:?}");
    }
    let told = all_succeed(&by_environment(2, &[("FERRITE_BOOT", &place), secret], &["again", "20"]));
    assert_eq!(told, "total 1, 2 on this host\n".repeat(20));
}

/// Without shared memory, members on one host use a transport, as members on several hosts do.
fn members_join_over_a_transport() {
    let place = format!("tcp://127.0.0.1:{}", free_port());
    let variables = [("FERRITE_BOOT", place.as_str()), ("SHMEM_TRANSPORT", "tcp"), ("SHMEM_TCP_IFACE", "lo")];
    let told = all_succeed(&by_environment(3, &variables, &["init", "talk"]));
    assert_eq!(told, "total 3, 1 on this host\n");
}

fn the_end_of_one_is_the_end_of_all() {
    let place = format!("tcp://127.0.0.1:{}", free_port());
    for (body, code, reason) in [
        ("killed", 70, "has ended without finalize"),
        ("exits", 70, "has ended without finalize"),
        ("panics", 70, "PE 1: panicked at"),
        ("ends", 5, "called World::exit(5)"),
    ] {
        let by_environment = |function| by_environment(3, &[("FERRITE_BOOT", &place)], &[function, body]);
        let by_id = by_an_id(3, &[], body);
        for (how, all) in [("init", by_environment("init")), ("with_world", by_environment("with")), ("id", by_id)] {
            for pe in [0, 2] {
                let (status, said) = (all[pe].status.code(), text(&all[pe].stderr));
                assert_eq!(status, Some(code), "{body} by {how}, PE {pe}: {said}");
                assert!(said.contains(reason), "{body} by {how}, PE {pe}: {said}");
                assert!(said.contains("PE 1"), "{body} by {how}, PE {pe}: {said}");
            }
            let itself = text(&all[1].stderr);
            assert!(body != "panics" || itself.lines().count() == 1, "{body} by {how}: {itself}");
        }
    }
}

fn worlds_of_threads_report_a_panic_once() {
    let output = program(&["threads"]).output().unwrap();
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(101), "{said}");
    assert!(said.contains("thread 'PE 1'") && said.matches("as it was told").count() == 1, "{said}");
    assert_eq!(said.matches("panicked").count(), 1, "{said}");
}

fn a_member_that_never_comes_is_named() {
    let place = format!("tcp://127.0.0.1:{}", free_port());
    let mut command = program(&["init", "talk"]);
    command.envs([("FERRITE_BOOT", place.as_str()), ("FERRITE_RANK", "0"), ("FERRITE_SIZE", "3")]);
    let output = command.env("FERRITE_START_TIMEOUT", "1").output().unwrap();
    let said = text(&output.stderr);
    assert!(!output.status.success() && said.contains("PEs 1-2 of 3 did not come within 1 s"), "{said}");
}

/// Three processes in worlds of one, two and three PEs, one after the other.
fn worlds_may_follow_each_other(count: u32) {
    let count = count.to_string();
    let mut children: Vec<Child> =
        ["0", "1", "2"].iter().map(|rank| program(&["rounds", rank, &count]).spawn().unwrap()).collect();
    let ids = BufReader::new(children[0].stdout.take().unwrap()).lines();
    let mut to_others: Vec<_> = children.iter_mut().map(|child| child.stdin.take()).collect();
    for (round, id) in ids.map(Result::unwrap).filter(|line| !line.starts_with("kept")).enumerate() {
        for (rank, to) in to_others.iter_mut().enumerate().skip(1).take(round % 3) {
            let to = to.as_mut().expect("its standard input is a pipe");
            writeln!(to, "{id}").unwrap_or_else(|error| panic!("PE {rank} has ended: {error}"));
        }
    }
    drop(to_others);
    all_succeed(&outputs(children));
}

/// Each PE has its own PID, IPC and mount namespaces, like containers that share their network.
fn members_in_containers_share_memory() {
    const WRAPPER: &[&str] = &["unshare", "--user", "--map-current-user", "--pid", "--ipc", "--mount", "--fork"];
    let may =
        Command::new(WRAPPER[0]).args(&WRAPPER[1..]).arg("true").output().is_ok_and(|tried| tried.status.success());
    if !may {
        println!("skipped: containers cannot be made here (unshare)");
        return;
    }
    assert_eq!(all_succeed(&by_an_id(3, WRAPPER, "talk")), "total 3, 3 on this host\n");
}

/// Two network namespaces with one link between them. They end when this value is dropped.
struct Hosts {
    names: [String; 2],
}

impl Hosts {
    /// Create them. `None` if this user is not permitted to.
    fn new() -> Option<Hosts> {
        let hosts = Hosts { names: ["a", "b"].map(|name| format!("ferrite-{}-{name}", std::process::id())) };
        let [a, b] = &hosts.names;
        let ip = |words: &str| {
            let words = words.split(' ').map(|word| match word {
                "A" => a,
                "B" => b,
                word => word,
            });
            Command::new("ip").args(words).output().is_ok_and(|done| done.status.success())
        };
        let steps = [
            "netns add A",
            "netns add B",
            "-n A link add eth0 type veth peer name eth0 netns B",
            "-n A address add 10.213.7.1/24 dev eth0",
            "-n B address add 10.213.7.2/24 dev eth0",
            "-n A link set eth0 up",
            "-n B link set eth0 up",
            "-n A link set lo up",
            "-n B link set lo up",
        ];
        steps.into_iter().all(ip).then_some(hosts)
    }

    /// The wrapper that runs a process on a host.
    fn wrapper(&self, host: usize) -> [&str; 4] {
        ["ip", "netns", "exec", &self.names[host]]
    }
}

impl Drop for Hosts {
    fn drop(&mut self) {
        for name in &self.names {
            let _ = Command::new("ip").args(["netns", "delete", name]).output();
        }
    }
}

/// PEs 0 and 1 are on one host, and PE 2 is on another.
fn members_join_over_a_network() {
    let Some(hosts) = Hosts::new() else {
        println!("skipped: network namespaces cannot be made here (ip netns)");
        return;
    };
    let started = [2, 1, 0].map(|rank| {
        let mut command = wrapped(&hosts.wrapper(rank / 2), &["init", "talk"]);
        command.envs([("FERRITE_BOOT", "tcp://10.213.7.1:7777"), ("FERRITE_SECRET", "correct horse battery")]);
        command.env("FERRITE_RANK", rank.to_string()).env("FERRITE_SIZE", "3").spawn().unwrap()
    });
    assert_eq!(all_succeed(&outputs(started.into())), "total 3, 2 on this host\n");
    // The id is drawn on one of the hosts, so it contains the address of the link.
    let mut first = wrapped(&hosts.wrapper(0), &["draw", "3"]).spawn().unwrap();
    let mut lines = BufReader::new(first.stdout.take().unwrap());
    let mut id = String::new();
    lines.read_line(&mut id).unwrap();
    let join =
        |rank: usize| wrapped(&hosts.wrapper(rank / 2), &["join", &rank.to_string(), "3", "talk", id.trim()]).spawn();
    let all = vec![join(1).unwrap(), join(2).unwrap(), first];
    let mut rest = String::new();
    lines.read_to_string(&mut rest).unwrap();
    all_succeed(&outputs(all));
    assert_eq!(rest, "total 3, 2 on this host\n");
}

fn drive() {
    let tests: [(&str, fn()); 9] = [
        ("members_join_by_an_id", members_join_by_an_id),
        ("members_join_by_environment", members_join_by_environment),
        ("members_join_over_a_transport", members_join_over_a_transport),
        ("the_end_of_one_is_the_end_of_all", the_end_of_one_is_the_end_of_all),
        ("worlds_of_threads_report_a_panic_once", worlds_of_threads_report_a_panic_once),
        ("a_member_that_never_comes_is_named", a_member_that_never_comes_is_named),
        ("worlds_may_follow_each_other", || worlds_may_follow_each_other(300)),
        ("members_in_containers_share_memory", members_in_containers_share_memory),
        ("members_join_over_a_network", members_join_over_a_network),
    ];
    for (name, test) in &tests {
        test();
        println!("test {name} ... ok");
    }
    println!("\ntest result: ok. {} passed; 0 failed; 0 ignored", tests.len());
}
