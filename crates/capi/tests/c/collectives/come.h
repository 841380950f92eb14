/* No PE leaves a team sync before the last member has called it; stores before it are seen after it. */
#ifndef COME_H
#define COME_H

#include "samples.h"

static long came[PES_MAX]; // how often each world PE has arrived, according to its own memory

static inline void come_once(const struct sample *one, int turn, long *count)
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

/* The whole program: `turns` turns over every sample with late PEs, and a barrier that completes a put. */
static inline int come_run(int turns)
{
    static long word;
    int me, npes;
    struct samples all;
    begin(&me, &npes);
    samples_make(&all);
    EACH_SAMPLE(one, &all) {
        long count = 0;
        for (int turn = 0; turn < turns; turn++) come_once(one, turn, &count);
    }
    shmem_barrier_all();
    for (long turn = 1; turn <= turns; turn++) {
        shmem_long_put_nbi(&word, &turn, 1, (me + 1) % npes);
        shmem_barrier_all();
        CHECK_EQ(word, turn);
        shmem_sync_all();
    }
    shmem_sync(SHMEM_TEAM_WORLD); // the generic name
    CHECK(shmem_team_sync(SHMEM_TEAM_INVALID) != 0);
    samples_destroy(&all);
    end();
    return 0;
}

#endif
