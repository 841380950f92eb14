// pes: 2
// exit: nonzero
// says: \bPE [01]\b
// says: shmem_team_destroy\b
// says: destroyed before
// The handle of a destroyed team is invalid.
#include "check.h"

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    shmem_team_t team;
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, npes, NULL, 0, &team) == 0);
    shmem_team_destroy(team);
    shmem_team_destroy(team);
    end();
    return 0;
}
