//! The synopsis in Fortran: the procedures of a page, and the C names that the module offers.

use super::{
    catalogue::{Catalogue, generics},
    markup::{Block, Span},
    page::Page,
    synopsis::{code, enumerated, said, wrap},
};
use ferrite_abi::{
    fortran::{Procedure, Returned, Role},
    symbols,
};
use std::collections::BTreeSet;

/// The blocks; empty if no routine of the page exists in Fortran.
pub fn synopsis(catalogue: &Catalogue, page: &Page) -> Vec<Block> {
    let procedures = catalogue.procedures_of(page);
    let mut blocks = Vec::new();
    if !procedures.is_empty() {
        blocks.push(Block::Paragraph(vec![said("In Fortran, all arguments by reference:")]));
        let mut text = String::new();
        let mut families: Vec<&str> = Vec::new();
        for procedure in &procedures {
            if !families.contains(&procedure.family.as_str()) {
                families.push(&procedure.family);
                text += &declared(procedure);
            }
        }
        // Constants beyond the specification are in a separate file.
        let include =
            if families.iter().any(|family| family.starts_with("shmemx_")) { "shmemx.fh" } else { "shmem.fh" };
        blocks.push(code("fortran", format!("use shmem    ! or: include '{include}'\n\n{text}")));
        blocks.extend(instances(&families, &procedures));
    }
    let rows = catalogue.rows_of(page);
    let own: BTreeSet<&str> = procedures.iter().map(|procedure| procedure.name.as_str()).collect();
    let names: BTreeSet<String> = rows
        .iter()
        .flat_map(|row| symbols(row))
        .map(|symbol| symbol.name)
        .chain(generics(&rows).into_iter().map(|generic| generic.name))
        .filter(|name| catalogue.in_module.contains(name) && !own.contains(name.as_str()))
        .collect();
    if !names.is_empty() {
        let mut spans = vec![said("With "), Span::Code("use shmem".to_owned()), said(", Fortran has C's ")];
        spans.extend(enumerated(names.iter().map(String::as_str)));
        spans.push(said(&format!("{}.", if procedures.is_empty() { "" } else { " too" })));
        blocks.push(Block::Paragraph(spans));
    }
    blocks
}

fn declared(procedure: &Procedure) -> String {
    let what = match procedure.returned {
        None => "subroutine",
        Some(Returned::Integer) => "integer function",
        Some(Returned::Logical) => "logical function",
        Some(Returned::Address) => "integer(c_intptr_t) function",
        Some(Returned::Long) => "integer(c_int64_t) function",
        Some(Returned::Double) => "double precision function",
        Some(Returned::Value) => "TYPE function",
    };
    let args: Vec<String> = procedure.args.iter().map(|(name, _)| (*name).to_owned()).collect();
    let mut text = wrap(&format!("{what} {}", procedure.family), &args, "");
    let mut lines: Vec<(&str, Vec<&str>)> = Vec::new();
    for (name, role) in &procedure.args {
        let kind = kind(*role);
        match lines.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, names)) => names.push(name),
            None => lines.push((kind, vec![name])),
        }
    }
    for (kind, names) in lines {
        text += &format!("    {kind} :: {}\n", names.join(", "));
    }
    text
}

fn kind(role: Role) -> &'static str {
    match role {
        Role::Choice => "type(*), dimension(*)",
        Role::Object | Role::Value => "TYPE",
        Role::Integer => "integer, intent(in)",
        Role::Out => "integer, intent(out)",
        Role::Long => "integer(8), intent(in)",
        Role::LongOut => "integer(8), intent(out)",
        Role::Longs => "integer(8), dimension(*)",
        Role::Signal => "integer(8)",
        Role::Pointer => "integer(c_intptr_t)",
        Role::Psync => "integer, dimension(*)",
        Role::Lock => "integer",
        Role::Text => "character(*), intent(out)",
        Role::Team => "integer(c_intptr_t), intent(in)",
        Role::NewTeam => "integer(c_intptr_t)",
    }
}

/// The values of TYPE and SIZE in Fortran. Families with the same values share a sentence.
fn instances(families: &[&str], procedures: &[&Procedure]) -> Vec<Block> {
    let mut lists: Vec<(&str, String, Vec<&str>)> = Vec::new();
    for family in families {
        let Some(mark) = ["TYPE", "SIZE"].into_iter().find(|mark| family.contains(mark)) else { continue };
        let all = procedures.iter().filter(|procedure| procedure.family == *family);
        let list = all.map(|procedure| instance(procedure, mark)).collect::<Vec<_>>().join(", ");
        match lists.iter_mut().find(|(of, known, _)| *of == mark && *known == list) {
            Some((_, _, families)) => families.push(family),
            None => lists.push((mark, list, vec![family])),
        }
    }
    let sentence = |(mark, list, families): &(&str, String, Vec<&str>)| {
        let mut spans = vec![said("Fortran's "), Span::Code((*mark).to_owned()), said(" of ")];
        spans.extend(enumerated(families.iter().copied()));
        spans.push(said(&format!(" is one of {list}.")));
        Block::Paragraph(spans)
    };
    lists.iter().map(sentence).collect()
}

/// The value of `mark` in a procedure's name, with its meaning.
fn instance(procedure: &Procedure, mark: &str) -> String {
    let (before, after) = procedure.family.split_once(mark).unwrap_or_default();
    let name = procedure.name.strip_prefix(before).and_then(|rest| rest.strip_suffix(after)).unwrap_or_default();
    match name {
        "4" | "8" => format!("{name} (bytes)"),
        "mem" => "mem (of one byte)".to_owned(),
        _ if mark == "SIZE" => format!("{name} (bits)"),
        _ if procedure.element.is_empty() || procedure.element == name => name.to_owned(),
        _ => format!("{name} ({})", procedure.element),
    }
}
