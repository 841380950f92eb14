//! Compares the table with the specification's own lists, in both directions.

use ferrite_abi::{Routine, Shape, Status, constants, everything, extension_routines, routines, symbols};
use std::collections::{BTreeMap, BTreeSet};

fn facts(text: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    text.lines().skip(1).map(|line| line.split('\t').collect())
}

fn status(of: Status) -> String {
    match of {
        Status::Current => "current".to_owned(),
        Status::Since(version) => format!("since {version}"),
        Status::Deprecated(version) => format!("deprecated {version}"),
        Status::Removed(version) => format!("removed {version}"),
        Status::Extension => "extension".to_owned(),
        Status::Vendor(vendor) => vendor.to_owned(),
    }
}

fn in_spec(row: &Routine) -> bool {
    !matches!(row.facts.status, Status::Removed(_) | Status::Extension)
}

#[test]
fn the_table_expands_to_the_routines_of_the_specification() {
    let expected: BTreeSet<String> = facts(include_str!("../spec/routines.tsv")).map(|row| row.join("\t")).collect();
    assert_eq!(expected.len(), 1788);
    let table: BTreeSet<String> = routines()
        .iter()
        .filter(|row| in_spec(row))
        .flat_map(symbols)
        .map(|s| {
            let generic = s.row.generic().unwrap_or_else(|| "-".to_owned());
            let (section, status) = (s.row.facts.section, status(s.row.facts.status));
            format!("{section}\t{}\t{status}\t{generic}\t{}", s.name, s.prototype())
        })
        .collect();
    let missing: Vec<_> = expected.difference(&table).take(10).collect();
    let surplus: Vec<_> = table.difference(&expected).take(10).collect();
    assert!(missing.is_empty() && surplus.is_empty(), "missing {missing:#?}\nsurplus {surplus:#?}");
}

/// The vendors' routines, by their own synopses; what `Ferrite` offers is its own.
#[test]
fn the_extensions_are_those_of_the_vendors() {
    let expected: BTreeSet<String> = facts(include_str!("../spec/extensions.tsv")).map(|row| row.join("\t")).collect();
    let table: BTreeSet<String> = extension_routines()
        .iter()
        .filter(|row| row.facts.status != Status::Vendor("Ferrite"))
        .flat_map(symbols)
        .map(|s| format!("{}\t{}", status(s.row.facts.status), s.prototype()))
        .collect();
    let missing: Vec<_> = expected.difference(&table).take(10).collect();
    let surplus: Vec<_> = table.difference(&expected).take(10).collect();
    assert!(missing.is_empty() && surplus.is_empty(), "missing {missing:#?}\nsurplus {surplus:#?}");
}

#[test]
fn no_name_comes_from_two_rows() {
    let names: Vec<String> = everything().iter().flat_map(symbols).map(|s| s.name).collect();
    let distinct: BTreeSet<&String> = names.iter().collect();
    assert_eq!(names.len(), distinct.len());
}

#[test]
fn what_was_removed_is_still_there() {
    let table: BTreeSet<String> = routines()
        .iter()
        .filter(|row| row.facts.status == Status::Removed("1.5"))
        .flat_map(symbols)
        .map(|s| s.prototype())
        .collect();
    let expected: BTreeSet<String> = facts(include_str!("../spec/removed.tsv")).map(|row| row[2].to_owned()).collect();
    assert_eq!(table, expected);
}

#[test]
fn constants_are_those_of_the_specification() {
    let of_the_specification = constants::all().filter(|c| !matches!(c.status, Status::Vendor(_)));
    let table: BTreeMap<&str, String> = of_the_specification.map(|c| (c.name, status(c.status))).collect();
    let expected: BTreeMap<&str, String> = facts(include_str!("../spec/constants.tsv"))
        .filter(|row| row[2] != "type")
        .map(|row| (row[1], row[3].to_owned()))
        .collect();
    assert_eq!(table, expected);
}

#[test]
fn generics_exist_for_the_types_of_the_specification() {
    let mut table: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for row in routines().into_iter().filter(in_spec) {
        let Some(name) = row.generic() else { continue };
        let types = table.entry(name).or_default();
        types.extend(symbols(&row).iter().filter_map(|s| s.element).map(|e| e.lp64));
    }
    // `shmem_global_exit` is listed only because it does not return, which the row's result expresses. It is not an overload.
    let expected: BTreeMap<String, BTreeSet<&str>> = facts(include_str!("../spec/generics.tsv"))
        .filter(|row| row[1] != "shmem_global_exit")
        .map(|row| (row[1].to_owned(), row[2].split(", ").filter(|t| *t != "-").collect()))
        .collect();
    assert_eq!(table, expected);
}

#[test]
fn rows_of_a_shape_have_what_the_shape_needs() {
    for row in everything() {
        assert!(row.suffix.is_empty() || row.shape == Shape::Sized, "{} has a suffix but no size", row.stem);
        assert!(!row.instances.is_empty(), "{} exists for nothing", row.stem);
        let typed = symbols(&row).iter().filter(|s| s.element.is_some()).count();
        let expected = if row.shape == Shape::Typed { symbols(&row).len() } else { 0 };
        assert_eq!(typed, expected, "{} has an unknown type", row.stem);
    }
}

/// Not a failure: how far the runtime has come, in the test's output.
#[test]
fn report_what_is_pending() {
    let rows = routines();
    let pending: Vec<&Routine> = rows.iter().filter(|row| !row.served).collect();
    let names: usize = pending.iter().map(|row| symbols(row).len()).sum();
    println!("{} of {} rows pending, {names} names", pending.len(), rows.len());
    assert!(names < 1788, "nothing is served");
}
