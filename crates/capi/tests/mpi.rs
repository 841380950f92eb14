//! Programs that use MPI beside OpenSHMEM, initialised and finalized in every order, under MPI's own launcher.

mod support;

#[path = "../../../launcher/tests/other_launchers/mod.rs"]
mod other_launchers;

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use support::job::Job;
use support::prefix::Prefix;
use support::program;
use support::sos::{self, Verdict};

/// Open MPI's compiler: by Debian's name for systems that have another MPI too, else by the usual name.
fn compiler() -> Option<Command> {
    let is_there = |name: &&str| {
        let version = Command::new(name).arg("--showme:version").output();
        version.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("Open MPI"))
    };
    let found = ["mpicc.openmpi", "mpicc"].into_iter().find(is_there);
    if found.is_none() {
        println!("skipped: programs with MPI, since there is no mpicc of Open MPI (Debian: libopenmpi-dev)");
    }
    found.map(Command::new)
}

/// The program, compiled for MPI and for the installed library.
fn build(compile: Command, source: &Path) -> PathBuf {
    build_as(compile, source, "mpi", &[])
}

fn build_as(mut compile: Command, source: &Path, mpi: &str, libraries: &[&str]) -> PathBuf {
    let prefix = Prefix::get();
    let lib = prefix.root().join("lib");
    compile.args(["-std=gnu11", "-O1", "-g", "-w"]).arg("-I").arg(prefix.root().join("include")).arg(source);
    compile.arg("-L").arg(&lib).arg("-lsma").arg(format!("-Wl,-rpath,{}", lib.display())).args(libraries);
    let mut hasher = DefaultHasher::new();
    (prefix.identity(), std::fs::read(source).unwrap_or_default()).hash(&mut hasher);
    let name = source.file_stem().expect("a file").to_string_lossy();
    program::build(compile, &format!("{mpi}-{name}"), hasher.finish()).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn mpi_and_openshmem_in_either_order() {
    let (Some(mpirun), Some(compile)) = (other_launchers::mpirun(), compiler()) else { return };
    let program = build(compile, &Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mpi/hybrid.c"));
    for n in [1, 2, 3] {
        for (first, last) in [("mpi", "mpi"), ("mpi", "shmem"), ("shmem", "mpi"), ("shmem", "shmem")] {
            let _turn = support::turn();
            let ran = mpirun.run(n, &program, &[first, last]);
            let said = format!("both, {first} first, {last} last");
            assert!(ran.code == 0 && ran.out.contains(&said), "{first} first, {last} last, {n} PEs: {ran:?}");
        }
    }
}

/// Programs of MPICH, by its own launcher. oshrun has one connection to each PE, which MPICH and Ferrite cannot both use, so it refuses
/// them.
#[test]
fn mpich_and_openshmem_in_either_order() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mpi");
    let has =
        |program: &str| Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success());
    let linked = Command::new("cc").args(["-shared", "-o", "/dev/null", "-l:libmpich.so.12"]).output();
    if !has("mpiexec.hydra") || !linked.is_ok_and(|output| output.status.success()) {
        println!("skipped: programs with MPICH, which is not here (Debian: mpich)");
        return;
    }
    let mut compile = Command::new("cc");
    compile.arg("-I").arg(tests.join("mpich"));
    let program = build_as(compile, &tests.join("hybrid.c"), "mpich", &["-l:libmpich.so.12"]);
    let run = |launcher: &Path, n: u32, transport: &str, words: [&str; 2]| {
        let _turn = support::turn();
        let mut command = Command::new(launcher);
        command.args(["-n", &n.to_string()]).arg(&program).args(words).env("SHMEM_TRANSPORT", transport);
        other_launchers::bounded(command)
    };
    for (n, transport) in [(1, "auto"), (3, "auto"), (3, "tcp")] {
        for (first, last) in [("mpi", "mpi"), ("mpi", "shmem"), ("shmem", "mpi"), ("shmem", "shmem")] {
            let ran = run(Path::new("mpiexec.hydra"), n, transport, [first, last]);
            let said = format!("both, {first} first, {last} last");
            assert!(ran.code == 0 && ran.out.contains(&said), "{n} PEs over {transport}, {said}: {ran:?}");
        }
    }
    let refused = run(&Prefix::get().tool("oshrun"), 2, "auto", ["mpi", "mpi"]);
    let is_cured = refused.err.contains("start it by MPICH's mpiexec");
    assert!(refused.code == 126 && is_cured, "{refused:?}");
}

/// oshrun cannot connect the processes of Open MPI. Each would be alone, so it refuses the program, and says what to do.
#[test]
fn programs_of_open_mpi_are_refused_by_oshrun() {
    let Some(compile) = compiler() else { return };
    let program = build(compile, &Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mpi/hybrid.c"));
    let run = |pes: &str| {
        let mut command = Command::new(Prefix::get().tool("oshrun"));
        command.args(["-n", pes]).arg(&program).args(["mpi", "mpi"]);
        let _turn = support::turn();
        Job::start(command, &[]).finish(Duration::from_secs(240))
    };
    let refused = run("2");
    assert_eq!(refused.code(), Some(126), "{}", refused.report("refused"));
    let told = ["is linked to Open MPI (libmpi.so.", "start it by Open MPI's mpirun"];
    assert!(told.iter().all(|part| refused.stderr.contains(part)), "{}", refused.report("with the cure"));
    // One PE is alone anyway.
    let alone = run("1");
    assert_eq!(alone.code(), Some(0), "{}", alone.report("one PE needs no other"));
}

#[test]
fn the_public_programs_with_mpi() {
    let Some(checkout) = support::env::get("FERRITE_TESTS_SOS").map(PathBuf::from) else {
        println!("skipped: set FERRITE_TESTS_SOS to a checkout of openshmem-org/tests-sos");
        return;
    };
    for (name, ..) in sos::list().into_iter().filter(|row| row.1 == Verdict::Mpi) {
        let (Some(mpirun), Some(compile)) = (other_launchers::mpirun(), compiler()) else { return };
        let program = build(compile, &checkout.join("test").join(name));
        for n in [1, 2, 4] {
            let _turn = support::turn();
            let ran = mpirun.run(n, &program, &[]);
            let ranks = (0..n).filter(|pe| ran.out.contains(&format!("MPI rank is {pe}"))).count();
            assert!(ran.code == 0 && ranks == n as usize, "{name} with {n} PEs: {ran:?}");
        }
    }
}
