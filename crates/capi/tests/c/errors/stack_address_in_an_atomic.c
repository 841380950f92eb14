// pes: 2
// exit: nonzero
// says: \bPE 0\b
// says: shmem_long_atomic_inc\b
// says: \bdest\b
// says: 0x[0-9a-f]{6,}
// says: (?i)symmetric
// An atomic on a stack address.
#include "check.h"

static long word;

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    (void)word;
    long local[4];
    if (me == 0) shmem_long_atomic_inc(local, 1);
    end();
    return 0;
}
