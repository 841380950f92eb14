// pes: 1 2
// exit: nonzero
// says: shmem_long_p\b
// says: (?i)init
// A put before any init.
#include "check.h"

static long word;

int main(void)
{
    shmem_long_p(&word, 1, 0);
    return 0;
}
