//! The whole program with an installation of Ferrite: every family has results, the report opens in a browser, and the check of instruction
//! counts fails when it should.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The installation of this test run: `FERRITE_PREFIX`, else `target/prefix` of this build.
#[expect(clippy::disallowed_methods, reason = "what ci/test tells its tests is no setting of a PE")]
fn prefix() -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_BIN_EXE_oshbench")).ancestors().nth(2).unwrap().join("prefix");
    let prefix = std::env::var_os("FERRITE_PREFIX").map_or_else(beside, PathBuf::from);
    if prefix.join("bin/oshcc").exists() {
        return Some(prefix);
    }
    println!("skipped: there is no installation in {}; `cargo xtask dist` makes one", prefix.display());
    None
}

fn scratch(name: &str) -> PathBuf {
    let directory = std::env::temp_dir().join(format!("oshbench-{name}-{}", std::process::id()));
    fs::create_dir_all(&directory).unwrap();
    directory
}

fn oshbench(arguments: &[&str], prefix: &Path, scratch: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_oshbench"));
    command.args(arguments).arg("--prefix").arg(prefix).arg("--work").arg(scratch.join("work"));
    command.output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The families, as the overview lists them.
fn families() -> BTreeSet<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_oshbench")).output().unwrap();
    let said = text(&output.stdout);
    let list = said.lines().skip_while(|line| *line != "Families:").skip(1).take_while(|line| !line.is_empty());
    list.map(|line| line.split_ascii_whitespace().next().unwrap().to_owned()).collect()
}

/// The families that have rows over a transport.
fn measured(document: &serde_json::Value, over: &str) -> BTreeSet<String> {
    let rows = document["rows"].as_array().unwrap().iter().filter(|row| row["transport"] == over);
    rows.map(|row| row["family"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn every_family_measures_something_and_the_report_opens_in_a_browser() {
    let Some(prefix) = prefix() else { return };
    let scratch = scratch("families");
    let measure = |what: &[&str], name: &str| -> serde_json::Value {
        let out = scratch.join(name);
        let output = oshbench(&[what, &["--quick", "--output", out.to_str().unwrap()]].concat(), &prefix, &scratch);
        assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
        serde_json::from_str(&fs::read_to_string(out.join("results.json")).unwrap()).unwrap()
    };
    // Three PEs, so that PEs outnumber the cores on a machine with two.
    let document = measure(&["--over", "shm", "--pes", "3", "--sizes", "8,1k"], "shm");
    let missing: Vec<String> = families().difference(&measured(&document, "shm")).cloned().collect();
    let crowd = document["machine"]["threads"].as_u64().unwrap() < 3;
    assert!(missing.is_empty() || (!crowd && missing == ["crowded"]), "{missing:?}");
    // The same programs, with another option that selects the transport.
    let some = ["put", "signal", "barrier", "applications"];
    let document = measure(&[&some[..], &["--over", "tcp", "--pes", "2", "--sizes", "8,1k"]].concat(), "tcp");
    assert_eq!(measured(&document, "tcp"), some.iter().map(|name| (*name).to_owned()).collect());
    // A page of both sessions, joined as a user would.
    let joined = scratch.join("joined");
    let mut report = Command::new(env!("CARGO_BIN_EXE_oshbench"));
    let files = ["shm", "tcp"].map(|name| scratch.join(name).join("results.json"));
    let output = report.arg("report").args(files).arg("--output").arg(&joined).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(joined.join("plots/tcp-put.svg").exists() && joined.join("plots/shm-put.svg").exists());
    open_in_browser(&joined.join("report.html"), &scratch);
    fs::remove_dir_all(&scratch).unwrap();
}

/// The installed browser, headless.
fn browser() -> Option<Command> {
    let here = |name: &&str| Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success());
    let name = ["chromium", "chromium-browser", "google-chrome"].into_iter().find(|name| here(name))?;
    let mut command = Command::new(name);
    command.args(["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1200,1600"]);
    Some(command)
}

/// The browser finds every drawing in the page, and paints it on a light and on a dark background.
fn open_in_browser(page: &Path, scratch: &Path) {
    if browser().is_none() {
        return println!("skipped: there is no chromium here to open the report");
    }
    let address = format!("file://{}", page.display());
    let run = |arguments: &[&str]| {
        let mut command = browser().unwrap();
        command.arg(format!("--user-data-dir={}", scratch.join("browser").display())).args(arguments).arg(&address);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let (dom, source) = (run(&["--dump-dom"]), fs::read_to_string(page).unwrap());
    for element in ["<svg", "<circle", "<polyline", "<table", "<figure"] {
        assert!(source.matches(element).count() > 5, "{element}");
        assert_eq!(dom.matches(element).count(), source.matches(element).count(), "{element}");
    }
    let picture = |name: &str, setting: &str| {
        let file = scratch.join(name);
        run(&[&format!("--screenshot={}", file.display()), setting]);
        fs::read(file).unwrap()
    };
    let light = picture("light.png", "--blink-settings=preferredColorScheme=1");
    let dark = picture("dark.png", "--blink-settings=preferredColorScheme=0");
    assert!(light.starts_with(b"\x89PNG") && light.len() > 20_000 && dark.len() > 20_000 && light != dark);
}

/// The recorded counts, in the repository.
const RECORD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/record/instructions.csv");

/// An installation whose programs call a `shmem_long_p` of their own, which has one more instruction.
fn planted(prefix: &Path, scratch: &Path) -> PathBuf {
    let planted = scratch.join("planted");
    let bin = planted.join("bin");
    fs::create_dir_all(&bin).unwrap();
    let source = bin.join("planted.c");
    let text = "#include <shmem.h>\n#include <pshmem.h>\n\
                void shmem_long_p(long *dest, long value, int pe)\n{\n    __asm__ volatile(\"nop\");\n    pshmem_long_p(dest, value, pe);\n}\n";
    fs::write(&source, text).unwrap();
    for (tool, more) in [("oshcc", source.to_str().unwrap()), ("oshrun", "")] {
        let real = prefix.join("bin").join(tool);
        let text = format!("#!/bin/sh\nexec '{}' \"$@\" {more}\n", real.display());
        // A process of its own writes it: a file that this process writes is open, too, in each process that the other test is about to
        // start, and an open file cannot be executed.
        let mut shell = Command::new("sh");
        shell.args(["-c", "printf %s \"$1\" >\"$0\" && chmod 755 \"$0\""]).arg(bin.join(tool)).arg(text);
        assert!(shell.status().unwrap().success());
    }
    planted
}

#[test]
fn no_hot_routine_has_grown_and_one_planted_instruction_is_found() {
    let Some(prefix) = prefix() else { return };
    if cfg!(not(target_arch = "x86_64")) {
        return println!("skipped: the counts that are kept are those of x86-64");
    }
    if Command::new("valgrind").arg("--version").output().is_err() {
        return println!("skipped: there is no valgrind here to count instructions");
    }
    let scratch = scratch("guard");
    let check = ["instructions", "--calls", "200", "--check", RECORD];
    let output = oshbench(&check, &prefix, &scratch);
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    let output = oshbench(&check, &planted(&prefix, &scratch), &scratch);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{}{said}", text(&output.stdout));
    assert!(said.lines().any(|line| line.starts_with("shmem_long_p: ") && line.contains("% more")), "{said}");
    assert!(!said.contains("shmem_long_g: "), "{said}");
    fs::remove_dir_all(&scratch).unwrap();
}

#[test]
fn device_memory_is_measured_with_a_driver_and_skipped_without() {
    let Some(prefix) = prefix() else { return };
    let scratch = scratch("device");
    let run = |folder: &Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_oshbench"));
        command.args(["device", "--rounds", "1", "--sizes", "8,64k", "--prefix"]).arg(&prefix);
        command.arg("--work").arg(scratch.join("work")).env("LD_LIBRARY_PATH", cuda_standin::library_path(folder));
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
        text(&output.stdout)
    };
    let folder = cuda_standin::folder(Path::new(env!("CARGO_BIN_EXE_oshbench"))).unwrap();
    let said = run(&folder);
    assert!(said.contains("Device: stand-in 0\n") && said.contains("not a GPU"), "{said}");
    let rows = |test: &str| said.lines().filter(|line| line.starts_with(test)).count();
    // Two sizes over two transports.
    for test in ["put_own_host_device", "put_peer_device_device", "get_peer_device_host"] {
        assert_eq!(rows(test), 4, "{test}\n{said}");
    }
    // A folder whose library is no driver takes the place of the one that a host with a GPU has.
    let none = scratch.join("none");
    fs::create_dir_all(&none).unwrap();
    fs::write(none.join("libcuda.so.1"), "not a library").unwrap();
    assert_eq!(run(&none), "skipped: no GPU (libcuda.so.1 cannot be loaded)\n");
    fs::remove_dir_all(&scratch).unwrap();
}
