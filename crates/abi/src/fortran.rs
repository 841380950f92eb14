//! The Fortran table: the procedures of OpenSHMEM 1.4, the last version that has them, and a few of other libraries.
//!
//! It is read as the table of C is: a reader is a macro, which is called once for each group of rows:
//!
//! ```text
//! read! { served typed plane [int4: i32, int8: i64] {
//!     add(dest: object, value: value, pe: integer) = atomic_add;
//! } }
//! ```
//!
//! - `served`, `pending`, `extension`, `cray`: as in the table of C; names of the last begin with `shmemx_`. A `pending`
//!   group becomes `served` when the runtime has its methods; nothing else changes.
//! - `typed` is `shmem_int4_add`, `sized` is `shmem_put4_nbi` (with a `*` for the size), `plain` rows have the whole name.
//! - How the method is called: `plane` with the default context, `bare` without one; `own` calls a function of the Fortran
//!   interface instead of a method of the world; `nothing` does nothing.
//! - The list has the types or sizes; `value` and `object` have that type.
//! - The word of an argument is its role: see [`Role`].

/// Hands every group of the Fortran table to the macro `$read`.
#[macro_export]
macro_rules! openshmem_fortran {
    ($read:ident) => {
        $crate::openshmem_fortran! { @setup $read }
        $crate::openshmem_fortran! { @rma $read }
        $crate::openshmem_fortran! { @words $read }
        $crate::openshmem_fortran! { @teams $read }
        $crate::openshmem_fortran! { @cray $read }
        $crate::openshmem_fortran! { @collectives $read }
        $crate::openshmem_fortran! { @reductions $read }
    };

    (@setup $read:ident) => {
        $read! { served plain bare [any: c_void] {
            shmem_init() = init;
            start_pes(npes: integer) = start_pes;
            shmem_my_pe() -> integer = my_pe;
            my_pe() -> integer = my_pe;
            shmem_n_pes() -> integer = n_pes;
            num_pes() -> integer = n_pes;
            shmem_finalize() = finalize;
            shmem_global_exit(status: integer) = global_exit;
            shmem_pe_accessible(pe: integer) -> logical = pe_accessible;
            shmem_addr_accessible(addr: choice, pe: integer) -> logical = addr_accessible;
            shmem_ptr(dest: choice, pe: integer) -> address = ptr;
            shmem_info_get_version(major: out, minor: out) = info_get_version;
            shmem_barrier_all() = barrier_all;
        } }
        $read! { served plain own [any: c_void] {
            shmem_info_get_name(name: text) = info_get_name;
            shpalloc(addr: pointer, length: integer, errcode: out, abort: integer) = shpalloc;
            shpdeallc(addr: pointer, errcode: out, abort: integer) = shpdeallc;
            shpclmove(addr: pointer, length: integer, status: out, abort: integer) = shpclmove;
            shmem_set_lock(lock: lock) = set_lock;
            shmem_clear_lock(lock: lock) = clear_lock;
            shmem_test_lock(lock: lock) -> integer = test_lock;
        } }
        $read! { served plain plane [any: c_void] {
            shmem_fence() = fence;
            shmem_quiet() = quiet;
        } }
        $read! { served plain nothing [any: c_void] {
            shmem_clear_cache_inv() = nothing;
            shmem_set_cache_inv() = nothing;
            shmem_set_cache_line_inv(dest: choice) = nothing;
            shmem_udcflush() = nothing;
            shmem_udcflush_line(dest: choice) = nothing;
        } }
        $read! { extension plain nothing [any: c_void] {
            shmem_clear_cache_line_inv(dest: choice) = nothing;
        } }
    };

    (@rma $read:ident) => {
        $read! { served typed plane [character: u8, complex: ComplexFloat, double: f64, integer: i32, logical: i32, real: f32] {
            put(dest: choice, source: choice, nelems: count, pe: integer) = put;
            get(dest: choice, source: choice, nelems: count, pe: integer) = get;
            put_nbi(dest: choice, source: choice, nelems: count, pe: integer) = put_nbi;
            get_nbi(dest: choice, source: choice, nelems: count, pe: integer) = get_nbi;
        } }
        $read! { served typed plane [complex: ComplexFloat, double: f64, integer: i32, logical: i32, real: f32] {
            iput(dest: choice, source: choice, dst: stride, sst: stride, nelems: count, pe: integer) = iput;
            iget(dest: choice, source: choice, dst: stride, sst: stride, nelems: count, pe: integer) = iget;
        } }
        $read! { extension typed plane [character: u8] {
            iput(dest: choice, source: choice, dst: stride, sst: stride, nelems: count, pe: integer) = iput;
            iget(dest: choice, source: choice, dst: stride, sst: stride, nelems: count, pe: integer) = iget;
        } }
        // The sizes 4 and 8 are in bytes, 32 and more in bits.
        $read! { served sized plane [4: u32, 8: u64, 32: u32, 64: u64, 128: u128, mem: u8] {
            put*(dest: choice, source: choice, nelems: count, pe: integer) = put;
            get*(dest: choice, source: choice, nelems: count, pe: integer) = get;
            put*_nbi(dest: choice, source: choice, nelems: count, pe: integer) = put_nbi;
            get*_nbi(dest: choice, source: choice, nelems: count, pe: integer) = get_nbi;
        } }
        $read! { served sized plane [4: u32, 8: u64, 32: u32, 64: u64, 128: u128] {
            iput*(dest: choice, source: choice, dst: stride, sst: stride, nelems: count, pe: integer) = iput;
            iget*(dest: choice, source: choice, dst: stride, sst: stride, nelems: count, pe: integer) = iget;
        } }
        $read! { extension sized plane [mem: u8] {
            iput*(dest: choice, source: choice, dst: stride, sst: stride, nelems: count, pe: integer) = iput;
            iget*(dest: choice, source: choice, dst: stride, sst: stride, nelems: count, pe: integer) = iget;
        } }
        $read! { served plain plane [any: u64] {
            shmem_put(dest: choice, source: choice, nelems: count, pe: integer) = put;
        } }
        $read! { extension plain plane [any: u64] {
            shmem_get(dest: choice, source: choice, nelems: count, pe: integer) = get;
        } }
        // Cray's names from before OpenSHMEM. A handle after the arguments is ignored.
        $read! { extension typed plane [character: u8, complex: ComplexFloat, double: f64, integer: i32, logical: i32, real: f32] {
            put_nb(dest: choice, source: choice, nelems: count, pe: integer) = put_nbi;
            get_nb(dest: choice, source: choice, nelems: count, pe: integer) = get_nbi;
        } }
        $read! { extension sized plane [4: u32, 8: u64, 32: u32, 64: u64, 128: u128, mem: u8] {
            put*_nb(dest: choice, source: choice, nelems: count, pe: integer) = put_nbi;
            get*_nb(dest: choice, source: choice, nelems: count, pe: integer) = get_nbi;
        } }
    };

    (@words $read:ident) => {
        $read! { served typed plane [int4: i32, int8: i64] {
            add(dest: object, value: value, pe: integer) = atomic_add;
            cswap(dest: object, cond: value, value: value, pe: integer) -> value = atomic_compare_swap;
            fadd(dest: object, value: value, pe: integer) -> value = atomic_fetch_add;
            finc(dest: object, pe: integer) -> value = atomic_fetch_inc;
            inc(dest: object, pe: integer) = atomic_inc;
        } }
        $read! { served typed plane [int4: i32, int8: i64, real4: f32, real8: f64] {
            fetch(source: object, pe: integer) -> value = atomic_fetch;
            set(dest: object, value: value, pe: integer) = atomic_set;
            swap(dest: object, value: value, pe: integer) -> value = atomic_swap;
        } }
        $read! { served plain plane [integer: i32] {
            shmem_swap(dest: object, value: value, pe: integer) -> integer = atomic_swap;
        } }
        $read! { extension plain plane [integer: i32] {
            shmem_cswap(dest: object, cond: value, value: value, pe: integer) -> integer = atomic_compare_swap;
            shmem_fadd(dest: object, value: value, pe: integer) -> integer = atomic_fetch_add;
            shmem_finc(dest: object, pe: integer) -> integer = atomic_fetch_inc;
            shmem_add(dest: object, value: value, pe: integer) = atomic_add;
            shmem_inc(dest: object, pe: integer) = atomic_inc;
        } }
        $read! { served typed bare [int4: i32, int8: i64] {
            wait(ivar: object, cmp_value: value) = wait;
            wait_until(ivar: object, cmp: integer, cmp_value: value) = wait_until;
        } }
        $read! { served plain bare [integer: i32] {
            shmem_wait(ivar: object, cmp_value: value) = wait;
            shmem_wait_until(ivar: object, cmp: integer, cmp_value: value) = wait_until;
        } }
    };

    (@teams $read:ident) => {
        $read! { extension plain bare [any: c_void] {
            shmemx_team_split_strided(parent_team: team, pe_start: integer, pe_stride: integer, pe_size: integer, newteam: new_team) = x_team_split_strided;
            shmemx_team_split(parent_team: team, color: integer, key: integer, newteam: new_team) = x_team_split;
            shmemx_team_destroy(newteam: new_team) = x_team_destroy;
            shmemx_team_my_pe(newteam: team) -> integer = team_my_pe;
            shmemx_team_n_pes(newteam: team) -> integer = team_n_pes;
            shmemx_team_translate_pe(team1: team, team1_pe: integer, team2: team) -> integer = team_translate_pe;
            shmemx_thread_register() = x_thread_register;
            shmemx_thread_unregister() = x_thread_unregister;
        } }
        $read! { extension plain plane [any: c_void] {
            shmemx_thread_fence() = fence;
            shmemx_thread_quiet() = quiet;
        } }
        $read! { extension plain own [any: c_void] {
            shmemx_get_uniqueid(uid: choice) -> integer = get_uniqueid;
            shmemx_set_attr_uniqueid_args(myrank: integer, nranks: integer, uid: choice, attr: choice) -> integer = set_attr_uniqueid_args;
            shmemx_init_attr(flags: integer, attr: choice) -> integer = init_attr;
            shmemx_lost_pes(pes: choice, n: choice) -> integer = lost_pes;
        } }
        $read! { extension plain bare [any: c_void] {
            shmemx_abandon() = abandon_job;
            shmemx_wtime() -> double = x_wtime;
            shmemx_local_complete() = x_local_complete;
            shmemx_heap_size() -> long = heap_size;
        } }
    };

    (@cray $read:ident) => {
        // As in Cray's synopses: the sizes 4 and 8 are in bytes, 16 and more in bits.
        $read! { cray sized plane [4: u32, 8: u64, 16: u16, 32: u32, 64: u64, 128: u128, mem: u8] {
            put*_signal(target: choice, source: choice, len: count, sig_addr: signal, signal: long, pe: integer) = x_put_signal;
        } }
        $read! { cray typed plane [character: u8, complex: ComplexFloat, double: f64, integer: i32, logical: i32, real: f32] {
            put_signal(target: choice, source: choice, len: count, sig_addr: signal, signal: long, pe: integer) = x_put_signal;
        } }
        // The name has no type. It moves the same elements as shmem_put.
        $read! { cray plain plane [any: u64] {
            shmemx_put_signal(target: choice, source: choice, len: count, sig_addr: signal, signal: long, pe: integer) = x_put_signal;
        } }
        // Cray's name of the second procedure has no x; C's name has one.
        $read! { cray plain bare [any: c_void] {
            shmemx_alltoallv(target: choice, t_offsets: longs, t_sizes: longs, source: choice, s_offsets: longs, s_sizes: longs,
                pe_start: integer, logpe_stride: integer, pe_size: integer, psync: psync) = x_alltoallv;
            shmem_alltoallv_packed(target: choice, target_len: long, t_size: long_out, source: choice, s_offsets: longs, s_sizes: longs,
                pe_start: integer, logpe_stride: integer, pe_size: integer, psync: psync) = x_alltoallv_packed;
            shmemx_alltoallv_packed(target: choice, target_len: long, t_size: long_out, source: choice, s_offsets: longs, s_sizes: longs,
                pe_start: integer, logpe_stride: integer, pe_size: integer, psync: psync) = x_alltoallv_packed;
        } }
    };

    (@collectives $read:ident) => {
        $read! { served plain bare [any: c_void] {
            shmem_barrier(pe_start: integer, logpe_stride: integer, pe_size: integer, psync: psync) = barrier;
        } }
        $read! { served sized bare [4: u32, 8: u64, 32: u32, 64: u64] {
            broadcast*(dest: choice, source: choice, nelems: count, pe_root: integer, pe_start: integer, logpe_stride: integer, pe_size: integer, psync: psync) = set_broadcast;
            collect*(dest: choice, source: choice, nelems: count, pe_start: integer, logpe_stride: integer, pe_size: integer, psync: psync) = set_collect;
            fcollect*(dest: choice, source: choice, nelems: count, pe_start: integer, logpe_stride: integer, pe_size: integer, psync: psync) = set_fcollect;
        } }
        $read! { served sized bare [32: u32, 64: u64] {
            alltoall*(dest: choice, source: choice, nelems: count, pe_start: integer, logpe_stride: integer, pe_size: integer, psync: psync) = set_alltoall;
            alltoalls*(dest: choice, source: choice, dst: stride, sst: stride, nelems: count, pe_start: integer, logpe_stride: integer, pe_size: integer, psync: psync) = set_alltoalls;
        } }
    };

    (@reductions $read:ident) => {
        $read! { served typed bare [int4: i32, int8: i64] {
            and_to_all(dest: choice, source: choice, nreduce: integer, pe_start: integer, logpe_stride: integer, pe_size: integer, pwrk: choice, psync: psync) = and_to_all;
            or_to_all(dest: choice, source: choice, nreduce: integer, pe_start: integer, logpe_stride: integer, pe_size: integer, pwrk: choice, psync: psync) = or_to_all;
            xor_to_all(dest: choice, source: choice, nreduce: integer, pe_start: integer, logpe_stride: integer, pe_size: integer, pwrk: choice, psync: psync) = xor_to_all;
        } }
        $read! { served typed bare [int4: i32, int8: i64, real4: f32, real8: f64, real16: Quad] {
            max_to_all(dest: choice, source: choice, nreduce: integer, pe_start: integer, logpe_stride: integer, pe_size: integer, pwrk: choice, psync: psync) = max_to_all;
            min_to_all(dest: choice, source: choice, nreduce: integer, pe_start: integer, logpe_stride: integer, pe_size: integer, pwrk: choice, psync: psync) = min_to_all;
        } }
        $read! { served typed bare [int4: i32, int8: i64, real4: f32, real8: f64, real16: Quad, comp4: ComplexFloat, comp8: ComplexDouble] {
            sum_to_all(dest: choice, source: choice, nreduce: integer, pe_start: integer, logpe_stride: integer, pe_size: integer, pwrk: choice, psync: psync) = sum_to_all;
            prod_to_all(dest: choice, source: choice, nreduce: integer, pe_start: integer, logpe_stride: integer, pe_size: integer, pwrk: choice, psync: psync) = prod_to_all;
        } }
        // Open MPI has these for words of 4 bytes; here they are for INTEGER*2.
        $read! { extension typed bare [int2: i16] {
            and_to_all(dest: choice, source: choice, nreduce: integer, pe_start: integer, logpe_stride: integer, pe_size: integer, pwrk: choice, psync: psync) = and_to_all;
            or_to_all(dest: choice, source: choice, nreduce: integer, pe_start: integer, logpe_stride: integer, pe_size: integer, pwrk: choice, psync: psync) = or_to_all;
            xor_to_all(dest: choice, source: choice, nreduce: integer, pe_start: integer, logpe_stride: integer, pe_size: integer, pwrk: choice, psync: psync) = xor_to_all;
            max_to_all(dest: choice, source: choice, nreduce: integer, pe_start: integer, logpe_stride: integer, pe_size: integer, pwrk: choice, psync: psync) = max_to_all;
            min_to_all(dest: choice, source: choice, nreduce: integer, pe_start: integer, logpe_stride: integer, pe_size: integer, pwrk: choice, psync: psync) = min_to_all;
            sum_to_all(dest: choice, source: choice, nreduce: integer, pe_start: integer, logpe_stride: integer, pe_size: integer, pwrk: choice, psync: psync) = sum_to_all;
            prod_to_all(dest: choice, source: choice, nreduce: integer, pe_start: integer, logpe_stride: integer, pe_size: integer, pwrk: choice, psync: psync) = prod_to_all;
        } }
    };
}

/// The role of an argument. All arguments are passed by reference.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// A variable of any type and rank.
    Choice,
    /// A variable of the procedure's type.
    Object,
    /// A value of the procedure's type.
    Value,
    /// A value of type INTEGER: a PE's number, a count of any kind, a stride.
    Integer,
    /// A variable of type INTEGER that is written.
    Out,
    /// A Cray pointer.
    Pointer,
    /// A `pSync` array of type INTEGER, which is half as wide as in C. Only its presence is checked; it is not used.
    Psync,
    /// A lock of type INTEGER, which is half as wide as in C.
    Lock,
    /// A value of type INTEGER(8): a signal's, a size in bytes.
    Long,
    /// A variable of type INTEGER(8) that is written.
    LongOut,
    /// An array of INTEGER(8): offsets and sizes in bytes.
    Longs,
    /// A signal, which is a variable of type INTEGER(8) at the target.
    Signal,
    /// A variable of type CHARACTER, whose length follows all arguments.
    Text,
    /// A team's handle, INTEGER(8).
    Team,
    /// A variable for a team's handle.
    NewTeam,
}

impl Role {
    fn of(word: &str) -> Role {
        match word {
            "choice" => Role::Choice,
            "object" => Role::Object,
            "value" => Role::Value,
            "integer" | "count" | "stride" => Role::Integer,
            "out" => Role::Out,
            "pointer" => Role::Pointer,
            "psync" => Role::Psync,
            "lock" => Role::Lock,
            "text" => Role::Text,
            "long" => Role::Long,
            "long_out" => Role::LongOut,
            "longs" => Role::Longs,
            "signal" => Role::Signal,
            "team" => Role::Team,
            "new_team" => Role::NewTeam,
            other => panic!("the Fortran table has an argument that is a `{other}`, which says nothing here"),
        }
    }
}

/// The type of a function's result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Returned {
    /// An integer of the default kind.
    Integer,
    /// A truth value of the default kind.
    Logical,
    /// An address, INTEGER(8).
    Address,
    /// DOUBLE PRECISION.
    Double,
    /// A size in bytes, INTEGER(8).
    Long,
    /// A value of the procedure's type.
    Value,
}

impl Returned {
    fn of(word: &str) -> Option<Returned> {
        match word {
            "" => None,
            "integer" => Some(Returned::Integer),
            "logical" => Some(Returned::Logical),
            "address" => Some(Returned::Address),
            "double" => Some(Returned::Double),
            "long" => Some(Returned::Long),
            "value" => Some(Returned::Value),
            other => panic!("the Fortran table has a function that returns `{other}`, which says nothing here"),
        }
    }
}

/// A procedure of the Fortran interface.
#[derive(Clone, Debug)]
pub struct Procedure {
    /// Its name, in lower case.
    pub name: String,
    /// The pattern of its name, which it shares with procedures of other types or sizes: `shmem_TYPE_put`, `shmem_putSIZE_nbi`; or its only
    /// name.
    pub family: String,
    /// Whether the runtime implements it.
    pub served: bool,
    /// True if other libraries have it, but no specification has.
    pub extension: bool,
    /// Fortran's declaration of the type in its name; empty if the name has no type, or only a size.
    pub element: &'static str,
    /// Names of its arguments, and what each is.
    pub args: Vec<(&'static str, Role)>,
    /// The type of its result; `None` for a subroutine.
    pub returned: Option<Returned>,
}

impl Procedure {
    /// The symbols that compilers use for it, all of one function: the one of gfortran and most others, the one of g77, and the one of
    /// compilers that leave names in upper case, as the standard writes them.
    pub fn symbols(&self) -> [String; 3] {
        [format!("{}_", self.name), format!("{}__", self.name), self.name.to_uppercase()]
    }

    /// The only name that is defined. The other names, and all names without the `p`, are aliases.
    pub fn definition(&self) -> String {
        format!("p{}_", self.name)
    }
}

/// Fortran's declaration of the type `name` of the table.
fn element(name: &str) -> &'static str {
    match name {
        "integer" => "integer",
        "int2" => "integer(2)",
        "int4" => "integer(4)",
        "int8" => "integer(8)",
        "real4" => "real(4)",
        "real8" => "real(8)",
        "real16" => "real(16)",
        "comp4" => "complex(4)",
        "comp8" => "complex(8)",
        _ => "",
    }
}

/// All procedures, in the table's order.
pub fn procedures() -> Vec<Procedure> {
    let mut all = Vec::new();
    macro_rules! read {
        (pending $($group:tt)*) => { read! { @group false false "shmem_" $($group)* } };
        (served $($group:tt)*) => { read! { @group true false "shmem_" $($group)* } };
        (extension $($group:tt)*) => { read! { @group true true "shmem_" $($group)* } };
        (cray $($group:tt)*) => { read! { @group true true "shmemx_" $($group)* } };
        (@group $served:literal $extension:literal $prefix:literal $shape:ident $how:ident [$($type:tt: $rust:ty),*] $rows:tt) => {
            $( read! { @rows $served $extension $prefix $shape $type $rows } )*
        };
        (@rows $served:literal $extension:literal $prefix:literal $shape:ident $type:tt { $(
            $stem:ident $(* $($suffix:ident)?)? ($($arg:ident: $role:ident),*) $(-> $returned:ident)? = $method:ident;
        )* }) => { $(
            all.push(Procedure {
                name: read!(@name $prefix $shape stringify!($stem), stringify!($type), concat!($($(stringify!($suffix))?)?)),
                family: read!(@family $prefix $shape stringify!($stem), concat!($($(stringify!($suffix))?)?)),
                served: $served,
                extension: $extension,
                element: element(stringify!($type)),
                args: vec![$((stringify!($arg), Role::of(stringify!($role)))),*],
                returned: Returned::of(concat!($(stringify!($returned))?)),
            });
        )* };
        (@family $prefix:literal sized $stem:expr, $suffix:expr) => { read!(@name $prefix sized $stem, "SIZE", $suffix) };
        (@family $prefix:literal $shape:ident $stem:expr, $suffix:expr) => { read!(@name $prefix $shape $stem, "TYPE", $suffix) };
        (@name $prefix:literal plain $stem:expr, $type:expr, $suffix:expr) => { $stem.to_owned() };
        (@name $prefix:literal typed $stem:expr, $type:expr, $suffix:expr) => { format!("{}{}_{}", $prefix, $type, $stem) };
        (@name $prefix:literal sized $stem:expr, $type:expr, $suffix:expr) => { format!("{}{}{}{}", $prefix, $stem, $type, $suffix) };
    }
    crate::openshmem_fortran!(read);
    all
}
