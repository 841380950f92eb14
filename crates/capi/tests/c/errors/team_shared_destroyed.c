// pes: 2
// exit: nonzero
// says: \bPE [01]\b
// says: shmem_team_destroy\b
// says: predefined
// A predefined team cannot be destroyed.
#include "check.h"

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    shmem_team_destroy(SHMEM_TEAM_SHARED);
    end();
    return 0;
}
