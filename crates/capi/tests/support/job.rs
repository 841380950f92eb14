//! One job: started with a known environment and bounded in time. Its output is captured in files, so that a process left behind cannot
//! keep the test waiting.

use super::env::Conditions;
use super::program::{Exit, Launch, Program};
use super::tagged::{Tag, VARIABLE};
use super::{prefix::Prefix, scratch, turn};
use rustix::process::{Pid, Signal, kill_process};
use std::fs::{self, File};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How long a job's processes may outlive its launcher. Generous, since this is about leaks, not speed; less than the 60 s after which
/// processes of a lost host end by themselves.
pub const GRACE: Duration = Duration::from_secs(45);

pub struct Job {
    child: Child,
    tag: Tag,
    shown: String,
}

/// How a job ended.
pub struct Outcome {
    /// The launcher's status; `None` if the job hung and was ended by the test.
    pub status: Option<ExitStatus>,
    pub stdout: String,
    pub stderr: String,
    /// Processes that outlived the launcher.
    pub outlived: Vec<i32>,
    /// The command line, for failure reports.
    pub shown: String,
}

impl Job {
    /// Starts `command` with a clean environment, the variables given, and no standard input.
    pub fn start(mut command: Command, variables: &[(String, String)]) -> Job {
        let tag = Tag::fresh();
        let stream = |name: &str| File::create(capture(&tag, name)).expect("creating a capture file");
        let kept: Vec<_> = ["PATH", "HOME", "USER", "TMPDIR", "LANG", "FERRITE_RSH", "LD_LIBRARY_PATH"]
            .into_iter()
            .filter_map(|name| super::env::get(name).map(|value| (name, value)))
            .collect();
        // Tests leave nothing in the user's directories.
        command
            .env_clear()
            .envs(kept)
            .env("FERRITE_LAST_RUN", "")
            .envs(variables.iter().cloned())
            .env(VARIABLE, tag.value());
        command.stdin(Stdio::null()).stdout(stream("out")).stderr(stream("err")).process_group(0);
        let mut shown: Vec<String> = variables.iter().map(|(name, value)| format!("{name}='{value}'")).collect();
        shown.push(command.get_program().display().to_string());
        shown.extend(command.get_args().map(|argument| argument.to_string_lossy().into_owned()));
        let child = command.spawn().unwrap_or_else(|error| panic!("{}: {error}", shown.join(" ")));
        Job { child, tag, shown: shown.join(" ") }
    }

    /// The mark of the job's processes.
    pub fn tag(&self) -> &Tag {
        &self.tag
    }

    /// The process that the test started: the launcher, or a program without one.
    pub fn pid(&self) -> i32 {
        i32::try_from(self.child.id()).expect("process numbers are positive and small")
    }

    /// Standard output so far.
    pub fn stdout_so_far(&self) -> String {
        text(&capture(&self.tag, "out"))
    }

    /// Standard error so far.
    pub fn stderr_so_far(&self) -> String {
        text(&capture(&self.tag, "err"))
    }

    /// Waits until `holds` is true of the output so far. The test fails if the job ends first or this takes longer than `limit`.
    pub fn wait_for_output(&mut self, what: &str, limit: Duration, holds: impl Fn(&str) -> bool) {
        let end = Instant::now() + limit;
        while !holds(&self.stdout_so_far()) {
            let ended = self.child.try_wait().ok().flatten();
            if ended.is_some() || Instant::now() > end {
                let why = ended.map_or_else(|| "in time".to_owned(), |status| format!("before it ended with {status}"));
                let (out, err) = (self.stdout_so_far(), self.stderr_so_far());
                panic!("{}: no {what} {why}\nstdout: {out}\nstderr: {err}", self.shown);
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits for the end. A job that takes longer than `limit` is ended and counts as hung.
    pub fn finish(mut self, limit: Duration) -> Outcome {
        let end = Instant::now() + limit;
        let mut pause = Duration::from_millis(1);
        let status = loop {
            match self.child.try_wait().expect("waiting for a child of ours") {
                Some(status) => break Some(status),
                None if Instant::now() > end => {
                    self.end();
                    break None;
                }
                None => std::thread::sleep(pause),
            }
            pause = (pause * 2).min(Duration::from_millis(20));
        };
        let outlived = self.tag.outlived(GRACE);
        self.tag.kill();
        let (out, err) = (capture(&self.tag, "out"), capture(&self.tag, "err"));
        let shown = std::mem::take(&mut self.shown);
        let outcome = Outcome { status, stdout: text(&out), stderr: text(&err), outlived, shown };
        let _ = fs::remove_file(out).and_then(|()| fs::remove_file(err));
        outcome
    }

    /// Ends the process that the test started, which may have something to remove first, such as network namespaces; then what is left.
    fn end(&mut self) {
        let end = Instant::now() + Duration::from_secs(10);
        if let (Ok(None), Some(pid)) = (self.child.try_wait(), Pid::from_raw(self.pid())) {
            let _ = kill_process(pid, Signal::TERM);
            while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < end {
                std::thread::sleep(Duration::from_millis(10));
            }
        }
        self.tag.kill();
        let _ = self.child.wait();
    }
}

/// A test that fails leaves no process behind.
impl Drop for Job {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.end();
        }
    }
}

impl Outcome {
    /// The status as a shell would show it: 128 + signal for a process that a signal ended.
    pub fn code(&self) -> Option<i32> {
        let status = self.status?;
        status.code().or_else(|| status.signal().map(|signal| 128 + signal))
    }

    /// Compares the outcome with the expectations of `program`; `Err` describes the difference in full.
    pub fn judge(&self, program: &Program) -> Result<(), String> {
        let expected = match (&program.exit, self.code()) {
            (_, None) => {
                let limit = Conditions::get().limit(program.limit);
                return Err(self.report(&format!("hung: still running after {} s", limit.as_secs())));
            }
            (Exit::Nonzero, Some(code)) => code != 0,
            (Exit::OneOf(codes), Some(code)) => codes.contains(&code),
        };
        if !expected {
            return Err(self.report(&format!("ended with status {:?}, expected {:?}", self.code(), program.exit)));
        }
        let mut lines: Vec<&str> = self.stdout.lines().collect();
        lines.sort_unstable();
        if !program.lines.is_empty() && lines != program.lines {
            return Err(self.report(&format!("stdout does not have just these lines: {:#?}", program.lines)));
        }
        for (stream, text, patterns) in
            [("stdout", &self.stdout, &program.stdout), ("stderr", &self.stderr, &program.stderr)]
        {
            if let Some(missing) = patterns.iter().find(|pattern| !pattern.is_match(text)) {
                return Err(self.report(&format!("{stream} does not contain /{missing}/")));
            }
        }
        if !program.says.is_empty()
            && !self.stderr.lines().any(|line| program.says.iter().all(|says| says.is_match(line)))
        {
            let patterns: Vec<_> = program.says.iter().map(|says| format!("/{says}/")).collect();
            return Err(self.report(&format!("no single line of stderr contains all of {}", patterns.join(" "))));
        }
        if !self.outlived.is_empty() {
            return Err(self.report(&format!("processes {:?} outlived the job", self.outlived)));
        }
        Ok(())
    }

    /// A failure report with everything needed to look into it.
    pub fn report(&self, what: &str) -> String {
        format!("{}\n    {what}\n{}{}", self.shown, tail("stdout", &self.stdout), tail("stderr", &self.stderr))
    }
}

/// Counts and failures of several runs.
#[derive(Default)]
pub struct Tally {
    pub runs: usize,
    /// Number of runs in the headers that the conditions of this test run leave out.
    pub left_out: usize,
    /// Failures, run by run.
    pub failures: Vec<String>,
}

/// Builds a program of the suite and runs it in every way that its header asks for and the conditions of this test run include.
pub fn run_all(program: &Program, prefix: &Prefix, tally: &mut Tally) {
    let conditions = Conditions::get();
    let asked = program.launches.len() * program.environments.len();
    if program.mapped && conditions.are_far() {
        println!("skipped: {}: it is about memory that PEs share", program.name);
        tally.left_out += asked;
        return;
    }
    if program.is_static() && conditions.load_libraries() {
        println!("skipped: {}: a program that is linked statically cannot load the transport's library", program.name);
        tally.left_out += asked;
        return;
    }
    let launches: Vec<Launch> = program.launches.iter().copied().filter(|launch| conditions.want(*launch)).collect();
    tally.runs += launches.len() * program.environments.len();
    tally.left_out += asked - launches.len() * program.environments.len();
    let executable = match program.build(prefix) {
        Ok(executable) => executable,
        Err(error) => return tally.failures.push(format!("{} does not compile\n{error}", program.name)),
    };
    for environment in &program.environments {
        // Failures are made by the stand-in only.
        let of_stand_in = environment.iter().any(|(name, _)| name.starts_with("CUDA_STANDIN_"));
        if of_stand_in && super::env::get("FERRITE_TEST_GPU").is_some() {
            println!("skipped: {}: no GPU fails as {environment:?} requests", program.name);
            tally.runs -= launches.len();
            tally.left_out += launches.len();
            continue;
        }
        let stand_in = if program.name.starts_with("device/") { super::stand_in_driver() } else { Vec::new() };
        let variables = [&conditions.variables[..], &stand_in, environment].concat();
        for &launch in &launches {
            let _turn = turn();
            let outcome =
                Job::start(command(prefix, &executable, launch), &variables).finish(conditions.limit(program.limit));
            if let Err(failure) = outcome.judge(program) {
                tally.failures.push(format!("{} with {launch:?}: {failure}", program.name));
            }
        }
    }
}

/// The command line of a run.
pub fn command(prefix: &Prefix, executable: &Path, launch: Launch) -> Command {
    match launch {
        Launch::Alone => Command::new(executable),
        Launch::Pes(count) => {
            let mut command = Command::new(prefix.tool("oshrun"));
            command.args(Conditions::get().options).arg("-n").arg(count.to_string()).arg(executable);
            command
        }
    }
}

/// The capture file of a stream of a job. The mark contains a dot, so the stream's name is appended: as an extension it would replace a
/// part of the mark.
fn capture(tag: &Tag, stream: &str) -> PathBuf {
    scratch("captured").join(format!("{}.{stream}", tag.value()))
}

fn text(path: &Path) -> String {
    String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned()
}

/// The last lines of a stream, indented for a failure report.
fn tail(name: &str, text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let shown = &lines[lines.len().saturating_sub(20)..];
    shown.iter().map(|line| format!("    {name} | {line}\n")).collect()
}
