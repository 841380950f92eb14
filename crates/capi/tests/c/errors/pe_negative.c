// pes: 2
// exit: nonzero
// says: \bPE 1\b
// says: shmem_long_g\b
// says: \bpe\b
// says: -3\b
// says: \b1\b|\b2\b
// A negative PE.
#include "check.h"

static long word;

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    (void)word;
    if (me == 1) (void)shmem_long_g(&word, -3);
    end();
    return 0;
}
