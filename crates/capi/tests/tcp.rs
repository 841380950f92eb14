//! Jobs over TCP: connections from strangers change nothing, and a connection that is cut ends in right data or a clear error.

mod support;

use rustix::io::Errno;
use rustix::net::connect_unspec;
use rustix::process::{Pid, PidfdFlags, PidfdGetfdFlags, Signal, kill_process, pidfd_getfd, pidfd_open};
use std::collections::HashSet;
use std::fs;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpStream};
use std::path::PathBuf;
use std::time::{Duration, Instant};
use support::LIMIT;
use support::job::{Job, command};
use support::prefix::Prefix;
use support::program::{self, Launch};

/// The program that does random operations and compares them with a model.
fn soak() -> PathBuf {
    program::plain(&support::sources().with_file_name("soak").join("soak.c"), "soak")
}

/// Duration of the soak: `FERRITE_SOAK_SECONDS`, or 5 seconds.
fn seconds() -> u32 {
    support::env::get("FERRITE_SOAK_SECONDS").map_or(5, |text| text.parse().expect("FERRITE_SOAK_SECONDS is a number"))
}

fn start(pes: u32, seconds: u32, seed: u32) -> Job {
    start_with(pes, seconds, seed, "off")
}

/// `seal` is the value of SHMEM_TCP_SEAL.
fn start_with(pes: u32, seconds: u32, seed: u32, seal: &str) -> Job {
    let mut command = command(Prefix::get(), &soak(), Launch::Pes(pes));
    command.args([seconds.to_string(), seed.to_string()]);
    let variables = [("SHMEM_TRANSPORT", "tcp"), ("SHMEM_TCP_SEAL", seal)];
    Job::start(command, &variables.map(|(name, value)| (name.to_owned(), value.to_owned())))
}

/// A socket of a process: its descriptor in that process, and its inode.
struct Socket {
    pid: i32,
    fd: i32,
    inode: String,
}

fn sockets(pid: i32) -> Vec<Socket> {
    let links = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    let socket = |link: fs::DirEntry| {
        let name = fs::read_link(link.path()).ok()?;
        let inode = name.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.to_owned();
        Some(Socket { pid, fd: link.file_name().to_str()?.parse().ok()?, inode })
    };
    links.filter_map(socket).collect()
}

/// A row of the kernel's tables of TCP sockets.
struct Row {
    local: String,
    ports: [u16; 2],
    state: String,
    inode: String,
}

fn tcp_sockets() -> Vec<Row> {
    rows(["/proc/net/tcp", "/proc/net/tcp6"])
}

fn rows(tables: [&str; 2]) -> Vec<Row> {
    let tables = tables.map(|table| fs::read_to_string(table).unwrap_or_default());
    let port = |address: &str| u16::from_str_radix(address.rsplit(':').next()?, 16).ok();
    let row = |row: &str| {
        let fields: Vec<&str> = row.split_whitespace().collect();
        let ports = [port(fields.get(1)?)?, port(fields.get(2)?)?];
        let local = fields[1].split(':').next()?.to_owned();
        Some(Row { local, ports, state: (*fields.get(3)?).to_owned(), inode: (*fields.get(9)?).to_owned() })
    };
    tables.iter().flat_map(|table| table.lines().skip(1)).filter_map(row).collect()
}

/// The ports on which the job's processes listen.
fn doors(job: &Job) -> HashSet<u16> {
    const LISTEN: &str = "0A";
    let own: HashSet<String> = job.tag().processes().into_iter().flat_map(sockets).map(|one| one.inode).collect();
    let listening = tcp_sockets().into_iter().filter(|row| row.state == LISTEN && own.contains(&row.inode));
    listening.map(|row| row.ports[0]).collect()
}

/// Waits until every PE listens.
fn doors_of(job: &Job, pes: usize) -> HashSet<u16> {
    let end = Instant::now() + LIMIT;
    loop {
        let doors = doors(job);
        if doors.len() >= pes {
            return doors;
        }
        assert!(Instant::now() < end, "{doors:?} is all that listens");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn knock(port: u16, bytes: &[u8], then: impl FnOnce(TcpStream)) {
    // A job that has ended accepts no connections.
    let Ok(mut caller) = TcpStream::connect((Ipv4Addr::LOCALHOST, port)) else { return };
    let _ = caller.set_read_timeout(Some(Duration::from_millis(300)));
    let _ = caller.write_all(bytes);
    then(caller);
}

/// The PEs reach each other over loopback, and no other machine needs to connect to them.
#[test]
fn a_job_of_one_host_is_heard_on_loopback_alone() {
    const LOOPBACK: [&str; 2] = ["0100007F", "00000000000000000000000001000000"];
    let _turn = support::turn();
    let mut job = start(2, 3600, 1);
    doors_of(&job, 2);
    // The socket of the doorbell comes after the listeners.
    job.wait_for_output("beginning", LIMIT, |text| text.contains("begun"));
    let own: HashSet<String> = job.tag().processes().into_iter().flat_map(sockets).map(|one| one.inode).collect();
    let tables = [["/proc/net/tcp", "/proc/net/tcp6"], ["/proc/net/udp", "/proc/net/udp6"]].map(rows);
    job.tag().kill();
    job.finish(LIMIT);
    for (table, protocol) in tables.into_iter().zip(["tcp", "udp"]) {
        let bound: Vec<Row> = table.into_iter().filter(|row| own.contains(&row.inode)).collect();
        assert!(bound.len() >= 2, "each PE has one: {protocol}");
        let elsewhere: Vec<String> =
            bound.into_iter().map(|row| row.local).filter(|at| !LOOPBACK.contains(&at.as_str())).collect();
        assert!(elsewhere.is_empty(), "{protocol}: {elsewhere:?}");
    }
}

#[test]
fn strangers_change_nothing() {
    const PES: u32 = 2;
    let _turn = support::turn();
    let job = start(PES, 6, 1);
    let mut loiterers = Vec::new();
    let doors = doors_of(&job, PES as usize);
    for round in 0..3 {
        for &port in &doors {
            let mut noise: u64 = 0x9e37_79b9 + u64::from(port) + round;
            let mut garbage = |len: usize| -> Vec<u8> {
                let next = || {
                    noise = noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    (noise >> 33) as u8
                };
                std::iter::repeat_with(next).take(len).collect()
            };
            knock(port, b"GET / HTTP/1.1\r\n\r\n", drop);
            knock(port, &garbage(3), |caller| loiterers.push(caller));
            knock(port, &garbage(1 << 20), drop);
            knock(port, &[], |caller| drop(caller.shutdown(Shutdown::Write)));
            // A wrong secret: the answer to the greeting has the right length and a wrong proof. A busy PE greets late, and a greeting must
            // not be taken for an answer.
            knock(port, &[], |mut caller| {
                let _ = caller.set_read_timeout(Some(LIMIT));
                let mut said = [0; 256];
                let n = caller.read(&mut said).unwrap_or(0);
                let _ = caller.write_all(&garbage(n.max(64)));
                let mut answer = [0; 256];
                assert_eq!(caller.read(&mut answer).unwrap_or(0), 0, "a wrong proof was answered");
            });
        }
    }
    let outcome = job.finish(LIMIT);
    drop(loiterers);
    assert_eq!(outcome.code(), Some(0), "{}", outcome.report("the job was disturbed"));
    assert_eq!(outcome.stdout.matches("all right").count(), PES as usize, "{}", outcome.report("results are missing"));
    assert!(outcome.outlived.is_empty(), "{}", outcome.report("processes were left"));
}

#[test]
fn random_operations_agree_with_their_model() {
    let _turn = support::turn();
    for (pes, seed, seal) in [(2, 11, "off"), (3, 12, "off"), (2, 13, "on"), (3, 14, "on")] {
        let outcome =
            start_with(pes, seconds(), seed, seal).finish(LIMIT.max(Duration::from_secs(u64::from(seconds()) * 10)));
        assert_eq!(outcome.code(), Some(0), "{}", outcome.report(&format!("seed {seed} failed")));
        assert_eq!(outcome.stdout.matches("all right").count(), pes as usize, "{}", outcome.report("too few results"));
    }
}

/// One PE of a job seals and the other does not.
#[test]
fn a_job_that_does_not_agree_on_sealing_is_refused_by_name() {
    let _turn = support::turn();
    let mut command = command(Prefix::get(), std::path::Path::new("/bin/sh"), Launch::Pes(2));
    command.args(["-c", "test $FERRITE_PE = 0 && export SHMEM_TCP_SEAL=on; exec \"$0\" 0 1"]).arg(soak());
    let outcome = Job::start(command, &[("SHMEM_TRANSPORT".into(), "tcp".into())]).finish(LIMIT);
    assert!(outcome.code().is_some_and(|code| code != 0), "{}", outcome.report("they met"));
    assert!(
        outcome.stderr.contains("SHMEM_TCP_SEAL to the same value on all hosts"),
        "{}",
        outcome.report("no reason is given")
    );
}

/// Resets every TCP connection between the job's PEs, through a duplicate of its descriptor; returns their number.
fn cut(job: &Job, doors: &HashSet<u16>) -> rustix::io::Result<usize> {
    const ESTABLISHED: &str = "01";
    let between = |row: &Row| row.state == ESTABLISHED && row.ports.iter().any(|port| doors.contains(port));
    let connections: HashSet<String> = tcp_sockets().into_iter().filter(between).map(|row| row.inode).collect();
    let mut cut = 0;
    for socket in job.tag().processes().into_iter().flat_map(sockets).filter(|one| connections.contains(&one.inode)) {
        let pid = Pid::from_raw(socket.pid).expect("a process has a number");
        // A process that has ended meanwhile has no connection either.
        let Ok(process) = pidfd_open(pid, PidfdFlags::empty()) else { continue };
        let descriptor = match pidfd_getfd(process, socket.fd, PidfdGetfdFlags::empty()) {
            // It was closed, or its process has ended, meanwhile.
            Err(Errno::BADF | Errno::SRCH) => continue,
            lent => lent?,
        };
        connect_unspec(descriptor).expect("a connection can be reset");
        cut += 1;
    }
    Ok(cut)
}

#[test]
fn cut_connections_end_the_job_with_the_reason() {
    const PES: u32 = 2;
    let _turn = support::turn();
    for (seed, pause_ms) in [(21, 300), (22, 900), (23, 1700)] {
        // Far longer than the test waits, so that the job does not end by itself.
        let mut job = start(PES, 3600, seed);
        let doors = doors_of(&job, PES as usize);
        job.wait_for_output("beginning", LIMIT, |text| text.contains("begun"));
        std::thread::sleep(Duration::from_millis(pause_ms));
        // On a busy machine the PEs may connect later.
        let end = Instant::now() + LIMIT;
        loop {
            match cut(&job, &doors) {
                Ok(0) => assert!(Instant::now() < end, "the PEs have no connections"),
                Ok(_) => break,
                Err(error) => {
                    job.tag().kill();
                    println!(
                        "skipped: cutting connections: this system does not lend a process's descriptors: {error}"
                    );
                    return;
                }
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let outcome = job.finish(LIMIT);
        assert!(outcome.code().is_some_and(|code| code != 0), "{}", outcome.report("a cut connection went unnoticed"));
        let wrong = ["is wrong", "expected", "does not hold"].iter().any(|word| outcome.stderr.contains(word));
        assert!(!wrong, "{}", outcome.report("wrong data"));
        let reasons: Vec<&str> = outcome.stderr.lines().filter(|line| line.contains("connection")).collect();
        assert!(!reasons.is_empty(), "{}", outcome.report("no line says that a connection was lost"));
        assert!(outcome.outlived.is_empty(), "{}", outcome.report("processes were left"));
    }
}

/// The PE is stopped as by a debugger. Its kernel still acknowledges for it.
#[test]
fn a_pe_that_stands_still_is_not_lost() {
    let _turn = support::turn();
    let mut command = command(Prefix::get(), &soak(), Launch::Pes(2));
    command.args(["10", "51"]);
    let timeout = Duration::from_secs(1);
    let variables = [("SHMEM_TRANSPORT", "tcp".to_owned()), ("FERRITE_HOST_TIMEOUT", timeout.as_secs().to_string())];
    let mut job = Job::start(command, &variables.map(|(name, value)| (name.to_owned(), value)));
    job.wait_for_output("beginning", LIMIT, |text| text.contains("begun"));
    let is_pe_1 = |pid: &i32| {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|&byte| byte == 0).any(|entry| entry == b"FERRITE_PE=1")
    };
    let pe = job.tag().processes().into_iter().find(is_pe_1).and_then(Pid::from_raw).expect("PE 1 is running");
    kill_process(pe, Signal::STOP).expect("PE 1 can be stopped");
    std::thread::sleep(timeout * 3);
    kill_process(pe, Signal::CONT).expect("PE 1 is still there");
    let outcome = job.finish(LIMIT);
    assert_eq!(outcome.code(), Some(0), "{}", outcome.report("a PE that stood still was lost"));
    assert_eq!(outcome.stdout.matches("all right").count(), 2, "{}", outcome.report("results are missing"));
}

#[test]
fn the_interface_is_the_users_choice() {
    let _turn = support::turn();
    let run = |interface: &str| {
        let mut command = command(Prefix::get(), &soak(), Launch::Pes(2));
        command.args(["0", "1"]);
        let variables = [("SHMEM_TRANSPORT", "tcp"), ("SHMEM_TCP_IFACE", interface)];
        Job::start(command, &variables.map(|(name, value)| (name.to_owned(), value.to_owned()))).finish(LIMIT)
    };
    for interface in ["lo", "127.0.0.1", "127.0.0.0/8"] {
        let outcome = run(interface);
        assert_eq!(outcome.code(), Some(0), "{}", outcome.report(&format!("{interface} was refused")));
    }
    let outcome = run("no-such0");
    assert!(outcome.code().is_some_and(|code| code != 0), "{}", outcome.report("there is no such interface"));
    assert!(
        outcome.stderr.contains("no-such0") && outcome.stderr.contains("lo (127.0.0.1)"),
        "{}",
        outcome.report("unclear")
    );
}

#[test]
fn what_carries_a_job_is_reported() {
    let mut command = std::process::Command::new(Prefix::get().tool("oshrun"));
    command.args(["-n", "2", "--report-bindings"]).arg(soak()).args(["1", "1"]);
    let variables = [("SHMEM_TRANSPORT", "tcp"), ("SHMEM_INFO", "1")];
    let job = Job::start(command, &variables.map(|(name, value)| (name.to_owned(), value.to_owned())));
    let outcome = job.finish(LIMIT);
    assert_eq!(outcome.code(), Some(0), "{}", outcome.report("ran"));
    let line = "reaches other hosts by tcp on 127.0.0.1; atomics by the target's processor; pages of ";
    for pe in 0..2 {
        assert!(outcome.stderr.contains(&format!("ferrite: PE {pe} {line}")), "{}", outcome.report("each PE's line"));
    }
    assert!(outcome.stdout.contains(&format!("ferrite: PE 0 {line}")), "{}", outcome.report("SHMEM_INFO"));
}

/// In a tree of 64 PEs, some still wait in the last barrier when the PEs above them have released them and left. Such a wait asks those PEs
/// whether messages have arrived, and finds their connections closed.
#[test]
fn many_pes_leave_without_a_fault() {
    let _turn = support::turn();
    let hello = program::plain(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples/c/hello.c"), "hello");
    for round in 0..10 {
        let command = command(Prefix::get(), &hello, Launch::Pes(64));
        let outcome = Job::start(command, &[("SHMEM_TRANSPORT".to_owned(), "tcp".to_owned())]).finish(LIMIT);
        assert_eq!(outcome.code(), Some(0), "{}", outcome.report(&format!("round {round}")));
    }
}
