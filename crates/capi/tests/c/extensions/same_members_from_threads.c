// pes: 2 3 4
// Many threads that bring the same PEs together at once, each for its own purpose: Cray's splits of different teams, and an
// active set. No thread receives data meant for another, and none blocks another.
#define THREADS 32
#include "check.h"
#include "threads/team.h"
#include <shmemx.h>

enum { ROUNDS = 20 };
static shmem_team_t parents[THREADS];
static long psync[SHMEM_REDUCE_SYNC_SIZE], work[SHMEM_REDUCE_MIN_WRKDATA_SIZE];
static long source[THREADS], sum[THREADS];
static int me, npes;

/* The members are all but the last, so that the set is not that of all PEs, which need not meet. */
static void *body(void *arg)
{
    long t = (long)arg, members = npes - 1;
    if (me == members) return NULL;
    for (long round = 0; round < ROUNDS; round++) {
        source[t] = me + t * round;
        if (t == THREADS - 1) {
            shmem_long_sum_to_all(&sum[t], &source[t], 1, 0, 0, (int)members, work, psync);
        } else {
            shmem_team_t team;
            shmemx_team_split_strided(parents[t], 0, 1, (int)members, &team);
            CHECK_EQ(shmem_team_n_pes(team), members);
            CHECK(shmem_long_sum_reduce(team, &sum[t], &source[t], 1) == 0);
            CHECK(shmem_team_sync(team) == 0);
            shmemx_team_destroy(&team);
        }
        CHECK_NTH("sum of thread", t, sum[t], members * (members - 1) / 2 + members * t * round);
    }
    return NULL;
}

int main(void)
{
    begin_threaded(&me, &npes);
    for (int i = 0; i < SHMEM_REDUCE_SYNC_SIZE; i++) psync[i] = SHMEM_SYNC_VALUE;
    for (int t = 0; t < THREADS; t++)
        CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, npes, NULL, 0, &parents[t]) == 0);
    shmem_barrier_all();
    run_threads(body);
    shmem_barrier_all();
    for (int t = 0; t < THREADS; t++) shmem_team_destroy(parents[t]);
    end();
    return 0;
}
