// pes: 2 3 4
// If only one PE has no room for another team, a split fails on all of its parent's PEs: all get nonzero and no handle. When
// that PE has room again, it succeeds on all.
#include "check.h"

enum { MANY = 4096 };

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    shmem_team_t first = SHMEM_TEAM_INVALID, made[MANY], x = SHMEM_TEAM_WORLD, y = SHMEM_TEAM_WORLD;
    CHECK_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 1, NULL, 0, &first), 0);
    int count = 0;
    if (me == 0) {
        while (count < MANY && shmem_team_split_strided(first, 0, 1, 1, NULL, 0, &made[count]) == 0) count++;
        CHECK(0 < count && count < MANY);
    } else {
        CHECK(first == SHMEM_TEAM_INVALID);
    }
    // The 2D split needs two slots, and three times as many if each team consists of parts by host and their leaders: when some PEs
    // share memory and others do not.
    static int together, most;
    together = shmem_team_n_pes(SHMEM_TEAM_SHARED);
    CHECK_EQ(shmem_int_max_reduce(SHMEM_TEAM_WORLD, &most, &together, 1), 0);
    const int needed = 1 < most && most < npes ? 6 : 2;
    int given_back = 0;
    while (shmem_team_split_2d(SHMEM_TEAM_WORLD, 2, NULL, 0, &x, NULL, 0, &y) != 0) {
        CHECK(x == SHMEM_TEAM_INVALID && y == SHMEM_TEAM_INVALID);
        CHECK(given_back < needed);
        given_back++;
        if (me == 0) shmem_team_destroy(made[--count]);
    }
    CHECK_EQ(given_back, needed);
    CHECK_EQ(shmem_team_n_pes(x), me / 2 * 2 + 1 < npes ? 2 : 1);
    CHECK_EQ(shmem_team_my_pe(y), me / 2);
    shmem_team_sync(x), shmem_team_sync(y);
    shmem_team_destroy(x), shmem_team_destroy(y);
    while (count > 0) shmem_team_destroy(made[--count]);
    end();
    return 0;
}
