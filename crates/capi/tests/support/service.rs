//! A service whose workers are killed while it runs: the members of an example `parameter_server`, with the variables that torchrun sets.

use super::job::GRACE;
use super::tagged::{Tag, VARIABLE};
use rustix::process::{Pid, Signal, kill_process};
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// PEs of the service: its server, and workers.
pub const SIZE: u32 = 4;
/// Time that only ends hangs.
const LONG: Duration = Duration::from_secs(240);

/// The members of one run and the lines that they print. All its processes are killed with this value.
struct Service {
    started: Vec<Child>,
    tag: Tag,
    lines: Receiver<String>,
    directory: PathBuf,
}

impl Service {
    fn start(commands: Vec<Command>, directory: PathBuf) -> Service {
        let (send, lines) = channel();
        let mut service = Service { started: Vec::new(), tag: Tag::fresh(), lines, directory };
        for mut command in commands {
            command.env(VARIABLE, service.tag.value()).process_group(0);
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
            let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
            pass(child.stdout.take().unwrap(), &send);
            pass(child.stderr.take().unwrap(), &send);
            service.started.push(child);
        }
        service
    }

    /// SIGKILL for those processes of this run of which this is true.
    fn kill(&self, is_meant: impl Fn(i32) -> bool) {
        for pid in self.tag.processes().into_iter().filter(|&pid| is_meant(pid)).filter_map(Pid::from_raw) {
            let _ = kill_process(pid, Signal::KILL);
        }
    }

    fn line(&self, said: &mut Vec<String>) -> String {
        let line = self.lines.recv_timeout(LONG);
        let line = line.unwrap_or_else(|error| panic!("no line within {LONG:?}: {error}: {said:#?}"));
        said.push(line.clone());
        line
    }

    /// Kill one worker in each job, another each time, until the server tells its result, which is returned with the number of losses.
    fn watch(&self, said: &mut Vec<String>) -> (String, u32) {
        let (mut processes, mut jobs, mut lost, mut next) = (HashMap::new(), 0, 0, 1);
        loop {
            let line = self.line(said);
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                ["worker", rank, "is", "process", process] => _ = processes.insert(rank.to_owned(), number(process)),
                [_, "workers", "from", "step", _] => jobs += 1,
                ["lost", ..] => lost += 1,
                [_, "steps:", ..] => return (line, lost),
                _ => {}
            }
            // Lines of two members come in any order.
            if let Some(&process) = processes.get(&next.to_string()).filter(|_| next <= jobs && next < SIZE) {
                self.kill(|pid| pid == process);
                next += 1;
            }
        }
    }

    /// All that was started succeeds, and leaves nothing behind.
    fn ends_well(&mut self, said: &[String]) {
        let end = Instant::now() + LONG;
        for child in &mut self.started {
            let status = loop {
                match child.try_wait().unwrap() {
                    None if Instant::now() < end => thread::sleep(Duration::from_millis(10)),
                    status => break status,
                }
            };
            assert!(status.is_some_and(|status| status.success()), "{status:?}: {said:#?}");
        }
        assert_eq!(self.tag.outlived(GRACE), [0; 0], "processes are left: {said:#?}");
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // A supervisor may have started another worker meanwhile.
        let end = Instant::now() + LONG;
        while !self.tag.processes().is_empty() && Instant::now() < end {
            self.tag.kill();
            thread::sleep(Duration::from_millis(10));
        }
        self.started.iter_mut().for_each(|child| _ = child.wait());
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

fn number(word: &str) -> i32 {
    word.parse().expect("the number of a process")
}

fn pass(from: impl Read + Send + 'static, to: &Sender<String>) {
    let (lines, to) = (BufReader::new(from).lines().map_while(Result::ok), to.clone());
    thread::spawn(move || lines.for_each(|line| _ = to.send(line)));
}

/// One command for each member, as torchrun would start it.
pub fn members(member: impl Fn() -> Command) -> Vec<Command> {
    let of_rank = |rank: u32| {
        let mut member = member();
        member.env("RANK", rank.to_string()).env("WORLD_SIZE", SIZE.to_string());
        member
    };
    (0..SIZE).map(of_rank).collect()
}

/// The service comes to its result although each of its workers is killed. `commands` start it, given its directory and its number of steps.
pub fn survives_kills_of_its_workers(name: &str, commands: impl Fn(&Path, u64) -> Vec<Command>) {
    // On a busy machine the steps may be done before each worker is killed: then there are more steps.
    let all_were_killed = [1000, 5000, 25_000, 100_000].into_iter().any(|steps| {
        let directory = std::env::temp_dir().join(format!("ferrite-{name}-{}-{steps}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let mut service = Service::start(commands(&directory, steps), directory);
        let mut said = Vec::new();
        let (result, lost) = service.watch(&mut said);
        assert_eq!(result, format!("{steps} steps: y = 3.000000 x + -2.000000"), "{said:#?}");
        service.ends_well(&said);
        lost >= SIZE - 1
    });
    assert!(all_were_killed, "all runs have ended before each worker was killed");
}

/// Workers end when all other processes of the service are killed, as torchrun kills those that it has started.
pub fn leaves_no_worker_behind(name: &str, commands: impl Fn(&Path, u64) -> Vec<Command>) {
    let directory = std::env::temp_dir().join(format!("ferrite-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let service = Service::start(commands(&directory, 1_000_000), directory);
    let (mut said, mut workers, mut has_begun) = (Vec::new(), Vec::new(), false);
    while workers.len() < SIZE as usize - 1 || !has_begun {
        let line = service.line(&mut said);
        has_begun |= line.ends_with("from step 1");
        workers.extend(line.split_once(" is process ").map(|(_, process)| number(process)));
    }
    service.kill(|pid| !workers.contains(&pid));
    assert_eq!(service.tag.outlived(LONG), [0; 0], "workers {workers:?} are left: {said:#?}");
}
