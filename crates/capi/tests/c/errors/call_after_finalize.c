// pes: 1 2
// exit: nonzero
// says: shmem_long_g\b
// says: (?i)init|finali
// A call after the last finalize.
#include "check.h"

static long word;

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    end();
    return (int)shmem_long_g(&word, 0);
}
