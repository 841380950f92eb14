//! The table of extensions to OpenSHMEM, whose names begin with `shmemx_`.
//!
//! Rows have the form of those in `table.rs`. The first word of a group says where its names come from: `cray`, `sos`
//! (Sandia OpenSHMEM), `open_mpi`, `reference` (the reference implementations), or `own` for names that no other library
//! has; names of `cray_team` begin with `shmemx_team_`.
//! The brackets have the routine's family.
//!
//! A row is here only if the library implements what the name promises. Rows of `device` are of OpenSHMEM's auxiliary specification for GPU
//! support: their names begin with `shmemg_`, and `shmemg.h` declares them.

use crate::{
    Status,
    constants::{Constant, Value},
};

/// Hands every group of the extensions to the macro `$read`.
#[macro_export]
macro_rules! openshmemx_abi {
    ($read:ident) => {
        $crate::openshmemx_abi! { @cray_plain $read }
        $crate::openshmemx_abi! { @cray_reductions $read }
        $crate::openshmemx_abi! { @cray_explicit $read }
        $crate::openshmemx_abi! { @cray_atomics $read }
        $crate::openshmemx_abi! { @sos $read }
        $crate::openshmemx_abi! { @open_mpi $read }
        $crate::openshmemx_abi! { @reference $read }
        $crate::openshmemx_abi! { @starts $read }
        $crate::openshmemx_abi! { @requests $read }
        $crate::openshmemx_abi! { @aggregation $read }
        $crate::openshmemx_abi! { @proposed $read }
        $crate::openshmemx_abi! { @device $read }
        $crate::openshmemx_abi! { @spaces $read }
    };

    (@device $read:ident) => {
        $read! { device plain bare [name: ()] {
            fn shmemg_malloc(size: size_t) -> *mut c_void = device_malloc ["memory of devices"];
            fn shmemg_calloc(count: size_t, size: size_t) -> *mut c_void = device_calloc ["memory of devices"];
            fn shmemg_align(alignment: size_t, size: size_t) -> *mut c_void = device_align ["memory of devices"];
            fn shmemg_free(ptr: *mut c_void) = device_free ["memory of devices"];
        } }
    };

    // HPE's, as programs in Fortran call them.
    (@spaces $read:ident) => {
        $read! { cray plain bare [name: ()] {
            fn shmemx_query_gpu_awareness(team: Team) -> c_int = x_query_gpu_awareness ["memory of devices"];
            fn shmemx_space_create(team: Team, options: c_long, config: *const SpaceConfig, space: *mut Space) -> c_int = x_space_create ["memory of devices"];
            fn shmemx_space_malloc(space: Space, size: size_t) -> *mut c_void = x_space_malloc ["memory of devices"];
            fn shmemx_space_free(space: Space, ptr: *mut c_void) = x_space_free ["memory of devices"];
        } }
    };

    (@cray_plain $read:ident) => {
        $read! { cray plain bare [name: ()] {
            fn shmemx_team_my_pe(newteam: Team) -> c_int = team_my_pe ["teams"];
            fn shmemx_team_n_pes(newteam: Team) -> c_int = team_n_pes ["teams"];
            fn shmemx_team_mype(newteam: Team) -> c_int = team_my_pe ["teams"];
            fn shmemx_team_npes(newteam: Team) -> c_int = team_n_pes ["teams"];
            fn shmemx_team_translate_pe(team1: Team, team1_pe: c_int, team2: Team) -> c_int = team_translate_pe ["teams"];
            fn shmemx_team_split_strided(parent_team: Team, PE_start: c_int, PE_stride: c_int, PE_size: c_int, newteam: *mut Team) = x_team_split_strided ["teams"];
            fn shmemx_team_create_strided(PE_start: c_int, PE_stride: c_int, PE_size: c_int, newteam: *mut Team) = x_team_create_strided ["teams"];
            fn shmemx_team_split_2d(parent_team: Team, xrange: c_int, yrange: c_int, xaxis_team: *mut Team, yaxis_team: *mut Team) = x_team_split_2d ["teams"];
            fn shmemx_team_split_3d(parent_team: Team, xrange: c_int, yrange: c_int, zrange: c_int, xaxis_team: *mut Team, yaxis_team: *mut Team, zaxis_team: *mut Team) = x_team_split_3d ["teams"];
            fn shmemx_team_split(parent_team: Team, color: c_int, key: c_int, newteam: *mut Team) = x_team_split ["teams"];
            fn shmemx_team_split_color(parent_team: Team, color: c_int, key: c_int, newteam: *mut Team) = x_team_split ["teams"];
            fn shmemx_team_destroy(newteam: *mut Team) = x_team_destroy ["teams"];
            fn shmemx_team_barrier(team: Team, pSync: *mut c_long) = x_team_barrier ["collectives of teams"];
            fn shmemx_team_alltoall(target: *mut c_void, source: *const c_void, len: size_t, team: Team, pSync: *mut c_long) = x_team_alltoall ["collectives of teams"];
            fn shmemx_alltoallv(target: *mut c_void, t_offsets: *mut size_t, t_sizes: *mut size_t, source: *const c_void, s_offsets: *mut size_t, s_sizes: *mut size_t, PE_start: c_int, logPE_stride: c_int, PE_size: c_int, pSync: *mut c_long) = x_alltoallv ["all-to-all of blocks of different lengths"];
            fn shmemx_alltoallv_packed(target: *mut c_void, target_len: size_t, t_size: *mut size_t, source: *const c_void, s_offsets: *mut size_t, s_sizes: *mut size_t, PE_start: c_int, logPE_stride: c_int, PE_size: c_int, pSync: *mut c_long) = x_alltoallv_packed ["all-to-all of blocks of different lengths"];
            fn shmemx_team_alltoallv(target: *mut c_void, t_offsets: *mut size_t, t_sizes: *mut size_t, source: *const c_void, s_offsets: *mut size_t, s_sizes: *mut size_t, team: Team, pSync: *mut c_long) = x_team_alltoallv ["all-to-all of blocks of different lengths"];
            fn shmemx_team_alltoallv_packed(target: *mut c_void, target_len: size_t, t_size: *mut size_t, source: *const c_void, s_offsets: *mut size_t, s_sizes: *mut size_t, team: Team, pSync: *mut c_long) = x_team_alltoallv_packed ["all-to-all of blocks of different lengths"];
            fn shmemx_init_thread(required: c_int) -> c_int = x_init_thread ["threads"];
            fn shmemx_query_thread() -> c_int = x_query_thread ["threads"];
            fn shmemx_thread_register() = x_thread_register ["threads"];
            fn shmemx_thread_unregister() = x_thread_unregister ["threads"];
            fn shmemx_session_start(ctx: Ctx, options: c_long) = x_session_start ["sessions"];
            fn shmemx_session_stop(ctx: Ctx) = session_stop ["sessions"];
            fn shmemx_local_complete() = x_local_complete ["completion"];
            fn shmemx_pe_quiet(target_pe: c_int) = x_pe_quiet ["completion"];
        } }
        $read! { cray plain default [name: ()] {
            fn shmemx_thread_fence() = fence ["threads"];
            fn shmemx_thread_quiet() = quiet ["threads"];
        } }
        $read! { cray plain twin [name: ()] {
            fn signal_set(sig_addr: *const u64, signal: u64, pe: c_int) = x_signal_set ["signals", generic];
        } }
    };

    (@cray_reductions $read:ident) => {
        $read! { cray_team typed bare [short: c_short, int: c_int, long: c_long, longlong: c_longlong] {
            fn and_to_all(team: Team, dest: *mut T, source: *const T, nreduce: c_int, pWrk: *mut T, pSync: *mut c_long) = x_team_and_to_all ["collectives of teams"];
            fn or_to_all(team: Team, dest: *mut T, source: *const T, nreduce: c_int, pWrk: *mut T, pSync: *mut c_long) = x_team_or_to_all ["collectives of teams"];
            fn xor_to_all(team: Team, dest: *mut T, source: *const T, nreduce: c_int, pWrk: *mut T, pSync: *mut c_long) = x_team_xor_to_all ["collectives of teams"];
        } }
        $read! { cray_team typed bare [short: c_short, int: c_int, long: c_long, longlong: c_longlong, float: f32, double: f64, longdouble: LongDouble] {
            fn max_to_all(team: Team, dest: *mut T, source: *const T, nreduce: c_int, pWrk: *mut T, pSync: *mut c_long) = x_team_max_to_all ["collectives of teams"];
            fn min_to_all(team: Team, dest: *mut T, source: *const T, nreduce: c_int, pWrk: *mut T, pSync: *mut c_long) = x_team_min_to_all ["collectives of teams"];
            fn sum_to_all(team: Team, dest: *mut T, source: *const T, nreduce: c_int, pWrk: *mut T, pSync: *mut c_long) = x_team_sum_to_all ["collectives of teams"];
            fn prod_to_all(team: Team, dest: *mut T, source: *const T, nreduce: c_int, pWrk: *mut T, pSync: *mut c_long) = x_team_prod_to_all ["collectives of teams"];
        } }
    };

    (@cray_explicit $read:ident) => {
        // The reference implementation has a handle as their fifth argument.
        $crate::openshmem_types! { rma => $read! cray typed twin {
            fn put_nb(dest: *mut T, source: *const T, nelems: size_t, pe: c_int) = put_nbi ["explicit non-blocking transfers", generic, variadic];
            fn get_nb(dest: *mut T, source: *const T, nelems: size_t, pe: c_int) = get_nbi ["explicit non-blocking transfers", generic, variadic];
        } }
        $read! { cray sized twin [8: u8, 16: u16, 32: u32, 64: u64, 128: u128, mem: u8] {
            fn put*_nb(dest: *mut T, source: *const T, nelems: size_t, pe: c_int) = put_nbi ["explicit non-blocking transfers", variadic];
            fn get*_nb(dest: *mut T, source: *const T, nelems: size_t, pe: c_int) = get_nbi ["explicit non-blocking transfers", variadic];
        } }
        $read! { cray typed default [float: f32, double: f64, longdouble: LongDouble, char: c_char, int: c_int, long: c_long, longlong: c_longlong] {
            fn put_signal(target: *mut T, source: *const T, len: size_t, sig_addr: *mut u64, signal: u64, pe: c_int) = x_put_signal ["puts that set a signal", generic];
            fn put_signal_nb(target: *mut T, source: *const T, len: size_t, sig_addr: *mut u64, signal: u64, pe: c_int) = x_put_signal ["puts that set a signal", generic];
        } }
        $read! { cray sized default [8: u8, 16: u16, 32: u32, 64: u64, 128: u128, mem: u8] {
            fn put*_signal(target: *mut T, source: *const T, len: size_t, sig_addr: *mut u64, signal: u64, pe: c_int) = x_put_signal ["puts that set a signal"];
            fn put*_signal_nb(target: *mut T, source: *const T, len: size_t, sig_addr: *mut u64, signal: u64, pe: c_int) = x_put_signal ["puts that set a signal"];
        } }
    };

    (@cray_atomics $read:ident) => {
        $crate::openshmem_types! { standard => $read! cray typed default {
            fn add_nb(target: *mut T, value: T, pe: c_int, transfer_handle: *mut *mut c_void) = x_add_nb ["explicit non-blocking atomics"];
            fn inc_nb(target: *mut T, pe: c_int, transfer_handle: *mut *mut c_void) = x_inc_nb ["explicit non-blocking atomics"];
            fn cswap_nb(fetch: *mut T, target: *mut T, cond: T, value: T, pe: c_int, transfer_handle: *mut *mut c_void) = x_cswap_nb ["explicit non-blocking atomics"];
            fn fadd_nb(fetch: *mut T, target: *mut T, value: T, pe: c_int, transfer_handle: *mut *mut c_void) = x_fadd_nb ["explicit non-blocking atomics"];
            fn finc_nb(fetch: *mut T, target: *mut T, pe: c_int, transfer_handle: *mut *mut c_void) = x_finc_nb ["explicit non-blocking atomics"];
            fn swap_nb(fetch: *mut T, target: *mut T, value: T, pe: c_int, transfer_handle: *mut *mut c_void) = x_swap_nb ["explicit non-blocking atomics"];
        } }
        $read! { cray typed default [short: c_short] {
            fn add(target: *mut T, value: T, pe: c_int) = atomic_add ["atomics of 16 bits"];
            fn cswap(target: *mut T, cond: T, value: T, pe: c_int) -> T = atomic_compare_swap ["atomics of 16 bits"];
            fn inc(target: *mut T, pe: c_int) = atomic_inc ["atomics of 16 bits"];
            fn fadd(target: *mut T, value: T, pe: c_int) -> T = atomic_fetch_add ["atomics of 16 bits"];
            fn swap(target: *mut T, value: T, pe: c_int) -> T = atomic_swap ["atomics of 16 bits"];
            fn finc(target: *mut T, pe: c_int) -> T = atomic_fetch_inc ["atomics of 16 bits"];
        } }
    };

    (@sos $read:ident) => {
        $read! { sos plain bare [name: ()] {
            fn shmemx_wtime() -> f64 = x_wtime ["the machine"];
            fn shmemx_nodename() -> *mut c_char = x_nodename ["the machine"];
            fn shmemx_register_gettid(gettid_fn: Gettid) = x_register_gettid ["threads"];
            fn shmemx_pcntr_get_issued_write(ctx: Ctx, cntr_value: *mut u64) = pcntr_get_issued_write ["performance counters"];
            fn shmemx_pcntr_get_issued_read(ctx: Ctx, cntr_value: *mut u64) = pcntr_get_issued_read ["performance counters"];
            fn shmemx_pcntr_get_completed_write(ctx: Ctx, cntr_value: *mut u64) = pcntr_get_completed_write ["performance counters"];
            fn shmemx_pcntr_get_completed_read(ctx: Ctx, cntr_value: *mut u64) = pcntr_get_completed_read ["performance counters"];
            fn shmemx_pcntr_get_completed_target(cntr_value: *mut u64) = pcntr_get_completed_target ["performance counters"];
            fn shmemx_pcntr_get_all(ctx: Ctx, pcntr: *mut Pcntr) = pcntr_get_all ["performance counters"];
            fn shmemx_ct_create(ct: *mut Ct) = ct_create ["puts and gets that count at their target"];
            fn shmemx_ct_free(ct: *mut Ct) = ct_free ["puts and gets that count at their target"];
            fn shmemx_ct_get(ct: Ct) -> c_long = ct_get ["puts and gets that count at their target"];
            fn shmemx_ct_set(ct: Ct, value: c_long) = ct_set ["puts and gets that count at their target"];
            fn shmemx_ct_wait(ct: Ct, wait_for: c_long) = ct_wait ["puts and gets that count at their target"];
            fn shmemx_putmem_ct(ct: Ct, target: *mut c_void, source: *const c_void, len: size_t, pe: c_int) = putmem_ct ["puts and gets that count at their target"];
            fn shmemx_getmem_ct(ct: Ct, target: *mut c_void, source: *const c_void, len: size_t, pe: c_int) = getmem_ct ["puts and gets that count at their target"];
        } }
        $read! { sos plain twin [name: ()] {
            fn signal_add(sig_addr: *mut u64, signal: u64, pe: c_int) = signal_add ["signals", generic];
        } }
        $crate::openshmem_types! { rma => $read! sos typed twin {
            fn ibput(target: *mut T, source: *const T, tst: ptrdiff_t, sst: ptrdiff_t, bsize: size_t, nblocks: size_t, pe: c_int) = ibput ["strided blocks", generic];
            fn ibget(target: *mut T, source: *const T, tst: ptrdiff_t, sst: ptrdiff_t, bsize: size_t, nblocks: size_t, pe: c_int) = ibget ["strided blocks", generic];
        } }
        $read! { sos sized twin [8: u8, 16: u16, 32: u32, 64: u64, 128: u128] {
            fn ibput*(target: *mut T, source: *const T, tst: ptrdiff_t, sst: ptrdiff_t, bsize: size_t, nblocks: size_t, pe: c_int) = ibput ["strided blocks"];
            fn ibget*(target: *mut T, source: *const T, tst: ptrdiff_t, sst: ptrdiff_t, bsize: size_t, nblocks: size_t, pe: c_int) = ibget ["strided blocks"];
        } }
        $crate::openshmem_types! { arithmetic => $read! sos typed bare {
            fn sum_inscan(team: Team, dest: *mut T, source: *const T, nelems: size_t) -> c_int = sum_inscan ["scans", generic];
            fn sum_exscan(team: Team, dest: *mut T, source: *const T, nelems: size_t) -> c_int = sum_exscan ["scans", generic];
        } }
    };

    (@open_mpi $read:ident) => {
        $read! { open_mpi plain bare [name: ()] {
            fn shmemx_malloc_with_hint(size: size_t, hint: c_long) -> *mut c_void = malloc_with_hints ["memory with hints"];
        } }
        $read! { open_mpi typed default [int32: i32, int64: i64] {
            fn fetch(source: *const T, pe: c_int) -> T = atomic_fetch ["atomics by the widths of words"];
            fn set(dest: *mut T, value: T, pe: c_int) = atomic_set ["atomics by the widths of words"];
            fn swap(dest: *mut T, value: T, pe: c_int) -> T = atomic_swap ["atomics by the widths of words"];
            fn cswap(dest: *mut T, cond: T, value: T, pe: c_int) -> T = atomic_compare_swap ["atomics by the widths of words"];
            fn finc(dest: *mut T, pe: c_int) -> T = atomic_fetch_inc ["atomics by the widths of words"];
            fn inc(dest: *mut T, pe: c_int) = atomic_inc ["atomics by the widths of words"];
            fn fadd(dest: *mut T, value: T, pe: c_int) -> T = atomic_fetch_add ["atomics by the widths of words"];
            fn add(dest: *mut T, value: T, pe: c_int) = atomic_add ["atomics by the widths of words"];
        } }
        $read! { open_mpi typed default [int32: i32, int64: i64, uint32: u32, uint64: u64] {
            fn atomic_fetch_and(dest: *mut T, value: T, pe: c_int) -> T = atomic_fetch_and ["atomics by the widths of words"];
            fn atomic_and(dest: *mut T, value: T, pe: c_int) = atomic_and ["atomics by the widths of words"];
            fn atomic_fetch_or(dest: *mut T, value: T, pe: c_int) -> T = atomic_fetch_or ["atomics by the widths of words"];
            fn atomic_or(dest: *mut T, value: T, pe: c_int) = atomic_or ["atomics by the widths of words"];
            fn atomic_fetch_xor(dest: *mut T, value: T, pe: c_int) -> T = atomic_fetch_xor ["atomics by the widths of words"];
            fn atomic_xor(dest: *mut T, value: T, pe: c_int) = atomic_xor ["atomics by the widths of words"];
        } }
        $read! { open_mpi typed default [int16: i16, int32: i32, int64: i64] {
            fn p(dest: *mut T, value: T, pe: c_int) = p ["words by their widths"];
            fn g(source: *const T, pe: c_int) -> T = g ["words by their widths"];
        } }
        $read! { open_mpi typed bare [int32: i32, int64: i64] {
            fn wait(ivar: *mut T, cmp_value: T) = wait ["words by their widths"];
            fn wait_until(ivar: *mut T, cmp: c_int, cmp_value: T) = wait_until ["words by their widths"];
        } }
        $read! { open_mpi typed bare [int16: i16, int32: i32, int64: i64] {
            fn and_to_all(dest: *mut T, source: *const T, nreduce: c_int, PE_start: c_int, logPE_stride: c_int, PE_size: c_int, pWrk: *mut T, pSync: *mut c_long) = and_to_all ["reductions by the widths of words"];
            fn or_to_all(dest: *mut T, source: *const T, nreduce: c_int, PE_start: c_int, logPE_stride: c_int, PE_size: c_int, pWrk: *mut T, pSync: *mut c_long) = or_to_all ["reductions by the widths of words"];
            fn xor_to_all(dest: *mut T, source: *const T, nreduce: c_int, PE_start: c_int, logPE_stride: c_int, PE_size: c_int, pWrk: *mut T, pSync: *mut c_long) = xor_to_all ["reductions by the widths of words"];
            fn max_to_all(dest: *mut T, source: *const T, nreduce: c_int, PE_start: c_int, logPE_stride: c_int, PE_size: c_int, pWrk: *mut T, pSync: *mut c_long) = max_to_all ["reductions by the widths of words"];
            fn min_to_all(dest: *mut T, source: *const T, nreduce: c_int, PE_start: c_int, logPE_stride: c_int, PE_size: c_int, pWrk: *mut T, pSync: *mut c_long) = min_to_all ["reductions by the widths of words"];
            fn sum_to_all(dest: *mut T, source: *const T, nreduce: c_int, PE_start: c_int, logPE_stride: c_int, PE_size: c_int, pWrk: *mut T, pSync: *mut c_long) = sum_to_all ["reductions by the widths of words"];
            fn prod_to_all(dest: *mut T, source: *const T, nreduce: c_int, PE_start: c_int, logPE_stride: c_int, PE_size: c_int, pWrk: *mut T, pSync: *mut c_long) = prod_to_all ["reductions by the widths of words"];
        } }
    };

    (@reference $read:ident) => {
        $read! { reference plain bare [name: ()] {
            fn shmemx_query_interoperability(property: c_int) -> c_int = x_query_interoperability ["the machine"];
            fn shmemx_wait_req(desc: *mut c_void) = x_wait_nb ["handles of transfers"];
            fn shmemx_test_req(desc: *mut c_void, flag: *mut c_int) = x_test_req ["handles of transfers"];
            fn shmemx_ctx_session_start(ctx: Ctx) = x_ctx_session_start ["sessions"];
            fn shmemx_ctx_session_stop(ctx: Ctx) = session_stop ["sessions"];
        } }
        $read! { reference plain twin [name: ()] {
            fn fence_test() -> c_int = x_fence_test ["completion"];
            fn quiet_test() -> c_int = x_quiet_test ["completion"];
        } }
    };

    (@aggregation $read:ident) => {
        $read! { own plain bare [name: ()] {
            fn shmemx_agg_create(item_size: size_t, handler: AggHandler, context: *mut c_void, buffer_size: size_t, agg: *mut Agg) -> c_int = agg_create ["aggregation"];
            fn shmemx_agg_destroy(agg: *mut Agg) = agg_destroy ["aggregation"];
            fn shmemx_agg_send(agg: Agg, item: *const c_void, pe: c_int) = agg_send ["aggregation"];
            fn shmemx_agg_put(agg: Agg, dest: *mut u64, value: u64, pe: c_int) = agg_put ["aggregation"];
            fn shmemx_agg_add(agg: Agg, dest: *mut u64, value: u64, pe: c_int) = agg_add ["aggregation"];
            fn shmemx_agg_or(agg: Agg, dest: *mut u64, value: u64, pe: c_int) = agg_or ["aggregation"];
            fn shmemx_agg_xor(agg: Agg, dest: *mut u64, value: u64, pe: c_int) = agg_xor ["aggregation"];
            fn shmemx_agg_flush(agg: Agg) = agg_flush ["aggregation"];
        } }
    };

    // Proposed for the specification. Cray's `shmemx_local_complete` is the form without a context.
    (@proposed $read:ident) => {
        $read! { own plain bare [name: ()] {
            fn shmemx_ctx_local_complete(ctx: Ctx) = local_complete ["completion"];
            fn shmemx_heap_size() -> size_t = heap_size ["the machine"];
        } }
    };

    (@starts $read:ident) => {
        $read! { own plain bare [name: ()] {
            fn shmemx_get_uniqueid(uid: *mut UniqueIdBytes) -> c_int = get_uniqueid ["starts"];
            fn shmemx_set_attr_uniqueid_args(myrank: c_int, nranks: c_int, uid: *const UniqueIdBytes, attr: *mut InitAttr) -> c_int = set_attr_uniqueid_args ["starts"];
            fn shmemx_init_attr(flags: c_uint, attr: *mut InitAttr) -> c_int = init_attr ["starts"];
            fn shmemx_lost_pes(pes: *mut c_int, n: *mut c_int) -> c_int = lost_pes ["starts"];
            fn shmemx_abandon() = abandon_job ["starts"];
        } }
    };

    (@requests $read:ident) => {
        $read! { own plain bare [name: ()] {
            fn shmemx_req_test(request: *mut Req) -> c_int = req_test ["requests"];
            fn shmemx_req_wait(request: *mut Req) = req_wait ["requests"];
            fn shmemx_barrier_all_nb(request: *mut Req) = barrier_all_nb ["non-blocking collectives"];
            fn shmemx_sync_all_nb(request: *mut Req) = sync_all_nb ["non-blocking collectives"];
            fn shmemx_team_sync_nb(team: Team, request: *mut Req) -> c_int = team_sync_nb ["non-blocking collectives"];
        } }
        $crate::openshmem_types! { rma => $read! own typed bare {
            fn broadcast_nb(team: Team, dest: *mut T, source: *const T, nelems: size_t, PE_root: c_int, request: *mut Req) -> c_int = broadcast_nb ["non-blocking collectives", generic];
            fn fcollect_nb(team: Team, dest: *mut T, source: *const T, nelems: size_t, request: *mut Req) -> c_int = fcollect_nb ["non-blocking collectives", generic];
            fn alltoall_nb(team: Team, dest: *mut T, source: *const T, nelems: size_t, request: *mut Req) -> c_int = alltoall_nb ["non-blocking collectives", generic];
        } }
        $read! { own sized bare [mem: u8] {
            fn broadcast*_nb(team: Team, dest: *mut T, source: *const T, nelems: size_t, PE_root: c_int, request: *mut Req) -> c_int = broadcast_nb ["non-blocking collectives"];
            fn fcollect*_nb(team: Team, dest: *mut T, source: *const T, nelems: size_t, request: *mut Req) -> c_int = fcollect_nb ["non-blocking collectives"];
            fn alltoall*_nb(team: Team, dest: *mut T, source: *const T, nelems: size_t, request: *mut Req) -> c_int = alltoall_nb ["non-blocking collectives"];
        } }
        $crate::openshmem_types! { logic => $read! own typed bare {
            fn and_reduce_nb(team: Team, dest: *mut T, source: *const T, nreduce: size_t, request: *mut Req) -> c_int = and_reduce_nb ["non-blocking collectives", generic];
            fn or_reduce_nb(team: Team, dest: *mut T, source: *const T, nreduce: size_t, request: *mut Req) -> c_int = or_reduce_nb ["non-blocking collectives", generic];
            fn xor_reduce_nb(team: Team, dest: *mut T, source: *const T, nreduce: size_t, request: *mut Req) -> c_int = xor_reduce_nb ["non-blocking collectives", generic];
        } }
        $crate::openshmem_types! { rma => $read! own typed bare {
            fn max_reduce_nb(team: Team, dest: *mut T, source: *const T, nreduce: size_t, request: *mut Req) -> c_int = max_reduce_nb ["non-blocking collectives", generic];
            fn min_reduce_nb(team: Team, dest: *mut T, source: *const T, nreduce: size_t, request: *mut Req) -> c_int = min_reduce_nb ["non-blocking collectives", generic];
        } }
        $crate::openshmem_types! { arithmetic => $read! own typed bare {
            fn sum_reduce_nb(team: Team, dest: *mut T, source: *const T, nreduce: size_t, request: *mut Req) -> c_int = sum_reduce_nb ["non-blocking collectives", generic];
            fn prod_reduce_nb(team: Team, dest: *mut T, source: *const T, nreduce: size_t, request: *mut Req) -> c_int = prod_reduce_nb ["non-blocking collectives", generic];
        } }
    };
}

const CRAY: Status = Status::Vendor("Cray");
const SOS: Status = Status::Vendor("SOS");
const REFERENCE: Status = Status::Vendor("reference");
const OPEN_MPI: Status = Status::Vendor("Open MPI");
const OWN: Status = Status::Vendor("Ferrite");
const DEVICE: Status = Status::Vendor(DEVICE_VENDOR);

/// The origin of the rows and constants of `shmemg.h`.
pub const DEVICE_VENDOR: &str = "GPU support";

/// The family of all routines for memory of GPUs: the specification's and HPE's.
pub const DEVICE_SECTION: &str = "memory of devices";

macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident: $kind:ident($ty:ty) = $value:expr, $whose:expr;)*) => {
        $( $(#[$doc])* pub const $name: $ty = $value; )*
        const NUMBERS: &[Constant] =
            &[$(Constant { name: stringify!($name), value: Value::$kind($value as _), status: $whose }),*];
    };
}

numbers! {
    /// The color of a PE that joins no team of a split.
    SHMEM_COLOR_UNDEFINED: Int(i32) = -1, CRAY;
    /// Session hint: small puts may be sent together.
    SHMEM_SESSION_BUNDLE: Long(i64) = 0x01, CRAY;
    /// Session hint: a high rate of puts will follow.
    SHMEM_SESSION_HRP: Long(i64) = 0x02, CRAY;
    /// Session hint: atomics of one thread will follow.
    SHMEM_SESSION_STAMO: Long(i64) = 0x04, CRAY;
    /// Session hint: no two threads access a target at once.
    SHMEM_SESSION_NO_CNCR_TACCESS: Long(i64) = 0x08, CRAY;
    /// Session hint: puts will follow.
    SHMEM_SESSION_OP_PUT: Long(i64) = 0x10, CRAY;
    /// Session hint: atomics will follow.
    SHMEM_SESSION_OP_AMO: Long(i64) = 0x20, CRAY;
    /// Session hint: fetching atomics will follow.
    SHMEM_SESSION_OP_FAMO: Long(i64) = 0x40, CRAY;
    /// Session hint: puts with signals will follow.
    SHMEM_SESSION_OP_PWS: Long(i64) = 0x80, CRAY;
    /// Session hint: delayed completion is welcome.
    SHMEM_SESSION_DC: Long(i64) = 0x100, CRAY;
    /// Session hint: atomics of one kind and type will follow.
    SHMEM_SESSION_UNIFORM_AMO: Long(i64) = 0x200, CRAY;
    /// Hint of an allocation: it need not synchronise. It does nevertheless.
    SHMEMX_MALLOC_NO_BARRIER: Long(i64) = 4, SOS;
    /// Argument of `shmemx_query_interoperability`: are threads of UPC PEs?
    UPC_THREADS_ARE_PES: Int(i32) = 0, REFERENCE;
    /// Argument: are processes of MPI PEs?
    MPI_PROCESSES_ARE_PES: Int(i32) = 1, REFERENCE;
    /// Argument: does `shmem_init` initialise MPI?
    SHMEM_INITIALIZES_MPI: Int(i32) = 2, REFERENCE;
    /// Argument: does `MPI_Init` initialise the library?
    MPI_INITIALIZES_SHMEM: Int(i32) = 3, REFERENCE;
    /// Argument: does a wait in the library make progress for MPI? Of OSHMPI.
    SHMEMX_PROGRESS_MPI: Int(i32) = 16, REFERENCE;
    /// Hint of an allocation: none.
    SHMEM_HINT_NONE: Long(i64) = 0, OPEN_MPI;
    /// Hint of an allocation: memory of low latency.
    SHMEM_HINT_LOW_LAT_MEM: Long(i64) = 0x01, OPEN_MPI;
    /// Hint of an allocation: memory of high bandwidth.
    SHMEM_HINT_HIGH_BW_MEM: Long(i64) = 0x02, OPEN_MPI;
    /// Hint of an allocation: memory near the NIC.
    SHMEM_HINT_NEAR_NIC_MEM: Long(i64) = 0x04, OPEN_MPI;
    /// Hint of an allocation: memory of a GPU. The memory is the host's nevertheless.
    SHMEM_HINT_DEVICE_GPU_MEM: Long(i64) = 0x08, OPEN_MPI;
    /// Hint of an allocation: memory of a NIC. The memory is the host's nevertheless.
    SHMEM_HINT_DEVICE_NIC_MEM: Long(i64) = 0x10, OPEN_MPI;
    /// Hint of an allocation: a synchronisation array.
    SHMEM_HINT_PSYNC: Long(i64) = 0x10000, OPEN_MPI;
    /// Hint of an allocation: a work array of a reduction.
    SHMEM_HINT_PWORK: Long(i64) = 0x20000, OPEN_MPI;
    /// Hint of an allocation: words for atomics.
    SHMEM_HINT_ATOMICS: Long(i64) = 0x40000, OPEN_MPI;
    /// Kind of memory of a space: the memory of GPUs.
    SHMEM_MTYPE_GPU: Int(i32) = 1, CRAY;
    /// Bit of the thread level that `shmem_init_thread` is asked for: hosts operate on device memory.
    SHMEM_DEVICE_HOST_INIT: Int(i32) = 0x100, DEVICE;
    /// Bit of the thread level: kernels call the library. Never granted.
    SHMEM_DEVICE_KERNEL_INIT: Int(i32) = 0x200, DEVICE;
    /// Option of a context for kernels. No such context can be made.
    SHMEM_DEVICE_CTX: Long(i64) = 0x100, DEVICE;
    /// Flag of `shmemx_init_attr`: the attributes have a unique id.
    SHMEMX_INIT_WITH_UNIQUEID: Int(i32) = 1, OWN;
    /// Flag of `shmemx_init_attr`: the loss of a peer does not end this process.
    SHMEMX_LOSS_RETURNS: Int(i32) = 2, OWN;
}

/// No request: the value of a request's handle after its completion.
pub const SHMEMX_REQ_NULL: usize = 0;

const HANDLES: &[Constant] = &[
    Constant { name: "SHMEM_TEAM_NULL", value: Value::Alias("SHMEM_TEAM_INVALID"), status: CRAY },
    Constant { name: "SHMEM_TEAM_NODE", value: Value::Alias("SHMEM_TEAM_SHARED"), status: CRAY },
    Constant { name: "SHMEMX_TEAM_NODE", value: Value::Alias("SHMEM_TEAM_SHARED"), status: SOS },
    Constant { name: "SHMEM_DEVICE_TEAM_WORLD", value: Value::Alias("SHMEM_TEAM_WORLD"), status: DEVICE },
    Constant { name: "SHMEM_DEVICE_TEAM_SHARED", value: Value::Alias("SHMEM_TEAM_SHARED"), status: DEVICE },
    Constant { name: "SHMEMX_REQ_NULL", value: Value::Req(SHMEMX_REQ_NULL), status: OWN },
];

/// The constants that come with the extensions.
pub fn all_constants() -> impl Iterator<Item = &'static Constant> {
    NUMBERS.iter().chain(HANDLES)
}
