// pes: 2 4
// Hundreds of locks in one array, several held by one PE at a time, acquired and released in random order: each excludes only
// its own users, no lock is lost, every word is zero in the end and the block can be freed and used again.
#include "check.h"

enum { LOCKS = 300, ROUNDS = 1500, HELD = 3 };
static long counts[LOCKS];

static unsigned next_random(unsigned *state)
{
    *state = *state * 1103515245u + 12345u;
    return *state >> 16;
}

static void bump(int which)
{
    long seen = shmem_long_g(&counts[which], which % shmem_n_pes());
    shmem_long_p(&counts[which], seen + 1, which % shmem_n_pes());
}

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    static long total;
    unsigned state = 17u + (unsigned)me;
    long *locks = shmem_calloc(LOCKS, sizeof *locks), mine = 0;
    CHECK(locks != NULL);
    for (int round = 0; round < ROUNDS; round++) {
        int first = (int)(next_random(&state) % (LOCKS - HELD));
        for (int k = 0; k < HELD; k++) shmem_set_lock(&locks[first + k]); // ascending: no deadlock
        for (int k = 0; k < HELD; k++) bump(first + k), mine++;
        for (int k = 0; k < HELD; k++) shmem_clear_lock(&locks[first + (k + round) % HELD]);
    }
    shmem_long_atomic_add(&total, mine, 0);
    shmem_barrier_all();
    if (me == 0) {
        long sum = 0;
        for (int i = 0; i < LOCKS; i++) sum += shmem_long_g(&counts[i], i % npes);
        CHECK_EQ(sum, total);
    }
    for (int i = 0; i < LOCKS; i++) CHECK_NTH("lock word after use", i, locks[i], 0);
    shmem_free(locks);
    long *again = shmem_calloc(LOCKS, sizeof *again);
    CHECK(again != NULL);
    shmem_set_lock(&again[LOCKS / 2]);
    shmem_clear_lock(&again[LOCKS / 2]);
    shmem_barrier_all();
    end();
    return 0;
}
