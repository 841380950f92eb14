//! PEs under other launchers: their numbers, the values that they exchange, and the end of the job.

mod other_launchers;

use other_launchers::slurm::Slurm;
use other_launchers::{OtherLauncher, Ran};
use std::path::Path;
use std::process::Command;

fn pes(other: &OtherLauncher, words: &[&str]) -> Ran {
    other.run(3, Path::new(env!("CARGO_BIN_EXE_test-pe")), words)
}

fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines
}

/// One test for all, since they share one Slurm cluster.
#[test]
fn jobs_under_other_launchers() {
    let other_launchers = other_launchers::all();
    for other in &other_launchers {
        they_find_each_other_again_and_again(other);
        one_ends_all(other);
        a_failure_after_leaving_is_the_pes_own(other);
        if !other.name.starts_with("Slurm (srun), PMI-") {
            a_death_ends_all(other);
        }
    }
    if let Some(slurm) = other_launchers.iter().find_map(OtherLauncher::slurm) {
        oshrun_takes_what_slurm_has_given(slurm);
        agents_start_in_one_step(slurm);
    }
}

fn they_find_each_other_again_and_again(other: &OtherLauncher) {
    let words = ["join", "exchange=a", "exchange=b", "show", "leave", "join", "exchange=c", "show", "leave"];
    let ran = pes(other, &words);
    assert_eq!(ran.code, 0, "{}: {ran:?}", other.name);
    let lines = |word: &str| {
        (0..3)
            .map(|pe| format!("PE {pe} of 3 by {}, 3 here: 0*{word} 1*{word} 2*{word}", other.name))
            .collect::<Vec<_>>()
    };
    let mut expected = [lines("b"), lines("c")].concat();
    expected.sort();
    assert_eq!(sorted(&ran.out), expected, "{}", ran.err);
}

fn one_ends_all(other: &OtherLauncher) {
    let ran = pes(other, &["join", "exchange=a", "1@abort=7,pe: the reason", "hang"]);
    // Slurm returns the highest code of all tasks, and 137 for tasks that it kills; with PMI-2, mpiexec does not pass on a code.
    let exact = other.slurm().is_none() && !other.name.ends_with("PMI-2");
    assert!(if exact { ran.code == 7 } else { ran.code != 0 }, "{}: {ran:?}", other.name);
    let said = [&ran.out, &ran.err].iter().map(|text| text.matches("pe: the reason").count()).sum::<usize>();
    assert_eq!(said, 1, "{}: {ran:?}", other.name);
}

fn a_failure_after_leaving_is_the_pes_own(other: &OtherLauncher) {
    let ran = pes(other, &["join", "exchange=a", "leave", "1@exit=3", "exit=0"]);
    assert_eq!(ran.code, 3, "{}: {ran:?}", other.name);
}

/// With `--rsh step` one srun starts the agents of all hosts, and all PEs are in its step.
fn agents_start_in_one_step(slurm: &Slurm) {
    let mut salloc = Command::new("salloc");
    let say = "echo \"$FERRITE_PE $SLURM_STEP_ID of $SLURM_STEP_NODELIST\"";
    salloc.args(["-Q", "-N2", "-n4", "-O", env!("CARGO_BIN_EXE_oshrun"), "--rsh", "step", "sh", "-c", say]);
    salloc.env("SLURM_CONF", slurm.configuration()).env_remove("FERRITE_RSH");
    let ran = other_launchers::bounded(salloc);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", ran.out);
    assert_eq!(sorted(&ran.out), ["0 0 of n[0-1]", "1 0 of n[0-1]", "2 0 of n[0-1]", "3 0 of n[0-1]"]);
}

/// oshrun takes the hosts of a Slurm allocation, and reaches them with Slurm's own means.
fn oshrun_takes_what_slurm_has_given(slurm: &Slurm) {
    let mut salloc = Command::new("salloc");
    salloc.args(["-Q", "-N2", "-n3", "-O", env!("CARGO_BIN_EXE_oshrun"), env!("CARGO_BIN_EXE_test-pe")]);
    salloc.args(["join", "exchange=a", "show", "leave"]).env("SLURM_CONF", slurm.configuration());
    salloc.env_remove("FERRITE_RSH");
    let ran = other_launchers::bounded(salloc);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", ran.out);
    let lines = sorted(&ran.out);
    let expected = |(pe, here)| format!("PE {pe} of 3 by oshrun, {here} here: 0*a 1*a 2*a");
    assert_eq!(lines, [(0, 2), (1, 2), (2, 1)].map(expected));
}

fn a_death_ends_all(other: &OtherLauncher) {
    let ran = pes(other, &["join", "exchange=a", "1@raise=9", "hang"]);
    assert_ne!(ran.code, 0, "{}: {ran:?}", other.name);
}
