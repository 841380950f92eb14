// pes: 1 4
// exit: nonzero
// says: shmemx_team_split_strided\b
// says: parent_team
// A split of an invalid team.
#include "check.h"
#include <shmemx.h>

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    shmem_team_t team;
    shmemx_team_split_strided(SHMEM_TEAM_NULL, 0, 1, 1, &team);
    end();
    return 0;
}
