/* Rate of non-fetching adds on one word at PE 1, one quiet at the end of a batch. */
#include "bench.h"

static void add(long n, void *arg)
{
    long *target = arg;
    for (long i = 0; i < n; i++)
        shmem_long_atomic_add(target, 1, 1);
    shmem_quiet();
}

int main(int argc, char **argv)
{
    bench_start(argc, argv);
    bench_need_pes(2);
    long *target = bench_symmetric(sizeof *target);
    bench_report("add", sizeof(long), bench_millions(bench_alone_ns(add, target)), "M/s");
    shmem_free(target);
    bench_end();
    return 0;
}
