//! Agents that get signals or SIGKILL from a user or a scheduler, start late, or cannot start.

mod job;
mod test_hosts;

use job::wait_until;
use std::fs;
use test_hosts::TestHosts;

#[test]
fn signals_reach_all_hosts() {
    for hosts in TestHosts::both(2) {
        let script = "trap 'echo got; exit 0' USR1; echo up; while :; do sleep 0.05; done";
        let job = hosts.start(&[1, 1], &["sh", "-c", script]);
        wait_until("both are up", || job.output().matches("up").count() == 2);
        job.signal(libc::SIGUSR1);
        let ran = job.finish();
        assert_eq!((ran.code, ran.out.matches("got").count()), (0, 2), "{}", ran.err);
        let job = hosts.start(&[1, 1], &["PE!", "join", "exchange", "print=up", "deaf"]);
        wait_until("both are up", || job.output().matches("up").count() == 2);
        job.signal(libc::SIGINT);
        job.finish().ended(130, &["ending the job on SIGINT"]);
        // A scheduler that has started the agents sends them a warning signal, and perhaps none to oshrun.
        let job = hosts.start(&[1, 1], &["sh", "-c", script]);
        wait_until("both are up", || job.output().matches("up").count() == 2);
        let workers = job.all_called("oshrun-worker");
        let agents: Vec<i32> = workers.into_iter().filter(|&pid| is_agent(pid)).collect();
        for &agent in &agents {
            // SAFETY: the job is still running, so the process is an agent of it.
            assert_eq!(unsafe { libc::kill(agent, libc::SIGUSR1) }, 0);
        }
        if agents.len() < 2 {
            job.signal(libc::SIGUSR1);
        }
        let ran = job.finish();
        assert_eq!((ran.code, ran.out.matches("got").count()), (0, 2), "{}", ran.err);
    }
}

/// A scheduler that has started the agents (srun) ends the job: it signals every agent, and oshrun as well.
#[test]
fn agents_that_end_give_pes_time_to_save() {
    for hosts in TestHosts::both(2) {
        let script = "trap 'sleep 3; echo saved; exit 0' TERM; echo up; while :; do sleep 0.05; done";
        let job = hosts.start(&[1, 1], &["--grace", "60", "sh", "-c", script]);
        wait_until("both are up", || job.output().matches("up").count() == 2);
        let agents: Vec<i32> = job.all_called("oshrun-worker").into_iter().filter(|&pid| is_agent(pid)).collect();
        // oshrun first: once the job is ending, signals of agents are no insistence, however late they come.
        job.signal(libc::SIGTERM);
        for &agent in &agents {
            // SAFETY: the job is still running, so the process is an agent of it.
            assert_eq!(unsafe { libc::kill(agent, libc::SIGTERM) }, 0);
        }
        let ran = job.finish();
        assert_eq!((ran.code, ran.out.matches("saved").count()), (143, 2), "{}", ran.err);
        assert!(ran.err.contains("ending the job") && ran.err.contains("SIGTERM"), "{}", ran.err);
    }
}

#[test]
fn a_killed_oshrun_or_agent_leaves_nothing_anywhere() {
    for hosts in TestHosts::both(3) {
        for half in ["oshrun", "oshrun-worker", "oshrun-guard", "agent"] {
            let words = ["--fan-out", "1", "PE!", "join", "exchange", "fork", "print=up", "deaf"];
            let job = hosts.start(&[1, 1, 1], &words);
            wait_until("all are up", || job.output().matches("up").count() == 3);
            let agents: Vec<i32> = job.all_called("oshrun-worker").into_iter().filter(|&pid| is_agent(pid)).collect();
            assert_eq!(agents.len(), 3);
            let pid = match half {
                "oshrun" => job.oshrun.id() as i32,
                "agent" => agents[1],
                "oshrun-guard" => job.all_called(half).into_iter().find(|&pid| !is_agent(pid)).unwrap(),
                _ => job.all_called(half).into_iter().find(|&pid| !is_agent(pid)).unwrap(),
            };
            // SAFETY: the job is still running, so the process belongs to it.
            assert_eq!(unsafe { libc::kill(pid, libc::SIGKILL) }, 0);
            let ran = job.finish();
            assert!(half == "agent" || ran.code == 137, "{half}: {}", ran.err);
            assert!(half != "agent" || ran.code == 1 && ran.err.contains("lost host"), "{}", ran.err);
        }
    }
}

#[test]
fn late_agent_is_reported_and_the_job_goes_on() {
    let gate = std::env::temp_dir().join(format!("ferrite-late-{}", std::process::id()));
    let slowly = format!("sh -c 'while [ ! -e {} ]; do sleep 0.05; done; exec \"$@\"' {{host}}", gate.display());
    let job = TestHosts::here(2).reached_by(slowly).start(&[1, 1], &["--host-timeout", "1", "true"]);
    wait_until("the agents are late", || job.errors().contains("not started its agent on host ha"));
    fs::write(&gate, "").unwrap();
    let ran = job.finish();
    fs::remove_file(&gate).unwrap();
    assert_eq!(ran.code, 0, "{}", ran.err);
}

fn is_agent(pid: i32) -> bool {
    fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default().ends_with(b"\0--agent\0")
}

#[test]
fn an_agent_that_cannot_start_ends_the_job() {
    let hosts = TestHosts::here(2);
    let with = |rsh: &str, words: &[&str]| {
        TestHosts::here(2).reached_by(rsh.into()).run(&[1, 1], &[words, &["true"]].concat())
    };
    let cannot = "cannot start its agent on host h";
    with("false", &[]).ended(1, &[cannot, "`false` exited with 1"]);
    with("sh -c 'echo no such host >&2; exit 255'", &[]).ended(1, &[cannot, "255", "no such host"]);
    with("sh -c 'echo only talk'", &[]).ended(1, &[cannot, "it printed `only talk`"]);
    with("no-such-remote-shell", &[]).ended(1, &[cannot, "No such file"]);
    with("sleep 1000 #", &["--start-timeout", "1"]).ended(1, &[cannot, "sleep"]);
    with("sh -c 'sleep 1000'", &["--start-timeout", "1"])
        .ended(1, &[cannot, "no sign of life", "(it may only be busy: --start-timeout)"]);
    let install = "install Ferrite there under the same path (/no/such/oshrun), or name its oshrun by --launch-agent";
    with(&hosts.rsh, &["--launch-agent", "/no/such/oshrun"]).ended(1, &[cannot, "exited with 127", install]);
    let unresolved =
        "sh -c 'echo \"ssh: Could not resolve hostname $0: Name or service not known\" >&2; exit 255' {host}";
    with(unresolved, &[]).ended(1, &[cannot, "255: ssh: Could not resolve", "sh cannot resolve the name h"]);
    with("sh -c 'echo Welcome to this host.; exec \"$@\"' {host}", &[]).went_well();
    with("sh -c 'echo Beware. >&2; exec \"$@\"' {host}", &[]).went_well();
    with("sh -c 'test $0 = ha && exec \"$@\"; exit 3' {host}", &[]).ended(1, &["on host hb", "exited with 3"]);
}
