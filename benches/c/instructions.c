/* Counts the instructions of a call: each routine runs in its own loop, N times, under callgrind. The harness
 * runs this with N, 2N and 3N, and the differences divided by N are exact: start-up, lazy binding and warm-up are the
 * same in all. PE 0 calls towards PE 1, which waits in a barrier. Argument: N. */
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define MEASURED(name, ...)                                                                                            \
    __attribute__((noinline)) void measured_##name(long n, long *there);                                               \
    void measured_##name(long n, long *there)                                                                          \
    {                                                                                                                  \
        (void)there;                                                                                                   \
        for (long i = 0; i < n; i++) {                                                                                 \
            __VA_ARGS__;                                                                                               \
        }                                                                                                              \
    }

static long here[128], in_static[128];

MEASURED(nothing, __asm__ volatile("" ::: "memory"))
MEASURED(shmem_long_p, shmem_long_p(there, i, 1))
MEASURED(shmem_long_p_static, shmem_long_p(in_static, i, 1))
MEASURED(shmem_long_g, here[0] = shmem_long_g(there, 1))
MEASURED(shmem_put64, shmem_put64(there, here, 1, 1))
MEASURED(shmem_putmem_1024, shmem_putmem(there, here, 1024, 1))
/* The two ranges touch. */
MEASURED(shmem_putmem_1024_before_source, shmem_putmem(there, there + 128, 1024, 0))
MEASURED(shmem_get64, shmem_get64(here, there, 1, 1))
MEASURED(shmem_put64_nbi, shmem_put64_nbi(there, here, 1, 1))
MEASURED(shmem_long_atomic_fetch_add, here[0] = shmem_long_atomic_fetch_add(there, 1, 1))
MEASURED(shmem_long_atomic_fetch_add_static, here[0] = shmem_long_atomic_fetch_add(in_static, 1, 1))
MEASURED(shmem_long_atomic_add, shmem_long_atomic_add(there, 1, 1))
MEASURED(shmem_long_atomic_compare_swap, here[0] = shmem_long_atomic_compare_swap(there, i, i, 1))
MEASURED(shmem_quiet, shmem_quiet())
MEASURED(shmem_fence, shmem_fence())
MEASURED(shmem_long_wait_until, shmem_long_wait_until(there, SHMEM_CMP_GE, 0))
MEASURED(shmem_ptr, here[0] = (long)(intptr_t)shmem_ptr(there, 1))

int main(int argc, char **argv)
{
    long n = argc == 2 ? atol(argv[1]) : 0;
    if (n < 1) {
        fprintf(stderr, "usage: %s N(>= 1)\n", argv[0]);
        return 2;
    }
    shmem_init();
    long *there = shmem_malloc(2048);
    if (!there || shmem_n_pes() < 2) {
        fprintf(stderr, "needs 2 PEs and 2,048 bytes of symmetric memory\n");
        shmem_global_exit(2);
    }
    shmem_barrier_all();
    if (shmem_my_pe() == 0) {
        measured_nothing(n, there);
        measured_shmem_long_p(n, there);
        measured_shmem_long_p_static(n, there);
        shmem_quiet();
        measured_shmem_long_g(n, there);
        measured_shmem_put64(n, there);
        shmem_quiet();
        measured_shmem_putmem_1024(n, there);
        measured_shmem_putmem_1024_before_source(n, there);
        measured_shmem_get64(n, there);
        measured_shmem_put64_nbi(n, there);
        shmem_quiet(); /* every count begins without pending operations */
        measured_shmem_long_atomic_fetch_add(n, there);
        measured_shmem_long_atomic_fetch_add_static(n, there);
        measured_shmem_long_atomic_add(n, there);
        shmem_quiet();
        measured_shmem_quiet(n, there);
        measured_shmem_long_atomic_compare_swap(n, there);
        measured_shmem_fence(n, there);
        measured_shmem_ptr(n, there);
        *there = 0;
        measured_shmem_long_wait_until(n, there);
    }
    shmem_barrier_all();
    shmem_free(there);
    shmem_finalize();
    return 0;
}
