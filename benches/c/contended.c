/* All PEs update one word of PE 0 at the same time: the total rate. */
#include "bench.h"

static void fetch_add(long n, void *arg)
{
    for (long i = 0; i < n; i++)
        (void)shmem_long_atomic_fetch_add(arg, 1, 0);
    shmem_barrier_all(); /* until the slowest PE is done */
}

int main(int argc, char **argv)
{
    bench_start(argc, argv);
    long *word = bench_symmetric(sizeof *word);
    bench_report("contended_fetch_add", sizeof *word, bench.pes * bench_millions(bench_together_ns(fetch_add, word)), "M/s");
    shmem_free(word);
    bench_end();
    return 0;
}
