//! Handles: the opaque words that a program holds. Predefined handles are constants, so that they can be used in static initialisers.

use core::{
    ffi::{c_int, c_void},
    sync::atomic::AtomicU16,
};

/// The routine that the program called, by its public name. Only cold code reads it.
#[derive(Debug)]
pub struct Site {
    /// The name as the program wrote it.
    pub name: &'static str,
    /// The programming language that this name belongs to.
    pub language: Language,
    is_of_floats: bool,
    /// The number under which the routine is recorded (`boards`); 0 until it has one.
    pub(crate) number: AtomicU16,
}

/// The programming language of a routine; advice depends on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// C, C++, and Fortran where its module binds to the C routines.
    C,
    /// Fortran, through its own procedures.
    Fortran,
    /// Rust, through `crates/ferrite`.
    Rust,
}

impl Site {
    const fn of(name: &'static str, language: Language) -> Site {
        let bytes = name.as_bytes();
        let is_of_floats =
            has(bytes, b"_float_") || has(bytes, b"_double_") || has(bytes, b"_real4") || has(bytes, b"_real8");
        Site { name, language, is_of_floats, number: AtomicU16::new(0) }
    }

    /// Whether the routine is for floating-point numbers, as `shmem_double_atomic_set` is.
    pub fn is_of_floats(&self) -> bool {
        self.is_of_floats
    }

    /// A routine of the C interface.
    pub const fn of_c(name: &'static str) -> Site {
        Site::of(name, Language::C)
    }

    /// A procedure of the Fortran interface.
    pub const fn of_fortran(name: &'static str) -> Site {
        Site::of(name, Language::Fortran)
    }

    /// A function of the Rust library.
    pub const fn of_rust(name: &'static str) -> Site {
        Site::of(name, Language::Rust)
    }
}

/// Whether `name` contains `part`. Usable in constants.
const fn has(name: &[u8], part: &[u8]) -> bool {
    let mut rest = name;
    while let [_, shorter @ ..] = rest {
        if begins_with(rest, part) {
            return true;
        }
        rest = shorter;
    }
    false
}

const fn begins_with(mut name: &[u8], mut part: &[u8]) -> bool {
    while let ([one, shorter @ ..], [other, left @ ..]) = (name, part) {
        if *one != *other {
            return false;
        }
        (name, part) = (shorter, left);
    }
    part.is_empty()
}

/// A communication context: one of the constants, or a key of the registry of contexts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub struct Ctx(pub usize);

impl Ctx {
    /// No context.
    pub const INVALID: Ctx = Ctx(0);
    /// The context of the plain routines.
    pub const DEFAULT: Ctx = Ctx(1);
}

/// A request: null, or one made by a non-blocking collective.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub struct Req(pub usize);

impl Req {
    /// The null request, which counts as complete.
    pub const NULL: Req = Req(0);
}

/// An aggregator: null, or a key of the registry of aggregators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub struct Agg(pub usize);

impl Agg {
    /// No aggregator.
    pub const NULL: Agg = Agg(0);
}

/// Handler of an aggregator's items. Its arguments: the program's context, the items, their number, and the PE that sent them.
pub type AggHandler = Option<unsafe extern "C" fn(*mut c_void, *const c_void, usize, c_int)>;

/// A team: one of the constants, or a key of the registry of teams.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub struct Team(pub usize);

impl Team {
    /// No team.
    pub const INVALID: Team = Team(0);
    /// The team of all PEs.
    pub const WORLD: Team = Team(1);
    /// The team of the PEs whose memory this PE can load and store directly.
    pub const SHARED: Team = Team(2);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn atomics_are_told_apart_by_their_routines() {
        for (name, is_of_floats) in [
            ("shmem_int_atomic_add", false),
            ("shmem_ctx_float_atomic_set", true),
            ("shmem_double_swap", true),
            ("shmem_swap_real8", true),
            ("shmem_long_fadd", false),
            ("shmem_double", false),
            ("", false),
        ] {
            assert_eq!(Site::of_c(name).is_of_floats, is_of_floats, "{name}");
        }
    }
}
