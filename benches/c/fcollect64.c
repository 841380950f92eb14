/* shmem_fcollect64 over all PEs. Bytes are those that each PE contributes. */
#include "collective.h"

struct exchange {
    uint64_t *dest, *source;
    long *sync;
    size_t count;
};

static unsigned long calls; /* in step on all PEs */

static void exchange(long n, void *arg)
{
    const struct exchange *x = arg;
    for (long i = 0; i < n; i++, calls++)
        shmem_fcollect64(x->dest, x->source, x->count, 0, 0, bench.pes, &x->sync[calls % 2 * SHMEM_COLLECT_SYNC_SIZE]);
}

static void check(const struct exchange *x)
{
    for (size_t i = 0; i < x->count * (size_t)bench.pes; i++)
        if (x->dest[i] != i / x->count) {
            fprintf(stderr, "PE %d: element %zu of %zu each is %llu\n", bench.me, i, x->count,
                    (unsigned long long)x->dest[i]);
            shmem_global_exit(1);
        }
}

int main(int argc, char **argv)
{
    bench_start(argc, argv);
    size_t max = bench_size_max(argc, argv, 8), bytes, pes = (size_t)bench.pes;
    struct exchange x = {bench_symmetric(max * pes), bench_symmetric(max), collective_sync(2, SHMEM_COLLECT_SYNC_SIZE), 0};
    for (size_t i = 0; i < max / 8; i++)
        x.source[i] = (uint64_t)bench.me;
    for (int i = 0; (bytes = bench_size(argc, argv, i, 8)) != 0; i++) {
        x.count = bytes / 8;
        bench_report("fcollect64", bytes, bench_together_ns(exchange, &x), "ns");
        check(&x);
    }
    bench_end();
    return 0;
}
