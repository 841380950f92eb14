//! The words that the wrapper adds to a compiler's command line.

use std::{
    ffi::OsString,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

use super::{arguments::Intent, check::Instrumentation, language::Language};
use crate::prefix::Prefix;

/// Libraries that Rust's standard library needs when it is linked statically.
const SYSTEM_LIBRARIES: [&str; 3] = ["-lpthread", "-ldl", "-lm"];

/// Functions that gfortran's library calls once a program has threads. It refers to them weakly. So a static program contains only the ones
/// that other code needs, and would call the others at address 0.
const FORTRAN_THREADS: [&str; 16] = [
    "mutex_init",
    "mutex_lock",
    "mutex_trylock",
    "mutex_unlock",
    "mutex_destroy",
    "cond_init",
    "cond_wait",
    "cond_broadcast",
    "cond_destroy",
    "key_create",
    "key_delete",
    "getspecific",
    "setspecific",
    "self",
    "create",
    "join",
];

/// The words that an installation adds to a compiler's.
#[derive(Debug)]
pub(super) struct Flags {
    incdir: PathBuf,
    libdir: PathBuf,
    compile: Vec<OsString>,
    link: Vec<OsString>,
    libraries: Vec<&'static str>,
}

impl Flags {
    /// The words that the installation at `prefix` adds for a program of this kind.
    ///
    /// Directories that compilers search anyway are left out: they would be searched too early.
    pub(super) fn new(prefix: &Prefix, language: Language, intent: &Intent, check: Option<Instrumentation>) -> Flags {
        let (incdir, libdir) = (prefix.incdir(), prefix.libdir());
        let is_static = intent.is_static || (!prefix.has_shared_library() && prefix.has_static_library());
        let mut compile = if is_searched(&incdir) { Vec::new() } else { vec![glued("-I", &incdir)] };
        let mut link = Vec::new();
        if let Some(check) = check {
            compile.extend(check.compile);
            link.extend(check.link);
        }
        if !is_searched(&libdir) {
            link.push(glued("-L", &libdir));
            if !is_static {
                link.extend(run_path(&libdir));
            }
        }
        if is_static && language == Language::Fortran {
            link.extend(FORTRAN_THREADS.iter().map(|name| format!("-Wl,-u,pthread_{name}").into()));
        }
        // Programs of the field use libm without linking it, since other wrappers add it.
        let system: &[&str] = if is_static { &SYSTEM_LIBRARIES } else { &["-lm"] };
        let libraries = [&["-lsma"], system].concat();
        link.extend(libraries.iter().map(OsString::from));
        Flags { incdir, libdir, compile, link, libraries }
    }

    /// Where the headers are.
    pub(super) fn incdir(&self) -> &Path {
        &self.incdir
    }

    /// Where the libraries are.
    pub(super) fn libdir(&self) -> &Path {
        &self.libdir
    }

    /// The names of the libraries, without `-l`.
    pub(super) fn libraries(&self) -> impl Iterator<Item = &str> {
        self.libraries.iter().filter_map(|library| library.strip_prefix("-l"))
    }

    /// The words for compiling, which follow the user's: the directory of the headers.
    pub(super) fn compile(&self) -> &[OsString] {
        &self.compile
    }

    /// The words for linking, which follow those for compiling.
    pub(super) fn link(&self) -> &[OsString] {
        &self.link
    }
}

/// An option with its directory in one word.
fn glued(option: &str, directory: &Path) -> OsString {
    [option.as_ref(), directory.as_os_str()].into_iter().collect()
}

/// The directory where the loader finds the library. It is a RUNPATH, not an RPATH, so that a user's LD_LIBRARY_PATH
/// comes first.
fn run_path(libdir: &Path) -> Vec<OsString> {
    let mut words = vec![OsString::from("-Wl,--enable-new-dtags")];
    match libdir.as_os_str().as_bytes().contains(&b',') {
        false => words.push(glued("-Wl,-rpath,", libdir)),
        // `-Wl` splits its value at commas.
        true => words.extend(["-Xlinker".into(), "-rpath".into(), "-Xlinker".into(), libdir.into()]),
    }
    words
}

/// Whether compilers and loaders search a directory by default.
fn is_searched(directory: &Path) -> bool {
    let multiarch = format!("/usr/lib/{}-linux-gnu", std::env::consts::ARCH);
    ["/usr/include", "/usr/lib", "/usr/lib64", "/lib", "/lib64", &multiarch]
        .iter()
        .any(|&known| directory == Path::new(known))
}
