/* shmem_set_lock and shmem_clear_lock: by PE 0 alone while no other PE wants the lock, and by all PEs at the same time. */
#include "bench.h"

static void alone(long n, void *lock)
{
    for (long i = 0; i < n; i++) {
        shmem_set_lock(lock);
        shmem_clear_lock(lock);
    }
}

static void wanted(long n, void *lock)
{
    alone(n, lock);
    shmem_barrier_all(); /* until the last PE has finished */
}

int main(int argc, char **argv)
{
    bench_start(argc, argv);
    long *lock = bench_symmetric(sizeof *lock);
    bench_report_time("lock_alone", 0, bench_alone(alone, lock));
    bench_report("lock_contended", 0, bench.pes * bench_millions(bench_together_ns(wanted, lock)), "M/s");
    shmem_free(lock);
    bench_end();
    return 0;
}
