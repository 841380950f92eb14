// pes: 2
// exit: nonzero
// says: \bPE 0\b
// says: shmem_int_atomic_fetch_add\b
// says: \bpe\b
// says: \b2\b
// The number of PEs is not the number of a PE.
#include "check.h"

static long word;

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    (void)word;
    if (me == 0) (void)shmem_int_atomic_fetch_add((int *)&word, 1, npes);
    end();
    return 0;
}
