//! Compiles the Fortran files.

use super::*;
use crate::{Result, repo};
use std::{path::PathBuf, process::Command};

/// True if there is a Fortran compiler; prints a note if not.
fn have_compiler() -> bool {
    let there = Command::new("gfortran").arg("--version").output().is_ok();
    if !there {
        println!("skipped: there is no gfortran on this machine");
    }
    there
}

/// A directory with all files, pending rows included.
fn written(name: &str) -> PathBuf {
    let dir = repo::scratch(name);
    std::fs::create_dir_all(dir.join("mpp")).unwrap();
    std::fs::create_dir_all(dir.join("typed/mpp")).unwrap();
    files(Rows::All).into_iter().for_each(|(name, text)| repo::write(&dir.join(name), text).unwrap());
    dir
}

fn compile(dir: &PathBuf, arguments: &[&str]) -> Result {
    let mut gfortran = Command::new("gfortran");
    gfortran.current_dir(dir).args(["-c", "-I.", "-Wall", "-Wextra", "-Werror"]);
    repo::run(gfortran.args(["-Wno-unused-parameter"]).args(arguments))
}

#[test]
fn includes_are_read_in_both_forms() {
    for (name, text) in files(Rows::Served).into_iter().filter(|(name, _)| name.ends_with(".fh")) {
        for line in text.lines() {
            assert!(line.starts_with('!') || line.is_empty() || line.starts_with("      "), "{name}: {line}");
            assert!(line.starts_with('!') || line.len() <= 72, "{name}: {line}");
            assert!(!line.contains('&'), "{name}: {line}");
        }
    }
    if !have_compiler() {
        return;
    }
    let dir = written("fortran-forms");
    let body = |includes: [&str; 2]| {
        let includes = includes.map(|file| format!("      include '{file}'\n")).concat();
        format!(
            "      subroutine s\n      implicit none\n{includes}      print *, SHMEM_VENDOR_STRING, SHMEM_TEAM_NODE\n      end\n"
        )
    };
    for (name, includes) in [
        ("plain", ["shmem.fh", "shmemx.fh"]),
        ("mpp", ["mpp/shmem.fh", "mpp/shmemx.fh"]),
        ("typed", ["typed/shmem.fh", "shmemx.fh"]),
    ] {
        for form in ["f", "f90"] {
            let file = format!("{name}.{form}");
            repo::write(&dir.join(&file), body(includes)).unwrap();
            // The functions that the include declares are not called, hence `-Wno-unused`.
            compile(&dir, &["-Wno-unused", &file]).unwrap_or_else(|why| panic!("{why}"));
        }
    }
}

/// The include explains the mistakes for which the compiler prints no message or no helpful one.
#[test]
fn the_include_says_what_its_programs_run_into() {
    let text = include::shmem_fh("shmem.fh").replace("\n!", "").split_whitespace().collect::<Vec<_>>().join(" ");
    for said in [
        "-fdefault-integer-8",
        "-freal-4-real-8",
        "call those of INT8 and REAL8",
        "-fallow-argument-mismatch",
        "In modules write `use shmem`",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
}

/// The include's remark on modules is correct.
#[test]
fn modules_take_functions_from_the_module() {
    if !have_compiler() {
        return;
    }
    let dir = written("fortran-modules");
    let module = |name: &str, way: &str| {
        let text = format!(
            "module {name}\n {way}\ncontains\n logical function there(pe)\n  integer, intent(in) :: pe\n  \
             there = shmem_pe_accessible(pe)\n end function\nend module\n"
        );
        repo::write(&dir.join(format!("{name}.f90")), text).unwrap();
    };
    module("uses", "use shmem");
    module("includes", "include 'shmem.fh'");
    compile(&dir, &["shmem.f90"]).unwrap();
    compile(&dir, &["uses.f90"]).unwrap();
    assert!(compile(&dir, &["includes.f90"]).is_err(), "it may be included in modules now: its head need not warn");
}

/// A program that declares no function compiles with the include that declares all, in procedures and in modules. A program that declares
/// its own compiles with the other.
#[test]
fn functions_are_declared_by_one_include_or_the_other() {
    if !have_compiler() {
        return;
    }
    let dir = written("fortran-typed");
    let program = |include: &str, own: &str| {
        format!(
            "module inside\n implicit none\n include '{include}'\nend module\n\
             subroutine s\n implicit none\n include '{include}'\n {own}\n integer(4), save :: i\n integer(8), save :: j\n integer :: my_pe = 3\n \
             print *, shmem_my_pe(), shmem_n_pes(), my_pe, shmem_pe_accessible(0), shmem_ptr(i, 0)\n \
             print *, shmem_int4_finc(i, 0), shmem_int8_swap(j, 3_8, 0), shmem_finc(i, 0), shmemx_wtime()\nend\n"
        )
    };
    let own = "integer shmem_my_pe, shmem_n_pes, shmem_finc\n integer(4) shmem_int4_finc\n integer(8) shmem_int8_swap\n \
               double precision shmemx_wtime";
    let cases = [
        ("typed/shmem.fh", "", true),
        ("typed/mpp/shmem.fh", "", true),
        ("shmem.fh", own, true),
        ("shmem.fh", "", false),
    ];
    for (i, (include, own, accepted)) in cases.into_iter().enumerate() {
        let file = format!("case{i}.f90");
        repo::write(&dir.join(&file), program(include, own)).unwrap();
        let outcome = compile(&dir, &["-Wno-unused", &file]);
        assert_eq!(outcome.is_ok(), accepted, "{include} {own}: {outcome:?}");
    }
}

/// The include's remark on variables of two types is correct: the named option helps, and so does the module.
#[test]
fn variables_of_two_types_go_where_the_include_says() {
    if !have_compiler() {
        return;
    }
    let dir = written("fortran-two-types");
    let program = |way: &str| {
        format!(
            "subroutine s\n {way}\n integer, save :: i(4)\n real(8), save :: d(4)\n \
             call shmem_putmem(i, i, 16, 0)\n call shmem_putmem(d, d, 32, 0)\nend\n"
        )
    };
    repo::write(&dir.join("include.f90"), program("include 'shmem.fh'")).unwrap();
    repo::write(&dir.join("module.f90"), program("use shmem")).unwrap();
    compile(&dir, &["shmem.f90"]).unwrap();
    compile(&dir, &["module.f90"]).unwrap();
    assert!(compile(&dir, &["include.f90"]).is_err(), "gfortran takes it now: the include need not speak of it");
    // The option turns the error into a warning.
    compile(&dir, &["-w", "-fallow-argument-mismatch", "include.f90"]).unwrap();
}

#[test]
fn the_module_compiles_silently_by_the_standard() {
    if !have_compiler() {
        return;
    }
    let dir = written("fortran-module");
    compile(&dir, &["-std=f2018", "shmem.f90"]).unwrap();
    compile(&dir, &["-std=gnu", "shmem.f90"]).unwrap();
}

/// Choice arguments accept any type and rank; typed arguments accept only their type.
#[test]
fn the_module_knows_what_may_be_passed() {
    if !have_compiler() {
        return;
    }
    let dir = written("fortran-calls");
    compile(&dir, &["shmem.f90"]).unwrap();
    let check = |name: &str, statement: &str, accepted: bool| {
        let text = format!(
            "subroutine s\n use shmem\n implicit none\n integer(4), save :: i, i1(4), i2(2,2)\n \
             integer(8), save :: j, j1(4)\n real(8), save :: d, d1(4)\n complex(8), save :: z1(4)\n \
             integer(2), save :: k1(4)\n character(3), save :: c\n integer(shmem_handle), save :: h\n integer, save :: n = 1, sync(64)\n \
             type(shmem_space_config_t) :: config\n type(c_ptr) :: space\n {statement}\nend\n"
        );
        let file = format!("{name}.f90");
        repo::write(&dir.join(&file), text).unwrap();
        let outcome = compile(&dir, &["-Wno-unused", &file]);
        assert_eq!(outcome.is_ok(), accepted, "{statement}: {outcome:?}");
    };
    for (i, statement) in ACCEPTED.iter().enumerate() {
        check(&format!("accepted{i}"), statement, true);
    }
    for (i, statement) in REFUSED.iter().enumerate() {
        check(&format!("refused{i}"), statement, false);
    }
}

const ACCEPTED: &[&str] = &[
    "call shmem_put8(d, d1, 1, n)",
    "call shmem_put8(z1, i2, 1, n)",
    "call shmem_character_put(c, c, 3, n)",
    "call shmem_put(i, i, 1, n)",
    "call shmem_put(i1, i1, 4, n)",
    "call shmem_put(i2, i2, 4, n)",
    "call shmem_put(d1, d1, 4_c_size_t, n)",
    "call shmem_get(h, z1, z1, 4_c_size_t, n)",
    "call shmem_put(k1, k1, 4_c_size_t, n)",
    "call shmem_get_nbi(z1, z1, 4, n)",
    "call shmem_iput(d1, d1, 1, 1, 4, n)",
    "call shmem_put_signal(d1, d1, 4_c_size_t, j, 1_8, SHMEM_SIGNAL_ADD_OP, n)",
    "call shmem_int4_add(i, 1, n)",
    "j = shmem_int8_fadd(j1(2), 1_8, n)",
    "j = shmem_atomic_fetch_add(j, 1_8, n)",
    "i = shmem_atomic_fetch_add(h, i, 1, n)",
    "call shmem_wait_until(i, SHMEM_CMP_EQ, 1)",
    "call shmem_barrier(0, 0, n, sync)",
    "call shmem_real8_sum_to_all(d, d, 1, 0, 0, n, d1, sync)",
    "i = shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, n, config_mask=0_c_long, new_team=h)",
    "i = shmem_sum_reduce(SHMEM_TEAM_WORLD, d1, d1, 4_c_size_t)",
    "i = shmem_broadcast(SHMEM_TEAM_WORLD, i2, i2, 4_c_size_t, 0)",
    "call shmem_set_lock(i)",
    "call shmem_set_lock(j)",
    "space = shmemg_malloc(8_c_size_t)",
    "i = shmem_init_thread(ior(SHMEM_THREAD_SINGLE, SHMEM_DEVICE_HOST_INIT), n)",
    "i = shmem_ctx_create(SHMEM_DEVICE_CTX, h)",
    "i = shmemx_space_create(SHMEM_DEVICE_TEAM_WORLD, 0_c_long, config, space)",
];

const REFUSED: &[&str] = &[
    // Counts of default INTEGER, where the head of the module says that they are not accepted.
    "call shmem_put(h, z1, z1, 4, n)",
    "call shmem_put(k1, k1, 4, n)",
    "call shmem_put(i1, d1, 4, n)",
    "call shmem_int4_add(j, 1, n)",
    "call shmem_int4_add(i, 1_8, n)",
    "j = shmem_atomic_fetch_add(d, 1_8, n)",
    "call shmem_put8(d, d1, 1.0, n)",
    "call shmem_barrier(0, 0, n, j1)",
    "i = shmem_team_my_pe(1)",
    "i = shmemg_malloc(8_c_size_t)",
    "call shmemg_free(d1)",
    "i = shmemx_space_create(SHMEM_TEAM_WORLD, 0_c_long, config, h)",
];

/// Every specific is bound to a symbol that the library has, or will have.
#[test]
fn the_module_binds_to_names_of_the_tables() {
    let c = ferrite_abi::everything().into_iter().flat_map(|row| ferrite_abi::symbols(&row)).map(|symbol| symbol.name);
    let known: BTreeSet<String> = c.chain(procedures().iter().flat_map(|p| p.symbols())).collect();
    let module = files(Rows::All).into_iter().find(|(name, _)| *name == "shmem.f90").unwrap().1;
    let bound: Vec<&str> = module.split("bind(C, name=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(bound.len() > 500, "{}", bound.len());
    let unknown: Vec<_> = bound.iter().filter(|name| !known.contains(**name)).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}
