// pes: 2 3 4 8
// A collective concerns the members of its team alone: the last PE sits in a wait outside, with the library's default context
// busy, until all others have gone through splits, every kind of collective, contexts and the end of their team.
#include "check.h"

enum { ROUNDS = 50, LEN = 64 };
static long source[LEN], finished;
// A destination for each collective: peers may write one as soon as this PE could have called it.
static long heard[LEN], sum[LEN], side_by_side[8 * LEN], joined[8 * LEN], prefix[LEN], ring;

static void members(shmem_team_t team, int n, int round)
{
    int self = shmem_team_my_pe(team);
    shmem_team_t child;
    shmem_ctx_t ctx;
    for (int i = 0; i < LEN; i++) source[i] = round + self;
    CHECK(shmem_team_sync(team) == 0);
    CHECK(shmem_long_broadcast(team, heard, source, LEN, round % n) == 0);
    CHECK_EQ(heard[LEN - 1], round + round % n);
    CHECK(shmem_long_sum_reduce(team, sum, source, LEN) == 0);
    CHECK_EQ(sum[0], n * round + n * (n - 1L) / 2);
    CHECK(shmem_long_fcollect(team, side_by_side, source, LEN) == 0);
    CHECK_EQ(side_by_side[n * LEN - 1], round + n - 1);
    CHECK(shmem_long_collect(team, joined, source, (size_t)self + 1) == 0);
    CHECK_EQ(joined[0], round);
    CHECK(shmem_long_alltoall(team, joined, source, 0) == 0);
    CHECK(shmem_long_sum_inscan(team, prefix, source, LEN) == 0);
    CHECK_EQ(prefix[1], (self + 1L) * round + self * (self + 1L) / 2);
    CHECK(shmem_team_split_strided(team, n - 1, -1, n, NULL, 0, &child) == 0);
    CHECK(shmem_team_create_ctx(child, 0, &ctx) == 0);
    shmem_ctx_long_p(ctx, &ring, -1, (shmem_team_my_pe(child) + 1) % n);
    shmem_ctx_destroy(ctx);
    shmem_team_destroy(child);
}

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    int n = npes - 1;
    shmem_team_t team;
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, n, NULL, 0, &team) == 0);
    if (me == n) {
        CHECK(team == SHMEM_TEAM_INVALID);
        for (int i = 0; i < 1000; i++) shmem_long_put_nbi(&heard[i % LEN], source, 1, me);
        shmem_long_wait_until(&finished, SHMEM_CMP_EQ, n);
    } else {
        for (int round = 0; round < ROUNDS; round++) members(team, n, round);
        shmem_team_destroy(team);
        shmem_long_atomic_inc(&finished, n);
    }
    shmem_barrier_all();
    end();
    return 0;
}
