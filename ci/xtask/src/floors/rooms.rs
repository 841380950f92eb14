//! The rooms of `crates/runtime`: which of its modules may use which.
//!
//! A room is a file or a folder directly below `crates/runtime/src`. It uses another one by an import, or without an import by a call of a
//! method that the other adds to the state of a PE. Both lead to rooms further down in [`ROOMS`].

use super::{
    calls::calls,
    code::{first_word, product},
};
use crate::{Result, package::tree, repo};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
    path::Path,
};

/// The order of the rooms, from the top. The rooms of one row do not import each other.
const ROOMS: &[&[&str]] = &[
    &["life"],
    &["progress"],
    &["agg"],
    &["groups", "heap", "device_heap"],
    &["coll"],
    &["ops", "query"],
    &["device"],
    &["target", "diagnose"],
    &["context"],
    &["far", "extensions"],
    &["misuse"],
    &["observe", "wait"],
    &["end", "teams"],
    &["boards", "border"],
    &["near", "fork", "area", "handle"],
];

/// The state of a PE. Each room owns a part of it and is reached through it, so arrows from and to these files do not count.
const STATE: [&str; 2] = ["world", "live"];

/// The uses of one room by another: each is an import or the name of a method, with a file that has it.
type Uses = BTreeSet<(Use, String)>;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Use {
    Import,
    Call(String),
}

/// The rooms that each room uses.
type Arrows = BTreeMap<String, BTreeMap<String, Uses>>;

/// Check the arrows of `crates/runtime`, and return them as text.
pub fn check() -> Result<(Vec<String>, String)> {
    let sources = sources(&repo::root().join("crates/runtime/src"))?;
    let arrows = arrows(&sources);
    let mut wrong = violations(&arrows);
    wrong.extend(functions_in_live(&sources));
    Ok((wrong, order(&arrows)))
}

/// The order of the rooms, and the number of arrows between them.
fn order(arrows: &Arrows) -> String {
    let mut text = format!("rooms of crates/runtime, from the top (state of a PE: {})\n", STATE.join(", "));
    for row in ROOMS {
        let _ = writeln!(text, "  {}", row.join("  "));
    }
    let has_import = |uses: &&Uses| uses.iter().any(|(one, _)| *one == Use::Import);
    let (imports, calls): (Vec<_>, Vec<_>) = arrows.values().flat_map(BTreeMap::values).partition(has_import);
    let (imports, calls) = (imports.len(), calls.len());
    let _ = writeln!(text, "arrows between them: {imports} by imports, {calls} by calls without an import");
    text
}

/// The product code of every Rust file below `folder`, by its path from there.
fn sources(folder: &Path) -> Result<Vec<(String, String)>> {
    let files = tree::files(folder)?.into_iter().filter(|path| path.extension().is_some_and(|end| end == "rs"));
    let files = files.map(|path| Ok((path.display().to_string(), product(&repo::read(&folder.join(&path))?))));
    files.filter(|file| file.as_ref().map_or(true, |(name, _)| !is_test(name))).collect()
}

/// The room that a file belongs to.
fn room(file: &str) -> &str {
    let first = file.split('/').next().expect("a path has a first part");
    first.strip_suffix(".rs").unwrap_or(first)
}

fn arrows(sources: &[(String, String)]) -> Arrows {
    let rooms: BTreeSet<&str> =
        sources.iter().map(|(file, _)| room(file)).filter(|one| *one != "lib" && !STATE.contains(one)).collect();
    let lib = sources.iter().find(|(file, _)| file == "lib.rs").map_or("", |(_, text)| text);
    let exports = exports(lib);
    let mut arrows: Arrows = rooms.iter().map(|one| (one.to_string(), BTreeMap::new())).collect();
    let mut add = |file: &str, to: &str, how: Use| {
        if to != room(file) && rooms.contains(to) && rooms.contains(room(file)) {
            let uses = arrows.entry(room(file).to_owned()).or_default().entry(to.to_owned()).or_default();
            uses.insert((how, file.to_owned()));
        }
    };
    for (file, text) in sources {
        for name in imports(text) {
            add(file, exports.get(name).map_or(name, String::as_str), Use::Import);
        }
    }
    for call in calls(sources) {
        add(call.file, room(call.target), Use::Call(call.method.to_owned()));
    }
    arrows
}

/// Whether a file has tests only.
fn is_test(file: &str) -> bool {
    file.split('/').any(|part| part == "tests" || part.ends_with("tests.rs"))
}

/// The first names after `crate::`.
fn imports(code: &str) -> Vec<&str> {
    code.match_indices("crate::").flat_map(|(at, found)| first_names(&code[at + found.len()..])).collect()
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

fn row(room: &str) -> Option<usize> {
    ROOMS.iter().position(|row| row.contains(&room))
}

fn violations(arrows: &Arrows) -> Vec<String> {
    let mut wrong = Vec::new();
    for (from, targets) in arrows {
        let Some(here) = row(from) else {
            wrong.push(format!("crates/runtime/src/{from} has no place in the order: add it to {HERE}"));
            continue;
        };
        let upward = targets.iter().filter(|(to, _)| row(to).is_some_and(|there| there <= here));
        for (to, (how, file)) in upward.flat_map(|(to, uses)| uses.iter().map(move |one| (to, one))) {
            let how = match how {
                Use::Import => format!("imports {to}"),
                Use::Call(method) => format!("calls `{method}` of {to}"),
            };
            wrong.push(format!(
                "crates/runtime/src/{file} {how}, which is not below {from}; it may use lower modules only"
            ));
        }
    }
    for room in ROOMS.iter().copied().flatten().filter(|room| !arrows.contains_key(**room)) {
        wrong.push(format!("there is no crates/runtime/src/{room}: remove it from {HERE}"));
    }
    wrong
}

/// `live.rs` holds the parts of all rooms, so it imports them. That is harmless as long as it has no code.
fn functions_in_live(sources: &[(String, String)]) -> Option<String> {
    let live = sources.iter().find(|(file, _)| file == "live.rs");
    let wrong = match live {
        None => "there is no crates/runtime/src/live.rs, which the table names",
        Some((_, text)) if text.contains("fn ") => {
            "crates/runtime/src/live.rs has a function: move it to the room whose job it is"
        }
        Some(_) => return None,
    };
    Some(wrong.to_owned())
}

const HERE: &str = "ci/xtask/src/floors/rooms.rs";

#[cfg(test)]
mod tests {
    use super::*;

    /// The rooms of the table, all empty but for one more file.
    fn with(file: &str, text: &str) -> Vec<String> {
        let rooms = ROOMS.iter().copied().flatten().chain(&STATE);
        let mut sources: Vec<_> = rooms.map(|room| (format!("{room}.rs"), String::new())).collect();
        sources.push(("lib.rs".to_owned(), "mod a;\npub use life::{phase::Extent, exit::End as Ende};\n".to_owned()));
        let high = "impl World { pub fn die(&self) {} }\nimpl Live { fn stop(&self) {} }";
        sources.push(("life/exit.rs".to_owned(), high.to_owned()));
        sources.push((file.to_owned(), product(text)));
        violations(&arrows(&sources))
    }

    #[test]
    fn arrows_of_the_runtime_go_down_only() {
        assert_eq!(check().unwrap().0, [""; 0]);
    }

    #[test]
    fn upward_call_is_refused() {
        let text = "use crate::{World, live::Live};\nfn f(world: &World, live: &Live) { world.die(); live.stop(); }\n";
        let wrong = with("ops/rma.rs", text);
        assert_eq!(wrong.len(), 2, "{wrong:?}");
        assert!(wrong[0].contains("ops/rma.rs calls `die` of life"), "{wrong:?}");
        assert_eq!(with("life/start.rs", text), [""; 0], "the room's own methods");
        assert_eq!(with("world.rs", text), [""; 0], "the state reaches each room");
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
        assert_eq!(with("ops/rma.rs", "use crate::query::x;\n").len(), 1, "a room of the same row");
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
    fn function_in_the_state_is_refused() {
        let live = |text: &str| functions_in_live(&[("live.rs".to_owned(), product(text))]);
        assert!(live("impl Live { fn stop(&self) {} }").is_some());
        assert_eq!(live("// fn stop\npub(crate) struct Live { pub me: u32 }"), None);
    }

    #[test]
    fn room_without_place_is_refused() {
        let wrong = with("attic/mod.rs", "");
        assert!(wrong.len() == 1 && wrong[0].contains("attic has no place"), "{wrong:?}");
    }
}
