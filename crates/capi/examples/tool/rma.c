/* Put, get, and puts that set a signal. */

#include "tool.h"

#define MOVE (dest, source, nelems, pe)
#define WALK (dest, source, dst, sst, nelems, pe)
#define BLOCKS (dest, source, dst, sst, bsize, nblocks, pe)
#define SIGNAL (dest, source, nelems, sig_addr, signal, sig_op, pe)

/* All routines of one type. `T` is the type that pointers point to, `BYTES` the size of an element. */
#define TYPED(NAME, T)                                                                                                 \
    CONTIGUOUS(NAME##_put, NAME##_get, NAME##_put_nbi, NAME##_get_nbi, T, sizeof(T))                                   \
    STRIDED(NAME##_iput, NAME##_iget, NAME##_ibput, NAME##_ibget, T, sizeof(T))                                        \
    SIGNALLED(NAME##_put_signal, NAME##_put_signal_nbi, T, sizeof(T))                                                  \
    WRAP_TWIN(, void, shmem_, NAME##_p, p, sizeof(T), (T *dest, T value, int pe), (dest, value, pe))                   \
    WRAP_TWIN(return, T, shmem_, NAME##_g, g, sizeof(T), (const T *source, int pe), (source, pe))

#define SIZED(SIZE, BYTES)                                                                                             \
    CONTIGUOUS(put##SIZE, get##SIZE, put##SIZE##_nbi, get##SIZE##_nbi, void, BYTES)                                    \
    SIGNALLED(put##SIZE##_signal, put##SIZE##_signal_nbi, void, BYTES)

#define SIZED_STRIDED(SIZE, BYTES) STRIDED(iput##SIZE, iget##SIZE, ibput##SIZE, ibget##SIZE, void, BYTES)

#define CONTIGUOUS(PUT, GET, PUT_NBI, GET_NBI, T, BYTES)                                                               \
    ONE(PUT, put, T, BYTES) ONE(GET, get, T, BYTES) ONE(PUT_NBI, put_nbi, T, BYTES) ONE(GET_NBI, get_nbi, T, BYTES)
#define ONE(NAME, FAMILY, T, BYTES)                                                                                    \
    WRAP_TWIN(, void, shmem_, NAME, FAMILY, nelems * (BYTES), (T *dest, const T *source, size_t nelems, int pe), MOVE)

#define STRIDED(IPUT, IGET, IBPUT, IBGET, T, BYTES)                                                                    \
    STEPS(IPUT, iput, T, BYTES) STEPS(IGET, iget, T, BYTES)                                                            \
    BLOCKWISE(IBPUT, ibput, T, BYTES) BLOCKWISE(IBGET, ibget, T, BYTES)
#define STEPS(NAME, FAMILY, T, BYTES)                                                                                  \
    WRAP_TWIN(, void, shmem_, NAME, FAMILY, nelems * (BYTES),                                                          \
              (T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe), WALK)
#define BLOCKWISE(NAME, FAMILY, T, BYTES)                                                                              \
    WRAP_TWIN(, void, shmem_, NAME, FAMILY, bsize * nblocks * (BYTES),                                                 \
              (T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe), BLOCKS)

/* The signal is counted too. */
#define SIGNALLED(PUT, PUT_NBI, T, BYTES)                                                                              \
    WITH_SIGNAL(PUT, put_signal, T, BYTES) WITH_SIGNAL(PUT_NBI, put_signal_nbi, T, BYTES)
#define WITH_SIGNAL(NAME, FAMILY, T, BYTES)                                                                            \
    WRAP_TWIN(, void, shmem_, NAME, FAMILY, nelems * (BYTES) + sizeof(uint64_t),                                       \
              (T *dest, const T *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe),      \
              SIGNAL)

RMA_TYPES(TYPED)
SIZES_AND_MEM(SIZED)
SIZES(SIZED_STRIDED)

WRAP_TWIN(, void, shmem_, signal_set, signal_set, sizeof signal, (uint64_t *sig_addr, uint64_t signal, int pe),
          (sig_addr, signal, pe))
WRAP_TWIN(, void, shmem_, signal_add, signal_add, sizeof signal, (uint64_t *sig_addr, uint64_t signal, int pe),
          (sig_addr, signal, pe))

/* Cray's old names. An address of a handle may be passed, which the library ignores since there are no handles. */
#define OLD(NAME, FAMILY, T, BYTES)                                                                                    \
    WRAP(return, void *, shmem_##NAME, FAMILY, nelems * (BYTES),                                                       \
         (T *dest, const T *source, size_t nelems, int pe, ...), MOVE)
#define OLD_TYPED(NAME, T) OLD(NAME##_put_nb, put_nbi, T, sizeof(T)) OLD(NAME##_get_nb, get_nbi, T, sizeof(T))
#define OLD_SIZED(SIZE, BYTES) OLD(put##SIZE##_nb, put_nbi, void, BYTES) OLD(get##SIZE##_nb, get_nbi, void, BYTES)
TO_ALL_TYPES(OLD_TYPED)
OLD_TYPED(char, char)
SIZES_AND_MEM(OLD_SIZED)
