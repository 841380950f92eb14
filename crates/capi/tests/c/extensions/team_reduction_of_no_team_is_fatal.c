// pes: 1 4
// exit: nonzero
// says: shmemx_team_int_max_to_all\b
// says: SHMEM_TEAM_NULL
// A reduction over an invalid team: it has no result that could report the error.
#include "check.h"
#include <shmemx.h>

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    static int source, dest;
    shmemx_team_int_max_to_all(SHMEM_TEAM_NULL, &dest, &source, 1, NULL, NULL);
    end();
    return 0;
}
