//! The include files. They can be read in fixed and in free form: comments begin with `!`, statements begin in the seventh column, and no
//! line is continued or reaches beyond the 72nd column.
//!
//! They declare only the three functions whose result types a program could not guess. A program of OpenSHMEM 1.4 declares the others
//! itself, as the specification's synopses do, and a second declaration is an error. For programs that were written for an include with all
//! declarations there is `typed/shmem.fh`.

use super::banner;
use ferrite_abi::{
    constants::{self, Constant, Value},
    extensions::{SHMEM_COLOR_UNDEFINED, SHMEMX_INIT_WITH_UNIQUEID, SHMEMX_LOSS_RETURNS},
    fortran::{Procedure, Returned},
};

/// The constants of the Fortran interface: OpenSHMEM 1.4's.
const CONSTANTS: &[&str] = &[
    "SHMEM_MAJOR_VERSION",
    "SHMEM_MINOR_VERSION",
    "SHMEM_MAX_NAME_LEN",
    "SHMEM_VENDOR_STRING",
    "SHMEM_CMP_EQ",
    "SHMEM_CMP_NE",
    "SHMEM_CMP_GT",
    "SHMEM_CMP_LE",
    "SHMEM_CMP_LT",
    "SHMEM_CMP_GE",
    "SHMEM_SYNC_VALUE",
    "SHMEM_SYNC_SIZE",
    "SHMEM_BCAST_SYNC_SIZE",
    "SHMEM_REDUCE_SYNC_SIZE",
    "SHMEM_BARRIER_SYNC_SIZE",
    "SHMEM_COLLECT_SYNC_SIZE",
    "SHMEM_ALLTOALL_SYNC_SIZE",
    "SHMEM_ALLTOALLS_SYNC_SIZE",
    "SHMEM_REDUCE_MIN_WRKDATA_SIZE",
];

/// Cray's names of the teams, and the constants that they stand for.
const TEAMS: &[(&str, &str)] = &[
    ("SHMEM_TEAM_WORLD", "SHMEM_TEAM_WORLD"),
    ("SHMEM_TEAM_SHARED", "SHMEM_TEAM_SHARED"),
    ("SHMEM_TEAM_NODE", "SHMEM_TEAM_SHARED"),
    ("SHMEM_TEAM_INVALID", "SHMEM_TEAM_INVALID"),
    ("SHMEM_TEAM_NULL", "SHMEM_TEAM_INVALID"),
];

/// The color of a PE that joins no team, as in the runtime.
const COLOR_UNDEFINED: Value = Value::Int(SHMEM_COLOR_UNDEFINED as i64);

/// The constant with this name.
pub(super) fn constant(name: &str) -> &'static Constant {
    constants::all()
        .find(|constant| constant.name == name)
        .expect("the lists of this module name constants of the table")
}

/// True if the include defines the constant; it is a default INTEGER there.
pub(super) fn has(name: &str) -> bool {
    CONSTANTS.contains(&name)
}

/// `PARAMETER` statements of the constants.
pub(super) fn parameters() -> String {
    CONSTANTS.iter().map(|name| parameter(name, constant(name).value)).collect()
}

/// The predefined teams, as handles of Cray's interface.
pub(super) fn teams() -> String {
    let teams = TEAMS.iter().map(|(name, of)| parameter(name, constant(of).value));
    teams.chain([parameter("SHMEM_COLOR_UNDEFINED", COLOR_UNDEFINED)]).collect()
}

fn parameter(name: &str, value: Value) -> String {
    let (kind, value) = match value {
        Value::Int(value) | Value::Long(value) => ("INTEGER", value.to_string()),
        Value::Text(value) => ("CHARACTER(LEN=SHMEM_MAX_NAME_LEN)", format!("'{value}'")),
        Value::Ctx(value) | Value::Team(value) | Value::Req(value) => ("INTEGER(KIND=8)", format!("{value}_8")),
        Value::Alias(of) => return parameter(name, constant(of).value),
    };
    format!("      {kind} {name}\n      PARAMETER ({name}={value})\n")
}

/// Mistakes for which compilers print no message or no helpful one.
const PITFALLS: &str = "\
! - Include it in procedures, not in the specification part of a module:
!   there the three become variables of the module, and compilers refuse to
!   call them (`is not a function`). In modules write `use shmem`.
! - Procedures named INTEGER, LOGICAL, REAL and COMPLEX move elements of
!   4 bytes (COMPLEX: two parts of 4 bytes), even if -fdefault-integer-8,
!   -fdefault-real-8, -freal-4-real-8, -i8 or -r8 make the program's wider:
!   then call those of INT8 and REAL8, PUT8, PUT64 and the like. A value
!   written to an INTEGER (ERRCODE, MAJOR, MINOR) also has 4 bytes.
! - gfortran 10 and later refuses to call one procedure with variables of
!   two types in one file (`Type mismatch between actual argument ...`):
!   compile with -fallow-argument-mismatch, or `use shmem`.
";

pub(super) fn shmem_fh(name: &str) -> String {
    let functions =
        "      LOGICAL SHMEM_PE_ACCESSIBLE\n      LOGICAL SHMEM_ADDR_ACCESSIBLE\n      INTEGER(KIND=8) SHMEM_PTR\n";
    let head = "OpenSHMEM 1.4 for Fortran, fixed or free form.\n! Of functions it types the three at its end alone, as others do: declare those \
                that you call\n! (INTEGER SHMEM_MY_PE, SHMEM_N_PES), or have all by `use shmem`. typed/shmem.fh\n! beside it declares all, for \
                programs that rely on that.";
    let what = format!("{head}\n{}", PITFALLS.trim_end());
    format!("{}\n{}\n{functions}", banner(name, &what), parameters())
}

/// The include that declares all functions.
pub(super) fn typed_shmem_fh(name: &str, procedures: &[Procedure]) -> String {
    let what = "what shmem.fh has, and the type of every function whose name begins with SHMEM.\n! For programs that declare none of them, as Cray's do: compile with\n! \
                -I$(oshfort --showme:incdirs)/typed. Those that declare some are refused\n! here (`already has basic type`).";
    // Names without the prefix may be a program's variables.
    let prefixed = procedures.iter().filter(|procedure| procedure.name.starts_with("shmem"));
    let functions: String = prefixed.filter_map(function).collect();
    format!("{}\n{}\n{functions}", banner(name, what), parameters())
}

fn function(procedure: &Procedure) -> Option<String> {
    let name = procedure.name.to_uppercase();
    let declared = match procedure.returned? {
        Returned::Integer => "INTEGER".to_owned(),
        Returned::Logical => "LOGICAL".to_owned(),
        Returned::Address | Returned::Long => "INTEGER(KIND=8)".to_owned(),
        Returned::Double => "DOUBLE PRECISION".to_owned(),
        Returned::Value => procedure.element.to_uppercase(),
    };
    // EXTERNAL, so that they are functions and not variables in a module that includes this file.
    Some(format!("      {declared} {name}\n      EXTERNAL {name}\n"))
}

pub(super) fn shmemx_fh(name: &str) -> String {
    let what =
        "Cray's teams for Fortran, beside shmem.fh, and starts by unique id.\n! Handles are of type INTEGER(KIND=8).";
    let start = parameter("SHMEMX_INIT_WITH_UNIQUEID", Value::Int(SHMEMX_INIT_WITH_UNIQUEID.into()));
    let loss = parameter("SHMEMX_LOSS_RETURNS", Value::Int(SHMEMX_LOSS_RETURNS.into()));
    format!("{}\n{}{start}{loss}", banner(name, what), teams())
}
