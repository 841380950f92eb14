//! The example `parameter_server` in C: it comes to its result although each of its workers is killed. `recipes/python.rs` has the one in Python.

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;
use support::prefix::Prefix;
use support::{env, scratch, service};

/// The executable, for the test of this name.
fn program(test: &str) -> PathBuf {
    let executable = scratch(&format!("parameter_server-{test}")).join("parameter_server");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/c/parameter_server.c");
    let mut oshcc = Command::new(Prefix::get().tool("oshcc"));
    oshcc.args(["-std=c11", "-D_GNU_SOURCE", "-O2", "-Wall", "-Wextra", "-Werror", "-o"]).arg(&executable).arg(source);
    let output = oshcc.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    executable
}

fn members(program: &Path, transport: &str, directory: &Path, steps: u64) -> Vec<Command> {
    service::members(|| {
        let mut member = Command::new(program);
        member.arg(directory).arg(steps.to_string());
        member.env_clear().env("PATH", env::get("PATH").unwrap_or_default()).env("SHMEM_TRANSPORT", transport);
        member
    })
}

#[test]
fn the_result_is_right_although_each_worker_is_killed() {
    let program = program("killed");
    let _turn = support::turn();
    for transport in ["auto", "tcp"] {
        let start = |directory: &Path, steps| members(&program, transport, directory, steps);
        service::survives_kills_of_its_workers(&format!("c-{transport}"), start);
    }
}

#[test]
fn workers_end_with_their_starters() {
    let program = program("left");
    let _turn = support::turn();
    service::leaves_no_worker_behind("c-left", |directory, steps| members(&program, "auto", directory, steps));
}

/// A run in the directory of another would meet the members of that one.
#[test]
fn a_directory_is_used_once() {
    let program = program("used");
    let directory = program.with_file_name("");
    std::fs::write(directory.join("id"), "").unwrap();
    let mut server = Command::new(program);
    server.arg(&directory).env_clear().env("RANK", "0").env("WORLD_SIZE", "2");
    let output = server.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && said.contains("is there already"), "{output:?}");
}
