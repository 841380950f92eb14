//! Build all programs, libraries and documents, and install them under one prefix.

use crate::{Result, codegen, debug_files, inventory::Inventory, link, manual, package::portable, repo};
use std::{
    fs,
    path::{self, Path, PathBuf},
    process::Command,
};

/// Options of `dist`.
#[derive(clap::Args)]
pub struct Options {
    /// Prefix of the installation [default: target/prefix]
    #[arg(long)]
    prefix: Option<PathBuf>,
    /// Remove the installation under the prefix instead: its files, and the directories that become empty
    #[arg(long)]
    uninstall: bool,
    /// Cargo profile of the build; its panics must unwind
    #[arg(long, default_value = "release")]
    profile: String,
}

impl Options {
    /// The prefix as an absolute path: compilers run in other directories, and installed files contain it.
    fn prefix(&self) -> Result<PathBuf> {
        let wanted = self.prefix.clone().unwrap_or_else(|| repo::target_dir().join("prefix"));
        path::absolute(&wanted).map_err(|e| format!("the prefix {}: {e}", wanted.display()))
    }
}

/// The source of an installed file.
enum From {
    Archive,
    Shared,
    Program(&'static str),
    /// An object, compiled from this C file below `launcher/share`.
    Object(&'static str),
    EmptyArchive,
    /// A header or a Fortran file, named by its path below the include directory.
    Header(&'static str),
    /// A file of `launcher/share`, in which `@PREFIX@` and `@VERSION@` are replaced.
    Template(&'static str),
    /// A symbolic link to the file of that name in the same directory.
    Alias(&'static str),
}

/// The installed files, by their paths below the prefix.
const FILES: &[(&str, From)] = &[
    ("lib/libsma.a", From::Archive),
    ("lib/libsma.so.1", From::Shared),
    ("lib/libsma.so", From::Alias("libsma.so.1")),
    ("lib/liboshmem.a", From::Alias("libsma.a")),
    ("lib/liboshmem.so", From::Alias("libsma.so.1")),
    ("include/shmem.h", From::Header("shmem.h")),
    ("include/shmemx.h", From::Header("shmemx.h")),
    ("include/shmemg.h", From::Header("shmemg.h")),
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
    ("bin/oshmem_info", From::Alias("oshrun")),
    ("bin/oshcc", From::Alias("oshrun")),
    ("bin/oshc++", From::Alias("oshrun")),
    ("bin/oshcxx", From::Alias("oshrun")),
    ("bin/oshCC", From::Alias("oshrun")),
    ("bin/oshfort", From::Alias("oshrun")),
    ("bin/shmemcc", From::Alias("oshrun")),
    ("bin/shmemc++", From::Alias("oshrun")),
    ("bin/shmemcxx", From::Alias("oshrun")),
    ("bin/shmemCC", From::Alias("oshrun")),
    ("bin/shmemfort", From::Alias("oshrun")),
    ("bin/oshbench", From::Program("oshbench")),
    ("libexec/ferrite/ferrite-hwloc", From::Program("ferrite-hwloc")),
    // The object that `oshcc --check` links, and the files that gcc finds instead of its thread sanitizer.
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
    (
        concat!("share/modulefiles/ferrite/", env!("CARGO_PKG_VERSION")),
        From::Template("share/modulefiles/ferrite/version"),
    ),
];

/// The directory of the templates, in the layout of the prefix.
const TEMPLATES: &str = "launcher/share";

/// The C sources of the programs that `oshbench` runs: its own, and the examples that are its applications.
const BENCH_SOURCES: [&str; 2] = ["benches/c", "crates/capi/examples/c"];

/// The directory where they are installed, so that users can read what was measured.
const BENCH_SHARE: &str = "share/ferrite/oshbench";

/// The library's package. The feature refuses to compile if panics abort.
const LIBRARY: [&str; 5] = ["-p", "ferrite-capi", "--lib", "--features", "ferrite-capi/library"];

/// The packages whose programs are installed.
const PROGRAMS: [&str; 6] = ["-p", "ferrite-launcher", "-p", "ferrite-benches", "-p", "ferrite-hwloc"];

struct Build<'a> {
    profile: &'a str,
    /// Settings for old systems, which also make the output independent of the build directory.
    portable: Option<&'a portable::Build>,
}

pub fn run(options: &Options) -> Result {
    if options.uninstall {
        let prefix = options.prefix()?;
        let files = Inventory::uninstall(&prefix)?;
        println!("removed {files} files from {}", prefix.display());
        return Ok(());
    }
    let build = Build { profile: &options.profile, portable: None };
    install_all(&build, &options.prefix()?)
}

/// Install everything in `prefix`, built for old systems.
pub fn portable(prefix: &Path, portable: &portable::Build) -> Result {
    install_all(&Build { profile: "release", portable: Some(portable) }, prefix)
}

fn install_all(build: &Build<'_>, prefix: &Path) -> Result {
    let work = repo::target_dir().join("dist").join(std::process::id().to_string());
    build.compile()?;
    let built = build.link(&work)?;
    let mut inventory = Inventory::open(prefix)?;
    for (to, from) in FILES {
        install(&mut inventory, to, from, &built, build)?;
    }
    compile_module(&mut inventory, &work)?;
    manual::write(&mut inventory)?;
    copy_bench_sources(&mut inventory)?;
    inventory.finish()?;
    fs::remove_dir_all(&work).map_err(|e| format!("removing {}: {e}", work.display()))?;
    println!("installed in {}", prefix.display());
    Ok(())
}

impl Build<'_> {
    fn target_dir(&self) -> PathBuf {
        self.portable.map_or_else(repo::target_dir, |portable| portable.target_dir.clone())
    }

    /// Path of a file that cargo has built.
    fn built(&self, name: &str) -> PathBuf {
        let profile = if self.profile == "dev" { "debug" } else { self.profile };
        self.target_dir().join(profile).join(name)
    }

    /// Build the library and the programs in a single cargo build. In two builds, shared dependencies could get different features and
    /// would be compiled twice.
    fn compile(&self) -> Result {
        let mut cargo = repo::cargo();
        cargo.current_dir(repo::root()).arg("build").args(LIBRARY).args(["--locked", "--profile", self.profile]);
        cargo.args(PROGRAMS);
        for (_, from) in FILES {
            if let From::Program(name) = from {
                cargo.args(["--bin", name]);
            }
        }
        if let Some(portable) = self.portable {
            // The encoded variable, since a flag may contain blanks. Incremental builds are off, because their output depends on earlier
            // builds.
            cargo.env("CARGO_ENCODED_RUSTFLAGS", portable.rustflags.join("\u{1f}"));
            cargo.env("CFLAGS", &portable.cflags).env("CARGO_INCREMENTAL", "0");
            // Unoptimised, which builds from source prefer because it compiles faster, oshbench has nearly twice as many bytes.
            cargo.args(["--config", "profile.release.package.ferrite-benches.opt-level=\"s\""]);
        }
        repo::run(cargo.arg("--target-dir").arg(self.target_dir()))
    }

    fn link(&self, work: &Path) -> Result<link::Libraries> {
        fs::create_dir_all(work).map_err(|e| format!("creating {}: {e}", work.display()))?;
        let arguments = self.portable.map_or(&[][..], |portable| &portable.link);
        link::link(&self.built("libferrite_capi.a"), work, arguments)
    }
}

/// Install the compiled module beside its source, for the Fortran compiler of this machine. Its format depends on the compiler and its
/// version; with another one, a program compiles `include/shmem.f90` first. The module contains no code, so nothing has to be linked either
/// way.
fn compile_module(inventory: &mut Inventory, work: &Path) -> Result {
    if Command::new("gfortran").arg("--version").output().is_err() {
        println!("there is no gfortran here: users of the module compile include/shmem.f90 themselves");
        return Ok(());
    }
    let mut gfortran = Command::new("gfortran");
    gfortran.current_dir(work).args(["-fsyntax-only", "-J."]).arg(inventory.prefix().join("include/shmem.f90"));
    repo::run(&mut gfortran)?;
    // Compilers read it unpacked too, a little faster, and packages become smaller: it has much in common with its source.
    let unpacked = repo::output(Command::new("gzip").args(["--decompress", "--stdout"]).arg(work.join("shmem.mod")))?;
    debug_files::replace(&inventory.place("include/shmem.mod")?, |new| repo::write(new, &unpacked))
}

fn copy_bench_sources(inventory: &mut Inventory) -> Result {
    for file in repo::files()? {
        let Some(name) = BENCH_SOURCES.iter().find_map(|directory| file.strip_prefix(directory).ok()) else { continue };
        // The applications have their own directory: both have a `hello.c`.
        let place = if file.starts_with(BENCH_SOURCES[0]) { "" } else { "applications" };
        let to = Path::new(BENCH_SHARE).join(place).join(name);
        inventory.write(to, repo::read(&repo::root().join(&file))?)?;
    }
    Ok(())
}

fn install(inventory: &mut Inventory, to: &str, from: &From, built: &link::Libraries, build: &Build<'_>) -> Result {
    let prefix = inventory.prefix().to_owned();
    let mut file = |make: &dyn Fn(&Path) -> Result| debug_files::replace(&inventory.place(to)?, make);
    match from {
        From::Archive => file(&|new| copy(&built.archive, new)),
        From::Object(source) => file(&|new| compile(&repo::root().join(TEMPLATES).join(source), new)),
        From::EmptyArchive => file(&|new| repo::write(new, "!<arch>\n")),
        From::Header(name) => file(&|new| copy(&codegen::include_dir().join(name), new)),
        From::Template(path) => {
            let template = repo::read(&repo::root().join(TEMPLATES).join(path))?;
            // A package may be unpacked anywhere.
            let prefix = if build.portable.is_some() { Path::new("${pcfiledir}/../..") } else { prefix.as_path() };
            file(&|new| repo::write(new, fill(&template, prefix)))
        }
        From::Alias(name) => file(&|new| alias(name, new)),
        From::Shared => debug_files::install(inventory, &built.shared, to),
        From::Program(name) => debug_files::install(inventory, &build.built(name), to),
    }
}

fn copy(from: &Path, to: &Path) -> Result {
    fs::copy(from, to).map(drop).map_err(|e| format!("copying {} to {}: {e}", from.display(), to.display()))
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
                From::Template(path) => Path::new(path) == template && (to == path || path.ends_with("/version")),
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
