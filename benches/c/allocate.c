/* shmem_malloc of each size and shmem_free of it, by all PEs: two collectives. */
#include "bench.h"

static void allocate(long n, void *arg)
{
    const size_t *bytes = arg;
    for (long i = 0; i < n; i++) {
        void *memory = shmem_malloc(*bytes);
        if (!memory)
            shmem_global_exit(1);
        shmem_free(memory);
    }
}

int main(int argc, char **argv)
{
    size_t bytes;
    bench_start(argc, argv);
    for (int i = 0; (bytes = bench_size(argc, argv, i, 8)) != 0; i++)
        bench_report_time("malloc_free", bytes, bench_together(allocate, &bytes));
    bench_end();
    return 0;
}
