//! The module: it has only interfaces and constants, so that programs need not link anything.

use super::{
    super::Rows,
    banner,
    binding::{self, routine},
    generics, include, shown,
};
use ferrite_abi::{
    Routine, Shape, Status, Symbol,
    constants::{self, Constant, Value},
    extensions::{self, DEVICE_VENDOR},
    symbols,
};
use std::collections::BTreeSet;

const HEAD: &str = "!
! shmem.mod is for one compiler. With another compiler, compile this file first; there is nothing to link.
!
! - Symmetric are variables with SAVE, of modules and COMMON, and memory allocated by SHPALLOC or shmem_malloc. A variable that
!   peers write should be ASYNCHRONOUS or VOLATILE if it is also used between calls.
! - The generics (shmem_put, shmem_atomic_add, shmem_sum_reduce, ...) take scalars and arrays of one or two ranks; for an array
!   of more ranks pass its first element. Sections must be contiguous. Counts are of c_size_t; those of put and
!   get may also be of default INTEGER, but not with a context, nor for INTEGER(2), for which Fortran never had procedures.
! - Sizes in names: shmem_put8 moves elements of 8 bytes, as in Fortran's procedures; in C the size is 8 bits.
! - Handles are integers of kind shmem_handle. Two of C's constants have the names of routines; here they end in _OP:
!   SHMEM_SIGNAL_SET_OP, SHMEM_SIGNAL_ADD_OP.
! - Memory of GPUs: pass shmemg_malloc's result to c_f_pointer, and the elements of that pointer to routines only. The host
!   cannot read or write them.

module shmem
  use, intrinsic :: iso_c_binding
  implicit none
  public

  ! Contexts and teams.
  integer, parameter :: shmem_handle = c_intptr_t

  type, bind(C) :: shmem_team_config_t
    integer(c_int) :: num_contexts
  end type

  type, bind(C) :: shmem_ctx_session_config_t
    integer(c_size_t) :: total_ops
  end type

  ! A space of device memory, HPE's; its handle is of type(c_ptr).
  type, bind(C) :: shmem_space_config_t
    integer(c_size_t) :: size
    integer(c_int) :: mtype
  end type

";

/// Sizes that mean the same in Fortran and in C. The sizes 4 and 8 do not: Fortran's unit is a byte.
const SIZES: [&str; 5] = ["16", "32", "64", "128", "mem"];

pub(super) fn shmem_f90(rows: Rows) -> String {
    let what = "OpenSHMEM for Fortran 2018: the procedures of 1.4, and C's of 1.6.";
    let mut text = banner("shmem.f90", what) + HEAD;
    text += "  ! Constants of 1.4, default INTEGER as in shmem.fh.\n";
    text += &include::parameters();
    text += "\n  ! Constants of C, with the kinds that its routines expect.\n";
    text += &c_constants();
    text += &include::teams();
    text += "\n  ! Constants for memory of GPUs.\n";
    text += &device_constants();
    text += "\n  ! Procedures of 1.4: arguments by reference, counts and pSync of default INTEGER. Two of them, shmem_put and\n";
    text += "  ! shmem_wait_until, are generics below.\n  interface\n";
    let (current, procedures) = (rows.of_module(), shown(rows));
    let generics = generics::all(&current, &procedures);
    let generic: BTreeSet<&str> = generics.iter().map(|generic| generic.name.as_str()).collect();
    let plain = procedures.iter().filter(|procedure| !generic.contains(procedure.name.as_str()));
    plain.for_each(|procedure| text += &binding::procedure(procedure));
    text += "  end interface\n\n  ! C's routines, with their own names.\n  interface\n";
    let taken: BTreeSet<&str> = procedures.iter().map(|procedure| procedure.name.as_str()).collect();
    for symbol in by_own_names(&current) {
        if !taken.contains(symbol.name.as_str()) && !generic.contains(symbol.name.as_str()) {
            text += &routine(&symbol, &symbol.name, None, 0);
        }
    }
    text += "  end interface\n";
    for generic in &generics {
        text += &format!("\n  interface {}\n{}  end interface\n", generic.name, generic.bodies.concat());
    }
    text + "end module shmem\n"
}

/// The C names that the module offers.
pub(super) fn c_names(rows: Rows) -> BTreeSet<String> {
    let current = rows.of_module();
    let generic = generics::all(&current, &shown(rows)).into_iter().map(|generic| generic.name);
    generic.chain(by_own_names(&current).map(|symbol| symbol.name)).collect()
}

/// The routines that the module offers by their C names: routines without a size, and routines whose size means the same in Fortran.
fn by_own_names(rows: &[Routine]) -> impl Iterator<Item = Symbol> {
    let all = rows.iter().filter(|row| offered(row)).flat_map(symbols);
    all.filter(|symbol| symbol.row.shape == Shape::Plain || SIZES.iter().any(|size| is_of_size(symbol, size)))
}

/// True if this is the size in a routine's name: `shmem_ctx_put32_nbi` has size `32`.
fn is_of_size(symbol: &Symbol, size: &str) -> bool {
    let Routine { prefix, stem, suffix, .. } = symbol.row;
    let ctx = if symbol.twin { "ctx_" } else { "" };
    symbol.name == format!("{prefix}{ctx}{stem}{size}{suffix}")
}

/// True for rows offered by their C names: not variadic routines, which only C can call, and not deprecated ones.
fn offered(row: &Routine) -> bool {
    row.shape != Shape::Typed
        && !row.facts.variadic
        && matches!(row.facts.status, Status::Current | Status::Since(_) | Status::Vendor(_))
        && !row.stem.starts_with('_')
}

fn c_constants() -> String {
    let mut text = String::new();
    for constant in constants::all().filter(|c| !include::has(c.name) && !c.name.starts_with('_')) {
        let (kind, value) = match constant.value {
            Value::Int(value) => ("c_int", value.to_string()),
            Value::Long(value) => ("c_long", value.to_string()),
            Value::Ctx(value) | Value::Req(value) => ("shmem_handle", value.to_string()),
            // Teams are defined with Cray's names for them.
            Value::Team(_) | Value::Text(_) | Value::Alias(_) => continue,
        };
        text += &format!("  integer({kind}), parameter :: {} = {value}_{kind}\n", spelled(constant.name));
    }
    text
}

fn device_constants() -> String {
    let mut text = String::new();
    let is_wanted = |c: &&Constant| c.status == Status::Vendor(DEVICE_VENDOR) || c.name == "SHMEM_MTYPE_GPU";
    for constant in extensions::all_constants().filter(is_wanted) {
        let (kind, value) = match constant.value {
            Value::Int(value) => ("c_int", format!("{value}_c_int")),
            Value::Long(value) => ("c_long", format!("{value}_c_long")),
            Value::Alias(of) => ("shmem_handle", of.to_owned()),
            other => panic!("{}: {other:?} has no Fortran spelling here", constant.name),
        };
        text += &format!("  integer({kind}), parameter :: {} = {value}\n", constant.name);
    }
    text
}

/// Fortran names are case-insensitive, and two constants would have the names of routines.
fn spelled(name: &str) -> String {
    match name {
        "SHMEM_SIGNAL_SET" | "SHMEM_SIGNAL_ADD" => format!("{name}_OP"),
        _ => name.to_owned(),
    }
}
