//! The constants of the C interface. The runtime and the headers both take their values from here, so they cannot
//! differ.

use crate::Status;
use core::ffi::{c_int, c_long};

/// A constant's value, as its header spells it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    /// An integer constant expression of type `int`.
    Int(i64),
    /// An integer constant expression of type `long`.
    Long(i64),
    /// A string literal.
    Text(&'static str),
    /// A context handle: a constant that may stand in a static initialiser.
    Ctx(usize),
    /// A team handle, also for static initialisers.
    Team(usize),
    /// A handle of a request, also for static initialisers.
    Req(usize),
    /// Another name of the constant named.
    Alias(&'static str),
}

/// A constant of the C interface.
#[derive(Clone, Copy, Debug)]
pub struct Constant {
    /// Its name in C.
    pub name: &'static str,
    /// Value in the header.
    pub value: Value,
    /// Its status in the specification.
    pub status: Status,
}

macro_rules! constants {
    ($( $(#[$doc:meta])* $name:ident: $kind:ident($ty:ty) = $value:expr, $status:expr; )*) => {
        $( $(#[$doc])* pub const $name: $ty = $value; )*
        const NUMBERS: &[Constant] =
            &[$(Constant { name: stringify!($name), value: Value::$kind($value as _), status: $status }),*];
    };
}

const CURRENT: Status = Status::Current;
const NEW: Status = Status::Since("1.6");
const OLD: Status = Status::Deprecated("1.5");

constants! {
    /// The version of the specification, before the dot.
    SHMEM_MAJOR_VERSION: Int(c_int) = 1, CURRENT;
    /// The version of the specification, after the dot.
    SHMEM_MINOR_VERSION: Int(c_int) = 6, CURRENT;
    /// Both in one number, as in Open MPI, whose examples fail to compile without this constant, or with a version before 1.2.
    OSHMEM_SPEC_VERSION: Int(c_int) = SHMEM_MAJOR_VERSION * 10_000 + SHMEM_MINOR_VERSION * 100, Status::Vendor("Open MPI");
    /// Room for the vendor string and its terminating zero.
    SHMEM_MAX_NAME_LEN: Int(c_int) = 256, CURRENT;

    /// The program has one thread.
    SHMEM_THREAD_SINGLE: Int(c_int) = 0, CURRENT;
    /// Only the thread that called init calls the library.
    SHMEM_THREAD_FUNNELED: Int(c_int) = 1, CURRENT;
    /// Any thread calls the library, one at a time.
    SHMEM_THREAD_SERIALIZED: Int(c_int) = 2, CURRENT;
    /// Any thread calls the library at any time.
    SHMEM_THREAD_MULTIPLE: Int(c_int) = 3, CURRENT;

    /// Mask bit: a team's configuration has the number of contexts that it will create.
    SHMEM_TEAM_NUM_CONTEXTS: Long(c_long) = 1, CURRENT;

    /// Option bit: only the creating thread uses the context.
    SHMEM_CTX_PRIVATE: Long(c_long) = 1, CURRENT;
    /// Option bit: threads use the context one at a time.
    SHMEM_CTX_SERIALIZED: Long(c_long) = 2, CURRENT;
    /// Option bit: quiet and fence on the context need not order direct stores.
    SHMEM_CTX_NOSTORE: Long(c_long) = 4, CURRENT;
    /// Option bit of a session: many small operations will follow.
    SHMEM_CTX_SESSION_BATCH: Long(c_long) = 1, NEW;
    /// Mask bit: a session's configuration has the number of operations that will follow.
    SHMEM_CTX_SESSION_TOTAL_OPS: Long(c_long) = 1, NEW;

    /// The signal is overwritten.
    SHMEM_SIGNAL_SET: Int(c_int) = 0, CURRENT;
    /// The signal is added to.
    SHMEM_SIGNAL_ADD: Int(c_int) = 1, CURRENT;

    /// Hint bit: peers will update the memory by atomics.
    SHMEM_MALLOC_ATOMICS_REMOTE: Long(c_long) = 1, CURRENT;
    /// Hint bit: peers will signal through the memory.
    SHMEM_MALLOC_SIGNAL_REMOTE: Long(c_long) = 2, CURRENT;

    /// Equal.
    SHMEM_CMP_EQ: Int(c_int) = 0, CURRENT;
    /// Not equal.
    SHMEM_CMP_NE: Int(c_int) = 1, CURRENT;
    /// Greater.
    SHMEM_CMP_GT: Int(c_int) = 2, CURRENT;
    /// Less or equal.
    SHMEM_CMP_LE: Int(c_int) = 3, CURRENT;
    /// Less.
    SHMEM_CMP_LT: Int(c_int) = 4, CURRENT;
    /// Greater or equal.
    SHMEM_CMP_GE: Int(c_int) = 5, CURRENT;

    /// The initial value of the elements of a `pSync` array.
    SHMEM_SYNC_VALUE: Long(c_long) = 0, OLD;
    /// Words of `pSync` that suffice for every collective: a flag for each round, for up to 2^64 PEs.
    SHMEM_SYNC_SIZE: Int(c_int) = 64, OLD;
    /// Words of `pSync` for a broadcast.
    SHMEM_BCAST_SYNC_SIZE: Int(c_int) = 64, OLD;
    /// Words of `pSync` for a reduction.
    SHMEM_REDUCE_SYNC_SIZE: Int(c_int) = 64, OLD;
    /// Words of `pSync` for a barrier or sync.
    SHMEM_BARRIER_SYNC_SIZE: Int(c_int) = 64, OLD;
    /// Words of `pSync` for a collect.
    SHMEM_COLLECT_SYNC_SIZE: Int(c_int) = 64, OLD;
    /// Words of `pSync` for an all-to-all.
    SHMEM_ALLTOALL_SYNC_SIZE: Int(c_int) = 64, OLD;
    /// Words of `pSync` for a strided all-to-all.
    SHMEM_ALLTOALLS_SYNC_SIZE: Int(c_int) = 64, OLD;
    /// The least number of elements of a reduction's `pWrk`.
    SHMEM_REDUCE_MIN_WRKDATA_SIZE: Int(c_int) = 1, OLD;
}

/// The vendor and version of the library.
pub const SHMEM_VENDOR_STRING: &str = concat!("Ferrite ", env!("CARGO_PKG_VERSION"));
/// No context.
pub const SHMEM_CTX_INVALID: usize = 0;
/// The context of the plain routines.
pub const SHMEM_CTX_DEFAULT: usize = 1;
/// No team.
pub const SHMEM_TEAM_INVALID: usize = 0;
/// All PEs.
pub const SHMEM_TEAM_WORLD: usize = 1;
/// The PEs whose memory this one can load and store directly.
pub const SHMEM_TEAM_SHARED: usize = 2;

const OTHERS: &[Constant] = &[
    Constant { name: "SHMEM_VENDOR_STRING", value: Value::Text(SHMEM_VENDOR_STRING), status: CURRENT },
    Constant { name: "SHMEM_CTX_INVALID", value: Value::Ctx(SHMEM_CTX_INVALID), status: CURRENT },
    Constant { name: "SHMEM_CTX_DEFAULT", value: Value::Ctx(SHMEM_CTX_DEFAULT), status: CURRENT },
    Constant { name: "SHMEM_TEAM_INVALID", value: Value::Team(SHMEM_TEAM_INVALID), status: CURRENT },
    Constant { name: "SHMEM_TEAM_WORLD", value: Value::Team(SHMEM_TEAM_WORLD), status: CURRENT },
    Constant { name: "SHMEM_TEAM_SHARED", value: Value::Team(SHMEM_TEAM_SHARED), status: CURRENT },
];

macro_rules! aliases {
    ($status:expr; $($alias:literal = $name:literal),* $(,)?) => {
        &[$(Constant { name: $alias, value: Value::Alias($name), status: $status }),*]
    };
}

const ALIASES: &[Constant] = aliases! {
    Status::Deprecated("1.3");
    "_SHMEM_MAJOR_VERSION" = "SHMEM_MAJOR_VERSION",
    "_SHMEM_MINOR_VERSION" = "SHMEM_MINOR_VERSION",
    "_SHMEM_MAX_NAME_LEN" = "SHMEM_MAX_NAME_LEN",
    "_SHMEM_VENDOR_STRING" = "SHMEM_VENDOR_STRING",
    "_SHMEM_CMP_EQ" = "SHMEM_CMP_EQ",
    "_SHMEM_CMP_NE" = "SHMEM_CMP_NE",
    "_SHMEM_CMP_GT" = "SHMEM_CMP_GT",
    "_SHMEM_CMP_LE" = "SHMEM_CMP_LE",
    "_SHMEM_CMP_LT" = "SHMEM_CMP_LT",
    "_SHMEM_CMP_GE" = "SHMEM_CMP_GE",
    "_SHMEM_SYNC_VALUE" = "SHMEM_SYNC_VALUE",
    "_SHMEM_BCAST_SYNC_SIZE" = "SHMEM_BCAST_SYNC_SIZE",
    "_SHMEM_REDUCE_SYNC_SIZE" = "SHMEM_REDUCE_SYNC_SIZE",
    "_SHMEM_BARRIER_SYNC_SIZE" = "SHMEM_BARRIER_SYNC_SIZE",
    "_SHMEM_COLLECT_SYNC_SIZE" = "SHMEM_COLLECT_SYNC_SIZE",
    "_SHMEM_REDUCE_MIN_WRKDATA_SIZE" = "SHMEM_REDUCE_MIN_WRKDATA_SIZE",
};

/// Names with an underscore that no specification has: these collectives were added after the underscores were dropped. Open MPI has these
/// names, and so do Cray's manual pages and the programs that were written from them.
const OF_PEERS: &[Constant] = aliases! {
    Status::Vendor("Open MPI");
    "_SHMEM_ALLTOALL_SYNC_SIZE" = "SHMEM_ALLTOALL_SYNC_SIZE",
    "_SHMEM_ALLTOALLS_SYNC_SIZE" = "SHMEM_ALLTOALLS_SYNC_SIZE",
};

/// All constants, in the order of the headers.
pub fn all() -> impl Iterator<Item = &'static Constant> {
    NUMBERS.iter().chain(OTHERS).chain(ALIASES).chain(OF_PEERS)
}
