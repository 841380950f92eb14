//! A build that runs on old systems, and that has the same bytes wherever it is made.
//!
//! *Old systems.* A program that is linked against this machine's glibc requires the newest versions of its functions, and so an equally
//! new glibc. The build links against stubs instead: libraries with glibc's names that offer each function in its newest version up to
//! [`GLIBC`]. The result requires no newer version; the use of a function that glibc did not have then is a linker error. In that glibc,
//! threads and `dlopen` were in separate libraries, which newer ones keep as empty shells: the stubs leave each function in its old
//! library.
//!
//! *The same bytes.* Paths of the sources, of the crates and of the build directory become paths below [`SOURCES`], where debuggers find
//! them if the source package is unpacked there.

use super::{VERSION, empty, symbols, symbols::Version, tree};
use crate::{Result, repo};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
};

/// The newest glibc that built files may require.
pub const GLIBC: Version = Version(2, 28, 0);

/// The directory of the sources in the debug information, without the version.
const SOURCES: &str = "/usr/src/ferrite-";

/// A library of glibc.
struct Library {
    /// File name at run time.
    file: &'static str,
    /// Name at link time, after `-l`.
    name: &'static str,
    /// True for functions of today's `libc` that were in this library in [`GLIBC`].
    had: fn(&str) -> bool,
}

const LIBRARIES: [Library; 6] = [
    Library {
        file: "libpthread.so.0",
        name: "pthread",
        had: |name| name.starts_with("pthread_") || name.starts_with("sem_"),
    },
    Library {
        file: "libdl.so.2",
        name: "dl",
        had: |name| {
            ["dlopen", "dlsym", "dlclose", "dlerror", "dladdr", "dladdr1", "dlinfo", "dlvsym", "dlmopen"]
                .contains(&name)
        },
    },
    Library {
        file: "librt.so.1",
        name: "rt",
        had: |name| ["shm_", "timer_", "aio_", "lio_", "mq_"].iter().any(|begin| name.starts_with(begin)),
    },
    Library { file: "libutil.so.1", name: "util", had: |name| ["openpty", "forkpty", "login_tty"].contains(&name) },
    Library { file: "libm.so.6", name: "m", had: |_| false },
    Library { file: "libc.so.6", name: "c", had: |_| true },
];

const LOADER: &str = "ld-linux-x86-64.so.2";

/// Functions that had no symbols in glibc until 2.33: programs linked them from an archive, as they do here.
const NONSHARED: &str = include_str!("nonshared.c");

/// Settings of a build.
pub struct Build {
    /// The build directory of cargo.
    pub target_dir: PathBuf,
    pub rustflags: Vec<String>,
    /// Flags for the C compiler, for crates with C code.
    pub cflags: String,
    /// Arguments for the linker.
    pub link: Vec<String>,
}

impl Build {
    /// Write the stubs, and find the paths to replace.
    pub fn prepare(work: &Path) -> Result<Build> {
        let (stubs, target_dir) = (empty(&work.join("glibc"))?, work.join("build"));
        write_stubs(&stubs)?;
        // Symbols that the compiler's own library requires of glibc are resolved on the machine that runs the program.
        let link = vec![format!("-L{}", stubs.display()), "-Wl,--allow-shlib-undefined".to_owned()];
        let paths = paths(&target_dir)?;
        let mut rustflags: Vec<String> =
            paths.iter().map(|(from, to)| format!("--remap-path-prefix={}={to}", from.display())).collect();
        rustflags.push(format!("-Clinker={}", linker(&stubs, &link)?.display()));
        let cflags = paths.iter().map(|(from, to)| format!("-ffile-prefix-map={}={to}", from.display()));
        Ok(Build { target_dir, rustflags, cflags: cflags.collect::<Vec<_>>().join(" "), link })
    }
}

/// Write a linker script that searches the stubs first. Crates name directories, which come before the flags that rustc passes.
fn linker(stubs: &Path, arguments: &[String]) -> Result<PathBuf> {
    let path = stubs.join("cc");
    let quoted: Vec<String> = arguments.iter().map(|argument| format!("'{argument}'")).collect();
    repo::write(&path, format!("#!/bin/sh\nexec cc {} \"$@\"\n", quoted.join(" ")))?;
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(&path, mode).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(path)
}

/// Directories, and the paths that replace them in built files. The last match counts.
fn paths(target_dir: &Path) -> Result<Vec<(PathBuf, String)>> {
    let sources = format!("{SOURCES}{VERSION}");
    let mut cargo = repo::cargo();
    cargo.current_dir(repo::root()).args(["metadata", "--format-version", "1", "--locked"]);
    let metadata: Value =
        serde_json::from_str(&repo::output(&mut cargo)?).map_err(|e| format!("cargo metadata: {e}"))?;
    let packages = metadata["packages"].as_array().cloned().unwrap_or_default();
    let directory = |package: &Value| {
        let manifest = package["manifest_path"].as_str().filter(|_| !package["source"].is_null())?;
        Path::new(manifest).ancestors().nth(2).map(Path::to_owned)
    };
    let crates: BTreeSet<PathBuf> = packages.iter().filter_map(directory).collect();
    let mut paths = vec![(repo::root().to_owned(), sources.clone())];
    paths.extend(crates.into_iter().map(|directory| (directory, format!("{sources}/vendor"))));
    paths.push((target_dir.to_owned(), format!("{sources}/target")));
    Ok(paths)
}

/// A function or variable of a stub.
struct Offer {
    version: Version,
    is_variable: bool,
    size: u64,
}

fn write_stubs(stubs: &Path) -> Result {
    let mut offers: BTreeMap<&str, BTreeMap<String, Offer>> = BTreeMap::new();
    for Library { file, .. } in LIBRARIES {
        for symbol in symbols::defined(&find(file)?)? {
            let Some(version) = symbol.version.filter(|version| *version <= GLIBC) else { continue };
            let holds = |library: &&Library| match file {
                "libc.so.6" => (library.had)(&symbol.name),
                other => library.file == other,
            };
            let library = LIBRARIES.iter().find(holds).expect("libc has what no other has");
            let offer = Offer { version, is_variable: symbol.is_variable, size: symbol.size };
            let known = offers.entry(library.file).or_default().entry(symbol.name);
            known.and_modify(|known| known.version = known.version.max(version)).or_insert(offer);
        }
    }
    for Library { file, name, .. } in LIBRARIES {
        stub(stubs, file, offers.get(file).unwrap_or(&BTreeMap::new()))?;
        if name != "c" {
            std::os::unix::fs::symlink(file, stubs.join(format!("lib{name}.so")))
                .map_err(|e| format!("{name}: {e}"))?;
        }
    }
    let at = |name: &str| stubs.join(name);
    repo::write(&at("nonshared.c"), NONSHARED)?;
    let mut cc = Command::new("cc");
    cc.current_dir(stubs).args(["-c", "-O2", "-fPIC", "-fno-builtin", "-w", "nonshared.c"]);
    repo::run(&mut cc)?;
    repo::run(Command::new("ar").current_dir(stubs).args(["rcsD", "libc_nonshared.a", "nonshared.o"]))?;
    // All programs use one function of the loader, which it has always had: it finds thread-local variables.
    let loader = find(LOADER)?;
    let (libc, nonshared) = (at("libc.so.6"), at("libc_nonshared.a"));
    let group = format!("GROUP ( {} {} AS_NEEDED ( {} ) )\n", libc.display(), nonshared.display(), loader.display());
    repo::write(&at("libc.so"), group)
}

/// Make a library without code, with the name and the symbols of a library of glibc.
fn stub(stubs: &Path, file: &str, offers: &BTreeMap<String, Offer>) -> Result {
    let mut source = String::new();
    for (number, (name, offer)) in offers.iter().enumerate() {
        let Offer { version, is_variable, size } = offer;
        let (section, kind) = if *is_variable { (".bss", "object") } else { (".text", "function") };
        source += &format!(
            "{section}\n.globl s{number}\n.type s{number}, @{kind}\n.size s{number}, {size}\ns{number}: .skip 16\n"
        );
        source += &format!(".symver s{number}, {name}@@GLIBC_{version}\n");
    }
    let versions: BTreeSet<Version> = offers.values().map(|offer| offer.version).collect();
    // The names `s0`, `s1` and so on are local to the library.
    let node = |(at, version): (usize, &Version)| {
        format!("GLIBC_{version} {{ {} }};\n", if at == 0 { "local: s[0-9]*;" } else { "" })
    };
    repo::write(&stubs.join(format!("{file}.s")), source + ".section .note.GNU-stack\n")?;
    repo::write(&stubs.join(format!("{file}.map")), versions.iter().enumerate().map(node).collect::<String>())?;
    let mut cc = Command::new("cc");
    cc.current_dir(stubs).args(["-shared", "-nostdlib", &format!("-Wl,-soname,{file}")]);
    cc.args([&format!("-Wl,--version-script={file}.map"), "-o", file, &format!("{file}.s")]);
    repo::run(&mut cc)
}

/// The functions that programs and libraries below a directory require and that [`GLIBC`] lacks, each with the file that requires it. The
/// files may be linked against a newer glibc: what counts is whether they could be linked against the stubs.
pub fn missing_below(root: &Path) -> Result<Vec<String>> {
    let mut had = BTreeSet::new();
    for Library { file, .. } in LIBRARIES {
        let old = |symbol: &symbols::Symbol| symbol.version.is_some_and(|version| version <= GLIBC);
        had.extend(symbols::defined(&find(file)?)?.into_iter().filter(old).map(|symbol| symbol.name));
    }
    let linked = |name: &str| NONSHARED.contains(&format!(" {name}("));
    let mut missing = Vec::new();
    // Debug information is ELF too, without the tables of symbols.
    let is_code = |file: &PathBuf| !file.iter().any(|part| part == ".debug");
    for file in tree::elf_files(root)?.into_iter().filter(is_code) {
        for symbol in symbols::required(&root.join(&file))? {
            let Some(version) = symbol.version.filter(|version| *version > GLIBC) else { continue };
            if !had.contains(&symbol.name) && !linked(&symbol.name) {
                missing.push(format!(
                    "{} requires {} of glibc {version}, but packages are built for glibc {GLIBC}",
                    file.display(),
                    symbol.name
                ));
            }
        }
    }
    Ok(missing)
}

/// Path of a library of this machine's glibc.
fn find(file: &str) -> Result<PathBuf> {
    let path = repo::output(Command::new("cc").arg(format!("-print-file-name={file}")))?;
    let path = PathBuf::from(path.trim());
    match path.is_absolute() {
        true => Ok(path),
        false => Err(format!("this system has no {file}: packages can be built only on systems with glibc")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compile a C program against the stubs.
    fn compile(name: &str, source: &str) -> Result<PathBuf> {
        let dir = repo::scratch(name);
        write_stubs(&dir).unwrap();
        repo::write(&dir.join("a.c"), source).unwrap();
        let mut cc = Command::new("cc");
        cc.current_dir(&dir).args([
            "-w",
            "a.c",
            "-o",
            "a",
            "-L.",
            "-Wl,--allow-shlib-undefined",
            "-lpthread",
            "-ldl",
            "-lm",
        ]);
        repo::output(&mut cc).map(|_| dir.join("a"))
    }

    #[test]
    fn what_is_linked_to_the_stubs_asks_for_nothing_new_and_runs() {
        let program = compile(
            "portable-old",
            "#include <pthread.h>\n#include <dlfcn.h>\n#include <sys/stat.h>\n#include <math.h>\n#include <stdlib.h>\n\
             static void *work(void *to) { *(int *)to = 42; return 0; }\n\
             int main(int argc, char **argv) {\n  pthread_t thread; int got = 0; struct stat found;\n\
             if (pthread_create(&thread, 0, work, &got) || pthread_join(thread, 0) || got != 42) return 1;\n\
             if (stat(argv[0], &found) || found.st_size == 0 || !dlopen(0, RTLD_NOW)) return 2;\n\
             return pow(argc, 2.5) == 1.0 ? 0 : 3; }\n",
        )
        .unwrap();
        repo::run(&mut Command::new(&program)).unwrap();
        let newest = symbols::newest(&program).unwrap().unwrap();
        assert!(newest <= GLIBC, "asks for glibc {newest}");
    }

    #[test]
    fn a_function_that_old_systems_lack_is_refused() {
        let error =
            compile("portable-new", "int gettid(void);\nint main(void) { return gettid() < 0; }\n").unwrap_err();
        assert!(error.contains("gettid"), "{error}");
    }

    #[test]
    fn functions_newer_than_the_packages_glibc_are_named() {
        let dir = repo::scratch("portable-missing");
        let source = "#include <pthread.h>\n#include <sys/stat.h>\nint gettid(void);\n\
                      int main(void) { struct stat s; return stat(\"/\", &s) + pthread_join(pthread_self(), 0) + gettid(); }\n";
        repo::write(&dir.join("a.c"), source).unwrap();
        repo::run(Command::new("cc").current_dir(&dir).args(["-w", "a.c", "-o", "a"])).unwrap();
        let missing = missing_below(&dir).unwrap();
        assert_eq!(missing.len(), 1, "{missing:?}");
        assert!(missing[0].starts_with("a requires gettid of glibc 2.30, but"), "{missing:?}");
    }
}
