// pes: 2 4
// Progress needs no call on the target: PE 0 spins on its own memory without any library call while the others put, get,
// signal, run atomics and take a lock that may live at PE 0; each must complete with PE 0 outside the library.
#include "check.h"

enum { ROUNDS = 500 };
static long count, lock, guarded, table[64], mail[8], released;
static uint64_t sig;

/* No call of the library: a plain load that the compiler may not hoist. */
static long peek(long *word)
{
    return *(volatile long *)word;
}

static void compute_until_all_have_finished(int npes)
{
    unsigned long x = 88172645463325252u;
    while (peek(&released) < npes - 1)
        for (int i = 0; i < 1000; i++) x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    CHECK(x != 0);
}

static void work_on(int me)
{
    long copy[64];
    for (int i = 0; i < ROUNDS; i++) {
        shmem_long_atomic_add(&count, 1, 0);
        (void)shmem_long_atomic_fetch_add(&count, 1, 0);
        shmem_long_get(copy, table, 64, 0);
        for (int k = 0; k < 64; k++) CHECK_NTH("shmem_long_get", k, copy[k], 7 * k);
        shmem_signal_add(&sig, 1, 0);
        shmem_set_lock(&lock);
        long value = shmem_long_g(&guarded, 0);
        shmem_long_p(&guarded, value + 1, 0);
        shmem_clear_lock(&lock);
        shmem_long_p(&mail[me], i + 1, 0);
    }
    shmem_quiet();
    (void)shmem_long_atomic_fetch_inc(&released, 0);
}

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    for (int k = 0; k < 64; k++) table[k] = 7 * k;
    shmem_barrier_all();
    if (me == 0) compute_until_all_have_finished(npes);
    else work_on(me);
    shmem_barrier_all();
    if (me == 0) {
        CHECK_EQ(count, 2L * ROUNDS * (npes - 1));
        CHECK_EQ(guarded, (long)ROUNDS * (npes - 1));
        for (int pe = 1; pe < npes; pe++) CHECK_NTH("shmem_long_p", pe, mail[pe], ROUNDS);
        CHECK_EQ(shmem_signal_fetch(&sig), (uint64_t)ROUNDS * (uint64_t)(npes - 1));
    }
    end();
    return 0;
}
