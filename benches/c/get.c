/* get of each size from PE 1. */
#include "bench.h"

struct transfer {
    void *symmetric, *private;
    size_t bytes;
};

static void get(long n, void *arg)
{
    const struct transfer *t = arg;
    for (long i = 0; i < n; i++)
        shmem_get64(t->private, t->symmetric, t->bytes / 8, 1);
}

int main(int argc, char **argv)
{
    bench_start(argc, argv);
    bench_need_pes(2);
    size_t max = bench_size_max(argc, argv, 8);
    struct transfer t = {bench_symmetric(max), bench_private(max), 0};
    for (int i = 0; (t.bytes = bench_size(argc, argv, i, 8)) != 0; i++)
        bench_report_time("get", t.bytes, bench_alone(get, &t));
    free(t.private);
    shmem_free(t.symmetric);
    bench_end();
    return 0;
}
