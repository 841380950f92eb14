/* shmem_int_max_to_all over all PEs, not in place. The size is that of the result. */
#include "collective.h"

struct reduction {
    int *dest, *source, *work[2];
    long *sync;
    int count;
};

static size_t work_ints(size_t bytes)
{
    size_t half = bytes / sizeof(int) / 2 + 1;
    return half > SHMEM_REDUCE_MIN_WRKDATA_SIZE ? half : SHMEM_REDUCE_MIN_WRKDATA_SIZE;
}

static unsigned long calls; /* the same on all PEs */

static void reduce(long n, void *arg)
{
    const struct reduction *r = arg;
    for (long i = 0; i < n; i++, calls++)
        shmem_int_max_to_all(r->dest, r->source, r->count, 0, 0, bench.pes, r->work[calls % 2],
                             &r->sync[calls % 2 * SHMEM_REDUCE_SYNC_SIZE]);
}

static void check(const struct reduction *r)
{
    for (int i = 0; i < r->count; i++)
        if (r->dest[i] != bench.pes - 1 + i % 7) {
            fprintf(stderr, "PE %d: element %d of %d is %d, not %d\n", bench.me, i, r->count, r->dest[i],
                    bench.pes - 1 + i % 7);
            shmem_global_exit(1);
        }
}

int main(int argc, char **argv)
{
    bench_start(argc, argv);
    size_t max = bench_size_max(argc, argv, sizeof(int)), bytes;
    struct reduction r = {.dest = bench_symmetric(max), .source = bench_symmetric(max)};
    for (int i = 0; i < 2; i++)
        r.work[i] = bench_symmetric(work_ints(max) * sizeof(int));
    for (size_t i = 0; i < max / sizeof(int); i++)
        r.source[i] = bench.me + (int)(i % 7);
    r.sync = collective_sync(2, SHMEM_REDUCE_SYNC_SIZE);
    for (int i = 0; (bytes = bench_size(argc, argv, i, sizeof(int))) != 0; i++) {
        r.count = (int)(bytes / sizeof(int));
        bench_report_time("int_max_to_all", bytes, bench_together(reduce, &r));
        check(&r);
    }
    bench_end();
    return 0;
}
