// pes: 1 2 3
// Threads that split different teams at the same time, each on a parent that no other thread uses: no handle is returned twice,
// and every split returns the right team.
#include "samples.h"
#include "threads/team.h"

enum { ROUNDS = 200 };
static shmem_team_t parents[THREADS];
static long source[THREADS], sum[THREADS];
static int me, npes;

static void *body(void *arg)
{
    long t = (long)arg;
    for (int round = 0; round < ROUNDS; round++) {
        shmem_team_t x, y, z;
        CHECK(shmem_team_split_2d(parents[t], 2, NULL, 0, &x, NULL, 0, &y) == 0);
        CHECK(shmem_team_split_strided(parents[t], npes - 1, -1, npes, NULL, 0, &z) == 0);
        CHECK_EQ(shmem_team_my_pe(x), me % 2);
        CHECK_EQ(shmem_team_my_pe(y), me / 2);
        CHECK_EQ(shmem_team_my_pe(z), npes - 1 - me);
        source[t] = me + round * t;
        CHECK(shmem_long_sum_reduce(z, &sum[t], &source[t], 1) == 0);
        CHECK_EQ(sum[t], npes * (npes - 1) / 2 + npes * round * t);
        shmem_team_destroy(x);
        CHECK(shmem_team_sync(y) == 0);
        shmem_team_destroy(z);
        shmem_team_destroy(y);
    }
    return NULL;
}

int main(void)
{
    begin_threaded(&me, &npes);
    for (int t = 0; t < THREADS; t++)
        CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, npes, NULL, 0, &parents[t]) == 0);
    run_threads(body);
    for (int t = 0; t < THREADS; t++) shmem_team_destroy(parents[t]);
    end();
    return 0;
}
