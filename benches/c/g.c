/* g: successive words of PE 1, each returned as the result of a call. */
#include "bench.h"

#define ELEMENTS (BENCH_PAGE / sizeof(long))

static void fetch(long n, void *arg)
{
    long *source = arg, sum = 0;
    for (long i = 0; i < n; i++)
        sum += shmem_long_g(&source[(unsigned long)i % ELEMENTS], 1);
    *(volatile long *)&sum = sum;
}

int main(int argc, char **argv)
{
    bench_start(argc, argv);
    bench_need_pes(2);
    long *source = bench_symmetric(BENCH_PAGE);
    bench_report_time("g", sizeof(long), bench_alone(fetch, source));
    shmem_free(source);
    bench_end();
    return 0;
}
