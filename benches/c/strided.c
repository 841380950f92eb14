/* iput and iget of each size in words of 8 bytes, every other word on both sides. */
#include "bench.h"

#define STRIDE 2

struct transfer {
    uint64_t *symmetric, *private;
    size_t words;
};

static void iput(long n, void *arg)
{
    const struct transfer *t = arg;
    for (long i = 0; i < n; i++) {
        shmem_iput64(t->symmetric, t->private, STRIDE, STRIDE, t->words, 1);
        shmem_quiet();
    }
}

static void iget(long n, void *arg)
{
    const struct transfer *t = arg;
    for (long i = 0; i < n; i++)
        shmem_iget64(t->private, t->symmetric, STRIDE, STRIDE, t->words, 1);
}

int main(int argc, char **argv)
{
    bench_start(argc, argv);
    bench_need_pes(2);
    size_t max = STRIDE * bench_size_max(argc, argv, 8), bytes;
    struct transfer t = {bench_symmetric(max), bench_private(max), 0};
    for (int i = 0; (bytes = bench_size(argc, argv, i, 8)) != 0; i++) {
        t.words = bytes / 8;
        bench_report_time("iput", bytes, bench_alone(iput, &t));
        bench_report_time("iget", bytes, bench_alone(iget, &t));
    }
    free(t.private);
    shmem_free(t.symmetric);
    bench_end();
    return 0;
}
