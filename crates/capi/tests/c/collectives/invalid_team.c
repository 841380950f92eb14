// pes: 2
// With SHMEM_TEAM_INVALID every team collective returns nonzero at once, on a PE that calls alone, and touches nothing.
#include "check.h"

static long dest[4], source[4];

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    if (me == 1) {
        shmem_team_t none = SHMEM_TEAM_INVALID;
        source[0] = 5;
        CHECK(shmem_team_sync(none) != 0);
        CHECK(shmem_long_broadcast(none, dest, source, 1, 0) != 0);
        CHECK(shmem_long_collect(none, dest, source, 1) != 0);
        CHECK(shmem_long_fcollect(none, dest, source, 1) != 0);
        CHECK(shmem_long_alltoall(none, dest, source, 1) != 0);
        CHECK(shmem_long_alltoalls(none, dest, source, 1, 1, 1) != 0);
        CHECK(shmem_long_max_reduce(none, dest, source, 1) != 0);
        CHECK(shmem_long_sum_inscan(none, dest, source, 1) != 0);
        CHECK(shmem_long_sum_exscan(none, dest, source, 1) != 0);
        CHECK(shmem_broadcastmem(none, dest, source, 8, 0) != 0);
        CHECK_EQ(dest[0], 0);
    }
    end();
    return 0;
}
