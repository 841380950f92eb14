//! Checks that what scripts and workflows name exists: scripts and chores in `.github`, and long tests in `ci/test`.

use crate::{Cli, package::tree, repo};
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

/// The names of `long_tests=(...)` in a script.
fn long_tests(script: &str) -> Vec<&str> {
    let list = script.split("long_tests=(").skip(1).filter_map(|rest| rest.split(')').next());
    let lines = list.flat_map(str::lines).filter(|line| !line.trim_start().starts_with('#'));
    lines.flat_map(str::split_whitespace).collect()
}

#[test]
fn tests_that_a_quick_run_leaves_out_exist() {
    let names = long_tests("long_tests=()\n  long_tests=(a b::\n  # not this\n  c)\nd=(e)\n");
    assert_eq!(names, ["a", "b::", "c"]);
    let script = repo::read(&repo::root().join("ci/test")).unwrap();
    let names = long_tests(&script);
    assert!(!names.is_empty());
    let roots = ["crates", "launcher", "benches", "sys"].map(|folder| repo::root().join(folder));
    let sources: Vec<String> = roots
        .iter()
        .flat_map(|root| tree::files(root).unwrap().into_iter().map(move |path| root.join(path)))
        .filter(|path| path.extension().is_some_and(|end| end == "rs"))
        .map(|path| repo::read(&path).unwrap())
        .collect();
    for name in names {
        let text = name.strip_suffix("::").map_or_else(|| format!("fn {name}"), |module| format!("mod {module};"));
        assert!(sources.iter().any(|source| source.contains(&text)), "ci/test leaves out {name}, which is no test");
    }
}
