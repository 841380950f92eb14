/* Shared by the parts of the tool: the counters, the wrappers, and lists of types.
 *
 * A wrapper counts a call, and calls the routine by its second name. Since most routines differ only in a type, they
 * are written by macros over lists of types. */

#ifndef TOOL_H
#define TOOL_H

#include <pshmem.h>

/* In C11 these are also generic names; here the routines are meant. */
#undef shmem_signal_add
#undef shmem_signal_set
#undef shmem_sync
#undef shmem_wait_until
#undef shmemx_signal_add
#undef shmemx_signal_set

/* The families of routines, in the order of the table. */
#define FAMILIES(X)                                                                                                    \
    X(put) X(get) X(p) X(g) X(iput) X(iget) X(ibput) X(ibget) X(put_nbi) X(get_nbi) X(put_signal) X(put_signal_nbi)    \
    X(signal_set) X(signal_add) X(signal_fetch) X(signal_wait_until)                                                   \
    X(atomic_fetch) X(atomic_set) X(atomic_swap) X(atomic_compare_swap) X(atomic_inc) X(atomic_fetch_inc)              \
    X(atomic_add) X(atomic_fetch_add) X(atomic_and) X(atomic_fetch_and) X(atomic_or) X(atomic_fetch_or)                \
    X(atomic_xor) X(atomic_fetch_xor)                                                                                  \
    X(wait_until) X(wait_until_all) X(wait_until_any) X(wait_until_some) X(test) X(test_all) X(test_any) X(test_some)  \
    X(fence) X(quiet) X(barrier) X(sync) X(set_lock) X(test_lock) X(clear_lock)                                        \
    X(broadcast) X(collect) X(fcollect) X(alltoall) X(alltoalls) X(alltoallv)                                          \
    X(and_reduce) X(or_reduce) X(xor_reduce) X(max_reduce) X(min_reduce) X(sum_reduce) X(prod_reduce)                  \
    X(sum_inscan) X(sum_exscan) X(req_test) X(req_wait)

#define FAMILY_NUMBER(NAME) FAMILY_##NAME,
enum family { FAMILIES(FAMILY_NUMBER) FAMILY_COUNT };

/* Count a call. Several threads may count at the same time. */
void tool_count(enum family family, size_t bytes);

/* Bytes of `count` elements for each member of a team. */
static inline size_t tool_for_each(shmem_team_t team, size_t count) {
    int members = pshmem_team_n_pes(team);
    return members > 0 ? count * (size_t)members : 0;
}

#define BARE(...) __VA_ARGS__

/* The routine NAME; RETURN is `return`, or empty for a void routine. */
#define WRAP(RETURN, RESULT, NAME, FAMILY, BYTES, PARAMETERS, ARGUMENTS)                                               \
    RESULT NAME PARAMETERS {                                                                                           \
        tool_count(FAMILY_##FAMILY, (BYTES));                                                                          \
        RETURN p##NAME ARGUMENTS;                                                                                      \
    }

/* The routine PREFIX##NAME, and its form PREFIX##ctx_##NAME with a context as the first argument. */
#define WRAP_TWIN(RETURN, RESULT, PREFIX, NAME, FAMILY, BYTES, PARAMETERS, ARGUMENTS)                                  \
    WRAP(RETURN, RESULT, PREFIX##NAME, FAMILY, BYTES, PARAMETERS, ARGUMENTS)                                           \
    WRAP(RETURN, RESULT, PREFIX##ctx_##NAME, FAMILY, BYTES, (shmem_ctx_t ctx, BARE PARAMETERS), (ctx, BARE ARGUMENTS))

/* Lists of types, as in the specification. */
#define WORD_TYPES(X)                                                                                                  \
    X(int, int) X(long, long) X(longlong, long long) X(uint, unsigned int) X(ulong, unsigned long)                     \
    X(ulonglong, unsigned long long) X(int32, int32_t) X(int64, int64_t) X(uint32, uint32_t) X(uint64, uint64_t)       \
    X(size, size_t) X(ptrdiff, ptrdiff_t)
#define SHORT_TYPES(X) X(short, short) X(ushort, unsigned short)
#define EXTENDED_TYPES(X) WORD_TYPES(X) X(float, float) X(double, double)
#define BITWISE_TYPES(X)                                                                                               \
    X(uint, unsigned int) X(ulong, unsigned long) X(ulonglong, unsigned long long) X(int32, int32_t)                   \
    X(int64, int64_t) X(uint32, uint32_t) X(uint64, uint64_t)
/* Signed C types for which other libraries have bitwise operations. */
#define SIGNED_TYPES(X) X(int, int) X(long, long) X(longlong, long long)
#define RMA_TYPES(X)                                                                                                   \
    EXTENDED_TYPES(X) SHORT_TYPES(X) X(longdouble, long double) X(char, char) X(schar, signed char)                    \
    X(uchar, unsigned char) X(int8, int8_t) X(int16, int16_t) X(uint8, uint8_t) X(uint16, uint16_t)
#define LOGIC_TYPES(X)                                                                                                 \
    BITWISE_TYPES(X) X(uchar, unsigned char) X(ushort, unsigned short) X(int8, int8_t) X(int16, int16_t)               \
    X(uint8, uint8_t) X(uint16, uint16_t) X(size, size_t)
#define ARITHMETIC_TYPES(X) RMA_TYPES(X) X(complexd, double _Complex) X(complexf, float _Complex)
/* The types of reductions with work arrays. */
#define TO_ALL_INTEGERS(X) X(short, short) X(int, int) X(long, long) X(longlong, long long)
#define TO_ALL_TYPES(X) TO_ALL_INTEGERS(X) X(float, float) X(double, double) X(longdouble, long double)

/* Sizes of routines without types: the name, and the bytes of an element. */
#define SIZES(X) X(8, 1) X(16, 2) X(32, 4) X(64, 8) X(128, 16)
#define SIZES_AND_MEM(X) SIZES(X) X(mem, 1)

#endif
