// pes: 3 4 7
// FIFO: PEs that asked one after the other while the lock was held get it in that order. A PE can only be seen to be about to
// ask, so a round on a busy machine may start out of order by itself: most rounds, not all, must come out in order. By chance a
// lock without order would do that in one round of (n-1)!.
#include "check.h"

enum { ROUNDS = 20, QUEUED_US = 20000 };
static long lock, allowed, announced, order[8], granted;

/* PE number `place` after the holder asks only when the holder lets it. */
static void ask(int place)
{
    while (shmem_long_atomic_fetch(&allowed, 0) < place) usleep(100);
    shmem_long_atomic_set(&announced, place, 0);
    shmem_set_lock(&lock);
}

static void hold_while_others_queue(int npes)
{
    for (int place = 1; place < npes; place++) {
        shmem_long_atomic_set(&allowed, place, 0);
        while (shmem_long_atomic_fetch(&announced, 0) != place) usleep(100);
        usleep(QUEUED_US);
    }
}

int main(void)
{
    int me, npes, in_order = 0;
    begin(&me, &npes);
    for (int round = 0; round < ROUNDS; round++) {
        int holder = round % npes, place = (me - holder + npes) % npes;
        allowed = announced = granted = 0;
        shmem_barrier_all();
        if (me == holder) shmem_set_lock(&lock);
        shmem_barrier_all();
        if (me == holder) hold_while_others_queue(npes);
        else ask(place);
        long at = shmem_long_atomic_fetch_inc(&granted, 0);
        shmem_long_p(&order[at], place, 0);
        shmem_clear_lock(&lock);
        shmem_barrier_all();
        int sorted = 1;
        for (int i = 0; i < npes; i++) sorted &= order[i] == i;
        in_order += sorted;
        shmem_barrier_all();
    }
    if (me == 0 && in_order < ROUNDS * 3 / 4) FAIL("only %d of %d rounds were granted in order of request", in_order, ROUNDS);
    CHECK_EQ(lock, 0);
    end();
    return 0;
}
