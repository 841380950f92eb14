// Atomics on words of the device heap are atomic among all PEs, mapped or not, and have all results; so have atomics on host memory whose
// old value goes to device memory.
// pes: 1 2 4
// env: SHMEM_DEVICE_SYMMETRIC_SIZE=8m
// flags: -ldl
#include "device.h"

enum { ROUNDS = 40 };

int main(void)
{
    int me, npes;
    begin_device(&me, &npes);
    long *words = shmemg_calloc(16, sizeof(long)), *fetched = device_alloc(sizeof(long)), old;
    unsigned *halves = shmemg_calloc(16, sizeof(unsigned));
    double *real = shmemg_calloc(1, sizeof(double));
    long *on_host = shmem_calloc(2, sizeof(long));
    CHECK(words != NULL && halves != NULL && real != NULL && on_host != NULL);
    for (int i = 0; i < ROUNDS; i++)
        for (int pe = 0; pe < npes; pe++) {
            shmem_long_atomic_inc(&words[0], pe);
            shmem_uint_atomic_add(&halves[1], 3, pe);
            shmem_uint_atomic_fetch_add(&halves[2], 5, pe);
        }
    shmem_barrier_all();
    CHECK_EQ(shmem_long_atomic_fetch(&words[0], me), ROUNDS * npes);
    CHECK_EQ(shmem_uint_atomic_fetch(&halves[1], me), 3 * ROUNDS * npes);
    CHECK_EQ(shmem_uint_atomic_fetch(&halves[2], me), 5 * ROUNDS * npes);
    CHECK_EQ(shmem_uint_atomic_fetch(&halves[0], me), 0);
    CHECK_EQ(shmem_uint_atomic_fetch(&halves[3], me), 0);

    /* A lock made of compare-and-swap protects a plain word of the device. */
    for (int i = 0; i < ROUNDS; i++) {
        while (shmem_long_atomic_compare_swap(&words[1], 0, me + 1, 0) != 0) {}
        shmem_long_p(&words[2], shmem_long_g(&words[2], 0) + 1, 0);
        CHECK_EQ(shmem_long_atomic_swap(&words[1], 0, 0), me + 1);
    }
    shmem_barrier_all();
    CHECK_EQ(shmem_long_g(&words[2], 0), ROUNDS * npes);

    int to = (me + 1) % npes;
    shmem_long_atomic_set(&words[4], 12, to);
    shmem_ulong_atomic_or((unsigned long *)&words[4], 3, to);
    CHECK_EQ(shmem_ulong_atomic_fetch_and((unsigned long *)&words[4], 6, to), 15);
    CHECK_EQ(shmem_ulong_atomic_fetch_xor((unsigned long *)&words[4], 5, to), 6);
    CHECK_EQ(shmem_long_atomic_fetch(&words[4], to), 3);
    shmem_double_atomic_set(real, 2.5, to);
    CHECK_EQ(shmem_double_atomic_swap(real, -1.25, to), 2.5);
    CHECK_EQ(shmem_double_atomic_fetch(real, to), -1.25);

    /* The old value goes to device memory, or to the host. */
    shmem_long_atomic_fetch_add_nbi(fetched, &words[4], 10, to);
    shmem_quiet();
    read_from(&old, fetched, 1, sizeof old);
    CHECK_EQ(old, 3);
    shmem_long_atomic_fetch_inc_nbi(&old, &words[4], to);
    shmem_quiet();
    CHECK_EQ(old, 13);
    shmem_long_atomic_swap_nbi(fetched, on_host, 4 + me, to);
    shmem_quiet();
    read_from(&old, fetched, 1, sizeof old);
    CHECK_EQ(old, 0);
    CHECK_EQ(shmem_long_atomic_fetch(on_host, to), 4 + me);
    shmem_barrier_all();
    shmemg_free(words);
    shmem_finalize();
    return 0;
}
