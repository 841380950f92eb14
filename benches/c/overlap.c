/* How much of a non-blocking put to PE 1 overlaps with computation on PE 0. For each size: the time of put_nbi and quiet; then the same
 * with a computation of that duration in between. 100 % of the transfer is hidden if that takes no longer than the
 * computation alone, and 0 % if the two times add up. */
#include "bench.h"

struct transfer {
    void *symmetric, *private;
    size_t bytes;
    long work; /* iterations of the loop that represents a computation */
};

static void compute(long turns)
{
    for (long i = 0; i < turns; i++)
        __asm__ volatile("" : "+r"(i));
}

static void transfers(long n, void *arg)
{
    const struct transfer *t = arg;
    for (long i = 0; i < n; i++) {
        shmem_put64_nbi(t->symmetric, t->private, t->bytes / 8, 1);
        compute(t->work);
        shmem_quiet();
    }
}

static void computations(long n, void *arg)
{
    const struct transfer *t = arg;
    for (long i = 0; i < n; i++)
        compute(t->work);
}

int main(int argc, char **argv)
{
    bench_start(argc, argv);
    bench_need_pes(2);
    size_t max = bench_size_max(argc, argv, 8);
    struct transfer t = {bench_symmetric(max), bench_private(max), 0, 0};
    for (int i = 0; (t.bytes = bench_size(argc, argv, i, 8)) != 0; i++) {
        t.work = 0;
        double transfer = bench_alone_ns(transfers, &t);
        t.work = 100000;
        double turn = bench_alone_ns(computations, &t) / (double)t.work;
        t.work = turn > 0 ? (long)(transfer / turn) + 1 : 1;
        double both = bench_alone_ns(transfers, &t), work = bench_alone_ns(computations, &t);
        double hidden = transfer > 0 ? 100 * (transfer + work - both) / transfer : 0;
        bench_report("overlap", t.bytes, hidden < 0 ? 0 : hidden > 100 ? 100 : hidden, "%");
    }
    free(t.private);
    shmem_free(t.symmetric);
    bench_end();
    return 0;
}
