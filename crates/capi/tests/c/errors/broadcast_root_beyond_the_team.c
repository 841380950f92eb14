// pes: 2
// exit: nonzero
// says: \bPE [01]\b
// says: shmem_long_broadcast\b
// says: PE_root is 2\b
// The root is a number of the team, which has two members.
#include "check.h"

static long cells[4];

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    (void)cells;
    shmem_long_broadcast(SHMEM_TEAM_WORLD, &cells[0], &cells[1], 1, npes);
    end();
    return 0;
}
