// pes: 1 2 4
// test_lock returns 0 and acquires a free lock; it returns 1 and acquires nothing while the lock is held, by the caller or
// another PE; a lock acquired by test_lock is cleared like any other.
#include "check.h"

static long lock, turn;

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    for (int owner = 0; owner < npes; owner++) {
        if (me == owner) CHECK_EQ(shmem_test_lock(&lock), 0);
        shmem_barrier_all();
        for (int i = 0; i < 100; i++)
            if (me != owner) CHECK_EQ(shmem_test_lock(&lock), 1);
        shmem_barrier_all();
        if (me == owner) shmem_clear_lock(&lock);
        shmem_barrier_all();
        CHECK_EQ(lock, 0);
        shmem_barrier_all();
    }
    /* Spinning on test_lock alone gives exclusion too, mixed with set_lock. */
    for (int i = 0; i < 500; i++) {
        if (me % 2) shmem_set_lock(&lock);
        else
            while (shmem_test_lock(&lock)) {}
        long seen = shmem_long_g(&turn, 0);
        shmem_long_p(&turn, seen + 1, 0);
        shmem_clear_lock(&lock);
    }
    shmem_barrier_all();
    if (me == 0) CHECK_EQ(turn, 500L * npes);
    CHECK_EQ(lock, 0);
    shmem_barrier_all();
    end();
    return 0;
}
