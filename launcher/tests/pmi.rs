//! Programs that speak PMI-1 to oshrun: real MPICH programs, and exchanges that MPICH would not make.

mod job;
mod test_hosts;

use job::run;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};
use test_hosts::TestHosts;

/// The ring of `mpi/ring.c`, if an MPICH is installed to run it with.
fn ring() -> Option<PathBuf> {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mpi/ring.c");
    let program = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("ring");
    let mut cc = Command::new("cc");
    let built = job::bounded({
        cc.args(["-Wall", "-Werror", "-o"]).arg(&program).args([source, "-ldl"]);
        cc
    });
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    // With `--look` the program says whether the library can be opened.
    let mut alone = Command::new(&program);
    alone.arg("--look");
    let found = job::bounded(alone);
    if !found.status.success() {
        println!("skipped: programs of MPICH: {}", String::from_utf8_lossy(&found.stderr).trim());
        return None;
    }
    Some(program)
}

fn has_ended(job: &mut job::Job) -> bool {
    job.oshrun.try_wait().unwrap().is_some()
}

/// One test for all, because programs of MPICH spin while they wait: several at once would take each other's CPU time.
#[test]
fn programs_of_mpich_run() {
    let Some(ring) = ring() else { return };
    let ring = ring.to_str().unwrap();
    for n in ["1", "2", "4"] {
        assert_eq!(run(&["-n", n, ring]).went_well(), format!("the token passed {n} of {n}\n"));
    }
    let ran = TestHosts::here(2).run(&[1, 2], &[ring]);
    assert_eq!(ran.went_well(), "the token passed 3 of 3\n");
    // Over a network, MPICH 4.0 may wait for ever in MPI_Finalize under any launcher: one PE sleeps in PMI's barrier while another needs it
    // to answer. So the job is ended some time after the output that counts.
    if let Some(hosts) = TestHosts::apart(2) {
        let mut job = hosts.start(&[1, 2], &[ring]);
        job::wait_until("the token has passed, or the job has ended", || {
            has_ended(&mut job) || job.output() == "the token passed 3 of 3\n"
        });
        let begin = Instant::now();
        while !has_ended(&mut job) && begin.elapsed() < Duration::from_secs(10) {
            std::thread::sleep(Duration::from_millis(10));
        }
        if !has_ended(&mut job) {
            job.signal(libc::SIGTERM);
        }
        let ran = job.finish();
        assert!(ran.out == "the token passed 3 of 3\n" && [0, 143].contains(&ran.code), "{} {}", ran.out, ran.err);
    }
    assert_eq!(run(&["-n", "3", ring, "abort"]).code, 5);
    let ran = run(&["-n", "3", ring, "leave"]);
    assert!(ran.code == 1 && ran.err.contains("PE 1 on host") && ran.err.contains("finalize"), "{}", ran.err);
}

/// A shell is enough to speak PMI-1.
#[test]
fn names_are_put_and_got() {
    let script = r#"
        ask() { echo "cmd=$1" >&"$PMI_FD"; read -r answer <&"$PMI_FD"; }
        ask "init pmi_version=1 pmi_subversion=1"
        ask "put kvsname=ferrite key=k$PMI_RANK value=v$PMI_RANK and more"
        ask "barrier_in"
        ask "get kvsname=ferrite key=k$((1 - PMI_RANK))"
        echo "$answer"
        ask "get kvsname=ferrite key=none"
        ask "finalize"
    "#;
    let ran = TestHosts::here(2).run(&[1, 1], &["bash", "-c", script]);
    ran.went_well();
    let line = |pe: u32| format!("cmd=get_result rc=0 msg=success value=v{pe} and more");
    assert_eq!(ran.sorted(), [line(0), line(1)]);
    let nonsense = "echo cmd=fly >&$PMI_FD; sleep 1000";
    run(&["-n", "2", "bash", "-c", nonsense]).ended(1, &["not in its protocol", "`fly`"]);
}
