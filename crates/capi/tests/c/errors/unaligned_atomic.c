// pes: 2
// exit: nonzero
// says: \bPE 0\b
// says: shmem_long_atomic_add\b
// says: \bdest\b
// says: 0x[0-9a-f]{6,}
// says: (?i)align
// says: \b8\b
// An atomic on a misaligned address: it names the address and the alignment that is needed.
#include "check.h"

static long word;

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    (void)word;
    static long two[2];
    if (me == 0) shmem_long_atomic_add((long *)((char *)two + 3), 1, 1);
    end();
    return 0;
}
