// pes: 1 4
// exit: nonzero
// says: shmemx_team_split_strided\b
// says: PE_stride
// A stride of 0 for two members.
#include "check.h"
#include <shmemx.h>

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    shmem_team_t team;
    shmemx_team_split_strided(SHMEM_TEAM_WORLD, 0, 0, 2, &team);
    end();
    return 0;
}
