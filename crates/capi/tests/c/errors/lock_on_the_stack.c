// pes: 2
// exit: nonzero
// says: \bPE 0\b
// says: shmem_set_lock\b
// says: \block\b
// says: (?i)symmetric
// A lock that is not symmetric.
#include "check.h"

static long word;

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    (void)word;
    long local = 0;
    if (me == 0) shmem_set_lock(&local);
    shmem_barrier_all();
    end();
    return 0;
}
