/* shmem_broadcast64 from PE 0 over all PEs, with 64 work arrays, and a barrier before they are reused. */
#include "collective.h"

#define SETS 64

struct cast {
    uint64_t *dest, *source;
    long *sync;
    size_t count;
};

static unsigned long calls; /* the same on all PEs */

static void broadcast(long n, void *arg)
{
    const struct cast *c = arg;
    for (long i = 0; i < n; i++, calls++) {
        if (calls % SETS == 0)
            shmem_barrier_all();
        shmem_broadcast64(c->dest, c->source, c->count, 0, 0, 0, bench.pes,
                          &c->sync[calls % SETS * SHMEM_BCAST_SYNC_SIZE]);
    }
}

static void check(const struct cast *c)
{
    for (size_t i = 0; i < c->count && bench.me != 0; i++)
        if (c->dest[i] != i + 1) {
            fprintf(stderr, "PE %d: element %zu of %zu is %llu, not %zu\n", bench.me, i, c->count,
                    (unsigned long long)c->dest[i], i + 1);
            shmem_global_exit(1);
        }
}

int main(int argc, char **argv)
{
    bench_start(argc, argv);
    size_t max = bench_size_max(argc, argv, 8), bytes;
    struct cast c = {bench_symmetric(max), bench_symmetric(max), collective_sync(SETS, SHMEM_BCAST_SYNC_SIZE), 0};
    for (size_t i = 0; i < max / 8; i++)
        c.source[i] = bench.me == 0 ? i + 1 : 0;
    for (int i = 0; (bytes = bench_size(argc, argv, i, 8)) != 0; i++) {
        c.count = bytes / 8;
        bench_report_time("broadcast64", bytes, bench_together(broadcast, &c));
        check(&c);
    }
    bench_end();
    return 0;
}
