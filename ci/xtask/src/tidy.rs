//! Checks the repository for files that are too long for one job, functions longer than a screen, crates without a licence, words that
//! promise later work, paths of one machine, doc comments that only repeat a name, and methods of the runtime that grep does not find.

use crate::{Result, repo};
use std::path::Path;

const FILE_LINES_MAX: usize = 500;
const FUNCTION_LINES_MAX: usize = 70;
const LINE_CHARS_MAX: usize = 200;

/// Forbidden words, with the reason.
const WORDS: &[(&str, &str)] = &[
    (concat!("to", "do!"), "finish it, or leave it out"),
    (concat!("unimple", "mented!"), "finish it, or leave it out"),
    (concat!("TO", "DO"), "describe what is, not what may come"),
    (concat!("FIX", "ME"), "fix it"),
    (concat!("XX", "X"), "describe the problem"),
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
    wrong.extend(hidden_methods()?);
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

/// The methods that the table of routines names, but that `grep 'fn NAME'` does not find in the crates that have them: a macro makes them,
/// whose rows lack the `fn`.
fn hidden_methods() -> Result<Vec<String>> {
    let table = repo::read(&repo::root().join("crates/abi/src/table.rs"))?;
    let homes = ["crates/runtime/src", "crates/vendors/src"];
    let mut text = String::new();
    for path in repo::files()?.iter().filter(|path| homes.iter().any(|home| path.starts_with(home))) {
        text += &repo::read(&repo::root().join(path))?;
    }
    let methods =
        table.lines().filter(|line| is_row(line)).filter_map(|line| line.rsplit_once(" = ")?.1.split(' ').next());
    let is_found = |name: &str| {
        text.split(&format!("fn {name}"))
            .skip(1)
            .any(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    };
    // `nothing` stands for routines that have nothing to do.
    let hidden = methods.filter(|&name| name != "nothing" && !is_found(name));
    Ok(hidden.map(|name| format!("{}: no text `fn {name}`, the method of a routine", homes.join(", "))).collect())
}

/// True for files that a program writes, or that are lists of facts: their sources are checked instead.
fn generated(name: &str) -> bool {
    let directories = ["crates/capi/include/", "ci/fuzz/corpus/"];
    name.ends_with("Cargo.lock") || directories.iter().any(|one| name.starts_with(one)) || name.ends_with(".tsv")
}

fn check(name: &str, text: &str) -> Vec<String> {
    let mut wrong = words(name, text);
    if !text.is_empty() && !text.ends_with('\n') {
        wrong.push(format!("{name}: the last line has no newline"));
    }
    if Path::new(name).extension().is_some_and(|e| e == "rs") {
        wrong.extend(lengths(name, text));
        wrong.extend(fillers(name, text));
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
            wrong.push(format!("{at}: blanks at the end of the line"));
        }
    }
    wrong
}

fn lengths(name: &str, text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let mut wrong = Vec::new();
    if lines.len() > FILE_LINES_MAX && !LONG.iter().any(|(file, _)| *file == name) {
        wrong
            .push(format!("{name}: {} lines, at most {FILE_LINES_MAX} are allowed: split it by its jobs", lines.len()));
    }
    for (number, line) in lines.iter().enumerate() {
        if line.chars().count() > LINE_CHARS_MAX && !is_row(line) {
            wrong.push(format!("{name}:{}: a line of more than {LINE_CHARS_MAX} characters", number + 1));
        }
        let Some(indent) = function(line) else { continue };
        let end = format!("{}}}", " ".repeat(indent));
        let long = lines[number..].iter().position(|l| *l == end).unwrap_or(0);
        if long >= FUNCTION_LINES_MAX {
            let number = number + 1;
            wrong.push(format!(
                "{name}:{number}: a function of {} lines, at most {FUNCTION_LINES_MAX} are allowed",
                long + 1
            ));
        }
    }
    wrong
}

/// Crates whose every public item has a comment, because they are published.
const PUBLISHED: [&str; 2] = ["crates/ferrite/", "crates/ferrite-macros/"];

/// Find doc comments of at most three words that say no more than the name of the item below: "The peer." for `peer`, or "How.".
fn fillers(name: &str, text: &str) -> Vec<String> {
    if PUBLISHED.iter().any(|published| name.starts_with(published)) {
        return Vec::new();
    }
    let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
    let is_doc = |at: usize| lines.get(at).is_some_and(|line| line.starts_with("///"));
    let mut wrong = Vec::new();
    for at in (0..lines.len()).filter(|&at| is_doc(at) && !is_doc(at + 1) && (at == 0 || !is_doc(at - 1))) {
        let comment = lines[at].trim_start_matches('/').trim();
        let item = lines[at + 1..].iter().find(|line| !line.starts_with("#["));
        let named = item_name(item.copied().unwrap_or_default());
        if comment.ends_with('.') && comment.split(' ').count() <= 3 && repeats(comment, &named) {
            wrong.push(format!("{name}:{}: `{comment}` repeats the name: delete it, or say more", at + 1));
        }
    }
    wrong
}

/// The name of the item, field or variant that a line declares, as words.
fn item_name(line: &str) -> Vec<String> {
    const BEFORE: [&str; 12] =
        ["pub", "fn", "struct", "enum", "const", "static", "type", "trait", "mod", "unsafe", "async", "mut"];
    let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    let name = words.find(|word| !BEFORE.contains(word) && !["crate", "super"].contains(word)).unwrap_or_default();
    let mut split = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() {
            split.push('_');
        }
        split.extend(letter.to_lowercase());
    }
    split.split('_').filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Whether all words of a comment are in `name`, articles and the like aside.
fn repeats(comment: &str, name: &[String]) -> bool {
    const SMALL: [&str; 13] =
        ["a", "an", "the", "its", "their", "this", "one", "of", "to", "how", "what", "all", "those"];
    let plain = |c: char| c.is_ascii_alphabetic() || c == ' ' || c == '.';
    comment.chars().all(plain)
        && comment.trim_end_matches('.').to_lowercase().split(' ').all(|word| {
            let singular = word.strip_suffix('s').unwrap_or(word);
            SMALL.contains(&word)
                || name.iter().any(|part| part == word || part.strip_suffix('s').unwrap_or(part) == singular)
        })
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
            ("a.rs", "struct S {\n    /// The peer.\n    pub peer: u32,\n}\n", 1),
            ("a.rs", "/// How.\n#[derive(Debug)]\nenum Way {}\n", 1),
            ("a.rs", "/// Its last calls.\npub fn last_call() {}\n", 1),
            (
                "a.rs",
                "/// The lost peer.\npub peer: u32,\n\n/// Size in bytes.\nlen: u32,\n\n/// The peer\npeer: u32,\n",
                0,
            ),
            ("a.rs", "/// The peer.\n///\n/// It may be lost.\npeer: u32,\n", 0),
            ("crates/ferrite/a.rs", "/// The peer.\npub peer: u32,\n", 0),
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
