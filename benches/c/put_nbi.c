/* Rate of 8-byte put_nbi to PE 1: windows of 1,024, one quiet after each, as in a program with a bounded queue. */
#include "bench.h"

#define WINDOW 1024
#define ELEMENTS (BENCH_PAGE / sizeof(long))

static long source[ELEMENTS];

static void windows(long n, void *arg)
{
    long *dest = arg;
    for (long i = 0; i < n; i++) {
        unsigned long at = (unsigned long)i % ELEMENTS;
        shmem_put64_nbi(&dest[at], &source[at], 1, 1);
        if (i % WINDOW == WINDOW - 1)
            shmem_quiet();
    }
    shmem_quiet();
}

int main(int argc, char **argv)
{
    bench_start(argc, argv);
    bench_need_pes(2);
    long *dest = bench_symmetric(BENCH_PAGE);
    bench_report("put_nbi", sizeof(long), bench_millions(bench_alone_ns(windows, dest)), "M/s");
    shmem_free(dest);
    bench_end();
    return 0;
}
