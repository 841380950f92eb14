//! Generic interfaces: one name for all types, and for arrays of up to two ranks.
//!
//! There is a specific for each type and rank, since ranks must agree in the resolution of generic names. It binds directly to the C
//! routine of that type, or of that size if C has no such type; the module contains no code.
//!
//! C's routines count in `integer(c_size_t)`. Fortran's older put and get count in default INTEGER. They are part of the same generics, so
//! both kinds of counts are accepted. Fortran had no such procedures with a context or for INTEGER(2). There the count must be
//! `integer(c_size_t)`, because further specifics would be code that programs have to link.

use super::{
    super::c11,
    binding::{self, Body, TYPES, Type},
};
use ferrite_abi::{
    Routine, Shape, Symbol,
    fortran::{Procedure, Role},
    symbols,
};

/// Largest rank with specifics. Arrays of more ranks are passed by an element.
const RANK_MAX: usize = 2;

/// A generic name and the bodies of its specifics.
pub(super) struct Generic {
    pub name: String,
    pub bodies: Vec<String>,
}

/// All generics of the rows.
pub(super) fn all(rows: &[Routine], procedures: &[Procedure]) -> Vec<Generic> {
    c11::collect(rows)
        .iter()
        .filter(|generic| generic.rows[0].shape == Shape::Typed)
        .filter(|generic| generic.rows.iter().any(|row| !is_deprecated(row)))
        .map(|generic| {
            let mut bodies = Vec::new();
            for row in generic.rows.iter().filter(|row| !is_deprecated(row)) {
                TYPES.iter().for_each(|t| bodies.extend(typed(row, t)));
                if let Some(sized) = sized_sibling(rows, row) {
                    let lacking = TYPES.iter().filter(|t| !has(row, t));
                    lacking.for_each(|t| bodies.extend(sized_as(sized, row, t)));
                }
            }
            TYPES.iter().for_each(|t| bodies.extend(counted_in_integer(&generic.name, procedures, t)));
            Generic { name: generic.name.clone(), bodies }
        })
        .collect()
}

fn is_deprecated(row: &Routine) -> bool {
    matches!(row.facts.status, ferrite_abi::Status::Deprecated(_) | ferrite_abi::Status::Extension)
}

fn has(row: &Routine, t: &Type) -> bool {
    row.instances.iter().any(|instance| Some(instance.name) == t.c)
}

/// The ranks that a routine's arrays may have: only scalars if it has no number of elements.
fn ranks(symbol: &Symbol) -> std::ops::RangeInclusive<usize> {
    let names = |wanted: &str| symbol.args.iter().any(|arg| arg.name == wanted);
    match () {
        () if names("ivars") => 1..=1,
        () if ["nelems", "nreduce", "bsize"].into_iter().any(names) => 0..=RANK_MAX,
        () => 0..=0,
    }
}

/// The name of a specific, such as `shmem_put_i4r1`. `what` is a distinguishing prefix, such as `ctx_`.
fn specific(stem: &str, what: &str, t: &Type, rank: usize) -> String {
    format!("shmem_{what}{stem}_{}r{rank}", t.short)
}

fn bodies(symbol: &Symbol, stem: &str, t: &Type) -> Vec<String> {
    // Strided routines with a context have no specifics, to keep the generics small; programs use their sized names.
    if symbol.twin && symbol.args.iter().any(|arg| arg.name == "dst") {
        return Vec::new();
    }
    let what = if symbol.twin { "ctx_" } else { "" };
    ranks(symbol).map(|rank| binding::routine(symbol, &specific(stem, what, t, rank), Some(t.fortran), rank)).collect()
}

fn typed(row: &Routine, t: &Type) -> Vec<String> {
    let of_type = symbols(row).into_iter().filter(|s| s.element.is_some_and(|e| Some(e.name) == t.c));
    of_type.flat_map(|symbol| bodies(&symbol, row.stem, t)).collect()
}

/// The row of untyped routines that corresponds to a row of typed ones.
fn sized_sibling<'r>(rows: &'r [Routine], row: &Routine) -> Option<&'r Routine> {
    rows.iter().find(|other| other.shape == Shape::Sized && format!("{}{}", other.stem, other.suffix) == row.stem)
}

fn sized_as(sized: &Routine, row: &Routine, t: &Type) -> Vec<String> {
    let Some(size) = t.size else { return Vec::new() };
    let of_size = |symbol: &Symbol| symbol.name.ends_with(&format!("{}{size}{}", sized.stem, sized.suffix));
    symbols(sized).iter().filter(|symbol| of_size(symbol)).flat_map(|symbol| bodies(symbol, row.stem, t)).collect()
}

/// Bodies of Fortran's own procedures for the type's size, bound to their symbols: put, get and the strided ones.
fn counted_in_integer(generic: &str, procedures: &[Procedure], t: &Type) -> Vec<String> {
    let stem = generic.trim_start_matches("shmem_");
    let Some(entry) = t.entry else { return Vec::new() };
    let (start, end) = stem.strip_suffix("_nbi").map_or((stem, ""), |start| (start, "_nbi"));
    if !["put", "get", "iput", "iget"].contains(&start) {
        return Vec::new();
    }
    let wanted = format!("shmem_{start}{entry}{end}");
    let found = procedures.iter().filter(|procedure| procedure.name == wanted);
    found.flat_map(|procedure| (0..=RANK_MAX).map(|rank| integer_body(procedure, stem, t, rank))).collect()
}

fn integer_body(procedure: &Procedure, stem: &str, t: &Type, rank: usize) -> String {
    let mut body = Body::new(&specific(stem, "int_", t, rank), Some(&procedure.symbols()[0]));
    let shape = if rank == 0 { String::new() } else { format!("({}*)", "1,".repeat(rank - 1)) };
    for &(name, role) in &procedure.args {
        match role {
            Role::Choice => body.arg(name, t.fortran, &shape),
            _ => body.arg(name, "integer(c_int), intent(in)", ""),
        }
    }
    body.text()
}
