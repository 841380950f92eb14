// pes: 2 3 4 8
// Collectives on one team, one after the other without any synchronisation, while PEs arrive late at random. A source is
// overwritten right after its call returns, and so is a destination once it was checked: nothing may still be on its way.
#include "bytes.h"
#include <sched.h>

enum { KINDS = 7, CALLS = 40, EPOCHS = 12, PART = 300 };
static int me, npes;
static unsigned seed;

static unsigned rnd(void) { return (seed = seed * 1103515245u + 12345u) >> 16; }

static void arrive_late(void)
{
    unsigned r = rnd() % 16;
    if (r == 0) usleep(rnd() % 2000);
    else if (r < 4) sched_yield();
}

/* Every call of an epoch has its own destination, so that no PE may be too early with it. */
static void call(const struct sample *one, int kind, int round, uint8_t *dest, uint8_t *source, size_t length)
{
    int n = one->n, root = round % n;
    long *sum = (long *)dest, *term = (long *)source;
    switch (kind) {
    case 0:
        if (one->me == root) bytes_fill(source, length, root, 0, round);
        CHECK(shmem_broadcastmem(one->team, dest, source, length, root) == 0);
        bytes_check(one, "broadcast", dest, length, root, 0, round);
        break;
    case 1:
        bytes_fill(source, length, one->me, 1, round);
        CHECK(shmem_fcollectmem(one->team, dest, source, length) == 0);
        memset(source, 0xEE, length);
        for (int pe = 0; pe < n; pe++) bytes_check(one, "fcollect", dest + pe * length, length, pe, 1, round);
        break;
    case 2:
        bytes_fill(source, length, one->me, 2, round);
        CHECK(shmem_collectmem(one->team, dest, source, one->me % 2 ? 0 : length) == 0);
        memset(source, 0xEE, length);
        for (int pe = 0; pe < n; pe += 2) bytes_check(one, "collect", dest + pe / 2 * length, length, pe, 2, round);
        break;
    case 3:
        for (int pe = 0; pe < n; pe++) bytes_fill(source + pe * length, length, one->me, pe, round);
        CHECK(shmem_alltoallmem(one->team, dest, source, length) == 0);
        memset(source, 0xEE, length * n);
        for (int pe = 0; pe < n; pe++) bytes_check(one, "alltoall", dest + pe * length, length, pe, one->me, round);
        break;
    case 4:
        for (size_t i = 0; i < length / 8; i++) term[i] = one->me * 1000L + round + (long)i;
        CHECK(shmem_long_sum_reduce(one->team, sum, term, length / 8) == 0);
        memset(source, 0xEE, length);
        for (size_t i = 0; i < length / 8; i++)
            CHECK_OVER(one, "sum_reduce", i, sum[i], 500L * n * (n - 1) + n * (round + (long)i));
        break;
    case 5:
        for (size_t i = 0; i < length / 8; i++) term[i] = round + (long)i;
        CHECK(shmem_long_sum_inscan(one->team, sum, term, length / 8) == 0);
        memset(source, 0xEE, length);
        for (size_t i = 0; i < length / 8; i++)
            CHECK_OVER(one, "sum_inscan", i, sum[i], (one->me + 1) * (round + (long)i));
        break;
    default: CHECK(shmem_team_sync(one->team) == 0);
    }
}

int main(void)
{
    struct samples all;
    begin(&me, &npes);
    seed = 77u + (unsigned)me * 7919u;
    samples_make(&all);
    size_t room = (size_t)PART * 8 * npes;
    uint8_t *dest = need(CALLS * room), *source = need(room);
    for (int epoch = 0; epoch < EPOCHS; epoch++) {
        EACH_SAMPLE(one, &all) {
            unsigned choice = 1000u * epoch + 7u * (unsigned)(one - all.of); // alike with all members
            CHECK(shmem_team_sync(one->team) == 0); // members have left the team before
            for (int i = 0; i < CALLS; i++) {
                choice = choice * 69069u + 1u;
                arrive_late();
                uint8_t *at = dest + i * room;
                size_t length = 8u * (1 + (choice >> 20) % PART);
                call(one, (int)(choice >> 16) % KINDS, i, at, source, length);
                memset(at, 0x11, room);
            }
            CHECK(shmem_team_sync(one->team) == 0);
        }
        shmem_barrier_all();
    }
    samples_destroy(&all);
    end();
    return 0;
}
