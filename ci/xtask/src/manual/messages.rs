//! Keeps the page of messages true: each message that it lists is in the sources, word for word.

use crate::{manual::sources, repo};
use std::path::Path;

/// Where messages come from.
const SOURCES: [&str; 2] = ["crates/", "launcher/src/"];

/// The source, with continued literals in one line, and `...` for each placeholder of a format string.
fn plain(source: &str) -> String {
    let mut joined = String::with_capacity(source.len());
    let mut rest = source;
    while let Some((before, after)) = rest.split_once("\\\n") {
        joined.push_str(before);
        rest = after.trim_start();
    }
    joined.push_str(rest);
    let mut plain = String::with_capacity(joined.len());
    let mut rest = joined.as_str();
    while let Some((before, after)) = rest.split_once('{') {
        plain.push_str(before);
        match after.find(['{', '}', '\n']) {
            Some(end) if after[end..].starts_with('}') => {
                plain.push_str("...");
                rest = &after[end + 1..];
            }
            _ => {
                plain.push('{');
                rest = after;
            }
        }
    }
    plain + rest
}

/// The messages of a page: the first cells of its tables.
fn messages(page: &str) -> Vec<&str> {
    let cell = |line: &'_ str| -> Option<std::ops::Range<usize>> {
        let begin = "| `".len();
        line.strip_prefix("| `")?.find("` |").map(|end| begin..begin + end)
    };
    page.lines().filter_map(|line| cell(line).map(|range| &line[range])).collect()
}

#[test]
fn every_listed_message_is_in_the_sources() {
    let page = repo::read(&sources().join("ferrite_messages.7.md")).unwrap();
    let listed = messages(&page);
    assert!(listed.len() > 60, "{} messages were found", listed.len());
    let is_source = |file: &Path| {
        let name = file.to_string_lossy();
        let is_test = name.contains("/tests/") || name.ends_with("tests.rs");
        SOURCES.iter().any(|directory| name.starts_with(directory)) && name.ends_with(".rs") && !is_test
    };
    let printed = |file: &Path| {
        let text = repo::read(&repo::root().join(file)).unwrap();
        plain(text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default())
    };
    let files = repo::files().unwrap();
    let texts: Vec<String> = files.iter().filter(|file| is_source(file)).map(|file| printed(file)).collect();
    let missing: Vec<&&str> =
        listed.iter().filter(|message| !texts.iter().any(|text| text.contains(**message))).collect();
    assert!(missing.is_empty(), "ferrite_messages(7) lists what no source prints: {missing:#?}");
}

#[test]
fn placeholders_and_continued_lines_are_made_plain() {
    let source = "format!(\"{pe} has {} of \\\n        {count:#x}\") { let a = 1;\n}";
    assert_eq!(plain(source), "format!(\"... has ... of ...\") { let a = 1;\n}");
    assert_eq!(messages("| message | cause |\n|---|---|\n| `a ... b` | c |\n"), ["a ... b"]);
}
