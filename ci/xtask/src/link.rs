//! Makes the installed libraries from the archive that cargo builds.
//!
//! Rust can export a function by one strong symbol only. OpenSHMEM's profiling interface requires two names at one address, of which the
//! public one is weak, and all other symbols should be hidden. The linker makes this from the archive:
//!
//! 1. `ld -r` joins the needed parts of the archive into one object. A script of assignments gives every `pshmem_X` its second name (an
//!    alias: same address, same type), and every Fortran procedure its mangled names for other compilers;
//! 2. `objcopy` makes the second names weak and hides every other symbol, so that two copies of Rust's library in one static program do not
//!    conflict;
//! 3. `cc -shared` makes `libsma.so.1` from that object; without its line tables the object becomes `libsma.a`.

use crate::{Result, repo, shorten, sizes};
use ferrite_abi::{everything, fortran::procedures, symbols};
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Another name of an exported function.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Alias {
    pub name: String,
    /// The function defined in Rust.
    pub of: String,
    /// True if a program may define the name itself: it does not belong to the profiling interface.
    pub weak: bool,
}

/// All names beside those that Rust defines.
///
/// A C routine has one such name, its public one. A Fortran procedure has the mangled names of several compilers, and each of them also
/// exists with the `p` of the profiling interface.
pub fn aliases() -> Vec<Alias> {
    let c = everything().into_iter().filter(|row| row.served).flat_map(|row| symbols(&row));
    let mut all: Vec<Alias> = c.map(|s| Alias { of: format!("p{}", s.name), name: s.name, weak: true }).collect();
    for procedure in procedures().iter().filter(|procedure| procedure.served) {
        let of = procedure.definition();
        for name in procedure.symbols() {
            let p = if name.starts_with(char::is_uppercase) { 'P' } else { 'p' };
            let second = Alias { name: format!("{p}{name}"), of: of.clone(), weak: false };
            all.extend((second.name != of).then_some(second));
            all.push(Alias { name, of: of.clone(), weak: true });
        }
    }
    all
}

/// Routines that instrumented programs call.
pub const CHECK: [&str; 6] = [
    "ferrite_check_instrumented",
    "ferrite_check_access",
    "ferrite_check_leave",
    "ferrite_check_take",
    "ferrite_check_forget",
    "ferrite_check_part",
];

pub struct Libraries {
    /// `libsma.a`.
    pub archive: PathBuf,
    /// `libsma.so.1`.
    pub shared: PathBuf,
}

/// Link the archive that cargo built. `arguments` come first in the command line of the shared library; intermediate files go to `work`.
pub fn link(built: &Path, work: &Path, arguments: &[String]) -> Result<Libraries> {
    let aliases = aliases();
    let defined: BTreeSet<&str> = aliases.iter().map(|alias| alias.of.as_str()).collect();
    let all = || aliases.iter().map(|alias| alias.name.as_str()).chain(defined.iter().copied()).chain(CHECK);
    let file = |name: &str, lines: &mut dyn Iterator<Item = String>| -> Result<PathBuf> {
        let path = work.join(name);
        repo::write(&path, lines.map(|line| line + "\n").collect::<String>()).map(|()| path)
    };
    let roots = file("roots", &mut defined.iter().copied().chain(CHECK).map(|name| format!("-u {name}")))?;
    let script = file("aliases.ld", &mut aliases.iter().map(|alias| format!("{} = {};", alias.name, alias.of)))?;
    let weak = file("weak", &mut aliases.iter().filter(|alias| alias.weak).map(|alias| alias.name.clone()))?;
    let kept = file("kept", &mut all().map(str::to_owned))?;
    let global = all().map(|name| format!("{name};"));
    let map =
        file("sma.map", &mut ["{ global:".to_owned()].into_iter().chain(global).chain(["local: *; };".to_owned()]))?;

    let joined = work.join("joined.o");
    let mut ld = Command::new("ld");
    // Take the whole archive: no symbol refers to the function that runs when the library is loaded.
    ld.args(["-r", "--gc-sections"]).arg(at(&roots)).arg(&script).arg("-o").arg(&joined);
    ld.arg("--whole-archive").arg(built);
    repo::run(&mut ld)?;

    // Rust's own library contains bitcode, which tools of another LLVM version reject.
    let object = work.join("sma.o");
    let mut objcopy = Command::new("objcopy");
    objcopy.args(["--remove-section=.llvmbc", "--remove-section=.llvmcmd"]);
    objcopy.arg(option("--keep-global-symbols", &kept)).arg(option("--weaken-symbols", &weak));
    repo::run(objcopy.arg(&joined).arg(&object))?;
    forget_unneeded(&object, work)?;
    let mut bytes = fs::read(&object).map_err(|e| format!("reading {}: {e}", object.display()))?;
    sizes::copy_to_aliases(&mut bytes, &aliases)?;
    repo::write(&object, bytes)?;

    let archive = work.join("libsma.a");
    if archive.exists() {
        fs::remove_file(&archive).map_err(|e| format!("removing {}: {e}", archive.display()))?;
    }
    let shared = share(&object, &map, work, arguments)?;
    // Line tables take 20 MB, which every static program would contain.
    repo::run(Command::new("objcopy").args(["--strip-debug", "--remove-section=.comment"]).arg(&object))?;
    shorten_names(&object)?;
    repo::run(Command::new("ar").arg("rcsD").arg(&archive).arg(&object))?;
    Ok(Libraries { archive, shared })
}

/// Drop the undefined symbols that only discarded sections referred to. Otherwise a static program would look for them, and link code that
/// is never called. (`objcopy --strip-unneeded` finds them, but it also drops all private names, which backtraces need.)
fn forget_unneeded(object: &Path, work: &Path) -> Result {
    let bare = work.join("bare.o");
    repo::run(Command::new("objcopy").arg("--strip-unneeded").arg(object).arg(&bare))?;
    let (all, needed) = (undefined(object)?, undefined(&bare)?);
    let unneeded = work.join("unneeded");
    repo::write(&unneeded, all.difference(&needed).map(|name| format!("{name}\n")).collect::<String>())?;
    repo::run(Command::new("objcopy").arg(option("--strip-symbols", &unneeded)).arg(object))
}

/// Shorten the names in an object; then write its tables anew, which drops what the names no longer contain.
fn shorten_names(object: &Path) -> Result {
    let mut bytes = fs::read(object).map_err(|e| format!("reading {}: {e}", object.display()))?;
    shorten::names(&mut bytes)?;
    repo::write(object, bytes)?;
    repo::run(Command::new("objcopy").arg(object))
}

fn undefined(object: &Path) -> Result<BTreeSet<String>> {
    let names = repo::output(Command::new("nm").args(["--undefined-only", "--format=just-symbols"]).arg(object))?;
    Ok(names.lines().map(str::to_owned).collect())
}

/// Make the shared library. It is never unloaded, because its threads and thread-local destructors would outlive their code. All its
/// symbols must be defined by it or its dependencies.
fn share(object: &Path, map: &Path, work: &Path, arguments: &[String]) -> Result<PathBuf> {
    let shared = work.join("libsma.so.1");
    let mut cc = Command::new("cc");
    cc.args(arguments).args([
        "-shared",
        "-Wl,-soname,libsma.so.1",
        "-Wl,--gc-sections",
        "-Wl,-z,defs",
        "-Wl,-z,relro",
        "-Wl,-z,now",
    ]);
    cc.args(["-Wl,-z,nodelete", "-Wl,-z,noexecstack", "-Wl,-O1", "-Wl,--hash-style=gnu", "-Wl,--build-id"]);
    cc.arg(option("-Wl,--version-script", map)).arg("-o").arg(&shared).arg(object);
    cc.args(["-Wl,--as-needed", "-lpthread", "-ldl", "-lrt", "-lm"]);
    repo::run(&mut cc)?;
    Ok(shared)
}

fn at(path: &Path) -> String {
    format!("@{}", path.display())
}

fn option(name: &str, path: &Path) -> String {
    format!("{name}={}", path.display())
}
