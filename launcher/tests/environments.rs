//! oshrun in unusual environments: the files and processes it finds, and the names it sends to other hosts.

mod job;
mod test_hosts;

use job::{bounded, start_with_input};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Directory of the commands: one program, and links to it.
fn commands() -> PathBuf {
    static COMMANDS: OnceLock<PathBuf> = OnceLock::new();
    let make = || {
        let directory = scratch("commands");
        fs::hard_link(env!("CARGO_BIN_EXE_oshrun"), directory.join("oshrun")).unwrap();
        for name in ["oshcc", "oshmem_info"] {
            symlink("oshrun", directory.join(name)).unwrap();
        }
        directory
    };
    COMMANDS.get_or_init(make).clone()
}

/// A command in namespaces that `unshare` makes with these options and that a shell prepares with these steps. Returns None if they cannot
/// be made here. `what` describes them for the message.
fn in_world(options: &[&str], steps: &str, what: &str, name: &str, words: &[&str]) -> Option<Command> {
    let commands = &commands();
    let world = |command: &str| {
        let mut unshare = Command::new("unshare");
        unshare.args(options).args(["sh", "-c", &format!("{steps}{command}")]);
        unshare
    };
    if !world("true").output().is_ok_and(|output| output.status.success()) {
        println!("skipped: no world {what} can be made here");
        return None;
    }
    let mut command = world("PATH=$0:$PATH && exec \"$@\"");
    command.arg(commands).arg(name).args(words).current_dir(commands);
    Some(command)
}

/// A command in a mount namespace without /proc.
fn without_proc(name: &str, words: &[&str]) -> Option<Command> {
    in_world(&["-m"], "mount -t tmpfs none /proc && ", "without /proc", name, words)
}

/// As in a container: oshrun is the first process of a PID namespace or, after `steps`, a later one. The leader of its session is outside
/// the namespace, so the session's number is 0.
#[test]
fn jobs_run_where_the_leader_of_the_session_is_not_seen() {
    let words = ["-n", "2", "sh", "-c", "setsid sleep 1000 & echo hi"];
    for steps in ["", "(exit 0) && ", "sleep 1000 & "] {
        let options = ["--pid", "--fork", "--mount-proc", "--kill-child"];
        let Some(oshrun) = in_world(&options, steps, "with processes of its own", "oshrun", &words) else { return };
        let ran = start_with_input(oshrun, b"").finish();
        assert_eq!(ran.went_well(), "hi\nhi\n", "{steps:?}");
    }
}

#[test]
fn jobs_start_where_there_is_no_proc() {
    let over_hosts = ["--host", "localhost,ha", "--rsh", test_hosts::HERE];
    for (name, words) in [("oshrun", &["-n", "2"][..]), ("oshrun", &over_hosts), ("./oshrun", &over_hosts)] {
        let Some(oshrun) = without_proc(name, &[words, &["echo", "hi"]].concat()) else { return };
        assert_eq!(start_with_input(oshrun, b"").finish().went_well(), "hi\nhi\n", "{name} {words:?}");
    }
}

#[test]
fn commands_know_their_installation_where_there_is_no_proc() {
    for (name, word) in [("oshcc", "--showme:incdirs"), ("./oshcc", "--showme"), ("oshmem_info", "--version")] {
        let Some(command) = without_proc(name, &[word]) else { return };
        let output = bounded(command);
        assert!(output.status.success(), "{name}: {output:?}");
    }
}

/// A link on this host is a mount on the other host.
#[test]
fn other_hosts_get_paths_as_the_user_wrote_them() {
    let directory = scratch("names");
    let path = |name: &str| directory.join(name).to_str().unwrap().to_owned();
    for name in ["all", "all/real", "all/real/sub", "aside"] {
        fs::create_dir(path(name)).unwrap();
    }
    symlink("real", path("all/user")).unwrap();
    fs::hard_link(env!("CARGO_BIN_EXE_oshrun"), path("all/real/oshrun")).unwrap();
    fs::hard_link(job::PE, path("all/real/pe")).unwrap();
    let (all, aside, user) = (path("all"), path("aside"), path("all/user"));
    let enter = format!(
        "mount --bind {all}/real {aside} && mount -t tmpfs none {all} && mkdir {user} && mount --bind {aside} {user} && \
         cd / && exec \"$@\""
    );
    let can = Command::new("unshare").args(["-m", "sh", "-c", &enter, "sh", "true"]).output();
    if can.is_ok_and(|output| output.status.success()) {
        let rsh = format!("unshare -m sh -c '{enter}' {{host}}");
        for (oshrun, words) in [
            (path("all/user/oshrun"), &["./pe", "print=x"][..]),
            ("./oshrun".into(), &["--wdir", "sub", "../pe", "print=x"]),
            ("oshrun".into(), &["--wdir", "sub", "pe", "print=x"]),
        ] {
            // The shell passes its directory, by the user's name for it, in PWD.
            let mut shell = Command::new("sh");
            shell.args([
                "-c",
                "cd \"$0\" && PATH=$0:$PATH && exec \"$@\"",
                &user,
                &oshrun,
                "--host",
                "ha",
                "--rsh",
                &rsh,
            ]);
            shell.args(words);
            assert_eq!(start_with_input(shell, b"").finish().went_well(), "x\n", "{oshrun} {words:?}");
        }
    } else {
        println!("skipped: no world with other mounts can be made here");
    }
    fs::remove_dir_all(directory).unwrap();
}

/// An empty directory for a test.
fn scratch(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
    // A killed process of this number may have left one.
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory).unwrap();
    directory
}

/// Slurm's controller starts steps one after another. That may take long, and no host is lost meanwhile.
#[test]
fn srun_may_take_long_to_start_an_agent() {
    let directory = scratch("queue");
    let srun = directory.join("srun");
    symlink("/bin/sh", &srun).unwrap();
    let gate = directory.join("gate");
    let srun =
        format!("{} -c 'while [ ! -e {} ]; do sleep 0.05; done; exec \"$@\"' {{host}}", srun.display(), gate.display());
    let over = ["--host", "localhost,ha,hb", "--rsh", &srun, "--host-timeout", "5", "echo", "hi"];
    let job = start_with_input(job::command(&over), b"");
    job::wait_until("the agents are late", || job.errors().contains('\n'));
    std::thread::sleep(std::time::Duration::from_secs(11)); // a second report, or the loss of the hosts, would come now
    let told = job.errors();
    fs::write(&gate, "").unwrap();
    let ran = job.finish();
    fs::remove_dir_all(directory).unwrap();
    assert!(told.contains("has not started its agent on host ha and 1 more yet; still waiting"), "{told}");
    assert_eq!(told.lines().count(), 1, "{told}");
    // Agents of a busy machine may be late again.
    assert_eq!((ran.code, ran.out.as_str()), (0, "hi\nhi\nhi\n"), "{}", ran.err);
}

#[test]
fn user_settings_of_srun_do_not_affect_agents() {
    let directory = scratch("srun");
    // A link to the shell by the name of srun. A script would be a file just written, which cannot be executed while another test's child
    // has it open.
    let srun = directory.join("srun");
    symlink("/bin/sh", &srun).unwrap();
    let script = "if [ \"$SLURM_LABELIO\" ]; then \"$@\" | sed -u \"s/^/0: /\"; else test -z \"$SLURM_CPUS_PER_TASK\" && exec \"$@\"; fi";
    let srun = format!("{} -c '{script}' {{host}}", srun.display());
    let show = ["sh", "-c", "echo $FERRITE_PE $SLURM_LABELIO $SLURM_STDOUTMODE $SLURM_CPUS_PER_TASK"];
    let mut oshrun = job::command(&[&["--host", "localhost,ha", "--rsh", &srun][..], &show].concat());
    oshrun.env("SLURM_LABELIO", "1").env("SLURM_STDOUTMODE", "file").env("SLURM_CPUS_PER_TASK", "8");
    let ran = start_with_input(oshrun, b"").finish();
    fs::remove_dir_all(directory).unwrap();
    ran.went_well();
    // PEs on that host have the variable too: scripts read from it how many CPUs a task has.
    assert_eq!(ran.sorted(), ["0 1 file 8", "1 8"]);
}

#[test]
fn empty_variables_count_as_not_set() {
    let mut oshrun = job::command(&["-n", "1", "echo", "up"]);
    for name in ["GRACE", "HOST_TIMEOUT", "LOST_TIMEOUT", "START_TIMEOUT", "RSH"] {
        oshrun.env(format!("FERRITE_{name}"), "");
    }
    assert_eq!(start_with_input(oshrun, b"").finish().went_well(), "up\n");
}
