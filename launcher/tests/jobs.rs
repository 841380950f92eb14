//! Jobs that succeed, and command lines that are refused.

mod job;

use job::{command, run, start_with_input};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output};

#[test]
fn pes_get_their_number_and_all_published_values() {
    for n in ["1", "2", "7", "40"] {
        let ran = run(&["-n", n, "PE!", "join", "exchange=a", "exchange=b", "show", "exchange=c", "leave"]);
        let count: u32 = n.parse().unwrap();
        let values: Vec<_> = (0..count).map(|pe| format!("{pe}*b")).collect();
        let mut expected: Vec<_> =
            (0..count).map(|pe| format!("PE {pe} of {n} by oshrun, {n} here: {}", values.join(" "))).collect();
        expected.sort();
        ran.went_well();
        assert_eq!(ran.sorted(), expected);
    }
}

#[test]
fn a_large_turn_is_served_by_the_page() {
    let large = "x".repeat(5000);
    let ran = run(&["-n", "12", "PE!", "join", &format!("exchange={large}"), "show", "leave"]);
    let values: Vec<_> = (0..12).map(|pe| format!("{pe}*{large}")).collect();
    assert_eq!(ran.went_well().matches(&values.join(" ")).count(), 12);
}

#[test]
fn a_pe_may_be_a_pe_again() {
    run(&["-n", "3", "PE!", "join", "exchange", "leave", "join", "exchange", "leave"]).went_well();
    run(&["-n", "2", "sh", "-c", "\"$@\" && \"$@\"", "sh", "PE!", "join", "exchange", "leave"]).went_well();
}

#[test]
fn programs_that_are_no_pes_may_run_too() {
    assert_eq!(run(&["-n", "3", "echo", "hi"]).went_well(), "hi\nhi\nhi\n");
    let allowed = std::thread::available_parallelism().unwrap().get();
    assert_eq!(run(&["echo", "hi"]).went_well().lines().count(), allowed);
}

#[test]
fn child_of_a_pe_is_alone() {
    let ran = run(&["-n", "2", "PE!", "join", "exchange", &format!("start={} exchange show", job::PE), "leave"]);
    assert_eq!(ran.went_well(), "PE 0 of 1 by alone, 1 here: 0*\n".repeat(2));
}

#[test]
fn a_wrapper_that_closes_descriptors_makes_no_singletons() {
    let ran = run(&["-n", "2", "bash", "-c", "exec 100>&-; exec \"$@\"", "sh", "PE!", "join", "exchange", "leave"]);
    assert_ne!(ran.code, 0);
    assert!(ran.err.contains("was closed on the way to this program"), "{}", ran.err);
}

#[test]
fn several_programs_are_one_job() {
    let ran = run(&[
        "-n",
        "1",
        "PE!",
        "join",
        "exchange=m",
        "show",
        "leave",
        ":",
        "-np",
        "2",
        "-x",
        "A=1",
        "PE!",
        "join",
        "exchange=w",
        "leave",
    ]);
    assert_eq!(ran.went_well(), "PE 0 of 3 by oshrun, 3 here: 0*m 1*w 2*w\n");
    let ran = run(&[
        "-n",
        "1",
        "-x",
        "V=a",
        "sh",
        "-c",
        "echo $FERRITE_PE $V",
        ":",
        "-n",
        "2",
        "sh",
        "-c",
        "echo $FERRITE_PE $V",
    ]);
    ran.went_well();
    assert_eq!(ran.sorted(), ["0 a", "1", "2"]);
    // A count for each node applies to each program by itself.
    let one = ["-n", "1", "sh", "-c", "echo $FERRITE_PE"];
    let ran = run(&[&["--map-by", "ppr:1:node"][..], &one, &[":"], &one].concat());
    ran.went_well();
    assert_eq!(ran.sorted(), ["0", "1"]);
}

#[test]
fn the_environment_and_directory_are_those_asked_for() {
    let script = "echo $FERRITE_PE $FERRITE_LOCAL_PE $FERRITE_NPES $V $W; pwd";
    let mut oshrun = command(&["-n", "1", "-x", "V=a b", "-x", "W", "--wdir", "/", "sh", "-c", script]);
    oshrun.env("W", "w");
    assert_eq!(start_with_input(oshrun, b"").finish().went_well(), "0 0 1 a b w\n/\n");
    // Programs that are no shells do not correct it.
    assert_eq!(run(&["-n", "1", "--wdir", "/usr", "printenv", "PWD"]).went_well(), "/usr\n");
    assert_eq!(run(&["-n", "1", "--wdir", "/usr", "-x", "PWD=/no", "printenv", "PWD"]).went_well(), "/no\n");
    let ran = run(&["-n", "1", "-x", "FERRITE_NOT_SET_ANYWHERE", "true"]);
    ran.ended(0, &["FERRITE_NOT_SET_ANYWHERE", "not set"]);
}

#[test]
fn ppr_makes_as_many_pes_as_the_resources_of_this_host_have() {
    let mut info = Command::new(env!("CARGO_BIN_EXE_oshrun"));
    let map = info.arg0("oshmem_info").args(["--topology", "--parsable"]).output();
    let map = String::from_utf8(map.unwrap().stdout).unwrap();
    for (resource, key) in [("numa", "topology:numa"), ("socket", "topology:packages"), ("core", "topology:cores")] {
        let line = map.lines().find_map(|line| line.strip_prefix(key)).unwrap_or_else(|| panic!("no {key} in {map}"));
        let here: usize =
            line.trim_start_matches(|c: char| !c.is_ascii_digit()).split(' ').next().unwrap().parse().unwrap();
        let by = format!("ppr:2:{resource}");
        assert_eq!(run(&["--map-by", &by, "echo", "hi"]).went_well().lines().count(), 2 * here, "{by}");
        let more = (2 * here + 1).to_string();
        run(&["--map-by", &by, "-n", &more, "true"]).ended(1, &["were requested"]);
        run(&["--map-by", &by, "--bind-to", "none", "-n", &more, "true"]).ended(1, &["were requested"]);
    }
    // The mapping applies to each program by itself.
    let one = ["-n", "1", "echo", "hi"];
    assert_eq!(run(&[&["--map-by", "ppr:1:socket"][..], &one, &[":"], &one].concat()).went_well(), "hi\nhi\n");
}

#[test]
fn pes_get_the_timeouts_of_the_launcher() {
    let told = |words: &[&str]| {
        let mut oshrun = command(&[&["-n", "1"], words, &["sh", "-c", "echo $FERRITE_HOST_TIMEOUT"]].concat());
        oshrun.env("FERRITE_HOST_TIMEOUT", "9");
        start_with_input(oshrun, b"").finish().went_well().to_owned()
    };
    assert_eq!(told(&[]), "9\n");
    assert_eq!(told(&["--host-timeout", "3.5"]), "3.5\n");
    // -x for one program is more specific, so it wins.
    assert_eq!(told(&["--host-timeout", "3.5", "-x", "FERRITE_HOST_TIMEOUT=77"]), "77\n");
    let lost = |words: &[&str]| {
        run(&[&["-n", "1"], words, &["sh", "-c", "echo $FERRITE_LOST_TIMEOUT"]].concat()).went_well().to_owned()
    };
    assert_eq!(lost(&[]), "60\n");
    assert_eq!(lost(&["--host-timeout", "99"]), "99\n");
    assert_eq!(lost(&["--host-timeout", "99", "--lost-timeout", "7"]), "7\n");
}

#[test]
fn the_secret_is_in_no_argument_and_no_variable() {
    // Neither oshrun's command line nor the environment of PEs contains sixteen bytes that differ from job to job. Exceptions are the
    // inodes of the socket and of the boards, and the job's control group, a directory that every user sees.
    let seen = || {
        let ran = run(&["-n", "1", "sh", "-c", "env | sort"]);
        let drop = ["FERRITE_BOOT=", "FERRITE_BOARDS=", "FERRITE_TEST_JOB=", "FERRITE_JOB_GROUP="];
        let kept = ran.went_well().lines().filter(|line| !drop.iter().any(|name| line.starts_with(name)));
        kept.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(seen(), seen());
    let ran = run(&["-n", "1", "sh", "-c", "echo $FERRITE_BOOT"]);
    assert!(ran.went_well().starts_with("oshrun:100:"), "{}", ran.out);
}

#[test]
fn pes_get_the_descriptor_limit_that_oshrun_had() {
    for limit in ["256", "8"] {
        let mut shell = Command::new("sh");
        shell.args(["-c", "ulimit -Sn $1; exec \"$0\" -n 64 sh -c 'ulimit -Sn'", env!("CARGO_BIN_EXE_oshrun"), limit]);
        let output = job::bounded(shell);
        assert_eq!(String::from_utf8_lossy(&output.stdout), format!("{limit}\n").repeat(64));
        assert!(output.status.success());
    }
}

#[test]
fn too_few_descriptors_for_oshrun_are_reported() {
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -n 8; exec \"$0\" -n 2 true", env!("CARGO_BIN_EXE_oshrun")]);
    let output = job::bounded(shell);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.starts_with("oshrun: ") && said.contains("the hard limit is 8 (ulimit -Hn)"), "{said}");
    assert_eq!((output.status.code(), said.lines().count()), (Some(1), 1), "{said}");
}

#[test]
fn a_limit_of_processes_is_named_though_oshrun_itself_meets_it() {
    // Root has no limit, and another user's count depends on what else runs. So the job runs as a user without other processes.
    let user = 20_000 + std::process::id() % 40_000;
    let mut trial = command(&["--version"]);
    trial.current_dir("/").uid(user).gid(user).stdout(std::process::Stdio::null());
    if !trial.status().is_ok_and(|status| status.success()) {
        return println!("skipped: oshrun cannot be run as another user here");
    }
    let mut command = command(&["-n", "30", "sleep", "1000"]);
    command.current_dir("/").uid(user).gid(user);
    let limit = || {
        let most = libc::rlimit { rlim_cur: 12, rlim_max: 12 };
        // SAFETY: the limit is valid while it is read.
        match unsafe { libc::setrlimit(libc::RLIMIT_NPROC, &raw const most) } {
            0 => Ok(()),
            _ => Err(std::io::Error::last_os_error()),
        }
    };
    // SAFETY: the closure makes only system calls between fork and exec.
    unsafe { command.pre_exec(limit) };
    start_with_input(command, b"").finish().ended(126, &["cannot start", "as PE 9", "ulimit -u"]);
}

#[test]
fn a_transport_reaches_the_pes_over_what_the_environment_says() {
    let words = |transport: &'static str| ["-n", "2", "--transport", transport, "sh", "-c", "echo $SHMEM_TRANSPORT"];
    for transport in ["auto", "shm", "tcp", "libfabric", "ucx"] {
        assert_eq!(run(&words(transport)).went_well(), format!("{transport}\n{transport}\n"));
    }
    assert_eq!(run(&words("ofi")).went_well(), "libfabric\nlibfabric\n");
    let mut oshrun = command(&words("tcp"));
    oshrun.env("SHMEM_TRANSPORT", "ucx");
    assert_eq!(start_with_input(oshrun, b"").finish().went_well(), "tcp\ntcp\n");
    // -x for one program is more specific, so it wins.
    let ran = run(&["-n", "1", "--transport", "tcp", "-x", "SHMEM_TRANSPORT=shm", "sh", "-c", "echo $SHMEM_TRANSPORT"]);
    assert_eq!(ran.went_well(), "shm\n");
}

#[test]
fn unrunnable_program_is_refused_with_the_reason() {
    let scripts = [("of-no-interpreter", "#! /no/such/interpreter -x\n"), ("of-windows", "#!/bin/sh\r\necho hi\r\n")];
    let [script, of_windows] = scripts.map(|(name, text)| {
        let script = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("script-{name}"));
        fs::write(&script, text).unwrap();
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
        script
    });
    for (words, code, named) in [
        (&["-n", "2", "no-such-program"][..], 127, "no-such-program"),
        (&["-n", "2", "./no-such-program"], 127, "no-such-program"),
        (&["-n", "2", "/etc/passwd"], 126, "not executable"),
        (&["-n", "2", "/"], 126, "not a file"),
        (&["-n", "2", script.to_str().unwrap()], 126, "/no/such/interpreter, which is not there"),
        (&["-n", "2", of_windows.to_str().unwrap()], 126, "/bin/sh\\r, which is not there (its lines end in CR LF"),
        (&["-n", "2", "--wdir", "/no/such", "true"], 1, "--wdir /no/such"),
        (&["-n", "2", "--wdir", "/etc/passwd", "true"], 1, "is not a directory"),
        (&["-n", "10000000", "true"], 1, "ulimit -Hn"),
        (&["-n", "2", "--output-filename", "/dev/null/x", "true"], 1, "--output-filename"),
        (&["-n", "3", "--map-by", "ppr:1:node", "true"], 1, "ppr"),
        (&["-n", "2", "--profile=/no/such/page.html", "true"], 1, "--profile /no/such/page.html: No such file"),
        (&["-n", "2", "--trace", "/dev/null", "true"], 1, "--trace /dev/null: is not a plain file"),
        (&["--hostfile", "/dev/zero", "true"], 1, "/dev/zero: is larger than"),
    ] {
        run(words).ended(code, &[named, "oshrun: "]);
    }
    for (words, named) in [
        (&["-n", "0", "true"][..], "'0'"),
        (&["-n", "-3", "true"], "-3"),
        (&["-n", "2"], "PROGRAM"),
        (&[], "PROGRAM"),
        (&["--map-by", "sofa", "true"], "sofa"),
        (&["--transport", "pigeon", "true"], "auto, hardware, shm, tcp, libfabric or ucx"),
        (&["--timeout", "-1", "true"], "-1"),
    ] {
        let ran = run(words);
        assert_eq!(ran.code, 2, "{words:?}: {}", ran.err);
        assert!(ran.err.contains(named), "{words:?}: {}", ran.err);
    }
}

/// Run a shell script as a user other than root; `$0` is oshrun, `$1` an empty directory that every user may write to.
fn run_by_a_user(script: &str) -> Output {
    let directory = std::env::temp_dir().join(format!("ferrite-user-{}", std::process::id()));
    fs::create_dir_all(&directory).unwrap();
    fs::set_permissions(&directory, fs::Permissions::from_mode(0o777)).unwrap();
    // Another user may have no access to the directory in which oshrun was built.
    let oshrun = directory.join("oshrun");
    job::copy_program(env!("CARGO_BIN_EXE_oshrun"), &oshrun);
    let mut shell = Command::new("sh");
    shell.args(["-c", script]).arg(&oshrun).arg(&directory).env_remove("FERRITE_LAST_RUN");
    if rustix::process::geteuid().is_root() {
        shell.uid(4711).gid(4711);
    }
    let output = job::bounded(shell);
    fs::remove_dir_all(&directory).unwrap();
    output
}

#[test]
fn working_directory_that_cannot_be_entered_is_named() {
    for (script, named) in [
        (
            "mkdir $1/d; chmod 0 $1/d; exec $0 -n 1 --wdir $1/d true",
            "--wdir DIR/d: cannot be entered: Permission denied",
        ),
        (
            "mkdir $1/d; cd $1/d; chmod 0 .; exec $0 -n 1 true",
            "cannot start in DIR/d, where oshrun was started (--wdir DIR elsewhere): cannot be entered: Permission denied",
        ),
        (
            "mkdir $1/d; cd $1/d; rmdir $1/d; exec $0 -n 1 true",
            "cannot find the directory in which it was started: No such file",
        ),
    ] {
        let output = run_by_a_user(script);
        let told = String::from_utf8(output.stderr).unwrap();
        let directory = std::env::temp_dir().join(format!("ferrite-user-{}", std::process::id()));
        let named = named.replace(" DIR/", &format!(" {}/", directory.display()));
        assert!(output.status.code() == Some(1) && told.contains(&named) && told.lines().count() == 1, "{told}");
    }
}

#[test]
fn limit_of_the_size_of_files_is_named() {
    let limited = |script: &str| {
        let directory = std::env::temp_dir().join(format!("ferrite-limited-job-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("ulimit -S -f 1; {script}"), env!("CARGO_BIN_EXE_oshrun")]).arg(&directory);
        let output = job::bounded(shell);
        fs::remove_dir_all(&directory).unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let named = "the file would be larger than the limit of the size of files (ulimit -f)\n";
    let many = "-n 1 head -c 100000 /dev/zero";
    let (code, told) = limited(&format!("exec $0 --output-filename $1 {many}"));
    assert!(code == Some(1) && told.ends_with(&format!("pe.0.out: {named}")), "{code:?} {told}");
    let (code, told) = limited(&format!("exec $0 {many} >$1/out"));
    assert_eq!((code, told), (Some(1), format!("oshrun: cannot write standard output: {named}")));
    let library = LIBRARY_PE.join(" ");
    let (code, told) = limited(&format!("ulimit -S -f 10000000; exec $0 --check -n 1 {library}"));
    assert!(code == Some(70) && told.contains("symmetric memory") && told.ends_with(named), "{code:?} {told}");
    // oshrun's own memory files and the record of the last run exceed the limit too; oshrun runs without them.
    assert_eq!(limited("FERRITE_LAST_RUN=$1/last exec $0 -n 2 true"), (Some(0), String::new()));
    // A program gets the default action of SIGXFSZ.
    let (code, told) = limited("exec $0 -n 1 sh -c 'exec head -c 100000 /dev/zero >$0/file' $1");
    assert!(
        code == Some(128 + libc::SIGXFSZ) && told.contains("SIGXFSZ") && told.contains("ulimit -f"),
        "{code:?} {told}"
    );
}

/// A PE that uses the library.
const LIBRARY_PE: [&str; 2] = [job::PE, "library"];

#[test]
fn pe_with_another_transport_is_named_with_both_values() {
    // The host's memory is mapped by the first PE only, by the second only, and by neither.
    for [first, second] in [["auto", "tcp"], ["tcp", "shm,tcp"], ["tcp", "ucx"]] {
        let [one, other] = [first, second].map(|transport| format!("SHMEM_TRANSPORT={transport}"));
        let one = [&["-n", "1", "-x", &one][..], &LIBRARY_PE, &[":"]].concat();
        let ran = run(&[&one[..], &["-n", "1", "-x", &other], &LIBRARY_PE].concat());
        let named =
            format!("SHMEM_TRANSPORT is {second} on PE 1, and {first} on PE 0; it must be the same for all PEs");
        ran.ended(70, &[&named]);
    }
}

/// A script plants links to the file `victim` in the test's directory before it execs the PE.
#[test]
fn profile_and_trace_follow_no_planted_link() {
    let directory = std::env::temp_dir().join(format!("ferrite-planted-{}", std::process::id()));
    fs::create_dir_all(&directory).unwrap();
    let at = |name: &str| directory.join(name).display().to_string();
    fs::write(at("victim"), "precious").unwrap();
    // The process number stays the same across exec, so the script can predict a file name that contains it.
    let foretold = format!("ln -s victim {0}.new$$; exec \"$0\" \"$@\"", at("page"));
    let [page, trace] = [format!("SHMEM_PROFILE={}", at("page")), format!("SHMEM_TRACE={}", at("trace"))];
    let ran = run(&[&["-n", "2", "-x", &page, "sh", "-c", &foretold][..], &LIBRARY_PE].concat());
    ran.ended(0, &["PE 0: profile written to", &at("page")]);
    assert!(fs::read_to_string(at("page")).unwrap().starts_with("<!doctype html>"));
    // A link at the name itself, planted after oshrun has checked the name.
    let planted = format!("ln -s victim {}; exec \"$0\" \"$@\"", at("trace"));
    let ran = run(&[&["-n", "1", "-x", &trace, "sh", "-c", &planted][..], &LIBRARY_PE].concat());
    ran.ended(0, &["the trace cannot be written to", &at("trace"), "is a symbolic link, which is not followed"]);
    assert!(fs::read_link(at("trace")).is_ok());
    assert_eq!(fs::read_to_string(at("victim")).unwrap(), "precious");
    fs::remove_dir_all(&directory).unwrap();
}

#[test]
fn help_and_version_are_no_errors() {
    for (word, expected) in
        [("--help", "Examples:"), ("-h", "--tag-output"), ("--version", "oshrun "), ("-V", "oshrun ")]
    {
        assert!(run(&[word]).went_well().contains(expected), "{word}");
    }
}

#[test]
fn an_oshrun_inside_an_oshrun_is_a_job_of_its_own() {
    let oshrun = env!("CARGO_BIN_EXE_oshrun");
    let ran = run(&["-n", "2", oshrun, "-n", "2", "PE!", "join", "exchange=i", "show", "leave"]);
    ran.went_well();
    assert_eq!(ran.sorted().iter().filter(|line| line.starts_with("PE 1 of 2 by oshrun")).count(), 2);
    // Each PE has a connection to its own oshrun, and to no other.
    let ran = run(&["-n", "1", oshrun, "-n", "1", "sh", "-c", "ls -l /proc/self/fd | grep -c socket:"]);
    assert_eq!(ran.went_well(), "1\n");
}

#[test]
fn a_pe_whose_environment_was_cleared_does_not_run_alone() {
    let cleared = command(&["-n", "2", "env", "-i", "PE!", "print=alone"]);
    let ran = start_with_input(cleared, b"").finish();
    assert_eq!((ran.code, ran.out.as_str()), (134, ""), "{}", ran.err);
    assert!(ran.err.contains("its environment was cleared") && ran.err.contains("FERRITE_BOOT"), "{}", ran.err);
    let wanted = command(&["-n", "2", "env", "-i", "FERRITE_BOOT=alone", "PE!", "print=alone"]);
    assert_eq!(start_with_input(wanted, b"").finish().went_well(), "alone\nalone\n");
}

/// A program and the library of this name that it is linked to.
fn linked_to(directory: &Path, library: &str) -> String {
    let at = |name: &str| directory.join(name);
    fs::create_dir_all(directory).unwrap();
    fs::write(at("library.c"), "int answer(void) { return 42; }\n").unwrap();
    fs::write(at("main.c"), "int answer(void);\nint main(void) { return answer() - 42; }\n").unwrap();
    let compile = |command: &mut Command| assert!(command.status().unwrap().success(), "{command:?}");
    let soname = format!("-Wl,-soname,{library}");
    compile(Command::new("cc").args(["-shared", "-fPIC", &soname, "-o"]).args([at(library), at("library.c")]));
    let rpath = format!("-Wl,-rpath,{}", directory.display());
    compile(Command::new("cc").args(["-o"]).args([at("main"), at("main.c"), at(library)]).arg(rpath));
    at("main").display().to_string()
}

/// Each PE of such a program would be alone. One alone is what it is without a launcher.
#[test]
fn programs_of_open_mpi_are_refused() {
    if Command::new("cc").arg("--version").output().is_err() {
        println!("skipped: there is no cc, which builds the programs");
        return;
    }
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("linked-to");
    for (library, what, cure) in [
        ("liboshmem.so.40", "was built with Open MPI's OpenSHMEM (liboshmem.so.40)", "compile it with Ferrite's oshcc"),
        ("libmpi.so.40", "is linked to Open MPI (libmpi.so.40)", "start it by Open MPI's mpirun"),
    ] {
        let program = linked_to(&directory.join(library), library);
        let refused = run(&["-n", "2", &program]);
        assert_ne!(refused.code, 0);
        assert!(refused.err.contains(what) && refused.err.contains(cure), "{}", refused.err);
        assert_eq!(refused.err.lines().count(), 1, "{}", refused.err);
        run(&["-n", "1", &program]).went_well();
    }
    fs::remove_dir_all(&directory).unwrap();
}

/// A child that a PE has left behind may get the process id of a PE that has ended.
#[test]
fn process_id_that_is_used_again_is_no_second_end_of_a_pe() {
    // In a namespace of its own: nothing else takes the number.
    let script = "[ $FERRITE_PE = 1 ] || { echo $$ >$0/pe; exit 0; }
        while [ ! -s $0/pe ] || kill -0 $(cat $0/pe) 2>/dev/null; do sleep 0.05; done
        pe=$(cat $0/pe)
        (echo $((pe - 1)) >/proc/sys/kernel/ns_last_pid; sh -c 'sleep 0.1; exit 3' & echo $! >$0/left)
        left=$(cat $0/left)
        while kill -0 $left 2>/dev/null; do sleep 0.05; done
        sleep 0.5
        [ $left != $pe ] || echo used again";
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("used-again-{}", std::process::id()));
    fs::create_dir_all(&directory).unwrap();
    let mut oshrun = Command::new("unshare");
    oshrun.args(["--user", "--map-root-user", "--pid", "--fork", "--mount-proc", "sh", "-c", "\"$@\"; exit $?", "sh"]);
    oshrun.args([env!("CARGO_BIN_EXE_oshrun"), "-n", "2", "sh", "-c", script]).arg(&directory);
    let output = job::bounded(oshrun);
    fs::remove_dir_all(&directory).unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(!err.contains("oshrun: "), "{output:?}");
    if out != "used again\n" {
        println!("skipped: process ids cannot be chosen here: {err}");
    }
}
