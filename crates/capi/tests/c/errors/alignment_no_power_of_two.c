// pes: 2
// exit: nonzero
// says: shmem_align\b
// says: \balignment\b
// says: \b48\b
// says: (?i)power of (two|2)
// An alignment that is no power of two.
#include "check.h"

static long word;

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    (void)word;
    (void)shmem_align(48, 64);
    end();
    return 0;
}
