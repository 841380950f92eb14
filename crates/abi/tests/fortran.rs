//! Compares the Fortran table with the specification's own list, in both directions.

use ferrite_abi::fortran::{Procedure, Returned, procedures};
use std::collections::{BTreeMap, BTreeSet};

/// The rows of the list: name, kind, result, arguments, standing.
fn facts() -> Vec<Vec<&'static str>> {
    include_str!("../spec/fortran.tsv").lines().skip(1).map(|line| line.split('\t').collect()).collect()
}

/// An argument's name without the type that the specification puts behind some: `value_i4`.
fn bare(argument: &str) -> String {
    let name = argument.trim().to_lowercase();
    ["_i4", "_i8", "_r4", "_r8"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(&name).to_owned()
}

/// How the list writes what a procedure returns.
fn result(procedure: &Procedure) -> String {
    match procedure.returned {
        None => String::new(),
        Some(Returned::Integer) => "INTEGER".to_owned(),
        Some(Returned::Logical) => "LOGICAL".to_owned(),
        Some(Returned::Address | Returned::Long) => "INTEGER*8".to_owned(),
        Some(Returned::Double) => "DOUBLE PRECISION".to_owned(),
        Some(Returned::Value) => procedure.element.to_uppercase().replace('(', "*").replace(')', ""),
    }
}

#[test]
fn the_table_expands_to_the_procedures_of_the_specification() {
    let expected: BTreeMap<String, (String, Vec<String>, bool)> = facts()
        .iter()
        .map(|row| {
            assert_eq!(row[1] == "FUNCTION", !row[2].is_empty(), "{}", row[0]);
            let args = row[3].trim_matches(['(', ')']).split(',').map(bare).filter(|name| !name.is_empty()).collect();
            let extension = matches!(row[4], "Cray" | "Open MPI" | "Ferrite");
            (row[0].to_lowercase(), (row[2].to_owned(), args, extension))
        })
        .collect();
    let table: BTreeMap<String, (String, Vec<String>, bool)> = procedures()
        .iter()
        .map(|p| (p.name.clone(), (result(p), p.args.iter().map(|(name, _)| bare(name)).collect(), p.extension)))
        .collect();
    let missing: Vec<_> = expected.iter().filter(|(name, row)| table.get(*name) != Some(row)).take(10).collect();
    let surplus: Vec<_> = table.iter().filter(|(name, row)| expected.get(*name) != Some(row)).take(10).collect();
    assert!(missing.is_empty() && surplus.is_empty(), "missing {missing:#?}\nsurplus {surplus:#?}");
}

#[test]
fn all_of_1_4_is_there() {
    assert_eq!(facts().iter().filter(|row| row[4] == "1.4").count(), 169);
}

#[test]
fn no_symbol_comes_from_two_procedures() {
    let all: Vec<String> = procedures().iter().flat_map(Procedure::symbols).collect();
    let distinct: BTreeSet<&String> = all.iter().collect();
    assert_eq!(all.len(), distinct.len());
}
