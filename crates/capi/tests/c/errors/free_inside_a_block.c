// pes: 2
// exit: nonzero
// says: shmem_free\b
// says: \bptr\b
// says: 0x[0-9a-f]{6,}
// Freeing an address that no allocation returned.
#include "check.h"

static long word;

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    (void)word;
    char *block = need(64);
    shmem_free(block + 16);
    end();
    return 0;
}
