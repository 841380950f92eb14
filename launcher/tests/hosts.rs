//! Jobs on several hosts behave as on one machine. If a host fails in any way, the job ends and leaves nothing behind.

mod job;
mod test_hosts;

use job::{Ran, start_with_input, wait_until};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use test_hosts::TestHosts;

#[test]
fn pes_of_all_hosts_are_one_job() {
    for hosts in TestHosts::both(3) {
        for (slots, here) in [(&[2, 2][..], "2222"), (&[1, 3, 2], "133322"), (&[40, 1, 1], "")] {
            let size: u32 = slots.iter().sum();
            let ran = hosts.run(slots, &["PE!", "join", "exchange=a", "exchange=b", "show", "exchange=c", "leave"]);
            ran.went_well();
            let values: Vec<_> = (0..size).map(|pe| format!("{pe}*b")).collect();
            let lines = ran.sorted();
            assert_eq!(lines.len() as u32, size);
            for line in lines {
                assert!(line.ends_with(&values.join(" ")), "{line}");
            }
            for (pe, here) in here.chars().enumerate() {
                let line = format!("PE {pe} of {size} by oshrun, {here} here: ");
                assert!(ran.out.contains(&line), "`{line}` is not in: {}", ran.out);
            }
        }
    }
}

#[test]
fn no_aslr_gives_functions_one_address_on_all_hosts() {
    for hosts in TestHosts::both(2) {
        let ran = hosts.run(&[2, 1], &["--no-aslr", "PE!", "address"]);
        if ran.err.contains("the kernel does not let it") {
            println!("skipped: personality(2) is not allowed here");
            return;
        }
        ran.went_well();
        let addresses = ran.sorted();
        assert!(addresses.len() == 3 && addresses[0] == addresses[2], "{}", ran.out);
        let usual = hosts.run(&[2, 1], &["PE!", "address"]);
        let randomised = fs::read_to_string("/proc/sys/kernel/randomize_va_space").is_ok_and(|how| how.trim() != "0");
        assert!(!randomised || usual.sorted()[0] != usual.sorted()[2], "{}", usual.out);
    }
}

#[test]
fn an_allocation_stands_for_a_list_of_hosts() {
    let path = std::env::temp_dir().join(format!("ferrite-nodefile-{}", std::process::id()));
    let by_file = ("PBS_NODEFILE", path.to_str().unwrap());
    let by_slurm = ("SLURM_JOB_NODELIST", "h[a-b]");
    let run = |variable: (&str, &str), words: &[&str]| {
        let show = ["sh", "-c", "echo $FERRITE_PE $FERRITE_LOCAL_PE"];
        let mut command = job::command(&[&["--rsh", test_hosts::HERE], words, &show].concat());
        for name in ["SLURM_JOB_NODELIST", "SLURM_STEP_ID", "PBS_NODEFILE", "FERRITE_PE", "PMI_RANK", "PMIX_RANK"] {
            command.env_remove(name);
        }
        command.env(variable.0, variable.1);
        start_with_input(command, b"").finish()
    };
    let lines = |ran: &Ran| ran.sorted().join(",");
    fs::write(&path, "ha\nha\nhb\n").unwrap();
    let all = run(by_file, &[]);
    assert_eq!((all.went_well(), lines(&all)), (&*all.out, "0 0,1 1,2 0".into()));
    // More PEs than slots: oshrun prints a line, unless --oversubscribe is given.
    let crowded = run(by_file, &["-n", "4"]);
    crowded.ended(0, &["3 PEs on host ha", "2 slots by PBS_NODEFILE", "--oversubscribe"]);
    assert_eq!(lines(&crowded), "0 0,1 1,2 0,3 2");
    run(by_file, &["-n", "4", "--oversubscribe"]).went_well();
    // --host overrides the batch system's list.
    assert_eq!(run(by_file, &["--host", "localhost:3"]).went_well().lines().count(), 3);
    // If the list has this host only, its slots count as on any other host.
    fs::write(&path, "localhost\nlocalhost\nlocalhost\n").unwrap();
    let alone = run(by_file, &[]);
    assert_eq!((alone.went_well(), lines(&alone)), (&*alone.out, "0 0,1 1,2 2".into()));
    run(by_file, &["-n", "4"]).ended(0, &["4 PEs on host", "3 slots by PBS_NODEFILE"]);
    fs::remove_file(&path).unwrap();
    run(by_file, &["-n", "2"]).ended(1, &["PBS_NODEFILE=", "No such file", "--host localhost"]);
    run(by_slurm, &["-n", "2"]).ended(1, &["SLURM_JOB_NODELIST=h[a-b]", "not a range of numbers"]);
    assert_eq!(lines(&run((by_slurm.0, "ha,hb"), &["-n", "2"])), "0 0,1 0");
}

#[test]
fn agents_start_agents() {
    let hosts = TestHosts::here(8);
    let large = "x".repeat(5000);
    for fan_out in ["1", "2", "32"] {
        for value in ["a", &large] {
            let words =
                ["--fan-out", fan_out, "PE!", "join", &format!("exchange={value}"), "show", "exchange", "leave"];
            let ran = hosts.run(&[1, 2, 1, 2, 1, 2, 1, 2], &words);
            let values: Vec<_> = (0..12).map(|pe| format!("{pe}*{value}")).collect();
            assert_eq!(ran.went_well().matches(&values.join(" ")).count(), 12, "fan-out {fan_out}");
        }
    }
}

#[test]
fn many_pes_start_over_hosts() {
    for hosts in TestHosts::both(3) {
        let begin = Instant::now();
        let ran = hosts.run(&[86, 86, 84], &["PE!", "join", "exchange=a", "exchange=b", "leave", "print=x"]);
        println!("256 PEs over 3 hosts (namespaces: {}): {:?}", hosts.is_apart(), begin.elapsed());
        assert_eq!(ran.went_well().lines().count(), 256);
    }
}

#[test]
fn hosts_are_places_of_their_own() {
    let Some(hosts) = TestHosts::apart(2) else { return };
    let ran =
        hosts.run(&[1, 1], &["sh", "-c", "echo $FERRITE_PE $(uname -n); touch /dev/shm/$FERRITE_PE; ls /dev/shm"]);
    ran.went_well();
    let mut expected = vec!["0".into(), "1".into()];
    expected.extend(hosts.hosts.iter().enumerate().map(|(pe, host)| format!("{pe} {host}")));
    expected.sort();
    assert_eq!(ran.sorted(), expected);
}

#[test]
fn pes_go_to_hosts_as_they_are_asked_to() {
    let hosts = TestHosts::here(2);
    let show = "echo $FERRITE_PE $FERRITE_LOCAL_PE";
    for (words, expected) in [
        (&["-n", "4"][..], "0 0,1 1,2 0,3 1"),
        (&["--map-by", "node"], "0 0,1 0,2 1,3 1"),
        (&["-N", "1"], "0 0,1 0"),
        (&["-ppn", "2", "-n", "3"], "0 0,1 1,2 0"),
        (&["--map-by", "ppr:1:node"], "0 0,1 0"),
    ] {
        let ran = hosts.run(&[2, 2], &[words, &["sh", "-c", show]].concat());
        ran.went_well();
        assert_eq!(ran.sorted().join(","), expected, "{words:?}");
    }
    hosts.run(&[1, 1], &["-N", "1", "-n", "5", "true"]).ended(1, &["1 on each of 2 hosts is room for 2 PEs"]);
    // Only a host itself knows its sockets.
    let by = ["--map-by", "ppr:1:socket"];
    hosts.run(&[4, 4], &[&by[..], &["-n", "2", "true"]].concat()).ended(1, &["ppr:1:socket", "several hosts", "-N K"]);
    let ran = hosts.run(&[4, 4], &[&by[..], &["-N", "1", "sh", "-c", show]].concat());
    ran.went_well();
    assert_eq!(ran.sorted(), ["0 0", "1 0"]);
    hosts.run(&[1, 1], &["--map-by", "ppr:1:node", "-N", "2", "true"]).ended(1, &["on host", "ppr:1:node"]);
    let one = TestHosts::here(1);
    one.run(&[4], &[&by[..], &["true"]].concat()).ended(1, &["host ha", "-n N"]);
    assert_eq!(one.run(&[4], &[&by[..], &["-n", "1", "echo", "hi"]].concat()).went_well(), "hi\n");
}

#[test]
fn several_programs_have_hosts_of_their_own() {
    for hosts in TestHosts::both(2) {
        let [one, two] = [&hosts.hosts[0], &hosts.hosts[1]];
        let show = "echo $FERRITE_PE $FERRITE_LOCAL_PE $V $(uname -n)";
        let words = ["-n", "1", "-x", "V=v", "sh", "-c", show, ":", "--host", two, "-n", "2", "sh", "-c", show];
        let ran = hosts.run(&[1], &words);
        ran.went_well();
        let own = String::from_utf8(Command::new("uname").arg("-n").output().unwrap().stdout).unwrap();
        let name = |host: &String| if hosts.is_apart() { host.clone() } else { own.trim().to_owned() };
        let expected = [format!("0 0 v {}", name(one)), format!("1 0 {}", name(two)), format!("2 1 {}", name(two))];
        assert_eq!(ran.sorted(), expected);
        let ran = hosts.run(
            &[1, 1],
            &[
                "-n",
                "1",
                "PE!",
                "join",
                "exchange=m",
                "show",
                "leave",
                ":",
                "-n",
                "1",
                "PE!",
                "join",
                "exchange=w",
                "leave",
            ],
        );
        assert_eq!(ran.went_well(), "PE 0 of 2 by oshrun, 1 here: 0*m 1*w\n");
    }
}

#[test]
fn the_environment_and_directory_travel() {
    let Some(hosts) = TestHosts::apart(2) else { return };
    let rsh = format!("env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin {}", hosts.rsh);
    let hosts = hosts.reached_by(rsh);
    let script = "echo \"$SHMEM_A|$SMA_B|$UCX_C|$FI_D|$PSM3_E|$CXI_F|$RDMAV_G|$SLINGSHOT_H|$X|$LD_LIBRARY_PATH\"; pwd";
    let mut command = hosts.command(&[1, 1], &["-x", "X=a b", "sh", "-c", script]);
    for name in ["SHMEM_A", "SMA_B", "UCX_C", "FI_D", "PSM3_E", "CXI_F", "RDMAV_G", "SLINGSHOT_H"] {
        command.env(name, format!("<{name}>"));
    }
    command.env("LD_LIBRARY_PATH", "/nowhere").current_dir("/usr");
    let ran = start_with_input(command, b"").finish();
    assert_eq!(ran.sorted(), ["/usr", "/usr", &line(), &line()], "{}", ran.err);
    fn line() -> String {
        "<SHMEM_A>|<SMA_B>|<UCX_C>|<FI_D>|<PSM3_E>|<CXI_F>|<RDMAV_G>||a b|/nowhere".into()
    }
}

#[test]
fn streams_are_as_on_one_machine() {
    for hosts in TestHosts::both(2) {
        let input = "0123456789\n".repeat(100_000);
        let job = start_with_input(hosts.command(&[1, 2], &["-l", "wc", "-c"]), input.as_bytes());
        let ran = job.finish();
        ran.went_well();
        assert_eq!(ran.sorted(), ["[0] 1100000", "[1] 0", "[2] 0"]);
        // PE 0 reads a part of the input and ends.
        let job = start_with_input(hosts.command(&[1, 1], &["head", "-n", "1"]), input.as_bytes());
        assert_eq!(job.finish().went_well(), "0123456789\n");
        // Long lines on two streams, more than is ever buffered on the way.
        let script = "for i in 1 2 3; do head -c 3000000 /dev/zero | tr '\\0' a; echo; done; echo err >&2; printf end";
        let ran = hosts.run(&[2, 2], &["sh", "-c", script]);
        assert_eq!((ran.code, ran.err.as_str()), (0, "err\nerr\nerr\nerr\n"));
        assert_eq!(ran.out.lines().filter(|line| line.len() == 3_000_000).count(), 12);
        assert_eq!(ran.out.matches("end").count(), 4);
        let directory = std::env::temp_dir().join(format!("ferrite-hosts-{}-{}", std::process::id(), hosts.is_apart()));
        let name = directory.to_str().unwrap();
        let words = ["--output-filename", name, "sh", "-c", "echo out $FERRITE_PE; echo err >&2"];
        hosts.run(&[1, 1], &words).went_well();
        for pe in 0..2 {
            let text = |kind: &str| fs::read_to_string(directory.join(format!("pe.{pe}.{kind}"))).unwrap();
            assert_eq!((text("out"), text("err")), (format!("out {pe}\n"), "err\n".into()));
        }
        fs::remove_dir_all(directory).unwrap();
    }
}

#[test]
fn a_reader_that_goes_away_ends_the_job() {
    let hosts = TestHosts::here(2);
    let script = "{ \"$0\" --rsh \"$1\" --host a,b yes; echo $? >&2; } | head -n 3";
    let mut shell = Command::new("sh");
    shell.args(["-c", script, env!("CARGO_BIN_EXE_oshrun"), &hosts.rsh]);
    let output = job::bounded(shell);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "y\ny\ny\n");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "141\n");
}

/// Only oshrun's own messages wait for the reader of stderr; oshrun serves the hosts meanwhile.
#[test]
fn blocked_output_loses_no_host() {
    let end = std::env::temp_dir().join(format!("ferrite-unread-{}", std::process::id()));
    let marks = ["0", "1", "ha", "hb"].map(|name| end.with_extension(name));
    let remove = || marks.iter().for_each(|mark| _ = fs::remove_file(mark));
    remove();
    // Each remote shell writes more to stderr than a pipe and a queue hold, once the PEs run. They end when all of it is written.
    let at = end.display();
    let chatty = format!(
        "sh -c '(until [ -e {at}.0 -a -e {at}.1 ]; do sleep 0.05; done; seq 100000 >&2; : >{at}.$0) & exec \"$@\"' {{host}}"
    );
    let hosts = TestHosts::here(2).reached_by(chatty);
    let script =
        format!(": >{at}.$FERRITE_PE; until [ -e {at} -a -e {at}.ha -a -e {at}.hb ]; do sleep 0.05; done; echo end");
    let mut command = hosts.command(&[1, 1], &["sh", "-c", &script]);
    command.env("FERRITE_HOST_TIMEOUT", "1").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let oshrun = command.spawn().unwrap();
    wait_until("the PEs run", || marks[..2].iter().all(|mark| mark.exists()));
    std::thread::sleep(Duration::from_secs(5)); // longer than a host may stay silent
    fs::write(&end, "").unwrap();
    let output = oshrun.wait_with_output().unwrap();
    fs::remove_file(&end).unwrap();
    remove();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{:?}", said.lines().last());
    // On a busy machine, oshrun itself may report that a host is late.
    let (late, numbers): (Vec<&str>, Vec<&str>) = said.lines().partition(|line| line.contains("; still waiting"));
    assert_eq!((output.stdout.as_slice(), numbers.len()), (&b"end\nend\n"[..], 200_000), "{late:?}");
    assert!(numbers.iter().all(|line| line.parse::<u32>().is_ok()));
}

#[test]
fn ends_are_as_on_one_machine() {
    for hosts in TestHosts::both(2) {
        for (word, code, manner) in [
            ("2@raise=9", 137, "was killed by SIGKILL"),
            ("2@exit=7", 7, "exited with 7"),
            ("2@exit=0", 1, "exited without finalize"),
        ] {
            let ran = hosts.run(&[2, 2], &["PE!", "join", "exchange", word, "exchange", "leave"]);
            ran.ended(code, &["PE 2 on host", "(pid ", manner]);
            assert!(!hosts.is_apart() || ran.err.contains(&hosts.hosts[1]), "{}", ran.err);
        }
        hosts
            .run(&[2, 2], &["PE!", "join", "3@abort=5,the tank is empty", "exchange", "deaf"])
            .ended(5, &["the tank is empty"]);
        hosts
            .run(&[2, 2], &["PE!", "3@exit=0", "join", "exchange"])
            .ended(1, &["PE 3", "exited with 0", "waits for it in init"]);
        hosts.run(&[1, 1], &["--timeout", "0.5", "PE!", "join", "hang"]).ended(124, &["--timeout"]);
        hosts.run(&[1, 1], &["PE!", "join", "1@garbage=http", "exchange"]).ended(1, &["PE 1", "not in its protocol"]);
        hosts.run(&[1, 1], &["PE!", "join", "fork", "leave"]).went_well();
    }
}

#[test]
fn the_secret_is_in_no_argument_of_an_agent() {
    let hosts = TestHosts::here(1);
    let ran = hosts.run(&[1], &["sh", "-c", "tr '\\0' ' ' </proc/$PPID/cmdline"]);
    assert_eq!(ran.went_well().trim(), format!("{} --agent", env!("CARGO_BIN_EXE_oshrun")));
}

#[test]
fn missing_program_is_reported_with_its_host() {
    let Some(hosts) = TestHosts::apart(2) else { return };
    let directory = std::env::temp_dir().join(format!("ferrite-missing-{}", std::process::id()));
    fs::create_dir_all(&directory).unwrap();
    // On the hosts, an empty directory is mounted over that one.
    let hidden = format!("mount -t tmpfs none {}; cd /; exec \"$@\"", directory.display());
    let rsh = hosts.rsh.replace("exec \"$@\"", &hidden);
    let hosts = hosts.reached_by(rsh);
    let program = directory.join("program");
    fs::copy("/bin/true", &program).unwrap();
    let ran = hosts.run(&[1, 1], &[program.to_str().unwrap()]);
    ran.ended(127, &["on host fh", "program", "does not exist"]);
    fs::create_dir(directory.join("sub")).unwrap();
    let in_sub = |words: &[&str]| {
        let mut command = hosts.command(&[1, 1], words);
        command.current_dir(directory.join("sub"));
        start_with_input(command, b"").finish()
    };
    in_sub(&["true"]).ended(1, &["on host fh", "cannot start in", "--wdir"]);
    assert_eq!(in_sub(&["--wdir", "/usr", "pwd"]).went_well(), "/usr\n/usr\n");
    assert_eq!(in_sub(&["--wdir", "/usr", "printenv", "PWD"]).went_well(), "/usr\n/usr\n");
    let half = ["-n", "1", "--wdir", "/usr", "true", ":", "-n", "1", "true"];
    in_sub(&half).ended(1, &["on host fh", "cannot start in", "--wdir"]);
    fs::remove_dir_all(directory).unwrap();
}

#[test]
fn a_program_of_other_hosts_need_not_be_on_this_one() {
    let directory = std::env::temp_dir().join(format!("ferrite-elsewhere-{}", std::process::id()));
    let program = directory.join("program");
    let program = program.to_str().unwrap();
    let hosts = TestHosts::here(1);
    hosts.run(&[1], &[program]).ended(127, &["on host", program, "does not exist"]);
    // The remote shell creates the program, so oshrun cannot see it before the agent starts.
    let make = format!("sh -c 'mkdir {} && cp /bin/echo {program}; exec \"$@\"' {{host}}", directory.display());
    assert_eq!(hosts.reached_by(make).run(&[1], &[program, "there"]).went_well(), "there\n");
    fs::remove_dir_all(directory).unwrap();
}

#[test]
fn a_wrong_hostfile_is_named_by_its_line() {
    let path = std::env::temp_dir().join(format!("ferrite-wrong-hostfile-{}", std::process::id()));
    fs::write(&path, "a slots=2\nb slots=many\n").unwrap();
    let ran = job::run(&["--hostfile", path.to_str().unwrap(), "true"]);
    ran.ended(1, &["line 2", "slots=many"]);
    fs::write(&path, "ha slots=2 # two\n\nhb\n").unwrap();
    let ran = job::run(&["--machinefile", path.to_str().unwrap(), "--rsh", test_hosts::HERE, "echo", "x"]);
    assert_eq!(ran.went_well(), "x\nx\nx\n");
    fs::remove_file(path).unwrap();
}

#[test]
fn a_host_that_dies_ends_the_job() {
    let Some(hosts) = TestHosts::apart(3) else { return };
    let job = hosts.start(&[1, 1, 1], &["PE!", "join", "exchange", "print=up", "deaf"]);
    wait_until("all are up", || job.output().matches("up").count() == 3);
    signal_all(&hosts.pids(1), libc::SIGKILL);
    let ran = job.finish();
    // It is a race which of the host's processes dies first.
    assert!([1, 137].contains(&ran.code) && ran.err.contains(&hosts.hosts[1]), "{} {}", ran.code, ran.err);
}

fn signal_all(pids: &[i32], number: i32) {
    for &pid in pids {
        // SAFETY: the process is in a namespace that this test has made.
        unsafe { libc::kill(pid, number) };
    }
}

/// All processes of a host are stopped until oshrun has reported that it is late, and for several times that timeout more.
#[test]
fn a_host_that_stands_still_is_late_and_goes_on() {
    let Some(hosts) = TestHosts::apart(3) else { return };
    let go_on = std::env::temp_dir().join(format!("ferrite-go-on-{}", std::process::id()));
    let script = format!("echo up; while [ ! -e {} ]; do sleep 0.05; done; echo end", go_on.display());
    let program = ["sh", "-c", &script];
    let job = hosts.start(&[1, 1, 1], &[&["--host-timeout", "3"][..], &program].concat());
    wait_until("all are up", || job.output().matches("up").count() == 3);
    let late = format!("no sign of life from host {}", hosts.hosts[1]);
    // A busy machine may have made the host late before.
    let pids = hosts.pids(1);
    let before = job.errors().matches(&late).count();
    signal_all(&pids, libc::SIGSTOP);
    wait_until("the host is reported late", || job.errors().matches(&late).count() > before);
    std::thread::sleep(Duration::from_secs(4)); // a second report, or the loss of the host, would come now
    assert_eq!(job.errors().matches(&late).count(), before + 1, "{}", job.errors());
    signal_all(&pids, libc::SIGCONT);
    fs::write(&go_on, "").unwrap();
    let ran = job.finish();
    assert_eq!((ran.code, ran.out.matches("end").count()), (0, 3), "{}", ran.err);
    // A host that stays stopped is lost after --lost-timeout.
    fs::remove_file(&go_on).unwrap();
    let job = hosts.start(&[1, 1, 1], &[&["--host-timeout", "20", "--lost-timeout", "10"][..], &program].concat());
    wait_until("all are up", || job.output().matches("up").count() == 3);
    let pids = hosts.pids(1);
    signal_all(&pids, libc::SIGSTOP);
    let ran = job.finish();
    ran.ended(1, &["lost host", &hosts.hosts[1], "no sign of life", "--lost-timeout"]);
    signal_all(&hosts.pids(1), libc::SIGKILL);
}

/// Compile a library that, when preloaded, delays each program start of a process by a quarter of a second.
fn slowness() -> String {
    let name = format!("ferrite-slow-{}-{:?}", std::process::id(), std::thread::current().id());
    let library = std::env::temp_dir().join(name.replace(['(', ')'], ""));
    let source = "#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <unistd.h>\n\
        int execvp(const char *file, char *const words[]) {\n\
            int (*next)(const char *, char *const[]) = dlsym(RTLD_NEXT, \"execvp\");\n\
            usleep(250000);\n\
            return next(file, words);\n\
        }\n";
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-x", "c", "-", "-ldl", "-o"]).arg(&library).stdin(Stdio::piped());
    let mut compiler = compiler.spawn().unwrap();
    compiler.stdin.take().unwrap().write_all(source.as_bytes()).unwrap();
    assert!(compiler.wait().unwrap().success());
    library.to_str().unwrap().into()
}

/// The start takes longer than a host may stay silent, though nothing hangs.
#[test]
fn an_agent_that_takes_long_to_start_its_pes_is_not_lost() {
    let slowness = slowness();
    let hosts = TestHosts::here(2).reached_by(format!("env LD_PRELOAD={slowness} {}", test_hosts::HERE));
    let ran = hosts.run(&[1, 24], &["--host-timeout", "5", "echo", "x"]);
    fs::remove_file(slowness).unwrap();
    assert_eq!(ran.went_well(), "x\n".repeat(25));
}

#[test]
fn an_oshrun_that_takes_long_to_start_its_pes_is_not_lost() {
    let slowness = slowness();
    let rsh = format!("env -u LD_PRELOAD {}", test_hosts::HERE);
    let hosts = ["--host", "localhost:24,ha:1", "--rsh", &rsh, "--bind-to", "none"];
    let mut command = job::command(&[&hosts[..], &["PE!", "join", "exchange", "leave", "print=x"]].concat());
    command.env("LD_PRELOAD", &slowness).env_remove("FERRITE_HOST_TIMEOUT");
    let ran = start_with_input(command, b"").finish();
    fs::remove_file(slowness).unwrap();
    assert_eq!(ran.went_well(), "x\n".repeat(25));
}

/// oshrun runs on the first host and reaches the others over TCP.
#[test]
fn a_cut_network_ends_the_job_on_both_sides() {
    let Some(hosts) = TestHosts::apart(3) else { return };
    let mut servers = Vec::new();
    for host in 1..3 {
        let mut server = hosts.inside(host, env!("CARGO_BIN_EXE_test-rsh"));
        let mut server = server.args(["--serve", &hosts.addresses[host]]).stdout(Stdio::piped()).spawn().unwrap();
        let mut ready = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut ready).unwrap();
        assert_eq!(ready, "ready\n");
        servers.push(server);
    }
    let mut command = hosts.inside(0, env!("CARGO_BIN_EXE_oshrun"));
    let rsh = format!("{} {{host}}", env!("CARGO_BIN_EXE_test-rsh"));
    command.args(["--host", &hosts.addresses[1..].join(","), "--rsh", &rsh, "--bind-to", "none", "-N", "2"]);
    command.args(["--host-timeout", "20", "--lost-timeout", "10", job::PE, "join", "exchange", "print=up", "deaf"]);
    let job = start_with_input(command, b"");
    wait_until("all are up", || job.output().matches("up").count() == 4);
    hosts.cut(2);
    let begin = Instant::now();
    let ran: Ran = job.finish();
    println!("a cut network ended the job within {:?}", begin.elapsed());
    ran.ended(1, &["lost host", &hosts.addresses[2], "no sign of life"]);
    // The host beyond the cut is cleaned up as well; only the remote shell's server is left there.
    wait_until("the host beyond the cut is empty", || hosts.pids(2).len() == 1);
    for mut server in servers {
        server.kill().unwrap();
        server.wait().unwrap();
    }
}
