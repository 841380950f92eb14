//! Agents that get signals or SIGKILL from a user or a scheduler, or start late.

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
