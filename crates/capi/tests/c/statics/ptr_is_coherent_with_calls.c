// pes: 2 4
// needs: mapped
// On one machine shmem_ptr reaches every PE's heap and statics; loads and stores through it agree with put, get and atomics.
#include "check.h"

static long word;

static void coherent(const char *what, long *symmetric, int me, int npes)
{
    int to = (me + 1) % npes, from = (me + npes - 1) % npes;
    long *there = shmem_ptr(symmetric, to);
    if (there == NULL) FAIL("shmem_ptr of %s to PE %d is NULL on one machine", what, to);
    CHECK(there != symmetric);
    CHECK(shmem_team_ptr(SHMEM_TEAM_SHARED, symmetric, to) == there);
    *there = 50 + me;
    shmem_barrier_all();
    CHECK_EQ(*symmetric, 50 + from);
    CHECK_EQ(shmem_long_g(symmetric, to), 50 + me);
    shmem_barrier_all();
    shmem_long_atomic_add(symmetric, 5, to);
    shmem_quiet();
    CHECK_EQ(*there, 55 + me);
    shmem_barrier_all();
}

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    coherent("the heap", need(sizeof(long)), me, npes);
    coherent("a static", &word, me, npes);
    end();
    return 0;
}
