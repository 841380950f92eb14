//! Loading the library: what is found, what is refused, and the one line of an error.

use std::path::Path;
use ucx_sys::{Error, open};

#[test]
fn what_is_not_there_is_named() {
    for path in ["/nowhere/libucp.so.0", "", "a\0b", "/dev/null"] {
        let error = open(Some(Path::new(path))).expect_err("this is no library");
        let text = error.to_string();
        assert!(!text.contains('\n') && !text.ends_with('.'), "{text}");
        match error {
            Error::NotBuilt { .. } => {
                println!("skipped: all that calls UCX: {text}");
                assert!(text.starts_with("built without UCX: "), "{text}");
            }
            Error::Unopened { .. } => assert!(text.starts_with(&format!("cannot open `{path}`: ")), "{text}"),
            other => panic!("`{path}`: {other:?}"),
        }
    }
}

#[test]
#[cfg(bindings)]
fn another_library_is_no_ucx() {
    let error = open(Some(Path::new("libc.so.6"))).expect_err("the C library has no fabrics");
    assert_eq!(error.to_string(), "`libc.so.6` has no symbol ucp_get_version: UCX 1.13 to 1.22 is needed");
}

/// A library of `source`, or `None` with the reason printed.
#[cfg(bindings)]
fn fake(name: &str, source: &str) -> Option<std::path::PathBuf> {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (text, file) = (directory.join(format!("{name}.c")), directory.join(format!("{name}.so")));
    std::fs::write(&text, source).unwrap();
    match std::process::Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&file).arg(&text).status() {
        Ok(status) => assert!(status.success(), "cc: {status}"),
        Err(error) => {
            println!("skipped: no C compiler to make a library of another version: {error}");
            return None;
        }
    }
    Some(file)
}

#[test]
#[cfg(bindings)]
fn other_versions_are_refused() {
    let rows = [
        (1, 12, "is version 1.12.3: UCX 1.13 to 1.22 is needed"),
        (1, 23, "is version 1.23.3: UCX 1.13 to 1.22 is needed"),
        (2, 13, "is version 2.13.3: UCX 1.13 to 1.22 is needed"),
        // The right version, but nothing else.
        (1, 22, "has no symbol ucs_status_string: UCX 1.13 to 1.22 is needed"),
    ];
    for (major, minor, expected) in rows {
        let numbers = format!("*a = {major}; *b = {minor}; *c = 3;");
        let source = format!("void ucp_get_version(unsigned *a, unsigned *b, unsigned *c) {{ {numbers} }}\n");
        let Some(file) = fake(&format!("ucp-{major}-{minor}"), &source) else { return };
        let error = open(Some(&file)).expect_err(expected).to_string();
        assert_eq!(error, format!("`{}` {expected}", file.display()));
    }
}

#[test]
fn nothing_is_loaded_unasked() {
    // No test of this program opens the real one.
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    assert!(!maps.contains("libucp.so"), "{maps}");
}
