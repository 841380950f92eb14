// pes: 3 4 5 8
// Overlapping sets, each with its own pSync, called one after the other without synchronisation in between: a chain of pairs
// (i, i+1), the even PEs, all PEs. PEs in no set compute, and are not waited for.
#include "sets.h"

enum { TIMES = 2000 };
static struct sync pair[8], everybody[2], evens[2];
static long work[4][SHMEM_REDUCE_MIN_WRKDATA_SIZE + 1], source[4], dest[4];

static void pair_sum(int first, int me, int i)
{
    source[0] = 10 * me + i;
    shmem_long_sum_to_all(&dest[0], &source[0], 1, first, 0, 2, work[0], pair[first].words);
    CHECK_NTH("sum of a pair", first, dest[0], 20 * first + 10 + 2 * i);
}

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    for (int i = 0; i < 8; i++) sync_init(&pair[i]);
    for (int i = 0; i < 2; i++) sync_init(&everybody[i]), sync_init(&evens[i]);
    shmem_barrier_all();
    for (int i = 0; i < TIMES; i++) {
        int half = (npes + 1) / 2;
        if (me > 0) pair_sum(me - 1, me, i);
        if (me < npes - 1) pair_sum(me, me, i);
        if (me % 2 == 0) {
            source[1] = me;
            shmem_long_max_to_all(&dest[1], &source[1], 1, 0, 1, half, work[1], evens[i % 2].words);
            CHECK_NTH("maximum of the even PEs", i, dest[1], 2 * (half - 1));
        }
        int k = 2 + i % 2;
        source[k] = -me - i;
        shmem_long_min_to_all(&dest[k], &source[k], 1, 0, 0, npes, work[k], everybody[i % 2].words);
        CHECK_NTH("minimum of all", i, dest[k], -(npes - 1) - i);
    }
    shmem_barrier_all();
    // The last PE computes and is in no set: the others must not need it.
    static long flag;
    if (me < npes - 1) {
        for (int i = 0; i < 100; i++) shmem_barrier(0, 0, npes - 1, everybody[0].words);
        if (me == 0) shmem_long_atomic_set(&flag, 1, npes - 1);
    } else {
        for (const volatile long *seen = &flag; *seen == 0;) usleep(100);
    }
    shmem_barrier_all();
    end();
    return 0;
}
