//! Checks the repository for files that are too long for one job, functions longer than a screen, crates without a licence, words that
//! promise later work, and paths of one machine.

use crate::{Result, repo};
use std::path::Path;

const FILE_LINES_MAX: usize = 500;
const FUNCTION_LINES_MAX: usize = 70;
const LINE_CHARS_MAX: usize = 200;

/// Forbidden words, with the reason.
const WORDS: &[(&str, &str)] = &[
    (concat!("to", "do!"), "finish it, or leave it out"),
    (concat!("unimple", "mented!"), "finish it, or leave it out"),
    (concat!("TO", "DO"), "say what is, not what may come"),
    (concat!("FIX", "ME"), "fix it"),
    (concat!("XX", "X"), "say what is wrong"),
    (concat!("/wo", "rk/"), "a path of one machine"),
    (concat!("/ro", "ot/"), "a path of one machine"),
    (concat!("/ho", "me/"), "a path of one machine"),
];

/// Files that may be longer, with the reason.
const LONG: &[(&str, &str)] = &[];

/// Check the repository. Also called by a test.
pub fn run() -> Result {
    let mut wrong = Vec::new();
    for path in repo::files()? {
        let name = path.to_string_lossy().into_owned();
        let Ok(text) = std::fs::read_to_string(repo::root().join(&path)) else { continue };
        if !generated(&name) {
            wrong.extend(check(&name, &text));
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

/// True for files that a program writes, or that are lists of facts: their sources are checked instead.
fn generated(name: &str) -> bool {
    let directories = ["crates/capi/include/", "ci/fuzz/corpus/"];
    name.ends_with("Cargo.lock") || directories.iter().any(|one| name.starts_with(one)) || name.ends_with(".tsv")
}

fn check(name: &str, text: &str) -> Vec<String> {
    let mut wrong = words(name, text);
    if !text.is_empty() && !text.ends_with('\n') {
        wrong.push(format!("{name}: its last line does not end"));
    }
    if Path::new(name).extension().is_some_and(|e| e == "rs") {
        wrong.extend(lengths(name, text));
    }
    // A crate that is its own workspace has nothing to inherit.
    if name.ends_with("Cargo.toml") && text.contains("[package]") && !text.contains("[workspace]") {
        wrong.extend(manifest(name, text));
    }
    wrong
}

fn words(name: &str, text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let at = format!("{name}:{}", number + 1);
        for (word, why) in WORDS.iter().filter(|(word, _)| line.contains(word)) {
            wrong.push(format!("{at}: `{word}`: {why}"));
        }
        if line.ends_with([' ', '\t']) {
            wrong.push(format!("{at}: blanks at the end"));
        }
    }
    wrong
}

fn lengths(name: &str, text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let mut wrong = Vec::new();
    if lines.len() > FILE_LINES_MAX && !LONG.iter().any(|(file, _)| *file == name) {
        wrong.push(format!("{name}: {} lines, more than {FILE_LINES_MAX}: it has more than one job", lines.len()));
    }
    for (number, line) in lines.iter().enumerate() {
        if line.chars().count() > LINE_CHARS_MAX && !is_row(line) {
            wrong.push(format!("{name}:{}: more than {LINE_CHARS_MAX} characters", number + 1));
        }
        let Some(indent) = function(line) else { continue };
        let end = format!("{}}}", " ".repeat(indent));
        let long = lines[number..].iter().position(|l| *l == end).unwrap_or(0);
        if long >= FUNCTION_LINES_MAX {
            let number = number + 1;
            wrong.push(format!("{name}:{number}: a function of {} lines, more than {FUNCTION_LINES_MAX}", long + 1));
        }
    }
    wrong
}

/// A row of the routines' table, which is one line however many arguments it has.
fn is_row(line: &str) -> bool {
    line.trim_start().starts_with("fn ") && line.ends_with("];")
}

/// The indent of a line that begins a function with a body.
fn function(line: &str) -> Option<usize> {
    let text = line.trim_start();
    let begins = [
        "fn ",
        "pub fn ",
        "pub(crate) fn ",
        "unsafe fn ",
        "pub unsafe fn ",
        "pub(crate) unsafe fn ",
        "async fn ",
        "pub async fn ",
    ];
    let whole = line.trim_end().ends_with('}') || line.trim_end().ends_with(';');
    (begins.iter().any(|b| text.starts_with(b)) && !whole).then(|| line.len() - text.len())
}

fn manifest(name: &str, text: &str) -> Vec<String> {
    ["license.workspace = true", "publish.workspace = true", "[lints]\nworkspace = true"]
        .into_iter()
        .filter(|line| !text.contains(line))
        .map(|line| format!("{name}: lacks `{}`", line.replace('\n', " ")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_is_tidy() {
        run().unwrap();
    }

    #[test]
    fn what_is_untidy_is_said() {
        let long_file = "//\n".repeat(FILE_LINES_MAX + 1);
        let long_function = format!("fn f() {{\n{}}}\n", "    g();\n".repeat(FUNCTION_LINES_MAX));
        let rows: &[(&str, &str, usize)] = &[
            ("a.rs", "fn f() {\n    g();\n}\n", 0),
            ("a.rs", &long_file, 1),
            ("a.rs", &long_function, 1),
            ("a.rs", "fn f();", 1),
            ("a.md", "a line with blanks \n", 1),
            ("a.md", concat!("FIX", "ME\n"), 1),
            ("a/Cargo.toml", "[package]\nlicense.workspace = true\npublish.workspace = true\n", 1),
            ("a/Cargo.toml", "[workspace]\n", 0),
        ];
        for (name, text, expected) in rows {
            let found = check(name, text);
            assert_eq!(found.len(), *expected, "{found:?}");
        }
    }
}
