/* fetch_add on one word at PE 1, each waiting for its value. */
#include "bench.h"

static void fetch_add(long n, void *arg)
{
    long *target = arg;
    for (long i = 0; i < n; i++)
        (void)shmem_long_atomic_fetch_add(target, 1, 1);
}

int main(int argc, char **argv)
{
    bench_start(argc, argv);
    bench_need_pes(2);
    long *target = bench_symmetric(sizeof *target);
    bench_report_time("fetch_add", sizeof(long), bench_alone(fetch_add, target));
    shmem_free(target);
    bench_end();
    return 0;
}
