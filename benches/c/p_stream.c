/* p in a stream: successive elements of one page at PE 1, one quiet at the end of a batch. */
#include "bench.h"

#define ELEMENTS (BENCH_PAGE / sizeof(long))

static void stream(long n, void *arg)
{
    long *dest = arg;
    for (long i = 0; i < n; i++)
        shmem_long_p(&dest[(unsigned long)i % ELEMENTS], i, 1);
    shmem_quiet();
}

int main(int argc, char **argv)
{
    bench_start(argc, argv);
    bench_need_pes(2);
    long *dest = bench_symmetric(BENCH_PAGE);
    bench_report("p_stream", sizeof(long), bench_alone_ns(stream, dest), "ns");
    shmem_free(dest);
    bench_end();
    return 0;
}
