//! Handles: the opaque words that a program holds. Predefined handles are constants, so that they may stand in static
//! initialisers.

use crate::diagnose::{boards::Boards, names};
use core::{
    ffi::{c_int, c_void},
    sync::atomic::{AtomicU16, Ordering::Acquire},
};

/// Where in the program's view something happened: the routine's public name. Only cold code reads it.
#[derive(Debug)]
pub struct Site {
    /// The name as the program wrote it.
    pub name: &'static str,
    /// The language whose name it is.
    pub language: Language,
    /// The number by which it is recorded, once it was (`diagnose`); 0 before.
    pub(crate) number: AtomicU16,
}

/// What a program is written in, as far as advice differs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// C, C++, and Fortran where its module leads to C's routines.
    C,
    /// Fortran, by its own procedures.
    Fortran,
    /// Rust, by `crates/ferrite`.
    Rust,
}

impl Site {
    const fn of(name: &'static str, language: Language) -> Site {
        Site { name, language, number: AtomicU16::new(0) }
    }

    /// The number by which it is recorded.
    #[inline(always)]
    pub(crate) fn number(&'static self, boards: &Boards) -> u16 {
        match self.number.load(Acquire) {
            0 => names::enroll(self, boards),
            known => known,
        }
    }

    /// A routine of C.
    pub const fn of_c(name: &'static str) -> Site {
        Site::of(name, Language::C)
    }

    /// A procedure of Fortran.
    pub const fn of_fortran(name: &'static str) -> Site {
        Site::of(name, Language::Fortran)
    }

    /// A function of the Rust library.
    pub const fn of_rust(name: &'static str) -> Site {
        Site::of(name, Language::Rust)
    }
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

/// A request: none, or one that was made by a non-blocking collective.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub struct Req(pub usize);

impl Req {
    /// No request: complete.
    pub const NULL: Req = Req(0);
}

/// A counter of Sandia OpenSHMEM's: none, or a key of the registry of counters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub struct Ct(pub usize);

impl Ct {
    /// No counter.
    pub const NULL: Ct = Ct(0);
}

/// An aggregator: none, or a key of the registry of aggregators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub struct Agg(pub usize);

impl Agg {
    /// No aggregator.
    pub const NULL: Agg = Agg(0);
}

/// What handles the items of an aggregator: it gets the program's context, the items, their number, and the PE that sent them.
pub type AggHandler = Option<unsafe extern "C" fn(*mut c_void, *const c_void, usize, c_int)>;

/// A team: one of the constants, or a key of the registry of teams.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub struct Team(pub usize);

impl Team {
    /// No team.
    pub const INVALID: Team = Team(0);
    /// All PEs.
    pub const WORLD: Team = Team(1);
    /// The PEs whose memory this one can load and store directly.
    pub const SHARED: Team = Team(2);
}
