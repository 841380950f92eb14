/* Collectives. The bytes counted are those that the caller contributes; for a broadcast, its length. */

#include "tool.h"

#define TEAM_MOVE(T) (shmem_team_t team, T *dest, const T *source, size_t nelems)
#define TEAM_MOVE_ARGUMENTS (team, dest, source, nelems)
#define TEAM_REDUCE(T) (shmem_team_t team, T *dest, const T *source, size_t nreduce)
#define TEAM_REDUCE_ARGUMENTS (team, dest, source, nreduce)

/* NAME is the start of the routine's name, END its end: `shmem_int_broadcast`, `shmem_broadcastmem`. */
#define TEAM(PREFIX, END, T, BYTES)                                                                                    \
    WRAP(return, int, PREFIX##broadcast##END, broadcast, nelems * (BYTES),                                             \
         (shmem_team_t team, T *dest, const T *source, size_t nelems, int root), (team, dest, source, nelems, root))   \
    WRAP(return, int, PREFIX##collect##END, collect, nelems * (BYTES), TEAM_MOVE(T), TEAM_MOVE_ARGUMENTS)              \
    WRAP(return, int, PREFIX##fcollect##END, fcollect, nelems * (BYTES), TEAM_MOVE(T), TEAM_MOVE_ARGUMENTS)            \
    WRAP(return, int, PREFIX##alltoall##END, alltoall, tool_for_each(team, nelems * (BYTES)), TEAM_MOVE(T),            \
         TEAM_MOVE_ARGUMENTS)                                                                                          \
    WRAP(return, int, PREFIX##alltoalls##END, alltoalls, tool_for_each(team, nelems * (BYTES)),                        \
         (shmem_team_t team, T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems),                   \
         (team, dest, source, dst, sst, nelems))
#define TEAM_TYPED(NAME, T) TEAM(shmem_##NAME##_, , T, sizeof(T))
RMA_TYPES(TEAM_TYPED)
TEAM(shmem_, mem, void, 1)

#define REDUCE(NAME, OP, T)                                                                                            \
    WRAP(return, int, shmem_##NAME##_##OP, OP, nreduce * sizeof(T), TEAM_REDUCE(T), TEAM_REDUCE_ARGUMENTS)
#define LOGIC(NAME, T) REDUCE(NAME, and_reduce, T) REDUCE(NAME, or_reduce, T) REDUCE(NAME, xor_reduce, T)
#define EXTREMES(NAME, T) REDUCE(NAME, max_reduce, T) REDUCE(NAME, min_reduce, T)
#define ARITHMETIC(NAME, T)                                                                                            \
    REDUCE(NAME, sum_reduce, T) REDUCE(NAME, prod_reduce, T) REDUCE(NAME, sum_inscan, T) REDUCE(NAME, sum_exscan, T)
LOGIC_TYPES(LOGIC)
SIGNED_TYPES(LOGIC)
LOGIC(short, short)
RMA_TYPES(EXTREMES)
ARITHMETIC_TYPES(ARITHMETIC)

/* For active sets. */
#define SET_MOVE                                                                                                       \
    (void *dest, const void *source, size_t nelems, int start, int stride, int size, long *pSync)
#define SET_MOVE_ARGUMENTS (dest, source, nelems, start, stride, size, pSync)
#define SET(BITS, BYTES)                                                                                               \
    WRAP(, void, shmem_broadcast##BITS, broadcast, nelems * (BYTES),                                                   \
         (void *dest, const void *source, size_t nelems, int root, int start, int stride, int size, long *pSync),      \
         (dest, source, nelems, root, start, stride, size, pSync))                                                     \
    WRAP(, void, shmem_collect##BITS, collect, nelems * (BYTES), SET_MOVE, SET_MOVE_ARGUMENTS)                         \
    WRAP(, void, shmem_fcollect##BITS, fcollect, nelems * (BYTES), SET_MOVE, SET_MOVE_ARGUMENTS)                       \
    WRAP(, void, shmem_alltoall##BITS, alltoall, nelems * (BYTES) * (size_t)size, SET_MOVE, SET_MOVE_ARGUMENTS)        \
    WRAP(, void, shmem_alltoalls##BITS, alltoalls, nelems * (BYTES) * (size_t)size,                                    \
         (void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int start, int stride,          \
          int size, long *pSync),                                                                                      \
         (dest, source, dst, sst, nelems, start, stride, size, pSync))
SET(32, 4)
SET(64, 8)

#define TO_ALL(NAME, OP, T)                                                                                            \
    WRAP(, void, shmem_##NAME##_##OP##_to_all, OP##_reduce, (size_t)nreduce * sizeof(T),                               \
         (T *dest, const T *source, int nreduce, int start, int stride, int size, T *pWrk, long *pSync),               \
         (dest, source, nreduce, start, stride, size, pWrk, pSync))
#define LOGIC_TO_ALL(NAME, T) TO_ALL(NAME, and, T) TO_ALL(NAME, or, T) TO_ALL(NAME, xor, T)
#define EXTREMES_TO_ALL(NAME, T) TO_ALL(NAME, max, T) TO_ALL(NAME, min, T)
#define ARITHMETIC_TO_ALL(NAME, T) TO_ALL(NAME, sum, T) TO_ALL(NAME, prod, T)
TO_ALL_INTEGERS(LOGIC_TO_ALL)
TO_ALL_TYPES(EXTREMES_TO_ALL)
TO_ALL_TYPES(ARITHMETIC_TO_ALL)
ARITHMETIC_TO_ALL(complexd, double _Complex)
ARITHMETIC_TO_ALL(complexf, float _Complex)

WRAP(, void, shmem_barrier_all, barrier, 0, (void), ())
WRAP(, void, shmem_barrier, barrier, 0, (int start, int stride, int size, long *pSync), (start, stride, size, pSync))
WRAP(, void, shmem_sync_all, sync, 0, (void), ())
WRAP(, void, shmem_sync, sync, 0, (int start, int stride, int size, long *pSync), (start, stride, size, pSync))
WRAP(return, int, shmem_team_sync, sync, 0, (shmem_team_t team), (team))
