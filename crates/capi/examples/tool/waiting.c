/* Waiting, testing, ordering, locks: routines that move no data. */

#include "tool.h"

#define ALONE(NAME, T)                                                                                                 \
    WRAP(, void, shmem_##NAME##_wait_until, wait_until, 0, (T *ivar, int cmp, T cmp_value), (ivar, cmp, cmp_value))    \
    WRAP(return, int, shmem_##NAME##_test, test, 0, (T *ivar, int cmp, T cmp_value), (ivar, cmp, cmp_value))

/* RESULT and RETURN are those of the `all` form, whose results differ between waiting and testing. */
#define SEVERAL(NAME, T)                                                                                               \
    THREE(shmem_##NAME##_wait_until, wait_until, , void, T) THREE(shmem_##NAME##_test, test, return, int, T)
#define THREE(PREFIX, FAMILY, RETURN, RESULT, T)                                                                       \
    EACH(RETURN, RESULT, PREFIX##_all, FAMILY##_all, T) EACH(return, size_t, PREFIX##_any, FAMILY##_any, T)            \
    WRAP(return, size_t, PREFIX##_some, FAMILY##_some, 0,                                                              \
         (T *ivars, size_t nelems, size_t *indices, const int *status, int cmp, T cmp_value),                          \
         (ivars, nelems, indices, status, cmp, cmp_value))                                                             \
    WRAP(return, size_t, PREFIX##_some_vector, FAMILY##_some, 0,                                                       \
         (T *ivars, size_t nelems, size_t *indices, const int *status, int cmp, const T *cmp_values),                  \
         (ivars, nelems, indices, status, cmp, cmp_values))
#define EACH(RETURN, RESULT, NAME, FAMILY, T)                                                                          \
    WRAP(RETURN, RESULT, NAME, FAMILY, 0, (T *ivars, size_t nelems, const int *status, int cmp, T cmp_value),          \
         (ivars, nelems, status, cmp, cmp_value))                                                                      \
    WRAP(RETURN, RESULT, NAME##_vector, FAMILY, 0,                                                                     \
         (T *ivars, size_t nelems, const int *status, int cmp, const T *cmp_values),                                   \
         (ivars, nelems, status, cmp, cmp_values))

WORD_TYPES(ALONE)
SHORT_TYPES(ALONE)
WORD_TYPES(SEVERAL)
SHORT_TYPES(SEVERAL)

#define OLD(NAME, T)                                                                                                   \
    WRAP(, void, shmem_##NAME##_wait, wait_until, 0, (T *ivar, T cmp_value), (ivar, cmp_value))
OLD(short, short)
OLD(int, int)
OLD(long, long)
OLD(longlong, long long)
/* Routines of other libraries. */
OLD(ushort, unsigned short)
OLD(uint, unsigned int)
OLD(ulong, unsigned long)
OLD(ulonglong, unsigned long long)
OLD(int32, int32_t)
OLD(int64, int64_t)
OLD(uint32, uint32_t)
OLD(uint64, uint64_t)
OLD(size, size_t)
OLD(ptrdiff, ptrdiff_t)
WRAP(, void, shmem_wait, wait_until, 0, (long *ivar, long cmp_value), (ivar, cmp_value))
WRAP(, void, shmem_wait_until, wait_until, 0, (long *ivar, int cmp, long cmp_value), (ivar, cmp, cmp_value))

WRAP(return, uint64_t, shmem_signal_fetch, signal_fetch, 0, (const uint64_t *sig_addr), (sig_addr))
WRAP(return, uint64_t, shmem_signal_wait_until, signal_wait_until, 0,
     (uint64_t *sig_addr, int cmp, uint64_t cmp_value), (sig_addr, cmp, cmp_value))

WRAP(, void, shmem_fence, fence, 0, (void), ())
WRAP(, void, shmem_ctx_fence, fence, 0, (shmem_ctx_t ctx), (ctx))
WRAP(, void, shmem_quiet, quiet, 0, (void), ())
WRAP(, void, shmem_ctx_quiet, quiet, 0, (shmem_ctx_t ctx), (ctx))
WRAP_TWIN(, void, shmem_, pe_quiet, quiet, 0, (const int *target_pes, size_t npes), (target_pes, npes))
WRAP(, void, shmemx_pe_quiet, quiet, 0, (int target_pe), (target_pe))
WRAP(, void, shmemx_local_complete, quiet, 0, (void), ())
WRAP(, void, shmemx_ctx_local_complete, quiet, 0, (shmem_ctx_t ctx), (ctx))
WRAP(, void, shmemx_thread_fence, fence, 0, (void), ())
WRAP(, void, shmemx_thread_quiet, quiet, 0, (void), ())

/* Waiting for a handle waits for all operations. */
WRAP(, void, shmem_wait_nb, quiet, 0, (void *handle), (handle))
WRAP(return, int, shmem_test_nb, quiet, 0, (void *handle), (handle))
WRAP(, void, shmemx_wait_req, quiet, 0, (void *desc), (desc))
WRAP(, void, shmemx_test_req, quiet, 0, (void *desc, int *flag), (desc, flag))
WRAP(return, int, shmemx_fence_test, fence, 0, (void), ())
WRAP(return, int, shmemx_ctx_fence_test, fence, 0, (shmem_ctx_t ctx), (ctx))
WRAP(return, int, shmemx_quiet_test, quiet, 0, (void), ())
WRAP(return, int, shmemx_ctx_quiet_test, quiet, 0, (shmem_ctx_t ctx), (ctx))

WRAP(, void, shmem_set_lock, set_lock, 0, (long *lock), (lock))
WRAP(return, int, shmem_test_lock, test_lock, 0, (long *lock), (lock))
WRAP(, void, shmem_clear_lock, clear_lock, 0, (long *lock), (lock))
