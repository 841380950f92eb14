//! Compares the hand-written structures with the installed header, by a C program that prints the compiler's layout.

use pmix_sys::*;
use std::fmt::Write;
use std::mem::{offset_of, size_of};
use std::path::Path;
use std::process::Command;

const HEADERS: [&str; 2] = ["/usr/lib/x86_64-linux-gnu/pmix2/include", "/usr/include"];

#[test]
fn structures_and_constants_are_those_of_the_header() {
    let Some(include) = HEADERS.iter().find(|directory| Path::new(directory).join("pmix.h").exists()) else {
        println!("skipped: there is no pmix.h on this machine (Debian: libpmix-dev)");
        return;
    };
    if Command::new("cc").arg("--version").output().is_err() {
        println!("skipped: there is no cc on this machine");
        return;
    }
    let rows = [
        ("sizeof(pmix_proc_t)", size_of::<PmixProc>()),
        ("offsetof(pmix_proc_t, rank)", offset_of!(PmixProc, rank)),
        ("sizeof(pmix_byte_object_t)", size_of::<PmixBytes>()),
        ("offsetof(pmix_byte_object_t, size)", offset_of!(PmixBytes, size)),
        ("sizeof(pmix_value_t)", size_of::<PmixValue>()),
        ("offsetof(pmix_value_t, data)", offset_of!(PmixValue, data)),
        ("sizeof(((pmix_value_t *)0)->type)", 2),
        ("sizeof(pmix_info_t)", size_of::<PmixInfo>()),
        ("offsetof(pmix_info_t, flags)", offset_of!(PmixInfo, flags)),
        ("offsetof(pmix_info_t, value)", offset_of!(PmixInfo, value)),
        ("sizeof(pmix_scope_t)", 1),
        ("PMIX_RANK_WILDCARD", PMIX_RANK_WILDCARD as usize),
        ("PMIX_GLOBAL", PMIX_GLOBAL.into()),
        ("PMIX_BOOL", PMIX_BOOL.into()),
        ("PMIX_UINT32", PMIX_UINT32.into()),
        ("PMIX_BYTE_OBJECT", PMIX_BYTE_OBJECT.into()),
        ("PMIX_SUCCESS", 0),
    ];
    let texts = [("PMIX_JOB_SIZE", PMIX_JOB_SIZE), ("PMIX_COLLECT_DATA", PMIX_COLLECT_DATA)];
    let mut program = "#include <pmix.h>\n#include <stddef.h>\n#include <string.h>\n".to_owned();
    for (expression, ours) in rows {
        writeln!(program, "_Static_assert((size_t)({expression}) == {ours}, \"{expression} is {ours}\");").unwrap();
    }
    program += "int main(void) {\n";
    for (name, text) in texts {
        writeln!(program, "if (strcmp({name}, \"{}\") != 0) return 1;", text.to_str().unwrap()).unwrap();
    }
    program += "return 0;\n}\n";
    let stem = std::env::temp_dir().join(format!("pmix-layout-{}", std::process::id()));
    let source = stem.with_extension("c");
    std::fs::write(&source, program).unwrap();
    let compiled = Command::new("cc").args(["-I", include, "-o"]).args([&stem, &source]).output().unwrap();
    std::fs::remove_file(&source).unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let ran = Command::new(&stem).status().unwrap();
    std::fs::remove_file(&stem).unwrap();
    assert!(ran.success(), "a key is spelled otherwise in the header");
}

#[test]
fn what_is_not_there_is_named() {
    for path in ["/nowhere/libpmix.so.2", "", "/dev/null"] {
        let error = open(Some(Path::new(path))).unwrap_err().to_string();
        assert!(error.starts_with(&format!("cannot open `{path}`: ")) && !error.contains('\n'), "{error}");
    }
    let error = open(Some(Path::new("libc.so.6"))).unwrap_err().to_string();
    assert_eq!(error, "`libc.so.6` has no symbol PMIx_Init: PMIx 3 to 5 is needed");
}
