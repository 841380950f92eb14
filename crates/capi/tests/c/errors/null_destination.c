// pes: 2
// exit: nonzero
// says: \bPE 0\b
// says: shmem_long_put\b
// says: \bdest\b
// says: (?i)null|0x0\b
// NULL with a length.
#include "check.h"

static long word;

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    (void)word;
    long value = 3;
    if (me == 0) shmem_long_put(NULL, &value, 1, 1);
    end();
    return 0;
}
