//! `oshcc --check` and `oshrun --check`: wrong programs, each with the finding that names its lines, and right ones without any. The
//! programs are the functions of `check/mistakes.c` and `check/right.c`.
//!
//! `FERRITE_SUITE_PROGRAM=part` picks grave mistakes by name.

mod support;

use regex_lite::Regex;
use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use support::job::{Job, Outcome};
use support::prefix::Prefix;
use support::program;

/// About hanging, not about speed.
const LIMIT: Duration = Duration::from_secs(120);
const PES: &str = "3";
/// The exit code of jobs in which mistakes were found.
const FOUND: i32 = 86;
/// What ends a line that a finding must name.
const MARK: &str = "/*!*/";

/// One mistake.
struct Row {
    name: String,
    kind: String,
    is_mild: bool,
    /// The marked lines of its function.
    lines: Vec<u32>,
}

/// One finding, as the job has told it.
#[derive(Debug)]
struct Finding {
    kind: String,
    lines: Vec<u32>,
    text: String,
}

fn sources() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/check")
}

fn build(source: &str) -> PathBuf {
    let source = sources().join(source);
    let mut compile = Command::new(Prefix::get().tool("oshcc"));
    compile.args(["--check", "-std=c11", "-O1", "-pthread", "-Wall", "-Wextra", "-Werror"]).arg(&source);
    let mut hasher = DefaultHasher::new();
    Prefix::get().identity().hash(&mut hasher);
    fs::read(&source).expect("the program is there").hash(&mut hasher);
    let name = format!("check-{}", source.file_stem().unwrap_or_default().to_string_lossy());
    program::build(compile, &name, hasher.finish()).unwrap_or_else(|error| panic!("{error}"))
}

fn run(program: &Path, option: &str, arguments: &[&str]) -> Outcome {
    let mut command = Command::new(Prefix::get().tool("oshrun"));
    command.args(["-n", PES, option]).arg(program).args(arguments);
    let _turn = support::turn();
    Job::start(command, &[("SHMEM_SYMMETRIC_SIZE".to_owned(), "64m".to_owned())]).finish(LIMIT)
}

fn rows(program: &Path) -> Vec<Row> {
    let source = fs::read_to_string(sources().join("mistakes.c")).expect("the program is there");
    let listed = Command::new(program).arg("--list").output().expect("the program that was just built");
    let text = String::from_utf8(listed.stdout).expect("ASCII");
    let row = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let [name, kind, weight] = fields[..] else { panic!("`{line}` does not have three fields") };
        let head = format!("static void {name}(void)");
        let body: Vec<_> = (1_u32..).zip(source.lines()).skip_while(|(_, line)| *line != head).collect();
        let end = body.iter().position(|(_, line)| *line == "}").expect("functions end");
        let mut lines: Vec<u32> = body[..end].iter().filter(|(_, l)| l.contains(MARK)).map(|&(nr, _)| nr).collect();
        // What a thread does for a row is in the function before.
        for helper in
            ["read_it", "use_context"].iter().filter(|helper| body[..end].iter().any(|(_, l)| l.contains(**helper)))
        {
            let head = format!("static void *{helper}(");
            let from = (1_u32..).zip(source.lines()).skip_while(|(_, line)| !line.starts_with(&head));
            lines.extend(from.take_while(|(_, line)| *line != "}").filter(|(_, l)| l.contains(MARK)).map(|(nr, _)| nr));
        }
        Row { name: name.to_owned(), kind: kind.to_owned(), is_mild: weight == "mild", lines }
    };
    text.lines().map(row).collect()
}

fn findings(stderr: &str) -> Vec<Finding> {
    let head = Regex::new(r"^ferrite: check: PE \d+: (?:note: )?([a-z-]+): ").expect("a pattern");
    let place = Regex::new(r"mistakes\.c:(\d+)").expect("a pattern");
    let one = |text: &str| {
        let kind = head.captures(text)?[1].to_owned();
        let lines = place.captures_iter(text).map(|found| found[1].parse().expect("digits")).collect();
        Some(Finding { kind, lines, text: text.to_owned() })
    };
    stderr.lines().filter_map(one).collect()
}

/// Whether a finding is the one that a row is to have.
fn is_of(finding: &Finding, row: &Row) -> bool {
    let named = row.lines.iter().all(|line| finding.lines.contains(line));
    // Where all PEs make the mistake in one line, that is the only one.
    finding.kind == row.kind && named
}

#[test]
fn mild_mistakes_are_all_found_in_one_job() {
    let program = build("mistakes.c");
    let rows: Vec<Row> = rows(&program).into_iter().filter(|row| row.is_mild).collect();
    let outcome = run(&program, "--check=warn", &["--mild"]);
    assert_eq!(outcome.code(), Some(0), "{}", outcome.report("with warn a program keeps its exit code"));
    let found = findings(&outcome.stderr);
    let mut wrong: Vec<String> = Vec::new();
    for row in rows.iter().filter(|row| !found.iter().any(|finding| is_of(finding, row))) {
        wrong.push(format!("{}: no finding `{}` names lines {:?}", row.name, row.kind, row.lines));
    }
    for finding in &found {
        let expected =
            rows.iter().any(|row| finding.lines.iter().all(|line| row.lines.contains(line)) || is_of(finding, row));
        // The end of a block is looked at in barriers and frees, which no row marks.
        if !expected && finding.kind != "overrun" {
            wrong.push(format!("none of the rows' own: {}", finding.text));
        }
    }
    println!("mild mistakes: {} rows, {} findings", rows.len(), found.len());
    assert!(wrong.is_empty(), "{}\n\n{}", wrong.join("\n"), outcome.stderr);
}

#[test]
fn grave_mistakes_end_the_job() {
    let program = build("mistakes.c");
    let wanted = support::env::get("FERRITE_SUITE_PROGRAM").unwrap_or_default();
    let mut wrong: Vec<String> = Vec::new();
    let rows: Vec<Row> = rows(&program).into_iter().filter(|row| !row.is_mild && row.name.contains(&wanted)).collect();
    for row in &rows {
        let outcome = run(&program, "--check", &[&row.name]);
        let found = findings(&outcome.stderr);
        if outcome.code() != Some(FOUND) || !found.iter().any(|finding| is_of(finding, row)) {
            let what = format!("{}: not 86 and a finding `{}` that names lines {:?}", row.name, row.kind, row.lines);
            wrong.push(outcome.report(&what));
        }
    }
    println!("grave mistakes: {} rows, {} failed", rows.len(), wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn findings_as_json_are_one_object_a_line() {
    let program = build("mistakes.c");
    let outcome = run(&program, "--check=json", &["put_and_load"]);
    assert_eq!(outcome.code(), Some(FOUND), "{}", outcome.report("a race was to be found"));
    let line = outcome.stderr.lines().find(|line| line.starts_with('{')).unwrap_or_default();
    for part in [r#"{"check":"race","pe":"#, r#""what":""#, r#""right":""#, r#""places":["#, "mistakes.c:"] {
        assert!(line.contains(part), "{part} is not in {line}");
    }
    assert!(line.ends_with("]}"), "{line}");
}

#[test]
fn suppressions_are_not_told() {
    let program = build("mistakes.c");
    let file = support::scratch("programs").join("check-suppressions");
    fs::write(&file, "# known\nrace mistakes.c:\n").expect("a file of ours");
    let mut command = Command::new(Prefix::get().tool("oshrun"));
    command.args(["-n", PES, "--check", "-x"]).arg(format!("SHMEM_CHECK_SUPPRESSIONS={}", file.display()));
    command.arg(&program).arg("put_and_load");
    let _turn = support::turn();
    let outcome = Job::start(command, &[]).finish(LIMIT);
    assert_eq!(outcome.code(), Some(0), "{}", outcome.report("the race is suppressed"));
    assert!(findings(&outcome.stderr).is_empty(), "{}", outcome.stderr);
}

#[test]
fn right_programs_have_no_finding() {
    let outcome = run(&build("right.c"), "--check", &[]);
    assert_eq!(outcome.code(), Some(0), "{}", outcome.report("nothing is wrong in these"));
    assert!(outcome.stdout.ends_with(" right programs\n"), "{}", outcome.report("the program's own line"));
    assert_eq!(outcome.stderr, "", "nothing is to be said of these");
}

#[test]
fn programs_of_the_guide_are_those_that_are_tested() {
    let read = |path: PathBuf| fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let guide = read(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("manual/ferrite_mistakes.7.md"));
    let tested = read(sources().join("mistakes.c")) + &read(sources().join("right.c"));
    let programs: Vec<&str> = guide.split("```c\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(programs.len() >= 10, "{}", programs.len());
    for program in programs {
        assert!(tested.contains(program), "the guide shows what no test runs:\n{program}");
    }
}
