//! The synopsis of a page, from the tables: C, the type-generic names, Fortran, and the values of TYPE and SIZE.

use super::{
    catalogue::{Catalogue, generics},
    fortran,
    markup::{Block, Span},
    page::Page,
};
use std::collections::BTreeSet;

use ferrite_abi::{Context, Routine, Shape, Status, c_type, element};

/// Maximum length of a line, so that it fits a terminal of 80 columns after the indent of a manual page.
const WIDTH: usize = 72;

/// The synopsis, without its heading.
pub fn of(catalogue: &Catalogue, page: &Page) -> Vec<Block> {
    let rows = catalogue.rows_of(page);
    let mut blocks = Vec::new();
    if !rows.is_empty() {
        blocks.push(code("c", c_text(&rows)));
        blocks.extend(generic_text(&rows));
        blocks.extend(types(&rows));
    }
    blocks.extend(fortran::synopsis(catalogue, page));
    blocks
}

pub(super) fn code(lang: &str, text: String) -> Block {
    Block::Code { lang: lang.to_owned(), text }
}

pub(super) fn said(text: &str) -> Span {
    Span::Text(text.to_owned())
}

/// Names, with commas between them.
pub(super) fn enumerated<'n>(names: impl Iterator<Item = &'n str>) -> Vec<Span> {
    let mut spans = Vec::new();
    for name in names {
        spans.extend((!spans.is_empty()).then(|| said(", ")));
        spans.push(Span::Code(name.to_owned()));
    }
    spans
}

fn c_text(rows: &[&Routine]) -> String {
    let mut text = String::new();
    let headers: BTreeSet<&str> = rows.iter().map(|row| row.header()).collect();
    // The others include the standard header.
    for header in headers.iter().filter(|&&header| header != "shmem.h" || headers.len() == 1) {
        text += &format!("#include <{header}>\n");
    }
    let mut standing = None;
    let mut said: Vec<String> = Vec::new();
    for row in rows {
        // Skip rows that differ from a sibling row in types alone.
        let sibling = |other: &&Routine| other.facts.status != Status::Extension && other.family() == row.family();
        if row.facts.status == Status::Extension && rows.iter().any(sibling) {
            continue;
        }
        let lines: Vec<String> = [false, row.context == Context::Twin]
            .into_iter()
            .enumerate()
            .filter(|(twin, is)| *twin == 0 || *is)
            .map(|(twin, _)| prototype(&family_as(row, twin == 1), row, twin == 1))
            .filter(|line| !said.contains(line))
            .collect();
        if lines.is_empty() {
            continue;
        }
        let now = remark(row.facts.status);
        if standing.as_ref() != Some(&now) {
            text += &now.as_ref().map_or_else(|| "\n".to_owned(), |remark| format!("\n/* {remark} */\n"));
            standing = Some(now);
        }
        text += &lines.concat();
        said.extend(lines);
    }
    text
}

fn remark(status: Status) -> Option<String> {
    match status {
        Status::Current => None,
        Status::Extension => Some("beside the specification".to_owned()),
        Status::Since(version) => Some(format!("since {version}")),
        Status::Deprecated(version) => Some(format!("deprecated since {version}")),
        Status::Removed(version) => Some(format!("removed in {version}")),
        Status::Vendor("Ferrite") => None,
        Status::Vendor(vendor) => Some(format!("of {vendor}")),
    }
}

/// The family's name, or the name of its variant with a context.
fn family_as(row: &Routine, twin: bool) -> String {
    let family = row.family();
    if twin { family.replacen(row.prefix, &format!("{}ctx_", row.prefix), 1) } else { family }
}

fn prototype(name: &str, row: &Routine, twin: bool) -> String {
    let element = if row.shape == Shape::Typed { "TYPE" } else { "void" };
    let mut args: Vec<String> = Vec::new();
    if twin {
        args.push("shmem_ctx_t ctx".to_owned());
    }
    args.extend(row.args.iter().map(|arg| declare(&c_type(arg.rust, element), arg.name)));
    if row.facts.variadic {
        args.push("...".to_owned());
    }
    if args.is_empty() {
        args.push("void".to_owned());
    }
    wrap(&declare(&c_type(row.result, element), name), &args, ";")
}

fn declare(c: &str, name: &str) -> String {
    if c.ends_with('*') { format!("{c}{name}") } else { format!("{c} {name}") }
}

/// `head(args)tail`, broken between arguments if it is long.
pub(super) fn wrap(head: &str, args: &[String], tail: &str) -> String {
    let mut text = format!("{head}(");
    let mut column = text.len();
    for (index, arg) in args.iter().enumerate() {
        let last = index + 1 == args.len();
        let piece = if last { format!("{arg}){tail}") } else { format!("{arg},") };
        if column + piece.len() + 1 > WIDTH && index > 0 {
            text += "\n        ";
            column = 8;
        } else if index > 0 {
            text.push(' ');
            column += 1;
        }
        column += piece.len();
        text += &piece;
    }
    if args.is_empty() {
        text += &format!("){tail}");
    }
    text + "\n"
}

fn generic_text(rows: &[&Routine]) -> Vec<Block> {
    let mut text = String::new();
    for generic in generics(rows) {
        let row = &generic.rows[0];
        let line = prototype(&generic.name, row, row.context == Context::Twin);
        text += &line.replace("(shmem_ctx_t ctx, ", "([shmem_ctx_t ctx,] ");
    }
    if text.is_empty() {
        return Vec::new();
    }
    let any = if text.contains("TYPE") { "In C11 and C++, for any TYPE below:" } else { "In C11 and C++ also:" };
    vec![Block::Paragraph(vec![said(any)]), code("c", text)]
}

/// The values of TYPE and SIZE. If the page's families differ, each list names its families.
fn types(rows: &[&Routine]) -> Vec<Block> {
    let mut lists: Vec<(String, Vec<String>)> = Vec::new();
    for row in rows.iter().filter(|row| row.shape != Shape::Plain) {
        let (family, list) = (row.family(), list(row, rows));
        let is_known = lists.iter().any(|(known, families)| *known != list && families.contains(&family));
        let list = match row.facts.status {
            Status::Deprecated(since) if is_known => format!("{list}, which are deprecated since OpenSHMEM {since}"),
            _ => list,
        };
        match lists.iter_mut().find(|(known, _)| *known == list) {
            Some((_, families)) if families.contains(&family) => {}
            Some((_, families)) => families.push(family),
            None => lists.push((list, vec![family])),
        }
    }
    let alone = |mark: &str| lists.iter().filter(|(_, families)| families[0].contains(mark)).count() == 1;
    let (one_type, one_size) = (alone("TYPE"), alone("SIZE"));
    let paragraph = |(list, families): &(String, Vec<String>)| {
        let is_type = families[0].contains("TYPE");
        let what = if is_type { "TYPE" } else { "SIZE" };
        let mut spans = vec![Span::Code(what.to_owned())];
        if !(if is_type { one_type } else { one_size }) {
            spans.push(said(" of "));
            spans.extend(enumerated(families.iter().map(String::as_str)));
        }
        let also = if list.contains("which are deprecated") { "is also" } else { "is" };
        spans.push(said(&format!(" {also} one of {list}.")));
        Block::Paragraph(spans)
    };
    lists.iter().map(paragraph).collect()
}

/// The types or sizes of a row. They include those of a sibling row for types that the specification leaves out.
fn list(row: &Routine, rows: &[&Routine]) -> String {
    let family = row.family();
    let same = |other: &&&Routine| {
        other.family() == family
            && other.args == row.args
            && (other.facts.status == row.facts.status
                || [other.facts.status, row.facts.status].contains(&Status::Extension))
    };
    let names: Vec<&str> =
        rows.iter().filter(same).flat_map(|row| row.instances).map(|instance| instance.name).collect();
    if row.shape == Shape::Typed { element_types(&names) } else { sizes(&names) }
}

/// Element types, each with its C spelling if that differs from the name.
fn element_types(names: &[&str]) -> String {
    let spelled = |name: &str| element(name).map(|element| element.c);
    let (underscored, others): (Vec<&str>, Vec<&str>) =
        names.iter().partition(|name| spelled(name) == Some(&format!("{name}_t")));
    let one = |name: &&str| match spelled(name) {
        Some(c) if c != *name => format!("{name} ({c})"),
        _ => (*name).to_owned(),
    };
    let mut text = others.iter().map(one).collect::<Vec<_>>().join(", ");
    if !underscored.is_empty() {
        text += &format!("; {}, for C's types of these names with _t", underscored.join(", "));
    }
    text
}

fn sizes(names: &[&str]) -> String {
    let (bytes, bits): (Vec<&str>, Vec<&str>) = names.iter().partition(|name| **name == "mem");
    let bits = (!bits.is_empty()).then(|| format!("{} (bits)", bits.join(", ")));
    let bytes = (!bytes.is_empty()).then(|| "mem (bytes)".to_owned());
    bits.into_iter().chain(bytes).collect::<Vec<_>>().join(", ")
}
