// pes: 2
// exit: nonzero
// says: \bPE 0\b
// says: shmem_long_p\b
// says: \bdest\b
// says: 0x[0-9a-f]{6,}
// says: (?i)symmetric
// A stack address is not symmetric.
#include "check.h"

static long word;

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    (void)word;
    long local = 0;
    if (me == 0) shmem_long_p(&local, 1, 1);
    end();
    return 0;
}
