//! The examples check their own results: with any number of PEs, as threads and as commands.
//!
//! Each example is compiled into this test, so that its PEs can be threads. If there is an installation, its `oshrun` runs the commands
//! too.

#![allow(clippy::duplicate_mod, reason = "each example brings what the examples share")]

use ferrite::World;
use std::{
    path::PathBuf,
    process::{Command, Output},
};

macro_rules! example {
    ($($name:ident $file:literal;)*) => { $(
        #[allow(dead_code, reason = "its main function is for its command")]
        #[path = $file]
        mod $name;
    )* };
}
example! {
    ring "../examples/ring.rs";
    pi "../examples/pi.rs";
    words "../examples/words.rs";
    calls "../examples/calls.rs";
    heat "../examples/heat.rs";
    sort "../examples/sort.rs";
    gups "../examples/gups.rs";
    histogram "../examples/histogram.rs";
    index_gather "../examples/index_gather.rs";
    toposort "../examples/toposort.rs";
    fft "../examples/fft.rs";
    hash_table "../examples/hash_table.rs";
    bfs "../examples/bfs.rs";
}

/// Each example with its sizes and numbers of PEs.
const ROWS: [(&str, &[&str], &[u32]); 16] = [
    ("ring", &["--rounds", "50"], &[1, 2, 5]),
    ("words", &["--times", "1000"], &[1, 3]),
    ("calls", &["--times", "20"], &[1, 2, 5]),
    ("pi", &["--intervals", "100000"], &[1, 3]),
    ("heat", &["--rows", "37", "--columns", "29", "--steps", "20"], &[1, 2, 3, 4, 6]),
    ("sort", &["--keys", "3000", "--values", "1000", "--rounds", "2"], &[1, 2, 5]),
    ("gups", &["--words", "100", "--updates", "2000"], &[1, 2, 5]),
    ("gups", &["--words", "100", "--updates", "2000", "--aggregate=1"], &[1, 2, 5]),
    ("histogram", &["--bins", "10", "--items", "2000"], &[1, 2, 5]),
    ("histogram", &["--bins", "10", "--items", "2000", "--aggregate=1"], &[1, 2, 5]),
    ("index_gather", &["--words", "100", "--reads", "2000", "--window", "100"], &[1, 2, 5]),
    ("index_gather", &["--words", "100", "--reads", "2000", "--aggregate=1"], &[1, 2, 5]),
    ("toposort", &["--rows", "500", "--entries", "5"], &[1, 2, 5]),
    ("fft", &["--side", "8"], &[1, 2, 4, 8]),
    ("hash_table", &["--keys", "200", "--slots", "400"], &[1, 2, 5]),
    ("bfs", &["--scale", "7", "--degree", "4", "--searches", "2"], &[1, 2, 5]),
];

/// Run an example with these arguments. Returns the number of wrong results.
fn wrong(name: &str, world: &World, arguments: &[&str]) -> u64 {
    let arguments: Vec<String> = arguments.iter().map(|&word| word.to_owned()).collect();
    macro_rules! run {
        ($program:expr, $world:expr) => {{
            let program = $program;
            let sizes = program.parse(&arguments).expect("sizes that the program takes");
            (program.run)($world, &sizes).expect("the program runs").wrong
        }};
    }
    match name {
        "ring" => run!(ring::PROGRAM, world),
        "pi" => run!(pi::PROGRAM, world),
        "words" => run!(words::PROGRAM, world),
        "calls" => run!(calls::PROGRAM, world),
        "heat" => run!(heat::PROGRAM, world),
        "sort" => run!(sort::PROGRAM, world),
        "gups" => run!(gups::PROGRAM, world),
        "histogram" => run!(histogram::PROGRAM, world),
        "index_gather" => run!(index_gather::PROGRAM, world),
        "toposort" => run!(toposort::PROGRAM, world),
        "fft" => run!(fft::PROGRAM, world),
        "hash_table" => run!(hash_table::PROGRAM, world),
        "bfs" => run!(bfs::PROGRAM, world),
        _ => unreachable!("{name} is no example"),
    }
}

#[test]
fn examples_are_right_with_threads() {
    for (name, arguments, pes) in ROWS {
        for &pes in pes {
            let wrong = ferrite::local(pes, |world| wrong(name, world, arguments));
            assert!(wrong.iter().all(|&wrong| wrong == 0), "{name} {arguments:?} with {pes} PEs");
        }
    }
}

/// The examples lack no fence and no barrier. Sizes that come later replace earlier ones.
#[test]
fn examples_are_right_whatever_a_network_does() {
    let few = [
        ("gups", ["--updates", "100"]),
        ("histogram", ["--items", "100"]),
        ("index_gather", ["--reads", "100"]),
        ("sort", ["--keys", "100"]),
        ("heat", ["--steps", "4"]),
        ("ring", ["--rounds", "5"]),
        ("toposort", ["--rows", "40"]),
        ("hash_table", ["--keys", "20"]),
        ("bfs", ["--scale", "4"]),
    ];
    for (name, arguments, _) in ROWS {
        let smaller = few.iter().filter(|row| row.0 == name).flat_map(|row| row.1);
        let arguments: Vec<&str> = arguments.iter().copied().chain(smaller).collect();
        let pes = if name == "fft" { 2 } else { 3 };
        for seed in 0..4 {
            let wrong = ferrite::sim(seed, pes, |world| wrong(name, world, &arguments));
            assert!(wrong.iter().all(|&wrong| wrong == 0), "{name} {arguments:?}, seed {seed}");
        }
    }
}

/// The command of an example, which is beside this test's own directory.
fn command(name: &str) -> Option<PathBuf> {
    let test = std::env::current_exe().expect("this program has a path");
    let profile = test.parent().and_then(|deps| deps.parent()).expect("cargo puts tests into a folder of its own");
    let command = profile.join("examples").join(name);
    if command.exists() {
        return Some(command);
    }
    println!("skipped: cargo has not built the examples, as it does unless it is told which test to run");
    None
}

#[expect(clippy::disallowed_methods, reason = "where the installation is, as for the tests of the C interface")]
fn oshrun() -> Option<Command> {
    let Ok(prefix) = std::env::var("FERRITE_PREFIX") else {
        println!("skipped: FERRITE_PREFIX names no installation, so there is no oshrun");
        return None;
    };
    let mut oshrun = Command::new("timeout");
    oshrun.args(["240", &format!("{prefix}/bin/oshrun"), "-n"]);
    Some(oshrun)
}

fn said(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

#[test]
fn examples_are_right_by_oshrun() {
    for (name, arguments, _) in ROWS {
        let (Some(mut oshrun), Some(command)) = (oshrun(), command(name)) else { return };
        let output = oshrun.arg("4").arg(command).args(arguments).output().expect("oshrun can be started");
        let (stdout, stderr) = said(&output);
        assert!(output.status.success(), "{name} {arguments:?}: {stdout}{stderr}");
        let figure = stdout.lines().find(|line| line.starts_with("figure ")).expect("a figure");
        let words: Vec<&str> = figure.split(' ').collect();
        assert_eq!((words[1], words[5]), (format!("program={name}").as_str(), "pes=4"), "{figure}");
        let value: f64 = words[2].strip_prefix("value=").and_then(|value| value.parse().ok()).expect("a number");
        assert!(value >= 0.0, "{figure}");
    }
}

/// Without a launcher, a command has one PE.
#[test]
fn sizes_come_from_the_command_line() {
    let Some(gups) = command("gups") else { return };
    for (arguments, code, out, err) in [
        (&["--help"][..], 0, "--words ", ""),
        (&["--updates", "10", "--words=3"], 0, " words=3 updates=10 aggregate=0", ""),
        (&["--words", "0"], 1, "", "gups: --words is '0', but should be a number from 1 to 4294967296"),
        (&["--words", "7x"], 1, "", "gups: --words is '7x', but should be a number from 1 to 4294967296"),
        (&["--words"], 1, "", "gups: --words is '', but should be a number from 1 to 4294967296"),
        (&["--word", "5"], 1, "", "gups: there is no option --word; --help lists those there are"),
    ] {
        let output = Command::new(&gups).args(arguments).output().expect("the command can be started");
        let (stdout, stderr) = said(&output);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {stdout}{stderr}");
        assert!(stdout.contains(out) && stderr.contains(err), "{arguments:?}: {stdout}{stderr}");
    }
}

#[test]
fn every_example_has_its_row() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples");
    for entry in std::fs::read_dir(folder).expect("there are examples") {
        let path = entry.expect("a file").path();
        let name = path.file_stem().and_then(|name| name.to_str()).expect("plain names").to_owned();
        // `parameter_server` has a test of its own.
        let needs_none = ["hello", "common", "parameter_server"].contains(&name.as_str());
        assert!(needs_none || ROWS.iter().any(|row| row.0 == name), "{name} has no row");
    }
}
