// pes: 2
// exit: nonzero
// says: \bPE 1\b
// says: shmem_long_get\b
// says: \bsource\b
// says: 0x[0-9a-f]{6,}
// says: (?i)symmetric
// Memory of malloc is not symmetric.
#include "check.h"

static long word;

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    (void)word;
    long *private = malloc(64);
    if (me == 1) shmem_long_get(&word, private, 8, 0);
    free(private);
    end();
    return 0;
}
