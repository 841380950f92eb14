// pes: 1 2
// A thread in wait_until, in signal_wait_until or polling by test is woken by another thread of its own PE.
#include "team.h"

enum { ROUNDS = 2000 };
static int me;
static long ball;
static uint64_t sig;

/* Threads 0 and 1 play ball by atomics, 2 and 3 by signals. */
static void *body(void *arg)
{
    long t = (long)arg;
    for (long i = 0; i < ROUNDS; i++) {
        if (t == 0) shmem_long_atomic_set(&ball, 2 * i + 1, me), shmem_long_wait_until(&ball, SHMEM_CMP_EQ, 2 * i + 2);
        if (t == 1) {
            while (!shmem_long_test(&ball, SHMEM_CMP_EQ, 2 * i + 1)) {}
            shmem_long_atomic_set(&ball, 2 * i + 2, me);
        }
        if (t == 2) shmem_signal_add(&sig, 1, me), shmem_signal_wait_until(&sig, SHMEM_CMP_GE, (uint64_t)(2 * i + 2));
        if (t == 3) shmem_signal_wait_until(&sig, SHMEM_CMP_EQ, (uint64_t)(2 * i + 1)), shmem_signal_add(&sig, 1, me);
    }
    return NULL;
}

int main(void)
{
    int npes;
    begin_threaded(&me, &npes);
    run_threads(body);
    shmem_barrier_all();
    CHECK_EQ(ball, 2 * ROUNDS);
    CHECK_EQ(sig, 2 * ROUNDS);
    end();
    return 0;
}
