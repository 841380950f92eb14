// pes: 2
// exit: nonzero
// says: \bPE [01]\b
// says: shmem_long_sum_reduce\b
// says: dest\b.*not symmetric
// A destination that is not symmetric.
#include "check.h"

static long cells[4];

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    (void)cells;
    long local[1] = {0};
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, local, cells, 1);
    end();
    return 0;
}
