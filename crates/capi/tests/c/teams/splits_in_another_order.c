// pes: 2
// Two threads of PE 0 split two teams at once; PE 1 splits the same two teams with one thread, one after the other. Whichever
// thread of PE 0 comes first, neither may keep the other from being answered.
#include "threads/team.h"

enum { ROUNDS = 200 };
static shmem_team_t parents[2], children[2];
static int me, npes;

static void *split(void *arg)
{
    long t = (long)arg;
    if (t >= 2) return NULL;
    CHECK(shmem_team_split_strided(parents[t], 0, 1, npes, NULL, 0, &children[t]) == 0);
    return NULL;
}

int main(void)
{
    begin_threaded(&me, &npes);
    for (int t = 0; t < 2; t++)
        CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, npes, NULL, 0, &parents[t]) == 0);
    for (int round = 0; round < ROUNDS; round++) {
        if (me == 0) run_threads(split);
        else {
            if (round % 20 == 0) usleep(2000); // both threads of PE 0 are in their calls
            split((void *)(long)(round % 2));
            split((void *)(long)(1 - round % 2));
        }
        for (int t = 0; t < 2; t++) shmem_team_destroy(children[t]);
    }
    end();
    return 0;
}
