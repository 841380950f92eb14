/* p, put + quiet, get and fetch_add on a static variable of PE 1, each beside the same loop on the heap. */
#include "bench.h"

#define ELEMENTS (BENCH_PAGE / sizeof(long))

static long in_static[ELEMENTS] __attribute__((aligned(BENCH_PAGE)));

static void stream(long n, void *arg)
{
    long *dest = arg;
    for (long i = 0; i < n; i++)
        shmem_long_p(&dest[(unsigned long)i % ELEMENTS], i, 1);
    shmem_quiet();
}

static void put(long n, void *arg)
{
    long value = 1;
    for (long i = 0; i < n; i++) {
        shmem_put64(arg, &value, 1, 1);
        shmem_quiet();
    }
}

static void get(long n, void *arg)
{
    long value;
    for (long i = 0; i < n; i++)
        shmem_get64(&value, arg, 1, 1);
}

static void fetch_add(long n, void *arg)
{
    for (long i = 0; i < n; i++)
        (void)shmem_long_atomic_fetch_add(arg, 1, 1);
}

static void both(const char *on_heap, const char *on_static, batch_body body, long *heap)
{
    bench_report(on_heap, sizeof(long), bench_alone_ns(body, heap), "ns");
    bench_report(on_static, sizeof(long), bench_alone_ns(body, in_static), "ns");
}

int main(int argc, char **argv)
{
    bench_start(argc, argv);
    bench_need_pes(2);
    long *heap = bench_symmetric(BENCH_PAGE);
    both("heap_p", "static_p", stream, heap);
    both("heap_put", "static_put", put, heap);
    both("heap_get", "static_get", get, heap);
    both("heap_fetch_add", "static_fetch_add", fetch_add, heap);
    shmem_free(heap);
    bench_end();
    return 0;
}
