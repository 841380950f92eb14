//! The compiler refuses the programs of `src/refused.rs` for the reasons that they stand for. As doc tests they need only fail.
//!
//! They are compiled unchanged, against the library that cargo has just built for this test.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// A program, and the number of the expected error; empty if the program must compile.
struct Program {
    code: String,
    error: Option<String>,
}

fn programs() -> Vec<Program> {
    let text = include_str!("../src/refused.rs");
    let mut programs = Vec::new();
    let mut lines =
        text.lines().map(|line| line.strip_prefix("//!").map_or(line, |line| line.strip_prefix(' ').unwrap_or(line)));
    while let Some(line) = lines.next() {
        let Some(fence) = line.strip_prefix("```") else { continue };
        let error = fence.strip_prefix("compile_fail").map(|error| error.trim_start_matches(',').to_owned());
        let code = lines.by_ref().take_while(|line| *line != "```").map(|line| format!("{line}\n")).collect();
        programs.push(Program { code, error });
    }
    programs
}

/// The compiler, with the libraries that the programs use.
struct Compiler {
    deps: PathBuf,
    ferrite: PathBuf,
    bytemuck: PathBuf,
    scratch: PathBuf,
}

impl Compiler {
    /// The compiler's message, if it refuses the program.
    fn refuses(&self, at: usize, code: &str) -> Option<String> {
        let source = self.scratch.join(format!("program{at}.rs"));
        fs::write(&source, code).expect("the scratch directory is writable");
        let external = |name: &str, path: &Path| format!("{name}={}", path.display());
        let output = Command::new("rustc")
            // Generate machine code, since constants are evaluated only then.
            .args(["--edition=2024", "--crate-type=bin", "--emit=obj", "-Cdebuginfo=0"])
            .arg("-o")
            .arg(source.with_extension("o"))
            .args(["--extern", &external("ferrite", &self.ferrite), "--extern", &external("bytemuck", &self.bytemuck)])
            .arg("-L")
            .arg(external("dependency", &self.deps))
            .arg(&source)
            .output()
            .expect("rustc can be started");
        (!output.status.success()).then(|| String::from_utf8_lossy(&output.stderr).into_owned())
    }

    /// Libraries of a name that cargo has built, newest first: one for each set of features.
    fn libraries(deps: &Path, name: &str) -> Vec<PathBuf> {
        let entries = fs::read_dir(deps).expect("cargo's folder").map(|entry| entry.expect("a file").path());
        let is_it = |path: &PathBuf| {
            let file = path.file_name().and_then(|name| name.to_str()).unwrap_or("");
            file.starts_with(&format!("lib{name}-")) && file.ends_with(".rlib")
        };
        let mut found: Vec<PathBuf> = entries.filter(is_it).collect();
        found.sort_by_key(|path| std::cmp::Reverse(fs::metadata(path).and_then(|file| file.modified()).ok()));
        found
    }
}

#[test]
fn refused_for_the_reasons_that_they_stand_for() {
    let (refused, right): (Vec<_>, Vec<_>) = programs().into_iter().partition(|program| program.error.is_some());
    assert!(refused.len() > 20 && right.len() == 1, "{} and {}", refused.len(), right.len());
    let deps = std::env::current_exe().expect("this program has a path").parent().expect("a folder").to_owned();
    let scratch = std::env::temp_dir().join(format!("ferrite-refused-{}", std::process::id()));
    fs::create_dir_all(&scratch).expect("there is room for temporary files");
    let ferrite = Compiler::libraries(&deps, "ferrite").remove(0);
    // The right program shows which of the libraries of bytemuck has the derive macros.
    let compiler = Compiler::libraries(&deps, "bytemuck")
        .into_iter()
        .map(|bytemuck| Compiler { deps: deps.clone(), ferrite: ferrite.clone(), bytemuck, scratch: scratch.clone() })
        .find(|compiler| compiler.refuses(0, &right[0].code).is_none())
        .expect("the program that uses all of the library compiles");
    let (mut wrong, mut all) = (Vec::new(), String::new());
    for (at, Program { code, error }) in refused.iter().enumerate() {
        let Some(error) = error else { unreachable!("those were taken") };
        let expected =
            if error.is_empty() { "error: lifetime may not live long enough" } else { &format!("error[{error}]") };
        let said = compiler.refuses(at + 1, code);
        said.iter().for_each(|said| all += said);
        let first = said.map(|said| said.lines().find(|line| line.starts_with("error")).unwrap_or("").to_owned());
        if !first.as_deref().is_some_and(|first| first.starts_with(expected)) {
            wrong.push(format!("expected {expected}, and found {first:?}:\n{code}"));
        }
    }
    let _ = fs::remove_dir_all(&scratch);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for message in [
        "cannot travel between PEs",
        "is not the place of one value in symmetric memory",
        "names no consecutive values in symmetric memory",
    ] {
        assert!(all.contains(message), "no program is refused with the message {message:?}");
    }
}
