//! A meeting of two processes over a pair of pipes.

use crate::Meeting;
use std::{
    cell::RefCell,
    io::{self, BufRead, BufReader, Read, Write},
    process::{Child, Command, Stdio},
};

/// Prefix of each line that a process sends. It distinguishes these lines from the output of the test harness.
const MARK: &str = "meet ";

/// One end of the pair.
pub struct Pipes {
    me: usize,
    ends: RefCell<(Box<dyn BufRead>, Box<dyn Write>)>,
}

impl Pipes {
    /// Start the process of the second PE. Returns it, and the first PE's end of the pipes.
    pub fn start(command: &mut Command) -> (Child, Self) {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the other process starts");
        let from = child.stdout.take().expect("it was asked for");
        let to = child.stdin.take().expect("it was asked for");
        (child, Self::new(0, from, to))
    }

    /// The second PE's end of the pipes, in the process that was started.
    pub fn of_child() -> Self {
        Self::new(1, io::stdin(), io::stdout())
    }

    fn new(me: usize, from: impl Read + 'static, to: impl Write + 'static) -> Self {
        Pipes { me, ends: RefCell::new((Box::new(BufReader::new(from)), Box::new(to))) }
    }

    /// Read the output of the other process to its end: its test harness still has to write its last lines.
    pub fn drain(self) {
        let (mut from, _) = self.ends.into_inner();
        from.read_to_end(&mut Vec::new()).expect("the other process speaks");
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
                let byte =
                    |pair: &[char]| u8::from_str_radix(&pair.iter().collect::<String>(), 16).expect("hexadecimal");
                break digits.chunks(2).map(byte).collect();
            }
        };
        if self.me == 0 { vec![mine, theirs] } else { vec![theirs, mine] }
    }
}
