// pes: 3 4
// A PE outside an active set that calls its collectives returns at once, without any change, as with other libraries; the
// members neither wait for it nor notice.
#include "check.h"

enum { N = 3, SYNC = 64 };
static long sync_words[SYNC], other_sync[SYNC], work[64];
static long source[N], dest[2 * N];

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    for (int i = 0; i < SYNC; i++) sync_words[i] = other_sync[i] = SHMEM_SYNC_VALUE;
    shmem_barrier_all();
    for (int round = 1; round <= 5; round++) {
        for (int i = 0; i < N; i++) source[i] = round * 100 + me * 10 + i;
        for (int i = 0; i < 2 * N; i++) dest[i] = -1;
        shmem_barrier(0, 0, 2, sync_words);
        shmem_broadcast64(dest, source, N, 0, 0, 0, 2, sync_words);
        for (int i = 0; i < N; i++) CHECK_NTH("broadcast", i, dest[i], me == 1 ? round * 100 + i : -1);
        shmem_barrier(0, 0, 2, sync_words);
        shmem_long_sum_to_all(dest, source, N, 0, 0, 2, work, other_sync);
        for (int i = 0; i < N; i++) CHECK_NTH("sum", i, dest[i], me < 2 ? 2 * (round * 100 + i) + 10 : -1);
        shmem_fcollect64(dest, source, N, 0, 0, 2, sync_words);
        for (int i = 0; i < 2 * N; i++)
            CHECK_NTH("fcollect", i, dest[i], me < 2 ? round * 100 + i / N * 10 + i % N : -1);
        shmem_sync(0, 0, 2, sync_words);
    }
    shmem_barrier_all();
    end();
    return 0;
}
