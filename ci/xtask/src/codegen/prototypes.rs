//! C prototypes.

use super::all_symbols;
use ferrite_abi::{Routine, Status, Symbol};

/// A prototype for each name, with `prefix` before the name.
pub fn block(rows: &[Routine], prefix: &str) -> String {
    let mut text = String::new();
    let mut heading = String::new();
    for symbol in all_symbols(rows).into_iter().filter(|symbol| !symbol.row.facts.undeclared) {
        let next = describe(&symbol.row);
        if next != heading {
            text += &format!("{}/* {next} */\n", if heading.is_empty() { "" } else { "\n" });
            heading = next;
        }
        text += &one(&symbol, prefix);
    }
    text
}

fn describe(row: &Routine) -> String {
    let section = row.facts.section;
    match row.facts.status {
        Status::Current => section.to_owned(),
        Status::Since(version) => format!("{section}, since {version}"),
        Status::Deprecated(version) => format!("{section}, deprecated since {version}"),
        Status::Removed(version) => format!("{section} of earlier versions, removed in {version}"),
        Status::Extension => format!("{section}, extensions of other libraries"),
        Status::Vendor(vendor) => format!("{vendor}: {section}"),
    }
}

fn one(symbol: &Symbol, prefix: &str) -> String {
    let noreturn = if symbol.diverges() { "_SHMEM_NORETURN " } else { "" };
    let prototype = symbol.prototype_as(&format!("{prefix}{}", symbol.name));
    format!("{noreturn}{};\n", spell(&prototype))
}

/// Replace complex types by names that work in C and C++.
pub fn spell(text: &str) -> String {
    text.replace("double _Complex", "_SHMEM_complexd").replace("float _Complex", "_SHMEM_complexf")
}
