//! Runs `oshrun`, and checks that a job leaves nothing behind.

#![allow(dead_code, reason = "each test program uses its part")]

use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

/// Bound for a hang: nothing here takes long.
pub const PATIENCE: Duration = Duration::from_secs(300);

/// How long processes that oshrun has killed may take to disappear. Shorter than the time after which processes of a lost host end by
/// themselves.
const END_OF_KILLED: Duration = Duration::from_secs(45);

/// The program that the PEs run.
pub const PE: &str = env!("CARGO_BIN_EXE_test-pe");

/// Result of a job.
pub struct Ran {
    /// Exit code; 128 and the signal's number if oshrun itself was killed.
    pub code: i32,
    pub out: String,
    pub err: String,
}

/// A running job. All its processes carry a mark in their environment, which distinguishes them from all others on the machine.
pub struct Job {
    pub oshrun: Child,
    mark: String,
    out: Reading,
    err: Reading,
}

/// A stream of oshrun, read by a thread.
struct Reading {
    so_far: Arc<Mutex<Vec<u8>>>,
    thread: thread::JoinHandle<()>,
}

impl Reading {
    fn start(mut stream: impl Read + Send + 'static) -> Reading {
        let so_far = Arc::new(Mutex::new(Vec::new()));
        let bytes = so_far.clone();
        let thread = thread::spawn(move || {
            let mut chunk = [0; 64 << 10];
            while let Ok(got @ 1..) = stream.read(&mut chunk) {
                bytes.lock().unwrap().extend_from_slice(&chunk[..got]);
            }
        });
        Reading { so_far, thread }
    }

    fn finish(self) -> String {
        self.thread.join().unwrap();
        String::from_utf8(std::mem::take(&mut *self.so_far.lock().unwrap())).unwrap()
    }
}

/// Poll until a condition is true.
pub fn wait_until(what: &str, mut is_true: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_true() {
        assert!(begin.elapsed() < PATIENCE, "waiting in vain until {what}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// A command line of oshrun, where `PE!` stands for the test program. oshrun gets the default signal actions even if the tests ignore
/// signals (nohup, a shell's `&`).
pub fn command(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_oshrun"));
    command.args(words.iter().map(|word| word.replace("PE!", PE)));
    // These variables set the number of CPUs for each PE.
    command.env_remove("OMP_NUM_THREADS").env_remove("SLURM_CPUS_PER_TASK").env_remove("SLURM_NTASKS");
    let listen = || {
        for number in [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT] {
            // SAFETY: the default action installs no code.
            unsafe { libc::signal(number, libc::SIG_DFL) };
        }
        Ok(())
    };
    // SAFETY: the closure makes only system calls between fork and exec.
    unsafe { command.pre_exec(listen) };
    command
}

pub fn start(words: &[&str]) -> Job {
    start_with_input(command(words), b"")
}

/// Start a job with this standard input. An empty input is /dev/null: with a pipe, PE 0's lines go out in parts.
pub fn start_with_input(mut command: Command, input: &[u8]) -> Job {
    static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let count = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let mark = format!("FERRITE_TEST_JOB={}-{count}", std::process::id());
    let (name, value) = mark.split_once('=').unwrap();
    command.env(name, value).env_remove("FERRITE_BOOT");
    command.stdin(if input.is_empty() { Stdio::null() } else { Stdio::piped() });
    let mut oshrun = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    if let Some(mut stdin) = oshrun.stdin.take() {
        let input = input.to_vec();
        thread::spawn(move || {
            let _ = stdin.write_all(&input);
        });
    }
    let out = Reading::start(oshrun.stdout.take().unwrap());
    let err = Reading::start(oshrun.stderr.take().unwrap());
    Job { oshrun, mark, out, err }
}

/// Run a job to its end.
pub fn run(words: &[&str]) -> Ran {
    start(words).finish()
}

impl Job {
    /// Send a signal to oshrun.
    pub fn signal(&self, number: i32) {
        // SAFETY: oshrun is a child that was not waited for yet, so its number is not reused.
        assert_eq!(unsafe { libc::kill(self.oshrun.id() as i32, number) }, 0);
    }

    /// The processes of this job by their mark, without oshrun's own.
    pub fn processes(&self) -> BTreeSet<i32> {
        self.marked().into_iter().filter(|pid| !comm(*pid).starts_with("oshrun")).collect()
    }

    /// The processes of this job with this name, including oshrun's own.
    pub fn all_called(&self, name: &str) -> Vec<i32> {
        self.marked().into_iter().filter(|pid| comm(*pid) == name).collect()
    }

    /// Standard output so far.
    pub fn output(&self) -> String {
        String::from_utf8_lossy(&self.out.so_far.lock().unwrap()).into_owned()
    }

    /// Standard error so far.
    pub fn errors(&self) -> String {
        String::from_utf8_lossy(&self.err.so_far.lock().unwrap()).into_owned()
    }

    fn marked(&self) -> BTreeSet<i32> {
        let Ok(entries) = fs::read_dir("/proc") else { return BTreeSet::new() };
        let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
        pids.filter(|pid| {
            let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environment.split(|&byte| byte == 0).any(|variable| variable == self.mark.as_bytes())
        })
        .collect()
    }

    /// Wait until `count` of the job's processes have this name.
    pub fn wait_for(&self, count: usize, name: &str) -> Vec<i32> {
        let begin = Instant::now();
        loop {
            let found: Vec<i32> = self.processes().into_iter().filter(|pid| comm(*pid) == name).collect();
            if found.len() >= count {
                return found;
            }
            assert!(begin.elapsed() < PATIENCE, "{} instead of {count} processes `{name}` run", found.len());
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Wait for the end, and check that no process is left.
    pub fn finish(mut self) -> Ran {
        let status = wait(&mut self.oshrun);
        let begin = Instant::now();
        // Killed processes, and the other half of a killed oshrun, take a moment to end.
        while !self.marked().is_empty() {
            let left: Vec<String> = self.marked().into_iter().map(|pid| format!("{pid} {}", comm(pid))).collect();
            let patience = if status.is_none() { PATIENCE } else { END_OF_KILLED };
            assert!(begin.elapsed() < patience, "processes are left: {left:?}");
            thread::sleep(Duration::from_millis(5));
        }
        Ran { code: status.unwrap_or(137), out: self.out.finish(), err: self.err.finish() }
    }
}

/// The exit code, or None if a signal killed oshrun.
fn wait(oshrun: &mut Child) -> Option<i32> {
    let begin = Instant::now();
    loop {
        if let Some(status) = oshrun.try_wait().unwrap() {
            return status.code();
        }
        if begin.elapsed() > PATIENCE {
            let _ = oshrun.kill();
            panic!("oshrun hangs");
        }
        thread::sleep(Duration::from_millis(2));
    }
}

/// Send a signal until oshrun has ended. Repeats that come soon after the first count as the same signal, so one repeat is not enough.
pub fn insist(oshrun: &mut Child, number: i32) {
    let pid = oshrun.id() as i32;
    wait_until("oshrun obeys a repeated signal", || {
        let ended = oshrun.try_wait().unwrap().is_some();
        // SAFETY: oshrun is a child that was not waited for yet, so its number is not reused.
        assert!(ended || unsafe { libc::kill(pid, number) } == 0);
        ended
    });
}

pub fn comm(pid: i32) -> String {
    fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default().trim_end().to_owned()
}

/// Copy a program that is then executed. A process of its own writes the copy: a file that this process writes is open, too, in each
/// process that another test is about to start, and an open file cannot be executed.
pub fn copy_program(from: impl AsRef<Path>, to: impl AsRef<Path>) {
    assert!(Command::new("cp").arg(from.as_ref()).arg(to.as_ref()).status().unwrap().success());
}

/// Run a command that is not a job, within `PATIENCE`.
pub fn bounded(mut command: Command) -> Output {
    let (tell, told) = mpsc::channel();
    thread::spawn(move || tell.send(command.output().unwrap()));
    told.recv_timeout(PATIENCE).expect("it hangs")
}

impl Ran {
    /// Check the exit code, and that stderr is one line that contains all of these texts.
    pub fn ended(&self, code: i32, line: &[&str]) {
        assert_eq!(self.code, code, "stderr: {}", self.err);
        assert_eq!(self.err.lines().count(), 1, "one line tells the reason: {:?}", self.err);
        for part in line {
            assert!(self.err.contains(part), "`{part}` is not in: {}", self.err);
        }
    }

    /// Check that the job succeeded and oshrun printed nothing.
    pub fn went_well(&self) -> &str {
        assert_eq!((self.code, self.err.as_str()), (0, ""), "stdout: {}", self.out);
        &self.out
    }

    /// Lines of stdout, sorted.
    pub fn sorted(&self) -> Vec<&str> {
        let mut lines: Vec<&str> = self.out.lines().collect();
        lines.sort_unstable();
        lines
    }
}
