// pes: 2 4 7
// A loop over shmem_signal_fetch lets PEs run that have no core, as one over shmem_test does: a token goes round by signals alone.
#include "check.h"

static uint64_t token;

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    for (uint64_t round = 1; round <= 300; round++) {
        if (me == 0) shmem_signal_set(&token, round, 1 % npes);
        while (shmem_signal_fetch(&token) < round) continue;
        if (me != 0) shmem_signal_set(&token, round, (me + 1) % npes);
    }
    end();
    return 0;
}
