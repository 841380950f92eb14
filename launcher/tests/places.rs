//! oshrun in surroundings that are not the usual: what it then finds, and what it says to other hosts.

mod job;
mod land;

use job::{bounded, start_with_input};
use std::path::Path;
use std::process::Command;

/// A command in whose world there is no /proc; nothing if no such world can be made here.
fn without_proc(name: &str, words: &[&str]) -> Option<Command> {
    let commands = Path::new(env!("CARGO_BIN_EXE_oshrun")).parent().unwrap();
    let world = |command: &str| {
        let mut unshare = Command::new("unshare");
        unshare.args(["-m", "sh", "-c", &format!("mount -t tmpfs none /proc && {command}")]);
        unshare
    };
    let made = world("true").output().is_ok_and(|output| output.status.success());
    if !made {
        println!("skipped: no world without /proc can be made here");
        return None;
    }
    let mut command = world("PATH=$0:$PATH && exec \"$@\"");
    command.arg(commands).arg(name).args(words).current_dir(commands);
    Some(command)
}

#[test]
fn jobs_start_where_there_is_no_proc() {
    let over_hosts = ["--host", "localhost,ha", "--rsh", land::HERE];
    for (name, words) in [("oshrun", &["-n", "2"][..]), ("oshrun", &over_hosts), ("./oshrun", &over_hosts)] {
        let Some(oshrun) = without_proc(name, &[words, &["echo", "hi"]].concat()) else { return };
        assert_eq!(start_with_input(oshrun, b"").finish().went_well(), "hi\nhi\n", "{name} {words:?}");
    }
}

#[test]
fn commands_know_their_installation_where_there_is_no_proc() {
    for (name, word) in [("oshcc", "--showme:incdirs"), ("./oshcc", "--showme"), ("oshmem_info", "--version")] {
        let Some(command) = without_proc(name, &[word]) else { return };
        let output = bounded(command);
        assert!(output.status.success(), "{name}: {output:?}");
    }
}
