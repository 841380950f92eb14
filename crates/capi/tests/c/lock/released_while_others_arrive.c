// pes: 2 4 7
// Release races with the arrival of the next waiter, tens of thousands of times with no work in between: no waiter is
// forgotten. Half of the PEs poll with test_lock.
#include "check.h"

enum { ROUNDS = 10000 };
static long lock, inside;

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    for (int i = 0; i < ROUNDS; i++) {
        if ((me + i) % 4) shmem_set_lock(&lock);
        else if (shmem_test_lock(&lock)) continue;
        long others = shmem_long_atomic_fetch_inc(&inside, 0);
        if (others != 0) FAIL("round %d: %ld others hold the lock too", i, others);
        shmem_long_atomic_add(&inside, -1, 0);
        shmem_clear_lock(&lock);
    }
    shmem_barrier_all();
    CHECK_EQ(lock, 0);
    shmem_barrier_all();
    end();
    return 0;
}
