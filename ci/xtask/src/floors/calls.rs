//! Calls within `crates/runtime` of methods of the state of a PE, `World` and `Live`.
//!
//! Every room adds methods to these two types, so a call of such a method leads to the room that defines it, without an import. Methods
//! are found by name and by the type of what they are called on. That type is read from the text: `self` of a block, what a variable or a
//! field is declared as, the result of another method, and the names [`CONVENTION`]. So a method of another type may have the same name.
//! Not seen are methods that a macro names, methods of the fields of the state (`live.coll.x()`), and methods that are reached through
//! `Deref` (`View`).

use super::code::{Block, blocks, closing, first_word, last_word, opening};
use std::collections::BTreeMap;

/// The types, and the names of variables that have them where no type is written.
const CONVENTION: [(&str, &str); 2] = [("World", "world"), ("Live", "live")];

/// Methods whose result is what they are called on.
const TRANSPARENT: [&str; 4] = ["unwrap", "expect", "as_ref", "clone"];

/// A call of a method of the state.
#[derive(Debug, PartialEq, Eq)]
pub struct Call<'t> {
    pub file: &'t str,
    pub method: &'t str,
    /// The file that defines the method.
    pub target: &'t str,
}

/// The calls in files of product code, each given by its name and its text.
pub fn calls(files: &[(String, String)]) -> Vec<Call<'_>> {
    let files: Vec<File> = files.iter().map(|(name, code)| File { name, code, blocks: blocks(code) }).collect();
    let methods = Methods::of(&files);
    files.iter().flat_map(|file| file.calls(&methods)).collect()
}

struct File<'t> {
    name: &'t str,
    code: &'t str,
    blocks: Vec<Block<'t>>,
}

/// The methods of the state.
#[derive(Default)]
struct Methods<'t> {
    /// The file that defines the method of a type.
    homes: BTreeMap<(&'static str, &'t str), &'t str>,
    /// The type of the state that a method returns.
    results: BTreeMap<(&'static str, &'t str), &'static str>,
}

/// `name`, if it is a type of the state.
fn state(name: &str) -> Option<&'static str> {
    CONVENTION.iter().map(|&(ty, _)| ty).find(|&ty| ty == name)
}

impl<'t> Methods<'t> {
    fn of(files: &[File<'t>]) -> Methods<'t> {
        let mut methods = Methods::default();
        for file in files {
            for block in file.blocks.iter().filter(|block| !block.is_of_trait) {
                if let Some(ty) = state(block.subject) {
                    methods.add(ty, file, &file.code[block.body.clone()]);
                }
            }
        }
        methods
    }

    /// Add the functions of a block.
    fn add(&mut self, ty: &'static str, file: &File<'t>, body: &'t str) {
        let mut rest = body;
        while let Some(at) = rest.find("fn ") {
            let name = first_word(&rest[at + "fn ".len()..]);
            let end = at + rest[at..].find(['{', ';']).unwrap_or(rest.len() - at);
            if !name.is_empty() {
                self.homes.insert((ty, name), file.name);
                let result = rest[at..end].split_once("->").map_or("", |(_, result)| result);
                let words = result.split(|one: char| one != '_' && !one.is_alphanumeric());
                self.results.extend(words.filter_map(state).map(|result| ((ty, name), result)));
            }
            let skipped = if rest[end..].starts_with('{') { closing(&rest[end..]) } else { 0 };
            rest = &rest[(end + skipped).max(at + 1)..];
        }
    }
}

impl<'t> File<'t> {
    fn calls(&self, methods: &Methods<'t>) -> Vec<Call<'t>> {
        let (code, name) = (self.code, self.name);
        let by_dot = code.match_indices('.').filter_map(|(at, _)| {
            let method = first_word(code[at + 1..].trim_start());
            let is_call = code[at + 1..].trim_start()[method.len()..].starts_with(['(', ':']);
            is_call.then(|| Some((self.receiver(at, methods)?, method))).flatten()
        });
        let by_path = code.match_indices("::").filter_map(|(at, _)| {
            let ty = match last_word(&code[..at]) {
                "Self" => self.subject(at)?,
                named => state(named)?,
            };
            Some((ty, first_word(&code[at + 2..])))
        });
        let homes = by_dot.chain(by_path).filter_map(|call| Some((call.1, *methods.homes.get(&call)?)));
        homes.map(|(method, target)| Call { file: name, method, target }).collect()
    }

    /// The type of the state that the block around a place is of.
    fn subject(&self, at: usize) -> Option<&'static str> {
        self.blocks.iter().find(|block| block.body.contains(&at)).and_then(|block| state(block.subject))
    }

    /// The type of the expression before the dot at `dot`, if it is one of the state.
    fn receiver(&self, dot: usize, methods: &Methods<'_>) -> Option<&'static str> {
        let before = self.code[..dot].trim_end().trim_end_matches('?');
        if before.ends_with(')') {
            let before = &before[..opening(before)];
            let method = last_word(before);
            let owner = before[..before.len() - method.len()].trim_end();
            let of = self.receiver(owner.strip_suffix('.')?.len(), methods)?;
            return if TRANSPARENT.contains(&method) { Some(of) } else { methods.results.get(&(of, method)).copied() };
        }
        let name = last_word(before);
        let owner = before[..before.len() - name.len()].strip_suffix('.');
        match owner {
            None if name == "self" => self.subject(dot),
            // The team of all PEs.
            Some(owner) if last_word(owner) == "teams" => None,
            _ => self.declared(name, dot),
        }
    }

    /// The type of a variable or a field, by its last declaration before `at`, or by convention.
    fn declared(&self, name: &str, at: usize) -> Option<&'static str> {
        if name.is_empty() {
            return None;
        }
        let places = self.code[..at].rmatch_indices(name);
        let declared = places.filter(|(at, _)| last_word(&self.code[..*at]).is_empty()).find_map(|(at, _)| {
            let ty = self.code[at + name.len()..].trim_start().strip_prefix(':').filter(|ty| !ty.starts_with(':'))?;
            named_type(ty)
        });
        match declared {
            Some(ty) => state(ty),
            None => CONVENTION.iter().find(|&&(_, variable)| variable == name).map(|&(ty, _)| ty),
        }
    }
}

/// The type that `text` begins with, without references and owners. `None` for a value.
fn named_type(text: &str) -> Option<&str> {
    let mut rest = text.trim_start();
    loop {
        rest = rest.trim_start_matches(['&', ' ', '\'']);
        let word = first_word(rest);
        let after = rest[word.len()..].trim_start();
        rest = match word {
            "Arc" | "Box" => after.strip_prefix('<')?,
            "mut" | "dyn" => after,
            _ if after.starts_with("::") => &after[2..],
            // A lifetime, with the type behind it.
            _ if word.starts_with(char::is_lowercase) && !first_word(after).is_empty() => after,
            _ => return Some(word).filter(|word| word.starts_with(char::is_uppercase)),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HIGH: &str = "impl World { pub fn die(&self) -> ! { loop {} } fn live(&self) -> Option<&Live> { None } }\n\
                        impl Live { fn stop(&self) {} }\nimpl Far { fn stop(&self) {} fn die() {} }\n\
                        impl Drop for Live { fn drop(&mut self) {} }";

    fn found(text: &str) -> Vec<String> {
        let files = [("high.rs", HIGH), ("low.rs", text)].map(|(name, text)| (name.to_owned(), text.to_owned()));
        let low = |call: &Call<'_>| call.file == "low.rs" && call.target == "high.rs";
        let mut found: Vec<_> =
            calls(&files).iter().filter(|call| low(call)).map(|call| call.method.to_owned()).collect();
        found.sort();
        found
    }

    #[test]
    fn calls_are_found_by_the_type_of_their_receiver() {
        for (text, methods) in [
            ("fn f(world: &World) { world.die(1) }", vec!["die"]),
            ("fn f(w: &'w crate::World) { w.die() }", vec!["die"]),
            ("impl World { fn f(&self) { self.die() } }", vec!["die"]),
            ("impl World { fn f() { Self::die(a) } }", vec!["die"]),
            ("impl Drop for Live { fn drop(&mut self) { self\n    .stop() } }", vec!["stop"]),
            ("struct S { it: Arc<Live> } impl S { fn f(&self) { self.it.stop() } }", vec!["stop"]),
            ("fn f() { path.live.stop() }", vec!["stop"]),
            ("fn f() { x.iter().for_each(World::die) }", vec!["die"]),
            ("fn f() { world.live()?.stop(); world.live().unwrap().stop() }", vec!["live", "live", "stop", "stop"]),
            ("fn f() { g(|live| live.stop()) }", vec!["stop"]),
        ] {
            assert_eq!(found(text), methods, "{text}");
        }
    }

    #[test]
    fn methods_of_other_types_are_no_calls_of_the_state() {
        for text in [
            "fn f(far: &Far) { far.stop() }",
            "impl Far { fn f(&self) { self.stop(); Self::die() } }",
            "impl World { fn f(&self) { self.far.stop(); self.stop() } }",
            "fn f(live: &BTreeMap<u32, World>) { live.stop() }",
            "fn f() { live.die() }",
            "fn f() { live.teams.world.die() }",
            "fn f(far: &Far) { far.live().stop() }",
            "fn f(live: &Live) { live.drop() }",
            "fn f() { world.die }",
            "fn f() { Far::die() }",
        ] {
            assert_eq!(found(text), [""; 0], "{text}");
        }
    }
}
