// pes: 1 2
// flags: -pthread
// Performance counters: threads that share a context lose no count while other threads query them.
#include "check.h"
#include <pthread.h>
#include <shmemx.h>

enum { THREADS = 4, ROUNDS = 3000 };
static int me, npes;
static long words[THREADS], ten = 10;

static void *move(void *which)
{
    long i = (long)which, got;
    uint64_t issued, completed;
    for (int round = 0; round < ROUNDS; round++) {
        shmem_long_p(&words[i], round, (me + 1) % npes);
        got = shmem_long_g(&ten, (me + 1) % npes);
        CHECK_EQ(got, 10);
        if (round % 100 == 0) {
            shmemx_pcntr_get_completed_write(SHMEM_CTX_DEFAULT, &completed);
            shmemx_pcntr_get_issued_write(SHMEM_CTX_DEFAULT, &issued);
            CHECK(completed <= issued && issued <= THREADS * ROUNDS);
        }
    }
    return NULL;
}

int main(void)
{
    int level;
    CHECK_EQ(shmem_init_thread(SHMEM_THREAD_MULTIPLE, &level), 0);
    me = *check_pe() = shmem_my_pe();
    npes = shmem_n_pes();
    shmemx_pcntr_t counters;
    shmemx_pcntr_get_all(SHMEM_CTX_DEFAULT, &counters);
    CHECK_EQ(counters.pending_put, 0);
    shmem_barrier_all();
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++) CHECK_EQ(pthread_create(&threads[i], NULL, move, (void *)i), 0);
    for (int i = 0; i < THREADS; i++) CHECK_EQ(pthread_join(threads[i], NULL), 0);
    shmem_barrier_all();
    shmemx_pcntr_get_all(SHMEM_CTX_DEFAULT, &counters);
    CHECK_EQ(counters.pending_put, THREADS * ROUNDS);
    CHECK_EQ(counters.completed_put, THREADS * ROUNDS);
    CHECK_EQ(counters.pending_get, THREADS * ROUNDS);
    CHECK_EQ(counters.completed_get, THREADS * ROUNDS);
    CHECK_EQ(counters.target, THREADS * ROUNDS);
    shmem_finalize();
    return 0;
}
