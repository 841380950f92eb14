//! The report of `oshmem_info`, as users and scripts see it.

use std::fs;
use std::os::unix::{fs::symlink, process::CommandExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use ferrite_settings::SETTINGS;

fn info(words: &[&str]) -> Output {
    command(words).output().unwrap()
}

fn command(words: &[&str]) -> Command {
    command_of(Path::new(env!("CARGO_BIN_EXE_oshrun")), words)
}

/// The command as part of an installation with a library, which the PEs of the doctor load. `None` if `cargo xtask dist` has installed none
/// in `FERRITE_PREFIX`, or else in the `prefix` of this build.
#[expect(clippy::disallowed_methods, reason = "a variable that ci/test sets for its tests is no setting of a PE")]
fn installed(words: &[&str]) -> Option<Command> {
    static PROGRAM: OnceLock<Option<PathBuf>> = OnceLock::new();
    let program = PROGRAM.get_or_init(|| {
        let built = Path::new(env!("CARGO_BIN_EXE_oshrun"));
        let beside = || built.ancestors().nth(2).unwrap().join("prefix");
        let libraries = std::env::var_os("FERRITE_PREFIX").map_or_else(beside, PathBuf::from).join("lib");
        if !libraries.join("libsma.so.1").exists() {
            println!("skipped: there is no libsma.so.1 in {}; `cargo xtask dist` makes one", libraries.display());
            return None;
        }
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("doctor-{}", std::process::id()));
        // An earlier process of this number has left one.
        let _ = fs::remove_dir_all(&root);
        fs::create_dir_all(root.join("bin")).unwrap();
        fs::hard_link(built, root.join("bin/oshrun")).unwrap();
        symlink(libraries.canonicalize().unwrap(), root.join("lib")).unwrap();
        Some(root.join("bin/oshrun"))
    });
    program.as_deref().map(|program| command_of(program, words))
}

fn command_of(program: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.arg0("oshmem_info").args(words);
    SETTINGS.iter().flat_map(|setting| setting.aliases.iter().chain([&setting.name])).for_each(|name| {
        command.env_remove(name);
    });
    command
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn the_short_report_names_what_matters() {
    let report = text(&info(&[]));
    for part in ["Ferrite\n", "Transports\n", "shm", "libfabric", "Topology\n", "usable", "Settings (environment)\n"] {
        assert!(report.contains(part), "no {part:?} in\n{report}");
    }
    assert!(!report.contains("meaning:"), "{report}");
    assert!(report.lines().all(|line| line == line.trim_end()));
}

#[test]
fn the_long_report_says_what_every_setting_means() {
    let report = text(&info(&["--all"]));
    for setting in SETTINGS {
        assert!(report.contains(setting.name) && report.contains(setting.meaning), "{}", setting.name);
    }
    assert!(report.contains("pkgconfigdir"));
}

#[test]
fn scripts_get_one_fact_a_line() {
    let report = text(&info(&["--parsable"]));
    for line in report.lines() {
        assert!(line.splitn(3, ':').count() == 3, "{line}");
    }
    let version = format!("build:version:{}", env!("CARGO_PKG_VERSION"));
    assert!(report.lines().any(|line| line == version), "{report}");
    for key in ["transport:shm:", "topology:cores:", "path:prefix:", "memory:shared:", "setting:SHMEM_SYMMETRIC_SIZE:"]
    {
        assert!(report.lines().any(|line| line.starts_with(key)), "no {key} in\n{report}");
    }
}

#[test]
fn a_setting_shows_what_holds_and_where_it_comes_from() {
    let setting = SETTINGS.iter().find(|setting| !setting.aliases.is_empty()).expect("some setting has an alias");
    let line = |name: &str| {
        let output = command(&["--parsable"]).env(name, "12345").output().unwrap();
        let key = format!("setting:{}:", setting.name);
        text(&output).lines().find_map(|line| line.strip_prefix(&key).map(str::to_owned)).unwrap()
    };
    assert_eq!(line(setting.name), "12345  (set; 12345 bytes, 12.1 KiB)");
    assert_eq!(line(setting.aliases[0]), format!("12345  (set by {}; 12345 bytes, 12.1 KiB)", setting.aliases[0]));
}

#[test]
fn refused_and_unknown_settings_are_reported() {
    let report =
        text(&command(&["--parsable"]).env("FERRITE_WAIT", "sleep").env("SHMEM_SYMETRIC_SIZE", "1g").output().unwrap());
    for line in [
        "setting:FERRITE_WAIT:sleep  (set; refused: it must be auto, spin, yield or turns)",
        "setting:SHMEM_SYMETRIC_SIZE:(set, but unknown: did you mean SHMEM_SYMMETRIC_SIZE?)",
    ] {
        assert!(report.lines().any(|one| one == line), "no {line:?} in\n{report}");
    }
}

#[test]
fn a_path_is_printed_alone() {
    let path = text(&info(&["--path", "incdir"]));
    assert!(path.ends_with("/include\n") && path.lines().count() == 1, "{path}");
    assert!(text(&info(&["--path", "all"])).contains("cmakedir"));
    assert!(text(&info(&["--path", "bindir", "--parsable"])).starts_with("path:bindir:/"));
    let refused = info(&["--path", "sysconfdir"]);
    assert!(!refused.status.success());
    assert!(String::from_utf8_lossy(&refused.stderr).contains("'sysconfdir'"), "{refused:?}");
}

#[test]
fn a_machine_is_drawn_with_the_pes_of_a_job() {
    let report = text(&info(&["--topology", "--synthetic", "2x[4x8]+2nic", "-n", "8", "--map-by", "numa"]));
    for part in
        ["package 1\n", "┌ numa 4  CPUs 32-39\n", "│ 4 · · · · · · ·\n", "└ nic nic1", "PE 7  CPUs 56 nic nic1\n"]
    {
        assert!(report.contains(part), "no {part:?} in\n{report}");
    }
    assert!(!report.contains("Transports"), "{report}");
    assert!(text(&info(&["--topology"])).contains("┌ numa"));
    let parsable = text(&info(&["--topology", "--parsable", "--synthetic", "1x[1x1]"]));
    assert!(parsable.contains("topology:picture.0:package 0\n"), "{parsable}");
    for (words, named) in [
        (&["--topology", "--synthetic", "2x4"][..], "'2x4'"),
        (&["--topology", "-n", "3", "--synthetic", "1x[1x4]", "--map-by", "ppr:1:node"], "3 were requested"),
        (&["--topology", "-n", "3", "--bind-to", "sofa"], "sofa"),
        (&["-n", "3"], "--topology"),
    ] {
        let refused = info(words);
        assert!(!refused.status.success());
        assert!(String::from_utf8_lossy(&refused.stderr).contains(named), "{refused:?}");
    }
}

/// The row of the report that names the source of the map.
fn source(words: &[&str]) -> String {
    let report = text(&info(&[&["--topology", "--parsable"], words].concat()));
    report.lines().find_map(|line| line.strip_prefix("topology:source:")).expect("a source").to_owned()
}

#[test]
fn map_names_its_probe() {
    assert_eq!(source(&["--probe", "sysfs"]), "sysfs");
    assert_eq!(source(&["--synthetic", "1x[1x1]"]), "written down: 1x[1x1]");
    let first = source(&[]);
    let by_hwloc = first.starts_with("hwloc 2") && first.contains("agrees with sysfs");
    assert!(by_hwloc || first.starts_with("sysfs (not hwloc: "), "{first}");
    let asked = info(&["--topology", "--probe", "hwloc"]);
    assert_eq!(asked.status.success(), by_hwloc, "{asked:?}");
    for words in [["--probe", "sysfs", "--xml", "a.xml"], ["--synthetic", "1x[1x1]", "--xml", "a.xml"]] {
        assert!(!info(&[&["--topology"], &words[..]].concat()).status.success());
    }
}

#[test]
fn another_machine_is_read_from_xml() {
    let place = std::env::temp_dir().join(format!("ferrite-info-{}.xml", std::process::id()));
    let object = |kind: &str, number: u32, mask: u32, more: &str, inside: &str| {
        let sets =
            format!("cpuset=\"{mask:#x}\" complete_cpuset=\"{mask:#x}\" nodeset=\"0x1\" complete_nodeset=\"0x1\"");
        format!("<object type=\"{kind}\" os_index=\"{number}\" {sets}{more}>{inside}</object>")
    };
    let cores: String =
        (0..3).map(|cpu| object("Core", cpu, 1 << cpu, "", &object("PU", cpu, 1 << cpu, "", ""))).collect();
    let node = object("NUMANode", 0, 7, " local_memory=\"1073741824\"", "");
    let package = object("Package", 5, 7, "", &format!("{node}{cores}"));
    let machine = object("Machine", 0, 7, " allowed_cpuset=\"0x7\" allowed_nodeset=\"0x1\"", &package);
    fs::write(&place, format!("<?xml version=\"1.0\"?>\n<topology version=\"2.0\">{machine}</topology>\n")).unwrap();
    let file = place.to_str().unwrap();
    let told = info(&["--topology", "--xml", file, "-n", "2"]);
    fs::remove_file(&place).unwrap();
    let why = String::from_utf8_lossy(&told.stderr).into_owned();
    if why.contains("ferrite-hwloc is not installed") || why.contains("libhwloc-dev") {
        println!("skipped: {}", why.trim());
        return;
    }
    let report = text(&told);
    for part in ["package 5\n", "┌ numa 0  CPUs 0-2  1.0 GiB\n", "│ 0 1 ·\n", "PE 1  CPUs 1\n", file] {
        assert!(report.contains(part), "no {part:?} in\n{report}");
    }
    // The same file name after the file is removed.
    let gone = info(&["--topology", "--xml", file]);
    assert!(!gone.status.success() && String::from_utf8_lossy(&gone.stderr).contains(file), "{gone:?}");
}

#[test]
fn transports_say_why_they_are_used_or_not() {
    let report = text(&info(&["--transports", "--parsable"]));
    for key in ["shm", "between-hosts", "nics", "tcp", "libfabric", "ucx", "pmix"] {
        assert!(report.lines().any(|line| line.starts_with(&format!("transport:{key}:"))), "no {key} in\n{report}");
    }
    let wished = command(&["--transports"]).env("SHMEM_TRANSPORT", "ofi").output().unwrap();
    assert!(text(&wished).contains("libfabric, by SHMEM_TRANSPORT"), "{wished:?}");
    let sealed = command(&["--transports"]).env("SHMEM_TCP_SEAL", "on").output().unwrap();
    assert!(text(&sealed).contains("sealed tcp, by SHMEM_TCP_SEAL"), "{sealed:?}");
    let wrong = command(&["--transports"]).env("SHMEM_TRANSPORT", "pigeon").output().unwrap();
    assert!(text(&wrong).contains("pigeon"), "{wrong:?}");
    let nowhere = command(&["--transports"]).env("SHMEM_TCP_IFACE", "no-such0").output().unwrap();
    assert!(text(&nowhere).contains("no-such0"), "{nowhere:?}");
    // The offers of libfabric are reported only if it is installed.
    if report.contains("transport:libfabric:cannot") {
        println!("skipped: libfabric is not here, so no offer of it can be judged");
    } else {
        assert!(report.contains("transport:libfabric:offer:"), "{report}");
    }
}

#[test]
fn a_build_names_the_transports_that_it_has() {
    let report = text(&info(&["--parsable"]));
    let built = report.lines().find_map(|line| line.strip_prefix("build:transports:")).unwrap();
    let built: Vec<&str> = built.split(", ").collect();
    for transport in ["shm", "tcp", "libfabric", "ucx"] {
        let mut lines = report.lines().filter(|line| line.starts_with(&format!("transport:{transport}:")));
        let missing = lines.any(|line| line.contains("built without"));
        assert_eq!(built.contains(&transport), !missing, "{transport} of {built:?} in\n{report}");
    }
    assert!(!built.contains(&"auto"), "{built:?}");
}

#[test]
fn version_and_help_are_short() {
    for word in ["-V", "--version"] {
        assert_eq!(text(&info(&[word])), format!("Ferrite {}\n", env!("CARGO_PKG_VERSION")));
    }
    assert!(text(&info(&["--help"])).contains("--parsable"));
}

#[test]
fn the_doctor_has_two_pes_communicate_over_each_transport() {
    let Some(mut doctor) = installed(&["--doctor"]) else { return };
    let report = text(&doctor.output().unwrap());
    for over in ["PEs over shm", "PEs over tcp"] {
        let line = report.lines().find(|line| line.contains(over)).unwrap_or_else(|| panic!("no {over} in\n{report}"));
        assert!(line.starts_with("ok ") && line.contains("put, get, atomic, barrier and reduction"), "{line}");
    }
    assert!(report.ends_with("nothing is broken\n"), "{report}");
}

#[test]
fn doctor_reports_broken_transport_and_fails() {
    let Some(mut doctor) = installed(&["--doctor", "--parsable"]) else { return };
    let output = doctor.env("SHMEM_SYMMETRIC_SIZE", "plenty").output().unwrap();
    let report = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{report}");
    for line in report.lines().filter(|line| line.starts_with("doctor:PEs-over-shm:")) {
        assert!(line.contains(":FIX:") && line.contains("SHMEM_SYMMETRIC_SIZE") && line.contains("plenty"), "{line}");
    }
}

#[test]
fn a_host_without_an_agent_is_one_line_to_fix() {
    let unresolved =
        "sh -c 'echo \"ssh: Could not resolve hostname $0: Name or service not known\" >&2; exit 255' {host}";
    for (rsh, cure) in [
        (unresolved, "sh cannot resolve the name h"),
        ("sh -c 'exit 127'", "install Ferrite there under the same path"),
    ] {
        let mut doctor = command(&["--doctor", "--host", "ha,hb"]);
        let output = doctor.env("FERRITE_RSH", rsh).output().unwrap();
        let report = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(1), "{report}");
        let lines: Vec<&str> = report
            .lines()
            .filter(|line| line.starts_with("FIX ") && line.contains("cannot start its agent on host"))
            .collect();
        assert!(lines.len() == 1 && lines[0].contains("on host h") && lines[0].contains(cure), "{report}");
        assert!(!report.contains("PEs over"), "{report}");
    }
}

#[test]
fn doctor_without_a_library_names_the_missing_file() {
    // A build directory has no `lib` beside its programs.
    let output = command(&["--doctor", "--parsable"]).output().unwrap();
    let report = String::from_utf8(output.stdout).unwrap();
    let line = report.lines().find(|line| line.starts_with("doctor:PEs-over-shm:")).unwrap();
    assert!(line.contains(":FIX:oshmem_info: cannot load the library") && line.contains("libsma.so.1"), "{line}");
}

#[test]
fn the_report_of_a_bug_has_all_that_is_needed_and_no_foreign_variable() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bug.txt");
    let Some(mut doctor) = installed(&["--doctor", "--report", path.to_str().unwrap()]) else { return };
    let output = doctor.env("SHMEM_SYMMETRIC_SIZE", "64M").env("SOME_TOKEN", "hunter2").output().unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("read it before you send it"), "{output:?}");
    let report = fs::read_to_string(&path).unwrap();
    for part in [
        concat!("version", "  "),
        env!("CARGO_PKG_VERSION"),
        "kernel  ",
        "distribution  ",
        "PEs over shm",
        "Max open files",
        "64M  (set",
        "SHMEM_TRANSPORT",
    ] {
        assert!(report.contains(part), "{part}: {report}");
    }
    assert!(!report.contains("hunter2"), "{report}");
    // Standard output has the same lines as the report.
    for line in String::from_utf8_lossy(&output.stdout).lines().filter(|line| line.starts_with("ok ")) {
        assert!(report.contains(line), "{line}: {report}");
    }
}

#[test]
fn a_report_that_cannot_be_written_is_refused_before_the_examination() {
    let output = command(&["--doctor", "--report", "/nonexistent/bug.txt"]).output().unwrap();
    let why = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(1) && output.stdout.is_empty(), "{output:?}");
    assert!(why.starts_with("oshmem_info: cannot write the report /nonexistent/bug.txt: "), "{why}");
    assert!(!text(&info(&["--help"])).is_empty() && !command(&["--report", "x"]).output().unwrap().status.success());
}

/// Trace of two PEs on two hosts that meet once, after 10 us.
const TRACE: &str = r#"{"otherData":{"program":"meet","pes":2,"hosts":["a","b"]},"traceEvents":[
{"ph":"X","name":"shmem_barrier_all","cat":"collective","pid":0,"tid":0,"ts":10.000,"dur":4.000,"args":{"collective":[0,0,0,2,0]}},
{"ph":"X","name":"shmem_barrier_all","cat":"collective","pid":1,"tid":0,"ts":10.000,"dur":4.000,"args":{"collective":[0,0,0,2,0]}}]}"#;

#[test]
fn a_trace_is_replayed_with_more_pes() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (trace, network) = (directory.join("meet.json"), directory.join("network"));
    fs::write(&trace, TRACE).unwrap();
    fs::write(&network, "far_latency_ns = 1000\nfar_overhead_ns = 0\nfar_gap_ns = 0\n").unwrap();
    let words = |pes| ["--replay", trace.to_str().unwrap(), "--network", network.to_str().unwrap(), "--pes", pes];
    // The model has one round of messages between 2 PEs, and three rounds between 8.
    let report = text(&info(&words("8")));
    let barrier =
        report.lines().find(|line| line.starts_with("shmem_barrier_all")).unwrap_or_else(|| panic!("{report}"));
    assert_eq!(barrier.split_whitespace().collect::<Vec<_>>()[1..], ["4.00", "us", "1.00", "us", "3.00", "us"]);
    assert!(report.contains("23.1 %  of the run would be saved by no latency between nodes"), "{report}");
    let refused = info(&words("3"));
    let why = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(refused.status.code() == Some(1) && why.ends_with("3 PEs are no multiple of the trace's 2\n"), "{why}");
    let refused = info(&["--replay", directory.join("trace.otf2").to_str().unwrap()]);
    let why = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(refused.status.code() == Some(1) && why.lines().count() == 1, "{why}");
    let end = "trace.otf2: OTF2 traces cannot be replayed; `oshrun --trace FILE.json` writes a trace that can\n";
    assert!(why.ends_with(end), "{why}");
}
