// pes: 2 4 7
// A loop of failing tests lets PEs without a core run, and so does one over shmem_signal_fetch: a token goes round with each of
// them.
#include "check.h"

static long token;
static uint64_t bell;

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    for (long round = 1; round <= 300; round++) {
        if (me == 0) shmem_long_p(&token, round, 1 % npes);
        while (!shmem_long_test(&token, SHMEM_CMP_GE, round)) continue;
        if (me != 0) shmem_long_p(&token, round, (me + 1) % npes);
    }
    for (uint64_t round = 1; round <= 300; round++) {
        if (me == 0) shmem_signal_set(&bell, round, 1 % npes);
        while (shmem_signal_fetch(&bell) < round) continue;
        if (me != 0) shmem_signal_set(&bell, round, (me + 1) % npes);
    }
    end();
    return 0;
}
