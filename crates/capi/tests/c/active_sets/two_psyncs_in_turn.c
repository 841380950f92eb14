// pes: 1 2 3 4
// timeout: 600
// Two pSyncs and two pWrks in turn, 100,000 reductions and broadcasts without any other synchronisation.
#include "sets.h"

enum { TIMES = 100000 };
static struct sync syncs[2];
static long work[2][SHMEM_REDUCE_MIN_WRKDATA_SIZE + 1], source[2], dest[2], place[2][8], given[2];

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    for (int i = 0; i < 2; i++) sync_init(&syncs[i]);
    shmem_barrier_all();
    for (int i = 0; i < TIMES; i++) {
        int k = i % 2;
        source[k] = i + me;
        shmem_long_sum_to_all(&dest[k], &source[k], 1, 0, 0, npes, work[k], syncs[k].words);
        CHECK_NTH("shmem_long_sum_to_all", i, dest[k], (long)i * npes + npes * (npes - 1) / 2);
        source[k] = -1;
    }
    shmem_barrier_all();
    for (int i = 0; i < 2; i++) sync_check("shmem_long_sum_to_all", &syncs[i]);
    for (int i = 0; i < TIMES; i++) {
        int k = i % 2;
        given[k] = i * 8L + me;
        shmem_fcollect64(place[k], &given[k], 1, 0, 0, npes, syncs[k].words);
        for (int pe = 0; pe < npes; pe++) CHECK_NTH("shmem_fcollect64", i, place[k][pe], i * 8L + pe);
    }
    shmem_barrier_all();
    for (int i = 0; i < 2; i++) sync_check("shmem_fcollect64", &syncs[i]);
    end();
    return 0;
}
