/* Routines of shmemx.h: names of other libraries, and non-blocking collectives. */

#include "tool.h"

#define MOVE (dest, source, nelems, pe)

/* Cray's puts and gets. */
#define PUT_GET(PUT, GET, T, BYTES) EXPLICIT(PUT, put_nbi, T, BYTES) EXPLICIT(GET, get_nbi, T, BYTES)
#define EXPLICIT(NAME, FAMILY, T, BYTES)                                                                               \
    WRAP_TWIN(, void, shmemx_, NAME, FAMILY, nelems * (BYTES),                                                         \
              (T *dest, const T *source, size_t nelems, int pe, ...), MOVE)
#define TYPED(NAME, T) PUT_GET(NAME##_put_nb, NAME##_get_nb, T, sizeof(T)) BLOCKS(NAME##_ibput, NAME##_ibget, T, sizeof(T))
#define SIZED(SIZE, BYTES) PUT_GET(put##SIZE##_nb, get##SIZE##_nb, void, BYTES) SIGNALLED(put##SIZE##_signal, void, BYTES)

/* Sandia's blocks. */
#define BLOCKS(PUT, GET, T, BYTES) BLOCKWISE(PUT, ibput, T, BYTES) BLOCKWISE(GET, ibget, T, BYTES)
#define BLOCKWISE(NAME, FAMILY, T, BYTES)                                                                              \
    WRAP_TWIN(, void, shmemx_, NAME, FAMILY, bsize * nblocks * (BYTES),                                                \
              (T *target, const T *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe),        \
              (target, source, tst, sst, bsize, nblocks, pe))
#define SIZED_BLOCKS(SIZE, BYTES) BLOCKS(ibput##SIZE, ibget##SIZE, void, BYTES)

/* Cray's puts that set a signal. */
#define SIGNALLED(NAME, T, BYTES)                                                                                      \
    WITH_SIGNAL(shmemx_##NAME, put_signal, T, BYTES) WITH_SIGNAL(shmemx_##NAME##_nb, put_signal_nbi, T, BYTES)
#define WITH_SIGNAL(NAME, FAMILY, T, BYTES)                                                                            \
    WRAP(, void, NAME, FAMILY, len * (BYTES) + sizeof(uint64_t),                                                       \
         (T *target, const T *source, size_t len, uint64_t *sig_addr, uint64_t signal, int pe),                        \
         (target, source, len, sig_addr, signal, pe))
#define TYPED_SIGNAL(NAME, T) SIGNALLED(NAME##_put_signal, T, sizeof(T))

RMA_TYPES(TYPED)
SIZES_AND_MEM(SIZED)
SIZES(SIZED_BLOCKS)
TYPED_SIGNAL(float, float)
TYPED_SIGNAL(double, double)
TYPED_SIGNAL(longdouble, long double)
TYPED_SIGNAL(char, char)
TYPED_SIGNAL(int, int)
TYPED_SIGNAL(long, long)
TYPED_SIGNAL(longlong, long long)

WRAP_TWIN(, void, shmemx_, signal_set, signal_set, sizeof signal, (const uint64_t *sig_addr, uint64_t signal, int pe),
          (sig_addr, signal, pe))
WRAP_TWIN(, void, shmemx_, signal_add, signal_add, sizeof signal, (uint64_t *sig_addr, uint64_t signal, int pe),
          (sig_addr, signal, pe))

/* Cray's atomics with handles. */
#define ATOMIC(NAME, FAMILY, T, PARAMETERS, ARGUMENTS)                                                                 \
    WRAP(, void, shmemx_##NAME, FAMILY, sizeof(T), (BARE PARAMETERS, int pe, void **transfer_handle),                  \
         (BARE ARGUMENTS, pe, transfer_handle))
#define ATOMICS(NAME, T)                                                                                               \
    ATOMIC(NAME##_add_nb, atomic_add, T, (T *target, T value), (target, value))                                        \
    ATOMIC(NAME##_inc_nb, atomic_inc, T, (T *target), (target))                                                        \
    ATOMIC(NAME##_fadd_nb, atomic_fetch_add, T, (T *fetch, T *target, T value), (fetch, target, value))                \
    ATOMIC(NAME##_finc_nb, atomic_fetch_inc, T, (T *fetch, T *target), (fetch, target))                                \
    ATOMIC(NAME##_swap_nb, atomic_swap, T, (T *fetch, T *target, T value), (fetch, target, value))                     \
    ATOMIC(NAME##_cswap_nb, atomic_compare_swap, T, (T *fetch, T *target, T cond, T value),                            \
           (fetch, target, cond, value))
WORD_TYPES(ATOMICS)

/* Sandia's scans. */
#define SCAN(NAME, OP, T)                                                                                              \
    WRAP(return, int, shmemx_##NAME##_##OP, OP, nelems * sizeof(T),                                                    \
         (shmem_team_t team, T *dest, const T *source, size_t nelems), (team, dest, source, nelems))
#define SCANS(NAME, T) SCAN(NAME, sum_inscan, T) SCAN(NAME, sum_exscan, T)
ARITHMETIC_TYPES(SCANS)

/* Cray's all-to-alls of blocks of different lengths. */
static size_t sum(const size_t *sizes, int count) {
    size_t all = 0;
    for (int i = 0; i < count; i++)
        all += sizes[i];
    return all;
}
WRAP(, void, shmemx_alltoallv, alltoallv, sum(s_sizes, size),
     (void *target, size_t *t_offsets, size_t *t_sizes, const void *source, size_t *s_offsets, size_t *s_sizes,
      int start, int stride, int size, long *pSync),
     (target, t_offsets, t_sizes, source, s_offsets, s_sizes, start, stride, size, pSync))
WRAP(, void, shmemx_alltoallv_packed, alltoallv, sum(s_sizes, size),
     (void *target, size_t len, size_t *t_size, const void *source, size_t *s_offsets, size_t *s_sizes, int start,
      int stride, int size, long *pSync),
     (target, len, t_size, source, s_offsets, s_sizes, start, stride, size, pSync))
WRAP(, void, shmemx_team_alltoallv, alltoallv, sum(s_sizes, pshmem_team_n_pes(team)),
     (void *target, size_t *t_offsets, size_t *t_sizes, const void *source, size_t *s_offsets, size_t *s_sizes,
      shmem_team_t team, long *pSync),
     (target, t_offsets, t_sizes, source, s_offsets, s_sizes, team, pSync))
WRAP(, void, shmemx_team_alltoallv_packed, alltoallv, sum(s_sizes, pshmem_team_n_pes(team)),
     (void *target, size_t len, size_t *t_size, const void *source, size_t *s_offsets, size_t *s_sizes,
      shmem_team_t team, long *pSync),
     (target, len, t_size, source, s_offsets, s_sizes, team, pSync))

/* Cray's other collectives of teams. */
#define TO_ALL(NAME, OP, T)                                                                                            \
    WRAP(, void, shmemx_team_##NAME##_##OP##_to_all, OP##_reduce, (size_t)nreduce * sizeof(T),                         \
         (shmem_team_t team, T *dest, const T *source, int nreduce, T *pWrk, long *pSync),                             \
         (team, dest, source, nreduce, pWrk, pSync))
#define LOGIC_TO_ALL(NAME, T) TO_ALL(NAME, and, T) TO_ALL(NAME, or, T) TO_ALL(NAME, xor, T)
#define REST_TO_ALL(NAME, T) TO_ALL(NAME, max, T) TO_ALL(NAME, min, T) TO_ALL(NAME, sum, T) TO_ALL(NAME, prod, T)
TO_ALL_INTEGERS(LOGIC_TO_ALL)
TO_ALL_TYPES(REST_TO_ALL)
WRAP(, void, shmemx_team_barrier, barrier, 0, (shmem_team_t team, long *pSync), (team, pSync))
WRAP(, void, shmemx_team_alltoall, alltoall, tool_for_each(team, len),
     (void *target, const void *source, size_t len, shmem_team_t team, long *pSync), (target, source, len, team, pSync))

/* Non-blocking collectives. */
#define LATER(PREFIX, END, T, BYTES)                                                                                   \
    WRAP(return, int, PREFIX##broadcast##END, broadcast, nelems * (BYTES),                                             \
         (shmem_team_t team, T *dest, const T *source, size_t nelems, int root, shmemx_req_t *request),                \
         (team, dest, source, nelems, root, request))                                                                  \
    WRAP(return, int, PREFIX##fcollect##END, fcollect, nelems * (BYTES),                                               \
         (shmem_team_t team, T *dest, const T *source, size_t nelems, shmemx_req_t *request),                          \
         (team, dest, source, nelems, request))                                                                        \
    WRAP(return, int, PREFIX##alltoall##END, alltoall, tool_for_each(team, nelems * (BYTES)),                          \
         (shmem_team_t team, T *dest, const T *source, size_t nelems, shmemx_req_t *request),                          \
         (team, dest, source, nelems, request))
#define LATER_TYPED(NAME, T) LATER(shmemx_##NAME##_, _nb, T, sizeof(T))
RMA_TYPES(LATER_TYPED)
LATER(shmemx_, mem_nb, void, 1)

#define REDUCE(NAME, OP, T)                                                                                            \
    WRAP(return, int, shmemx_##NAME##_##OP##_nb, OP, nreduce * sizeof(T),                                              \
         (shmem_team_t team, T *dest, const T *source, size_t nreduce, shmemx_req_t *request),                         \
         (team, dest, source, nreduce, request))
#define LOGIC(NAME, T) REDUCE(NAME, and_reduce, T) REDUCE(NAME, or_reduce, T) REDUCE(NAME, xor_reduce, T)
#define EXTREMES(NAME, T) REDUCE(NAME, max_reduce, T) REDUCE(NAME, min_reduce, T)
#define ARITHMETIC(NAME, T) REDUCE(NAME, sum_reduce, T) REDUCE(NAME, prod_reduce, T)
LOGIC_TYPES(LOGIC)
RMA_TYPES(EXTREMES)
ARITHMETIC_TYPES(ARITHMETIC)

WRAP(, void, shmemx_barrier_all_nb, barrier, 0, (shmemx_req_t *request), (request))
WRAP(, void, shmemx_sync_all_nb, sync, 0, (shmemx_req_t *request), (request))
WRAP(return, int, shmemx_team_sync_nb, sync, 0, (shmem_team_t team, shmemx_req_t *request), (team, request))
WRAP(return, int, shmemx_req_test, req_test, 0, (shmemx_req_t *request), (request))
WRAP(, void, shmemx_req_wait, req_wait, 0, (shmemx_req_t *request), (request))

/* Aggregation. */
#define AGGREGATED(NAME, FAMILY)                                                                                       \
    WRAP(, void, shmemx_agg_##NAME, FAMILY, sizeof value, (shmemx_agg_t agg, uint64_t *dest, uint64_t value, int pe),  \
         (agg, dest, value, pe))
AGGREGATED(put, p)
AGGREGATED(add, atomic_add)
AGGREGATED(or, atomic_or)
AGGREGATED(xor, atomic_xor)
WRAP(, void, shmemx_agg_send, put_nbi, 0, (shmemx_agg_t agg, const void *item, int pe), (agg, item, pe))
WRAP(, void, shmemx_agg_flush, quiet, 0, (shmemx_agg_t agg), (agg))

/* Sandia's puts and gets that are counted at their target. */
WRAP(, void, shmemx_putmem_ct, put_signal, len, (shmemx_ct_t ct, void *target, const void *source, size_t len, int pe),
     (ct, target, source, len, pe))
WRAP(, void, shmemx_getmem_ct, get, len, (shmemx_ct_t ct, void *target, const void *source, size_t len, int pe),
     (ct, target, source, len, pe))
WRAP(, void, shmemx_ct_wait, signal_wait_until, 0, (shmemx_ct_t ct, long wait_for), (ct, wait_for))

/* Open MPI's by the widths of words; the atomics are in atomics.c. */
#define WIDTH(NAME, T)                                                                                                 \
    WRAP(, void, shmemx_##NAME##_p, p, sizeof(T), (T *dest, T value, int pe), (dest, value, pe))                       \
    WRAP(return, T, shmemx_##NAME##_g, g, sizeof(T), (const T *source, int pe), (source, pe))                          \
    SET_TO_ALL(NAME, and, T) SET_TO_ALL(NAME, or, T) SET_TO_ALL(NAME, xor, T) SET_TO_ALL(NAME, max, T)                 \
    SET_TO_ALL(NAME, min, T) SET_TO_ALL(NAME, sum, T) SET_TO_ALL(NAME, prod, T)
#define SET_TO_ALL(NAME, OP, T)                                                                                        \
    WRAP(, void, shmemx_##NAME##_##OP##_to_all, OP##_reduce, (size_t)nreduce * sizeof(T),                              \
         (T *dest, const T *source, int nreduce, int start, int stride, int size, T *pWrk, long *pSync),               \
         (dest, source, nreduce, start, stride, size, pWrk, pSync))
#define WAITED(NAME, T)                                                                                                \
    WRAP(, void, shmemx_##NAME##_wait, wait_until, 0, (T *ivar, T cmp_value), (ivar, cmp_value))                       \
    WRAP(, void, shmemx_##NAME##_wait_until, wait_until, 0, (T *ivar, int cmp, T cmp_value), (ivar, cmp, cmp_value))
WIDTH(int16, int16_t)
WIDTH(int32, int32_t)
WIDTH(int64, int64_t)
WAITED(int32, int32_t)
WAITED(int64, int64_t)
