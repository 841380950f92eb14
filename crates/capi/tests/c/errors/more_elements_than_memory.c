// pes: 2
// exit: nonzero
// says: shmem_long_put
// says: dest
// A count whose size in bytes overflows a size_t is not taken for a short one.
#include "check.h"

static long x[8], y[8];

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    if (me == 0) shmem_long_put(x, y, ((size_t)1 << 61) + 1, 1);
    end();
    return 0;
}
