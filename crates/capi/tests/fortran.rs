//! The Fortran suite: programs compiled by the installed `oshfort` and run by `oshrun`, one for each group of routines.
//! Semantics, topic 18: Fortran.
//!
//! The leading `! key: value` lines are directives as in the C suite: `pes`, `exit`, `stdout`, `says`, `env`, `flags`. Every
//! program is linked with `check.f90`. Programs whose name begins with `device` find the stand-in for CUDA's driver. Without gfortran nothing
//! is run, and the test says so.

mod support;

use ferrite_abi::fortran::procedures;
use regex_lite::Regex;
use std::collections::BTreeSet;
use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use support::LIMIT;
use support::job::{Job, Outcome, command};
use support::prefix::{Prefix, files};
use support::program::{self, Launch};

fn sources() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fortran")
}

/// True if there is a compiler; prints a line if not.
fn have_compiler() -> bool {
    let there = Command::new("gfortran").arg("--version").output().is_ok();
    if !there {
        println!("skipped: there is no gfortran on this machine");
    }
    there
}

/// A program and its directives.
struct Fortran {
    source: PathBuf,
    name: String,
    launches: Vec<Launch>,
    exit: Option<i32>,
    stdout: Vec<Regex>,
    says: Vec<Regex>,
    environment: Vec<(String, String)>,
    flags: Vec<String>,
}

impl Fortran {
    fn read(source: &Path) -> Fortran {
        let name = source.file_name().expect("a file").to_string_lossy().into_owned();
        let text = fs::read_to_string(source).unwrap_or_else(|error| panic!("reading {name}: {error}"));
        let mut program = Fortran {
            source: source.to_owned(),
            launches: Vec::new(),
            exit: Some(0),
            stdout: Vec::new(),
            says: Vec::new(),
            environment: if name.starts_with("device") { support::stand_in_driver() } else { Vec::new() },
            flags: Vec::new(),
            name,
        };
        for line in text.lines().map_while(|line| line.strip_prefix("! ")) {
            if let Some((key, value)) = line.split_once(": ") {
                program.directive(key, value);
            }
        }
        assert!(!program.launches.is_empty(), "{}: the header comment has no `! pes: ...` line", program.name);
        program
    }

    fn directive(&mut self, key: &str, value: &str) {
        let pattern = || Regex::new(value).unwrap_or_else(|error| panic!("{value}: {error}"));
        match key {
            "pes" => self.launches = value.split_whitespace().map(launch).collect(),
            "exit" => self.exit = value.parse().ok(),
            "stdout" => self.stdout.push(pattern()),
            "says" => self.says.push(pattern()),
            "env" => {
                let (name, value) = value.split_once('=').unwrap_or_else(|| panic!("`{value}` should be NAME=VALUE"));
                self.environment.push((name.to_owned(), value.to_owned()));
            }
            "flags" => self.flags = value.split_whitespace().map(str::to_owned).collect(),
            _ => {}
        }
    }

    fn build(&self, prefix: &Prefix) -> Result<PathBuf, String> {
        self.build_with(prefix, &[])
    }

    fn build_with(&self, prefix: &Prefix, more: &[&str]) -> Result<PathBuf, String> {
        let mut compile = Command::new(prefix.tool("oshfort"));
        // Includes declare more names than a program uses.
        compile.args(["-O2", "-g", "-Wall", "-Werror", "-Wno-unused", "-Wno-integer-division", "-fcray-pointer", "-I"]);
        compile.arg(sources());
        compile.arg(&self.source).arg(sources().join("check.f90")).args(&self.flags).args(more);
        let mut hasher = DefaultHasher::new();
        prefix.identity().hash(&mut hasher);
        files(&sources()).iter().for_each(|file| fs::read(file).unwrap_or_default().hash(&mut hasher));
        program::build(compile, &format!("fortran-{}", self.name), hasher.finish())
    }

    fn judge(&self, outcome: &Outcome) -> Result<(), String> {
        let wrong = |what: String| Err(outcome.report(&what));
        match (outcome.code(), self.exit) {
            (None, _) => return wrong(format!("hung: still running after {} s", LIMIT.as_secs())),
            (Some(code), Some(wanted)) if code != wanted => {
                return wrong(format!("ended with {code}, expected {wanted}"));
            }
            (Some(0), None) => return wrong("ended with 0, expected a failure".to_owned()),
            _ => {}
        }
        if let Some(missing) = self.stdout.iter().find(|pattern| !pattern.is_match(&outcome.stdout)) {
            return wrong(format!("stdout does not contain /{missing}/"));
        }
        let said = outcome.stderr.lines().any(|line| self.says.iter().all(|says| says.is_match(line)));
        if !self.says.is_empty() && !said {
            return wrong(format!("no single line of stderr contains all of {:?}", self.says));
        }
        match outcome.outlived.is_empty() {
            true => Ok(()),
            false => wrong(format!("processes {:?} outlived the job", outcome.outlived)),
        }
    }
}

fn launch(word: &str) -> Launch {
    match word {
        "alone" => Launch::Alone,
        count => Launch::Pes(count.parse().unwrap_or_else(|_| panic!("`{count}` should be a number of PEs"))),
    }
}

fn programs() -> Vec<Fortran> {
    let is_program = |path: &PathBuf| {
        let extension = path.extension().is_some_and(|e| ["f", "f90", "F90"].iter().any(|known| e == *known));
        extension && !path.ends_with("check.f90")
    };
    files(&sources()).into_iter().filter(is_program).map(|path| Fortran::read(&path)).collect()
}

#[test]
fn every_program_does_what_it_says() {
    if !have_compiler() {
        return;
    }
    let prefix = Prefix::get();
    let wanted = support::env::get("FERRITE_SUITE_PROGRAM").unwrap_or_default();
    let (mut failures, mut runs) = (Vec::new(), 0);
    for program in programs().iter().filter(|program| program.name.contains(&wanted)) {
        let executable = match program.build(prefix) {
            Ok(executable) => executable,
            Err(error) => {
                failures.push(format!("{} does not compile\n{error}", program.name));
                continue;
            }
        };
        for &launch in &program.launches {
            let _turn = support::turn();
            runs += 1;
            let outcome = Job::start(command(prefix, &executable, launch), &program.environment).finish(LIMIT);
            failures.extend(program.judge(&outcome).err().map(|error| format!("{}: {error}", program.name)));
        }
    }
    println!("Fortran: {runs} runs, {} failed", failures.len());
    assert!(failures.is_empty(), "{} of {runs} runs failed:\n\n{}", failures.len(), failures.join("\n"));
}

/// The names that g77 and compatible compilers make: a second underscore after names that contain one.
#[test]
fn names_with_a_second_underscore_lead_to_the_same_procedures() {
    if !have_compiler() {
        return;
    }
    let prefix = Prefix::get();
    for name in ["setup.f90", "heap.f90", "atomics.f90"] {
        let program = Fortran::read(&sources().join(name));
        let executable = program.build_with(prefix, &["-fsecond-underscore"]).unwrap_or_else(|error| panic!("{error}"));
        let _turn = support::turn();
        let outcome = Job::start(command(prefix, &executable, Launch::Pes(2)), &[]).finish(LIMIT);
        program.judge(&outcome).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

/// Each program of `examples/fortran`, compiled with these options too.
fn examples_with(options: &[&str]) -> Vec<PathBuf> {
    let prefix = Prefix::get();
    let examples = files(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples/fortran"));
    assert!(!examples.is_empty());
    let build = |example: &PathBuf| {
        let mut compile = Command::new(prefix.tool("oshfort"));
        compile.args(["-O2", "-Wall", "-Wextra", "-Werror", "-Wno-unused"]).args(options).arg(example);
        let mut hasher = DefaultHasher::new();
        (prefix.identity(), fs::read(example).unwrap_or_default()).hash(&mut hasher);
        let name = example.file_name().expect("a file").to_string_lossy().into_owned();
        let executable = program::build(compile, &format!("example-{name}"), hasher.finish());
        executable.unwrap_or_else(|error| panic!("{error}"))
    };
    examples.iter().map(build).collect()
}

/// The examples run as they stand and print the lines they promise.
#[test]
fn examples_run() {
    if !have_compiler() {
        return;
    }
    for executable in examples_with(&[]) {
        for count in [1, 4] {
            let _turn = support::turn();
            let outcome = Job::start(command(Prefix::get(), &executable, Launch::Pes(count)), &[]).finish(LIMIT);
            assert_eq!(outcome.code(), Some(0), "{}", outcome.report("should end well"));
            assert!(!outcome.stdout.is_empty(), "{}", outcome.report("should say something"));
        }
    }
}

#[test]
fn examples_pass_the_checker_with_their_loads_and_stores() {
    if !have_compiler() {
        return;
    }
    for executable in examples_with(&["--check"]) {
        let _turn = support::turn();
        let mut command = Command::new(Prefix::get().tool("oshrun"));
        command.args(["-n", "2", "--check"]).arg(executable);
        let outcome = Job::start(command, &[]).finish(LIMIT);
        assert_eq!(outcome.code(), Some(0), "{}", outcome.report("should end well"));
        let end = "ferrite: check: no mistakes found; calls, loads and stores were checked";
        assert_eq!(outcome.stderr.trim_end(), end, "{}", outcome.report("nothing is to be said of it"));
    }
}

/// A program that expects to fail but names no line would pass with any crash.
#[test]
fn programs_that_fail_say_what_they_expect() {
    for program in programs().iter().filter(|program| program.exit.is_none()) {
        assert!(!program.says.is_empty(), "{}: no `! says:` line", program.name);
    }
}

/// A procedure without a caller is not tested.
#[test]
fn every_procedure_is_called() {
    if !have_compiler() {
        return;
    }
    let mut called = BTreeSet::new();
    for program in programs().iter().filter(|program| program.flags.is_empty()) {
        let executable = program.build(Prefix::get()).unwrap_or_else(|error| panic!("{}\n{error}", program.name));
        let output =
            Command::new("nm").args(["-D", "--undefined-only", "--format=just-symbols"]).arg(executable).output();
        let names = output.expect("nm comes with the compiler").stdout;
        called.extend(String::from_utf8_lossy(&names).split_whitespace().map(str::to_owned));
    }
    let all = procedures().into_iter().filter(|procedure| procedure.served);
    let missing: Vec<String> = all.map(|p| p.symbols()[0].clone()).filter(|name| !called.contains(name)).collect();
    assert!(missing.is_empty(), "no program calls {missing:?}");
}
