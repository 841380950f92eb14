//! Tests of the command line of `oshrun`.

use super::*;
use std::os::unix::ffi::OsStringExt;

fn parsed(line: &str) -> Request {
    parse(line.split_whitespace().map(OsString::from)).unwrap_or_else(|error| panic!("{line}: {error}"))
}

fn refused(line: &str) -> String {
    parse(line.split_whitespace().map(OsString::from)).map(|request| panic!("{request:?}")).unwrap_err().to_string()
}

#[test]
fn the_program_takes_all_that_follows_it() {
    let request = parsed("oshrun -n 4 -l prog -n 7 --timeout x -np");
    assert!(request.job.tag_output && request.job.timeout.is_none());
    assert_eq!(request.apps[0].count, Some(4));
    assert_eq!(request.apps[0].command, ["prog", "-n", "7", "--timeout", "x", "-np"]);
}

#[test]
fn long_options_may_have_one_dash() {
    for line in ["oshrun -np 3 p", "oshrun --np 3 p", "oshrun -n3 p", "oshrun --np=3 p", "oshrun -np=3 p"] {
        assert_eq!(parsed(line).apps[0].count, Some(3), "{line}");
    }
    let request = parsed("oshrun -wdir /tmp -x A -np 2 -timeout 1.5 p -np");
    assert_eq!(request.apps[0].wdir, Some("/tmp".into()));
    assert_eq!(request.job.timeout, Some(Duration::from_millis(1500)));
    assert_eq!(request.apps[0].command, ["p", "-np"]);
}

#[test]
fn a_check_has_words_or_none() {
    for (line, words) in [
        ("oshrun -n 2 p", None),
        ("oshrun --check -n 2 p --check", Some("1")),
        ("oshrun -check p", Some("1")),
        ("oshrun --check=warn,json p", Some("warn,json")),
    ] {
        let request = parsed(line);
        assert_eq!(request.job.check.as_deref(), words, "{line}");
        assert_eq!(request.apps[0].command[0], "p", "{line}");
    }
}

#[test]
fn a_profile_may_have_a_name() {
    let name = |line: &str| parsed(line).job.profile.map(|path| path.display().to_string());
    assert_eq!(name("oshrun -n 2 --profile p --profile=x").as_deref(), Some("shmem-profile.html"));
    assert_eq!(name("oshrun -n 2 -profile=a.html p").as_deref(), Some("a.html"));
    assert_eq!(name("oshrun -n 2 --trace t.json p"), None);
    assert_eq!(parsed("oshrun -trace t.json p").apps[0].command, ["p"]);
}

#[test]
fn values_may_be_any_bytes() {
    let latin = |text: &str| OsString::from_vec(text.chars().map(|letter| letter as u8).collect());
    for line in ["oshrun -n 2 --wdir=/d\u{e9}j\u{e0} p", "oshrun -n 2 -wdir=/d\u{e9}j\u{e0} p"] {
        let app = parse(line.split(' ').map(latin)).unwrap().apps.remove(0);
        assert_eq!((app.count, app.command), (Some(2), vec!["p".into()]), "{line}");
        assert_eq!(app.wdir, Some(latin("/d\u{e9}j\u{e0}").into()), "{line}");
    }
    let app = parse("oshrun -x A=\u{e9} -xB=\u{e9} p\u{e9}".split(' ').map(latin)).unwrap().apps.remove(0);
    assert_eq!((app.export, app.command), (vec![latin("A=\u{e9}"), latin("B=\u{e9}")], vec![latin("p\u{e9}")]));
    // Outside of a value, a word that begins with a dash is still no program.
    let error = parse("oshrun --s\u{e9} p".split(' ').map(latin)).unwrap_err().to_string();
    assert!(error.contains("unexpected argument '--s"), "{error}");
}

#[test]
fn hosts_are_given_as_others_have_them() {
    for option in ["--host ", "-host ", "-H ", "--host=", "-hosts ", "--hosts=", "-hosts="] {
        let line = format!("oshrun {option}a:2,b p");
        let hosts = parsed(&line).apps.remove(0).host.unwrap().0;
        let shown: Vec<_> = hosts.iter().map(|host| (host.name.as_str(), host.slots)).collect();
        assert_eq!(shown, [("a", 2), ("b", 1)], "{line}");
    }
    for option in ["-N", "-ppn", "--npernode", "-npernode", "-perhost"] {
        let line = format!("oshrun {option} 2 p");
        assert_eq!(parsed(&line).apps[0].per_host, Some(2), "{line}");
    }
    for option in ["--hostfile", "-machinefile", "-hostfile", "-f"] {
        let line = format!("oshrun {option} f p");
        assert_eq!(parsed(&line).apps[0].hostfile, Some("f".into()), "{line}");
    }
}

#[test]
fn options_of_other_launchers_are_understood() {
    let request = parsed("oshrun -hosts a,b -perhost 2 -genv K V --mca btl self -v --allow-run-as-root -rr p -hosts c");
    let app = &request.apps[0];
    assert_eq!(app.host.as_ref().unwrap().0.len(), 2);
    assert_eq!((app.per_host, &app.export[..]), (Some(2), &["K=V".into()][..]));
    let told: Vec<_> = request.notices.iter().map(|notice| notice.split(" (").next().unwrap()).collect();
    assert_eq!(told, ["ignoring --mca btl self", "ignoring -v"]);
    let request = parsed("oshrun --map-by slot:PE=2 --bind-to hwthread -q p");
    assert_eq!((request.job.cpus_per_pe, request.job.bind_to), (Some(2), Some(BindTo::Core)));
    assert_eq!(request.notices, ["--bind-to hwthread is taken as --bind-to core"]);
    assert_eq!(app.command, ["p", "-hosts", "c"]);
    assert_eq!(parsed("oshrun -c 3 -f hosts p").apps[0].count, Some(3));
    assert!(parsed("oshrun --display-map p").job.report_bindings);
    let request = parsed("oshrun --ntasks 3 --ntasks-per-node=2 -cpus-per-task 4 -nodelist a,b --chdir /c p");
    let app = &request.apps[0];
    assert_eq!((app.count, app.per_host, request.job.cpus_per_pe), (Some(3), Some(2), Some(4)));
    assert_eq!((app.host.as_ref().unwrap().0.len(), &app.wdir), (2, &Some("/c".into())));
    assert_eq!(parsed("oshrun --gpus-per-task 2 p").job.gpus, Some(GpuWish::Each(2)));
    assert_eq!(parsed("oshrun --cpus-per-proc 2 p").job.cpus_per_pe, Some(2));
    assert_eq!(parsed("oshrun --cpus-per-rank 2 p").job.cpus_per_pe, Some(2));
}

#[test]
fn a_count_behind_the_program_gets_a_hint() {
    let notices = |line: &str| parsed(line).notices;
    let told = "-n 4 after ./hello is an argument of ./hello; for 4 PEs: oshrun -n 4 ./hello";
    assert_eq!(notices("oshrun ./hello -n 4"), [told]);
    for line in [
        "oshrun -n 2 ./hello -n 4",
        "oshrun ./hello -n x",
        "oshrun ./hello -n",
        "oshrun -N 2 ./hello -n 4",
        "oshrun --host a,b head -n 1",
    ] {
        assert_eq!(notices(line), [""; 0], "{line}");
    }
}

#[test]
fn a_misspelt_option_is_no_wish_for_help() {
    for (line, named) in [
        ("oshrun -hotss a p", "'-hotss'"),
        ("oshrun -Vx p", "'-Vx'"),
        ("oshrun -quite p", "'-quite'"),
        ("oshrun -lx p", "'-lx'"),
        ("oshrun -nonsense p", "'-nonsense'"),
        ("oshrun -numa p", "'-numa'"),
        ("oshrun -cpus 2 p", "'-cpus'"),
        ("oshrun -xyz p", "'-xyz'"),
    ] {
        let error = parse(line.split_whitespace().map(OsString::from)).unwrap_err();
        let text = error.to_string();
        assert!(error.use_stderr() && text.contains("unexpected argument") && text.contains(named), "{line}: {text}");
    }
    for line in ["oshrun -h", "oshrun --help", "oshrun -help", "oshrun -V", "oshrun --version"] {
        assert!(!parse(line.split_whitespace().map(OsString::from)).unwrap_err().use_stderr(), "{line}");
    }
}

/// Both help texts as a terminal with 80 columns shows them.
fn help(option: &str) -> String {
    First::command().term_width(80).try_get_matches_from(["oshrun", option]).unwrap_err().to_string()
}

#[test]
fn the_help_fits_two_screens() {
    let text = help("--help");
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines.len() <= 48 && lines.iter().all(|line| line.len() <= 80), "{} lines\n{text}", lines.len());
    let all = help("--help-all");
    for option in First::command().get_arguments().filter(|option| !option.is_hide_set()) {
        let name = option
            .get_long()
            .map_or_else(|| format!("  -{}", option.get_short().unwrap_or('<')), |long| format!("--{long}"));
        assert!(option.is_positional() || all.contains(&name), "{name}\n{all}");
        // An option's text has one line, so the next line begins with an option.
        let is_shown = |line: &&str| [" ", "["].iter().any(|end| line.contains(&format!("{name}{end}")));
        let options = lines.iter().take_while(|line| **line != "Examples:");
        if let Some(at) = options.copied().position(|line| line.starts_with("  ") && is_shown(&line)) {
            assert!(lines[at + 1].len() < 6 || lines[at + 1][..8].contains('-'), "{name}\n{text}");
        } else {
            assert!(option.is_hide_short_help_set(), "{name}\n{text}");
        }
    }
}

#[test]
fn the_whole_help_has_its_own_word() {
    for line in ["oshrun --help=all", "oshrun -help=all", "oshrun -n 2 --help=all p"] {
        assert!(refused(line).contains("--lost-timeout"), "{line}");
    }
    for line in ["oshrun --help", "oshrun -h", "oshrun -help", "oshrun -n 2 -h p"] {
        let text = refused(line);
        assert!(text.contains("--help=all") && !text.contains("--lost-timeout"), "{line}: {text}");
    }
    assert!(refused("oshrun --help=some").contains("'some'"), "{}", refused("oshrun --help=some"));
}

#[test]
fn the_help_says_how_hosts_are_reached() {
    let help = help("--help-all").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(help.contains(&format!("[default: {}]", rsh::DEFAULT)), "{help}");
}

#[test]
fn colons_separate_programs() {
    let request = parsed("oshrun -l -n 1 a x : -n 2 -x K=V b : -np 3 c -z");
    assert_eq!(request.apps.iter().map(|app| app.count.unwrap()).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(request.apps[1].export, ["K=V"]);
    assert_eq!(request.apps[2].command, ["c", "-z"]);
    assert!(refused("oshrun -n 1 a : b").contains("needs its own -n"));
    assert!(refused("oshrun -n 1 a :").contains("PROGRAM"));
    for option in ["--timeout 3", "--output tag", "--map-by slot:PE=2", "--display map", "--prefix /o"] {
        let error = refused(&format!("oshrun -n 1 a : {option} -n 1 b"));
        let expected = format!(
            "'{}' is an option of the whole job: it belongs before the first program",
            option.split(' ').next().unwrap()
        );
        assert!(error.contains(&expected), "{option}: {error}");
    }
}

#[test]
fn wrong_values_are_named() {
    for (line, named) in [
        ("oshrun -n 0 p", "'0'"),
        ("oshrun -n -3 p", "'-3'"),
        ("oshrun -n 99999999999 p", "99999999999"),
        ("oshrun -n x p", "'x' for '-n <N>': expected a number of PEs from 1 to 16777216"),
        ("oshrun -np four p", "'four' for '--np <N>': expected a number of PEs"),
        ("oshrun -c four p", "'four' for '-c <N>': expected a number of PEs"),
        ("oshrun -x a -n a p", "'a' for '-n <N>'"),
        ("oshrun --timeout=abc p -q abc", "'abc' for '--timeout <SECONDS>'"),
        ("oshrun -np4 p", "'p4' for '--np <N>': write -np 4"),
        ("oshrun -n 2", "PROGRAM"),
        ("oshrun --timeout 0 p", "seconds"),
        (
            "oshrun --timeout soon p",
            "'soon' for '--timeout <SECONDS>': expected a number of seconds above 0, such as 90 or 2.5",
        ),
        ("oshrun --bind-to sofa p", "sofa"),
        ("oshrun --nonsense p", "--nonsense"),
        ("oshrun --check=loud p", "'loud'"),
        ("oshrun --transport pigeon p", "'pigeon'"),
        ("oshrun --transport pigeon p", "auto, hardware, shm, tcp, libfabric or ucx"),
        ("oshrun --host a:0 p", "a:0"),
        ("oshrun --host a;b p", "a;b"),
        ("oshrun --host a --hostfile f p", "--hostfile"),
        ("oshrun --host a --rsh ' p", "quote"),
        ("oshrun -N 0 p", "'0'"),
    ] {
        let error = refused(line);
        assert!(error.contains(named) && !error.contains("-- -"), "{line}: {error}");
    }
}
