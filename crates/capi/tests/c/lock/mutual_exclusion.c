// pes: 1 2 3 4 7
// A lock in the heap and a static one each protect a plain counter on another PE; clear_lock makes the owner's puts visible to
// the next owner; afterwards the lock's word is zero on every PE.
#include "check.h"

enum { ROUNDS = 2000 };
static long static_lock, counters[2], guest[2];

static void take_turns(long *lock, int which, int npes)
{
    int home = npes - 1;
    for (int i = 0; i < ROUNDS; i++) {
        shmem_set_lock(lock);
        long seen = shmem_long_g(&counters[which], home);
        long twin = shmem_long_g(&guest[which], 0);
        if (seen != twin) FAIL("inside the lock the two counters differ: %ld and %ld", seen, twin);
        shmem_long_p(&counters[which], seen + 1, home);
        shmem_long_p(&guest[which], twin + 1, 0);
        shmem_clear_lock(lock);
    }
}

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    long *heap_lock = need(sizeof *heap_lock);
    *heap_lock = 0;
    shmem_barrier_all();
    take_turns(heap_lock, 0, npes);
    take_turns(&static_lock, 1, npes);
    shmem_barrier_all();
    if (me == npes - 1) {
        CHECK_EQ(counters[0], (long)ROUNDS * npes);
        CHECK_EQ(counters[1], (long)ROUNDS * npes);
    }
    CHECK_EQ(*heap_lock, 0);
    CHECK_EQ(static_lock, 0);
    shmem_barrier_all();
    end();
    return 0;
}
