// pes: 2
// exit: nonzero
// says: \bPE 0\b
// says: shmem_signal_add\b
// says: \bsig_addr\b
// says: (?i)symmetric
// A signal that is not symmetric.
#include "check.h"

static long word;

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    (void)word;
    uint64_t local = 0;
    if (me == 0) shmem_signal_add(&local, 1, 1);
    shmem_barrier_all();
    end();
    return 0;
}
