// pes: 2
// exit: nonzero
// says: \bPE 0\b
// says: shmem_long_wait_until\b
// says: \bcmp\b
// says: \b4711\b
// says: SHMEM_CMP
// A comparison code that is none of the six.
#include "check.h"

static long word;

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    (void)word;
    if (me == 0) shmem_long_wait_until(&word, 4711, 1);
    shmem_barrier_all();
    end();
    return 0;
}
