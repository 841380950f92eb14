// pes: 1 2 4
// Each thread of every PE has a team of its own over all PEs and calls collectives on it while the others do likewise, in
// orders that differ between PEs; one thread uses the world.
#include "samples.h"
#include "threads/team.h"

enum { ROUNDS = 300, LEN = 700 };
static shmem_team_t teams[THREADS];
static long *dest[THREADS], *source[THREADS];
static int me, npes;

static void *work(void *arg)
{
    long thread = (long)arg;
    shmem_team_t team = teams[thread];
    int mine = shmem_team_my_pe(team);
    for (int round = 0; round < ROUNDS; round++) {
        int length = round % 10 == 0 ? LEN : 1 + round % 7;
        if ((round + thread + me) % 13 == 0) usleep(50);
        for (int i = 0; i < length; i++) source[thread][i] = 100L * thread + mine + round + i;
        CHECK(shmem_long_sum_reduce(team, dest[thread], source[thread], length) == 0);
        for (int i = 0; i < length; i++)
            CHECK_NTH("sum of a thread's team", i, dest[thread][i], npes * (100L * thread + round + i) + npes * (npes - 1) / 2);
        CHECK(shmem_team_sync(team) == 0); // a peer that is ahead may write to `dest` as soon as it has entered the next call
        CHECK(shmem_long_max_reduce(team, dest[thread], source[thread], length) == 0);
        CHECK_EQ(dest[thread][0], 100L * thread + npes - 1 + round);
        CHECK(shmem_team_sync(team) == 0);
        CHECK(shmem_long_broadcast(team, dest[thread], source[thread], length, round % npes) == 0);
        CHECK_EQ(dest[thread][length - 1], 100L * thread + round % npes + round + length - 1);
        CHECK(shmem_team_sync(team) == 0);
    }
    return NULL;
}

int main(void)
{
    begin_threaded(&me, &npes);
    teams[0] = SHMEM_TEAM_WORLD;
    for (int t = 0; t < THREADS; t++) {
        if (t > 0)
            CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, t % 2 ? npes - 1 : 0, t % 2 ? -1 : 1, npes, NULL, 0, &teams[t]) == 0);
        dest[t] = need(LEN * sizeof(long)), source[t] = need(LEN * sizeof(long));
    }
    run_threads(work);
    end();
    return 0;
}
