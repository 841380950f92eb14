// pes: 2 3
// One PE is configured to yield and the others are not, or see other limits of their containers: all must use the same
// barriers.
#include "check.h"
#include <string.h>

int main(void)
{
    const char *pe = getenv("FERRITE_PE");
    if (pe != NULL) setenv("FERRITE_WAIT", strcmp(pe, "0") == 0 ? "yield" : "spin", 1);
    int me, npes;
    begin(&me, &npes);
    long *sum = need(2 * sizeof *sum);
    shmem_team_t half;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, me % 2, 2, (npes + 1 - me % 2) / 2, NULL, 0, &half);
    for (int round = 0; round < 20; round++) {
        sum[0] = me + round;
        shmem_barrier_all();
        shmem_sync_all();
        shmem_team_sync(half);
        shmem_long_sum_reduce(SHMEM_TEAM_WORLD, sum + 1, sum, 1);
        CHECK_NTH("sum", round, sum[1], (long)npes * (npes - 1) / 2 + (long)npes * round);
    }
    end();
    return 0;
}
