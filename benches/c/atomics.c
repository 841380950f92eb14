/* The time of each fetching atomic operation on one word of PE 1, except fetch_add, which has its own program. */
#include "bench.h"

#define ATOMIC(name, call)                                                                                             \
    static void name(long n, void *arg)                                                                                \
    {                                                                                                                  \
        long *target = arg, sum = 0;                                                                                   \
        for (long i = 0; i < n; i++)                                                                                   \
            sum += (call);                                                                                             \
        *(volatile long *)&sum = sum;                                                                                  \
    }

ATOMIC(fetch, shmem_long_atomic_fetch(target, 1))
ATOMIC(swap, shmem_long_atomic_swap(target, i, 1))
ATOMIC(compare_swap, shmem_long_atomic_compare_swap(target, 0, 1, 1))
ATOMIC(fetch_inc, shmem_long_atomic_fetch_inc(target, 1))
ATOMIC(fetch_xor, (long)shmem_uint64_atomic_fetch_xor((uint64_t *)target, (uint64_t)i, 1))

int main(int argc, char **argv)
{
    bench_start(argc, argv);
    bench_need_pes(2);
    long *target = bench_symmetric(sizeof *target);
    bench_report_time("atomic_fetch", sizeof *target, bench_alone(fetch, target));
    bench_report_time("atomic_swap", sizeof *target, bench_alone(swap, target));
    bench_report_time("atomic_compare_swap", sizeof *target, bench_alone(compare_swap, target));
    bench_report_time("atomic_fetch_inc", sizeof *target, bench_alone(fetch_inc, target));
    bench_report_time("atomic_fetch_xor", sizeof *target, bench_alone(fetch_xor, target));
    shmem_free(target);
    bench_end();
    return 0;
}
