//! Programs that use MPI beside OpenSHMEM, initialised and finalized in every order, under MPI's own launcher.

mod support;

#[path = "../../../launcher/tests/other_launchers/mod.rs"]
mod other_launchers;

use other_launchers::slurm::Slurm;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use support::job::Job;
use support::prefix::{Prefix, files};
use support::program;
use support::sos::{self, Verdict};

/// A language of the hybrids: both programs take the same words and print the same lines.
#[derive(Clone, Copy, PartialEq)]
enum Language {
    C,
    Fortran,
}

use Language::{C, Fortran};

/// Open MPI's launcher.
const OPEN_MPI: [&str; 3] = ["mpirun", "--allow-run-as-root", "--oversubscribe"];
const ORDERS: [[&str; 2]; 4] = [["mpi", "mpi"], ["mpi", "shmem"], ["shmem", "mpi"], ["shmem", "shmem"]];

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mpi")
}

impl Language {
    fn hybrid(self) -> PathBuf {
        tests().join(if self == C { "hybrid.c" } else { "hybrid.f90" })
    }

    /// Open MPI's compiler: by Debian's name for systems that have another MPI too, else by the usual name.
    fn of_open_mpi(self) -> Option<Command> {
        let names = if self == C { ["mpicc.openmpi", "mpicc"] } else { ["mpif90.openmpi", "mpif90"] };
        let is_there = |name: &&str| {
            let version = Command::new(name).arg("--showme:version").output();
            version.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("Open MPI"))
        };
        let found = names.into_iter().find(is_there).filter(|_| self == C || has("gfortran"));
        if found.is_none() {
            println!("skipped: programs with Open MPI, whose {} is not here (Debian: libopenmpi-dev)", names[1]);
        }
        found.map(Command::new)
    }

    /// The hybrid with MPICH.
    fn with_mpich(self) -> Option<PathBuf> {
        self.built_with_mpich(&self.hybrid())
    }

    /// A program with MPICH. Its headers are not needed: `tests/mpi/mpich` has the part that the programs use.
    fn built_with_mpich(self, source: &Path) -> Option<PathBuf> {
        let (compiler, libraries) = match self {
            C => ("cc", &["-l:libmpich.so.12"][..]),
            Fortran => ("gfortran", &["-l:libmpichfort.so.12", "-l:libmpich.so.12"][..]),
        };
        let linked = Command::new(compiler).args(["-shared", "-o", "/dev/null"]).args(libraries).output();
        if !linked.is_ok_and(|output| output.status.success()) {
            println!("skipped: programs with MPICH, since {compiler} does not find its library (Debian: mpich)");
            return None;
        }
        let mut compile = Command::new(compiler);
        compile.arg("-I").arg(tests().join("mpich"));
        Some(build_as(compile, source, "mpich", libraries))
    }
}

fn has(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// The program, compiled for MPI and for the installed library.
fn build(compile: Command, source: &Path) -> PathBuf {
    build_as(compile, source, "mpi", &[])
}

fn build_as(mut compile: Command, source: &Path, mpi: &str, libraries: &[&str]) -> PathBuf {
    let prefix = Prefix::get();
    let lib = prefix.root().join("lib");
    if source.extension().is_some_and(|extension| extension == "c") {
        compile.arg("-std=gnu11");
    }
    compile.args(["-O1", "-g", "-w", "-pthread"]).arg("-I").arg(prefix.root().join("include")).arg(source);
    compile.arg("-L").arg(&lib).arg("-lsma").arg(format!("-Wl,-rpath,{}", lib.display())).args(libraries);
    let mut hasher = DefaultHasher::new();
    prefix.identity().hash(&mut hasher);
    let about = Command::new(compile.get_program()).arg("--showme:incdirs").output().map(|output| output.stdout);
    let directories = String::from_utf8_lossy(&about.unwrap_or_default()).into_owned();
    let installed =
        directories.split_whitespace().flat_map(|dir| ["mpi.h", "mpif.h"].map(|name| Path::new(dir).join(name)));
    let headers = installed.chain(files(&tests().join("mpich")));
    for file in headers.chain([source.to_owned()]) {
        std::fs::read(file).unwrap_or_default().hash(&mut hasher);
    }
    let name = source.file_name().expect("a file").to_string_lossy();
    program::build(compile, &format!("{mpi}-{name}"), hasher.finish()).unwrap_or_else(|error| panic!("{error}"))
}

/// Check that a run of the hybrid came to its last line, and ended well.
fn went_well(ran: &other_launchers::Ran, [first, last]: [&str; 2], run: &str) {
    let said = format!("both, {first} first, {last} last");
    assert!(ran.code == 0 && ran.out.contains(&said), "{run}: {said}: {ran:?}");
}

#[test]
fn mpi_and_openshmem_in_either_order() {
    let Some(mpirun) = other_launchers::mpirun() else { return };
    for (language, sizes) in [(C, [1, 2, 3]), (Fortran, [1, 2, 4])] {
        let Some(compile) = language.of_open_mpi() else { continue };
        let program = build(compile, &language.hybrid());
        for (n, order) in sizes.into_iter().flat_map(|n| ORDERS.map(|order| (n, order))) {
            let _turn = support::turn();
            went_well(&mpirun.run(n, &program, &order), order, &format!("{n} PEs of {}", program.display()));
        }
    }
}

/// Programs of MPICH, by its own launcher. oshrun has one connection to each PE, which MPICH and Ferrite cannot both use, so it refuses
/// them.
#[test]
fn mpich_and_openshmem_in_either_order() {
    if !has("mpiexec.hydra") {
        println!("skipped: programs with MPICH, whose mpiexec.hydra is not here (Debian: mpich)");
        return;
    }
    for program in [C, Fortran].into_iter().filter_map(Language::with_mpich) {
        let run = |launcher: &Path, n: u32, transport: &str, words: [&str; 2]| {
            let _turn = support::turn();
            let mut command = Command::new(launcher);
            command.args(["-n", &n.to_string()]).arg(&program).args(words).env("SHMEM_TRANSPORT", transport);
            other_launchers::bounded(command)
        };
        for (n, transport) in [(1, "auto"), (3, "auto"), (3, "tcp")] {
            for order in ORDERS {
                let ran = run(Path::new("mpiexec.hydra"), n, transport, order);
                went_well(&ran, order, &format!("{n} PEs over {transport} of {}", program.display()));
            }
        }
        let refused = run(&Prefix::get().tool("oshrun"), 2, "auto", ["mpi", "mpi"]);
        let is_cured = refused.err.contains("start it by MPICH's mpiexec");
        assert!(refused.code == 126 && is_cured, "{refused:?}");
    }
}

/// Runs of a program of both MPIs by their own launchers: `(launcher, program, what they are called)`. Launchers have the words that give
/// them room for more PEs than cores.
fn with_each_mpi(source: &Path) -> Vec<(Vec<&'static str>, PathBuf, &'static str)> {
    let mut found = Vec::new();
    if other_launchers::mpirun().is_some()
        && let Some(compile) = C.of_open_mpi()
    {
        found.push((OPEN_MPI.to_vec(), build(compile, source), "Open MPI"));
    }
    if has("mpiexec.hydra") {
        found.extend(C.built_with_mpich(source).map(|program| (vec!["mpiexec.hydra"], program, "MPICH")));
    } else {
        println!("skipped: programs with MPICH, whose mpiexec.hydra is not here (Debian: mpich)");
    }
    found
}

/// Run 2 PEs of a program.
fn run_two(launcher: &[&str], program: &Path, words: &[&str], variables: &[(&str, &str)]) -> other_launchers::Ran {
    let _turn = support::turn();
    let mut command = Command::new(launcher[0]);
    command.args(&launcher[1..]).args(["-n", "2"]).arg(program).args(words).envs(variables.iter().copied());
    command.env_remove("FERRITE_BOOT");
    other_launchers::bounded(command)
}

/// Levels by their numbers, which MPI and OpenSHMEM share, and what threads then do at the same time.
const LEVELS: [(&str, &str, &str); 9] = [
    ("0", "0", "one thread"),
    ("1", "1", "one thread"),
    ("1", "2", "another thread in OpenSHMEM"),
    ("1", "3", "another thread in OpenSHMEM"),
    ("2", "1", "another thread in MPI"),
    ("3", "1", "another thread in MPI"),
    ("2", "2", "another thread in OpenSHMEM"),
    ("3", "2", "another thread in OpenSHMEM"),
    ("3", "3", "two threads in both"),
];

#[test]
fn thread_levels_are_granted_separately() {
    for (launcher, program, name) in with_each_mpi(&tests().join("threads.c")) {
        for (at, (mpi, shmem, expected)) in LEVELS.into_iter().enumerate() {
            let first = ["mpi", "shmem"][at % 2];
            let ran = run_two(&launcher, &program, &[first, mpi, shmem], &[]);
            let grants_less = |ran: &other_launchers::Ran| ran.code == 0 && ran.out.contains("MPI grants less");
            // MPI may do so by itself, but not because OpenSHMEM came first.
            if grants_less(&ran) && grants_less(&run_two(&launcher, &program, &["mpi", mpi, shmem], &[])) {
                assert_ne!(mpi, "0", "{name} grants less than one thread");
                println!("skipped: levels {mpi} and {shmem}: {name} grants less than {mpi}");
                continue;
            }
            let said = format!("levels {mpi} and {shmem}: {expected}");
            assert!(ran.code == 0 && ran.out.contains(&said), "{name}, {first} first: {said}: {ran:?}");
        }
    }
    // In Fortran, the main thread calls both.
    let (mpich, open_mpi) = (Fortran.with_mpich().filter(|_| has("mpiexec.hydra")), Fortran.of_open_mpi());
    let open_mpi = open_mpi.filter(|_| other_launchers::mpirun().is_some());
    let hydra = mpich.map(|program| (&["mpiexec.hydra"][..], program));
    let mpirun = open_mpi.map(|compile| (&OPEN_MPI[..], build(compile, &Fortran.hybrid())));
    for (launcher, program) in hydra.into_iter().chain(mpirun) {
        for order in [["mpi", "shmem"], ["shmem", "mpi"]] {
            let ran = run_two(launcher, &program, &[order[0], order[1], "threads"], &[]);
            went_well(&ran, order, &format!("levels in Fortran by {}", launcher[0]));
        }
    }
}

/// Whether the loader finds a library.
fn has_library(name: &str) -> bool {
    let known = Command::new("/sbin/ldconfig").arg("-p").output();
    known.is_ok_and(|known| String::from_utf8_lossy(&known.stdout).contains(name))
}

/// MPI and Ferrite use UCX or libfabric at the same time: each has endpoints of its own, over one copy of the library.
#[test]
fn both_libraries_use_one_fabric() {
    let ways: [(&str, &[&str]); 4] = [
        ("Open MPI", &["--mca", "pml", "ucx", "--mca", "pml_ucx_tls", "any", "--mca", "pml_ucx_devices", "any"]),
        ("Open MPI", &["--mca", "pml", "cm", "--mca", "mtl", "ofi", "--mca", "mtl_ofi_provider_include", "tcp"]),
        ("Open MPI", &["--mca", "pml", "ob1"]),
        ("MPICH", &[]),
    ];
    for (launcher, program, name) in with_each_mpi(&C.hybrid()) {
        for (_, words) in ways.iter().filter(|way| way.0 == name) {
            for (transport, library) in [("ucx", "libucp.so.0"), ("libfabric", "libfabric.so.1")] {
                if !has_library(library) {
                    println!("skipped: {name} beside Ferrite over {library}, which is not here");
                    continue;
                }
                let launcher = [&launcher, *words].concat();
                let ran = run_two(&launcher, &program, &["mpi", "shmem"], &[("SHMEM_TRANSPORT", transport)]);
                let lacks = ["cannot be selected", "component was not found", "No components were able to be opened"];
                if lacks.iter().any(|text| ran.err.contains(text)) {
                    println!("skipped: {words:?}, which this Open MPI does not have");
                    continue;
                }
                went_well(&ran, ["mpi", "shmem"], &format!("{name} {words:?} beside {transport}"));
            }
        }
    }
}

/// A library that is loaded from another path, as an MPI with its own copy does it. Ferrite takes the copy that the process has; where
/// Ferrite was first, there are two.
#[test]
fn a_second_copy_of_a_fabrics_library_does_no_harm() {
    // dlopen is in the C library from glibc 2.34 on.
    let program = program::plain_with(&tests().join("copies.c"), "copies", &["-ldl"]);
    let libraries = Command::new("/sbin/ldconfig").arg("-p").output().map(|output| output.stdout).unwrap_or_default();
    let libraries = String::from_utf8_lossy(&libraries).into_owned();
    for (transport, library) in [("ucx", "libucp.so.0"), ("libfabric", "libfabric.so.1")] {
        let path = libraries.lines().find(|line| line.contains(library)).and_then(|line| line.split("=> ").nth(1));
        let Some(path) = path else {
            println!("skipped: a second copy of {library}, which is not here");
            continue;
        };
        let copy = support::scratch("copies").join(library);
        std::fs::copy(path, &copy).expect("the scratch directory is writable");
        for (when, copies) in [("before", 1), ("after", 2)] {
            let mut command = Command::new(Prefix::get().tool("oshrun"));
            command.args(["-n", "2"]).arg(&program).arg(when).arg(&copy);
            let _turn = support::turn();
            let variables = [("SHMEM_TRANSPORT".to_owned(), transport.to_owned())];
            let outcome = Job::start(command, &variables).finish(Duration::from_secs(240));
            let is_right = outcome.code() == Some(0) && outcome.stdout.contains(&format!("{copies} copies"));
            assert!(is_right, "{}", outcome.report(&format!("{library} loaded {when} init")));
        }
    }
}

/// By `srun`, on two nodes. With PMIx, Open MPI and Ferrite share Slurm's server. By PMI Slurm serves one library: that is MPICH's, and
/// Ferrite starts by environment. One test for all, since they share one cluster.
#[test]
fn mpi_and_openshmem_in_either_order_by_slurm() {
    let slurm = match Slurm::start() {
        Ok(slurm) => slurm,
        Err(why) => return println!("skipped: MPI under srun: {why}"),
    };
    let run = |words: &[&str], order: [&str; 2], boot: Option<&str>| {
        let _turn = support::turn();
        let mut srun = Command::new("srun");
        srun.args(["-Q", "-N2", "-O", "-n3"]).args(words).args(order).env("SLURM_CONF", slurm.configuration());
        srun.env_remove("FERRITE_BOOT").envs(boot.map(|boot| ("FERRITE_BOOT", boot)));
        other_launchers::bounded(srun)
    };
    if slurm.has_pmix() {
        let built = |language: Language| Some(build(language.of_open_mpi()?, &language.hybrid()));
        for (program, order) in
            [C, Fortran].into_iter().filter_map(built).flat_map(|it| ORDERS.map(|o| (it.clone(), o)))
        {
            let program = program.display().to_string();
            went_well(&run(&["--mpi=pmix", &program], order, None), order, &format!("PMIx, {program}"));
        }
    } else {
        println!("skipped: Open MPI under `srun --mpi=pmix`, a plugin that is not here");
    }
    for program in [C, Fortran].into_iter().filter_map(Language::with_mpich) {
        let program = program.display().to_string();
        let start = "FERRITE_RANK=$SLURM_PROCID FERRITE_SIZE=$SLURM_NTASKS exec \"$@\"";
        for order in ORDERS {
            let boot = format!("tcp://127.0.0.1:{}", support::free_port(9));
            let ran = run(&["--mpi=pmi2", "sh", "-c", start, "sh", &program], order, Some(&boot));
            went_well(&ran, order, &format!("PMI and by environment, {program}"));
            let refused = run(&["--mpi=pmi2", &program], order, None);
            assert!(
                refused.code != 0 && refused.err.contains("MPICH (libmpich.so.12"),
                "{program}, {order:?}: {refused:?}"
            );
        }
    }
}

/// oshrun cannot connect the processes of Open MPI. Each would be alone, so it refuses the program, and says what to do.
#[test]
fn programs_of_open_mpi_are_refused_by_oshrun() {
    let Some(compile) = C.of_open_mpi() else { return };
    let program = build(compile, &C.hybrid());
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
        let (Some(mpirun), Some(compile)) = (other_launchers::mpirun(), C.of_open_mpi()) else { return };
        let program = build(compile, &checkout.join("test").join(name));
        for n in [1, 2, 4] {
            let _turn = support::turn();
            let ran = mpirun.run(n, &program, &[]);
            let ranks = (0..n).filter(|pe| ran.out.contains(&format!("MPI rank is {pe}"))).count();
            assert!(ran.code == 0 && ranks == n as usize, "{name} with {n} PEs: {ran:?}");
        }
    }
}
