//! Checks that the scripts and chores that the workflows of `.github` call exist.

use crate::{Cli, repo};
use clap::CommandFactory;
use std::{fs, os::unix::fs::PermissionsExt, process::Command};

const WORKFLOWS: &str = ".github/workflows";

/// The commands of a workflow: the text after `run:`, on its line or on the following lines with a larger indent.
fn commands(yaml: &str) -> Vec<String> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut found = Vec::new();
    let mut block = None;
    for line in yaml.lines().filter(|line| !line.trim().is_empty()) {
        if let Some(at) = block {
            if indent(line) > at {
                found.push(line.trim().to_owned());
                continue;
            }
            block = None;
        }
        if let Some((before, command)) = line.split_once("run: ") {
            match command.trim() {
                "|" => block = Some(before.len()),
                command => found.push(command.to_owned()),
            }
        }
    }
    found
}

/// The error in a command: a missing script or an unknown chore.
fn complaint(command: &str) -> Option<String> {
    let words: Vec<&str> = command.split_whitespace().collect();
    for word in &words {
        let is_script = ["ci/", ".ci/"].iter().any(|begin| word.starts_with(begin));
        let may_run = |mode: u32| mode & 0o111 != 0;
        if is_script && !fs::metadata(repo::root().join(word)).is_ok_and(|meta| may_run(meta.permissions().mode())) {
            return Some(format!("`{command}`: there is no script {word}"));
        }
    }
    let chore = words.windows(3).find(|three| three[..2] == ["cargo", "xtask"]).map(|three| three[2]);
    match chore {
        Some(chore) if Cli::command().find_subcommand(chore).is_none() => {
            Some(format!("`{command}`: there is no chore {chore}"))
        }
        _ => None,
    }
}

#[test]
fn workflows_call_existing_scripts_and_chores() {
    let mut all = Vec::new();
    for entry in fs::read_dir(repo::root().join(WORKFLOWS)).unwrap() {
        all.extend(commands(&repo::read(&entry.unwrap().path()).unwrap()));
    }
    let wrong: Vec<String> = all.iter().filter_map(|command| complaint(command)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for needed in ["ci/test", "ci/packages", "cargo xtask package"] {
        assert!(all.iter().any(|command| command.contains(needed)), "no workflow calls {needed}");
    }
}

#[test]
fn what_is_not_there_is_said() {
    let yaml = "steps:\n  - run: ci/no-such\n  - run: |\n      cargo xtask pakage\n      ci/test\n  - uses: x\n";
    let all = commands(yaml);
    assert_eq!(all, ["ci/no-such", "cargo xtask pakage", "ci/test"]);
    assert!(complaint(&all[0]).unwrap().contains("no script ci/no-such"));
    assert!(complaint(&all[1]).unwrap().contains("no chore pakage"));
    assert_eq!(complaint(&all[2]), None);
}

#[test]
fn workflows_are_yaml() {
    let read = "import sys, yaml\nfor name in sys.argv[1:]:\n    jobs = yaml.safe_load(open(name))['jobs']\n    assert all('steps' in job for job in jobs.values())";
    if !Command::new("python3").args(["-c", "import yaml"]).output().is_ok_and(|output| output.status.success()) {
        println!("skipped: python3 has no module yaml, so only the commands of the workflows were checked");
        return;
    }
    let files = fs::read_dir(repo::root().join(WORKFLOWS)).unwrap().map(|entry| entry.unwrap().path());
    repo::output(Command::new("python3").args(["-c", read]).args(files)).unwrap();
}
