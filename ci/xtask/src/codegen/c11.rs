//! C11 type-generic names.
//!
//! A generic picks its routine by the type of one pointer: the first argument, or the second if the first is a context or a team. The
//! selection looks only at types; the arguments are evaluated once, by the call.
//!
//! Some C types are other names of standard types. Such a type is listed only if the standard type is not, because a type must not occur
//! twice in a `_Generic` list.

use super::prototypes::spell;
use ferrite_abi::{CType, Context, Routine, Shape, element};
use std::collections::BTreeMap;

/// A type-generic name, and the routines that it stands for.
pub struct Generic {
    pub name: String,
    /// The rows that it stands for: the current one, and deprecated ones for further types.
    pub rows: Vec<Routine>,
}

impl Generic {
    /// The distinct types, each with the row that serves it.
    pub fn types(&self) -> Vec<(&'static CType, &Routine)> {
        let mut types: Vec<(&CType, &Routine)> = Vec::new();
        let mut instances: Vec<(&'static CType, &Routine)> = self
            .rows
            .iter()
            .flat_map(|row| row.instances.iter().filter_map(move |i| Some((element(i.name)?, row))))
            .collect();
        instances.sort_by_key(|(element, _)| element.alias);
        for (element, row) in instances {
            if !types.iter().any(|(known, _)| known.lp64 == element.lp64) {
                types.push((element, row));
            }
        }
        types
    }

    fn main(&self) -> &Routine {
        &self.rows[0]
    }
}

/// The type-generic names of these rows, in their order.
pub fn collect(rows: &[Routine]) -> Vec<Generic> {
    let mut generics: Vec<Generic> = Vec::new();
    for row in rows {
        let Some(name) = row.generic() else { continue };
        match generics.iter_mut().find(|g| g.name == name) {
            Some(generic) => generic.rows.push(*row),
            None => generics.push(Generic { name, rows: vec![*row] }),
        }
    }
    generics
}

/// The macros. Their lists of types are named by `list` and a number: headers that are included together need different names.
pub fn generics(rows: &[Routine], list: &'static str) -> String {
    let mut lists = Lists { list, names: BTreeMap::new(), text: String::new() };
    let macros: String = collect(rows).iter().map(|generic| one(generic, rows, &mut lists)).collect();
    format!("{}\n{macros}", lists.text)
}

/// Definitions that all macros use.
pub const HELPERS: &str = "\
/* Chosen by no call that compiles: its name is what a compiler shows for a type that has no routine. */
void _shmem_no_routine_for_this_type(void);

#define _SHMEM_ARG1(first, ...) first
#define _SHMEM_ARG2(first, second, ...) second

";

/// Association lists, each written once and shared by the generics for the same types.
struct Lists {
    list: &'static str,
    names: BTreeMap<String, String>,
    text: String,
}

impl Lists {
    /// The name of the macro that associates pointers to these types, plain and with the `qualifier`, with the routines `prefix ## TYPE ##
    /// _stem`.
    fn name(&mut self, types: &[&CType], qualifier: Option<&str>) -> String {
        let associations: Vec<String> = types
            .iter()
            .flat_map(|t| {
                let (c, name) = (spell(t.c), t.name);
                let plain = format!("    {c} *: prefix##{name}_##stem");
                let qualified = qualifier.map(|word| format!("    {word} {c} *: prefix##{name}_##stem"));
                [Some(plain), qualified].into_iter().flatten()
            })
            .collect();
        let body = associations.join(", \\\n");
        let next = format!("{}{}", self.list, self.names.len() + 1);
        let text = &mut self.text;
        let name = self.names.entry(body).or_insert_with_key(|body| {
            *text += &format!("#define {next}(prefix, stem) \\\n{body}\n");
            next
        });
        name.clone()
    }
}

fn one(generic: &Generic, rows: &[Routine], lists: &mut Lists) -> String {
    let row = generic.main();
    let name = &generic.name;
    let (selector, associations) = if row.shape == Shape::Plain {
        ("_SHMEM_ARG1(__VA_ARGS__, 0)", handle_associations(generic, rows))
    } else {
        typed_associations(generic, lists)
    };
    if associations.is_empty() {
        return String::new();
    }
    format!("#define {name}(...) \\\n    _Generic(({selector}), \\\n    {associations})(__VA_ARGS__)\n")
}

/// Generics that select by whether a handle comes first.
fn handle_associations(generic: &Generic, rows: &[Routine]) -> String {
    let row = generic.main();
    if row.context == Context::Twin {
        let (prefix, stem) = (row.prefix, row.stem);
        return format!("shmem_ctx_t: {prefix}ctx_{stem}, default: {prefix}{stem}");
    }
    // If the generic has the name of another routine, that routine stays callable.
    let other = rows.iter().any(|r| r.shape == Shape::Plain && r.stem == generic.name);
    let default = if other { format!(", default: {}", generic.name) } else { String::new() };
    format!("shmem_team_t: {}{default}", row.stem)
}

/// Generics that select by the type that the first pointer points to.
fn typed_associations(generic: &Generic, lists: &mut Lists) -> (&'static str, String) {
    let row = generic.main();
    let team = row.args[0].rust == "Team";
    let pointer = row.args[usize::from(team)].rust;
    let types: Vec<&CType> = generic.types().into_iter().map(|(element, _)| element).collect();
    let qualifier = if pointer.contains("const") { Some("const") } else { row.may_be_volatile().then_some("volatile") };
    let list = lists.name(&types, qualifier);
    let (prefix, stem) = (row.prefix, row.stem);
    let second = "_SHMEM_ARG2(__VA_ARGS__, 0, 0)";
    if team {
        return (second, format!("{list}({prefix}, {stem})"));
    }
    let mut associations = format!("{list}({prefix}, {stem})");
    if row.context == Context::Twin {
        associations += &format!(
            ", \\\n    shmem_ctx_t: _Generic(({second}), \\\n        {list}({prefix}ctx_, {stem}), \\\n        \
             default: _shmem_no_routine_for_this_type)"
        );
    }
    ("_SHMEM_ARG1(__VA_ARGS__, 0)", associations)
}
