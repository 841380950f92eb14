//! The rooms of `crates/runtime`: which of its modules may import which.
//!
//! A room is a file or a folder directly below `crates/runtime/src`. Imports lead to rooms further down in [`ROOMS`].

use crate::{Result, package::tree, repo};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
    path::Path,
};

/// The order of the rooms, from the top. The rooms of one row do not import each other.
const ROOMS: &[&[&str]] = &[
    &["life"],
    &["agg", "vendor", "query"],
    &["groups", "heap", "device_heap"],
    &["coll"],
    &["ops", "context"],
    &["device"],
    &["far", "check", "diagnose", "misuse"],
    &["observe", "wait"],
    &["teams"],
    &["boards", "border"],
    &["process", "registry", "area", "handle"],
];

/// The state of a PE. Each room owns a part of it and is reached through it, so arrows from and to these files do not count.
const STATE: [&str; 2] = ["world", "live"];

/// The rooms that each room imports, each with a file that does so.
type Arrows = BTreeMap<String, BTreeMap<String, String>>;

/// Check the imports of `crates/runtime`.
pub fn check() -> Result<Vec<String>> {
    Ok(violations(&arrows(&sources(&repo::root().join("crates/runtime/src"))?)))
}

/// The order of the rooms, as text.
pub fn order() -> String {
    let mut text = format!("rooms of crates/runtime, from the top (state of a PE: {})\n", STATE.join(", "));
    for row in ROOMS {
        let _ = writeln!(text, "  {}", row.join("  "));
    }
    text
}

/// The text of every Rust file below `folder`, by its path from there.
fn sources(folder: &Path) -> Result<Vec<(String, String)>> {
    let files = tree::files(folder)?.into_iter().filter(|path| path.extension().is_some_and(|end| end == "rs"));
    files.map(|path| Ok((path.display().to_string(), repo::read(&folder.join(&path))?))).collect()
}

/// The room that a file belongs to.
fn room(file: &str) -> &str {
    let first = file.split('/').next().expect("a path has a first part");
    first.strip_suffix(".rs").unwrap_or(first)
}

fn arrows(sources: &[(String, String)]) -> Arrows {
    let rooms: BTreeSet<&str> = sources.iter().map(|(file, _)| room(file)).filter(|&one| one != "lib").collect();
    let lib = sources.iter().find(|(file, _)| file == "lib.rs").map_or("", |(_, text)| text);
    let exports = exports(lib);
    let mut arrows: Arrows = rooms.iter().map(|one| (one.to_string(), BTreeMap::new())).collect();
    for (file, text) in sources.iter().filter(|(file, _)| file != "lib.rs" && !is_test(file)) {
        for name in imports(text) {
            let to = if rooms.contains(name) { Some(name) } else { exports.get(name).map(String::as_str) };
            if let Some(to) = to.filter(|&to| to != room(file)) {
                arrows.entry(room(file).to_owned()).or_default().insert(to.to_owned(), file.clone());
            }
        }
    }
    arrows
}

fn is_test(file: &str) -> bool {
    file.split('/').any(|part| part == "tests" || part == "tests.rs")
}

/// The first names after `crate::` in a file's product code.
fn imports(text: &str) -> Vec<&str> {
    let product = text.split("#[cfg(test)]\nmod tests").next().unwrap_or(text);
    let lines = product.lines().map(|line| line.split("//").next().unwrap_or(line));
    let starts = lines.flat_map(|line| line.match_indices("crate::").map(move |(at, found)| &line[at + found.len()..]));
    starts.flat_map(|start| first_names(&text[start.as_ptr() as usize - text.as_ptr() as usize..])).collect()
}

/// The first name of each path of an import: `{a::B, c}` has `a` and `c`.
fn first_names(tree: &str) -> Vec<&str> {
    let Some(inside) = tree.strip_prefix('{') else { return vec![first_word(tree)] };
    let (mut names, mut depth, mut begins) = (Vec::new(), 0, true);
    for (at, one) in inside.char_indices() {
        match one {
            '}' if depth == 0 => break,
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => begins = true,
            _ if begins && !one.is_whitespace() => {
                names.push(first_word(&inside[at..]));
                begins = false;
            }
            _ => {}
        }
    }
    names
}

fn first_word(text: &str) -> &str {
    let end = text.find(|one: char| one != '_' && !one.is_alphanumeric()).unwrap_or(text.len());
    &text[..end]
}

/// The names that the crate's root exports, and the rooms that they come from.
fn exports(lib: &str) -> BTreeMap<&str, String> {
    let mut found = BTreeMap::new();
    for statement in lib.split("\npub use ").skip(1).filter_map(|rest| rest.split(';').next()) {
        let words = statement.split(|one: char| one != '_' && one != ':' && !one.is_alphanumeric());
        let names = words.filter_map(|word| word.rsplit("::").next()).filter(|name| !name.is_empty());
        found.extend(names.map(|name| (name, first_word(statement).to_owned())));
    }
    found
}

fn violations(arrows: &Arrows) -> Vec<String> {
    let row = |room: &str| ROOMS.iter().position(|row| row.contains(&room));
    let mut wrong = Vec::new();
    for (from, targets) in arrows.iter().filter(|(from, _)| !STATE.contains(&from.as_str())) {
        let Some(here) = row(from) else {
            wrong.push(format!(
                "crates/runtime/src/{from} has no place in the order: add it to ci/xtask/src/floors/rooms.rs"
            ));
            continue;
        };
        for (to, file) in targets {
            if row(to).is_some_and(|there| there <= here) {
                wrong.push(format!(
                    "crates/runtime/src/{file} imports {to}, which is not below {from}; it may import lower modules only"
                ));
            }
        }
    }
    for room in ROOMS.iter().copied().flatten().filter(|room| !arrows.contains_key(**room)) {
        wrong.push(format!("there is no crates/runtime/src/{room}: remove it from ci/xtask/src/floors/rooms.rs"));
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rooms of the table, all empty but for one more file.
    fn with(file: &str, text: &str) -> Vec<String> {
        let rooms = ROOMS.iter().copied().flatten().chain(&STATE);
        let mut sources: Vec<_> = rooms.map(|room| (format!("{room}.rs"), String::new())).collect();
        sources.push(("lib.rs".to_owned(), "mod a;\npub use life::{phase::Extent, exit::End as Ende};\n".to_owned()));
        sources.push((file.to_owned(), text.to_owned()));
        violations(&arrows(&sources))
    }

    #[test]
    fn imports_of_the_runtime_go_down_only() {
        assert_eq!(check().unwrap(), [""; 0]);
    }

    #[test]
    fn upward_and_sideways_imports_are_refused() {
        for text in [
            "use crate::life::phase;\n",
            "use crate::{\n    area,\n    life::{phase, exit},\n};\n",
            "fn f() { crate::life::end() }\n",
            "use crate::Extent;\n",
            "use crate::{area::SLOTS, Ende};\n",
            "macro_rules! m { () => { $crate::life::end() } }\n",
        ] {
            let wrong = with("ops/rma.rs", text);
            assert_eq!(wrong.len(), 1, "{text}: {wrong:?}");
            assert!(wrong[0].contains("ops/rma.rs imports life"), "{wrong:?}");
        }
        assert_eq!(with("ops/rma.rs", "use crate::context::Context;\n").len(), 1, "a room of the same row");
    }

    #[test]
    fn downward_import_is_accepted_and_tests_do_not_count() {
        for text in [
            "use crate::{area::{self, SLOTS}, live::Live, far::Far};\n",
            "// crate::life is above.\n",
            "fn f() {}\n\n#[cfg(test)]\nmod tests {\n    use crate::life;\n}\n",
        ] {
            assert_eq!(with("ops/rma.rs", text), [""; 0], "{text}");
        }
        assert_eq!(with("live.rs", "use crate::life::exit;\n"), [""; 0], "the state holds a part of each room");
    }

    #[test]
    fn room_without_place_is_refused() {
        let wrong = with("attic/mod.rs", "");
        assert!(wrong.len() == 1 && wrong[0].contains("attic has no place"), "{wrong:?}");
    }
}
