// pes: 3
// exit: nonzero
// says: \bPE 2\b
// says: shmem_barrier\b
// says: not in the active set
// A PE that is not in the set must not call.
#include "check.h"

static long sync_words[SHMEM_BARRIER_SYNC_SIZE];

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    for (int i = 0; i < SHMEM_BARRIER_SYNC_SIZE; i++) sync_words[i] = SHMEM_SYNC_VALUE;
    shmem_barrier_all();
    if (me == 2) shmem_barrier(0, 0, 2, sync_words);
    end();
    return 0;
}
