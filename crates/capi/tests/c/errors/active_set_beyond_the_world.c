// pes: 3
// exit: nonzero
// says: \bPE [012]\b
// says: shmem_long_sum_to_all\b
// says: logPE_stride 2\b
// says: PEs 0 to 2\b
// The third argument's neighbour is the logarithm of the stride: 2 means 4, which is beyond three PEs.
#include "check.h"

static long sync_words[SHMEM_REDUCE_SYNC_SIZE], work[SHMEM_REDUCE_MIN_WRKDATA_SIZE + 1], cell[2];

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    for (int i = 0; i < SHMEM_REDUCE_SYNC_SIZE; i++) sync_words[i] = SHMEM_SYNC_VALUE;
    shmem_barrier_all();
    shmem_long_sum_to_all(&cell[1], &cell[0], 1, 0, 2, 2, work, sync_words);
    end();
    return 0;
}
