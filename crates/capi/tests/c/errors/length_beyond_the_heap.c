// pes: 2
// exit: nonzero
// says: \bPE 0\b
// says: shmem_putmem\b
// says: \bdest\b|\bnelems\b
// says: (?i)symmetric|heap|segment
// A range that leaves the heap.
#include "check.h"

static long word;

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    (void)word;
    char *block = need(64);
    if (me == 0) shmem_putmem(block, block, (size_t)1 << 62, 1);
    end();
    return 0;
}
