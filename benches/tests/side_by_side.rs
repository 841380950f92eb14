//! The whole program from its command line, against two pretended installations whose numbers are known.
//!
//! A pretended `oshcc` "compiles" every program to a script that prints a given line; a pretended `oshrun` drops its
//! options and runs it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

struct Scratch(PathBuf);

/// Write a script that can be executed. A process of its own does: a file that this process writes is open, too, in each process that
/// another test is about to start, and an open file cannot be executed.
fn write_script(path: &Path, text: &str) {
    let mut shell = Command::new("sh");
    shell.args(["-c", "printf %s \"$1\" >\"$0\" && chmod 755 \"$0\""]).arg(path).arg(text);
    assert!(shell.status().unwrap().success());
}

impl Scratch {
    fn new(name: &str) -> Self {
        let dir = std::env::temp_dir().join(format!("oshbench-{name}-{}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        Self(dir)
    }

    /// An installation of Ferrite whose every program runs `script`.
    fn pretend(&self, name: &str, script: &str) -> PathBuf {
        self.install(name, "oshrun 0.0.0", script)
    }

    /// The same for an implementation that oshbench does not know.
    fn pretend_other(&self, name: &str, script: &str) -> PathBuf {
        self.install(name, "launcher 0.0.0", script)
    }

    fn install(&self, name: &str, version: &str, script: &str) -> PathBuf {
        let prefix = self.0.join(name);
        let bin = prefix.join("bin");
        fs::create_dir_all(&bin).unwrap();
        let oshcc = format!(
            "#!/bin/sh\nwhile [ $# -gt 0 ]; do if [ \"$1\" = -o ]; then out=$2; fi; shift; done\n\
             cat >\"$out\" <<'END'\n#!/bin/sh\n{script}\nEND\nchmod +x \"$out\"\n"
        );
        let oshrun = format!(
            "#!/bin/sh\n[ \"$1\" = --version ] && {{ echo '{version}'; exit 0; }}\n\
             while [ \"$1\" != -n ]; do shift; done\nshift 2\nexec \"$@\"\n"
        );
        for (file, text) in [("oshcc", oshcc), ("oshrun", oshrun)] {
            write_script(&bin.join(file), &text);
        }
        prefix
    }

    /// Run over shared memory only, unless the arguments select transports.
    fn command(&self, prefix: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_oshbench"));
        command
            .args(arguments)
            .args(if arguments.contains(&"--over") { &[][..] } else { &["--over", "shm"] })
            .arg("--prefix")
            .arg(prefix)
            .arg("--work")
            .arg(self.0.join("work"));
        command
    }

    fn oshbench(&self, prefix: &Path, arguments: &[&str]) -> Output {
        self.command(prefix, arguments).output().unwrap()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A directory that cannot be removed does not fail the test.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Every probe counts as near, whatever else this machine does.
const ALWAYS_NEAR: [&str; 4] = ["--far-from", "1e12", "--disturbed-from", "1e13"];

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The cells of the first line that begins with these words.
fn line(output: &str, words: &[&str]) -> Vec<String> {
    let cells = |line: &str| line.split_ascii_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let found =
        output.lines().map(cells).find(|cells| cells.iter().zip(words).filter(|(a, b)| a == b).count() == words.len());
    found.unwrap_or_else(|| panic!("no line {words:?} in:\n{output}"))
}

#[test]
fn known_numbers_give_known_ratios_and_verdicts() {
    let scratch = Scratch::new("ratios");
    let ours = scratch.pretend("ours", "echo bench put 8 10 ns; echo bench get 8 12 ns");
    let peer = scratch.pretend_other("peer", "echo bench put 8 25 ns; echo bench get 8 15 ns");
    let out = scratch.0.join("out");
    let files = ["--output", out.to_str().unwrap(), "--strict"];
    let peer = ["compare", "--with", peer.to_str().unwrap(), "--rounds", "3", "--sizes", "8", "put"];
    let output = scratch.oshbench(&ours, &[&peer[..], &ALWAYS_NEAR, &files].concat());
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}{}", text(&output.stderr));

    let put = "put 8 2 near 3 10.0 ns less peer 25.0 ns 0.40 0.40..0.40 <= 0.5 met";
    assert_eq!(line(&said, &["put", "8"]).join(" "), put);
    assert_eq!(line(&said, &["get", "8"]).last().unwrap(), "MISSED");
    assert!(said.contains("limits: 1 met, 1 missed"), "{said}");

    let file = |name: &str| fs::read_to_string(out.join(name)).unwrap();
    let document: serde_json::Value = serde_json::from_str(&file("results.json")).unwrap();
    assert_eq!(document["rows"][0]["ratio"], 0.4);
    assert_eq!((&document["rounds"], &document["ours"]["dialect"]), (&3.into(), &"ferrite".into()));
    let job = &document["jobs"][0];
    assert_eq!((&job["program"], &job["transport"], &job["arguments"][0]), (&"put".into(), &"shm".into(), &"8".into()));
    assert!(job["binding"] == "core" && job["batches"] == serde_json::json!([21, 1000]), "{job}");
    assert_eq!(document["record"]["runs"].as_array().unwrap().len(), 9, "three sides, three rounds");
    assert!(file("results.md").contains("| put  |"));
    assert!(file("results.csv").lines().any(|line| line.contains(",shm,put,put,8,2,near,3,10.000000,ns,")));
    assert!(file("osu/shm-put-2pes-near.txt").ends_with("\n8                     0.0100\n"));
    assert!(file("report.html").contains("Ferrite beside peer"));
}

#[test]
fn a_missed_limit_fails_only_if_strict_and_a_broken_quiet_always() {
    let scratch = Scratch::new("strict");
    let slow = scratch.pretend("slow", "echo bench put 8 50 ns");
    let peer = scratch.pretend_other("peer", "echo bench put 8 50 ns");
    let base = ["compare", "--with", peer.to_str().unwrap(), "--rounds", "3", "--sizes", "8", "put"];
    let arguments = [&base[..], &ALWAYS_NEAR].concat();
    assert_eq!(scratch.oshbench(&slow, &arguments).status.code(), Some(0));
    assert_eq!(scratch.oshbench(&slow, &[&arguments[..], &["--strict"]].concat()).status.code(), Some(1));

    let broken = scratch.pretend("broken", "echo bench quiet_litmus_at_writer 8 1 count");
    assert_eq!(scratch.oshbench(&broken, &["order", "--quick"]).status.code(), Some(1));
    let sound = scratch.pretend("sound", "echo bench quiet_litmus_at_writer 8 0 count");
    assert_eq!(scratch.oshbench(&sound, &["order", "--quick"]).status.code(), Some(0));
}

#[test]
fn two_installations_of_ferrite_are_compared_without_limits_and_over_one_transport() {
    let scratch = Scratch::new("versions");
    let script = |ns: u32| format!("echo bench put 8 {ns} ns; [ \"$SHMEM_TRANSPORT\" = tcp ]");
    let (new, old) = (scratch.pretend("new", &script(50)), scratch.pretend("old", &script(40)));
    let base = ["--rounds", "3", "--sizes", "8", "--over", "tcp", "--strict"];
    let cc = scratch.pretend("cc", "echo bench bare_pingpong 8 50 ns; echo bench bare_tcp_round 8 50 ns");
    let (old, cc) = (old.to_str().unwrap(), cc.join("bin/oshcc"));
    let compare = ["compare", "put", "--with", old, "--cc", cc.to_str().unwrap()];
    let output = scratch.oshbench(&new, &[&compare[..], &base].concat());
    let said = text(&output.stdout);
    assert!(output.status.success(), "{said}{}", text(&output.stderr));
    assert_eq!(line(&said, &["put", "8"]).join(" "), "put 8 2 near 3 50.0 ns less peer 40.0 ns 1.25 1.25..1.25");
    assert!(said.contains(&format!("peer: oshrun 0.0.0 in {old}")), "{said}");
    assert!(said.contains("bare_tcp_round") && said.contains("limits: 1 met"), "{said}");
}

#[test]
fn failures_are_told_and_counted_against_ours_alone() {
    let scratch = Scratch::new("failures");
    let good = scratch.pretend("good", "echo bench put 8 10 ns");
    let bad = scratch.pretend("bad", "echo it broke >&2; exit 3");
    let mute = scratch.pretend("mute", "echo nothing of interest");
    let only = ["put", "--sizes", "8", "--quick"];
    for broken in [&bad, &mute] {
        let output = scratch.oshbench(broken, &only);
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
        assert!(text(&output.stdout).contains("failed: shm, put, 2 PEs, ours"), "{}", text(&output.stdout));
        let against = [&["compare", "--with", broken.to_str().unwrap()], &only[..]].concat();
        let output = scratch.oshbench(&good, &against);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert!(text(&output.stdout).contains("failed: shm, put, 2 PEs, peer"), "{}", text(&output.stdout));
    }
}

#[test]
fn a_side_that_is_not_pinned_is_told_and_not_compared_as_near() {
    let scratch = Scratch::new("astray");
    let ours = scratch.pretend("ours", "echo bench put 8 10 ns");
    let astray =
        scratch.pretend("astray", "echo affinity 0 here 0-4095; echo affinity 1 here 0-4095; echo bench put 8 25 ns");
    let out = scratch.0.join("out");
    let peer = ["compare", "--with", astray.to_str().unwrap(), "--rounds", "3", "--sizes", "8", "put"];
    let arguments = [&peer[..], &ALWAYS_NEAR, &["--output", out.to_str().unwrap()]].concat();
    let said = text(&scratch.oshbench(&ours, &arguments).stdout);
    assert!(
        said.contains("not comparable: shm, put, 2 PEs, peer: PE 0 was not pinned to a core: it had CPUs 0-4095"),
        "{said}"
    );
    assert!(line(&said, &["put", "8"]).join(" ").ends_with("no like pairs"), "{said}");

    let document: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(out.join("results.json")).unwrap()).unwrap();
    let alarms = document["record"]["alarms"].as_array().unwrap();
    assert_eq!((alarms.len(), &alarms[0]["side"]), (1, &"peer".into()));
    let runs = document["record"]["runs"].as_array().unwrap();
    let of_peer: Vec<_> = runs.iter().filter(|run| run["side"] == "peer").collect();
    assert_eq!(of_peer.len(), 3, "further rounds would not help");
    assert!(
        of_peer.iter().all(|run| run["distance"] == "any" && run["affinities"]["1"]["cpus"] == "0-4095"),
        "{of_peer:?}"
    );
}

#[test]
fn a_run_that_hangs_is_ended() {
    let scratch = Scratch::new("hang");
    let hung = scratch.pretend("hung", "sleep 600");
    let output = scratch.oshbench(&hung, &["put", "--sizes", "8", "--quick", "--timeout", "1"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("did not end within 1 s"), "{}", text(&output.stdout));
}

/// Measure with an installation whose fourth run hangs. Two runs of the second round come before it. Returns the process, and the process
/// id of the run that hangs.
fn hanging(scratch: &Scratch, more: &[&str]) -> (Child, u32) {
    let (runs, pid) = (scratch.0.join("runs"), scratch.0.join("pid"));
    let script = format!(
        "echo bench put 8 10 ns\necho run >>{runs}\n[ $(wc -l <{runs}) -lt 4 ] && exit\n\
         echo $$ >{pid}.draft; mv {pid}.draft {pid}; exec sleep 600",
        runs = runs.display(),
        pid = pid.display()
    );
    let ours = scratch.pretend("ours", &script);
    let arguments = [&["put", "--sizes", "8", "--rounds", "5"][..], &ALWAYS_NEAR, more].concat();
    let mut command = scratch.command(&ours, &arguments);
    let mut oshbench = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    while !pid.exists() {
        assert!(oshbench.try_wait().unwrap().is_none(), "it ended before the run that hangs");
        thread::sleep(Duration::from_millis(20));
    }
    (oshbench, fs::read_to_string(pid).unwrap().trim().parse().unwrap())
}

fn alive(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, state)| !state.trim_start().starts_with('Z'))
}

#[test]
fn a_signal_ends_the_run_and_shows_what_was_measured() {
    let scratch = Scratch::new("signal");
    let out = scratch.0.join("out");
    let (oshbench, hung) = hanging(&scratch, &["--output", out.to_str().unwrap()]);
    kill_process(Pid::from_child(&oshbench), Signal::TERM).unwrap();
    let output = oshbench.wait_with_output().unwrap();
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(143), "{said}");
    // A killed process closes its output before it has ended.
    while alive(hung) {
        thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(line(&said, &["put", "8"])[4..7], ["2", "10.0", "ns"], "{said}");
    assert!(said.contains("cut short, and this is what was measured before: ended by SIGTERM"), "{said}");
    let document: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(out.join("results.json")).unwrap()).unwrap();
    assert_eq!(document["record"]["runs"].as_array().unwrap().iter().filter(|run| run["side"] == "ours").count(), 2);
    assert_eq!(document["record"]["cut_short"], "ended by SIGTERM");
}

#[test]
fn a_run_does_not_outlive_who_started_it() {
    let scratch = Scratch::new("orphan");
    let (mut oshbench, hung) = hanging(&scratch, &[]);
    oshbench.kill().unwrap();
    oshbench.wait().unwrap();
    while alive(hung) {
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_probe_that_fails_costs_nothing_that_was_measured() {
    let scratch = Scratch::new("probe");
    let ours = scratch.pretend("ours", "echo bench put 8 10 ns");
    // The ping-pong works for two probes, the ones around the first round.
    let cc = scratch.pretend(
        "cc",
        &format!(
            "echo >>{0}; [ $(wc -l <{0}) -le 2 ] && echo bench bare_pingpong 8 50 ns",
            scratch.0.join("probes").display()
        ),
    );
    let (cc, mut arguments) = (cc.join("bin/oshcc"), vec!["put", "--sizes", "8", "--rounds", "3"]);
    arguments.extend(["--cc", cc.to_str().unwrap()]);
    let output = scratch.oshbench(&ours, &arguments);
    let said = text(&output.stdout);
    if said.contains(" 1 cores") {
        return println!("skipped: on one core nothing is probed");
    }
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("cut short") && said.contains("bare_pingpong"), "{said}");
    assert_eq!(line(&said, &["put", "8"])[3..], ["near", "1", "10.0", "ns", "less"], "{said}");
}

#[test]
fn wrong_requests_are_refused_in_one_line() {
    let scratch = Scratch::new("refused");
    let good = scratch.pretend("good", "echo bench put 8 10 ns");
    let missing = scratch.oshbench(Path::new("/nobody"), &["put"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(
        text(&missing.stderr).starts_with("oshbench: /nobody/bin/oshcc does not exist"),
        "{}",
        text(&missing.stderr)
    );
    let unknown = scratch.oshbench(&good, &["put", "--only", "barrier"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert_eq!(text(&unknown.stderr), "oshbench: --only barrier: these families have no such program\n");
}

#[test]
fn applications_give_a_mean_and_what_a_library_has_not_got_is_told() {
    let scratch = Scratch::new("applications");
    let program = |rate: f64| {
        format!(
            "name=$(basename $0); if [ $name = bfs ]; then echo skipped bfs: it needs more; \
             else echo figure program=$name value={rate} unit=Mkeys/s seconds=1 pes=2; fi"
        )
    };
    let (ours, peer) = (scratch.pretend("ours", &program(8.0)), scratch.pretend_other("peer", &program(2.0)));
    let history = scratch.0.join("history");
    let compare = ["compare", "--with", peer.to_str().unwrap(), "applications", "--pes", "2", "--rounds", "3"];
    let more = ["--only", "sort,gups,bfs", "--record", history.to_str().unwrap()];
    let output = scratch.oshbench(&ours, &[&compare[..], &more, &ALWAYS_NEAR].concat());
    let said = text(&output.stdout);
    assert!(output.status.success(), "{said}{}", text(&output.stderr));
    assert!(line(&said, &["sort", "-"]).join(" ").ends_with("peer 2.00 Mkeys/s 4.00 4.00..4.00 faster"), "{said}");
    assert!(said.contains("shm: applications: 0.25 of the peer's time, geometric mean of 2 ratios"), "{said}");
    for side in ["ours", "peer"] {
        assert!(said.contains(&format!("not there: shm, bfs, 2 PEs, {side}: bfs: it needs more")), "{said}");
    }
    assert_eq!(fs::read_to_string(history.join("applications.csv")).unwrap().lines().count(), 3);
}
