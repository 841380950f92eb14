/* Does quiet really complete puts? The store-buffering litmus test: each of two PEs writes its own word, calls quiet, and reads the
 * other's word. If quiet completes the write before the read begins, at least one of them reads the new value.
 *
 * `quiet_litmus` counts the rounds in which both read the old value: it must be 0. `quiet_control` counts them for the
 * same rounds without quiet, where they are allowed: a number above 0 shows that this machine can distinguish the two cases
 * (0 proves nothing). Each runs with the words at their writer, and at their reader. The argument after the batches is
 * the number of rounds. */
#include "bench.h"

#define LINE (128 / sizeof(long))

enum home { AT_WRITER, AT_READER };

static long rounds;
static long meetings; /* grows over all rounds, the same on both PEs */

struct litmus {
    long *meet;  /* symmetric: the other PE's arrival */
    long *words; /* symmetric: two words a round, a line each: PE 0's and PE 1's */
    long *seen;  /* symmetric: the value that this PE read in each round */
};

/* Both PEs return within the time of one cache-line transfer. */
static void rendezvous(const struct litmus *t, int other)
{
    meetings++;
    shmem_long_p(t->meet, meetings, other);
    shmem_long_wait_until(t->meet, SHMEM_CMP_GE, meetings);
}

static void dawdle(unsigned *seed)
{
    *seed = *seed * 1103515245u + 12345u;
    for (volatile unsigned i = (*seed >> 16) % 24; i > 0; i--)
        ;
}

static long *word(const struct litmus *t, long round, int writer)
{
    return &t->words[(size_t)(2 * round + writer) * LINE];
}

static void play(const struct litmus *t, enum home home, int with_quiet)
{
    int me = bench.me, other = 1 - me;
    int write_at = home == AT_WRITER ? me : other;
    int read_at = home == AT_WRITER ? other : me;
    unsigned seed = 17u + (unsigned)me;
    for (long i = 0; i < rounds; i++) {
        long *mine = word(t, i, me), *theirs = word(t, i, other);
        rendezvous(t, other);
        dawdle(&seed);
        shmem_long_p(mine, 1, write_at);
        if (with_quiet)
            shmem_quiet();
        shmem_get64(&t->seen[i], theirs, 1, read_at);
    }
}

/* On PE 0: the rounds in which both PEs read the old value. */
static long both_old(const struct litmus *t)
{
    long count = 0;
    for (long i = 0; i < rounds; i++)
        if (t->seen[i] == 0 && shmem_long_g(&t->seen[i], 1) == 0)
            count++;
    return count;
}

static void litmus(const struct litmus *t, const char *test, enum home home, int with_quiet)
{
    long count = 0;
    memset(t->words, 0, 2 * (size_t)rounds * LINE * sizeof(long));
    shmem_barrier_all();
    if (bench.me < 2)
        play(t, home, with_quiet);
    shmem_barrier_all();
    if (bench.me == 0)
        count = both_old(t);
    shmem_barrier_all();
    bench_report(test, sizeof(long), (double)count, "count");
}

int main(int argc, char **argv)
{
    bench_start(argc, argv);
    bench_need_pes(2);
    rounds = argc > 3 ? atol(argv[3]) : 0;
    if (rounds < 1) {
        fprintf(stderr, "the number of rounds is missing\n");
        shmem_global_exit(2);
    }
    struct litmus t = {bench_symmetric(sizeof(long)), bench_symmetric(2 * (size_t)rounds * LINE * sizeof(long)),
                       bench_symmetric((size_t)rounds * sizeof(long))};
    litmus(&t, "quiet_litmus_at_writer", AT_WRITER, 1);
    litmus(&t, "quiet_litmus_at_reader", AT_READER, 1);
    litmus(&t, "quiet_control_at_writer", AT_WRITER, 0);
    litmus(&t, "quiet_control_at_reader", AT_READER, 0);
    shmem_free(t.seen);
    shmem_free(t.words);
    shmem_free(t.meet);
    bench_end();
    return 0;
}
