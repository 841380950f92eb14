//! The report as users and scripts see it.

use std::process::{Command, Output};

use ferrite_runtime::settings::SETTINGS;

fn info(words: &[&str]) -> Output {
    command(words).output().unwrap()
}

fn command(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_oshmem_info"));
    command.args(words);
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
    assert_eq!(line(setting.name), "12345  (set)");
    assert_eq!(line(setting.aliases[0]), format!("12345  (set by {})", setting.aliases[0]));
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
fn version_and_help_are_short() {
    for word in ["-V", "--version"] {
        assert_eq!(text(&info(&[word])), format!("Ferrite {}\n", env!("CARGO_PKG_VERSION")));
    }
    assert!(text(&info(&["--help"])).contains("--parsable"));
}
