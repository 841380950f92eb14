//! The routines of the tables, by family, and the pages that describe them.

use super::page::Page;
use crate::{
    Result,
    codegen::{Rows, c11, fortran},
};
use ferrite_abi::{
    Routine, everything,
    fortran::{Procedure, procedures},
    symbols,
};
use std::collections::{BTreeMap, BTreeSet};

/// Everything that a program can call.
pub struct Catalogue {
    /// The rows of C's tables that are served.
    pub rows: Vec<Routine>,
    /// The Fortran procedures that are served.
    pub procedures: Vec<Procedure>,
    /// The names of C that the Fortran module offers.
    pub in_module: BTreeSet<String>,
}

impl Catalogue {
    pub fn read() -> Catalogue {
        let rows = everything().into_iter().filter(|row| row.served).collect();
        let procedures = procedures().into_iter().filter(|procedure| procedure.served).collect();
        Catalogue { rows, procedures, in_module: fortran::c_names(Rows::Served) }
    }

    pub fn families(&self) -> BTreeSet<String> {
        let c = self.rows.iter().map(Routine::family);
        c.chain(self.procedures.iter().map(|procedure| procedure.family.clone())).collect()
    }

    /// The rows that a page describes.
    pub fn rows_of(&self, page: &Page) -> Vec<&Routine> {
        page.routines.iter().flat_map(|family| self.rows.iter().filter(move |row| row.family() == *family)).collect()
    }

    /// The Fortran procedures that a page describes.
    pub fn procedures_of(&self, page: &Page) -> Vec<&Procedure> {
        let all = &self.procedures;
        let families = page.routines.iter();
        families.flat_map(|family| all.iter().filter(move |procedure| procedure.family == *family)).collect()
    }

    /// The names by which a page is found: its own, its routines' names, generic names, and the names of families without TYPE or SIZE.
    pub fn names_of(&self, page: &Page) -> BTreeSet<String> {
        let rows = self.rows_of(page);
        let mut names: BTreeSet<String> = [page.name.clone()].into_iter().chain(page.aliases.iter().cloned()).collect();
        names.extend(rows.iter().flat_map(|row| symbols(row)).map(|symbol| symbol.name));
        names.extend(self.procedures_of(page).iter().map(|procedure| procedure.name.clone()));
        names.extend(rows.iter().filter_map(|row| row.generic()));
        names.extend(page.routines.iter().map(|family| bare(family)));
        names
    }

    /// The page of each name. An error if a routine has no page, or a page describes a routine that does not exist.
    pub fn index<'p>(&self, pages: &'p [Page]) -> Result<BTreeMap<(char, String), &'p Page>> {
        let mut wrong = Vec::new();
        let families = self.families();
        let mut described: BTreeMap<&str, &Page> = BTreeMap::new();
        for page in pages {
            for family in &page.routines {
                if !families.contains(family) {
                    wrong.push(format!("{} describes {family}, which the tables do not have", page.title()));
                }
                if let Some(other) = described.insert(family, page) {
                    wrong.push(format!("{} and {} both describe {family}", other.title(), page.title()));
                }
            }
        }
        wrong.extend(
            families.iter().filter(|f| !described.contains_key(f.as_str())).map(|f| format!("no page describes {f}")),
        );
        let mut index = BTreeMap::new();
        for page in pages {
            let names = self.names_of(page);
            let is_routine = |name: &&String| **name == page.name && !names_a_routine(self, page);
            wrong.extend(
                names
                    .iter()
                    .find(is_routine)
                    .map(|name| format!("{} has the name {name}, and does not describe that routine", page.title())),
            );
            for name in names {
                if let Some(other) = index.insert((page.section, name.clone()), page) {
                    wrong.push(format!("{} and {} both have the name {name}", other.title(), page.title()));
                }
            }
        }
        if wrong.is_empty() { Ok(index) } else { Err(wrong.join("\n")) }
    }
}

/// True if a page of routines has the name of one of them, or of their family.
fn names_a_routine(catalogue: &Catalogue, page: &Page) -> bool {
    let unnamed = Page { name: String::new(), ..page.clone() };
    page.section != '3' || catalogue.names_of(&unnamed).contains(&page.name)
}

/// A family's name without TYPE or SIZE.
fn bare(family: &str) -> String {
    family.replace("TYPE_", "").replace("SIZE", "")
}

/// The generics among these rows: each with its name and its rows.
pub fn generics(rows: &[&Routine]) -> Vec<c11::Generic> {
    let rows: Vec<Routine> = rows.iter().map(|row| **row).collect();
    c11::collect(&rows)
}
