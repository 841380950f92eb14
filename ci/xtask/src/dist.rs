//! Build everything that a user gets, and install it under one prefix.

use crate::{Result, codegen, inventory::Inventory, link, manual, repo};
use std::{
    fs,
    path::{self, Path, PathBuf},
    process::Command,
};

/// Options of `dist`.
#[derive(clap::Args)]
pub struct Options {
    /// Where to install [default: target/prefix]
    #[arg(long)]
    prefix: Option<PathBuf>,
    /// The cargo profile to build in; its panics must abort
    #[arg(long, default_value = "release")]
    profile: String,
    /// Leave the programs out, and the manual
    #[arg(long)]
    library_only: bool,
}

impl Options {
    /// The library alone, as installed for a test.
    #[cfg(test)]
    pub fn library(prefix: PathBuf) -> Options {
        Options { prefix: Some(prefix), profile: "release".to_owned(), library_only: true }
    }

    /// Absolute: compilers are started elsewhere, and files that are installed name it.
    fn prefix(&self) -> Result<PathBuf> {
        let wanted = self.prefix.clone().unwrap_or_else(|| repo::target_dir().join("prefix"));
        path::absolute(&wanted).map_err(|e| format!("the prefix {}: {e}", wanted.display()))
    }
}

/// Where an installed file comes from.
enum From {
    /// A library that was linked.
    Library(fn(&link::Libraries) -> &Path),
    /// A program.
    Program(&'static str),
    /// The program that is linked to hwloc, where that is here; it says so where it is not.
    Hwloc,
    /// An object of the C file of that name below `launcher/share`.
    Object(&'static str),
    /// An archive without members.
    EmptyArchive,
    /// A header or a Fortran file, by its name below the include directory.
    Header(&'static str),
    /// A file of `launcher/share`, in which `@PREFIX@` and `@VERSION@` are replaced.
    Template(&'static str),
    /// Another name of the file of that name in the same directory.
    Alias(&'static str),
}

/// What is installed, and where below the prefix.
const FILES: &[(&str, From)] = &[
    ("lib/libsma.a", From::Library(|built| &built.archive)),
    ("lib/libsma.so.1", From::Library(|built| &built.shared)),
    ("lib/libsma.so", From::Alias("libsma.so.1")),
    ("lib/liboshmem.a", From::Alias("libsma.a")),
    ("lib/liboshmem.so", From::Alias("libsma.so.1")),
    ("include/shmem.h", From::Header("shmem.h")),
    ("include/shmemx.h", From::Header("shmemx.h")),
    ("include/pshmem.h", From::Header("pshmem.h")),
    ("include/mpp/shmem.h", From::Header("mpp/shmem.h")),
    ("include/mpp/shmemx.h", From::Header("mpp/shmemx.h")),
    ("include/shmem.fh", From::Header("shmem.fh")),
    ("include/shmemx.fh", From::Header("shmemx.fh")),
    ("include/mpp/shmem.fh", From::Header("mpp/shmem.fh")),
    ("include/typed/shmem.fh", From::Header("typed/shmem.fh")),
    ("include/typed/mpp/shmem.fh", From::Header("typed/mpp/shmem.fh")),
    ("include/mpp/shmemx.fh", From::Header("mpp/shmemx.fh")),
    ("include/shmem.f90", From::Header("shmem.f90")),
    ("bin/oshrun", From::Program("oshrun")),
    ("bin/shmemrun", From::Alias("oshrun")),
    ("bin/oshexec", From::Alias("oshrun")),
    ("bin/oshmem_info", From::Program("oshmem_info")),
    ("bin/oshcc", From::Program("oshcc")),
    ("bin/oshc++", From::Alias("oshcc")),
    ("bin/oshcxx", From::Alias("oshcc")),
    ("bin/oshCC", From::Alias("oshcc")),
    ("bin/oshfort", From::Alias("oshcc")),
    ("bin/shmemcc", From::Alias("oshcc")),
    ("bin/shmemc++", From::Alias("oshcc")),
    ("bin/shmemcxx", From::Alias("oshcc")),
    ("bin/shmemCC", From::Alias("oshcc")),
    ("bin/shmemfort", From::Alias("oshcc")),
    ("bin/oshbench", From::Program("oshbench")),
    ("libexec/ferrite/ferrite-hwloc", From::Hwloc),
    // What `oshcc --check` links, and what gcc finds in the place of its thread sanitizer.
    ("lib/ferrite/check/check.o", From::Object("lib/ferrite/check.c")),
    ("lib/ferrite/check/libtsan_preinit.o", From::Object("lib/ferrite/nothing.c")),
    ("lib/ferrite/check/libtsan.a", From::EmptyArchive),
    ("lib/pkgconfig/oshmem.pc", From::Template("lib/pkgconfig/oshmem.pc")),
    ("lib/pkgconfig/oshmem-c.pc", From::Template("lib/pkgconfig/oshmem-c.pc")),
    ("lib/pkgconfig/oshmem-cxx.pc", From::Template("lib/pkgconfig/oshmem-cxx.pc")),
    ("lib/pkgconfig/oshmem-fort.pc", From::Template("lib/pkgconfig/oshmem-fort.pc")),
    ("lib/pkgconfig/sma.pc", From::Template("lib/pkgconfig/sma.pc")),
    ("lib/cmake/OpenSHMEM/OpenSHMEMConfig.cmake", From::Template("lib/cmake/OpenSHMEM/OpenSHMEMConfig.cmake")),
    (
        "lib/cmake/OpenSHMEM/OpenSHMEMConfigVersion.cmake",
        From::Template("lib/cmake/OpenSHMEM/OpenSHMEMConfigVersion.cmake"),
    ),
];

/// Where the templates are, in the layout of the prefix.
const TEMPLATES: &str = "launcher/share";

/// The C sources of what `oshbench` runs: its own, and the examples that are its applications.
const BENCH_SOURCES: [&str; 2] = ["benches/c", "crates/capi/examples/c"];

/// Where they are installed, for who wants to know what was measured.
const BENCH_SHARE: &str = "share/ferrite/oshbench";

/// The packages whose binaries are installed.
const PROGRAMS: [&str; 4] = ["-p", "ferrite-launcher", "-p", "ferrite-benches"];

/// What is built for itself, since a feature that is asked for in one build is everybody's there: PEs would be linked to
/// hwloc.
const HWLOC: [&str; 7] = ["build", "-p", "ferrite-topology", "--features", "hwloc", "--bin", "ferrite-hwloc"];

/// Where programs are.
const PROGRAM_DIRS: [&str; 2] = ["bin/", "libexec/"];

/// The command.
pub fn run(options: &Options) -> Result {
    let work = repo::target_dir().join("dist").join(std::process::id().to_string());
    let built = build_library(&options.profile, &work)?;
    if !options.library_only {
        build_programs(&options.profile)?;
    }
    let prefix = options.prefix()?;
    let mut inventory = Inventory::open(&prefix)?;
    for (to, from) in FILES {
        if options.library_only && PROGRAM_DIRS.iter().any(|directory| to.starts_with(directory)) {
            continue;
        }
        install(&mut inventory, to, from, &built, &options.profile)?;
    }
    compile_module(&mut inventory, &work)?;
    if options.library_only {
        PROGRAM_DIRS.iter().for_each(|directory| inventory.keep(directory));
        inventory.keep("share");
    } else {
        manual::write(&mut inventory)?;
        copy_bench_sources(&mut inventory)?;
    }
    inventory.finish()?;
    fs::remove_dir_all(&work).map_err(|e| format!("removing {}: {e}", work.display()))?;
    println!("installed in {}", prefix.display());
    Ok(())
}

/// Where cargo leaves what it builds in a profile.
fn built_dir(profile: &str) -> PathBuf {
    repo::target_dir().join(if profile == "dev" { "debug" } else { profile })
}

fn cargo(what: &[&str], profile: &str) -> Result {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(repo::root()).args(what).args(["--quiet", "--profile", profile]);
    repo::run(cargo.arg("--target-dir").arg(repo::target_dir()))
}

fn build_library(profile: &str, work: &Path) -> Result<link::Libraries> {
    let package = ["rustc", "-p", "ferrite-capi", "--lib", "--crate-type", "staticlib", "--features", "library"];
    cargo(&package, profile)?;
    fs::create_dir_all(work).map_err(|e| format!("making {}: {e}", work.display()))?;
    link::link(&built_dir(profile).join("libferrite_capi.a"), work)
}

fn build_programs(profile: &str) -> Result {
    let mut what = vec!["build"];
    what.extend(PROGRAMS);
    for (_, from) in FILES {
        if let From::Program(name) = from {
            what.extend(["--bin", name]);
        }
    }
    cargo(&what, profile)?;
    cargo(&HWLOC, profile)
}

/// Leave the compiled module beside its source, for the Fortran compiler of this machine. The file is of a compiler's
/// own format: with another compiler, or another format of the same, a program compiles `include/shmem.f90` first. The
/// module has no code, so that nothing needs to be linked either way.
fn compile_module(inventory: &mut Inventory, work: &Path) -> Result {
    if Command::new("gfortran").arg("--version").output().is_err() {
        println!("there is no gfortran here: users of the module compile include/shmem.f90 themselves");
        return Ok(());
    }
    let mut gfortran = Command::new("gfortran");
    gfortran.current_dir(work).args(["-fsyntax-only", "-J."]).arg(inventory.prefix().join("include/shmem.f90"));
    repo::run(&mut gfortran)?;
    let (from, to) = (work.join("shmem.mod"), inventory.place("include/shmem.mod")?);
    let new = to.with_extension(format!("new{}", std::process::id()));
    let step = |what: &str, done: std::io::Result<()>| done.map_err(|e| format!("{what} {}: {e}", to.display()));
    step("copying", fs::copy(from, &new).map(drop))?;
    step("renaming", fs::rename(&new, &to))
}

fn copy_bench_sources(inventory: &mut Inventory) -> Result {
    for file in repo::files()? {
        let Some(name) = BENCH_SOURCES.iter().find_map(|directory| file.strip_prefix(directory).ok()) else { continue };
        // The applications stand apart: both have a `hello.c`.
        let place = if file.starts_with(BENCH_SOURCES[0]) { "" } else { "applications" };
        let to = Path::new(BENCH_SHARE).join(place).join(name);
        inventory.write(to, repo::read(&repo::root().join(&file))?)?;
    }
    Ok(())
}

fn install(inventory: &mut Inventory, to: &str, from: &From, built: &link::Libraries, profile: &str) -> Result {
    let to = inventory.place(to)?;
    // Under another name first, so that nobody ever sees half a file, and who has the old one open keeps it.
    let new = to.with_extension(format!("new{}", std::process::id()));
    let copy = |from: &Path| {
        fs::copy(from, &new).map(drop).map_err(|e| format!("copying {} to {}: {e}", from.display(), new.display()))
    };
    match from {
        From::Library(which) => copy(which(built)),
        From::Program(name) => copy(&built_dir(profile).join(name)),
        From::Object(source) => compile(&repo::root().join(TEMPLATES).join(source), &new),
        From::EmptyArchive => repo::write(&new, "!<arch>\n"),
        From::Hwloc => copy(&built_dir(profile).join(HWLOC[HWLOC.len() - 1])),
        From::Header(name) => copy(&codegen::include_dir().join(name)),
        From::Template(path) => {
            repo::write(&new, fill(&repo::read(&repo::root().join(TEMPLATES).join(path))?, inventory.prefix()))
        }
        From::Alias(name) => alias(name, &new),
    }?;
    fs::rename(&new, &to).map_err(|e| format!("renaming {} to {}: {e}", new.display(), to.display()))
}

fn compile(source: &Path, object: &Path) -> Result {
    let mut cc = Command::new("cc");
    cc.args(["-O2", "-fPIC", "-ffunction-sections", "-x", "c", "-c"]).arg(source).arg("-o").arg(object);
    repo::run(&mut cc)
}

fn fill(template: &str, prefix: &Path) -> String {
    template.replace("@PREFIX@", &prefix.to_string_lossy()).replace("@VERSION@", env!("CARGO_PKG_VERSION"))
}

fn alias(name: &str, to: &Path) -> Result {
    std::os::unix::fs::symlink(name, to).map_err(|e| format!("linking {}: {e}", to.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_lead_to_installed_files() {
        for (to, from) in FILES {
            let From::Alias(name) = from else { continue };
            let target = Path::new(to).with_file_name(name);
            assert!(FILES.iter().any(|(other, _)| Path::new(other) == target), "{to} leads to {}", target.display());
        }
    }

    #[test]
    fn every_header_is_installed() {
        let rows = codegen::Rows::Served;
        for (header, _) in codegen::headers(rows).into_iter().chain(codegen::fortran::files(rows)) {
            assert!(FILES.iter().any(|(_, from)| matches!(from, From::Header(name) if *name == header)), "{header}");
        }
    }

    #[test]
    fn the_sources_of_measurements_are_there_to_be_installed() {
        let files = repo::files().unwrap();
        for file in ["benches/c/put.c", "benches/c/bench.h", "crates/capi/examples/c/gups.c"] {
            assert!(files.iter().any(|one| one == Path::new(file)), "{file}");
        }
        assert!(BENCH_SOURCES.iter().all(|directory| repo::root().join(directory).is_dir()));
    }

    #[test]
    fn every_template_is_installed() {
        for file in repo::files().unwrap() {
            let Ok(template) = file.strip_prefix(TEMPLATES) else { continue };
            let installed = |(to, from): &(&str, From)| match from {
                From::Template(path) => Path::new(path) == template && to == path,
                From::Object(path) => Path::new(path) == template,
                _ => false,
            };
            assert!(FILES.iter().any(installed), "{}", file.display());
        }
    }

    #[test]
    fn templates_are_filled_in() {
        let text = fill("prefix=@PREFIX@\nVersion: @VERSION@\n", Path::new("/opt/sma"));
        assert_eq!(text, format!("prefix=/opt/sma\nVersion: {}\n", env!("CARGO_PKG_VERSION")));
    }
}
