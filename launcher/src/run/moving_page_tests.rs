//! Compares the tables of ferrite_moving(7) with the command line: each option of the page does what its row says, and each option of
//! other launchers is on the page.

use super::MEANINGS;
use crate::run::options::{Request, parse};
use crate::run::unknown_options::ADVICE;
use std::collections::BTreeSet;
use std::ffi::OsString;

const PAGE: &str = include_str!("../../../crates/capi/manual/ferrite_moving.7.md");

/// The rows of the tables of options: the options, and the cell about oshrun.
fn rows() -> Vec<(Vec<&'static str>, &'static str)> {
    let sections = PAGE.split("\n## ").filter(|section| section.starts_with("Options of "));
    let lines = sections.flat_map(str::lines).filter_map(|line| line.strip_prefix("| `"));
    lines
        .map(|line| line.trim_end_matches(" |").split_once(" | ").expect(line))
        .map(|(options, ours)| (quoted(options), ours))
        .collect()
}

/// The words in backticks. The first backtick may be cut off.
fn quoted(cell: &'static str) -> Vec<&'static str> {
    cell.trim_start_matches('`').split('`').step_by(2).collect()
}

/// Parse an option of the page, with values for its placeholders.
fn parsed(option: &str) -> Result<Request, String> {
    let mut line = option.to_owned();
    for (placeholder, value) in [
        ("NAME", "a"),
        ("VALUE", "b"),
        ("SIZE", "1G"),
        ("LIST", "a,b"),
        ("FILE", "f"),
        ("DIR", "/d"),
        ("WHAT", "core"),
        ("TYPE", "x"),
        ("IF", "eth0"),
    ] {
        line = line.replace(placeholder, value);
    }
    let is_number = |word: &str| word == "N" || word == "-dN" || word.ends_with("=N") || word.contains(":N");
    let words = line.split(' ').map(|word| if is_number(word) { word.replace('N', "2") } else { word.to_owned() });
    let words = ["oshrun".to_owned()].into_iter().chain(words).chain(["p".to_owned()]);
    parse(words.map(OsString::from)).map_err(|error| error.to_string())
}

/// What a command line means, without its notices.
fn meaning(option: &str) -> String {
    let request = parsed(option).unwrap_or_else(|error| panic!("{option}: {error}"));
    assert_eq!(request.apps[0].command, ["p"], "{option}");
    format!("{:?} {:?}", request.job, request.apps)
}

#[test]
fn each_option_of_the_page_does_what_its_row_says() {
    let rows = rows();
    assert!(rows.len() > 40, "{rows:?}");
    for (options, ours) in rows {
        for (at, option) in options.iter().enumerate() {
            let notices = |option| parsed(option).unwrap_or_else(|error| panic!("{option}: {error}")).notices;
            match ours {
                _ if ours.starts_with("refused") => {
                    let error = parsed(option).expect_err(option);
                    assert!(error.starts_with("error: oshrun has no option '-"), "{option}: {error}");
                    continue;
                }
                _ if ours.starts_with("ignored") => {
                    let told = notices(option);
                    let advice = if ours.starts_with("ignored:") { "" } else { "(an option of other launchers" };
                    let is_told = told.len() == 1 && told[0].starts_with("ignoring -") && told[0].contains(advice);
                    assert!(is_told && (!advice.is_empty() || !told[0].ends_with("launchers)")), "{option}: {told:?}");
                }
                _ if ours.starts_with("translated") => {
                    let told = notices(option);
                    assert!(told.len() == 1 && told[0].contains(" is taken as "), "{option}: {told:?}");
                }
                _ => {
                    assert_eq!(notices(option), [""; 0], "{option}");
                    let ours = quoted(ours);
                    // One counterpart may stand for all options of a row.
                    let counterpart = if ours.len() == 1 { ours[0] } else { ours.get(at).copied().unwrap_or_default() };
                    if counterpart.starts_with('-') {
                        assert_eq!(meaning(option), meaning(counterpart), "{option}");
                    }
                }
            }
            meaning(option);
        }
    }
}

#[test]
fn each_option_of_other_launchers_is_on_the_page() {
    let rows = rows();
    let shown: BTreeSet<&str> = rows
        .iter()
        .flat_map(|(options, _)| options)
        .filter_map(|option| option.split([' ', '=']).next())
        .map(|option| option.trim_start_matches('-'))
        .collect();
    let known =
        MEANINGS.iter().map(|&(name, _)| name).chain(ADVICE.iter().flat_map(|(names, _)| names.iter().copied()));
    let missing: Vec<&str> = known.filter(|name| !shown.contains(name)).collect();
    assert_eq!(missing, [""; 0]);
}
