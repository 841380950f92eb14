//! The table of OpenSHMEM's routines.
//!
//! A reader of the table is a macro. [`openshmem_abi!`] calls it once for each group of rows:
//!
//! ```text
//! read! { served typed twin [float: f32, double: f64, ...] {
//!     fn put(dest: *mut T, source: *const T, nelems: size_t, pe: c_int) = put ["9.6.1.1", generic];
//!     ...
//! } }
//! ```
//!
//! - `served`: the runtime has the methods; `pending`: it does not have them yet, and the rows are neither exported nor
//!   declared; `extension`: the runtime has the methods, and no specification requires them.
//! - The form of the names: `typed` is `shmem_float_put`, one for each type of the list; `sized` is `shmem_put32`
//!   and `shmem_putmem`, with a `*` in the row for the size; `plain` rows have the whole name (those that are `twin`
//!   without the `shmem_` that both names begin with).
//! - The use of contexts: `twin` rows exist with and without `ctx` before their other arguments; `default` rows pass the
//!   default context to a method that takes one; `bare` rows have none; `nothing` rows do nothing.
//! - The list has the types or sizes; `T` in a row stands for each of them.
//! - `= put` is the method of the runtime's `World` that implements the routine.
//! - The brackets have the section of the specification and properties: `generic` (there is a C11 generic; `generic_as` if
//!   its name does not follow from the routine's), `since`, `deprecated` and `removed` with their version,
//!   `variadic`, `undeclared`.
//!
//! Argument types are written in Rust with C's names. They are resolved where the reader is expanded.

/// Hands every group of the table to the macro `$read`.
#[macro_export]
macro_rules! openshmem_abi {
    ($read:ident) => {
        $crate::openshmem_abi! { @plain $read }
        $crate::openshmem_abi! { @rma $read }
        $crate::openshmem_abi! { @atomics $read }
        $crate::openshmem_abi! { @signals $read }
        $crate::openshmem_abi! { @waits $read }
        $crate::openshmem_abi! { @teams $read }
        $crate::openshmem_abi! { @collectives $read }
        $crate::openshmem_abi! { @reductions $read }
        $crate::openshmem_abi! { @active_sets $read }
        $crate::openshmem_abi! { @of_others $read }
    };

    (@plain $read:ident) => {
        $read! { served plain bare [name: ()] {
            fn shmem_init() = init ["9.1.1"];
            fn shmem_my_pe() -> c_int = my_pe ["9.1.2"];
            fn _my_pe() -> c_int = my_pe ["9.1.2", deprecated "1.2"];
            fn shmem_n_pes() -> c_int = n_pes ["9.1.3"];
            fn _num_pes() -> c_int = n_pes ["9.1.3", deprecated "1.2"];
            fn shmem_finalize() = finalize ["9.1.4"];
            fn shmem_query_initialized(initialized: *mut c_int) = query_initialized ["9.1.5", since "1.6"];
            fn shmem_global_exit(status: c_int) -> ! = global_exit ["9.1.6"];
            fn shmem_pe_accessible(pe: c_int) -> c_int = pe_accessible ["9.1.7"];
            fn shmem_addr_accessible(addr: *const c_void, pe: c_int) -> c_int = addr_accessible ["9.1.8"];
            fn shmem_ptr(dest: *const c_void, pe: c_int) -> *mut c_void = ptr ["9.1.9"];
            fn shmem_team_ptr(team: Team, dest: *const c_void, pe: c_int) -> *mut c_void = team_ptr ["9.1.10", since "1.6"];
            fn shmem_info_get_version(major: *mut c_int, minor: *mut c_int) = info_get_version ["9.1.11"];
            fn shmem_info_get_name(name: *mut c_char) = info_get_name ["9.1.12"];
            fn start_pes(npes: c_int) = start_pes ["9.1.13", deprecated "1.2"];
            fn shmem_init_thread(requested: c_int, provided: *mut c_int) -> c_int = init_thread ["9.2.1"];
            fn shmem_query_thread(provided: *mut c_int) = query_thread ["9.2.2"];
            fn shmem_malloc(size: size_t) -> *mut c_void = malloc ["9.3.1"];
            fn shmalloc(size: size_t) -> *mut c_void = malloc ["9.3.1", deprecated "1.2"];
            fn shmem_free(ptr: *mut c_void) = free ["9.3.2"];
            fn shfree(ptr: *mut c_void) = free ["9.3.2", deprecated "1.2"];
            fn shmem_realloc(ptr: *mut c_void, size: size_t) -> *mut c_void = realloc ["9.3.3"];
            fn shrealloc(ptr: *mut c_void, size: size_t) -> *mut c_void = realloc ["9.3.3", deprecated "1.2"];
            fn shmem_align(alignment: size_t, size: size_t) -> *mut c_void = align ["9.3.4"];
            fn shmemalign(alignment: size_t, size: size_t) -> *mut c_void = align ["9.3.4", deprecated "1.2"];
            fn shmem_malloc_with_hints(size: size_t, hints: c_long) -> *mut c_void = malloc_with_hints ["9.3.5"];
            fn shmem_calloc(count: size_t, size: size_t) -> *mut c_void = calloc ["9.3.6"];
            fn shmem_ctx_create(options: c_long, ctx: *mut Ctx) -> c_int = ctx_create ["9.5.1"];
            fn shmem_team_create_ctx(team: Team, options: c_long, ctx: *mut Ctx) -> c_int = team_create_ctx ["9.5.2"];
            fn shmem_ctx_destroy(ctx: Ctx) = ctx_destroy ["9.5.3"];
            fn shmem_ctx_get_team(ctx: Ctx, team: *mut Team) -> c_int = ctx_get_team ["9.5.4"];
            fn shmem_ctx_session_start(ctx: Ctx, options: c_long, config: *const SessionConfig, config_mask: c_long) = session_start ["9.9.2", since "1.6"];
            fn shmem_ctx_session_stop(ctx: Ctx) = session_stop ["9.9.3", since "1.6"];
            fn shmem_barrier_all() = barrier_all ["9.10.1"];
            fn shmem_sync_all() = sync_all ["9.10.4"];
            fn shmem_clear_lock(lock: *mut c_long) = clear_lock ["9.13.1"];
            fn shmem_set_lock(lock: *mut c_long) = set_lock ["9.13.1"];
            fn shmem_test_lock(lock: *mut c_long) -> c_int = test_lock ["9.13.1"];
            fn shmem_pcontrol(level: c_int) = pcontrol ["10.1.1", variadic];
        } }
        $read! { served plain twin [name: ()] {
            fn fence() = fence ["9.12.1"];
            fn quiet() = quiet ["9.12.2"];
            fn pe_quiet(target_pes: *const c_int, npes: size_t) = pe_quiet ["9.12.3", since "1.6"];
        } }
        $read! { served plain nothing [name: ()] {
            fn shmem_clear_cache_inv() = nothing ["9.11", removed "1.5"];
            fn shmem_clear_cache_line_inv(dest: *mut c_void) = nothing ["9.11", removed "1.5"];
            fn shmem_set_cache_inv() = nothing ["9.11", removed "1.5"];
            fn shmem_set_cache_line_inv(dest: *mut c_void) = nothing ["9.11", removed "1.5"];
            fn shmem_udcflush() = nothing ["9.11", removed "1.5"];
            fn shmem_udcflush_line(dest: *mut c_void) = nothing ["9.11", removed "1.5"];
        } }
    };

    (@rma $read:ident) => {
        $crate::openshmem_types! { rma => $read! served typed twin {
            fn put(dest: *mut T, source: *const T, nelems: size_t, pe: c_int) = put ["9.6.1.1", generic];
            fn p(dest: *mut T, value: T, pe: c_int) = p ["9.6.1.2", generic];
            fn iput(dest: *mut T, source: *const T, dst: ptrdiff_t, sst: ptrdiff_t, nelems: size_t, pe: c_int) = iput ["9.6.1.3", generic];
            fn ibput(dest: *mut T, source: *const T, dst: ptrdiff_t, sst: ptrdiff_t, bsize: size_t, nblocks: size_t, pe: c_int) = ibput ["9.6.1.4", generic, since "1.6"];
            fn get(dest: *mut T, source: *const T, nelems: size_t, pe: c_int) = get ["9.6.1.5", generic];
            fn g(source: *const T, pe: c_int) -> T = g ["9.6.1.6", generic];
            fn iget(dest: *mut T, source: *const T, dst: ptrdiff_t, sst: ptrdiff_t, nelems: size_t, pe: c_int) = iget ["9.6.1.7", generic];
            fn ibget(dest: *mut T, source: *const T, dst: ptrdiff_t, sst: ptrdiff_t, bsize: size_t, nblocks: size_t, pe: c_int) = ibget ["9.6.1.8", generic, since "1.6"];
            fn put_nbi(dest: *mut T, source: *const T, nelems: size_t, pe: c_int) = put_nbi ["9.6.2.1", generic];
            fn get_nbi(dest: *mut T, source: *const T, nelems: size_t, pe: c_int) = get_nbi ["9.6.2.2", generic];
            fn put_signal(dest: *mut T, source: *const T, nelems: size_t, sig_addr: *mut u64, signal: u64, sig_op: c_int, pe: c_int) = put_signal ["9.8.3", generic];
            fn put_signal_nbi(dest: *mut T, source: *const T, nelems: size_t, sig_addr: *mut u64, signal: u64, sig_op: c_int, pe: c_int) = put_signal_nbi ["9.8.4", generic];
        } }
        $read! { served sized twin [8: u8, 16: u16, 32: u32, 64: u64, 128: u128, mem: u8] {
            fn put*(dest: *mut T, source: *const T, nelems: size_t, pe: c_int) = put ["9.6.1.1"];
            fn get*(dest: *mut T, source: *const T, nelems: size_t, pe: c_int) = get ["9.6.1.5"];
            fn put*_nbi(dest: *mut T, source: *const T, nelems: size_t, pe: c_int) = put_nbi ["9.6.2.1"];
            fn get*_nbi(dest: *mut T, source: *const T, nelems: size_t, pe: c_int) = get_nbi ["9.6.2.2"];
            fn put*_signal(dest: *mut T, source: *const T, nelems: size_t, sig_addr: *mut u64, signal: u64, sig_op: c_int, pe: c_int) = put_signal ["9.8.3"];
            fn put*_signal_nbi(dest: *mut T, source: *const T, nelems: size_t, sig_addr: *mut u64, signal: u64, sig_op: c_int, pe: c_int) = put_signal_nbi ["9.8.4"];
        } }
        $read! { served sized twin [8: u8, 16: u16, 32: u32, 64: u64, 128: u128] {
            fn iput*(dest: *mut T, source: *const T, dst: ptrdiff_t, sst: ptrdiff_t, nelems: size_t, pe: c_int) = iput ["9.6.1.3"];
            fn ibput*(dest: *mut T, source: *const T, dst: ptrdiff_t, sst: ptrdiff_t, bsize: size_t, nblocks: size_t, pe: c_int) = ibput ["9.6.1.4", since "1.6"];
            fn iget*(dest: *mut T, source: *const T, dst: ptrdiff_t, sst: ptrdiff_t, nelems: size_t, pe: c_int) = iget ["9.6.1.7"];
            fn ibget*(dest: *mut T, source: *const T, dst: ptrdiff_t, sst: ptrdiff_t, bsize: size_t, nblocks: size_t, pe: c_int) = ibget ["9.6.1.8", since "1.6"];
        } }
    };

    (@atomics $read:ident) => {
        $crate::openshmem_types! { extended => $read! served typed twin {
            fn atomic_fetch(source: *const T, pe: c_int) -> T = atomic_fetch ["9.7.1.1", generic];
            fn atomic_set(dest: *mut T, value: T, pe: c_int) = atomic_set ["9.7.1.2", generic];
            fn atomic_swap(dest: *mut T, value: T, pe: c_int) -> T = atomic_swap ["9.7.1.4", generic];
            fn atomic_fetch_nbi(fetch: *mut T, source: *const T, pe: c_int) = atomic_fetch_nbi ["9.7.2.1", generic];
            fn atomic_swap_nbi(fetch: *mut T, dest: *mut T, value: T, pe: c_int) = atomic_swap_nbi ["9.7.2.3", generic];
        } }
        $crate::openshmem_types! { standard => $read! served typed twin {
            fn atomic_compare_swap(dest: *mut T, cond: T, value: T, pe: c_int) -> T = atomic_compare_swap ["9.7.1.3", generic];
            fn atomic_fetch_inc(dest: *mut T, pe: c_int) -> T = atomic_fetch_inc ["9.7.1.5", generic];
            fn atomic_inc(dest: *mut T, pe: c_int) = atomic_inc ["9.7.1.6", generic];
            fn atomic_fetch_add(dest: *mut T, value: T, pe: c_int) -> T = atomic_fetch_add ["9.7.1.7", generic];
            fn atomic_add(dest: *mut T, value: T, pe: c_int) = atomic_add ["9.7.1.8", generic];
            fn atomic_compare_swap_nbi(fetch: *mut T, dest: *mut T, cond: T, value: T, pe: c_int) = atomic_compare_swap_nbi ["9.7.2.2", generic];
            fn atomic_fetch_inc_nbi(fetch: *mut T, dest: *mut T, pe: c_int) = atomic_fetch_inc_nbi ["9.7.2.4", generic];
            fn atomic_fetch_add_nbi(fetch: *mut T, dest: *mut T, value: T, pe: c_int) = atomic_fetch_add_nbi ["9.7.2.5", generic];
        } }
        $crate::openshmem_types! { bitwise_and_signed => $read! served typed twin {
            fn atomic_fetch_and(dest: *mut T, value: T, pe: c_int) -> T = atomic_fetch_and ["9.7.1.9", generic];
            fn atomic_and(dest: *mut T, value: T, pe: c_int) = atomic_and ["9.7.1.10", generic];
            fn atomic_fetch_or(dest: *mut T, value: T, pe: c_int) -> T = atomic_fetch_or ["9.7.1.11", generic];
            fn atomic_or(dest: *mut T, value: T, pe: c_int) = atomic_or ["9.7.1.12", generic];
            fn atomic_fetch_xor(dest: *mut T, value: T, pe: c_int) -> T = atomic_fetch_xor ["9.7.1.13", generic];
            fn atomic_xor(dest: *mut T, value: T, pe: c_int) = atomic_xor ["9.7.1.14", generic];
            fn atomic_fetch_and_nbi(fetch: *mut T, dest: *mut T, value: T, pe: c_int) = atomic_fetch_and_nbi ["9.7.2.6", generic];
            fn atomic_fetch_or_nbi(fetch: *mut T, dest: *mut T, value: T, pe: c_int) = atomic_fetch_or_nbi ["9.7.2.7", generic];
            fn atomic_fetch_xor_nbi(fetch: *mut T, dest: *mut T, value: T, pe: c_int) = atomic_fetch_xor_nbi ["9.7.2.8", generic];
        } }
        $read! { served typed default [float: f32, double: f64, int: c_int, long: c_long, longlong: c_longlong] {
            fn fetch(source: *const T, pe: c_int) -> T = atomic_fetch ["9.7.1.1", generic, deprecated "1.4"];
            fn set(dest: *mut T, value: T, pe: c_int) = atomic_set ["9.7.1.2", generic, deprecated "1.4"];
            fn swap(dest: *mut T, value: T, pe: c_int) -> T = atomic_swap ["9.7.1.4", generic, deprecated "1.4"];
        } }
        $read! { served typed default [int: c_int, long: c_long, longlong: c_longlong] {
            fn cswap(dest: *mut T, cond: T, value: T, pe: c_int) -> T = atomic_compare_swap ["9.7.1.3", generic, deprecated "1.4"];
            fn finc(dest: *mut T, pe: c_int) -> T = atomic_fetch_inc ["9.7.1.5", generic, deprecated "1.4"];
            fn inc(dest: *mut T, pe: c_int) = atomic_inc ["9.7.1.6", generic, deprecated "1.4"];
            fn fadd(dest: *mut T, value: T, pe: c_int) -> T = atomic_fetch_add ["9.7.1.7", generic, deprecated "1.4"];
            fn add(dest: *mut T, value: T, pe: c_int) = atomic_add ["9.7.1.8", generic, deprecated "1.4"];
        } }
    };

    (@signals $read:ident) => {
        $read! { served plain twin [name: ()] {
            fn signal_add(sig_addr: *mut u64, signal: u64, pe: c_int) = signal_add ["9.8.5", generic, since "1.6"];
            fn signal_set(sig_addr: *mut u64, signal: u64, pe: c_int) = signal_set ["9.8.7", generic, since "1.6"];
        } }
        $read! { served plain bare [name: ()] {
            fn shmem_signal_fetch(sig_addr: *const u64) -> u64 = signal_fetch ["9.8.6"];
            fn shmem_signal_wait_until(sig_addr: *mut u64, cmp: c_int, cmp_value: u64) -> u64 = signal_wait_until ["9.11.15"];
        } }
    };

    (@waits $read:ident) => {
        $crate::openshmem_types! { standard => $read! served typed bare {
            fn wait_until(ivar: *mut T, cmp: c_int, cmp_value: T) = wait_until ["9.11.1", generic];
            fn test(ivar: *mut T, cmp: c_int, cmp_value: T) -> c_int = test ["9.11.8", generic];
        } }
        $crate::openshmem_types! { standard_and_short => $read! served typed bare {
            fn wait_until_all(ivars: *mut T, nelems: size_t, status: *const c_int, cmp: c_int, cmp_value: T) = wait_until_all ["9.11.2", generic];
            fn wait_until_any(ivars: *mut T, nelems: size_t, status: *const c_int, cmp: c_int, cmp_value: T) -> size_t = wait_until_any ["9.11.3", generic];
            fn wait_until_some(ivars: *mut T, nelems: size_t, indices: *mut size_t, status: *const c_int, cmp: c_int, cmp_value: T) -> size_t = wait_until_some ["9.11.4", generic];
            fn wait_until_all_vector(ivars: *mut T, nelems: size_t, status: *const c_int, cmp: c_int, cmp_values: *const T) = wait_until_all_vector ["9.11.5", generic];
            fn wait_until_any_vector(ivars: *mut T, nelems: size_t, status: *const c_int, cmp: c_int, cmp_values: *const T) -> size_t = wait_until_any_vector ["9.11.6", generic];
            fn wait_until_some_vector(ivars: *mut T, nelems: size_t, indices: *mut size_t, status: *const c_int, cmp: c_int, cmp_values: *const T) -> size_t = wait_until_some_vector ["9.11.7", generic];
            fn test_all(ivars: *mut T, nelems: size_t, status: *const c_int, cmp: c_int, cmp_value: T) -> c_int = test_all ["9.11.9", generic];
            fn test_any(ivars: *mut T, nelems: size_t, status: *const c_int, cmp: c_int, cmp_value: T) -> size_t = test_any ["9.11.10", generic];
            fn test_some(ivars: *mut T, nelems: size_t, indices: *mut size_t, status: *const c_int, cmp: c_int, cmp_value: T) -> size_t = test_some ["9.11.11", generic];
            fn test_all_vector(ivars: *mut T, nelems: size_t, status: *const c_int, cmp: c_int, cmp_values: *const T) -> c_int = test_all_vector ["9.11.12", generic];
            fn test_any_vector(ivars: *mut T, nelems: size_t, status: *const c_int, cmp: c_int, cmp_values: *const T) -> size_t = test_any_vector ["9.11.13", generic];
            fn test_some_vector(ivars: *mut T, nelems: size_t, indices: *mut size_t, status: *const c_int, cmp: c_int, cmp_values: *const T) -> size_t = test_some_vector ["9.11.14", generic];
        } }
        $read! { served typed bare [short: c_short, ushort: c_ushort] {
            fn wait_until(ivar: *mut T, cmp: c_int, cmp_value: T) = wait_until ["9.11.1", generic, deprecated "1.5"];
            fn test(ivar: *mut T, cmp: c_int, cmp_value: T) -> c_int = test ["9.11.8", generic, deprecated "1.5"];
        } }
        $read! { served typed bare [short: c_short, int: c_int, long: c_long, longlong: c_longlong] {
            fn wait(ivar: *mut T, cmp_value: T) = wait ["9.11.1", deprecated "1.4"];
        } }
        $read! { served plain bare [name: ()] {
            fn shmem_wait_until(ivar: *mut c_long, cmp: c_int, cmp_value: c_long) = wait_until ["9.11.1", deprecated "1.4"];
            fn shmem_wait(ivar: *mut c_long, cmp_value: c_long) = wait ["9.11.1", deprecated "1.4"];
        } }
    };

    (@teams $read:ident) => {
        $read! { served plain bare [name: ()] {
            fn shmem_team_my_pe(team: Team) -> c_int = team_my_pe ["9.4.1"];
            fn shmem_team_n_pes(team: Team) -> c_int = team_n_pes ["9.4.2"];
            fn shmem_team_get_config(team: Team, config_mask: c_long, config: *mut TeamConfig) -> c_int = team_get_config ["9.4.4"];
            fn shmem_team_translate_pe(src_team: Team, src_pe: c_int, dest_team: Team) -> c_int = team_translate_pe ["9.4.5"];
            fn shmem_team_split_strided(parent_team: Team, start: c_int, stride: c_int, size: c_int, config: *const TeamConfig, config_mask: c_long, new_team: *mut Team) -> c_int = team_split_strided ["9.4.6"];
            fn shmem_team_split_2d(parent_team: Team, xrange: c_int, xaxis_config: *const TeamConfig, xaxis_mask: c_long, xaxis_team: *mut Team, yaxis_config: *const TeamConfig, yaxis_mask: c_long, yaxis_team: *mut Team) -> c_int = team_split_2d ["9.4.7"];
            fn shmem_team_destroy(team: Team) = team_destroy ["9.4.8"];
        } }
    };

    (@collectives $read:ident) => {
        $read! { served plain bare [name: ()] {
            fn shmem_team_sync(team: Team) -> c_int = team_sync ["9.10.3", generic_as "shmem_sync"];
        } }
        $crate::openshmem_types! { rma => $read! served typed bare {
            fn alltoall(team: Team, dest: *mut T, source: *const T, nelems: size_t) -> c_int = alltoall ["9.10.5", generic];
            fn alltoalls(team: Team, dest: *mut T, source: *const T, dst: ptrdiff_t, sst: ptrdiff_t, nelems: size_t) -> c_int = alltoalls ["9.10.6", generic];
            fn broadcast(team: Team, dest: *mut T, source: *const T, nelems: size_t, PE_root: c_int) -> c_int = broadcast ["9.10.7", generic];
            fn collect(team: Team, dest: *mut T, source: *const T, nelems: size_t) -> c_int = collect ["9.10.8", generic];
            fn fcollect(team: Team, dest: *mut T, source: *const T, nelems: size_t) -> c_int = fcollect ["9.10.8", generic];
        } }
        $read! { served sized bare [mem: u8] {
            fn alltoall*(team: Team, dest: *mut T, source: *const T, nelems: size_t) -> c_int = alltoall ["9.10.5"];
            fn alltoalls*(team: Team, dest: *mut T, source: *const T, dst: ptrdiff_t, sst: ptrdiff_t, nelems: size_t) -> c_int = alltoalls ["9.10.6"];
            fn broadcast*(team: Team, dest: *mut T, source: *const T, nelems: size_t, PE_root: c_int) -> c_int = broadcast ["9.10.7"];
            fn collect*(team: Team, dest: *mut T, source: *const T, nelems: size_t) -> c_int = collect ["9.10.8"];
            fn fcollect*(team: Team, dest: *mut T, source: *const T, nelems: size_t) -> c_int = fcollect ["9.10.8"];
        } }
    };

    (@reductions $read:ident) => {
        $crate::openshmem_types! { logic_and_signed => $read! served typed bare {
            fn and_reduce(team: Team, dest: *mut T, source: *const T, nreduce: size_t) -> c_int = and_reduce ["9.10.9", generic];
            fn or_reduce(team: Team, dest: *mut T, source: *const T, nreduce: size_t) -> c_int = or_reduce ["9.10.9", generic];
            fn xor_reduce(team: Team, dest: *mut T, source: *const T, nreduce: size_t) -> c_int = xor_reduce ["9.10.9", generic];
        } }
        $crate::openshmem_types! { rma => $read! served typed bare {
            fn max_reduce(team: Team, dest: *mut T, source: *const T, nreduce: size_t) -> c_int = max_reduce ["9.10.9", generic];
            fn min_reduce(team: Team, dest: *mut T, source: *const T, nreduce: size_t) -> c_int = min_reduce ["9.10.9", generic];
        } }
        $crate::openshmem_types! { arithmetic => $read! served typed bare {
            fn sum_reduce(team: Team, dest: *mut T, source: *const T, nreduce: size_t) -> c_int = sum_reduce ["9.10.9", generic];
            fn prod_reduce(team: Team, dest: *mut T, source: *const T, nreduce: size_t) -> c_int = prod_reduce ["9.10.9", generic];
            fn sum_inscan(team: Team, dest: *mut T, source: *const T, nelems: size_t) -> c_int = sum_inscan ["9.10.10", generic, since "1.6"];
            fn sum_exscan(team: Team, dest: *mut T, source: *const T, nelems: size_t) -> c_int = sum_exscan ["9.10.10", generic, since "1.6"];
        } }
    };

    (@active_sets $read:ident) => {
        $read! { served plain bare [name: ()] {
            fn shmem_barrier(PE_start: c_int, logPE_stride: c_int, PE_size: c_int, pSync: *mut c_long) = barrier ["9.10.2", deprecated "1.5"];
            fn shmem_sync(PE_start: c_int, logPE_stride: c_int, PE_size: c_int, pSync: *mut c_long) = sync ["9.10.3", deprecated "1.5"];
        } }
        $read! { served sized bare [32: u32, 64: u64] {
            fn alltoall*(dest: *mut T, source: *const T, nelems: size_t, PE_start: c_int, logPE_stride: c_int, PE_size: c_int, pSync: *mut c_long) = set_alltoall ["9.10.5", deprecated "1.5"];
            fn alltoalls*(dest: *mut T, source: *const T, dst: ptrdiff_t, sst: ptrdiff_t, nelems: size_t, PE_start: c_int, logPE_stride: c_int, PE_size: c_int, pSync: *mut c_long) = set_alltoalls ["9.10.6", deprecated "1.5"];
            fn broadcast*(dest: *mut T, source: *const T, nelems: size_t, PE_root: c_int, PE_start: c_int, logPE_stride: c_int, PE_size: c_int, pSync: *mut c_long) = set_broadcast ["9.10.7", deprecated "1.5"];
            fn collect*(dest: *mut T, source: *const T, nelems: size_t, PE_start: c_int, logPE_stride: c_int, PE_size: c_int, pSync: *mut c_long) = set_collect ["9.10.8", deprecated "1.5"];
            fn fcollect*(dest: *mut T, source: *const T, nelems: size_t, PE_start: c_int, logPE_stride: c_int, PE_size: c_int, pSync: *mut c_long) = set_fcollect ["9.10.8", deprecated "1.5"];
        } }
        $read! { served typed bare [short: c_short, int: c_int, long: c_long, longlong: c_longlong] {
            fn and_to_all(dest: *mut T, source: *const T, nreduce: c_int, PE_start: c_int, logPE_stride: c_int, PE_size: c_int, pWrk: *mut T, pSync: *mut c_long) = and_to_all ["9.10.9", deprecated "1.5"];
            fn or_to_all(dest: *mut T, source: *const T, nreduce: c_int, PE_start: c_int, logPE_stride: c_int, PE_size: c_int, pWrk: *mut T, pSync: *mut c_long) = or_to_all ["9.10.9", deprecated "1.5"];
            fn xor_to_all(dest: *mut T, source: *const T, nreduce: c_int, PE_start: c_int, logPE_stride: c_int, PE_size: c_int, pWrk: *mut T, pSync: *mut c_long) = xor_to_all ["9.10.9", deprecated "1.5"];
        } }
        $read! { served typed bare [short: c_short, int: c_int, long: c_long, longlong: c_longlong, float: f32, double: f64, longdouble: LongDouble] {
            fn max_to_all(dest: *mut T, source: *const T, nreduce: c_int, PE_start: c_int, logPE_stride: c_int, PE_size: c_int, pWrk: *mut T, pSync: *mut c_long) = max_to_all ["9.10.9", deprecated "1.5"];
            fn min_to_all(dest: *mut T, source: *const T, nreduce: c_int, PE_start: c_int, logPE_stride: c_int, PE_size: c_int, pWrk: *mut T, pSync: *mut c_long) = min_to_all ["9.10.9", deprecated "1.5"];
        } }
        $read! { served typed bare [short: c_short, int: c_int, long: c_long, longlong: c_longlong, float: f32, double: f64, longdouble: LongDouble, complexd: ComplexDouble, complexf: ComplexFloat] {
            fn sum_to_all(dest: *mut T, source: *const T, nreduce: c_int, PE_start: c_int, logPE_stride: c_int, PE_size: c_int, pWrk: *mut T, pSync: *mut c_long) = sum_to_all ["9.10.9", deprecated "1.5"];
            fn prod_to_all(dest: *mut T, source: *const T, nreduce: c_int, PE_start: c_int, logPE_stride: c_int, PE_size: c_int, pWrk: *mut T, pSync: *mut c_long) = prod_to_all ["9.10.9", deprecated "1.5"];
        } }
    };

    // Names that no specification has, but that other libraries' `shmem.h` and programs have.
    (@of_others $read:ident) => {
        // SOS has the old names of atomics for all types of the new ones.
        $read! { extension typed default [
            uint: c_uint, ulong: c_ulong, ulonglong: c_ulonglong, int32: i32, int64: i64, uint32: u32, uint64: u64,
            size: size_t, ptrdiff: ptrdiff_t
        ] {
            fn fetch(source: *const T, pe: c_int) -> T = atomic_fetch ["9.7.1.1", generic];
            fn set(dest: *mut T, value: T, pe: c_int) = atomic_set ["9.7.1.2", generic];
            fn swap(dest: *mut T, value: T, pe: c_int) -> T = atomic_swap ["9.7.1.4", generic];
            fn cswap(dest: *mut T, cond: T, value: T, pe: c_int) -> T = atomic_compare_swap ["9.7.1.3", generic];
            fn finc(dest: *mut T, pe: c_int) -> T = atomic_fetch_inc ["9.7.1.5", generic];
            fn inc(dest: *mut T, pe: c_int) = atomic_inc ["9.7.1.6", generic];
            fn fadd(dest: *mut T, value: T, pe: c_int) -> T = atomic_fetch_add ["9.7.1.7", generic];
            fn add(dest: *mut T, value: T, pe: c_int) = atomic_add ["9.7.1.8", generic];
        } }
        // OSSS-UCX has the old wait for all types that can be waited for.
        $read! { extension typed bare [
            ushort: c_ushort, uint: c_uint, ulong: c_ulong, ulonglong: c_ulonglong, int32: i32, int64: i64, uint32: u32,
            uint64: u64, size: size_t, ptrdiff: ptrdiff_t
        ] {
            fn wait(ivar: *mut T, cmp_value: T) = wait ["9.11.1"];
        } }
        // Cray's transfers from before OpenSHMEM; a fifth argument says where to store the handle.
        $read! { extension typed default [
            float: f32, double: f64, longdouble: LongDouble, char: c_char, short: c_short, int: c_int, long: c_long, longlong: c_longlong
        ] {
            fn put_nb(dest: *mut T, source: *const T, nelems: size_t, pe: c_int) -> *mut c_void = x_put_nb ["9.6.2.1", variadic];
            fn get_nb(dest: *mut T, source: *const T, nelems: size_t, pe: c_int) -> *mut c_void = x_get_nb ["9.6.2.2", variadic];
        } }
        $read! { extension sized default [8: u8, 16: u16, 32: u32, 64: u64, 128: u128, mem: u8] {
            fn put*_nb(dest: *mut T, source: *const T, nelems: size_t, pe: c_int) -> *mut c_void = x_put_nb ["9.6.2.1", variadic];
            fn get*_nb(dest: *mut T, source: *const T, nelems: size_t, pe: c_int) -> *mut c_void = x_get_nb ["9.6.2.2", variadic];
        } }
        $read! { extension plain bare [name: ()] {
            fn shmem_wait_nb(handle: *mut c_void) = x_wait_nb ["9.12.2"];
            fn shmem_test_nb(handle: *mut c_void) -> c_int = x_test_nb ["9.12.2"];
        } }
        // Names from before SHMEM had a prefix.
        $read! { extension plain bare [name: ()] {
            fn my_pe() -> c_int = my_pe ["9.1.2", undeclared];
            fn num_pes() -> c_int = n_pes ["9.1.3", undeclared];
            fn globalexit(status: c_int) -> ! = global_exit ["9.1.6", undeclared];
        } }
    };
}

/// The type lists that several groups share, so that each is written once.
#[doc(hidden)]
#[macro_export]
macro_rules! openshmem_types {
    (rma => $read:ident! $served:ident $shape:ident $context:ident $rows:tt) => {
        $read! { $served $shape $context [
            float: f32, double: f64, longdouble: LongDouble, char: c_char, schar: c_schar, short: c_short, int: c_int,
            long: c_long, longlong: c_longlong, uchar: c_uchar, ushort: c_ushort, uint: c_uint, ulong: c_ulong,
            ulonglong: c_ulonglong, int8: i8, int16: i16, int32: i32, int64: i64, uint8: u8, uint16: u16, uint32: u32,
            uint64: u64, size: size_t, ptrdiff: ptrdiff_t
        ] $rows }
    };
    (extended => $read:ident! $served:ident $shape:ident $context:ident $rows:tt) => {
        $read! { $served $shape $context [
            float: f32, double: f64, int: c_int, long: c_long, longlong: c_longlong, uint: c_uint, ulong: c_ulong,
            ulonglong: c_ulonglong, int32: i32, int64: i64, uint32: u32, uint64: u64, size: size_t, ptrdiff: ptrdiff_t
        ] $rows }
    };
    (standard => $read:ident! $served:ident $shape:ident $context:ident $rows:tt) => {
        $read! { $served $shape $context [
            int: c_int, long: c_long, longlong: c_longlong, uint: c_uint, ulong: c_ulong, ulonglong: c_ulonglong,
            int32: i32, int64: i64, uint32: u32, uint64: u64, size: size_t, ptrdiff: ptrdiff_t
        ] $rows }
    };
    // The specification's routines can wait for words of 16 bits only one at a time. Other libraries have all the routines for such words,
    // and programs use them.
    (standard_and_short => $read:ident! $served:ident $shape:ident $context:ident $rows:tt) => {
        $crate::openshmem_types! { standard => $read! $served $shape $context $rows }
        $read! { extension $shape $context [short: c_short, ushort: c_ushort] $rows }
    };
    // Logic of signed words under C's own type names: other libraries have it.
    (bitwise_and_signed => $read:ident! $served:ident $shape:ident $context:ident $rows:tt) => {
        $crate::openshmem_types! { bitwise => $read! $served $shape $context $rows }
        $read! { extension $shape $context [int: c_int, long: c_long, longlong: c_longlong] $rows }
    };
    (logic_and_signed => $read:ident! $served:ident $shape:ident $context:ident $rows:tt) => {
        $crate::openshmem_types! { logic => $read! $served $shape $context $rows }
        $read! { extension $shape $context [short: c_short, int: c_int, long: c_long, longlong: c_longlong] $rows }
    };
    (bitwise => $read:ident! $served:ident $shape:ident $context:ident $rows:tt) => {
        $read! { $served $shape $context [
            uint: c_uint, ulong: c_ulong, ulonglong: c_ulonglong, int32: i32, int64: i64, uint32: u32, uint64: u64
        ] $rows }
    };
    (logic => $read:ident! $served:ident $shape:ident $context:ident $rows:tt) => {
        $read! { $served $shape $context [
            uchar: c_uchar, ushort: c_ushort, uint: c_uint, ulong: c_ulong, ulonglong: c_ulonglong, int8: i8,
            int16: i16, int32: i32, int64: i64, uint8: u8, uint16: u16, uint32: u32, uint64: u64, size: size_t
        ] $rows }
    };
    (arithmetic => $read:ident! $served:ident $shape:ident $context:ident $rows:tt) => {
        $read! { $served $shape $context [
            char: c_char, schar: c_schar, short: c_short, int: c_int, long: c_long, longlong: c_longlong,
            ptrdiff: ptrdiff_t, uchar: c_uchar, ushort: c_ushort, uint: c_uint, ulong: c_ulong, ulonglong: c_ulonglong,
            int8: i8, int16: i16, int32: i32, int64: i64, uint8: u8, uint16: u16, uint32: u32, uint64: u64,
            size: size_t, float: f32, double: f64, longdouble: LongDouble, complexd: ComplexDouble,
            complexf: ComplexFloat
        ] $rows }
    };
}
