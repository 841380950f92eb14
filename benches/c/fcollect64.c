/* shmem_fcollect64 over all PEs, and shmem_collect64, in which each PE could contribute a different number of elements. The size
 * is that of each PE's contribution. */
#include "collective.h"

typedef void routine(void *, const void *, size_t, int, int, int, long *);

struct exchange {
    const char *test;
    routine *routine;
    uint64_t *dest, *source;
    long *sync;
    size_t count;
};

static unsigned long calls; /* the same on all PEs */

static void exchange(long n, void *arg)
{
    const struct exchange *x = arg;
    for (long i = 0; i < n; i++, calls++)
        x->routine(x->dest, x->source, x->count, 0, 0, bench.pes, &x->sync[calls % 2 * SHMEM_COLLECT_SYNC_SIZE]);
}

static void check(const struct exchange *x)
{
    for (size_t i = 0; i < x->count * (size_t)bench.pes; i++)
        if (x->dest[i] != i / x->count) {
            fprintf(stderr, "PE %d: %s: element %zu of %zu each is %llu\n", bench.me, x->test, i, x->count,
                    (unsigned long long)x->dest[i]);
            shmem_global_exit(1);
        }
}

static void measure(struct exchange x, int argc, char **argv)
{
    size_t bytes;
    for (int i = 0; (bytes = bench_size(argc, argv, i, 8)) != 0; i++) {
        x.count = bytes / 8;
        memset(x.dest, 0xff, bytes * (size_t)bench.pes);
        bench_report_time(x.test, bytes, bench_together(exchange, &x));
        check(&x);
    }
}

int main(int argc, char **argv)
{
    bench_start(argc, argv);
    size_t max = bench_size_max(argc, argv, 8);
    uint64_t *dest = bench_symmetric(max * (size_t)bench.pes), *source = bench_symmetric(max);
    long *sync = collective_sync(2, SHMEM_COLLECT_SYNC_SIZE);
    for (size_t i = 0; i < max / 8; i++)
        source[i] = (uint64_t)bench.me;
    measure((struct exchange){"fcollect64", shmem_fcollect64, dest, source, sync, 0}, argc, argv);
    measure((struct exchange){"collect64", shmem_collect64, dest, source, sync, 0}, argc, argv);
    bench_end();
    return 0;
}
