// pes: 2
// exit: nonzero
// says: \bPE 0\b
// says: shmem_long_p\b
// says: \bpe\b
// says: \b9\b
// says: \b1\b|\b2\b
// A PE beyond the last: the line names routine, argument, value and the PEs there are.
#include "check.h"

static long word;

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    (void)word;
    if (me == 0) shmem_long_p(&word, 1, npes + 7);
    end();
    return 0;
}
