// pes: 1 3 4
// timeout: 300
// Thousands of failing splits and as many successful ones, each destroyed: memory does not grow and the next split works. The
// number of teams at a time is limited; beyond it every PE gets nonzero and no handle, and a destroyed team makes room again.
#include "check.h"
#include <malloc.h>

enum { TIMES = 1000, ROUNDS = 20, MANY = 4096 };

static size_t heap_in_use(void)
{
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

static void fail_once(int npes)
{
    shmem_team_t x = SHMEM_TEAM_WORLD, y = SHMEM_TEAM_WORLD, s = SHMEM_TEAM_WORLD;
    CHECK(shmem_team_split_2d(SHMEM_TEAM_WORLD, 0, NULL, 0, &x, NULL, 0, &y) != 0);
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, npes + 1, NULL, 0, &s) != 0);
    CHECK(x == SHMEM_TEAM_INVALID && y == SHMEM_TEAM_INVALID && s == SHMEM_TEAM_INVALID);
}

static void succeed_once(int npes)
{
    shmem_team_t x, y, s;
    CHECK(shmem_team_split_2d(SHMEM_TEAM_WORLD, 2, NULL, 0, &x, NULL, 0, &y) == 0);
    CHECK(shmem_team_split_strided(y, shmem_team_n_pes(y) - 1, -1, shmem_team_n_pes(y), NULL, 0, &s) == 0);
    CHECK_EQ(shmem_team_my_pe(s), shmem_team_n_pes(y) - 1 - shmem_team_my_pe(y));
    CHECK(npes == 1 || shmem_team_n_pes(x) <= 2);
    shmem_team_destroy(x);
    shmem_team_destroy(y);
    shmem_team_destroy(s);
}

/* Split until no more teams can be created; return their number. */
static int fill(shmem_team_t *teams, int npes)
{
    int made = 0;
    while (made < MANY) {
        teams[made] = SHMEM_TEAM_WORLD;
        int result = shmem_team_split_strided(SHMEM_TEAM_WORLD, npes - 1, -1, npes, NULL, 0, &teams[made]);
        CHECK((result == 0) == (teams[made] != SHMEM_TEAM_INVALID));
        if (result != 0) break;
        made++;
    }
    return made;
}

int main(void)
{
    static shmem_team_t teams[MANY];
    int me, npes;
    begin(&me, &npes);
    int *made = need(2 * sizeof(int));
    // A leak grows each time; a growing pool reaches its final size. Pages would not show this, since a fabric's library uses the next
    // slots of its rings each time until it has touched all.
    for (int round = 0; round == 0 || made[1] > 4096; round++) {
        size_t before = heap_in_use();
        for (int i = 0; i < TIMES; i++) fail_once(npes), succeed_once(npes);
        made[0] = (int)(heap_in_use() - before);
        CHECK(shmem_int_max_reduce(SHMEM_TEAM_WORLD, &made[1], &made[0], 1) == 0);
        if (round == ROUNDS) FAIL("%d splits have left %d bytes, and so did each %d before", 5 * TIMES, made[1], 5 * TIMES);
    }

    made[0] = fill(teams, npes);
    CHECK(shmem_int_max_reduce(SHMEM_TEAM_WORLD, &made[1], &made[0], 1) == 0);
    CHECK_EQ(made[0], made[1]); // the same on all PEs
    CHECK(made[0] >= 16);
    if (made[0] < MANY) { // nothing is left: both axes fail, on every PE
        shmem_team_t x = SHMEM_TEAM_WORLD, y = SHMEM_TEAM_WORLD;
        CHECK(shmem_team_split_2d(SHMEM_TEAM_WORLD, 2, NULL, 0, &x, NULL, 0, &y) != 0);
        CHECK(x == SHMEM_TEAM_INVALID && y == SHMEM_TEAM_INVALID);
        // One slot is not enough for two axes, and must not get lost.
        shmem_team_destroy(teams[--made[0]]);
        for (int i = 0; i < 100; i++) CHECK(shmem_team_split_2d(SHMEM_TEAM_WORLD, 2, NULL, 0, &x, NULL, 0, &y) != 0);
        CHECK(x == SHMEM_TEAM_INVALID && y == SHMEM_TEAM_INVALID);
        CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, npes, NULL, 0, &teams[made[0]++]) == 0);
    }
    for (int i = 0; i < made[0]; i += 2) shmem_team_destroy(teams[i]);
    for (int i = 1; i < made[0]; i += 2) shmem_team_destroy(teams[i]);
    int first = made[0];
    CHECK_EQ(fill(teams, npes), first);
    end();
    return 0;
}
