// pes: 3 4 7
// FIFO: PEs that called set_lock one after the other while the lock was held get it in that order. A PE can only be seen to be
// about to call, so a round on a busy machine may start out of order: most rounds, not all, must be in order, and PEs get more time in a
// further batch of rounds. A lock without order would be in order by chance in one of (n-1)! rounds.
#include "check.h"

enum { ROUNDS = 20, QUEUED_US = 20000, QUEUED_US_MAX = 320000 };
static long lock, allowed, announced, order[8], granted;
static int again;

/* PE number `place` after the holder calls set_lock only when the holder permits it. */
static void ask(int place)
{
    while (shmem_long_atomic_fetch(&allowed, 0) < place) usleep(100);
    shmem_long_atomic_set(&announced, place, 0);
    shmem_set_lock(&lock);
}

static void hold_while_others_queue(int npes, useconds_t queued_us)
{
    for (int place = 1; place < npes; place++) {
        shmem_long_atomic_set(&allowed, place, 0);
        while (shmem_long_atomic_fetch(&announced, 0) != place) usleep(100);
        usleep(queued_us);
    }
}

/* The number of rounds that were in order. */
static int rounds_in_order(int me, int npes, useconds_t queued_us)
{
    int in_order = 0;
    for (int round = 0; round < ROUNDS; round++) {
        int holder = round % npes, place = (me - holder + npes) % npes;
        allowed = announced = granted = 0;
        shmem_barrier_all();
        if (me == holder) shmem_set_lock(&lock);
        shmem_barrier_all();
        if (me == holder) hold_while_others_queue(npes, queued_us);
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
    return in_order;
}

int main(void)
{
    int me, npes, in_order;
    useconds_t queued_us = QUEUED_US;
    begin(&me, &npes);
    do {
        in_order = rounds_in_order(me, npes, queued_us);
        all_go_on(&again, in_order < ROUNDS * 3 / 4 && queued_us < QUEUED_US_MAX, me, npes);
        queued_us *= 2;
    } while (again);
    if (me == 0 && in_order < ROUNDS * 3 / 4) FAIL("only %d of %d rounds were granted in order of request", in_order, ROUNDS);
    CHECK_EQ(lock, 0);
    end();
    return 0;
}
