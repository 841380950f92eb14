// pes: 2
// needs: mapped
// A flag that its target has seen and cleared stays clear, although the put that set it may still be in progress; and a get
// returns a value that was stored. PE 0 and PE 1 race for it. The first argument is the number of rounds of each race.
#include "check.h"
#include <sched.h>

static long stage, answer;
static int flag, pair[3], blocks[9];
static union {
    long aligned;
    char bytes[24];
} raw;
static short word;
static long rounds = 20000;

static int look(int *at)
{
    return *(volatile int *)at;
}

// Wait until `*at` is 1 by loads alone, and clear it.
static void take(int *at)
{
    while (look(at) == 0) sched_yield();
    *(volatile int *)at = 0;
}

// PE 0 puts with `put`, completes the puts, and notifies PE 1; PE 1 clears the flags and checks them again.
#define RACE(NAME, PUT, TAKE, AGAIN)                                                                                   \
    do {                                                                                                               \
        for (long round = 1; round <= rounds; round++) {                                                               \
            if (me == 0) {                                                                                             \
                PUT;                                                                                                   \
                shmem_quiet();                                                                                         \
                shmem_long_p(&stage, round, 1);                                                                        \
                shmem_long_wait_until(&answer, SHMEM_CMP_EQ, round);                                                   \
            } else {                                                                                                   \
                TAKE;                                                                                                  \
                shmem_long_wait_until(&stage, SHMEM_CMP_EQ, round);                                                    \
                if (AGAIN) FAIL("%s: a flag that was cleared is set again in round %ld of %ld", NAME, round, rounds); \
                shmem_long_p(&answer, round, 0);                                                                       \
            }                                                                                                          \
        }                                                                                                              \
        stage = answer = 0;                                                                                            \
        shmem_barrier_all();                                                                                           \
    } while (0)

static void gets(int me)
{
    if (me == 1) {
        for (long round = 0; round < rounds; round++) shmem_short_p(&word, round % 2 ? 0x00ff : 0x0100, 1);
    } else {
        for (long round = 0; round < rounds; round++) {
            short got;
            shmem_short_get(&got, &word, 1, 1);
            if (got != 0 && got != 0x00ff && got != 0x0100) FAIL("a get gives %#x, which was never stored", got);
        }
    }
    shmem_barrier_all();
}

int main(int argc, char **argv)
{
    int me, npes;
    begin(&me, &npes);
    if (argc > 1) rounds = atol(argv[1]);
    static const int ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    char apart[sizeof(long) + 1] = {0};
    const long one = 1;
    memcpy(apart + 1, &one, sizeof one);
    // The second of the pair is at a multiple of eight.
    int *two = (uintptr_t)pair % 8 == 0 ? pair + 1 : pair;
    RACE("int_put", shmem_int_put(&flag, ones, 1, 1), take(&flag), look(&flag));
    RACE("int_put of two", shmem_int_put(two, ones, 2, 1),
         (shmem_int_wait_until(two, SHMEM_CMP_EQ, 1), *(volatile int *)two = 0, take(two + 1)), look(two) || look(two + 1));
    RACE("int_ibput", shmem_ibput32(blocks, ones, 3, 2, 2, 2, 1),
         (take(&blocks[0]), take(&blocks[1]), take(&blocks[3]), take(&blocks[4])),
         look(&blocks[0]) || look(&blocks[1]) || look(&blocks[3]) || look(&blocks[4]));
    RACE("putmem of an unaligned source", shmem_putmem(&raw, apart + 1, 8, 1), take((int *)&raw), look((int *)&raw));
    gets(me);
    end();
    return 0;
}
