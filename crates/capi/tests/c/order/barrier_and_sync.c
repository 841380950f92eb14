// pes: 1 2 3 4 7
// barrier_all delivers every earlier put of the default context; in thousands of consecutive barriers and syncs no PE leaves
// early; skewed arrival.
#include "check.h"

enum { ROUNDS = 2000 };
static int arrived[8];

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    for (int round = 1; round <= ROUNDS; round++) {
        for (int pe = 0; pe < npes; pe++) shmem_int_p(&arrived[me], round, pe);
        if (round % 50 == me) usleep(200);
        if (round % 3) shmem_barrier_all();
        else shmem_quiet(), shmem_sync_all();
        for (int pe = 0; pe < npes; pe++)
            if (arrived[pe] != round) FAIL("past barrier %d, but the put of PE %d is of round %d", round, pe, arrived[pe]);
        shmem_sync_all();
    }
    for (int i = 0; i < ROUNDS; i++) shmem_sync_all(), shmem_barrier_all();
    end();
    return 0;
}
