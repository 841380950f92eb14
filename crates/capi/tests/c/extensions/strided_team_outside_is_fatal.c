// pes: 1 4
// exit: nonzero
// says: shmemx_team_split_strided\b
// says: PE_start
// Members beyond the parent.
#include "check.h"
#include <shmemx.h>

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    shmem_team_t team;
    shmemx_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, 7, &team);
    end();
    return 0;
}
