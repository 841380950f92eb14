//! PEs that wait for each other in turn, each for longer than the limit of a stall: the job makes progress, and must not be ended.

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;
use support::{LIMIT, free_port, job::Job, prefix::Prefix, program::plain, turn};

/// A job that stands still is ended after two seconds.
const LIMITS: [(&str, &str); 2] = [("SHMEM_ON_STALL", "abort"), ("SHMEM_STALL_TIMEOUT", "2")];

fn program() -> PathBuf {
    plain(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stall/waits_in_turn.c"), "waits-in-turn")
}

fn start(command: Command, more: &[(&str, String)]) -> Job {
    let given = more.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
    Job::start(
        command,
        &LIMITS.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).chain(given).collect::<Vec<_>>(),
    )
}

/// Each host stands still for a while, but never both at once. Both are names of this machine, and their PEs share no memory.
#[test]
fn hosts_that_wait_in_turn_do_not_stand_still() {
    let _turn = turn();
    let mut oshrun = Command::new(Prefix::get().tool("oshrun"));
    oshrun.args([
        "--host",
        "ha:2,hb:1",
        "--rsh",
        "sh -c 'exec \"$@\"' {host}",
        "--bind-to",
        "none",
        "--host-timeout",
        "60",
    ]);
    oshrun.arg(program());
    let outcome = start(oshrun, &[]).finish(LIMIT);
    let is_well = outcome.code() == Some(0) && outcome.stdout.matches("done PE").count() == 3;
    assert!(is_well && !outcome.stderr.contains("no progress"), "{}", outcome.report("it was taken for a stall"));
}

/// Without oshrun, a PE that shares no memory with others sees itself only.
#[test]
fn who_sees_itself_only_does_not_end_the_job() {
    let _turn = turn();
    let boot = format!("tcp://localhost:{}", free_port(0));
    let pe = |rank: u32| {
        let variables = [
            ("SHMEM_TRANSPORT", "tcp".to_owned()),
            ("FERRITE_BOOT", boot.clone()),
            ("FERRITE_SIZE", "2".to_owned()),
            ("FERRITE_RANK", rank.to_string()),
        ];
        start(Command::new(program()), &variables)
    };
    let pes: Vec<Job> = (0..2).map(pe).collect();
    for pe in pes {
        let outcome = pe.finish(LIMIT);
        let is_well = outcome.code() == Some(0) && outcome.stdout.contains("done PE");
        assert!(is_well, "{}", outcome.report("it was taken for a stall"));
    }
}
