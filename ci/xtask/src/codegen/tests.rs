//! Compiles the headers.

use super::*;
use std::{collections::BTreeSet, path::Path, process::Command};

const C: &[&str] = &["-std=c99", "-std=c11", "-std=c17", "-std=gnu17", "-std=c2x"];
const CXX: &[&str] = &["-std=c++98", "-std=c++11", "-std=c++17", "-std=c++20", "-std=c++2b"];
/// An old and a new standard, where the versions between them give the same results.
const SOME: [&[&str]; 2] = [&["-std=c99", "-std=c17"], &["-std=c++98", "-std=c++17"]];
const STRICT: &[&str] = &[
    "-Wall",
    "-Wextra",
    "-pedantic",
    "-Wshadow",
    "-Wundef",
    "-Wcast-qual",
    "-Wconversion",
    "-Wredundant-decls",
    "-Werror",
];

#[test]
fn the_committed_headers_are_fresh() {
    run(&Options { check: true }).unwrap();
}

#[test]
fn every_name_compiles_silently_in_every_language() {
    for (rows, name, c, cxx) in [(Rows::Served, "served", &C[1..2], &CXX[1..2]), (Rows::All, "all", C, CXX)] {
        let dir = written(rows, name);
        let text = format!("{INCLUDE_ALL}{}{CONSTANT_EXPRESSIONS}", every_name(rows));
        check(&dir, &[("names".to_owned(), text)], c, cxx);
    }
}

#[test]
fn each_header_compiles_alone() {
    let dir = written(Rows::Served, "alone");
    let text = |header: &str| format!("#include <{header}>\nint main(void) {{ return 0; }}\n");
    let texts: Vec<(String, String)> =
        headers(Rows::Served).into_iter().map(|(header, _)| (header.replace(['/', '.'], "_"), text(header))).collect();
    check(&dir, &texts, SOME[0], SOME[1]);
}

/// Ways of including the header that could cause conflicts.
#[test]
fn the_header_bears_company() {
    let dir = written(Rows::All, "company");
    let texts = [("wrapped", WRAPPED), ("complex", COMPLEX), ("twice", TWICE)];
    let texts = texts.map(|(name, includes)| (name.to_owned(), format!("{includes}{COMPANY}")));
    check(&dir, &texts, SOME[0], SOME[1]);
}

/// Check which routine a generic call reaches: each routine is replaced by one that records its name.
#[test]
fn generic_calls_reach_the_routine_of_their_type() {
    let dir = written(Rows::All, "generic");
    repo::write(&dir.join("notes.c"), noting(Rows::All)).unwrap();
    repo::write(&dir.join("calls.c"), generic_calls(Rows::All)).unwrap();
    repo::write(&dir.join("calls.cc"), generic_calls(Rows::All)).unwrap();
    for (c, cxx) in [("gcc", "g++"), ("clang", "clang++")] {
        if !found(c) {
            continue;
        }
        for (compiler, source, standard) in [(c, "calls.c", "-std=c11"), (cxx, "calls.cc", "-std=c++11")] {
            let program = dir.join(format!("{compiler}-{source}.out"));
            let mut notes = Command::new(c);
            notes.args(["-std=c99", "-c", "-w", "notes.c", "-o", "notes.o", "-I."]).current_dir(&dir);
            repo::run(&mut notes).unwrap();
            let mut build = Command::new(compiler);
            build.args(STRICT).args([standard, "-I.", source, "notes.o", "-o"]).arg(&program).current_dir(&dir);
            repo::run(&mut build).unwrap();
            repo::run(&mut Command::new(&program)).unwrap();
        }
    }
}

#[test]
fn what_has_no_routine_does_not_compile() {
    let dir = written(Rows::Served, "refused");
    let refused = [
        ("an array of structures", "struct { int x; } s; shmem_put(&s, &s, 1, 0);"),
        ("bits of a float", "float f = 0; shmem_atomic_and(&f, 1.0f, 0);"),
        ("bits of a float, in a context", "float f = 0; shmem_atomic_and(SHMEM_CTX_DEFAULT, &f, 1.0f, 0);"),
        ("a constant destination", "const int i = 0; shmem_p(&i, 1, 0);"),
        ("short bits are not in the list", "short i = 0; shmem_atomic_or(&i, 1, 0);"),
    ];
    for (what, call) in refused {
        let text = format!("#include <shmem.h>\nvoid f(void);\nvoid f(void) {{ {call} }}\n");
        repo::write(&dir.join("refused.c"), text).unwrap();
        let mut gcc = Command::new("gcc");
        gcc.args(["-std=c11", "-fsyntax-only", "-w", "-I.", "refused.c"]).current_dir(&dir);
        assert!(repo::output(&mut gcc).is_err(), "{what}: accepted");
    }
}

#[test]
fn shmem_h_defines_nothing_that_a_program_may_call_its_own() {
    let dir = written(Rows::Served, "macros");
    repo::write(&dir.join("with.c"), "#include <shmem.h>\n").unwrap();
    repo::write(&dir.join("without.c"), "#include <stddef.h>\n#include <stdint.h>\n").unwrap();
    let macros = |source: &str| {
        let mut gcc = Command::new("gcc");
        gcc.args(["-std=c11", "-dM", "-E", "-I.", source]).current_dir(&dir);
        let text = repo::output(&mut gcc).unwrap();
        text.lines().map(|line| line[8..].split([' ', '(']).next().unwrap_or("").to_owned()).collect::<Vec<_>>()
    };
    let before = macros("without.c");
    // Programs recognise a complete OpenSHMEM by the last two.
    let ours: BTreeSet<&str> =
        ferrite_abi::constants::all().map(|one| one.name).chain(["SHMEM_DEF_H", "SHMEM_FUNCTION_ATTRIBUTES"]).collect();
    let leaked: Vec<String> = macros("with.c")
        .into_iter()
        .filter(|m| !before.contains(m) && !ours.contains(m.as_str()))
        .filter(|m| !["shmem_", "_SHMEM_", "_FERRITE_"].iter().any(|prefix| m.starts_with(prefix)))
        .collect();
    assert!(leaked.is_empty(), "{leaked:?}");
}

fn written(rows: Rows, name: &str) -> PathBuf {
    let dir = repo::scratch(name);
    for (header, text) in headers(rows) {
        repo::write(&dir.join(header), text).unwrap();
    }
    dir
}

fn found(compiler: &str) -> bool {
    let found = Command::new(compiler).arg("--version").output().is_ok_and(|o| o.status.success());
    if !found {
        println!("skipped: {compiler} is not installed");
    }
    found
}

/// Compile each text, by its name, with every compiler in each of these languages.
fn check(dir: &Path, texts: &[(String, String)], c: &[&str], cxx: &[&str]) {
    let mut files: [Vec<String>; 2] = Default::default();
    for (name, text) in texts {
        for (files, extension) in files.iter_mut().zip(["c", "cc"]) {
            let file = format!("{name}.{extension}");
            repo::write(&dir.join(&file), text).unwrap();
            files.push(file);
        }
    }
    let [c_files, cxx_files] = files;
    for (compilers, standards, files) in [(["gcc", "clang"], c, c_files), (["g++", "clang++"], cxx, cxx_files)] {
        for compiler in compilers.into_iter().filter(|compiler| found(compiler)) {
            for standard in standards {
                let mut build = Command::new(compiler);
                build.args(STRICT).args([standard, "-fsyntax-only", "-I."]).args(&files).current_dir(dir);
                if compiler.ends_with("++") {
                    build.arg("-Wold-style-cast");
                }
                if *standard == "-std=c++98" {
                    build.args(["-Wno-long-long", "-Wno-c++11-long-long"]);
                }
                repo::run(&mut build).unwrap();
            }
        }
    }
}

const INCLUDE_ALL: &str = "\
#include <shmem.h>
#include <pshmem.h>
#include <shmemx.h>
#include <mpp/shmem.h>
#include <mpp/shmemx.h>
";

const WRAPPED: &str = r#"
#ifdef __cplusplus
extern "C" {
#endif
#include <shmem.h>
#ifdef __cplusplus
}
#endif
"#;

const COMPLEX: &str = "
#include <complex.h>
#include <stdbool.h>
#include <shmem.h>
#include <complex.h>
";

const TWICE: &str = "
#include <mpp/shmem.h>
#include <shmem.h>
#include <pshmem.h>
#include <shmem.h>
";

const COMPANY: &str = "
#ifdef __cplusplus
#define GENERIC (__cplusplus >= 201103L)
#else
#define GENERIC (__STDC_VERSION__ >= 201112L)
#endif
int main(void) {
    int i = 0;
#if GENERIC
    shmem_p(&i, 1, 0);
#else
    shmem_int_p(&i, 1, 0);
#endif
    return i;
}
";

/// Handles in static initialisers, sizes as array bounds, constants as case labels.
const CONSTANT_EXPRESSIONS: &str = r#"
shmem_team_t teams[] = { SHMEM_TEAM_WORLD, SHMEM_TEAM_SHARED, SHMEM_TEAM_INVALID };
shmem_ctx_t contexts[] = { SHMEM_CTX_DEFAULT, SHMEM_CTX_INVALID };
shmem_team_t nodes[] = { SHMEM_TEAM_NULL, SHMEM_TEAM_NODE, SHMEMX_TEAM_NODE };
shmemx_req_t requests[] = { SHMEMX_REQ_NULL };
shmemx_uniqueid_t id = SHMEMX_UNIQUEID_INITIALIZER;
shmemx_init_attr_t attr = SHMEMX_INIT_ATTR_INITIALIZER;
char bytes_of_id[sizeof(shmemx_uniqueid_t) == 128 && sizeof(shmemx_init_attr_t) == 256 ? SHMEMX_INIT_WITH_UNIQUEID : -1];
long hints[] = { SHMEM_SESSION_BUNDLE | SHMEM_SESSION_DC, SHMEMX_MALLOC_NO_BARRIER, SHMEM_COLOR_UNDEFINED };
long psync[SHMEM_SYNC_SIZE], small[SHMEM_BCAST_SYNC_SIZE + _SHMEM_BARRIER_SYNC_SIZE];
char vendor[SHMEM_MAX_NAME_LEN] = SHMEM_VENDOR_STRING;
int choose(int cmp);
int choose(int cmp) {
    switch (cmp) {
    case SHMEM_CMP_EQ: case SHMEM_CMP_NE: case SHMEM_CMP_LT:
    case SHMEM_CMP_LE: case SHMEM_CMP_GT: case SHMEM_CMP_GE: return 1;
    default: return SHMEM_MAJOR_VERSION + SHMEM_MINOR_VERSION;
    }
}
#if SHMEM_THREAD_SINGLE >= SHMEM_THREAD_FUNNELED || SHMEM_THREAD_SERIALIZED >= SHMEM_THREAD_MULTIPLE
#error thread levels must increase
#endif
int main(void) { return choose(0) + (SHMEM_TEAM_WORLD == SHMEM_TEAM_SHARED); }
"#;

/// A declaration of each argument, with a value that fits.
fn locals(symbol: &Symbol) -> String {
    symbol.args.iter().map(|a| format!("{} {} = 0; ", prototypes::spell(&a.c), a.name)).collect()
}

fn names(symbol: &Symbol) -> String {
    symbol.args.iter().map(|a| a.name.as_str()).collect::<Vec<_>>().join(", ")
}

/// A function that calls every routine by both its names.
fn every_name(rows: Rows) -> String {
    let mut text = String::new();
    let symbols = all_symbols(&rows.routines()).into_iter().chain(all_symbols(&extension_routines()));
    for (n, symbol) in symbols.filter(|symbol| !symbol.row.facts.undeclared).enumerate() {
        let (name, args) = (&symbol.name, names(&symbol));
        let locals = locals(&symbol);
        text += &format!("void call{n}(void);\nvoid call{n}(void) {{ {locals}{name}({args}); }}\n");
        text += &format!("void pcall{n}(void);\nvoid pcall{n}(void) {{ {locals}p{name}({args}); }}\n");
    }
    text
}

/// A definition of every routine that only records its own name.
fn noting(rows: Rows) -> String {
    let mut text = String::from("#include <shmemx.h>\n#include <shmemg.h>\nconst char *reached;\n");
    for symbol in all_symbols(&rows.routines()).into_iter().chain(all_symbols(&extension_routines())) {
        let head = prototypes::spell(&symbol.prototype());
        let end = match (symbol.diverges(), symbol.result.as_str()) {
            (true, _) => " for (;;) {}",
            (_, "void") => "",
            _ => " return 0;",
        };
        text += &format!("{head} {{ reached = \"{}\";{end} }}\n", symbol.name);
    }
    text
}

/// A program that makes every generic call with every type. It fails if a call reaches a routine of another type, or if an argument is
/// evaluated twice.
fn generic_calls(rows: Rows) -> String {
    let mut text = String::from(CHECK);
    let rows: Vec<Routine> = rows.routines().into_iter().chain(extension_routines()).collect();
    let all: BTreeSet<String> = all_symbols(&rows).into_iter().map(|s| s.name).collect();
    let mut main = String::new();
    for generic in c11::collect(&rows) {
        for symbol in generic.rows.iter().flat_map(symbols) {
            let (name, call) = (&generic.name, format!("{}_{}", generic.name, symbol.name));
            let (locals, args, expected) = (locals(&symbol), names(&symbol), acceptable(&generic, &symbol, &all));
            text +=
                &format!("static void {call}(void) {{ {locals}{name}({args}); check(\"{call}\", \"{expected}\"); }}\n");
            main += &format!("    {call}();\n");
        }
    }
    text + CASES + "int main(void) {\n" + &main + "    cases();\n    return failures != 0;\n}\n"
}

/// The routines that a call with this symbol's types may reach. C may have several names for its type, and the plain function with the
/// generic's name is for `long`.
fn acceptable(generic: &c11::Generic, symbol: &Symbol, names: &BTreeSet<String>) -> String {
    let lp64 = symbol.element.map(|e| e.lp64);
    let alike =
        generic.rows.iter().flat_map(symbols).filter(|s| s.twin == symbol.twin && s.element.map(|e| e.lp64) == lp64);
    let plain = (lp64 == Some("long") && names.contains(&generic.name)).then(|| generic.name.clone());
    format!(" {} ", alike.map(|s| s.name).chain(plain).collect::<Vec<_>>().join(" "))
}

const CHECK: &str = r#"#include <shmemx.h>
#include <string.h>
#include <stdio.h>
#ifdef __cplusplus
extern "C"
#else
extern
#endif
const char *reached;
static int failures, evaluated;
static void check(const char *call, const char *expected) {
    char name[256];
    snprintf(name, sizeof name, " %s ", reached);
    if (!strstr(expected, name)) {
        printf("%s reached %s\n", call, reached);
        failures++;
    }
    reached = "nothing";
}
"#;

const CASES: &str = r#"
static int *next(int *p) { evaluated++; return p; }
static shmem_ctx_t context(void) { evaluated++; return SHMEM_CTX_DEFAULT; }
static void cases(void) {
    int array[4] = {0};
    const int fixed[4] = {0};
    int status = 0;
    long word = 0;
    uint64_t signal = 0;
    reached = "nothing";
    shmem_put(array, fixed, 4, 0);
    check("arrays", " shmem_int_put ");
    shmem_get(next(array), fixed, 4, 0);
    check("a call", " shmem_int_get ");
    shmem_put(context(), next(array), array, 4, 0);
    check("a context's call", " shmem_ctx_int_put ");
    if (evaluated != 3) { printf("3 arguments evaluated %d times\n", evaluated); failures++; }
    shmem_g(fixed, 0);
    check("a constant source", " shmem_int_g ");
    shmem_g(&array[1], 0);
    check("a variable source", " shmem_int_g ");
    shmem_atomic_fetch(SHMEM_CTX_DEFAULT, &fixed[0], 0);
    check("a constant source in a context", " shmem_ctx_int_atomic_fetch ");
    shmem_p(&word, 1, 0);
    check("a converted value", " shmem_long_p ");
    shmem_wait_until_all(&array[0], 4, NULL, SHMEM_CMP_EQ, 0);
    check("no status", " shmem_int_wait_until_all ");
    shmem_test_any(array, 4, &status, SHMEM_CMP_EQ, 0);
    check("a status", " shmem_int_test_any ");
    shmem_put(array, NULL, 0, 0);
    check("no source", " shmem_int_put ");
    shmem_put_signal(array, fixed, 4, &signal, 1, SHMEM_SIGNAL_SET, 0);
    check("a signal", " shmem_int_put_signal ");
    shmem_signal_set(&signal, 1, 0);
    check("a plain signal", " shmem_signal_set ");
    shmem_signal_set(SHMEM_CTX_DEFAULT, &signal, 1, 0);
    check("a context's signal", " shmem_ctx_signal_set ");
    shmem_sync(SHMEM_TEAM_WORLD);
    check("a team", " shmem_team_sync ");
    shmem_sync(0, 0, 1, &word);
    check("an active set", " shmem_sync ");
    shmemx_signal_set(SHMEM_CTX_DEFAULT, &signal, 1, 0);
    check("a vendor's signal in a context", " shmemx_ctx_signal_set ");
    shmemx_ibget(SHMEM_CTX_DEFAULT, array, fixed, 1, 1, 1, 4, 0);
    check("a vendor's generic in a context", " shmemx_ctx_int_ibget ");
    shmem_broadcast(SHMEM_TEAM_WORLD, array, fixed, 4, 0);
    check("a team's broadcast", " shmem_int_broadcast ");
#ifdef __cplusplus
    std::complex<double> z, zs[2];
    shmem_sum_reduce(SHMEM_TEAM_WORLD, &z, zs, 1);
    check("a standard complex", " shmem_complexd_sum_reduce ");
    std::complex<float> f, fs[2];
    shmem_complexd_sum_reduce(SHMEM_TEAM_WORLD, &z, zs, 1);
    check("a standard complex of a typed name", " shmem_complexd_sum_reduce ");
    shmem_complexf_prod_reduce(SHMEM_TEAM_WORLD, &f, fs, 1);
    check("a product of a typed name", " shmem_complexf_prod_reduce ");
    shmem_complexf_sum_inscan(SHMEM_TEAM_WORLD, &f, fs, 1);
    check("a scan of a typed name", " shmem_complexf_sum_inscan ");
    shmem_complexd_sum_exscan(SHMEM_TEAM_WORLD, &z, zs, 1);
    check("another scan of a typed name", " shmem_complexd_sum_exscan ");
    shmem_complexd_prod_to_all(&z, zs, 1, 0, 0, 1, zs, &word);
    check("a deprecated typed name", " shmem_complexd_prod_to_all ");
    shmem_complexf_sum_to_all(&f, fs, 0, 0, 0, 1, nullptr, &word);
    check("a standard complex and no work array", " shmem_complexf_sum_to_all ");
    shmem_complexd_sum_reduce(SHMEM_TEAM_WORLD, nullptr, NULL, 0);
    check("a typed name and null pointers", " shmem_complexd_sum_reduce ");
    _SHMEM_complexd c[2] = {0, 0};
    shmem_complexd_sum_reduce(SHMEM_TEAM_WORLD, c, c, 1);
    check("a typed name and C's complex", " shmem_complexd_sum_reduce ");
#endif
}
"#;
