//! The whole program from its command line: against two pretended installations whose numbers are known, and against
//! a real one where there is one.
//!
//! A pretended `oshcc` "compiles" every program to a script that prints a given line; a pretended `oshrun` drops its
//! options and runs it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let dir = std::env::temp_dir().join(format!("benches-{name}-{}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        Self(dir)
    }

    /// An installation of Ferrite whose every program runs `script`.
    fn pretend(&self, name: &str, script: &str) -> PathBuf {
        self.install(name, "oshrun 0.0.0", script)
    }

    /// The same of an implementation that is not known.
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
            fs::write(bin.join(file), text).unwrap();
            fs::set_permissions(bin.join(file), fs::Permissions::from_mode(0o755)).unwrap();
        }
        prefix
    }

    fn command(&self, prefix: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_benches"));
        command.args(arguments).arg("--prefix").arg(prefix).arg("--work").arg(self.0.join("work"));
        command
    }

    fn benches(&self, prefix: &Path, arguments: &[&str]) -> Output {
        self.command(prefix, arguments).output().unwrap()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A left-over in the temporary directory is no reason to fail a test.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Whatever this machine does meanwhile, every probe counts as near.
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
    let (json, markdown) = (scratch.0.join("out.json"), scratch.0.join("out.md"));
    let files = ["--json", json.to_str().unwrap(), "--markdown", markdown.to_str().unwrap()];
    let peer = ["--peer", peer.to_str().unwrap(), "--rounds", "3", "--only", "put"];
    let output = scratch.benches(&ours, &[&["latency"], &peer[..], &ALWAYS_NEAR, &files].concat());
    let said = text(&output.stdout);
    assert!(output.status.success(), "{said}{}", text(&output.stderr));

    let put = "put 8 2 near 3 10.0 ns peer 25.0 ns 0.40 0.40..0.40 <= 0.5 met";
    assert_eq!(line(&said, &["put", "8"]).join(" "), put);
    assert_eq!(line(&said, &["get", "8"]).last().unwrap(), "MISSED");
    assert!(said.contains("limits: 1 met, 1 missed"), "{said}");

    let document: serde_json::Value = serde_json::from_str(&fs::read_to_string(json).unwrap()).unwrap();
    assert_eq!(document["rows"][0]["ratio"], 0.4);
    assert_eq!((&document["rounds"], &document["ours"]["dialect"]), (&3.into(), &"ferrite".into()));
    let job = &document["jobs"][0];
    assert_eq!(
        (&job["program"], &job["transport"], &job["arguments"][0]),
        (&"put".into(), &"memory".into(), &"8".into())
    );
    assert!(job["binding"] == "core" && job["batches"] == serde_json::json!([21, 1000]), "{job}");
    assert_eq!(document["record"]["runs"].as_array().unwrap().len(), 6);
    assert!(fs::read_to_string(markdown).unwrap().contains("| put  |"));
}

#[test]
fn a_missed_limit_fails_only_if_strict_and_a_broken_quiet_always() {
    let scratch = Scratch::new("strict");
    let slow = scratch.pretend("slow", "echo bench put 8 50 ns");
    let peer = scratch.pretend_other("peer", "echo bench put 8 50 ns");
    let base = ["latency", "--only", "put", "--rounds", "3", "--peer", peer.to_str().unwrap()];
    let arguments = [&base[..], &ALWAYS_NEAR].concat();
    assert_eq!(scratch.benches(&slow, &arguments).status.code(), Some(0));
    assert_eq!(scratch.benches(&slow, &[&arguments[..], &["--strict"]].concat()).status.code(), Some(1));

    let broken = scratch.pretend("broken", "echo bench quiet_litmus_at_writer 8 1 count");
    assert_eq!(scratch.benches(&broken, &["order", "--quick"]).status.code(), Some(1));
    let sound = scratch.pretend("sound", "echo bench quiet_litmus_at_writer 8 0 count");
    assert_eq!(scratch.benches(&sound, &["order", "--quick"]).status.code(), Some(0));
}

#[test]
fn two_installations_of_ferrite_are_compared_without_limits_and_over_one_transport() {
    let scratch = Scratch::new("versions");
    let script = |ns: u32| format!("echo bench put 8 {ns} ns; [ \"$SHMEM_TRANSPORT\" = tcp ]");
    let (new, old) = (scratch.pretend("new", &script(50)), scratch.pretend("old", &script(40)));
    let base = ["latency", "--only", "put", "--rounds", "3", "--over", "tcp", "--strict"];
    let cc = scratch.pretend("cc", "echo bench bare_pingpong 8 50 ns; echo bench bare_tcp_round 8 50 ns");
    let (old, cc) = (old.to_str().unwrap(), cc.join("bin/oshcc"));
    let output = scratch.benches(&new, &[&base[..], &["--peer", old, "--cc", cc.to_str().unwrap()]].concat());
    let said = text(&output.stdout);
    assert!(output.status.success(), "{said}{}", text(&output.stderr));
    assert_eq!(line(&said, &["put", "8"]).join(" "), "put 8 2 near 3 50.0 ns peer 40.0 ns 1.25 1.25..1.25");
    assert!(said.contains(&format!("peer: oshrun 0.0.0 in {old}")), "{said}");
    assert!(said.contains("bare_tcp_round") && said.contains("limits: 1 met"), "{said}");
}

#[test]
fn failures_are_told_and_counted_against_ours_alone() {
    let scratch = Scratch::new("failures");
    let good = scratch.pretend("good", "echo bench put 8 10 ns");
    let bad = scratch.pretend("bad", "echo it broke >&2; exit 3");
    let mute = scratch.pretend("mute", "echo nothing of interest");
    let only = ["latency", "--only", "put", "--quick"];
    for broken in [&bad, &mute] {
        let output = scratch.benches(broken, &only);
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
        assert!(text(&output.stdout).contains("failed: put, Ours"), "{}", text(&output.stdout));
        let against = [&only[..], &["--peer", broken.to_str().unwrap()]].concat();
        let output = scratch.benches(&good, &against);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert!(text(&output.stdout).contains("failed: put, Peer"), "{}", text(&output.stdout));
    }
}

#[test]
fn a_side_that_is_not_pinned_is_told_and_not_compared_as_near() {
    let scratch = Scratch::new("astray");
    let ours = scratch.pretend("ours", "echo bench put 8 10 ns");
    let astray =
        scratch.pretend("astray", "echo affinity 0 here 0-4095; echo affinity 1 here 0-4095; echo bench put 8 25 ns");
    let json = scratch.0.join("out.json");
    let peer = ["latency", "--only", "put", "--rounds", "3", "--peer", astray.to_str().unwrap()];
    let arguments = [&peer[..], &ALWAYS_NEAR, &["--json", json.to_str().unwrap()]].concat();
    let said = text(&scratch.benches(&ours, &arguments).stdout);
    assert!(
        said.contains("not comparable: put, 2 PEs, Peer: PE 0 was not pinned to a core: it had cpus 0-4095"),
        "{said}"
    );
    assert!(line(&said, &["put", "8"]).join(" ").ends_with("no like pairs"), "{said}");

    let document: serde_json::Value = serde_json::from_str(&fs::read_to_string(json).unwrap()).unwrap();
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
    let output = scratch.benches(&hung, &["latency", "--only", "put", "--quick", "--timeout", "1"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("did not end within 1 s"), "{}", text(&output.stdout));
}

/// Measures with an installation whose fourth run (the second round's are two before) hangs, and gives the process and the
/// one that hangs.
fn hanging(scratch: &Scratch, more: &[&str]) -> (Child, u32) {
    let (runs, pid) = (scratch.0.join("runs"), scratch.0.join("pid"));
    let script = format!(
        "echo bench put 8 10 ns\necho run >>{runs}\n[ $(wc -l <{runs}) -lt 4 ] && exit\n\
         echo $$ >{pid}.draft; mv {pid}.draft {pid}; exec sleep 600",
        runs = runs.display(),
        pid = pid.display()
    );
    let ours = scratch.pretend("ours", &script);
    let arguments = [&["latency", "--only", "put", "--rounds", "5"][..], &ALWAYS_NEAR, more].concat();
    let mut command = scratch.command(&ours, &arguments);
    let mut benches = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    while !pid.exists() {
        assert!(benches.try_wait().unwrap().is_none(), "it ended before the run that hangs");
        thread::sleep(Duration::from_millis(20));
    }
    (benches, fs::read_to_string(pid).unwrap().trim().parse().unwrap())
}

fn alive(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, state)| !state.trim_start().starts_with('Z'))
}

#[test]
fn a_signal_ends_the_run_and_shows_what_was_measured() {
    let scratch = Scratch::new("signal");
    let json = scratch.0.join("out.json");
    let (benches, hung) = hanging(&scratch, &["--json", json.to_str().unwrap()]);
    kill_process(Pid::from_child(&benches), Signal::TERM).unwrap();
    let output = benches.wait_with_output().unwrap();
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(143), "{said}");
    assert!(!alive(hung));
    assert_eq!(line(&said, &["put", "8"])[4..], ["2", "10.0", "ns"], "{said}");
    assert!(said.contains("cut short, and this is what was measured before: ended by SIGTERM"), "{said}");
    let document: serde_json::Value = serde_json::from_str(&fs::read_to_string(json).unwrap()).unwrap();
    assert_eq!(document["record"]["runs"].as_array().unwrap().len(), 2);
    assert_eq!(document["record"]["cut_short"], "ended by SIGTERM");
}

#[test]
fn a_run_does_not_outlive_who_started_it() {
    let scratch = Scratch::new("orphan");
    let (mut benches, hung) = hanging(&scratch, &[]);
    benches.kill().unwrap();
    benches.wait().unwrap();
    while alive(hung) {
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_probe_that_fails_costs_nothing_that_was_measured() {
    let scratch = Scratch::new("probe");
    let ours = scratch.pretend("ours", "echo bench put 8 10 ns");
    // The ping-pong is good for two probes, those around the first round.
    let cc = scratch.pretend(
        "cc",
        &format!(
            "echo >>{0}; [ $(wc -l <{0}) -le 2 ] && echo bench bare_pingpong 8 50 ns",
            scratch.0.join("probes").display()
        ),
    );
    let (cc, mut arguments) = (cc.join("bin/oshcc"), vec!["latency", "--only", "put", "--rounds", "3"]);
    arguments.extend(["--cc", cc.to_str().unwrap()]);
    let output = scratch.benches(&ours, &arguments);
    let said = text(&output.stdout);
    if said.contains(" 1 cores") {
        return println!("skipped: on one core nothing is probed");
    }
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("cut short") && said.contains("bare_pingpong"), "{said}");
    assert_eq!(line(&said, &["put", "8"])[3..], ["near", "1", "10.0", "ns"], "{said}");
}

#[test]
fn wrong_requests_are_refused_in_one_line() {
    let scratch = Scratch::new("refused");
    let good = scratch.pretend("good", "echo bench put 8 10 ns");
    let missing = scratch.benches(Path::new("/nobody"), &["latency"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(text(&missing.stderr).starts_with("benches: /nobody/bin/oshcc is not there"), "{}", text(&missing.stderr));
    let unknown = scratch.benches(&good, &["latency", "--only", "barrier"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert_eq!(text(&unknown.stderr), "benches: --only barrier: no such program in this family\n");
}

#[test]
fn a_real_installation_is_measured() {
    let beside = Path::new(env!("CARGO_BIN_EXE_benches")).ancestors().nth(2).unwrap().join("prefix");
    let installed = [beside, PathBuf::from("/usr")];
    let Some(prefix) = installed.iter().find(|prefix| prefix.join("bin/oshcc").exists()) else {
        println!(
            "skipped: no OpenSHMEM in {installed:?}; `cargo xtask dist` or openmpi-bin and libopenmpi-dev give one"
        );
        return;
    };
    let scratch = Scratch::new("real");
    let output = scratch.benches(prefix, &["latency", "--quick", "--only", "put,pingpong", "--timeout", "60"]);
    let said = text(&output.stdout);
    assert!(output.status.success(), "{said}{}", text(&output.stderr));
    for test in [["put", "8"], ["put", "1"], ["pingpong", "8"]] {
        line(&said, &test);
    }
}
