/* shmem_alltoall64 over all PEs, and shmem_alltoalls64 with every other word on both sides. The size is that of the block from
 * each PE to each other. */
#include "collective.h"

#define STRIDE 2

struct exchange {
    uint64_t *dest, *source;
    long *sync;
    size_t count, stride;
};

static unsigned long calls; /* the same on all PEs */

static void exchange(long n, void *arg)
{
    const struct exchange *x = arg;
    for (long i = 0; i < n; i++, calls++)
        shmem_alltoall64(x->dest, x->source, x->count, 0, 0, bench.pes, &x->sync[calls % 2 * SHMEM_ALLTOALL_SYNC_SIZE]);
}

static void strided(long n, void *arg)
{
    const struct exchange *x = arg;
    for (long i = 0; i < n; i++, calls++)
        shmem_alltoalls64(x->dest, x->source, STRIDE, STRIDE, x->count, 0, 0, bench.pes,
                          &x->sync[calls % 2 * SHMEM_ALLTOALLS_SYNC_SIZE]);
}

static void check(const struct exchange *x)
{
    for (size_t i = 0; i < x->count * (size_t)bench.pes; i++)
        if (x->dest[i * x->stride] != i / x->count) {
            fprintf(stderr, "PE %d: element %zu of %zu each is %llu\n", bench.me, i, x->count,
                    (unsigned long long)x->dest[i * x->stride]);
            shmem_global_exit(1);
        }
}

static void measure(const char *test, batch_body body, struct exchange x, int argc, char **argv)
{
    size_t bytes;
    for (int i = 0; (bytes = bench_size(argc, argv, i, 8)) != 0; i++) {
        x.count = bytes / 8;
        bench_report_time(test, bytes, bench_together(body, &x));
        check(&x);
    }
}

int main(int argc, char **argv)
{
    bench_start(argc, argv);
    size_t most = STRIDE * bench_size_max(argc, argv, 8) * (size_t)bench.pes;
    uint64_t *dest = bench_symmetric(most), *source = bench_symmetric(most);
    for (size_t i = 0; i < most / 8; i++)
        source[i] = (uint64_t)bench.me;
    long *sync = collective_sync(2, SHMEM_ALLTOALL_SYNC_SIZE);
    measure("alltoall64", exchange, (struct exchange){dest, source, sync, 0, 1}, argc, argv);
    memset(dest, 0xff, most);
    sync = collective_sync(2, SHMEM_ALLTOALLS_SYNC_SIZE);
    measure("alltoalls64", strided, (struct exchange){dest, source, sync, 0, STRIDE}, argc, argv);
    bench_end();
    return 0;
}
