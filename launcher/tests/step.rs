//! Agents of all hosts in one step of the scheduler, with stand-ins for `srun` and PALS' `mpiexec` that hand out VNIs as the real ones do.

mod job;

use job::{Ran, start_with_input};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Command with which a PE prints its number and VNIs.
const SAY: [&str; 3] = ["sh", "-c", "echo \"$FERRITE_PE ${SLINGSHOT_VNIS:-none} ${FERRITE_STEP:-}\""];

/// A directory for the stand-ins' steps.
fn scratch(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("step-{name}-{}", std::process::id()));
    // A killed process of this number may have left one, and steps are counted.
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory).unwrap();
    directory
}

/// The name of this machine, which is the first host of each job.
fn this_host() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// An oshrun in a job of Slurm with three hosts.
fn in_slurm(directory: &Path, words: &[&str]) -> Command {
    let mut command = with_stand_ins(directory, words);
    command.env("SLURM_JOB_ID", "7").env("SLURM_JOB_NODELIST", format!("{},hb,hc", this_host()));
    command.env("SLURM_TASKS_PER_NODE", "2(x3)");
    command
}

#[expect(clippy::disallowed_methods, reason = "the stand-ins come before the test's own PATH")]
fn with_stand_ins(directory: &Path, words: &[&str]) -> Command {
    let mut command = job::command(&[&["--bind-to", "none"][..], words].concat());
    let stand_ins = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stand_ins");
    let path = std::env::var("PATH").unwrap();
    command.env("PATH", format!("{}:{path}", stand_ins.display())).env("STAND_IN", directory);
    for name in ["FERRITE_RSH", "SLURM_STEP_ID", "SLINGSHOT_VNIS", "PMI_RANK", "PBS_JOBID", "PBS_NODEFILE"] {
        command.env_remove(name);
    }
    command
}

fn steps(directory: &Path) -> usize {
    let steps = fs::read_dir(directory).unwrap().flatten().filter(|entry| entry.path().is_dir()).count();
    fs::remove_dir_all(directory).unwrap();
    steps
}

#[test]
fn one_step_of_slurm_gives_all_pes_one_vni() {
    let directory = scratch("one");
    let ran = start_with_input(in_slurm(&directory, &[&["--rsh", "step", "-n", "6"][..], &SAY].concat()), b"").finish();
    ran.went_well();
    // The first two PEs are on this host.
    assert_eq!(ran.sorted(), ["0 1030 ", "1 1030 ", "2 1030 ", "3 1030 ", "4 1030 ", "5 1030 "], "{}", ran.err);
    assert_eq!(steps(&directory), 1);
}

#[test]
fn the_vni_of_the_job_comes_last() {
    let directory = scratch("job");
    let mut oshrun = in_slurm(&directory, &[&["-n", "3"][..], &SAY].concat());
    oshrun.env("FERRITE_RSH", "step").env("STAND_IN_JOB_VNI", "1024");
    let ran = start_with_input(oshrun, b"").finish();
    ran.went_well();
    assert_eq!(ran.sorted(), ["0 1030,1024 ", "1 1030,1024 ", "2 1030,1024 "], "{}", ran.err);
    assert_eq!(steps(&directory), 1);
}

/// With one step for each host, no host has a VNI.
#[test]
fn steps_of_one_host_have_no_vni() {
    let directory = scratch("many");
    let ran = start_with_input(in_slurm(&directory, &[&["-n", "6"][..], &SAY].concat()), b"").finish();
    ran.went_well();
    assert_eq!(ran.sorted(), ["0 none ", "1 none ", "2 none ", "3 none ", "4 none ", "5 none "]);
    assert_eq!(steps(&directory), 2);
}

#[test]
fn one_mpiexec_of_pals_gives_all_pes_one_vni() {
    let can_name = Command::new("unshare").args(["--uts", "--", "hostname", "hb"]).output();
    if !can_name.is_ok_and(|output| output.status.success()) {
        return println!("skipped: unshare --uts is not allowed here");
    }
    let directory = scratch("pals");
    let hosts = directory.join("nodes");
    fs::write(&hosts, format!("{}\nhb\n", this_host())).unwrap();
    let mut oshrun = with_stand_ins(&directory, &[&["--rsh", "step", "-n", "2"][..], &SAY].concat());
    oshrun.env("PBS_JOBID", "1.pbs").env("PBS_NODEFILE", &hosts).env_remove("SLURM_JOB_ID");
    let ran = start_with_input(oshrun, b"").finish();
    ran.went_well();
    assert_eq!(ran.sorted(), ["0 2000 ", "1 2000 "], "{}", ran.err);
    assert_eq!(steps(&directory), 1);
}

#[test]
fn hosts_with_one_short_name_are_refused() {
    let directory = scratch("twins");
    let hosts = directory.join("nodes");
    fs::write(&hosts, "a.east\na.west\n").unwrap();
    let mut oshrun = with_stand_ins(&directory, &[&["--rsh", "step", "-n", "2"][..], &SAY].concat());
    oshrun.env("PBS_JOBID", "1.pbs").env("PBS_NODEFILE", &hosts).env_remove("SLURM_JOB_ID");
    let ran = start_with_input(oshrun, b"").finish();
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(ran.err.contains("hosts a.east and a.west have one name without their domains"), "{}", ran.err);
    assert!(ran.err.contains("--rsh 'ssh "), "{}", ran.err);
    assert_eq!(steps(&directory), 0);
}

#[test]
fn streams_exit_codes_and_the_exchange_of_pes_work_over_a_step() {
    let directory = scratch("streams");
    let start = |words: &[&str], input: &[u8]| -> Ran {
        start_with_input(in_slurm(&directory, &[&["--rsh", "step"][..], words].concat()), input).finish()
    };
    let ran = start(&["-n", "3", "-l", "wc", "-c"], "0123456789\n".repeat(100_000).as_bytes());
    ran.went_well();
    assert_eq!(ran.sorted(), ["[0] 1100000", "[1] 0", "[2] 0"]);
    // Agents of the second level find the port too.
    let ran = start(&["-n", "6", "--fan-out", "1", "sh", "-c", "test $FERRITE_PE -lt 5 || exit 9; sleep 600"], b"");
    assert_eq!(ran.code, 9, "{}", ran.err);
    steps(&directory);
}

#[test]
fn a_step_that_is_refused_ends_the_job_in_sruns_words() {
    let directory = scratch("busy");
    let mut oshrun = in_slurm(&directory, &["--rsh", "step", "-n", "6", "true"]);
    oshrun.env("STAND_IN_BUSY", "1");
    let ran = start_with_input(oshrun, b"").finish();
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(ran.err.contains("srun has ended: srun: error: Unable to create step for job 7"), "{}", ran.err);
    steps(&directory);
}

#[test]
fn a_step_without_a_scheduler_is_refused() {
    let directory = scratch("none");
    let mut oshrun = with_stand_ins(&directory, &["--rsh", "step", "--host", "ha,hb", "true"]);
    oshrun.env_remove("SLURM_JOB_ID");
    let ran = start_with_input(oshrun, b"").finish();
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("--rsh step: this is neither a job of Slurm"), "{}", ran.err);
    steps(&directory);
}
