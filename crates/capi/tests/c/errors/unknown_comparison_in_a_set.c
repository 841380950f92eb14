// pes: 2
// exit: nonzero
// says: \bPE 0\b
// says: shmem_int_test_all\b
// says: \bcmp\b
// says: -4711\b
// says: SHMEM_CMP
// The same in a set.
#include "check.h"

static long word;

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    (void)word;
    if (me == 0) (void)shmem_int_test_all((int *)&word, 1, NULL, -4711, 1);
    shmem_barrier_all();
    end();
    return 0;
}
