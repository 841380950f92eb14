/* barrier_all and sync_all, back to back, by PE 0's clock. */
#include "bench.h"

static void barriers(long n, void *arg)
{
    (void)arg;
    for (long i = 0; i < n; i++)
        shmem_barrier_all();
}

static void syncs(long n, void *arg)
{
    (void)arg;
    for (long i = 0; i < n; i++)
        shmem_sync_all();
}

int main(int argc, char **argv)
{
    bench_start(argc, argv);
    bench_report_time("barrier_all", 0, bench_together(barriers, NULL));
    bench_report_time("sync_all", 0, bench_together(syncs, NULL));
    bench_end();
    return 0;
}
