//! Programs that use MPI beside OpenSHMEM, initialised and finalized in every order, under MPI's own launcher.

mod support;

#[path = "../../../launcher/tests/other_launchers/mod.rs"]
mod other_launchers;

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
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
fn build(mut compile: Command, source: &Path) -> PathBuf {
    let prefix = Prefix::get();
    let lib = prefix.root().join("lib");
    compile.args(["-std=gnu11", "-O1", "-g", "-w"]).arg("-I").arg(prefix.root().join("include")).arg(source);
    compile.arg("-L").arg(&lib).arg("-lsma").arg(format!("-Wl,-rpath,{}", lib.display()));
    let mut hasher = DefaultHasher::new();
    (prefix.identity(), std::fs::read(source).unwrap_or_default()).hash(&mut hasher);
    let name = source.file_stem().expect("a file").to_string_lossy();
    program::build(compile, &format!("mpi-{name}"), hasher.finish()).unwrap_or_else(|error| panic!("{error}"))
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
