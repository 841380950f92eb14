// pes: 2 4 5
// Threads that use different active sets at the same time, from the first call on: thread 0 all PEs, thread 1 the even PEs,
// thread 2 all but the last, thread 3 single PEs. Each has its own work arrays. Two threads must not use one set at once: with
// two PEs, all but the last are a single PE as well, so the sets of thread 3 have a stride that no other set has.
#include "sets.h"
#include <sched.h>
#include <stdatomic.h>
#include "threads/team.h"

enum { ROUNDS = 500 };
static struct sync syncs[THREADS][2];
static long work[THREADS][2][SHMEM_REDUCE_MIN_WRKDATA_SIZE + 1], source[THREADS][2], dest[THREADS][2];
static int me, npes;
static atomic_int ready;

static void *body(void *arg)
{
    long t = (long)arg;
    struct set sets[THREADS] = {{0, 0, npes}, {0, 1, (npes + 1) / 2}, {0, 0, npes - 1}, {me, 2, 1}}, *set = &sets[t];
    /* Sets of a single PE are over sooner than the next thread begins. */
    ready++;
    while (ready < THREADS) sched_yield();
    if (set_index(set, me) < 0) return NULL;
    for (int round = 0; round < ROUNDS; round++) {
        int k = round % 2;
        long want = 0;
        for (int i = 0; i < set->size; i++) want += set_member(set, i) * 10 + round;
        source[t][k] = me * 10 + round;
        shmem_long_sum_to_all(&dest[t][k], &source[t][k], 1, set->start, set->log_stride, set->size, work[t][k],
                              syncs[t][k].words);
        CHECK_NTH("sum of a thread's set", t, dest[t][k], want);
    }
    return NULL;
}

int main(void)
{
    begin_threaded(&me, &npes);
    for (int t = 0; t < THREADS; t++) sync_init(&syncs[t][0]), sync_init(&syncs[t][1]);
    shmem_barrier_all();
    run_threads(body);
    shmem_barrier_all();
    for (int t = 0; t < THREADS; t++) sync_check("a thread's sums", &syncs[t][0]), sync_check("a thread's sums", &syncs[t][1]);
    end();
    return 0;
}
