// pes: 2 4
// exit: nonzero
// says: \bPE 0\b
// says: shmem_long_p\b
// says: \bpe\b
// says: \b55\b
// The error of one PE ends the job although the others are blocked.
#include "check.h"

static long word;

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    (void)word;
    if (me == 0) shmem_long_p(&word, 1, 55), shmem_quiet();
    /* The others wait for a value that no PE will write: the error must end them. */
    shmem_long_wait_until(&word, SHMEM_CMP_EQ, 99);
    end();
    return 0;
}
