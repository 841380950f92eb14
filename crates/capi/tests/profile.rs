//! `oshrun --profile` and `--trace`: the contents of the files for a program whose calls are known.

mod support;

use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
    process::Command,
};
use support::{LIMIT, env::Conditions, job::Job, prefix::Prefix, program::build, scratch, turn};

const PES: u64 = 3;
const ROUNDS: u64 = 20;

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/profile/talk.c")
}

/// The program, with debug information.
fn compiled(name: &str, arguments: &[&str]) -> PathBuf {
    let mut oshcc = Command::new(Prefix::get().tool("oshcc"));
    oshcc.args(["-g", "-O2", "-Wall", "-Wextra", "-Werror"]).args(arguments).arg(source()).arg("-Wl,--no-warnings");
    let mut contents = DefaultHasher::new();
    Prefix::get().identity().hash(&mut contents);
    fs::read(source()).expect("the source is here").hash(&mut contents);
    build(oshcc, name, contents.finish()).unwrap_or_else(|error| panic!("{error}"))
}

/// Run the program; return its standard error.
fn run(program: &Path, options: &[String]) -> String {
    run_with(PES, program, options)
}

fn run_with(pes: u64, program: &Path, options: &[String]) -> String {
    let _turn = turn();
    let mut oshrun = Command::new(Prefix::get().tool("oshrun"));
    oshrun.args(Conditions::get().options).args(["-n", &pes.to_string()]).args(options).arg(program);
    let outcome = Job::start(oshrun, &Conditions::get().variables).finish(LIMIT);
    assert!(outcome.code() == Some(0) && outcome.outlived.is_empty(), "{}", outcome.report("did not end well"));
    assert_eq!(outcome.stdout.trim(), (pes * ROUNDS).to_string());
    outcome.stderr
}

/// The JSON data of a page.
fn data(page: &Path) -> Value {
    let text = fs::read_to_string(page).expect("a page was written");
    let begin = text.find("type=\"application/json\">").expect("its data") + "type=\"application/json\">".len();
    let end = text[begin..].find("</script>").expect("their end") + begin;
    serde_json::from_str(&text[begin..end]).expect("JSON")
}

/// Number of calls of each routine.
fn calls(data: &Value) -> BTreeMap<&str, u64> {
    let routines = data["routines"].as_array().expect("a list");
    routines.iter().filter_map(|one| Some((one["name"].as_str()?, one["calls"].as_u64()?))).collect()
}

/// Source PE, target PE, bytes and number of operations of each cell.
fn cells(data: &Value) -> BTreeSet<[u64; 4]> {
    let numbers: Vec<u64> =
        data["heat"]["cells"].as_array().expect("a list").iter().filter_map(Value::as_u64).collect();
    numbers.chunks(4).map(|cell| cell.try_into().expect("four")).collect()
}

fn check_profile(page: &Path) {
    let data = data(page);
    let each = |calls: u64| calls * PES;
    let wanted = BTreeMap::from([
        ("shmem_malloc", each(1)),
        ("shmem_calloc", each(2)),
        ("shmem_double_put_signal", each(ROUNDS)),
        ("shmem_signal_wait_until", each(ROUNDS)),
        ("shmem_long_atomic_inc", each(ROUNDS)),
        ("shmem_barrier_all", each(ROUNDS)),
        ("shmem_double_get", each(1)),
        ("shmem_long_sum_reduce", each(1)),
        ("shmem_free", each(3)),
        ("shmem_finalize", each(1)),
    ]);
    assert_eq!(calls(&data), wanted);
    // Each round moves 128 doubles with their signal, and one word (the increment). A get of 4 doubles follows the rounds.
    let bytes = ROUNDS * (1024 + 8) + 32;
    let wanted: BTreeSet<_> = (0..PES).map(|pe| [pe, (pe + 1) % PES, bytes, 2 * ROUNDS + 1]).collect();
    assert_eq!(cells(&data), wanted);
    // The last PE sleeps before it joins. On a busy machine another collective may take longer.
    let slowest = data["collectives"]["slowest"].as_array().expect("a list");
    assert!(slowest.is_sorted_by_key(|one| std::cmp::Reverse(one["us"].as_f64().map(f64::to_bits))), "{slowest:?}");
    let slowest = slowest.iter().find(|one| one["routine"] == "shmem_long_sum_reduce").expect("all are in the list");
    assert!(slowest["us"].as_f64() > Some(300_000.0), "{slowest}");
    let line = 1 + fs::read_to_string(source())
        .expect("the source")
        .lines()
        .position(|line| line.contains("/* slowest */"))
        .expect("it");
    assert_eq!(
        (slowest["routine"].as_str(), slowest["last"].as_u64(), slowest["site"].as_str()),
        (Some("shmem_long_sum_reduce"), Some(PES - 1), Some(format!("talk.c:{line}").as_str())),
        "{slowest}"
    );
    assert_eq!(data["heap"].as_array().map(Vec::len), Some(6));
}

#[test]
fn profile_shows_calls_and_last_arrivals() {
    for (name, arguments) in [("profile", &[][..]), ("profile-static", &["-static"])] {
        let page = scratch("profile").join(name).with_extension("html");
        let _ = fs::remove_file(&page);
        let told = run(&compiled(name, arguments), &[format!("--profile={}", page.display())]);
        assert_eq!(told, format!("ferrite: PE 0: profile written to {}\n", page.display()), "{name}");
        check_profile(&page);
    }
}

/// Mean time of a PE in each routine, as `oshmem_info --replay` prints it: in the trace, and in the model with the same number of PEs.
fn replayed(trace: &Path) -> BTreeMap<String, [f64; 2]> {
    let replay =
        Command::new(Prefix::get().tool("oshmem_info")).arg("--replay").arg(trace).output().expect("it starts");
    let report = String::from_utf8_lossy(&replay.stdout).into_owned();
    assert!(replay.status.success(), "{}", String::from_utf8_lossy(&replay.stderr));
    let time = |number: &str, unit: &str| {
        let unit = match unit {
            "s" => 1.0,
            "ms" => 1e-3,
            "us" => 1e-6,
            "ns" => 1e-9,
            other => panic!("a time in {other}: {report}"),
        };
        number.parse::<f64>().unwrap_or_else(|_| panic!("{number} is no time: {report}")) * unit
    };
    let rows = report.lines().filter(|line| line.starts_with("shmem_")).map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        (words[0].to_owned(), [time(words[1], words[2]), time(words[3], words[4])])
    });
    rows.collect()
}

#[test]
fn a_trace_has_every_call_and_the_puts_that_ended_waits() {
    // The number of PEs at which a replay is judged.
    const PES: u64 = 8;
    let file = scratch("profile").join("trace.json");
    let _ = fs::remove_file(&file);
    run_with(PES, &compiled("profile", &[]), &["--trace".to_owned(), file.display().to_string()]);
    let trace: Value = serde_json::from_slice(&fs::read(&file).expect("a trace was written")).expect("JSON");
    let events = trace["traceEvents"].as_array().expect("a list");
    let slices = |name: &str| events.iter().filter(|one| one["ph"] == "X" && one["name"] == name).count() as u64;
    for name in ["shmem_double_put_signal", "shmem_signal_wait_until", "shmem_barrier_all"] {
        assert_eq!(slices(name), PES * ROUNDS, "{name}");
    }
    assert_eq!(slices("shmem_sync_all"), 0);
    let arrows = |ph: &str| events.iter().filter(|one| one["ph"] == ph).count() as u64;
    assert_eq!((arrows("s"), arrows("f")), (PES * ROUNDS, PES * ROUNDS));
    let times = replayed(&file);
    assert!(times.contains_key("shmem_signal_wait_until"), "{times:?}");
    for (routine, [traced, model]) in times {
        assert!(model <= 2.0 * traced && traced <= 2.0 * model, "{routine}: {traced} s, and {model} s in the model");
    }
}

/// The lines of a listing that begin with this word.
fn lines<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = &'a str> {
    text.lines().filter(move |line| line.split_whitespace().next() == Some(word))
}

/// The output of `otf2-print`, if it is installed.
fn otf2_print(arguments: &[&str]) -> Option<String> {
    let said = Command::new("otf2-print").args(arguments).output().ok()?;
    let errors = String::from_utf8_lossy(&said.stderr);
    assert!(said.status.success() && errors.is_empty(), "{}: {errors}", said.status);
    Some(String::from_utf8_lossy(&said.stdout).into_owned())
}

#[test]
fn a_trace_in_otf2_is_read_by_its_tool() {
    if otf2_print(&["--version"]).is_none() {
        println!("skipped: there is no otf2-print here (otf2-tools) to read the trace");
        return;
    }
    let directory = scratch("profile").join("trace.otf2");
    let _ = fs::remove_dir_all(&directory);
    let options = ["--trace".to_owned(), format!("{}/", directory.display())];
    let told = format!("ferrite: PE 0: trace written to {}/\n", directory.display());
    // The second trace replaces the first.
    for _ in 0..2 {
        assert_eq!(run(&compiled("profile", &[]), &options), told);
    }
    let anchor = directory.join("traces.otf2").display().to_string();
    let events = otf2_print(&[&anchor]).expect("it was here");
    for (word, of_each) in [
        ("RMA_PUT", ROUNDS),
        ("RMA_GET", 1),
        ("RMA_ATOMIC", ROUNDS),
        ("RMA_OP_COMPLETE_BLOCKING", 2 * ROUNDS + 1),
        ("RMA_WIN_CREATE", 1),
        ("RMA_WIN_DESTROY", 1),
    ] {
        assert_eq!(lines(&events, word).count() as u64, of_each * PES, "{word}");
    }
    let [entered, left] = ["ENTER", "LEAVE"].map(|word| lines(&events, word).count());
    assert_eq!(entered, left);
    let waits = lines(&events, "ENTER").filter(|line| line.contains("shmem_signal_wait_until"));
    assert_eq!(waits.count() as u64, ROUNDS * PES);
    let of_kind = |kind: &str| lines(&events, "RMA_COLLECTIVE_END").filter(|line| line.contains(kind)).count() as u64;
    assert_eq!((of_kind("BARRIER") >= ROUNDS * PES, of_kind("ALLREDUCE")), (true, PES));
    let definitions = otf2_print(&["-G", &anchor]).expect("it was here");
    let host = fs::read_to_string("/proc/sys/kernel/hostname").expect("a name");
    for name in [host.trim(), "PE 0", "PE 2", "shmem_double_put_signal"] {
        assert!(definitions.contains(&format!("\"{name}\"")), "{name}: {definitions}");
    }
    assert_eq!(lines(&definitions, "LOCATION_GROUP").count() as u64, PES);
    fs::remove_dir_all(&directory).expect("a directory of ours");
}

#[test]
fn unwritable_otf2_trace_is_reported_in_one_line() {
    // Existing files are kept.
    let directory = scratch("profile").join("precious.otf2");
    fs::create_dir_all(&directory).expect("a directory of the test's own");
    fs::write(directory.join("results"), "").expect("a file");
    let told = run(&compiled("profile", &[]), &["--trace".to_owned(), directory.display().to_string()]);
    let begin = format!("ferrite: PE 0: the trace cannot be written to {}: ", directory.display());
    assert_eq!(told, format!("{begin}there is something other than an older trace\n"));
    assert!(directory.join("results").exists());
    fs::remove_dir_all(&directory).expect("a directory of ours");
    // A static program cannot load the OTF2 library.
    let directory = directory.with_file_name("static.otf2");
    let options = ["--trace".to_owned(), directory.display().to_string()];
    let told = run(&compiled("profile-static", &["-static"]), &options);
    let begin =
        format!("ferrite: PE 0: the trace cannot be written to {}: OTF2's library is not here", directory.display());
    assert!(told.starts_with(&begin) && told.contains("statically") && told.lines().count() == 1, "{told}");
    assert!(!directory.exists());
}

#[test]
fn over_a_transport_it_is_named() {
    let page = scratch("profile").join("tcp.html");
    let _ = fs::remove_file(&page);
    let options = ["--transport".to_owned(), "tcp".to_owned(), format!("--profile={}", page.display())];
    run(&compiled("profile", &[]), &options);
    let data = data(&page);
    let transports: Vec<_> = data["transports"].as_array().expect("a list").iter().map(|one| &one["name"]).collect();
    assert_eq!(transports, ["tcp"]);
    check_profile(&page);
}

#[test]
fn unwritable_file_is_reported_and_the_job_goes_on() {
    // The variable is set for the PEs only: oshrun would refuse its own option before it starts any PE.
    let options = ["-x".to_owned(), "SHMEM_PROFILE=/nowhere/page.html".to_owned()];
    let told = run(&compiled("profile", &[]), &options);
    let begin = "ferrite: PE 0: the profile cannot be written to /nowhere/page.html: ";
    assert!(told.starts_with(begin) && told.lines().count() == 1, "{told}");
}
