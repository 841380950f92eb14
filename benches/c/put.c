/* put of each size to PE 1 and quiet after each: the time until the data have arrived at the target. */
#include "bench.h"

struct transfer {
    void *symmetric, *private;
    size_t bytes;
};

static void put(long n, void *arg)
{
    const struct transfer *t = arg;
    for (long i = 0; i < n; i++) {
        shmem_put64(t->symmetric, t->private, t->bytes / 8, 1);
        shmem_quiet();
    }
}

int main(int argc, char **argv)
{
    bench_start(argc, argv);
    bench_need_pes(2);
    size_t max = bench_size_max(argc, argv, 8);
    struct transfer t = {bench_symmetric(max), bench_private(max), 0};
    for (int i = 0; (t.bytes = bench_size(argc, argv, i, 8)) != 0; i++)
        bench_report_time("put", t.bytes, bench_alone(put, &t));
    free(t.private);
    shmem_free(t.symmetric);
    bench_end();
    return 0;
}
