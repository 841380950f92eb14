//! Keeps the page of messages true: each message that it lists is in the sources, word for word, and it lists each complaint about a
//! program's mistake and each line that begins with `ferrite:` or `oshrun:`.

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

/// Whether a message of the page matches a text of the sources: its words are there in this order, and `...` stands for anything.
fn matches(message: &str, text: &str) -> bool {
    let mut rest = text;
    message.split("...").all(|part| match rest.split_once(part) {
        Some((_, after)) => {
            rest = after;
            true
        }
        None => false,
    })
}

/// The string literal at the beginning of a text, without its quotes.
fn literal(text: &str) -> Option<&str> {
    let inside = text.strip_prefix('"')?;
    let mut is_escaped = false;
    let end = inside.find(|c: char| {
        let is_end = c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        is_end
    });
    end.map(|end| &inside[..end])
}

/// The format strings of calls that end the job for a mistake of the program.
fn complaints(source: &str) -> Vec<&str> {
    let call = |rest: &'_ str| -> Option<std::ops::Range<usize>> {
        // The end of the call is not looked for: its format string comes before the next statement.
        let statement = rest.find(';').unwrap_or(rest.len());
        let begin = rest[..statement].find("format_args!(")? + "format_args!(".len();
        let begin = begin + (rest[begin..].len() - rest[begin..].trim_start().len());
        literal(&rest[begin..]).map(|text| begin + 1..begin + 1 + text.len())
    };
    source.split("misuse(").skip(1).filter_map(|rest| call(rest).map(|range| &rest[range])).collect()
}

/// The lines that begin with `ferrite:` or `oshrun:` and have words of their own.
fn lines(source: &str) -> Vec<&str> {
    let code = source.match_indices(['"']).filter_map(|(at, _)| literal(&source[at..]));
    let has_words = |line: &&str| {
        let is_word = |word: &&str| word.len() > 1 && word.chars().all(char::is_alphabetic);
        line.split_once(": ").map_or("", |(_, said)| said).split([' ', ',', ';', ':']).filter(is_word).count() > 4
    };
    let begins = |line: &&str| line.starts_with("ferrite: ") || line.starts_with("oshrun: ");
    code.filter(begins).filter(has_words).collect()
}

/// The sources that print messages, without comments and tests, with their names.
fn printing_sources() -> Vec<(String, String)> {
    let is_source = |file: &&Path| {
        let name = file.to_string_lossy();
        let is_test = ["/tests/", "/simulated/"].iter().any(|part| name.contains(part)) || name.ends_with("tests.rs");
        SOURCES.iter().any(|directory| name.starts_with(directory)) && name.ends_with(".rs") && !is_test
    };
    let printed = |file: &Path| {
        let text = repo::read(&repo::root().join(file)).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
        (file.display().to_string(), plain(&lines.collect::<Vec<_>>().join("\n")))
    };
    let files = repo::files().unwrap();
    files.iter().map(|file| &**file).filter(is_source).map(printed).collect()
}

#[test]
fn every_listed_message_is_in_the_sources() {
    let page = repo::read(&sources().join("ferrite_messages.7.md")).unwrap();
    let listed = messages(&page);
    assert!(listed.len() > 120, "{} messages were found", listed.len());
    let sources = printing_sources();
    let is_printed = |message: &str| {
        // The words of a message are in one literal, which is shorter than this.
        let first = message.split("...").max_by_key(|part| part.len()).unwrap_or_default();
        sources.iter().any(|(_, text)| {
            text.contains(message)
                || text.match_indices(first).any(|(at, _)| {
                    let begin = text[..at].rfind('"').unwrap_or(0);
                    literal(&text[begin..]).is_some_and(|literal| matches(message, literal))
                })
        })
    };
    let missing: Vec<&&str> = listed.iter().filter(|message| !is_printed(message)).collect();
    assert!(missing.is_empty(), "ferrite_messages(7) lists what no source prints: {missing:#?}");
}

#[test]
fn every_complaint_and_every_line_is_listed() {
    let page = repo::read(&sources().join("ferrite_messages.7.md")).unwrap();
    let listed = messages(&page);
    let (mut count, mut missing) = (0, Vec::new());
    for (file, source) in &printing_sources() {
        // A text that is nothing but `...` comes from a table, whose tests show each.
        let texts = complaints(source).into_iter().filter(|text| *text != "...");
        for text in texts.chain(lines(source)) {
            count += 1;
            if !listed.iter().any(|message| matches(message, text)) {
                missing.push(format!("{file}: {text}"));
            }
        }
    }
    assert!(count > 90, "{count} were found");
    assert!(missing.is_empty(), "ferrite_messages(7) lacks, or has in other words: {missing:#?}");
}

#[test]
fn placeholders_and_continued_lines_are_made_plain() {
    let source = "format!(\"{pe} has {} of \\\n        {count:#x}\") { let a = 1;\n}";
    assert_eq!(plain(source), "format!(\"... has ... of ...\") { let a = 1;\n}");
    assert_eq!(messages("| message | cause |\n|---|---|\n| `a ... b` | c |\n"), ["a ... b"]);
}

#[test]
fn complaints_and_lines_are_found_in_sources() {
    let source = "self.misuse(site, format_args!(\n    \"a is ...; use \\\"b\\\"\",\n a));\nself.misuse(site, text);\n\
                  say(\"oshrun: one two three four five\"); say(\"ferrite: PE ...: ...\")";
    assert_eq!(complaints(source), ["a is ...; use \\\"b\\\""]);
    assert_eq!(lines(source), ["oshrun: one two three four five"]);
    assert!(
        matches("a is ...; use", "a is ...; use \\\"b") && matches("a ... b", "a is b") && !matches("b ... a", "a b")
    );
}
