//! The example `parameter_server`: it comes to its result although each of its workers is killed. The members are this program again, with
//! the variables that torchrun sets.

#[path = "../examples/parameter_server.rs"]
mod example;

use std::{
    collections::HashMap,
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{Child, Command, ExitCode, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::Duration,
};

const SIZE: u32 = 4;
/// The last argument of a member, which the example does not read.
const MEMBER: &str = "member";
/// Time that only ends hangs.
const LONG: Duration = Duration::from_secs(240);

fn main() -> ExitCode {
    if std::env::args().nth(3).as_deref() == Some(MEMBER) {
        return example::main();
    }
    // On a busy machine the steps may be done before a worker is killed: then there are more steps.
    if ![1000, 5000, 25_000, 100_000].into_iter().any(all_workers_are_killed) {
        panic!("all runs have ended before each worker was killed");
    }
    println!("test the_result_is_right_although_each_worker_is_killed ... ok");
    workers_end_with_their_starters();
    println!("test workers_end_with_their_starters ... ok");
    println!("\ntest result: ok. 2 passed; 0 failed; 0 ignored");
    ExitCode::SUCCESS
}

/// The members of one run, and the lines that they and their workers print. All are killed with this value: workers end with their member.
struct Run {
    members: Vec<Child>,
    lines: Receiver<String>,
    directory: PathBuf,
}

impl Run {
    fn start(steps: u64) -> Run {
        let directory = std::env::temp_dir().join(format!("ferrite-parameters-{}-{steps}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let (send, lines) = channel();
        let member = |rank: u32| {
            let mut member = Command::new(std::env::current_exe().unwrap());
            member.arg(&directory).arg(steps.to_string()).arg(MEMBER).stdin(Stdio::null()).stdout(Stdio::piped());
            member.env("RANK", rank.to_string()).env("WORLD_SIZE", SIZE.to_string());
            for name in ["FERRITE_BOOT", "IS_WORKER", "PMI_FD", "PMI_RANK"] {
                member.env_remove(name);
            }
            let mut member = member.spawn().unwrap();
            let (from, send) = (BufReader::new(member.stdout.take().unwrap()), send.clone());
            thread::spawn(move || from.lines().map_while(Result::ok).for_each(|line| _ = send.send(line)));
            member
        };
        Run { members: (0..SIZE).map(member).collect(), lines, directory }
    }
}

impl Run {
    fn line(&self, said: &mut Vec<String>) -> String {
        let line = self.lines.recv_timeout(LONG).unwrap_or_else(|_| panic!("nothing came within {LONG:?}: {said:#?}"));
        said.push(line.clone());
        line
    }

    /// True if all processes have ended within this time: each that runs could print another line.
    fn is_over(&self) -> bool {
        let end = std::iter::repeat_with(|| self.lines.recv_timeout(LONG)).find_map(Result::err);
        end == Some(RecvTimeoutError::Disconnected)
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        for member in &mut self.members {
            let _ = member.kill();
            let _ = member.wait();
        }
        let is_over = self.is_over();
        let _ = std::fs::remove_dir_all(&self.directory);
        assert!(is_over || thread::panicking(), "a worker is left after {LONG:?}");
    }
}

/// Kill one worker at the beginning of each job, another each time. False if the steps were done too early for that.
fn all_workers_are_killed(steps: u64) -> bool {
    let mut run = Run::start(steps);
    let (mut processes, mut said) = (HashMap::new(), Vec::new());
    let (mut jobs, mut lost, mut next) = (0, 0, 1);
    let result = loop {
        let line = run.line(&mut said);
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["worker", rank, "is", "process", process] => _ = processes.insert(rank.to_owned(), process.to_owned()),
            [_, "workers", "from", "step", _] => jobs += 1,
            ["lost", ..] => lost += 1,
            [_, "steps:", ..] => break line,
            _ => {}
        }
        // Lines of two members come in any order.
        if let Some(process) = processes.get(&next.to_string()).filter(|_| next <= jobs && next < SIZE) {
            Command::new("kill").args(["-KILL", process]).status().expect("there is a kill command");
            next += 1;
        }
    };
    assert_eq!(result, format!("{steps} steps: y = 3.000000 x + -2.000000"), "{said:#?}");
    for (rank, member) in run.members.iter_mut().enumerate() {
        assert!(member.wait().unwrap().success(), "member {rank}: {said:#?}");
    }
    lost == SIZE - 1
}

/// `Run` is dropped while the workers are at work: only their members are killed.
fn workers_end_with_their_starters() {
    let (run, mut said) = (Run::start(1_000_000), Vec::new());
    while !run.line(&mut said).ends_with("workers from step 1") {}
}
