//! The loss of a host under `oshrun --on-loss return`: all its processes are killed, its agent too. Each call of the PEs of the other host
//! returns; they abandon the job, and meet again.

mod support;

use rustix::process::{Pid, Signal, kill_process};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use support::job::{Job, Outcome};
use support::prefix::Prefix;
use support::tagged::Tag;

/// Time that only ends hangs.
const LONG: Duration = Duration::from_secs(240);

/// PEs of both hosts.
const PES: usize = 4;

fn program(name: &str) -> PathBuf {
    let executable = support::scratch(name).join("pe");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/losses/launched.c");
    let mut oshcc = Command::new(Prefix::get().tool("oshcc"));
    let output = oshcc.args(["-O2", "-Wall", "-Wextra", "-o"]).arg(&executable).arg(source).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    executable
}

/// The parent of each process of the job.
fn parents(tag: &Tag) -> BTreeMap<i32, i32> {
    let parent = |pid: i32| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // After the name, which is in parentheses: the state, and the parent.
        Some((pid, stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()?))
    };
    tag.processes().into_iter().filter_map(parent).collect()
}

/// A process, its parent, and so on.
fn line_of(pid: i32, parents: &BTreeMap<i32, i32>) -> Vec<i32> {
    std::iter::successors(Some(pid), |pid| parents.get(pid).copied()).collect()
}

/// The processes of the host of one PE, if another PE is on another host: descendants of the first ancestor that they do not share.
fn host_of(pe: i32, other: i32, parents: &BTreeMap<i32, i32>) -> BTreeSet<i32> {
    let others = line_of(other, parents);
    let line = line_of(pe, parents);
    let first = line.iter().take_while(|pid| !others.contains(pid)).last();
    let first = first.expect("the PE is not an ancestor of the other");
    assert!(*first != pe, "PE {pe} has no agent of its own: {parents:?}");
    parents.keys().copied().filter(|&pid| line_of(pid, parents).contains(first)).collect()
}

/// Run the job of this command, and kill the second host when all PEs are up.
fn lose_a_host(command: Command, variables: &[(String, String)]) -> Outcome {
    let mut job = Job::start(command, variables);
    job.wait_for_output("PE is up", LONG, |out| out.matches(" is process ").count() == PES && out.ends_with('\n'));
    let process = |pe: usize| -> i32 {
        let out = job.stdout_so_far();
        let line = out.lines().find_map(|line| line.strip_prefix(&format!("PE {pe} is process ")));
        line.and_then(|number| number.parse().ok()).expect("each PE says its number")
    };
    let parents = parents(job.tag());
    let host = host_of(process(PES - 1), process(0), &parents);
    assert!(host.contains(&process(PES - 2)) && !host.contains(&process(1)), "{host:?} of {parents:?}");
    for pid in host.into_iter().filter_map(Pid::from_raw) {
        let _ = kill_process(pid, Signal::KILL);
    }
    job.finish(LONG)
}

fn is_survived(outcome: &Outcome) {
    assert_eq!(outcome.code(), Some(0), "{}", outcome.report("ended with another code"));
    assert_eq!(outcome.stdout.matches("total 2\n").count(), 2, "{}", outcome.report("was not survived"));
    assert!(outcome.stderr.contains("lost host"), "{}", outcome.report("does not tell of the loss"));
    assert!(outcome.outlived.is_empty(), "{}", outcome.report("left processes"));
}

/// Two names for this machine.
#[test]
fn agent_and_pes_of_a_host_are_killed() {
    let _turn = support::turn();
    let program = program("lost_hosts-names");
    let mut oshrun = Command::new(Prefix::get().tool("oshrun"));
    let here = "sh -c 'exec \"$@\"' {host}";
    oshrun.args(["--on-loss", "return", "--host", "ha:2,hb:2", "--rsh", here, "--bind-to", "none"]);
    let id = program.with_file_name("id");
    let _ = fs::remove_file(&id);
    oshrun.arg(&program).arg("host").arg(id);
    is_survived(&lose_a_host(oshrun, &[]));
}

/// Two network namespaces.
#[test]
fn a_host_with_a_network_of_its_own_is_killed() {
    let _turn = support::turn();
    let program = program("lost_hosts-namespaces");
    let hosts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ci/hosts");
    let probe = Command::new(&hosts).args(["2", "true"]).output().unwrap();
    if probe.status.code() == Some(77) {
        return print!("{}", String::from_utf8_lossy(&probe.stderr));
    }
    let id = program.with_file_name("id");
    let _ = fs::remove_file(&id);
    let script = r#"exec "$0" --on-loss return --host "$(echo "$FERRITE_TEST_HOSTS" | sed s/,/:2,/):2" --bind-to none "$1" host "$2""#;
    let mut command = Command::new(hosts);
    command.args(["2", "sh", "-c", script]).arg(Prefix::get().tool("oshrun")).arg(program).arg(id);
    is_survived(&lose_a_host(command, &[]));
}
