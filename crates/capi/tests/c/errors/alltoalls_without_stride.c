// pes: 2
// exit: nonzero
// says: \bPE [01]\b
// says: shmem_long_alltoalls\b
// says: dst is 0\b
// Strides are at least 1.
#include "check.h"

static long cells[4];

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    (void)cells;
    shmem_long_alltoalls(SHMEM_TEAM_WORLD, &cells[0], &cells[2], 0, 1, 1);
    end();
    return 0;
}
