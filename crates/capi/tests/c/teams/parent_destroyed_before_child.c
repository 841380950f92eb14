// pes: 2 3 4 8
// A child of a destroyed parent is unchanged: numbers, translation, collectives, contexts, and further splits.
#include "check.h"

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    long *cell = need(3 * sizeof(long));
    shmem_team_t reversed, child, x, y;
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, npes - 1, -1, npes, NULL, 0, &reversed) == 0);
    CHECK(shmem_team_split_strided(reversed, 0, 2, (npes + 1) / 2, NULL, 0, &child) == 0);
    shmem_team_destroy(reversed);
    shmem_team_t other; // reuses the slot of the parent
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, npes, NULL, 0, &other) == 0);
    int from_end = npes - 1 - me, member = from_end % 2 == 0;
    CHECK((child != SHMEM_TEAM_INVALID) == member);
    for (int round = 0; member && round < 50; round++) {
        int n = shmem_team_n_pes(child);
        CHECK_EQ(n, (npes + 1) / 2);
        CHECK_EQ(shmem_team_my_pe(child), from_end / 2);
        CHECK_EQ(shmem_team_translate_pe(child, 0, SHMEM_TEAM_WORLD), npes - 1);
        CHECK_EQ(shmem_team_translate_pe(child, n - 1, other), (npes - 1) % 2);
        cell[0] = me + round;
        CHECK(shmem_long_max_reduce(child, &cell[1], &cell[0], 1) == 0);
        CHECK_EQ(cell[1], npes - 1 + round);
        CHECK(shmem_team_split_2d(child, 2, NULL, 0, &x, NULL, 0, &y) == 0);
        CHECK_EQ(shmem_team_my_pe(x), from_end / 2 % 2);
        shmem_team_destroy(y);
        shmem_team_destroy(x);
        shmem_ctx_t ctx;
        CHECK(shmem_team_create_ctx(child, 0, &ctx) == 0);
        CHECK(shmem_team_sync(child) == 0);
        shmem_ctx_long_p(ctx, &cell[2], round, 0);
        shmem_ctx_destroy(ctx);
        CHECK(shmem_team_sync(child) == 0);
        if (me == npes - 1) CHECK_EQ(cell[2], round);
        CHECK(shmem_team_sync(child) == 0);
    }
    shmem_team_destroy(other);
    if (member) shmem_team_destroy(child);
    end();
    return 0;
}
