//! `--check`: compiles so that each load and store is reported to the library, and links the object that reports them.
//!
//! Compilers do that for their thread sanitizer, whose library is not linked: clang has an option that leaves it out; gcc first searches a
//! directory of ours, where the library is empty.

use std::{ffi::OsString, path::Path};

const OPTION: &str = "--check";
/// The directory of our files, below the libraries.
const DIRECTORY: &str = "ferrite/check";
/// The object that is linked to the program.
const OBJECT: &str = "check.o";

/// Functions whose calls are redirected to ours, as `launcher/share/lib/ferrite/check.c` defines them.
const WRAPPED: &[&str] = &[
    "memcpy",
    "memmove",
    "memset",
    "free",
    "realloc",
    "_ZdlPv",
    "_ZdlPvm",
    "_ZdaPv",
    "_ZdaPvm",
    "pthread_mutex_lock",
    "pthread_mutex_trylock",
    "pthread_mutex_unlock",
    "pthread_spin_lock",
    "pthread_spin_trylock",
    "pthread_spin_unlock",
    "pthread_rwlock_rdlock",
    "pthread_rwlock_wrlock",
    "pthread_rwlock_tryrdlock",
    "pthread_rwlock_trywrlock",
    "pthread_rwlock_unlock",
    "sem_wait",
    "sem_trywait",
    "sem_post",
    "pthread_once",
    "pthread_cond_signal",
    "pthread_cond_broadcast",
    "pthread_cond_wait",
    "pthread_cond_timedwait",
    "pthread_cond_clockwait",
    "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE",
    "_ZNSt18condition_variable10notify_oneEv",
    "_ZNSt18condition_variable10notify_allEv",
    "__cxa_guard_acquire",
    "__cxa_guard_release",
    "pthread_barrier_wait",
    "GOMP_parallel",
    "GOMP_parallel_reductions",
    "GOMP_parallel_sections",
    "GOMP_parallel_loop_static",
    "GOMP_parallel_loop_dynamic",
    "GOMP_parallel_loop_guided",
    "GOMP_parallel_loop_nonmonotonic_dynamic",
    "GOMP_parallel_loop_nonmonotonic_guided",
    "GOMP_parallel_loop_runtime",
    "GOMP_parallel_loop_maybe_nonmonotonic_runtime",
    "GOMP_barrier",
    "GOMP_loop_end",
    "GOMP_sections_start",
    "GOMP_sections_next",
    "GOMP_sections_end",
    "GOMP_critical_start",
    "GOMP_critical_end",
    "GOMP_critical_name_start",
    "GOMP_critical_name_end",
    "GOMP_atomic_start",
    "GOMP_atomic_end",
    "GOMP_ordered_start",
    "GOMP_ordered_end",
    "GOMP_taskwait",
    "GOMP_taskgroup_end",
    "GOMP_task",
    "omp_set_lock",
    "omp_unset_lock",
];

/// Remove the option from a command line. Returns whether it was there.
pub(super) fn split(arguments: Vec<OsString>) -> (bool, Vec<OsString>) {
    let (asked, rest): (Vec<_>, Vec<_>) = arguments.into_iter().partition(|argument| argument == OPTION);
    (!asked.is_empty(), rest)
}

/// The words that the option adds to the compiler's command line.
#[derive(Debug)]
pub(super) struct Instrumentation {
    /// Options for compiling.
    pub(super) compile: Vec<OsString>,
    /// For linking, before the library.
    pub(super) link: Vec<OsString>,
}

impl Instrumentation {
    /// The words for a compiler of this name.
    pub(super) fn new(compiler: &Path, libdir: &Path) -> Instrumentation {
        let directory = libdir.join(DIRECTORY);
        let is_clang = compiler.file_name().is_some_and(|name| {
            let name = name.to_string_lossy();
            name.contains("clang") || name.contains("flang")
        });
        let mut compile = vec!["-g".into(), "-fsanitize=thread".into()];
        let mut link = Vec::new();
        if is_clang {
            link.push("-fno-sanitize-link-runtime".into());
        } else {
            compile.push(["-B".as_ref(), directory.as_os_str()].into_iter().collect());
        }
        link.push(directory.join(OBJECT).into());
        // Before glibc 2.34, `dlsym` is in a library of its own.
        link.push("-ldl".into());
        // Libraries that our object calls only weakly are needed too, such as the OpenMP library.
        link.push("-Wl,--no-as-needed".into());
        link.push(WRAPPED.iter().fold(OsString::from("-Wl"), |mut words, name| {
            words.push(",--wrap=");
            words.push(name);
            words
        }));
        Instrumentation { compile, link }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_compiler_gets_its_own_words() {
        for (compiler, alone) in
            [("gcc", "-B/p/lib/ferrite/check"), ("/usr/bin/clang-14", "-fno-sanitize-link-runtime")]
        {
            let words = Instrumentation::new(Path::new(compiler), Path::new("/p/lib"));
            let all = [words.compile, words.link].concat();
            assert!(all.contains(&alone.into()) && all.contains(&"-fsanitize=thread".into()), "{all:?}");
            assert!(all.contains(&"/p/lib/ferrite/check/check.o".into()), "{all:?}");
        }
    }

    #[test]
    fn every_wrapped_symbol_is_defined() {
        let source = include_str!("../../share/lib/ferrite/check.c");
        for name in WRAPPED {
            let (_, short) = name.rsplit_once("GOMP_parallel_loop_").unwrap_or(("", name));
            let made = [
                "TAKES",
                "LEAVES",
                "MEETS",
                "ENTERS",
                "LEAVES_BEFORE",
                "PARALLEL_LOOP",
                "PARALLEL_RUNTIME",
                "DELETES",
                "DELETES_SIZED",
                "NOTIFIES",
            ];
            let defined = source.contains(&format!("__wrap_{name}("))
                || made
                    .iter()
                    .any(|made| [",", ")"].iter().any(|end| source.contains(&format!("{made}({short}{end}"))));
            assert!(defined, "{name}");
        }
    }

    #[test]
    fn the_option_is_taken_out() {
        let words = |line: &str| line.split(' ').map(OsString::from).collect::<Vec<_>>();
        assert_eq!(split(words("-O2 --check a.c")), (true, words("-O2 a.c")));
        assert_eq!(split(words("-O2 a.c")), (false, words("-O2 a.c")));
    }
}
