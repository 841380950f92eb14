//! A meeting of two processes over a pair of pipes.

use ferrite_conformance::Meeting;
use std::{
    cell::RefCell,
    env,
    io::{BufRead, BufReader, Read, Write},
    process::{Child, Command, Stdio},
};

/// What a process writes before each of its lines, so that they are told from those of the test harness.
const MARK: &str = "meet ";

/// One end of the pair.
pub struct Pipes {
    me: usize,
    ends: RefCell<(Box<dyn BufRead>, Box<dyn Write>)>,
}

/// Another process of this binary, for one of its ignored tests, and the pipes to it. Where `FERRITE_TEST_OTHER_DEVICES` says so
/// it uses other devices than this one: what lies between them is then part of the test.
pub fn other(test: &str) -> (Child, Pipes) {
    let mut command = Command::new(env::current_exe().unwrap());
    #[expect(clippy::disallowed_methods, reason = "a variable of these tests")]
    if let Some(devices) = env::var_os("FERRITE_TEST_OTHER_DEVICES") {
        command.env("UCX_NET_DEVICES", devices);
    }
    let mut child = command
        .args([test, "--exact", "--ignored", "--nocapture", "--test-threads=1"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let from = Box::new(BufReader::new(child.stdout.take().unwrap()));
    let ends = RefCell::new((from as Box<dyn BufRead>, Box::new(child.stdin.take().unwrap()) as Box<dyn Write>));
    (child, Pipes { me: 0, ends })
}

impl Pipes {
    /// The end of the process that was started.
    pub fn of_child() -> Self {
        let from = Box::new(BufReader::new(std::io::stdin()));
        Pipes { me: 1, ends: RefCell::new((from as Box<dyn BufRead>, Box::new(std::io::stdout()) as Box<dyn Write>)) }
    }

    /// What the other's harness says at the end has to go somewhere.
    pub fn drain(self) {
        let (mut from, _) = self.ends.into_inner();
        from.read_to_end(&mut Vec::new()).unwrap();
    }
}

impl Meeting for Pipes {
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
