//! Opening: what is there, what is refused, and what the one line of an error says.

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
