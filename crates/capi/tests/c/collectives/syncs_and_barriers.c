// pes: 1 2 3 4 7 8
// Nobody leaves a team sync before the last member has come, over teams of every shape, whoever is late; stores before it are
// seen after it. A barrier over a set completes puts as well.
#include "samples.h"

enum { TURNS = 25 };
static long came[PES_MAX]; // how often each world PE has come, as its own memory says

static void turn_over(const struct sample *one, int turn, long *count)
{
    if (turn % one->n == one->me && turn < 10) usleep(300);
    came[one->world[one->me]] = ++*count; // a plain store
    CHECK(shmem_team_sync(one->team) == 0);
    for (int pe = 0; pe < one->n; pe++) {
        const long *theirs = shmem_ptr(&came[one->world[pe]], one->world[pe]);
        long seen = theirs ? *(const volatile long *)theirs : shmem_long_g(&came[one->world[pe]], one->world[pe]);
        if (seen != *count) FAIL("after sync %ld over %s PE %d has come %ld times", *count, one->name, pe, seen);
    }
    CHECK(shmem_team_sync(one->team) == 0);
}

int main(void)
{
    int me, npes;
    struct samples all;
    begin(&me, &npes);
    samples_make(&all);
    EACH_SAMPLE(one, &all) {
        long count = 0;
        for (int turn = 0; turn < TURNS; turn++) turn_over(one, turn, &count);
    }
    shmem_barrier_all();
    shmem_sync_all();
    shmem_sync(SHMEM_TEAM_WORLD); // the generic name
    CHECK(shmem_team_sync(SHMEM_TEAM_INVALID) != 0);
    samples_destroy(&all);
    end();
    return 0;
}
