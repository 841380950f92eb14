//! The suite of all providers, with PEs as processes: this binary starts itself again for the second PE, and the
//! two meet over its standard input and output.

use ferrite_conformance::{self as conformance, Meeting};
use ferrite_fabric::{Fabric, Pe};
use ferrite_tcp::{Options, TcpFabric};
use std::{
    cell::RefCell,
    io::{BufRead, BufReader, Read, Write},
    process::{Command, Stdio},
};

/// What the child writes before each of its lines, so that they are told from those of the test harness.
const MARK: &str = "meet ";
const CHILD: &str = "the_other_process";

fn make(me: Pe, size: u32) -> Box<dyn Fabric> {
    Box::new(TcpFabric::new(Options::new(me, size, [3; 16])).unwrap())
}

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

#[test]
fn two_processes() {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([CHILD, "--exact", "--ignored", "--nocapture"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let ends = RefCell::new((BufReader::new(child.stdout.take().unwrap()), child.stdin.take().unwrap()));
    let pipes = Pipes { me: 0, ends };
    conformance::run(Pe(0), 2, &make, &pipes);
    // What its harness says at the end has to go somewhere.
    let (mut from, _) = pipes.ends.into_inner();
    from.read_to_end(&mut Vec::new()).unwrap();
    assert!(child.wait().unwrap().success());
}

/// PE 1 of [`two_processes`], which starts it.
#[test]
#[ignore = "started by two_processes"]
fn the_other_process() {
    let ends = RefCell::new((BufReader::new(std::io::stdin()), std::io::stdout()));
    conformance::run(Pe(1), 2, &make, &Pipes { me: 1, ends });
}
