//! The suite of all providers, with PEs as processes: this binary starts itself again for the second PE, and the two
//! meet over its standard input and output. And what happens when the second one dies.
#![cfg(bindings)]

mod support;

use ferrite_conformance::{self as conformance, Meeting, Member};
use ferrite_fabric::{Op, Pe, Remote, SegmentId};
use ferrite_ofi::{OfiFabric, Options};
use std::{
    cell::RefCell,
    io::{BufRead, BufReader, Read, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};
use support::{SHM, TCP, UDP, Way, has, make, named, options};

/// What the child writes before each of its lines, so that they are told from those of the test harness.
const MARK: &str = "meet ";

/// A meeting of two over a pair of pipes.
struct Pipes<R, W> {
    me: usize,
    ends: RefCell<(BufReader<R>, W)>,
}

impl<R: Read, W: Write> Meeting for Pipes<R, W> {
    fn exchange(&self, mine: Vec<u8>) -> Vec<Vec<u8>> {
        let (from, to) = &mut *self.ends.borrow_mut();
        let text: String = mine.iter().map(|byte| format!("{byte:02x}")).collect();
        writeln!(to, "\n{MARK}{text}").expect("the other process listens");
        to.flush().expect("the other process listens");
        let theirs = loop {
            let mut line = String::new();
            assert!(from.read_line(&mut line).expect("the other process speaks") > 0, "the other process has ended");
            if let Some(text) = line.trim_end_matches('\n').strip_prefix(MARK) {
                let digits: Vec<char> = text.chars().collect();
                let byte = |pair: &[char]| u8::from_str_radix(&pair.iter().collect::<String>(), 16).unwrap();
                break digits.chunks(2).map(byte).collect();
            }
        };
        if self.me == 0 { vec![mine, theirs] } else { vec![theirs, mine] }
    }
}

/// The second process, and the way to it.
fn start(test: &str) -> (Child, Pipes<ChildStdout, ChildStdin>) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([test, "--exact", "--ignored", "--nocapture"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let ends = RefCell::new((BufReader::new(child.stdout.take().unwrap()), child.stdin.take().unwrap()));
    (child, Pipes { me: 0, ends })
}

fn parent(way: Way, test: &str) {
    if !has(way) {
        return;
    }
    let (mut child, pipes) = start(test);
    conformance::run(Pe(0), 2, &make(way), &pipes);
    // What its harness says at the end has to go somewhere.
    let (mut from, _) = pipes.ends.into_inner();
    from.read_to_end(&mut Vec::new()).unwrap();
    assert!(child.wait().unwrap().success());
}

fn standard() -> Pipes<std::io::Stdin, std::io::Stdout> {
    Pipes { me: 1, ends: RefCell::new((BufReader::new(std::io::stdin()), std::io::stdout())) }
}

fn child(way: Way) {
    conformance::run(Pe(1), 2, &make(way), &standard());
}

#[test]
fn two_over_tcp() {
    parent(TCP, "other_over_tcp");
}

#[test]
fn two_over_shm() {
    parent(SHM, "other_over_shm");
}

#[test]
fn two_over_udp() {
    parent(UDP, "other_over_udp");
}

#[test]
fn two_over_named() {
    if let Some(way) = named() {
        parent(way, "other_over_named");
    }
}

#[test]
#[ignore = "started by two_over_tcp"]
fn other_over_tcp() {
    child(TCP);
}

#[test]
#[ignore = "started by two_over_shm"]
fn other_over_shm() {
    child(SHM);
}

#[test]
#[ignore = "started by two_over_udp"]
fn other_over_udp() {
    child(UDP);
}

#[test]
#[ignore = "started by two_over_named"]
fn other_over_named() {
    child(named().expect("the other process has a name"));
}

/// A peer that is killed becomes a fault, whatever was under way: memory or requests.
fn loses(op: fn(&mut u64) -> Op) {
    const PATIENCE: Duration = Duration::from_secs(60);
    if !has(TCP) {
        return;
    }
    let (mut other, pipes) = start("doomed");
    let options = Options { silence: Some(Duration::from_secs(3)), ..options(Pe(0), 2, TCP) };
    let member = Member::new(Box::new(OfiFabric::open(options).unwrap()), Pe(0), 2, &pipes);
    let mut word = 0;
    // Connected in both directions.
    let ticket = member.post(&op(&mut word));
    member.wait(ticket, ferrite_fabric::Stage::Local);
    other.kill().unwrap();
    other.wait().unwrap();
    let begun = Instant::now();
    let fault = loop {
        assert!(begun.elapsed() < PATIENCE, "nobody noticed");
        // SAFETY: the word outlives the loop, and the fabric ends with it.
        let _ = unsafe { member.lane.post(&op(&mut word)) };
        member.lane.progress();
        if let Some(fault) = member.fabric().fault() {
            break fault.to_string();
        }
        std::thread::sleep(Duration::from_micros(100));
    };
    println!("{fault}");
    assert!(fault.contains("PE 1"), "{fault}");
}

fn there() -> Remote {
    Remote { pe: Pe(1), segment: SegmentId::HEAP, offset: 64 }
}

#[test]
fn a_lost_peer_is_a_fault_to_gets() {
    loses(|word| Op::Get { from: there(), to: std::ptr::from_mut(word).cast(), len: 8 });
}

#[test]
fn a_lost_peer_is_a_fault_to_atomics() {
    use ferrite_fabric::{Amo, Width};
    loses(|word| {
        let fetch = std::ptr::from_mut(word).cast();
        Op::Amo { at: there(), width: Width::W64, op: Amo::Fetch, operand: 0, compare: 0, fetch }
    });
}

/// PE 1 of [`loses`], which kills it.
#[test]
#[ignore = "started by those who lose a peer"]
fn doomed() {
    let pipes = standard();
    let _member = Member::new(make(TCP)(Pe(1), 2), Pe(1), 2, &pipes);
    loop {
        std::thread::sleep(Duration::from_secs(1));
    }
}
