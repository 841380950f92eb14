//! `oshcc --check`, the same option of the wrappers for other languages, and `oshrun --check`: wrong programs, each with the finding that
//! names its lines, and right programs without findings. The programs are the functions of `check/mistakes.*` and `check/right.*`. Each
//! file is one program and runs as one job, except for grave mistakes.
//!
//! `FERRITE_SUITE_PROGRAM=part` picks grave mistakes by name.

mod support;

use regex_lite::Regex;
use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use support::LIMIT;
use support::job::{Job, Outcome};
use support::prefix::Prefix;
use support::program;

const PES: &str = "3";
/// The exit code of jobs in which mistakes were found.
const FOUND: i32 = 86;
/// The end of the line that concludes a run with one mistake.
const ONE: &str = "1 mistake found; calls, loads and stores were checked";
/// Marks at the end of a line that a finding must name, in C and in Fortran.
const MARKS: [&str; 2] = ["/*!*/", "!*!"];
/// Functions of threads that rows start; their marked lines count as the row's.
const HELPERS: [&str; 4] = ["read_it", "use_context", "set_turn", "cell.read"];

/// A compiler and its further options.
struct Language {
    wrapper: &'static str,
    /// A compiler other than the wrapper's default, and the variable that names it.
    compiler: Option<(&'static str, &'static str)>,
    options: &'static [&'static str],
}

const C: Language =
    Language { wrapper: "oshcc", compiler: None, options: &["-std=c11", "-pthread", "-Wall", "-Wextra", "-Werror"] };
const CLANG: Language = Language { compiler: Some(("SHMEM_CC", "clang")), ..C };
const CXX: Language =
    Language { wrapper: "oshc++", compiler: None, options: &["-std=c++17", "-pthread", "-Wall", "-Wextra", "-Werror"] };
const FORTRAN: Language = Language { wrapper: "oshfort", compiler: None, options: &[] };

struct Row {
    name: String,
    kind: String,
    is_mild: bool,
    /// The marked lines of its function.
    lines: Vec<u32>,
}

/// One finding, as the job reports it.
#[derive(Debug)]
struct Finding {
    kind: String,
    lines: Vec<u32>,
    text: String,
}

fn sources() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/check")
}

/// True if the compiler is installed; prints a line if not.
fn have(compiler: &str) -> bool {
    let there = Command::new(compiler).arg("--version").output().is_ok();
    if !there {
        println!("skipped: there is no {compiler} on this machine");
    }
    there
}

fn build(source: &str, language: &Language) -> PathBuf {
    let source = sources().join(source);
    let mut compile = Command::new(Prefix::get().tool(language.wrapper));
    compile.args(["--check", "-O1"]).args(language.options).arg(&source);
    let mut hasher = DefaultHasher::new();
    Prefix::get().identity().hash(&mut hasher);
    fs::read(&source).expect("the program is there").hash(&mut hasher);
    if let Some((variable, compiler)) = language.compiler {
        compile.env(variable, compiler);
        compiler.hash(&mut hasher);
    }
    let name = format!("check-{}", source.file_name().unwrap_or_default().to_string_lossy());
    program::build(compile, &name, hasher.finish()).unwrap_or_else(|error| panic!("{error}"))
}

fn run(program: &Path, option: &str, arguments: &[&str]) -> Outcome {
    let mut command = Command::new(Prefix::get().tool("oshrun"));
    command.args(["-n", PES, option]).arg(program).args(arguments);
    let _turn = support::turn();
    Job::start(command, &[("SHMEM_SYMMETRIC_SIZE".to_owned(), "64m".to_owned())]).finish(LIMIT)
}

/// The marked lines of a function, from its first line to the line that ends it.
fn marked(source: &str, begins: impl Fn(&str) -> bool) -> Vec<u32> {
    let ends = |line: &str| line == "}" || line.starts_with("end ");
    let body = (1_u32..).zip(source.lines()).skip_while(|(_, line)| !begins(line)).take_while(|(_, line)| !ends(line));
    body.filter(|(_, line)| MARKS.iter().any(|mark| line.contains(mark))).map(|(nr, _)| nr).collect()
}

fn rows(program: &Path, source: &str) -> Vec<Row> {
    let source = fs::read_to_string(sources().join(source)).expect("the program is there");
    let listed = Command::new(program).arg("--list").output().expect("the program that was just built");
    let text = String::from_utf8(listed.stdout).expect("ASCII");
    let row = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let [name, kind, weight] = fields[..] else { panic!("`{line}` does not have three fields") };
        let heads = [format!("static void {name}(void)"), format!("subroutine {name}()")];
        let is_head = |line: &str| heads.iter().any(|head| line == head);
        let mut lines = marked(&source, is_head);
        let body: Vec<&str> =
            source.lines().skip_while(|line| !is_head(line)).take_while(|line| *line != "}").collect();
        assert!(!body.is_empty(), "{name} is listed, and is no function");
        for helper in HELPERS.iter().filter(|helper| body.iter().any(|line| line.contains(**helper))) {
            let name = helper.rsplit('.').next().unwrap_or(helper);
            lines.extend(marked(&source, |line| {
                line.starts_with(&format!("static void *{name}("))
                    || line.trim_start().starts_with(&format!("int {name}()"))
            }));
        }
        lines.sort_unstable();
        lines.dedup();
        Row { name: name.to_owned(), kind: kind.to_owned(), is_mild: weight == "mild", lines }
    };
    text.lines().map(row).collect()
}

fn findings(stderr: &str) -> Vec<Finding> {
    let head = Regex::new(r"^ferrite: check: PE \d+: (?:note: )?([a-z-]+): ").expect("a pattern");
    let place = Regex::new(r"mistakes\.(?:c|cpp|f90):(\d+)").expect("a pattern");
    let one = |text: &str| {
        let kind = head.captures(text)?[1].to_owned();
        let lines = place.captures_iter(text).map(|found| found[1].parse().expect("digits")).collect();
        Some(Finding { kind, lines, text: text.to_owned() })
    };
    stderr.lines().filter_map(one).collect()
}

/// True if the finding is the one expected for the row.
fn is_of(finding: &Finding, row: &Row) -> bool {
    let named = row.lines.iter().all(|line| finding.lines.contains(line));
    // Where all PEs make the mistake in one line, the finding has only that line.
    finding.kind == row.kind && named
}

/// Each mild mistake has its finding, and no finding is there without a mistake.
fn check_mild(source: &str, language: &Language) {
    let program = build(source, language);
    let rows: Vec<Row> = rows(&program, source).into_iter().filter(|row| row.is_mild).collect();
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
        // The end of a block is checked in barriers and frees, which no row marks.
        if !expected && finding.kind != "overrun" {
            wrong.push(format!("none of the rows' own: {}", finding.text));
        }
    }
    println!("mild mistakes in {source}: {} rows, {} findings", rows.len(), found.len());
    assert!(wrong.is_empty(), "{}\n\n{}", wrong.join("\n"), outcome.stderr);
}

fn check_right(source: &str, language: &Language, options: &[&str]) {
    let program = build(source, language);
    for option in options {
        let outcome = run(&program, option, &[]);
        assert_eq!(outcome.code(), Some(0), "{}", outcome.report("nothing is wrong in these"));
        outcome.stdout.lines().filter(|line| line.starts_with("skipped: ")).for_each(|line| println!("{line}"));
        assert!(outcome.stdout.ends_with(" right programs\n"), "{}", outcome.report("the program's own line"));
        let said: Vec<&str> = outcome.stderr.lines().filter(|line| line.contains("check:")).collect();
        let end = "ferrite: check: no mistakes found; calls, loads and stores were checked";
        assert_eq!(said, [end], "nothing else is to be said of these: {}", outcome.stderr);
    }
}

#[test]
fn mild_mistakes_are_all_found_in_one_job() {
    check_mild("mistakes.c", &C);
}

#[test]
fn clang_programs_have_the_same_findings() {
    if have("clang") {
        check_mild("mistakes.c", &CLANG);
        check_right("right.c", &CLANG, &["--check"]);
    }
}

#[test]
fn programs_in_cxx_have_their_findings() {
    if have("c++") {
        check_mild("mistakes.cpp", &CXX);
        check_right("right.cpp", &CXX, &["--check"]);
    }
}

#[test]
fn programs_in_fortran_have_their_findings() {
    if have("gfortran") {
        check_mild("mistakes.f90", &FORTRAN);
        check_right("right.f90", &FORTRAN, &["--check"]);
    }
}

#[test]
fn grave_mistakes_end_the_job() {
    let program = build("mistakes.c", &C);
    let wanted = support::env::get("FERRITE_SUITE_PROGRAM").unwrap_or_default();
    let mut wrong: Vec<String> = Vec::new();
    let rows: Vec<Row> =
        rows(&program, "mistakes.c").into_iter().filter(|row| !row.is_mild && row.name.contains(&wanted)).collect();
    for row in &rows {
        let outcome = run(&program, "--check", &[&row.name]);
        let found = findings(&outcome.stderr);
        if outcome.code() != Some(FOUND) || !found.iter().any(|finding| is_of(finding, row)) {
            let what = format!("{}: not 86 and a finding `{}` that names lines {:?}", row.name, row.kind, row.lines);
            wrong.push(outcome.report(&what));
        }
        let count = |what: &str| outcome.stderr.lines().filter(|line| line.contains(what)).count();
        if count(ONE) != 1 || count("check: PE ") != 1 || count(": shmem_") > 1 {
            wrong.push(outcome.report(&format!("{}: not told once, and concluded once", row.name)));
        }
    }
    println!("grave mistakes: {} rows, {} failed", rows.len(), wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The PEs leave with exit code 86 at different times, and the first of them ends the job.
#[test]
fn a_run_with_a_finding_is_concluded_once() {
    let program = build("mistakes.c", &C);
    for _ in 0..8 {
        let outcome = run(&program, "--check", &["puts_of_two"]);
        assert_eq!(outcome.code(), Some(FOUND), "{}", outcome.report("a race is found"));
        let ends = outcome.stderr.lines().filter(|line| line.contains(" found; "));
        assert_eq!(ends.collect::<Vec<_>>(), [format!("ferrite: check: {ONE}")], "{}", outcome.stderr);
    }
}

#[test]
fn findings_as_json_are_one_object_a_line() {
    let program = build("mistakes.c", &C);
    let outcome = run(&program, "--check=json", &["put_and_load"]);
    assert_eq!(outcome.code(), Some(FOUND), "{}", outcome.report("a race was to be found"));
    let line = outcome.stderr.lines().find(|line| line.starts_with('{')).unwrap_or_default();
    for part in [r#"{"check":"race","pe":"#, r#""what":""#, r#""right":""#, r#""places":["#, "mistakes.c:"] {
        assert!(line.contains(part), "{part} is not in {line}");
    }
    assert!(line.ends_with("]}"), "{line}");
}

#[test]
fn suppressed_findings_are_not_printed() {
    let program = build("mistakes.c", &C);
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

/// The last line says what was looked at: not the loads and stores of a program that was compiled without `--check`.
#[test]
fn a_program_that_is_not_compiled_for_it_is_told_what_was_not_looked_at() {
    let program = program::plain(&sources().join("mistakes.c"), "check-plain.c");
    let end = |row: &str| {
        let outcome = run(&program, "--check=warn", &[row]);
        assert_eq!(outcome.code(), Some(0), "{}", outcome.report("with warn a program keeps its exit code"));
        outcome.stderr.lines().rfind(|line| line.starts_with("ferrite: check: ")).unwrap_or_default().to_owned()
    };
    let unseen =
        "calls were checked; loads and stores were not, for which the program has to be compiled with oshcc --check";
    assert_eq!(end("put_and_load"), format!("ferrite: check: no mistakes found; {unseen}"));
    assert_eq!(end("puts_of_two"), format!("ferrite: check: 1 mistake found; {unseen}"));
}

#[test]
fn right_programs_have_no_finding() {
    check_right("right.c", &C, &["--check"]);
}

#[test]
fn a_missing_fence_fails_by_a_seed_in_the_same_way_twice() {
    let program = program::plain(&sources().join("order.c"), "check-order.c");
    let order = |seed: u32, kind: &str| {
        let mut command = Command::new(Prefix::get().tool("oshrun"));
        command.args(["-n", "2", &format!("--check=order:{seed}")]).arg(&program).arg(kind);
        let _turn = support::turn();
        let outcome = Job::start(command, &[]).finish(LIMIT);
        assert!(outcome.stderr.contains(&format!("by seed {seed} ")), "{}", outcome.stderr);
        outcome.stdout
    };
    let once = order(3, "none");
    assert!(!once.contains("lost") && once != "0 rounds\n", "old data are seen in some rounds: {once}");
    assert_eq!(order(3, "none"), once, "and in the same ones by the same seed");
    for seed in 1..=4 {
        assert_eq!(order(seed, "fence"), "0 rounds\n", "with a fence they never are");
    }
}

#[test]
fn litmus_tests_show_only_allowed_outcomes() {
    let program =
        program::plain(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ci/litmus/litmus.c"), "check-litmus.c");
    let play = |options: &[&str], rounds: &str| {
        let mut command = Command::new(Prefix::get().tool("oshrun"));
        command.args(["-n", "3"]).args(options).arg(&program).arg(rounds);
        let _turn = support::turn();
        let outcome = Job::start(command, &[]).finish(LIMIT);
        assert_eq!(outcome.code(), Some(0), "{}", outcome.report("an outcome that is not allowed"));
        outcome.stdout
    };
    play(&[], "20");
    play(&["--transport", "tcp"], "20");
    // Races are not looked for over TCP, which is reported once.
    for (options, said) in [(["--check=warn", "--transport", "tcp"], 1), (["--check=warn", "--transport", "shm"], 0)] {
        let mut command = Command::new(Prefix::get().tool("oshrun"));
        command.args(["-n", "3"]).args(options).arg(&program).arg("1");
        let _turn = support::turn();
        let outcome = Job::start(command, &[]).finish(LIMIT);
        let lines = outcome.stderr.matches("races are not checked, since not all PEs share memory").count();
        assert_eq!((outcome.code(), lines), (Some(0), said), "{}", outcome.report("what cannot be seen is to be said"));
    }
    // `order:1` brings about outcomes that are rare on a real machine.
    let adverse = play(&["--check=warn,order:1"], "12");
    let several = |line: &&str| line.split(" seen ").nth(1).is_some_and(|seen| seen.contains(' '));
    let count = adverse.lines().filter(several).count();
    println!("{adverse}{count} tests have several outcomes");
    assert!(count >= 5, "{adverse}");
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
