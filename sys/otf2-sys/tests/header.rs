//! Compares what is written by hand with the installed headers, by a C++ program that need not run: the compiler says what differs.

use otf2_sys::{Error, Library, number};
use std::{
    fmt::Write,
    path::Path,
    process::{Command, Stdio},
};

/// Sizes of a function's result and arguments, in bytes.
const SIZES: &str = "
#include <otf2/otf2.h>
#include <cstddef>
template <class Back, class... Arguments> constexpr bool has_sizes(Back (*)(Arguments...), std::initializer_list<std::size_t> sizes) {
    const std::size_t own[] = {sizeof(Back), sizeof(Arguments)...};
    if (sizes.size() != sizeof...(Arguments) + 1) return false;
    for (std::size_t i = 0; i < sizes.size(); i++) if (own[i] != sizes.begin()[i]) return false;
    return true;
}
";

#[test]
fn functions_and_numbers_are_those_of_the_headers() {
    let mut program = format!("#include <initializer_list>{SIZES}");
    for (name, back, arguments) in Library::FUNCTIONS {
        let name = name.to_str().unwrap();
        let arguments: String = arguments.iter().map(|size| format!(", {size}")).collect();
        writeln!(program, "static_assert(has_sizes({name}, {{{back}{arguments}}}), \"{name}\");").unwrap();
    }
    for (name, number) in number::ALL {
        writeln!(program, "static_assert((uint64_t)(OTF2_{name}) == {number}u, \"{name} is {number}\");").unwrap();
    }
    program += "static_assert(sizeof(OTF2_FlushCallbacks) == 2 * sizeof(void *), \"callbacks\");\n";
    program += "static_assert(OTF2_VERSION_MAJOR == 3, \"version 3\");\n";

    let compile = |program: &str| {
        let mut compiler = Command::new("c++");
        compiler.args(["-std=c++17", "-fsyntax-only", "-x", "c++", "-"]);
        let mut running = compiler.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().ok()?;
        std::io::Write::write_all(&mut running.stdin.take()?, program.as_bytes()).ok()?;
        running.wait_with_output().ok()
    };
    let Some(bare) = compile("#include <otf2/otf2.h>") else {
        println!("skipped: there is no c++ on this machine");
        return;
    };
    if !bare.status.success() {
        println!("skipped: there is no otf2/otf2.h on this machine (Debian: libopen-trace-format2-dev)");
        return;
    }
    let compiled = compile(&program).expect("it was there");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
}

#[test]
fn what_is_not_there_is_named() {
    for path in ["/nowhere/libotf2.so.10", "", "/dev/null"] {
        let error = Library::open(Some(Path::new(path))).expect_err("nothing is there").to_string();
        assert!(error.starts_with(&format!("cannot open `{path}`: ")) && !error.contains('\n'), "{error}");
    }
    let error = Library::open(Some(Path::new("libc.so.6"))).expect_err("another library");
    assert!(matches!(error, Error::Symbol { .. }));
    assert_eq!(error.to_string(), "`libc.so.6` has no symbol OTF2_Error_GetDescription: OTF2 3 is needed");
}
