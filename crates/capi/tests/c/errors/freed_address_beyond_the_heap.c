// pes: 2
// exit: nonzero
// env: SHMEM_SYMMETRIC_SIZE=1M
// says: \bPE 0\b
// says: shmem_long_p\b
// says: \bdest\b
// says: 0x[0-9a-f]{6,}
// says: (?i)symmetric|heap
// An address beyond the heap's extent.
#include "check.h"

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    char *block = need(1000);
    shmem_free(block);
    shmem_barrier_all();
    /* A gibibyte behind a heap of one mebibyte. */
    if (me == 0) shmem_long_p((long *)(block + ((size_t)1 << 30)), 1, 1);
    end();
    return 0;
}
