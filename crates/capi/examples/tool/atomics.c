/* Atomics, with their present and their old names. */

#include "tool.h"

#define EXTENDED(NAME, T)                                                                                              \
    FETCH(NAME##_atomic_fetch, T) SET(NAME##_atomic_set, T) UPDATE(NAME##_atomic_swap, atomic_swap, T)                 \
    WRAP_TWIN(, void, shmem_, NAME##_atomic_fetch_nbi, atomic_fetch, sizeof(T), (T *fetch, const T *source, int pe),   \
              (fetch, source, pe))                                                                                     \
    UPDATE_NBI(NAME##_atomic_swap_nbi, atomic_swap, T)
#define STANDARD(NAME, T)                                                                                              \
    COMPARE(NAME##_atomic_compare_swap, T)                                                                             \
    WRAP_TWIN(, void, shmem_, NAME##_atomic_compare_swap_nbi, atomic_compare_swap, sizeof(T),                          \
              (T *fetch, T *dest, T cond, T value, int pe), (fetch, dest, cond, value, pe))                            \
    COUNT_ONE(NAME##_atomic_inc, NAME##_atomic_fetch_inc, T)                                                           \
    WRAP_TWIN(, void, shmem_, NAME##_atomic_fetch_inc_nbi, atomic_fetch_inc, sizeof(T), (T *fetch, T *dest, int pe),   \
              (fetch, dest, pe))                                                                                       \
    BLIND(NAME##_atomic_add, atomic_add, T) UPDATE(NAME##_atomic_fetch_add, atomic_fetch_add, T)                       \
    UPDATE_NBI(NAME##_atomic_fetch_add_nbi, atomic_fetch_add, T)
#define BITWISE(NAME, T) BITS(NAME, and, T) BITS(NAME, or, T) BITS(NAME, xor, T)
#define BITS(NAME, OP, T)                                                                                              \
    BLIND(NAME##_atomic_##OP, atomic_##OP, T) UPDATE(NAME##_atomic_fetch_##OP, atomic_fetch_##OP, T)                   \
    UPDATE_NBI(NAME##_atomic_fetch_##OP##_nbi, atomic_fetch_##OP, T)

#define FETCH(NAME, T)                                                                                                 \
    WRAP_TWIN(return, T, shmem_, NAME, atomic_fetch, sizeof(T), (const T *source, int pe), (source, pe))
#define SET(NAME, T) BLIND(NAME, atomic_set, T)
#define BLIND(NAME, FAMILY, T)                                                                                         \
    WRAP_TWIN(, void, shmem_, NAME, FAMILY, sizeof(T), (T *dest, T value, int pe), (dest, value, pe))
#define UPDATE(NAME, FAMILY, T)                                                                                        \
    WRAP_TWIN(return, T, shmem_, NAME, FAMILY, sizeof(T), (T *dest, T value, int pe), (dest, value, pe))
#define UPDATE_NBI(NAME, FAMILY, T)                                                                                    \
    WRAP_TWIN(, void, shmem_, NAME, FAMILY, sizeof(T), (T *fetch, T *dest, T value, int pe), (fetch, dest, value, pe))
#define COMPARE(NAME, T)                                                                                               \
    WRAP_TWIN(return, T, shmem_, NAME, atomic_compare_swap, sizeof(T), (T *dest, T cond, T value, int pe),             \
              (dest, cond, value, pe))
#define COUNT_ONE(INC, FETCH_INC, T)                                                                                   \
    WRAP_TWIN(, void, shmem_, INC, atomic_inc, sizeof(T), (T *dest, int pe), (dest, pe))                               \
    WRAP_TWIN(return, T, shmem_, FETCH_INC, atomic_fetch_inc, sizeof(T), (T *dest, int pe), (dest, pe))

EXTENDED_TYPES(EXTENDED)
WORD_TYPES(STANDARD)
BITWISE_TYPES(BITWISE)
SIGNED_TYPES(BITWISE)

/* Old names, Cray's for short, and Open MPI's by widths: without contexts. */
#define OLD_ACCESS(NAME, T) OLD_ACCESSES(shmem_##NAME, T)
#define OLD_ACCESSES(PREFIX, T)                                                                                        \
    WRAP(return, T, PREFIX##_fetch, atomic_fetch, sizeof(T), (const T *source, int pe), (source, pe))                  \
    WRAP(, void, PREFIX##_set, atomic_set, sizeof(T), (T *dest, T value, int pe), (dest, value, pe))                   \
    OLD_SWAP(PREFIX, T)
#define OLD_SWAP(PREFIX, T)                                                                                            \
    WRAP(return, T, PREFIX##_swap, atomic_swap, sizeof(T), (T *dest, T value, int pe), (dest, value, pe))
#define OLD_UPDATE(NAME, T) OLD_SUMS(shmem_##NAME, T)
#define OLD_SUMS(PREFIX, T)                                                                                            \
    WRAP(return, T, PREFIX##_cswap, atomic_compare_swap, sizeof(T), (T *dest, T cond, T value, int pe),                \
         (dest, cond, value, pe))                                                                                      \
    WRAP(return, T, PREFIX##_finc, atomic_fetch_inc, sizeof(T), (T *dest, int pe), (dest, pe))                         \
    WRAP(, void, PREFIX##_inc, atomic_inc, sizeof(T), (T *dest, int pe), (dest, pe))                                   \
    WRAP(return, T, PREFIX##_fadd, atomic_fetch_add, sizeof(T), (T *dest, T value, int pe), (dest, value, pe))         \
    WRAP(, void, PREFIX##_add, atomic_add, sizeof(T), (T *dest, T value, int pe), (dest, value, pe))

WORD_TYPES(OLD_ACCESS)
OLD_ACCESS(float, float)
OLD_ACCESS(double, double)
WORD_TYPES(OLD_UPDATE)
OLD_SUMS(shmemx_short, short)
OLD_SWAP(shmemx_short, short)

#define OLD_WORDS(PREFIX, T) OLD_ACCESSES(PREFIX, T) OLD_SUMS(PREFIX, T) OLD_BITS(PREFIX, T)
#define OLD_BITS(PREFIX, T) OLD_BIT(PREFIX, and, T) OLD_BIT(PREFIX, or, T) OLD_BIT(PREFIX, xor, T)
#define OLD_BIT(PREFIX, OP, T)                                                                                         \
    WRAP(return, T, PREFIX##_atomic_fetch_##OP, atomic_fetch_##OP, sizeof(T), (T *dest, T value, int pe),              \
         (dest, value, pe))                                                                                            \
    WRAP(, void, PREFIX##_atomic_##OP, atomic_##OP, sizeof(T), (T *dest, T value, int pe), (dest, value, pe))
OLD_WORDS(shmemx_int32, int32_t)
OLD_WORDS(shmemx_int64, int64_t)
OLD_BITS(shmemx_uint32, uint32_t)
OLD_BITS(shmemx_uint64, uint64_t)
